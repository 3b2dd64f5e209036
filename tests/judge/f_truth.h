/* What comes of each event, computed before the case begins. */
#pragma once

struct world;

/* When the effects pass their marks, and when codewords begin to be lost. */
void f_truth_fill(struct world *w);
