/* Who is struck by what, and when. */
#pragma once

struct world;

/* Draws all events of the case, and their truths without what comes of them. */
void g_plan_fill(struct world *w);
