/* Flags of a module as xcvrd keeps them: the flag's table, and tables of how
 * often each changed, when it was last set and last cleared.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define FLAGS_MAX 320			/* of one table */

enum flag_table { FLAGS_STATUS, FLAGS_DOM, FLAGS_VDM_HALARM, FLAGS_VDM_LALARM,
		  FLAGS_VDM_HWARN, FLAGS_VDM_LWARN, FLAG_TABLE_COUNT };

struct flag {
	bool is_set;
	uint32_t changes;
	int64_t set_s, clear_s;		/* 0: never */
};

/* All flags of a module. Zeroed, it is a module just plugged in. */
struct flag_set {
	struct flag flag[FLAG_TABLE_COUNT][FLAGS_MAX];
	bool is_posted[FLAG_TABLE_COUNT];	/* of changes and times */
};

struct out;

/* One table of one module while it is written: its present flags, and which of
 * them differ from those already there.
 */
struct flag_row {
	const char *name;		/* the table's */
	const char *port;
	struct flag *flag;
	bool *is_posted;
	struct out *out;
	unsigned count;
	bool changed;			/* any of them */
	bool is_new[FLAGS_MAX];
	const char *form[FLAGS_MAX];	/* the field's name, # the number */
	uint8_t number[FLAGS_MAX];
};

/* Begins a table of a port; the order of the fields must always be the same. */
void flags_begin(struct flag_row *r, struct flag_set *set,
		 enum flag_table table, const char *port, struct out *out);
/* One flag; a # in the field's name, which must outlive the row, is replaced by
 * the number.
 */
void flags_put(struct flag_row *r, const char *form, unsigned number,
	       bool is_set);
/* Writes the flags that changed, or all of them the first time, and their
 * changes and times.
 */
void flags_end(struct flag_row *r);

/* Deletes all tables for a port. */
void flags_delete(struct out *out, const char *port);
