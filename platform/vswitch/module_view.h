/* A cage's module with the lanes of all ports that share it, as its registers
 * give them: steps of its converters, all ones from a bus that hangs.
 */
#pragma once

#include <stdbool.h>
#include "petrel/plant.h"

struct box;
struct box_port;

struct view_lane {
	double rx_mw, tx_mw;		/* steps of 0.1 uW */
	double bias_ma;			/* of 2 uA */
	double ber, snr_db;
	bool rx_los, tx_fault, disabled;
};

/* An electrical lane, and the light behind it. */
struct view_host_lane {
	bool up, dark;
};

struct module_view {
	const struct box_port *port;	/* the first */
	unsigned lanes;			/* of light */
	double temp_c, laser_temp_c;	/* steps of 1/256 C */
	double vcc_v;			/* of 100 uV */
	struct view_lane lane[PLANT_LANES_MAX];
	unsigned host_lanes;
	struct view_host_lane host[PLANT_LANES_MAX];
	bool coherent;			/* then what stands here is so: */
	struct plant_coherent line;
};

/* What a register of the module makes of a value: limits stand in its memory
 * in the same steps as readings.
 */
enum view_register { REGISTER_TEMP_C, REGISTER_VCC_V, REGISTER_LIGHT_DBM,
		     REGISTER_BIAS_MA };
double view_register(enum view_register which, double value);

/* The module of a cage; port: the number of the first that shares it. */
void module_view(const struct box *b, size_t port, struct module_view *ret);
