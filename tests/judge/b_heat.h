/* The air of the switch and the load of its jobs: functions of the moment. */
#pragma once

#include <stdint.h>

struct world;

void b_heat_build(struct world *w);
/* Share of its full load that the job asks for: near 0 between two phases. */
double b_heat_load(const struct world *w, int64_t t_ns);
/* How far the air of a zone is from its mean. */
double b_heat_air_k(const struct world *w, unsigned zone, int64_t t_ns);
/* Both, of this tick, into the world. */
void b_heat_step(struct world *w);
