/* Looks back into the ring of samples. The records from one reference batch to
 * the next can be read without those before, so that workers share them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "agent/ctl/gather.h"
#include "agent/record/decode.h"
#include "petrel/clock.h"
#include "petrel/diag.h"

struct look_ring;

/* The ring in dir_fd. Returns a negative errno with d. */
int look_ring_new(int dir_fd, struct look_ring **ret, struct diag *d);
/* NULL is allowed. */
void look_ring_free(struct look_ring *l);

/* When its oldest and newest batch were made; ns 0: it has no batch. */
struct mono look_ring_first(const struct look_ring *l);
struct mono look_ring_last(const struct look_ring *l);

/* Gathers all values taken from a time on, and some from before it. The ids of
 * the series are in g, and in ids with one bit each. Returns -ENOMEM, -E2BIG.
 */
int look_ring_read(struct look_ring *l, struct mono from, struct gather *g,
		   const uint8_t *ids, uint32_t id_count);

/* Gives each column of those quantities, in the order of time, some more than
 * once. Returns -ENOMEM, or what fn returned.
 */
int look_ring_columns(struct look_ring *l, struct mono from,
		      const uint16_t *quantities, size_t n, decoded_fn *fn,
		      void *context);
