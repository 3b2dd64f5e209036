/* The finding switch_silent (C8), which the collector itself makes: raised when
 * a switch has been silent for a while, cleared when it is heard. Each change
 * is a record in the spool, in an entry of the collector's own; so is the end
 * of each finding of a switch that is no longer expected, for which nobody else
 * would end it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "agent/collect/standing.h"
#include "petrel/clock.h"

struct silence;

struct silence_env {
	const char *database;	/* findings open before the start */
	uint64_t run;		/* of the collector's records */
	int64_t silent_ns;
	void *context;
	/* Puts an entry into the spool; 0 or a negative errno. */
	int (*append)(void *context, const void *entry, size_t len);
	standing_expected_fn *is_expected;
	/* Its findings were ended: if it comes back, it must tell them again.
	 */
	void (*ended)(void *context, const char *switch_id);
};

/* env is copied; what it points to must live as long. Returns -ENOMEM. */
int silence_new(const struct silence_env *env, struct clock_reading now,
		struct silence **ret);
/* s may be NULL. */
void silence_free(struct silence *s);

/* The collector itself accepts nothing, or stood still: no switch is silent
 * until all have had the time to come back.
 */
void silence_hold(struct silence *s, struct mono now);

/* Judges each switch, in the order of their ids; the first time that one may be
 * silent, findings open before the start are taken over. If a switch is not in
 * the list, its finding ends; if it is not expected either, all its findings.
 * Retries what cannot be appended.
 */
void silence_judge(struct silence *s, const struct standing_switch *list,
		   size_t count, const struct clock_reading *now);
