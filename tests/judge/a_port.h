/* The ports of a case as they are plugged: media, cages, groups, zones, peers,
 * limits, heat.
 */
#pragma once

#include <stdint.h>
#include "tests/judge/a_heat.h"
#include "tests/judge/a_link.h"
#include "tests/judge/world.h"

/* What a port is, a bit each. */
enum {
	A_OPTICAL = 1, A_COPPER = 2, A_MODULE = 4, A_LANES = 8, A_FEC = 16,
	A_COHERENT = 32, A_CONNECTOR = 64, A_HOST_CODE_LIGHT = 128,
	A_STEEP = 256,			/* heat makes errors, by the slope */
};

struct a_port {
	struct world_port facts;
	struct a_link link;
	struct a_heat heat;
	unsigned number;
	unsigned is;
	uint64_t group, zone, cage, peer;	/* ports of each, itself too */
	uint64_t key;
	bool has_bins, has_reason, has_lane_ber;
	double temp_step_c;		/* of its monitor */
};

/* Fills ports ports. eye is borrowed for ever. */
void a_ports_draw(const struct world_case *c, const struct a_eye *eye,
		  struct a_port *port);

/* The module's heat above the mean of the room, without chance. */
double a_port_heat_k(const struct a_port *p, const struct a_room *room,
		     double room_now_c, const struct a_stress *s, double t_s);
