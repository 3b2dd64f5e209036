/* What xcvrd writes of a module but its VDM: what it is, what it measures, its
 * limits, states and flags. Each function writes rows of one port.
 */
#pragma once

#include <stdbool.h>

struct box_port;
struct module_view;

/* A cable without monitors. */
bool module_is_mute(const struct box_port *p);

/* TRANSCEIVER_INFO and TRANSCEIVER_FIRMWARE_INFO of what is in the cage now. */
void module_info_row(const struct box_port *p);
/* TRANSCEIVER_STATUS_SW. */
void module_software_row(const struct box_port *p, bool present);
/* TRANSCEIVER_DOM_THRESHOLD, TRANSCEIVER_DOM_SENSOR, TRANSCEIVER_STATUS. */
void module_threshold_row(const struct box_port *p);
void module_sensor_row(struct box_port *p, const struct module_view *v);
void module_status_row(struct box_port *p, const struct module_view *v);
/* The flags of both, with their past. */
void module_flag_rows(const struct box_port *p, const struct module_view *v);
