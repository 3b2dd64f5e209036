/* A script on a disk that may lose its power before each of its operations:
 * whatever may be found then is looked at, once.
 */
#pragma once

#include "agent/record/array.h"
#include "tests/support/sim_disk.h"

struct power {
	struct sim_disk *disk;	/* the script's */
	struct sim_disk *cut, *spare;
	uint64_t seed;
	unsigned variants;	/* of a cut, beside the plain ones */
	/* Is what is found now all that must be there? */
	bool (*is_right)(void *context, struct sim_disk *d);
	void *context;
	uint64_t states, violations;
	uint64_t faults;	/* that the script gave its disk */
	struct index_map seen;	/* hashes of states */
	/* With a sync left out, all is looked at from there on. */
	bool promises_nothing;	/* the script: what it syncs now */
	bool was_for_nothing;
};

/* Returns -ENOMEM. */
int power_init(struct power *p);
/* Frees what it holds. */
void power_fini(struct power *p);

/* An empty disk, and a script that follows from its seed. skipped: the sync
 * that does nothing, or SIM_DISK_NEVER.
 */
void power_begin(struct power *p, uint64_t seed, unsigned skipped);
/* A number by chance, of the script. */
uint64_t power_draw(struct power *p);
/* Looks at what may be found now; also called before each operation. */
void power_look(struct power *p);
/* True when the sync that was left out had nothing to do, or nothing is
 * promised behind it.
 */
bool power_is_idle(const struct power *p);
/* The power goes, and comes again; of what may be found one is. */
void power_cut(struct power *p);
