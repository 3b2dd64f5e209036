/* The series of a run at an engine: the labels of each, when it was sent last,
 * and whether a value must be sent. An unchanged value is sent every
 * REMOTE_REPEAT_MS; a series that is gone or has no good value ends with a
 * marker. Bounded: above max_series of a run values are held back; the series
 * petrel_series_held_back says how many. Inputs of findings and margins go
 * first, thresholds and flags last: they end when there is no room.
 */
#pragma once

#include <stdint.h>
#include "agent/collect/known.h"
#include "agent/collect/remote_batch.h"

#define REMOTE_REPEAT_MS 60000

struct remote_series;

/* For one run. */
int remote_series_new(uint32_t max_series, struct remote_series **ret);
void remote_series_free(struct remote_series *s);

/* Adds to the batch the values of a column that must be sent. names: the run's
 * entities and clock: samples before its first reading are held back. to NULL:
 * only recorded, as if sent. Returns -ENOMEM.
 */
int remote_series_column(struct remote_series *s, struct known_run *names,
			 const struct decoded_column *c,
			 struct remote_batch *to);
/* Its dictionary has changed: ends series that are gone or renamed. */
int remote_series_renamed(struct remote_series *s, struct known_run *names,
			  struct remote_batch *to);

/* Values that were held back, since the start. */
uint64_t remote_series_held_back(const struct remote_series *s);
