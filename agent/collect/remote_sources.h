/* The freshness of the sources of a run, as its records show it, for an engine:
 * petrel_source_fresh, as the exporter of the switch has it. A source is fresh
 * while its newest value is not stale (state_stale_after_ns()); the dictionary
 * has its pace. Left out are Petrel's own, a source without a pace, one whose
 * values only change now and then, and one that has not given anything in this
 * run, of which the records do not say whether the switch has it. The database
 * keeps which ones gave something: one that hangs is told after a restart too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/collect/known.h"
#include "agent/collect/remote_batch.h"

struct remote_sources;

/* The quickest quantity that a source gave: how old it may be follows. */
struct remote_source_kept {
	const char *name;
	uint16_t quantity;
};

/* For one run. Returns -ENOMEM. */
int remote_sources_new(struct remote_sources **ret);
/* s may be NULL. */
void remote_sources_free(struct remote_sources *s);

/* A source by its number in the run; several numbers may have one name. Out of
 * memory it is left out.
 */
void remote_source_set(struct remote_sources *s, unsigned number,
		       const char *name, int64_t pace_ns);
/* What a source gave before this start, as the database has it. */
void remote_source_gave(struct remote_sources *s, const char *name,
			uint16_t quantity);
/* The next source, from *i on, of which the database lacks what it gave. False:
 * no more. The name is borrowed.
 */
bool remote_source_next(const struct remote_sources *s, size_t *i,
			struct remote_source_kept *ret);
/* The database has them all. */
void remote_sources_kept(struct remote_sources *s);
/* All sources of a dictionary. */
void remote_sources_take(struct remote_sources *s,
			 const Petrel__Dictionary *m);
/* The times of a column. */
void remote_sources_column(struct remote_sources *s,
			   const struct decoded_column *c);
/* After a batch: adds what has changed, and all of it each REMOTE_REPEAT_MS.
 * to NULL: only recorded, as if sent. Returns -ENOMEM.
 */
int remote_sources_tell(struct remote_sources *s, struct known_run *names,
			struct remote_batch *to);
