/* How often readings of a module come, which did not, and which cannot be true:
 * a bit for each of the last ones.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/signature/front.h"
#include "agent/signature/inputs.h"

struct kept;

#define LAST_KEPT 120u

/* The newest is bit 0 of the first. */
struct last {
	uint64_t bits[2];
	uint8_t count;			/* at most LAST_KEPT */
};

struct cadence {
	struct last missed;		/* of those that should have come */
	struct last bad;		/* of those that came: cannot be true */
	uint32_t refused;		/* of the front end, so far */
	bool unsound;			/* bad too often to trust any */
	float usual_s;			/* between two */
	uint8_t gaps;			/* from which that is known */
	uint16_t told;			/* missed since the last one, so far */
	float others_s;			/* most modules were silent as long */
	struct mono came;		/* the last one was taken; ns 0: none */
};

#define BAD_LEAST 6u		/* of the last: a fault, no accident */
#define BAD_OVER 2u		/* fewer: over */

void last_add(struct last *l, bool bit);
unsigned last_set(const struct last *l);

/* A look at the port. age_ns: how old the last readings of most modules are:
 * they come when a source gets round to them.
 */
void cadence_take(struct cadence *c, const struct front *f,
		  const struct inputs *k, int64_t age_ns);
/* Share of those that should have come. */
float cadence_missed(const struct cadence *c);

/* What of it lasts (kept.h). */
extern const struct kept cadence_kept, last_kept;
