/* One tick of the world: heat, light, errors, and what counts them. */
#pragma once

struct world;

/* To w->now_s, which is a tick later than the last. */
void f_tick(struct world *w);

/* Bursts that would come in the long run, and what there is all the time: the
 * share of codewords that a port loses now.
 */
double f_tick_loss(const struct world *w, unsigned port);
