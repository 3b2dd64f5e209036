/* A cage's module with the lanes of all ports that share it, as its registers
 * give them: steps of its converters, all ones from a bus that hangs. And the
 * rows that xcvrd writes for it.
 */
#pragma once

#include <stdbool.h>
#include "petrel/plant.h"

struct box;
struct box_port;
struct out;
struct vdm_past;

struct view_lane {
	double rx_mw, tx_mw;		/* steps of 0.1 uW */
	double bias_ma;			/* of 2 uA */
	double ber, snr_db;
	bool rx_los, tx_fault, disabled;
};

/* An electrical lane, and the optical one after it. */
struct view_host_lane {
	bool up, dark;
};

struct module_view {
	const struct box_port *port;	/* the first */
	unsigned lanes;			/* optical */
	double temp_c, laser_temp_c;	/* steps of 1/256 C */
	double vcc_v;			/* of 100 uV */
	struct view_lane lane[PLANT_LANES_MAX];
	unsigned host_lanes;
	struct view_host_lane host[PLANT_LANES_MAX];
	bool coherent;			/* if so, the following is valid: */
	struct plant_coherent line;
};

/* A value as a register of the module gives it: limits are in its memory in the
 * same steps as readings.
 */
enum view_register { REGISTER_TEMP_C, REGISTER_VCC_V, REGISTER_LIGHT_DBM,
		     REGISTER_BIAS_MA };
double view_register(enum view_register which, double value);

/* The module of a cage; port: the number of the first that shares it. */
void module_view(const struct box *b, size_t port, struct module_view *ret);

/* True for a cable without monitors. */
bool module_is_mute(const struct box_port *p);
/* TRANSCEIVER_INFO and TRANSCEIVER_FIRMWARE_INFO of the module in the cage. */
void module_info_row(const struct box_port *p);
/* TRANSCEIVER_STATUS_SW. */
void module_software_row(const struct box_port *p, bool present);
/* TRANSCEIVER_DOM_THRESHOLD, TRANSCEIVER_DOM_SENSOR, TRANSCEIVER_STATUS. */
void module_threshold_row(const struct box_port *p);
void module_sensor_row(struct box_port *p, const struct module_view *v);
void module_status_row(struct box_port *p, const struct module_view *v);
/* The flags of both, with their changes and times. */
void module_flag_rows(const struct box_port *p, const struct module_view *v);

/* Runs inside the module: takes minima, maxima and means. */
void vdm_watch(struct vdm_past *past, const struct module_view *v);
/* xcvrd reads values, flags and statistics; the statistics restart. */
void vdm_read(struct box_port *p, const struct module_view *v);
/* The limits, once when a module is plugged in. */
void vdm_thresholds(const struct box_port *p);
/* Deletes all rows for a port. */
void vdm_delete(struct out *o, const char *port);
