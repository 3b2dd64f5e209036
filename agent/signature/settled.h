/* A level of errors that no longer moves: once it has done no harm for three
 * days it is the port's normal level, and the one before is kept beside it.
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
	float place;		/* that level, log10 */
	float mean;		/* of the last hour or so */
	float before;		/* normal before it was accepted; NAN: it was
				 * not accepted */
	bool told;		/* the baseline has the new level */
};

/* Nothing was seen. */
void settled_start(struct settled *s);

/* A window. band: decades that it may wander; calm: it does no harm, and no
 * cliff is foreseeable. Revokes the acceptance when the level falls back.
 */
void settled_take(struct settled *s, double level, double band, bool calm,
		  struct mono t);

/* It has been so for long enough. */
bool settled_is_old(const struct settled *s);
/* Accepts the level as normal from now on; normal: the one until now. */
void settled_accept(struct settled *s, double normal);
/* A level was accepted, and is still there. */
static inline bool settled_stands(const struct settled *s)
{
	return s->before == s->before;		/* no NAN */
}

/* True once after each change of the normal level, with the new one. */
bool settled_tell(struct settled *s, double *ret_normal);

/* Writes the cause; why: what made the level rise. */
void settled_describe(const struct settled *s, const char *why,
		      struct finding *f);

/* What is kept over a restart (kept.h). */
extern const struct kept settled_kept;
