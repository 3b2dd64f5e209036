/* The ages of a source's read groups. What is read together is of one age, so
 * each age is kept once, with the number of groups that have it.
 */
#pragma once

#include <stdint.h>
#include "petrel/sample.h"

/* Of a group that was never read: taken INT64_MIN. */
#define AGE_NEVER 0u

/* What a rate needs beside an age. */
struct age_step {
	uint32_t interval;		/* span_of(): since the reading before;
					 * 0: none */
	uint32_t previous_uncertainty;	/* the same */
};

struct ages {
	uint32_t cap, used;		/* places; those ever taken */
	uint32_t free;			/* the first that is free again; 0 */
	uint32_t recent;		/* the last that was taken */
	struct group_age *age;
	struct age_step *step;		/* of a free place: the next one */
	uint32_t *users;		/* groups; 0: free */
};

/* Makes AGE_NEVER. a is zero. Returns -ENOMEM; ages_fini() all the same. */
int ages_init(struct ages *a);
/* Releases the memory. */
void ages_fini(struct ages *a);

/* The place of such an age, for one more group. Returns -ENOMEM. */
int ages_take(struct ages *a, const struct group_age *age,
	      const struct age_step *step, uint32_t *ret);
/* A group has it no more. */
void ages_release(struct ages *a, uint32_t which);
