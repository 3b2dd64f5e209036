/* Handles a collector's frames to an agent, by a rule for each kind: the effect
 * on the session (session.h).
 */
#pragma once

#include "petrel/clock.h"
#include "petrel/cursor.h"
#include "petrel/wire.h"

struct push;

/* One frame, opened, of the session's version. Ignores late ones, of an earlier
 * session.
 */
void response_take(struct push *p, const struct envelope *e,
		   struct cursor *body, struct mono now);
