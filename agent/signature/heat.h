/* How much warmer a module is than usual. Learns while the link is up, hardly
 * while the module is much warmer than most, and not while its errors are part
 * of an open finding.
 */
#pragma once

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
/* Kelvin above usual; NAN while that is not known, or the link is down. */
float heat_above(const struct heat *h, const struct front *f);
/* How much its temperature varies from hour to hour, K, one sd. */
float heat_sd(const struct heat *h);

#define HEAT_NEAR_C 2	/* below its limit: it is not well below */

/* The module's own high alarm (CMIS 8.9, SFF-8636 6.7), degrees; INFINITY where
 * it is not known, or a filler.
 */
float heat_limit_c(const struct port_facts *facts);

/* What is kept over a restart (kept.h). */
extern const struct kept heat_kept;
