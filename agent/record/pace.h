/* Which readings are recorded: for a class of quantities (quantity.h) that has
 * a pace, the first reading of each series in each span of that length; the
 * others are not. Always recorded are changes of flags and of static values,
 * readings that are not good, peaks (each stands only for its window) and all
 * readings of a reference batch.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/record/columns.h"
#include "petrel/quantity.h"

struct pace {
	int64_t span_ns[CLASS_COUNT];	/* 0: every reading */
	int64_t span[CLASS_COUNT];	/* number of the present one */
	bool is_on, begins[CLASS_COUNT];
	struct mono now;
	uint64_t *told;		/* of the span: bits of rows, as is_new */
	uint64_t *wanted;	/* of one column */
	uint32_t told_at;	/* of the next column */
	uint32_t told_max, wanted_max;	/* words */
};

/* Returns -ENOMEM. */
int pace_init(struct pace *p, uint32_t columns, uint32_t slots);
/* Releases what it holds. */
void pace_fini(struct pace *p);

/* A batch begins. */
void pace_begin(struct pace *p, struct mono now);
/* The next column of the batch, in which only the rows to be recorded are new;
 * *room is for it.
 */
const struct sample_column *pace_column(struct pace *p,
					const struct columns *known,
					const struct column_memory *m,
					const struct sample_column *c,
					uint32_t tick, bool is_reference,
					struct sample_column *room);
