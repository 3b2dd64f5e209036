/* What can befall ports: a row for each kind of fault, of strange fault and of
 * benign change.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/finding.h"
#include "tests/judge/a_law.h"
#include "tests/judge/a_port.h"
#include "tests/judge/a_train.h"

enum a_scope { A_PORT, A_CAGE, A_PEER, A_GROUP, A_ZONE, A_SWITCH };

/* Which sensor of the box shows a fault of it: in detail. */
enum a_box_fault { A_BOX_NONE, A_BOX_FAN_DEAD, A_BOX_FAN_SLOW, A_BOX_AIR,
		   A_BOX_SUPPLY };

/* What a thing is drawn for. */
struct a_setting {
	const struct world_case *c;
	double length_s, tick_s;
	bool slow;			/* a reading a minute */
};

struct a_kind;

/* One thing that befalls. */
struct a_deed {
	const struct a_kind *kind;
	uint64_t ports;
	uint8_t lanes;			/* 0: all */
	int64_t onset_ns, end_ns;
	uint64_t key;
	double size, more;		/* as the kind takes them */
	struct a_growth growth;
	struct a_train train;
};

struct a_kind {
	const char *name;
	enum signature signature;
	enum fault_end end;
	enum action action;
	unsigned needs;			/* bits of struct a_port.is, all */
	enum a_scope scope;
	bool grows;			/* by a law */
	unsigned detail;		/* enum down_reason, a_box_fault */
	/* p: the first port that is struck. */
	void (*draw)(struct a_deed *d, const struct a_port *p,
		     const struct a_setting *s, struct draw *r);
	/* Adds what it does to a port in a stretch that it is part of. */
	void (*strike)(const struct a_deed *d, const struct a_port *p,
		       const struct a_stretch *t, struct a_stress *s);
};

/* Faults with a name in enum signature; rows of one stand together. */
const struct a_kind *a_faults(size_t *ret_count);
/* Faults without. */
const struct a_kind *a_stranges(size_t *ret_count);
/* Benign changes; those of a whole switch have its scope. */
const struct a_kind *a_benigns(size_t *ret_count);

/* Whether something of it lies in a stretch. */
bool a_deed_is_in(const struct a_deed *d, const struct a_stretch *t);
/* Seconds from the onset to the stretch's end, and to its begin. */
double a_deed_since_s(const struct a_deed *d, int64_t now_ns);
/* Whether it has ended at the end of the stretch. */
bool a_deed_is_over(const struct a_deed *d, const struct a_stretch *t);
/* A moment so long after the onset lies in the stretch. */
bool a_deed_is_moment(const struct a_deed *d, const struct a_stretch *t,
		      double after_s);
/* Ends it so long after its onset. */
void a_deed_last(struct a_deed *d, double seconds);

/* Another module in the cage after the gap of size seconds: faults and benign
 * changes have it alike.
 */
void a_swap_draw(struct a_deed *d, const struct a_port *p,
		 const struct a_setting *s, struct draw *r);
void a_swap_strike(const struct a_deed *d, const struct a_port *p,
		   const struct a_stretch *t, struct a_stress *s);
