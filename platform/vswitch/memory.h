/* The modules' memory as files below the switch's root, where SONiC's optoe
 * driver would have them: /sys/bus/i2c/devices/N-0050/eeprom, with port_name
 * and dev_class beside it; N is the cage. What EEPROM and STATE_DB say is of
 * one moment.
 */
#pragma once

#include <stddef.h>

struct box;
struct box_port;

/* A module came: what tells the driver of its cage. */
void memory_enter(struct box *b, struct box_port *p);
/* Shows what the module of a cage holds now; port: the first of the cage. Does
 * nothing on a switch without a root. A file that cannot be written is told in
 * the log, once.
 */
void memory_write(struct box *b, size_t port);
/* The cage is empty. */
void memory_remove(struct box *b, const struct box_port *p);
