/* One tick: links fall and return, counters count, what was done is told. */
#pragma once

struct world;

void g_tick(struct world *w);
