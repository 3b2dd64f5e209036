/* What the chip counts in a tick: codewords, frames, pauses, marks. */
#pragma once

struct world;
struct b_port;

void b_count_step(const struct world *w, struct b_port *p);
