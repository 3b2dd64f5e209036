/* RATES: what orchagent's Lua scripts make of a port's counters, with all of
 * their faults: smoothing, an assumed interval, a maximum that never falls.
 */
#pragma once

#include <stdint.h>

struct box;
struct box_port;

/* Writes the settings of the scripts. */
void rates_settings(struct box *b);
/* One round of the rate script, interval_ns after the one before. */
void rates_ports(struct box *b, int64_t interval_ns);
/* One round of the frame-loss script (every 120 s). */
void rates_losses(struct box *b);
