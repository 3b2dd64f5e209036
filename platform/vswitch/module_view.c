#include "platform/vswitch/module_view.h"

#include <math.h>
#include <string.h>

#include "platform/vswitch/box.h"

#define ALL_ONES 65535.0
#define MOST (ALL_ONES - 1)	/* all ones are no reading */
#define LIGHT_PER_MW 10000.0
#define BIAS_PER_MA 500.0
#define VCC_PER_V 10000.0
#define TEMP_PER_C 256.0

static double steps(double value, double per_unit)
{
	return fmin(fmax(round(value * per_unit), 0), MOST) / per_unit;
}

double view_register(enum view_register which, double value)
{
	switch (which) {
	case REGISTER_TEMP_C:
		return round(value * TEMP_PER_C) / TEMP_PER_C;
	case REGISTER_VCC_V:
		return steps(value, VCC_PER_V);
	case REGISTER_LIGHT_DBM:
		return 10 * log10(steps(pow(10, value / 10), LIGHT_PER_MW));
	case REGISTER_BIAS_MA:
		return steps(value, BIAS_PER_MA);
	}
	return value;
}

static void lane_view(const struct box_port *p, unsigned lane,
		      struct view_lane *ret)
{
	const struct plant_lane *l = &p->now.lane[lane];
	bool sound = p->now.dom_readable;

	*ret = (struct view_lane){
		.rx_mw = sound ? steps(l->rx_mw, LIGHT_PER_MW) :
				 ALL_ONES / LIGHT_PER_MW,
		.tx_mw = sound ? steps(l->tx_mw, LIGHT_PER_MW) :
				 ALL_ONES / LIGHT_PER_MW,
		.bias_ma = sound ? steps(l->bias_ma, BIAS_PER_MA) :
				   ALL_ONES / BIAS_PER_MA,
		.ber = l->pre_fec_ber,
		.snr_db = l->snr_db,
		.rx_los = l->rx_los,
		.tx_fault = l->tx_fault,
		.disabled = !p->now.admin_up,
	};
}

/* The lanes of one port: of its light, and those behind which it stands. */
static void port_view(const struct box_port *p, struct module_view *ret)
{
	unsigned lit = ret->lanes;

	for (unsigned l = 0; l < p->facts.media_lanes &&
	     ret->lanes < PLANT_LANES_MAX; l++)
		lane_view(p, l, &ret->lane[ret->lanes++]);
	for (unsigned l = 0; l < p->facts.lanes &&
	     ret->host_lanes < PLANT_LANES_MAX; l++) {
		unsigned light = l < p->facts.media_lanes ? l : 0;

		ret->host[ret->host_lanes++] = (struct view_host_lane){
			.up = p->now.admin_up && p->now.present,
			.dark = ret->lane[lit + light].rx_los,
		};
	}
}

void module_view(const struct box *b, size_t port, struct module_view *ret)
{
	const struct box_port *first = &b->port[port];
	const struct plant_port *now = &first->now;

	memset(ret, 0, sizeof(*ret));
	ret->port = first;
	ret->temp_c = round(now->temp_c * TEMP_PER_C) / TEMP_PER_C;
	ret->laser_temp_c = round(now->laser_temp_c * TEMP_PER_C) / TEMP_PER_C;
	ret->vcc_v = steps(now->vcc_v, VCC_PER_V);
	if (!now->dom_readable) {
		ret->temp_c = ret->laser_temp_c = -1 / TEMP_PER_C;
		ret->vcc_v = ALL_ONES / VCC_PER_V;
	}
	for (size_t i = 0; i < first->cage_ports; i++)
		port_view(&first[i], ret);
	ret->coherent = first->facts.coherent &&
			plant_coherent(b->plant, port, &ret->line);
}
