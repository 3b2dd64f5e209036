/* One case from its opening to its rows: the plant is played to the engine, to
 * its peers and to the oracle, and what they said is held against what is true.
 */
#pragma once

#include <stdbool.h>
#include "tests/judge/rows.h"
#include "tests/judge/world.h"

struct trial;

struct trial_options {
	unsigned without;	/* bits of enum feed_without */
	bool peers, oracle;	/* beside the engine */
	bool engine;		/* false: to see what the rest costs */
};

/* Memory for cases, one after another. Returns -ENOMEM. */
int trial_new(const struct trial_options *options, struct trial **ret);
/* NULL is allowed. */
void trial_free(struct trial *t);

/* Plays a case, and adds its rows. plant: its number, for the rows.
 * Returns what the plant's open() does, or -ENOMEM.
 */
int trial_run(struct trial *t, unsigned plant, const struct plant_model *model,
	      const struct world_case *c, struct rows *rows);

/* The engine and its peers. */
unsigned trial_tellers(void);
