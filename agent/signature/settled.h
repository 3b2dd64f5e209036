/* A level of errors that moves no more: once it has done no harm for three
 * days it is what its port has, and what was normal before is kept beside it.
 */
#pragma once

#include <stdbool.h>
#include "petrel/clock.h"

struct finding;
struct kept;

#define SETTLED_EVIDENCE "accepted_ber_log10"

struct settled {
	struct mono t;		/* of the newest window; ns 0: none yet */
	struct mono since;	/* it has been where it is, and calm */
	float place;		/* where that is, log10 */
	float mean;		/* of the last hour or so */
	float before;		/* normal until it was accepted; NAN: it was
				 * not */
	bool told;		/* no: the baseline does not have it yet */
};

/* Nothing was seen. */
void settled_start(struct settled *s);

/* A window. band: decades that it may wander; calm: it does no harm, and no
 * date of any is known. Ends what was accepted when the level falls back.
 */
void settled_take(struct settled *s, double level, double band, bool calm,
		  struct mono t);

/* It has been so for long enough. */
bool settled_is_old(const struct settled *s);
/* … and is what the port has from now on; normal: until now. */
void settled_accept(struct settled *s, double normal);
/* A level was accepted, and is still there. */
static inline bool settled_stands(const struct settled *s)
{
	return s->before == s->before;		/* no NAN */
}

/* What is to be normal now: true once after each change of it. */
bool settled_tell(struct settled *s, double *ret_normal);

/* Its cause, and why it came. */
void settled_describe(const struct settled *s, const char *why,
		      struct finding *f);

/* What of it lasts (kept.h). */
extern const struct kept settled_kept;
