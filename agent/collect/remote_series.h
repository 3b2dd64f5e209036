/* The series that a run makes of an engine: what each is called, when it was
 * sent last, and whether a value has to go. An unchanged value goes every
 * REMOTE_REPEAT_MS; what is gone, or is not good any more, ends with a mark.
 * Bounded: above max_series of a run values are held back, and a series of its
 * own says how many: petrel_series_held_back. What findings and margins need
 * goes first, thresholds and flags last: they end when there is no room.
 */
#pragma once

#include <stdint.h>
#include "agent/collect/known.h"
#include "agent/collect/remote_batch.h"

#define REMOTE_REPEAT_MS 60000

struct remote_series;

/* Of one run. */
int remote_series_new(uint32_t max_series, struct remote_series **ret);
void remote_series_free(struct remote_series *s);

/* Adds to the batch what has to go of a column. names: who its entities are,
 * and its clock: samples before its first reading are held back. to NULL: it
 * is only noted, as if it had gone. Returns -ENOMEM.
 */
int remote_series_column(struct remote_series *s, struct known_run *names,
			 const struct decoded_column *c,
			 struct remote_batch *to);
/* Its dictionary has changed: what is gone, or called otherwise, ends. */
int remote_series_renamed(struct remote_series *s, struct known_run *names,
			  struct remote_batch *to);

/* Values that were held back, since the start. */
uint64_t remote_series_held_back(const struct remote_series *s);
