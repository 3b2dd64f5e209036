/* The traffic of a port, and what its queues do with it. */
#pragma once

#include <stdint.h>
#include "petrel/plant.h"
#include "platform/sim/draw.h"
#include "platform/sim/stress.h"
#include "platform/sim/values.h"

/* How a port is used; drawn once. */
struct traffic {
	struct range load;
	double phase_s;			/* length of a phase of load */
	uint64_t key;
	uint64_t speed_bps, buffer_octets;
	unsigned queues;
	double in_frame_octets, out_frame_octets;	/* on average */
	double in_size_share[PLANT_SIZE_BINS], out_size_share[PLANT_SIZE_BINS];
	double queue_share[PLANT_QUEUES_MAX];
};

enum direction { DIRECTION_IN, DIRECTION_OUT };

/* Draws how a port is used; phase_s: how long a level of load lasts. */
void traffic_draw(struct traffic *t, const struct range *load, double phase_s,
		  uint64_t speed_bps, unsigned queues, uint64_t key);

/* Share of the line rate at a time; smooth except for a step at each phase. */
double traffic_load(const struct traffic *t, enum direction way,
		    const struct stress *s, double t_s);

/* Adds the traffic of dt_s to the port's counters. lost_in: frames lost to
 * uncorrectable codewords.
 */
void traffic_step(const struct traffic *t, const struct stress *s, double t_s,
		  double dt_s, uint64_t lost_in, struct draw *d,
		  struct plant_port *port);

/* No traffic: queues are empty. */
void traffic_idle(const struct traffic *t, struct plant_port *port);
