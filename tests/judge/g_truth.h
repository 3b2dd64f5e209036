/* What comes of the plan: when effects and cliffs will be. */
#pragma once

struct world;

/* Fills effect_ns, cliff_ns and cliff_later_ns of all truths. */
void g_truth_fill(struct world *w);
