#include "platform/vswitch/module_view.h"

#include <math.h>
#include <string.h>

#include "platform/sim/eeprom.h"

#include "platform/vswitch/box.h"

#define ALL_ONES 65535.0
#define LIGHT_PER_MW 10000.0
#define BIAS_PER_MA 500.0
#define VCC_PER_V 10000.0
#define TEMP_PER_C 256.0

static double temp_of(double c)
{
	return round(c * TEMP_PER_C) / TEMP_PER_C;
}

double view_register(enum view_register which, double value)
{
	switch (which) {
	case REGISTER_TEMP_C:
		return temp_of(value);
	case REGISTER_VCC_V:
		return register_vcc(value) / VCC_PER_V;
	case REGISTER_LIGHT_DBM:
		return 10 * log10(register_light_dbm(value) / LIGHT_PER_MW);
	case REGISTER_BIAS_MA:
		return register_bias(value) / BIAS_PER_MA;
	}
	return value;
}

static void lane_view(const struct box_port *p, unsigned lane,
		      struct view_lane *ret)
{
	const struct plant_lane *l = &p->now.lane[lane];

	*ret = (struct view_lane){
		.rx_mw = register_light(l->rx_mw) / LIGHT_PER_MW,
		.tx_mw = register_light(l->tx_mw) / LIGHT_PER_MW,
		.bias_ma = register_bias(l->bias_ma) / BIAS_PER_MA,
		.ber = l->pre_fec_ber,
		.snr_db = l->snr_db,
		.rx_los = l->rx_los,
		.tx_fault = l->tx_fault,
		.disabled = !p->now.admin_up,
	};
	if (p->now.dom_readable)
		return;
	ret->rx_mw = ret->tx_mw = ALL_ONES / LIGHT_PER_MW;
	ret->bias_ma = ALL_ONES / BIAS_PER_MA;
}

/* The lanes of one port: optical ones, and the electrical ones before them. */
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
	ret->temp_c = temp_of(now->temp_c);
	ret->laser_temp_c = temp_of(now->laser_temp_c);
	ret->vcc_v = register_vcc(now->vcc_v) / VCC_PER_V;
	if (!now->dom_readable) {
		ret->temp_c = ret->laser_temp_c = -1 / TEMP_PER_C;
		ret->vcc_v = ALL_ONES / VCC_PER_V;
	}
	for (size_t i = 0; i < first->cage_ports; i++)
		port_view(&first[i], ret);
	ret->coherent = first->facts.coherent &&
			plant_coherent(b->plant, port, &ret->line);
}
