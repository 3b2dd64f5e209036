/* The modules and cables of the switch: of several kinds, makers and ages. */
#pragma once

struct world;

/* All ports, with what they share. */
void f_cages_fill(struct world *w);
