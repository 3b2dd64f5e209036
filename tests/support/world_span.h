/* What tests of plants ask of a world: an hour of 32 ports, and what a port
 * told in it against what is true.
 */
#pragma once

#include "tests/judge/world.h"

#define WORLD_SECOND_NS 1000000000ll
#define WORLD_HOUR_NS (3600 * WORLD_SECOND_NS)

struct world_case world_hour(uint64_t seed, enum world_mix mix);
/* Plant B, opened; it asserts. */
struct world *world_opened(const struct world_case *c);
double world_codewords_per_s(const struct world_port *p);

/* What one port told between two of its readings: since it began anew, if it
 * did.
 */
struct world_span {
	struct world_reading first, last;
	bool has_first, is_broken;
	double ber_sum, loss_sum;
	unsigned ticks;
};

/* Plays the world to its end. The spans of all ports must be zeros. */
void world_span_play(struct world *w, unsigned ports, struct world_span *spans);
