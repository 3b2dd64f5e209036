/* The switches as the source of answers: identity, inventory and findings from
 * the database, over a read-only connection of its own, and the newest values
 * from memory. One thread uses it.
 */
#pragma once

#include <stdint.h>
#include "agent/collect/known.h"
#include "agent/collect/rollup_file.h"
#include "agent/collect/statement.h"
#include "agent/query/query.h"
#include "agent/query/recorded.h"
#include "petrel/diag.h"
#include "petrel/finding.h"
#include "petrel/wire.h"

#define FABRIC_SWITCHES_MAX 20000u

struct fabric;

struct fabric_switch {
	int64_t row;			/* of the database */
	char switch_id[SWITCH_NAME_MAX], name[SWITCH_NAME_MAX];
	char version[64];		/* of its agent */
	/* Its name when listed beside others, with its id if two have that
	 * name.
	 */
	char shown[2 * SWITCH_NAME_MAX + 2];
};

/* A switch with all that is known of it. */
struct fabric_view {
	struct query_context ctx;
	struct recorded recorded;
};

/* What fabric_findings() passes on: an open finding of a switch. */
typedef void fabric_finding_fn(void *context, const struct fabric_switch *s,
			       const struct finding *f);

/* Opens the database, which must exist. known is the caller's. Returns -EIO
 * with d.
 */
int fabric_open(const char *database, const struct known *known,
		struct fabric **ret, struct diag *d);
/* f may be NULL. */
void fabric_close(struct fabric *f);

/* All switches, by name. Borrowed until the next call. Returns how many, or
 * -EIO with d.
 */
int fabric_switches(struct fabric *f, const struct fabric_switch **ret,
		    struct diag *d);
/* Finds a name or an id in that list. Returns -ENOENT, or -EEXIST: two have
 * that name; both with d.
 */
int fabric_find(const struct fabric *f, const char *name,
		const struct fabric_switch **ret, struct diag *d);

/* Reads a switch; recorded_fini() releases it. Returns -ENODATA (nothing is
 * known of it), -EIO, -ENOMEM, with d.
 */
int fabric_view_make(struct fabric *f, const struct fabric_switch *s,
		     struct fabric_view *ret, struct diag *d);

/* The sum of a newest value over all switches; -1: none has it. */
int64_t fabric_sum(const struct fabric *f, const struct fabric_switch *list,
		   int count, uint16_t quantity, uint16_t index);

/* Each open finding of one switch, or of the whole list if s is NULL. */
int fabric_findings(struct fabric *f, const struct fabric_switch *s,
		    fabric_finding_fn *fn, void *context, struct diag *d);

/* What the database is asked, of a switch by its row. FABRIC_SITE, what it says
 * of itself: id, platform, hwsku, rack. FABRIC_PORTS: name, alias, cage, media,
 * peer's switch and port of each. FABRIC_MODULES: port, cage, vendor, part,
 * revision, serial, firmware, form factor of each; texts, empty if the switch
 * does not say. FABRIC_EVENTS, since a time, the last so many, oldest first:
 * the wall time by its run's clock in ns, what, value, text, subject.
 * FABRIC_CAPSULES, of a finding's id: each part's payload.
 */
enum fabric_ask {
	FABRIC_SITE, FABRIC_PORTS, FABRIC_MODULES, FABRIC_SWITCHES, FABRIC_RUN,
	FABRIC_LAST_RUN, FABRIC_ENTITIES, FABRIC_SOURCES, FABRIC_FINDINGS,
	FABRIC_EVENTS, FABRIC_CAPSULES, FABRIC_ASKS,
};
/* Borrowed, both; no roll-ups: NULL. */
struct statement_set *fabric_asks(const struct fabric *f);
struct rollup_file *fabric_rollups(const struct fabric *f);
