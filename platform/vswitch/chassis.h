/* The box around the chips: sensors, fans and supplies as thermalctld and psud
 * post them (every 60 s), and why it was started last.
 */
#pragma once

#include <stdint.h>

struct box;

/* TEMPERATURE_INFO, FAN_INFO, PSU_INFO. */
void chassis_play(struct box *b, int64_t unix_s);
/* REBOOT_CAUSE and what else is known from the start. */
void chassis_start(struct box *b, int64_t unix_s);
