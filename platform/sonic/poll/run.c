#include "platform/sonic/poll/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/clean.h"
#include "platform/sonic/switchdb/map_names.h"

/* --- faults of a reading -------------------------------------------------- */

#define BARRED_MERGES (10 * OBJECT_KIND_COUNT)	/* ten readings of names */

void note_first(struct poll *p, const char *format, ...)
{
	va_list args;

	if (p->reason[0])
		return;
	va_start(args, format);
	(void)vsnprintf(p->reason, sizeof(p->reason), format, args);
	va_end(args);
}

void note_add(struct poll *p, const char *format, ...)
{
	size_t len = strlen(p->reason);
	const char *between = len ? "; " : "";
	char text[sizeof(p->reason)];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (len + strlen(between) + (size_t)n < sizeof(text))
		(void)snprintf(p->reason + len, sizeof(text) - len, "%s%s",
			       between, text);
}

bool note_unready(struct poll *p, enum database_name database, bool is_needed)
{
	struct diag d = { "" };

	if (channel_ready(&p->namespace->channel[database], p->asked, &d) == 0)
		return false;
	p->failed |= is_needed;
	note_first(p, "%.150s", d.text);
	return true;
}

/* Skips the row that exceeds all limits: it ends the connection, which all
 * other rows of its database use as well.
 */
static void note_oversize(struct poll *p, const struct run *r,
			  struct object *o)
{
	char name[OBJECT_NAME_MAX];

	o->barred = r->table;
	o->barred_until = r->namespace->topology.merges + BARRED_MERGES;
	clean_octets(name, sizeof(name), o->name, strlen(o->name));
	p->barred_until = o->barred_until;
	(void)snprintf(p->barred, sizeof(p->barred), "%s of %s is too large: "
		       "it is skipped for some minutes",
		       o->barred->name, name);
}

/* --- one table ------------------------------------------------------------ */

static struct poll *poll_of(const struct run *r)
{
	return &r->namespace->poll[r->table->source];
}

static struct row *row_of(const struct run *r)
{
	return &r->namespace->row[r->table->database];
}

static int run_name(struct redis_query *q, const char *text, size_t len,
		    unsigned position)
{
	struct run *r = q->context;

	return field_find(&r->index, text, len, position);
}

static void run_value(struct redis_query *q, int which, const char *text,
		      size_t len)
{
	const struct run *r = q->context;

	if ((unsigned)which < r->table->fields.count)
		row_take(row_of(r), &r->index,
			 (unsigned)which, text, len);
}

static void row_note(struct poll *p, const struct run *r,
		     const struct object *o, const struct reply *reply,
		     const struct row *row)
{
	const char *table = r->table->name;
	const char *name = o->name[0] ? o->name : "the switch";

	if (reply->kind != REPLY_ARRAY) {
		p->errors++;
		note_first(p, "%s of %s: %.80s", table, name,
			   reply_wrong(reply));
	} else if (row->bad > 0) {
		note_first(p, "%s of %s: %s is '%s', not a value",
			   table, name, row->bad_field->name, row->bad_text);
	}
}

/* Lists the objects of the table. False: no memory. */
static bool run_targets(struct run *r, const struct poll *p)
{
	const struct table *t = r->table;
	const struct topology *all = &r->namespace->topology;
	size_t kept = 0, count;

	if (!object_list_room(&r->targets, all->set[t->object].count))
		return false;
	count = topology_targets(all, t, r->targets.list, r->targets.cap);
	for (size_t i = 0; i < count; i++)
		if (!t->wanted || t->wanted(p, r->targets.list[i]))
			r->targets.list[kept++] = r->targets.list[i];
	r->targets.count = kept;
	return true;
}

