/* What is true of a happening: when it is felt, when codewords are lost. */
#pragma once

struct world;

/* Fills the truth of the plan's row. The whole plan must stand. */
void b_truth_tell(struct world *w, unsigned index);
