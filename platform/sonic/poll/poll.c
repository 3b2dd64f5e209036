/* Reading a source: commands out, rows in, one word to the host at the end.
 *
 *   read() -> POLL_MAPS -> POLL_RUNS -> (POLL_MORE) -> host->source()
 *               ^             |
 *               +-- voided ---+   ids moved: what came is dropped
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/sonic/switchdb/namespace.h"

#define RESTARTS_MAX 3
#define SOURCE_SLACK_PERMILLE 900	/* not asked again before this part */

typedef void row_fn(struct poll *p, struct run *r, struct object *o,
		    const struct row *row);

/* What a table's rows mean. */
static row_fn *const row_fns[TABLE_COUNT] = {
	[TABLE_PORT_COUNTERS ... TABLE_PORT_RATES] = counters_row,
	[TABLE_GEARBOX_SYSTEM] = counters_row,
	[TABLE_GEARBOX_LINE] = counters_row,
	[TABLE_PORT_CAUSES] = counters_row,
	[TABLE_PORT_PHY] = ports_phy_row,
	[TABLE_PORT_XCVR] = ports_xcvr_row,
	[TABLE_PORT_OLD_XCVR] = ports_xcvr_row,
	[TABLE_POOL_APPL] = counters_row,
	[TABLE_POOL_CONFIG] = system_pool_row,
	[TABLE_PORT_LLDP] = neighbors_lldp_row,
	[TABLE_PORT_NEIGHBOR] = neighbors_expected_row,
	[TABLE_LAG_APPL] = neighbors_lag_row,
	[TABLE_LAG_STATE] = neighbors_lag_row,
	[TABLE_PORT_PFCWD] = system_pfcwd_row,
	[TABLE_PORT_QOS] = system_qos_row,
	[TABLE_PORT_GEARBOX] = system_gearbox_row,
	[TABLE_SWITCH] = system_switch_row,
	[TABLE_CHASSIS_INFO] = system_chassis_row,
	[TABLE_EEPROM_SERIAL] = system_chassis_row,
	[TABLE_EEPROM_MAC] = system_chassis_row,
	[TABLE_TEMPERATURE ... TABLE_ASIC_TEMPERATURE] = sensors_row,
	[TABLE_CARD] = chassis_card_row,
	[TABLE_CARD_MIDPLANE] = chassis_part_row,
	[TABLE_CARD_HOST] = chassis_part_row,
	[TABLE_CARD_TEMPERATURE ... TABLE_CARD_CURRENT] = chassis_sensor_row,
	[TABLE_FABRIC_STATE] = fabric_state_row,
	[TABLE_SWITCH_DROPS] = fabric_drops_row,
	[TABLE_PORT_APPL] = ports_appl_row,
	[TABLE_PORT_STATE] = ports_state_row,
	[TABLE_PORT_ERRORS] = ports_error_row,
	[TABLE_MODULE_INFO] = modules_info_row,
	[TABLE_MODULE_FIRMWARE] = modules_firmware_row,
	[TABLE_MODULE_DOM ... TABLE_VDM_CLEARED + 3] = modules_sample_row,
};

void poll_note(struct poll *p, const char *format, ...)
{
	va_list args;

	if (p->reason[0])
		return;
	va_start(args, format);
	(void)vsnprintf(p->reason, sizeof(p->reason), format, args);
	va_end(args);
}

void poll_add(struct poll *p, const char *text)
{
	size_t len = strlen(p->reason);

	if (len + strlen(text) + 3 > sizeof(p->reason))
		return;
	(void)snprintf(p->reason + len, sizeof(p->reason) - len, "%s%s",
		       len ? "; " : "", text);
}

/* --- a run: one table, all its objects ------------------------------------ */

static struct poll *poll_of(const struct run *r)
{
	return &r->namespace->poll[table_get(r->number)->source];
}

static struct row *row_of(const struct run *r)
{
	return &r->namespace->row[table_get(r->number)->database];
}

static int run_name(struct query *q, unsigned n, const char *text, size_t len,
		    unsigned position)
{
	const struct run *r = q->context;

	(void)n;
	return field_find(&r->namespace->index[r->number], text, len, position);
}

static void run_value(struct query *q, unsigned n, int which, const char *text,
		      size_t len)
{
	const struct run *r = q->context;

	(void)n;
	if ((unsigned)which < table_get(r->number)->fields->count)
		row_take(row_of(r), &r->namespace->index[r->number],
			 (unsigned)which, text, len);
}

