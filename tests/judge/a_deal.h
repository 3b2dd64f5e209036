/* Who is struck by what, and when: all drawn from the case. */
#pragma once

#include <stddef.h>
#include "tests/judge/a_kind.h"

struct a_hand {
	struct a_deed *deed;		/* owned; by onset */
	size_t count, room;
};

/* Returns -ENOMEM. */
int a_deal(const struct world_case *c, const struct a_port *port,
	   struct a_hand *ret);
void a_hand_fini(struct a_hand *h);
