/* What a collector says to an agent, by a rule for each kind of frame: what it
 * does to the session (session.h).
 */
#pragma once

#include "petrel/clock.h"
#include "petrel/cursor.h"
#include "petrel/wire.h"

struct push;

/* One frame, opened, of the session's version. What is late, of a session that
 * is over, is passed over.
 */
void response_take(struct push *p, const struct envelope *e,
		   struct cursor *body, struct mono now);
