/* Another module in the cage: what was learned of the old one is forgotten, and
 * its findings end. But the fibre is as it was: a finding of light that was
 * lost goes on, until the new module has read the light.
 */
#pragma once

#include "agent/signature/inside.h"

void swap_begin(struct engine *e, uint32_t port, struct mono now,
		struct wall wall);

/* The new module's first reading of the light was taken in: ends the finding
 * that went on, if light is back.
 */
void swap_compared(struct engine *e, uint32_t port, struct mono now,
		   struct wall wall);
