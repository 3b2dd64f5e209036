#include "platform/vswitch/flags.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "platform/vswitch/out.h"

static const char *const tables[FLAG_TABLE_COUNT] = {
	[FLAGS_STATUS] = "TRANSCEIVER_STATUS_FLAG",
	[FLAGS_DOM] = "TRANSCEIVER_DOM_FLAG",
	[FLAGS_VDM_HALARM] = "TRANSCEIVER_VDM_HALARM_FLAG",
	[FLAGS_VDM_LALARM] = "TRANSCEIVER_VDM_LALARM_FLAG",
	[FLAGS_VDM_HWARN] = "TRANSCEIVER_VDM_HWARN_FLAG",
	[FLAGS_VDM_LWARN] = "TRANSCEIVER_VDM_LWARN_FLAG",
};

enum past { PAST_COUNT, PAST_SET, PAST_CLEAR, PAST_COUNT_OF };

static const char *const pasts[PAST_COUNT_OF] = {
	[PAST_COUNT] = "CHANGE_COUNT",
	[PAST_SET] = "SET_TIME",
	[PAST_CLEAR] = "CLEAR_TIME",
};

void flags_begin(struct flag_row *r, struct flag_set *set,
		 enum flag_table table, const char *port, int64_t unix_s)
{
	r->name = tables[table];
	r->port = port;
	r->flag = set->flag[table];
	r->is_posted = &set->is_posted[table];
	r->unix_s = unix_s;
	r->count = 0;
	r->changed = !*r->is_posted;
}

void flags_put(struct flag_row *r, const char *field, unsigned number,
	       bool is_set)
{
	struct flag *f = &r->flag[r->count];
	size_t len = strcspn(field, "#");

	assert(r->count < FLAGS_MAX);
	if (field[len] == '#')
		(void)snprintf(r->field[r->count], sizeof(r->field[0]),
			       "%.*s%u%s", (int)len, field, number,
			       field + len + 1);
	else
		(void)snprintf(r->field[r->count], sizeof(r->field[0]), "%s",
			       field);
	r->count++;
	if (f->is_set == is_set)
		return;
	f->is_set = is_set;
	f->changes++;
	*(is_set ? &f->set_s : &f->clear_s) = r->unix_s;
	r->changed = true;
}

static void past_write(const struct flag_row *r, enum past which,
		       struct out *out)
{
	char table[64];

	(void)snprintf(table, sizeof(table), "%s_%s", r->name, pasts[which]);
	out_row(out, STATE_DB, table, r->port);
	for (unsigned i = 0; i < r->count; i++)
		if (which == PAST_COUNT)
			out_u64(out, r->field[i], r->flag[i].changes);
		else
			out_time(out, r->field[i], which == PAST_SET ?
				 r->flag[i].set_s : r->flag[i].clear_s);
	out_row_end(out);
}

void flags_end(struct flag_row *r, struct out *out)
{
	out_row(out, STATE_DB, r->name, r->port);
	for (unsigned i = 0; i < r->count; i++)
		out_bool(out, r->field[i], r->flag[i].is_set);
	out_time(out, "last_update_time", r->unix_s);
	out_row_end(out);
	for (unsigned i = 0; r->changed && i < PAST_COUNT_OF; i++)
		past_write(r, (enum past)i, out);
	*r->is_posted = true;
}

void flags_delete(struct out *out, const char *port)
{
	for (unsigned t = 0; t < FLAG_TABLE_COUNT; t++) {
		out_delete(out, STATE_DB, tables[t], port);
		for (unsigned i = 0; i < PAST_COUNT_OF; i++) {
			char table[64];

			(void)snprintf(table, sizeof(table), "%s_%s",
				       tables[t], pasts[i]);
			out_delete(out, STATE_DB, table, port);
		}
	}
}
