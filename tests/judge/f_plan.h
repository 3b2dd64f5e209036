/* What befalls which port, and when; and what is true of it. */
#pragma once

struct world;

/* All events of the case, with their truths but for what comes of them. */
void f_plan_fill(struct world *w);
