/* A cage with its module and ports, which move together: they share heat,
 * supply, bus and presence.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "petrel/plant.h"
#include "platform/sim/fibre.h"
#include "platform/sim/codewords.h"
#include "platform/sim/optics.h"
#include "platform/sim/scenario.h"
#include "platform/sim/thermal.h"
#include "platform/sim/traffic.h"

/* One step of the physics, the same for all cages. */
struct step {
	int64_t now_ns, before_ns;	/* before_ns below 0 in the first */
	double pace;			/* its seconds per clock second */
	double room_c;
	const struct planted *const *fault;	/* those that are active */
	size_t fault_count;
};

struct cage_port {
	size_t number;			/* of the port, from 0 */
	const struct scenario_port *facts;
	const struct code *code;	/* NULL: no Reed-Solomon FEC */
	struct traffic traffic;
	struct stress stress;		/* of the last step */
	uint64_t counter_mask;
	int64_t train_until_ns;
	struct plant_lane lane[PLANT_LANES_MAX];	/* now */
	struct plant_port shown;	/* the result of plant_port() */
};

struct plant_cage {
	const struct scenario *scenario;
	size_t number;			/* from 0 */
	unsigned swaps;			/* number of earlier modules */
	char serial[17];
	struct optic optic;
	struct fibre coherent;	/* of a coherent module */
	struct warmth warmth;
	double temp_c, vcc_v;
	size_t port_count;
	struct cage_port *port;		/* the plant's; port_count of them */
};

/* Ties cage number to its ports, which begin at ports[0]. */
void plant_cage_init(struct plant_cage *c, const struct scenario *s,
		     size_t number, struct cage_port *ports, size_t port_count);

/* Moves the module and its ports by one step. */
void plant_cage_step(struct plant_cage *c, const struct step *st);
