/* Which readings are recorded: of a class of quantities (quantity.h) that has a
 * pace, of each series the first one in each span of so long. What is between
 * is not recorded. A change of a flag or of what is static, a reading that is
 * not good, a peak (it stands for its window alone) and all that a reference
 * batch reads are recorded always.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/record/columns.h"
#include "petrel/quantity.h"

struct pace {
	int64_t span_ns[CLASS_COUNT];	/* 0: every reading */
	int64_t span[CLASS_COUNT];	/* the one under way, by number */
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
/* The next column of the batch, of which the rows that are to be recorded alone
 * are new; *room is for it.
 */
const struct sample_column *pace_column(struct pace *p,
					const struct columns *known,
					const struct column_memory *m,
					const struct sample_column *c,
					uint32_t tick, bool is_reference,
					struct sample_column *room);