/* The key after the separator. text: room to build one. */
static const char *run_key(const struct run *r, char separator,
			   const struct object *o,
			   char text[static OBJECT_NAME_MAX])
{
	const struct table *t = r->table;

	switch ((enum table_key)t->key) {
	case KEY_OID:
		(void)snprintf(text, OBJECT_NAME_MAX, "oid:0x%llx",
			       (unsigned long long)o->oid);
		return text;
	case KEY_INDEX:
		if (o->port->cage)
			(void)snprintf(text, OBJECT_NAME_MAX, "%u",
				       (unsigned)o->port->cage->number);
		return text;
	case KEY_DIGITS:
		return o->name + strcspn(o->name, "0123456789");
	case KEY_ROW:
		return t->row;
	case KEY_PARTS:
		memcpy(text, o->name, sizeof(o->name));
		text[strcspn(text, "|:")] = separator;
		return text;
	case KEY_NAME:
	case KEY_SLOT:
	case KEY_FIXED:
		break;
	}
	return map_names_full(r->namespace, o->name);
}

/* Reads a row: HGETALL, or HMGET of the table's fields. */
static void row_ask(struct commands *c, const struct table *t, char separator,
		    const char *key)
{
	char full[COMMAND_KEY_MAX];
	int n = t->key == KEY_FIXED ?
		snprintf(full, sizeof(full), "%s", t->name) :
		snprintf(full, sizeof(full), "%s%c%s", t->name,
			 t->key == KEY_SLOT ? '_' : separator, key);

	if (n >= (int)sizeof(full)) {
		c->failed = true;
		return;
	}
	if (t->whole) {
		commands_add(c, (const char *const[]){ "HGETALL", full, NULL });
		return;
	}
	commands_begin(c, 2u + t->fields.count);
	commands_word(c, "HMGET");
	commands_word(c, full);
	for (unsigned i = 0; i < t->fields.count; i++)
		commands_word(c, t->fields.list[i].name);
}

/* If the names were read again meanwhile, the objects may be gone: the data are
 * dropped then, and the command reads nothing.
 */
static void run_write(struct redis_query *q, struct commands *to)
{
	const struct run *r = q->context;
	const struct table *t = r->table;
	char separator = namespace_separator(
		r->namespace, (enum database_name)t->database);
	char text[OBJECT_NAME_MAX] = "";

	row_ask(to, t, separator,
		r->merges == r->namespace->topology.merges ?
		run_key(r, separator, r->targets.list[q->written], text) :
		text);
}

static bool run_build(struct run *r, const struct poll *p)
{
	r->stale = !run_targets(r, p);
	r->merges = r->namespace->topology.merges;
	r->generation = r->namespace->topology.generation;
	return !r->stale;
}

/* syncd writes a row for each object of these; if not, the ids are wrong. */
static bool run_must_have(const struct run *r)
{
	const struct table *t = r->table;

	return t->whole && t->key == KEY_OID && !t->sparse && !t->optional;
}

static void run_lost(struct poll *p, const struct run *r,
		     const struct object *o)
{
	if (!run_must_have(r))
		return;
	r->namespace->maps.missed = true;
	if (p->lost++ == 0)
		memcpy(p->lost_first, o->name, sizeof(o->name));
}

/* True if it has more than its time. */
static bool row_says(const struct table *t, const struct row *row)
{
	return row->values + row->bad > 0 ||
	       (row->texts > 0 && t->age != AGE_ROW);
}

/* True if it has values, but none of them is readable. */
static bool row_is_odd(const struct table *t, const struct row *row)
{
	return row->bad > 0 && row->values == 0 &&
	       (row->texts == 0 || t->age == AGE_ROW);
}

/* For a sparse table, objects that have a row, or a fault, move to the front:
 * the rest is dropped.
 */
static void run_keep(struct run *r, struct object *o, const struct reply *reply,
		     const struct row *row)
{
	const struct table *t = r->table;

	if (t->sparse && (reply->kind != REPLY_ARRAY || row_says(t, row)))
		r->targets.list[r->filled++] = o;
}

