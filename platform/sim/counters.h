/* All that counts up in a port's state, taken as one. */
#pragma once

#include <stdint.h>
#include "petrel/plant.h"

/* Every counter from 0 again. */
void counters_clear(struct plant_port *p);

/* Keeps the bits of mask: an ASIC with narrower counters. */
void counters_mask(struct plant_port *p, uint64_t mask);

/* Puts each counter that grew since before, in a step, to so far from its
 * wrap (mask) that it comes in about steps more.
 */
void counters_near_wrap(struct plant_port *p, const struct plant_port *before,
			uint64_t mask, double steps);
