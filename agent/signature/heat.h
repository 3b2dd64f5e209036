/* How much warmer a module is than usual. Learns while the link is up, hardly
 * while the module is much warmer than most, and not while its errors are part
 * of an open finding.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include "agent/signature/front.h"
#include "agent/signature/port.h"

struct kept;

struct heat {
	float usual_c, now_c;
	float var;			/* of the temperature, K² */
	float learned_s;
	struct mono t;			/* of the last reading; ns 0: none */
	struct mono warm_since;		/* much above usual; ns 0: it is not */
};

void heat_start(struct heat *h);
/* A reading. most_k: how far most modules of the switch are above usual, NAN:
 * not known; frozen: nothing is learned.
 */
void heat_take(struct heat *h, const struct front *f, float most_k,
	       bool frozen);

#define HEAT_LEARNED_LEAST_S 900.0f
#define HEAT_OLD_NS (600 * NS_PER_S)	/* a reading is no longer used */

/* Kelvin above usual; NAN while that is not known, or the link is down. */
static inline float heat_above(const struct heat *h, const struct front *f)
{
	if (h->learned_s < HEAT_LEARNED_LEAST_S || f->link != LINK_IS_UP ||
	    mono_diff_ns(f->t, h->t) > HEAT_OLD_NS)
		return NAN;
	return h->now_c - h->usual_c;
}

/* How much its temperature varies from hour to hour, K, one sd. */
static inline float heat_sd(const struct heat *h)
{
	return sqrtf(h->var);
}

#define HEAT_NEAR_C 2	/* below its limit: it is not well below */
#define HEAT_LIMIT_LEAST_MC 40000	/* less is a filler: modules are made
					 * for 70 to 85 degrees */

/* The module's own high alarm (CMIS 8.9, SFF-8636 6.7), degrees; INFINITY where
 * it is not known, or a filler.
 */
static inline float heat_limit_c(const struct port_facts *facts)
{
	int64_t limit_mc = facts->thresholds.temp_mc[HIGH_ALARM];

	return facts->thresholds.known && limit_mc >= HEAT_LIMIT_LEAST_MC ?
	       (float)limit_mc / 1000 : INFINITY;
}

/* What is kept over a restart (kept.h). */
extern const struct kept heat_kept;
