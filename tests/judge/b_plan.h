/* Settles what befalls whom and when, before the first tick. */
#pragma once

struct world;

/* Fills plan and truth of a world whose ports are built. */
void b_plan(struct world *w);
