/* What is true of a case: from the physics without chance. */
#pragma once

#include "tests/judge/a_deal.h"

/* One truth for each deed, in their order; the caller frees. Returns -ENOMEM.
 */
int a_truths_make(const struct world_case *c, const struct a_port *port,
		  const struct a_room *room, const struct a_hand *hand,
		  struct truth **ret);
