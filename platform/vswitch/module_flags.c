#include "platform/vswitch/module_flags.h"

#include <assert.h>
#include <stdio.h>

#include "platform/vswitch/out.h"

static const char *const tables[FLAG_TABLE_COUNT] = {
	[FLAGS_STATUS] = "TRANSCEIVER_STATUS_FLAG",
	[FLAGS_DOM] = "TRANSCEIVER_DOM_FLAG",
	[FLAGS_VDM_HALARM] = "TRANSCEIVER_VDM_HALARM_FLAG",
	[FLAGS_VDM_LALARM] = "TRANSCEIVER_VDM_LALARM_FLAG",
	[FLAGS_VDM_HWARN] = "TRANSCEIVER_VDM_HWARN_FLAG",
	[FLAGS_VDM_LWARN] = "TRANSCEIVER_VDM_LWARN_FLAG",
};

/* The table of a flag, and its related tables. */
enum aspect { FLAG_NOW, FLAG_CHANGES, FLAG_SET, FLAG_CLEARED, ASPECT_COUNT };

static const char *const suffixes[ASPECT_COUNT] = {
	[FLAG_NOW] = "",
	[FLAG_CHANGES] = "_CHANGE_COUNT",
	[FLAG_SET] = "_SET_TIME",
	[FLAG_CLEARED] = "_CLEAR_TIME",
};

#define TABLE_LEN 64
#define FIELD_LEN 48

static void table_name(const char *table, enum aspect aspect,
		       char ret[TABLE_LEN])
{
	(void)snprintf(ret, TABLE_LEN, "%s%s", table, suffixes[aspect]);
}

void flags_begin(struct flag_row *r, struct flag_set *set,
		 enum flag_table table, const char *port, struct out *out)
{
	r->name = tables[table];
	r->port = port;
	r->out = out;
	r->flag = set->flag[table];
	r->is_posted = &set->is_posted[table];
	r->count = 0;
	r->changed = !*r->is_posted;
}

void flags_put(struct flag_row *r, const char *form, unsigned number,
	       bool is_set)
{
	unsigned i = r->count++;
	struct flag *f = &r->flag[i];

	assert(i < FLAGS_MAX);
	r->form[i] = form;
	r->number[i] = (uint8_t)number;
	r->is_new[i] = !*r->is_posted || f->is_set != is_set;
	if (f->is_set == is_set)
		return;
	f->is_set = is_set;
	f->changes++;
	*(is_set ? &f->set_s : &f->clear_s) = r->out->now_s;
	r->changed = true;
}

static void field_write(const struct flag_row *r, unsigned i,
			enum aspect aspect)
{
	struct out *out = r->out;
	const struct flag *f = &r->flag[i];
	char field[FIELD_LEN];

	out_numbered(r->form[i], r->number[i], field, sizeof(field));
	switch (aspect) {
	case FLAG_CHANGES:
		out_u64(out, field, f->changes);
		break;
	case FLAG_SET:
		out_time(out, field, f->set_s);
		break;
	case FLAG_CLEARED:
		out_time(out, field, f->clear_s);
		break;
	default:
		out_bool(out, field, f->is_set);
		break;
	}
}

/* Only the flags themselves have the time of the reading. */
void flags_end(struct flag_row *r)
{
	struct out *out = r->out;
	unsigned aspects = r->changed ? ASPECT_COUNT : FLAG_NOW + 1;
	char table[TABLE_LEN];

	for (unsigned a = 0; a < aspects; a++) {
		table_name(r->name, (enum aspect)a, table);
		out_row(out, STATE_DB, table, r->port);
		for (unsigned i = 0; i < r->count && r->changed; i++)
			if (r->is_new[i])
				field_write(r, i, (enum aspect)a);
		if (a == FLAG_NOW)
			out_updated(out);
		out_row_end(out);
	}
	*r->is_posted = true;
}

void flags_delete(struct out *out, const char *port)
{
	char table[TABLE_LEN];

	for (unsigned t = 0; t < FLAG_TABLE_COUNT; t++)
		for (unsigned a = 0; a < ASPECT_COUNT; a++) {
			table_name(tables[t], (enum aspect)a, table);
			out_delete(out, STATE_DB, table, port);
		}
}