static bool run_reply(struct redis_query *q, const struct reply *reply)
{
	struct run *r = q->context;
	struct poll *p = poll_of(r);
	struct row *row = row_of(r);

	if (!p->voided && r->merges == r->namespace->topology.merges) {
		struct object *o = r->targets.list[q->answered];

		if (r->table->settle)
			r->table->settle(row, &r->index);
		row_note(p, r, o, reply, row);
		run_keep(r, o, reply, row);
		if (reply->kind == REPLY_ARRAY &&
		    row->values + row->texts + row->bad == 0) {
			run_lost(p, r, o);
		} else if (reply->kind == REPLY_ARRAY) {
			p->rows++;
			p->dropped += row_is_odd(r->table, row);
			r->said += row->values > 0;
			r->table->take(p, r, o, row);
		}
	} else {
		p->voided = true;
	}
	row_clear(row);
	return reply->kind == REPLY_ARRAY;
}

#define PACE_READINGS 16	/* in the mean of syncd's pace */

void run_guess_write(struct run *r, struct mono asked)
{
	int64_t ns = r->write.ns + r->pace_ns;

	if (r->pace_ns == 0 || ns > asked.ns)
		ns = asked.ns;
	r->write.ns = ns > r->read.ns ? ns : r->read.ns;
}

void run_pace(struct run *r, int64_t spacing_ns)
{
	r->paces += r->paces < PACE_READINGS;
	r->pace_ns += (spacing_ns - r->pace_ns) / (int64_t)r->paces;
}

/* Notes that syncd has written since the last time. */
static void run_written(struct run *r)
{
	struct mono now = poll_of(r)->asked;

	r->read = now;
	if (!r->wrote)
		return;
	r->spacing_ns = r->written.ns ? now.ns - r->written.ns : 0;
	if (r->spacing_ns > 0)
		run_pace(r, r->spacing_ns);
	r->written = now;
	r->wrote = false;
}

static void run_done(struct redis_query *q, const char *reason)
{
	struct run *r = q->context;

	row_clear(row_of(r));
	run_written(r);
	if (q->oversize && r->merges == r->namespace->topology.merges)
		note_oversize(poll_of(r), r, r->targets.list[q->answered]);
	/* Objects without a row are not read again before the names are. */
	if (reason || poll_of(r)->voided)
		r->stale = true;
	else if (r->table->sparse)
		r->targets.count = r->filled;
	if (!reason && r->age_known && !poll_of(r)->voided &&
	    r->table->group != FLEX_NONE)
		r->given_stamp_ns = r->namespace->flex[
			r->table->group].stamp_ns;
	poll_of(r)->query_done(poll_of(r), reason);
}

static const struct query_ops run_ops = {
	.write = run_write,
	.name = run_name,
	.value = run_value,
	.reply = run_reply,
	.done = run_done,
};

static void run_ask(struct poll *p, struct run *r)
{
	enum database_name name = (enum database_name)r->table->database;
	bool optional = r->table->optional;

	if (r->targets.count == 0 ||
	    (optional && !p->namespace->databases.of[name].known))
		return;
	if (note_unready(p, name, !optional)) {
		p->unread = true;
		return;
	}
	r->query = (struct redis_query){
		.ops = &run_ops,
		.context = r,
		.count = (unsigned)r->targets.count,
		.pairs = r->table->whole,
	};
	r->age_known = false;
	r->filled = r->said = 0;
	p->pending++;
	channel_ask(&p->namespace->channel[name], &r->query, p->asked);
}

void run_start(struct poll *p, struct run *r)
{
	const struct topology *t = &p->namespace->topology;
	unsigned group = r->table->group;

	r->said = 0;
	if (group != FLEX_NONE && p->namespace->flex[group].disabled)
		return;		/* its data are old: age_check() */
	if ((r->table->wanted || r->merges != t->merges ||
	     r->generation != t->generation || r->stale) &&
	    !run_build(r, p)) {
		p->failed = true;
		note_first(p, "out of memory");
		return;
	}
	run_ask(p, r);
}

int run_init(struct run *r, struct namespace *s, const struct table *t,
	     unsigned number)
{
	r->namespace = s;
	r->table = t;
	r->number = (uint8_t)number;
	return field_index_init(&r->index, &t->fields);
}

void run_fini(struct run *r)
{
	field_index_fini(&r->index);
	free(r->targets.list);
}