void poll_drop(struct poll *p, const struct object *o, const char *why)
{
	p->dropped++;
	poll_note(p, "%s: %s", o->name[0] ? o->name : "the switch", why);
}

static void row_note(struct poll *p, const struct run *r,
		     const struct object *o, const struct reply *reply,
		     const struct row *row)
{
	const char *table = table_get(r->number)->name;
	const char *name = o->name[0] ? o->name : "the switch";

	if (reply->kind != REPLY_ARRAY) {
		p->errors++;
		p->loading |= strncmp(reply->error, "LOADING", 7) == 0;
		poll_note(p, "%s of %s: %.80s", table, name,
			  reply_wrong(reply));
	} else if (row->bad > 0) {
		p->bad += row->bad;
		poll_note(p, "%s of %s: %s is '%s', no value", table, name,
			  row->bad_field->name, row->bad_text);
	}
}

bool run_targets(struct run *r)
{
	const struct table *t = table_get(r->number);
	const struct topology *all = &r->namespace->topology;

	if (!object_list_room(&r->targets, all->set[t->object].count))
		return false;
	r->targets.count = topology_targets(all, t, r->targets.list,
					    r->targets.cap);
	return true;
}

/* What stands behind the separator. text: room for a made one. */
static const char *run_key(const struct table *t, char separator,
			   const struct object *o,
			   char text[static OBJECT_NAME_MAX])
{
	switch ((enum table_key)t->key) {
	case KEY_OID:
		(void)snprintf(text, OBJECT_NAME_MAX, "oid:0x%llx",
			       (unsigned long long)o->oid);
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
	return o->name;
}

/* Where the names were read anew meanwhile, the objects may be gone: what comes
 * is dropped then, and nothing is asked for.
 */
static void run_write(struct query *q, unsigned n, struct commands *to)
{
	const struct run *r = q->context;
	const struct table *t = table_get(r->number);
	char separator = r->namespace->databases.of[t->database].separator;
	char text[OBJECT_NAME_MAX] = "";

	commands_add_row(to, t, separator,
			 r->merges == r->namespace->topology.merges ?
			 run_key(t, separator, r->targets.list[n], text) :
			 text);
}

/* Objects without a row are not asked again until the names are read anew. */
static void run_thin(struct run *r)
{
	if (table_get(r->number)->sparse)
		r->targets.count = r->filled;
}

static bool run_build(struct run *r)
{
	r->stale = !run_targets(r);
	r->merges = r->namespace->topology.merges;
	r->generation = r->namespace->topology.generation;
	return !r->stale;
}

/* syncd writes a row for each object of these, or the ids are wrong. */
static bool run_must_have(const struct run *r)
{
	const struct table *t = table_get(r->number);

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

/* More than the time when it was written. */
static bool row_says(const struct table *t, const struct row *row)
{
	return row->values + row->bad > 0 ||
	       (row->texts > 0 && t->age != AGE_ROW);
}

/* It says something, but none of it can be read. */
static bool row_is_odd(const struct table *t, const struct row *row)
{
	return row->bad > 0 && row->values == 0 &&
	       (row->texts == 0 || t->age == AGE_ROW);
}

/* Of a sparse table those that have a row, or trouble with it, move to the
 * front: run_thin() cuts the rest off.
 */
static void run_keep(struct run *r, struct object *o, const struct reply *reply,
		     const struct row *row)
{
	const struct table *t = table_get(r->number);

	if (t->sparse && (reply->kind != REPLY_ARRAY || row_says(t, row)))
		r->targets.list[r->filled++] = o;
}

static bool run_reply(struct query *q, unsigned n, const struct reply *reply)
{
	struct run *r = q->context;
	struct poll *p = poll_of(r);
	struct row *row = row_of(r);

	if (!p->voided && r->merges == r->namespace->topology.merges) {
		struct object *o = r->targets.list[n];

		row_note(p, r, o, reply, row);
		run_keep(r, o, reply, row);
		if (reply->kind == REPLY_ARRAY &&
		    row->values + row->texts + row->bad == 0) {
			p->empty++;
			run_lost(p, r, o);
		} else if (reply->kind == REPLY_ARRAY) {
			p->rows++;
			p->dropped += row_is_odd(table_get(r->number), row);
			r->said += row->values > 0;
			row_fns[r->number](p, r, o, row);
		}
	} else {
		p->voided = true;
	}
	row_clear(row);
	return reply->kind == REPLY_ARRAY;
}

static void run_done(struct query *q, const char *reason)
{
	struct run *r = q->context;

	row_clear(row_of(r));
	if (q->oversize && r->merges == r->namespace->topology.merges)
		amiss_row(poll_of(r), r, r->targets.list[q->answered]);
	if (!reason && !poll_of(r)->voided)
		run_thin(r);
	else
		r->stale = true;
	if (!reason && r->age_known && !poll_of(r)->voided &&
	    table_get(r->number)->group != FLEX_NONE)
		r->given_stamp_ns = r->namespace->flex[
			table_get(r->number)->group].stamp_ns;
	poll_query_done(poll_of(r), reason);
}

static const struct query_ops run_ops = {
	.write = run_write,
	.name = run_name,
	.value = run_value,
	.reply = run_reply,
	.done = run_done,
};

void poll_ask(struct poll *p, struct run *r)
{
	struct channel *c =
		&p->namespace->channel[table_get(r->number)->database];
	struct diag d = { "" };

	if (r->targets.count == 0)
		return;
	if (!p->namespace->databases.of[table_get(r->number)->database].known &&
	    table_get(r->number)->optional)
		return;
	if (channel_ready(c, p->asked, &d) < 0) {
		p->failed |= !table_get(r->number)->optional;
		p->unread = true;
		poll_note(p, "%.150s", d.text);
		return;
	}
	r->query = (struct query){
		.ops = &run_ops,
		.context = r,
		.count = (unsigned)r->targets.count,
		.pairs = table_get(r->number)->whole,
	};
	r->age_known = false;
	r->filled = r->said = 0;
	p->pending++;
	channel_ask(c, &r->query, p->asked);
}

static void run_start(struct poll *p, struct run *r)
{
	const struct topology *t = &p->namespace->topology;
	unsigned group = table_get(r->number)->group;

	r->said = 0;
	if (group != FLEX_NONE && p->namespace->flex[group].disabled)
		return;		/* what lies there is old: age_check() */
	if ((r->merges != t->merges || r->generation != t->generation ||
	     r->stale) && !run_build(r)) {
		p->failed = true;
		poll_note(p, "out of memory");
		return;
	}
	poll_ask(p, r);
}

/* --- a poll: all runs of a source ----------------------------------------- */

static bool table_is_of(unsigned number, const struct poll *p)
{
	return table_get((enum table_number)number)->source == p->source;
}

static const struct table *poll_table(const struct poll *p)
{
	unsigned i = 0;

	while (!table_is_of(i, p))
		i++;
	return table_get((enum table_number)i);
}

static bool poll_is_flex(const struct poll *p)
{
	return poll_table(p)->age == AGE_FLEX;
}

/* The shortest time in which one of the source's groups has something new. */
static int64_t poll_interval_ns(const struct poll *p)
{
	int64_t least = INT64_MAX;

	for (unsigned i = 0; i < TABLE_POLLED_COUNT; i++) {
		const struct table *t = table_get((enum table_number)i);

		if (table_is_of(i, p) && t->group != FLEX_NONE &&
		    p->namespace->flex[t->group].interval_ns < least)
			least = p->namespace->flex[t->group].interval_ns;
	}
	if (least != INT64_MAX)
		return least;
	return p->source == SONIC_SENSORS ? SENSOR_INTERVAL_NS :
					    p->row_interval_ns;
}

/* There are rows, and not one of them was of use. */
static bool poll_is_lost(const struct poll *p)
{
	const struct topology *t = &p->namespace->topology;

	if (p->rows > 0)
		return p->dropped >= p->rows;
	return t->merges < p->barred_until;
}

static void absence_note(struct poll *p)
{
	const struct table *t = poll_table(p);
	const char *words = source_absent((enum sonic_source)p->source);

	if (words)
		poll_note(p, "%s", words);
	else
		poll_note(p, "%s has no row of %s for any of %zu ports",
			  database_word((enum database_name)t->database),
			  t->name,
			  p->namespace->topology.set[OBJECT_PORT].count);
}

/* What the host is told: 0 and SOURCE_FRESH, or why not. */
static int poll_verdict(struct poll *p)
{
	const struct namespace *s = p->namespace;

	if (p->failed && p->rows > 0 && p->source == SONIC_CHASSIS)
		return -EAGAIN;		/* one of two servers answers */
	if (p->failed || p->loading || p->frozen)
		return -ENODATA;
	if (p->rows == 0 && p->errors > 0)
		return -EIO;
	amiss_note(p, poll_is_flex(p));
	if (p->rows > 0 || s->topology.set[OBJECT_PORT].count > 0)
		limits_note(p);
	amiss_note_lost(p);
	if (poll_is_lost(p))
		return -EIO;
	if (p->rows > 0)
		return 0;
	/* A chassis' supervisor has no ports. */
	if ((s->topology.set[OBJECT_PORT].count > 0 ||
	     p->source == SONIC_CHASSIS) &&
	    source_nothing((enum sonic_source)p->source)) {
		poll_note(p, "%s",
			  source_nothing((enum sonic_source)p->source));
		return 0;
	}
	if (poll_is_flex(p) && s->maps.refused)
		return -EIO;
	if (s->topology.set[OBJECT_PORT].count == 0) {
		poll_note(p, "%s", s->maps.reason[0] ? s->maps.reason :
			  "no port is named in COUNTERS_PORT_NAME_MAP or "
			  "CONFIG_DB");
		return s->maps.refused ? -EIO : -ENODATA;
	}
	absence_note(p);
	return -ENODATA;
}

static void poll_tell(struct poll *p)
{
	static const struct {
		int result;
		enum source_state state;
	} states[] = {
		{ 0, SOURCE_FRESH },
		{ -EIO, SOURCE_BROKEN },
		{ -ENODATA, SOURCE_ABSENT },
		{ -EAGAIN, SOURCE_LIMITED },
	};
	struct namespace *s = p->namespace;

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (states[i].result == p->result)
			s->told(s, (enum sonic_source)p->source,
				states[i].state, poll_interval_ns(p),
				p->reason[0] ? p->reason : NULL);
}

static void poll_end(struct poll *p)
{
	if (poll_is_flex(p))
		age_check(p->namespace, p);
	p->result = poll_verdict(p);
	p->phase = POLL_IDLE;
	if (!p->starting || p->result == 0)
		poll_tell(p);
}

void poll_tables_ask(struct poll *p, bool late)
{
	for (unsigned i = 0; i < TABLE_POLLED_COUNT; i++)
		if (table_is_of(i, p) &&
		    table_get((enum table_number)i)->late == late)
			run_start(p, &p->namespace->run[i]);
}

static void runs_start(struct poll *p)
{
	struct channel *counters = &p->namespace->channel[DATABASE_COUNTERS];

	p->phase = POLL_RUNS;
	p->serial++;
	p->voided = false;
	p->rows = p->empty = p->errors = p->bad = p->lost = p->dropped = 0;
	p->failed = p->unread = p->loading = p->frozen = false;
	p->reason[0] = '\0';
	p->pending = 1;		/* held until all are asked */
	/* The guard and the rows behind it are one piece. */
	channel_hold(counters);
	if (!poll_is_flex(p) || guard_ask(p))
		poll_tables_ask(p, false);
	if (p->source == SONIC_CHASSIS)
		chassis_ask(p);
	channel_release(counters);
	poll_query_done(p, NULL);
}

/* The ids moved while they were read: what came is dropped. */
static void poll_restart(struct poll *p)
{
	struct namespace *s = p->namespace;

	if (p->failed || p->restarts++ >= RESTARTS_MAX) {
		p->failed = true;
		poll_note(p, "COUNTERS_DB: object ids changed %u times while "
			  "they were read", p->restarts);
		poll_end(p);
		return;
	}
	p->phase = POLL_MAPS;
	if (s->maps.running)
		return;
	if (maps_due(s, p->asked))
		maps_start(s, p->asked);
	else
		runs_start(p);
}

static void runs_end(struct poll *p)
{
	if (p->voided) {
		poll_restart(p);
		return;
	}
	/* What was not asked for is not gone. */
	if (p->source == SONIC_TRANSCEIVERS && !p->failed && !p->unread)
		modules_end(p);
	if (p->source == SONIC_NEIGHBORS && !p->failed && !p->unread)
		neighbors_end(p);
	if (p->source == SONIC_PORTS && !p->failed && ports_end(p)) {
		p->phase = POLL_MORE;
		return;
	}
	if (p->source == SONIC_CHASSIS && !p->failed && chassis_end(p))
		return;
	poll_end(p);
}

void poll_query_done(struct poll *p, const char *reason)
{
	if (reason) {
		p->failed = true;
		poll_note(p, "%s", reason);
	}
	if (--p->pending == 0)
		runs_end(p);
}

void poll_maps_done(struct namespace *s)
{
	for (unsigned i = 0; i < SONIC_SOURCE_COUNT; i++)
		if (s->poll[i].phase == POLL_MAPS)
			runs_start(&s->poll[i]);
}

/* The source's own databases must answer; the maps make do with fewer. */
static int poll_channels(struct poll *p, struct mono now, struct diag *d)
{
	for (unsigned i = 0; i < TABLE_POLLED_COUNT; i++) {
		const struct table *t = table_get((enum table_number)i);
		int rc;

		if (!table_is_of(i, p) || t->optional)
			continue;
		rc = channel_ready(&p->namespace->channel[t->database], now, d);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* syncd cannot have anything new yet. */
static bool poll_is_early(const struct poll *p, struct mono now)
{
	int64_t least = poll_interval_ns(p) / 1000 * SOURCE_SLACK_PERMILLE;

	return poll_is_flex(p) && p->result == 0 && p->serial > 0 &&
	       now.ns - p->wanted.ns < least;
}

/* Asks now. in_read: its result is the answer to the host's call. */
static int poll_start(struct poll *p, struct mono now, bool in_read,
		      struct diag *d)
{
	struct namespace *s = p->namespace;

	p->asked = now;
	p->wall = clock_wall_now();
	p->restarts = 0;
	p->phase = POLL_MAPS;
	p->starting = in_read;
	if (!s->maps.running && maps_due(s, now))
		maps_start(s, now);
	else if (!s->maps.running)
		runs_start(p);
	p->starting = false;
	if (p->phase != POLL_IDLE)
		return -EINPROGRESS;
	return p->result < 0 ? diag_set(d, p->result, "%s", p->reason) : 1;
}

int poll_read(struct namespace *s, enum sonic_source source, struct mono now,
	      struct diag *d)
{
	struct poll *p = &s->poll[source];
	int64_t hold_ns;
	int rc;

	if (p->phase != POLL_IDLE)
		return -EINPROGRESS;
	rc = namespace_databases(s, now, d);
	if (rc == 0)
		rc = poll_channels(p, now, d);
	if (rc < 0) {
		p->result = rc;
		return rc;
	}
	if (poll_is_early(p, now))
		return 1;	/* what was told of it still holds */
	p->wanted = now;
	hold_ns = poll_is_flex(p) ? age_hold_ns(s, source, now) : 0;
	if (hold_ns > 0) {
		p->held_until.ns = now.ns + hold_ns;
		p->phase = POLL_HELD;
		return -EINPROGRESS;
	}
	return poll_start(p, now, true, d);
}

void polls_wake(struct namespace *s, struct mono now)
{
	for (unsigned i = 0; i < SONIC_SOURCE_COUNT; i++) {
		struct poll *p = &s->poll[i];
		struct diag d = { "" };
		int rc;

		if (p->phase != POLL_HELD || now.ns < p->held_until.ns)
			continue;
		p->phase = POLL_IDLE;
		rc = poll_channels(p, now, &d);
		if (rc == 0) {
			(void)poll_start(p, now, false, &d);
			continue;
		}
		p->result = rc;
		(void)snprintf(p->reason, sizeof(p->reason), "%s", d.text);
		poll_tell(p);
	}
}

struct mono polls_deadline(const struct namespace *s)
{
	struct mono first = { INT64_MAX };

	for (unsigned i = 0; i < SONIC_SOURCE_COUNT; i++)
		if (s->poll[i].phase == POLL_HELD &&
		    s->poll[i].held_until.ns < first.ns)
			first = s->poll[i].held_until;
	return first;
}

int polls_init(struct namespace *s)
{
	int rc = 0;

	for (unsigned i = 0; i < SONIC_SOURCE_COUNT; i++) {
		s->poll[i].namespace = s;
		s->poll[i].source = (uint8_t)i;
		s->poll[i].row_interval_ns = 0;
	}
	for (unsigned i = 0; i < TABLE_COUNT; i++) {
		const struct table *t = table_get((enum table_number)i);

		s->run[i].namespace = s;
		s->run[i].number = (uint8_t)i;
		rc |= field_index_init(&s->index[i], t->fields,
				       (enum facet)t->facet, t->edge);
	}
	return rc < 0 ? -ENOMEM : 0;
}

void polls_fini(struct namespace *s)
{
	for (unsigned i = 0; i < TABLE_COUNT; i++) {
		field_index_fini(&s->index[i]);
		free(s->run[i].targets.list);
	}
}
