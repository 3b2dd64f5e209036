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

#include "agent/base/number.h"
#include "platform/sonic/space.h"

#define RESTARTS_MAX 3
#define SOURCE_SLACK_PERMILLE 900	/* not asked again before this part */

typedef void row_fn(struct poll *p, struct run *r, struct object *o,
		    const struct row *row);

/* What a table's rows mean. */
static row_fn *const row_fns[TABLE_COUNT] = {
	[TABLE_PORT_COUNTERS] = counters_row,
	[TABLE_QUEUE_COUNTERS] = counters_row,
	[TABLE_GROUP_DROPS] = counters_row,
	[TABLE_PORT_DROPS] = counters_row,
	[TABLE_QUEUE_WATERMARKS] = counters_row,
	[TABLE_GROUP_WATERMARKS] = counters_row,
	[TABLE_POOL_WATERMARKS] = counters_row,
	[TABLE_PORT_APPL] = ports_appl_row,
	[TABLE_PORT_STATE] = ports_state_row,
	[TABLE_PORT_ERRORS] = ports_error_row,
	[TABLE_MODULE_INFO] = modules_info_row,
	[TABLE_MODULE_FIRMWARE] = modules_firmware_row,
	[TABLE_MODULE_DOM] = modules_sample_row,
	[TABLE_MODULE_THRESHOLDS] = modules_sample_row,
	[TABLE_MODULE_OLD_THRESHOLDS] = modules_sample_row,
	[TABLE_MODULE_FLAGS] = modules_sample_row,
	[TABLE_MODULE_STATUS] = modules_sample_row,
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

/* --- the guard: time stamps, and whether the ids are still the same ----------- */

enum { GUARD_STAMPS, GUARD_PORTS };

static int guard_name(struct query *q, unsigned n, const char *text, size_t len,
		      unsigned position)
{
	struct poll *p = q->context;

	(void)n;
	(void)position;
	if (len >= sizeof(p->guard_name))
		return -1;
	memcpy(p->guard_name, text, len);
	p->guard_name[len] = '\0';
	p->guard_len = len;
	return 0;
}

/* "<GROUP>_<what syncd calls the counter>_time_stamp": monotonic ns. */
static void stamp_take(struct space *s, const char *name, const char *text,
		       size_t len)
{
	const char *end = strstr(name, "_time_stamp");
	uint64_t ns;

	if (!end || number_parse_n(text, len, 1, INT64_MAX, &ns) < 0)
		return;
	for (unsigned i = 0; i < FLEX_GROUP_COUNT; i++) {
		const char *group = flex_group_info((enum flex_group)i)->name;
		size_t n = strlen(group);

		if (strncmp(name, group, n) == 0 && name[n] == '_')
			s->flex[i].stamp_ns = (int64_t)ns;
	}
}

static void guard_value(struct query *q, unsigned n, int which,
			const char *text, size_t len)
{
	struct poll *p = q->context;
	const struct object *port;
	uint64_t oid;

	(void)which;
	if (n == GUARD_STAMPS) {
		stamp_take(p->space, p->guard_name, text, len);
		return;
	}
	if (strncmp(p->guard_name, "Ethernet", 8) != 0 ||
	    oid_parse(text, len, &oid) < 0)
		return;		/* nor does maps.c take it */
	port = topology_find(&p->space->topology, OBJECT_PORT, p->guard_name);
	if (port && oid == port->oid)
		p->guard_ports++;
	else
		p->voided = true;
}

static unsigned ports_with_oid(const struct space *s)
{
	const struct object_set *ports = &s->topology.set[OBJECT_PORT];
	unsigned count = 0;

	for (size_t i = 0; i < ports->count; i++)
		count += ports->list[i].oid != 0;
	return count;
}

static void guard_reply(struct query *q, unsigned n, const struct reply *r)
{
	struct poll *p = q->context;

	if (n == GUARD_PORTS && r->kind == REPLY_ARRAY &&
	    p->guard_ports != ports_with_oid(p->space))
		p->voided = true;
	if (p->voided)
		p->space->maps.stale = true;
}

static void query_done(struct poll *p, const char *reason);

static void guard_done(struct query *q, const char *reason)
{
	query_done(q->context, reason);
}

static const struct query_ops guard_ops = {
	.name = guard_name,
	.value = guard_value,
	.reply = guard_reply,
	.done = guard_done,
};

/* False: the database cannot be asked. */
static bool guard_ask(struct poll *p)
{
	struct channel *c = &p->space->channel[DATABASE_COUNTERS];
	struct diag d = { "" };
	static const char commands[] =
		"*2\r\n$7\r\nHGETALL\r\n$19\r\nCOUNTERS:TIME_STAMP\r\n"
		"*2\r\n$7\r\nHGETALL\r\n$22\r\nCOUNTERS_PORT_NAME_MAP\r\n";

	if (channel_ready(c, p->asked, &d) < 0) {
		p->failed = true;
		poll_note(p, "%.150s", d.text);
		return false;
	}
	for (unsigned i = 0; i < FLEX_GROUP_COUNT; i++)
		p->space->flex[i].stamp_ns = 0;
	p->guard_ports = 0;
	p->guard = (struct query){
		.ops = &guard_ops,
		.context = p,
		.commands = commands,
		.len = sizeof(commands) - 1,
		.count = 2,
		.pairs = true,
	};
	p->pending++;
	channel_ask(c, &p->guard, p->asked);
	return true;
}

/* --- a run: one table, all its objects ------------------------------------------ */

static struct poll *poll_of(const struct run *r)
{
	return &r->space->poll[table_get(r->number)->source];
}

static struct row *row_of(const struct run *r)
{
	return &r->space->row[table_get(r->number)->database];
}

static int run_name(struct query *q, unsigned n, const char *text, size_t len,
		    unsigned position)
{
	const struct run *r = q->context;

	(void)n;
	return field_find(&r->space->index[r->number], text, len, position);
}

static void run_value(struct query *q, unsigned n, int which, const char *text,
		      size_t len)
{
	const struct run *r = q->context;

	(void)n;
	if ((unsigned)which < table_get(r->number)->count)
		row_take(row_of(r), &r->space->index[r->number],
			 (unsigned)which, text, len);
}

static void row_note(struct poll *p, const struct run *r,
		     const struct object *o, const struct reply *reply,
		     const struct row *row)
{
	const char *table = table_get(r->number)->name;

	if (reply->kind != REPLY_ARRAY) {
		p->errors++;
		p->loading |= strncmp(reply->error, "LOADING", 7) == 0;
		poll_note(p, "%s of %s: %.80s", table, o->name,
			  reply->kind == REPLY_ERROR ?
			  reply->error : "an answer of the wrong type");
	} else if (row->bad > 0) {
		p->bad += row->bad;
		poll_note(p, "%s of %s: %s is '%s', no value", table, o->name,
			  row->bad_field->name, row->bad_text);
	}
}

static void run_reply(struct query *q, unsigned n, const struct reply *reply)
{
	struct run *r = q->context;
	struct poll *p = poll_of(r);
	struct row *row = row_of(r);

	if (!p->voided && r->merges == r->space->topology.merges) {
		struct object *o = r->targets[n];

		row_note(p, r, o, reply, row);
		if (reply->kind == REPLY_ARRAY &&
		    row->values + row->texts + row->bad == 0) {
			p->empty++;
			r->space->maps.missed |= table_get(r->number)->whole &&
						 table_get(r->number)->by_oid;
		} else if (reply->kind == REPLY_ARRAY) {
			p->rows++;
			row_fns[r->number](p, r, o, row);
		}
	} else {
		p->voided = true;
	}
	row_clear(row);
}

static void run_done(struct query *q, const char *reason)
{
	struct run *r = q->context;

	row_clear(row_of(r));
	if (!reason && r->age_known && !poll_of(r)->voided)
		r->given_stamp_ns = r->space->flex[
			table_get(r->number)->group].stamp_ns;
	query_done(poll_of(r), reason);
}

static const struct query_ops run_ops = {
	.name = run_name,
	.value = run_value,
	.reply = run_reply,
	.done = run_done,
};

bool run_targets(struct run *r, size_t *ret_count)
{
	const struct table *t = table_get(r->number);
	size_t room = r->space->topology.set[t->object].count;

	if (room > r->target_cap) {
		struct object **list = realloc(r->targets,
					       room * sizeof(*list));

		if (!list)
			return false;
		r->targets = list;
		r->target_cap = room;
	}
	*ret_count = topology_targets(&r->space->topology, t, r->targets, room);
	return true;
}

static bool run_build(struct run *r)
{
	const struct table *t = table_get(r->number);
	char separator = r->space->databases.of[t->database].separator;
	size_t count;

	commands_clear(&r->commands);
	if (!run_targets(r, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct object *o = r->targets[i];
		char key[32];

		(void)snprintf(key, sizeof(key), "oid:0x%llx",
			       (unsigned long long)o->oid);
		commands_add_row(&r->commands, t, separator,
				 t->by_oid ? key : o->name);
	}
	r->merges = r->space->topology.merges;
	r->generation = r->space->topology.generation;
	return !r->commands.failed;
}

void poll_ask(struct poll *p, struct run *r)
{
	struct channel *c = &p->space->channel[table_get(r->number)->database];
	struct diag d = { "" };

	if (r->commands.count == 0)
		return;
	if (channel_ready(c, p->asked, &d) < 0) {
		p->failed |= !table_get(r->number)->optional;
		poll_note(p, "%.150s", d.text);
		return;
	}
	r->query = (struct query){
		.ops = &run_ops,
		.context = r,
		.commands = r->commands.data,
		.len = r->commands.len,
		.count = r->commands.count,
		.pairs = table_get(r->number)->whole,
	};
	r->age_known = false;
	p->pending++;
	channel_ask(c, &r->query, p->asked);
}

static void run_start(struct poll *p, struct run *r)
{
	const struct topology *t = &p->space->topology;
	unsigned group = table_get(r->number)->group;

	if (group != FLEX_NONE && p->space->flex[group].disabled)
		return;		/* what lies there is old; age_check() says so */
	if ((r->merges != t->merges || r->generation != t->generation ||
	     r->commands.failed) && !run_build(r)) {
		p->failed = true;
		poll_note(p, "out of memory");
		return;
	}
	poll_ask(p, r);
}

/* --- a poll: all runs of a source ----------------------------------------------- */

static bool poll_is_flex(const struct poll *p)
{
	return p->source <= SONIC_WATERMARKS;
}

static bool table_is_of(unsigned number, const struct poll *p)
{
	return table_get((enum table_number)number)->source == p->source;
}

/* The shortest time in which one of the source's groups has something new. */
static int64_t poll_interval_ns(const struct poll *p)
{
	int64_t least = INT64_MAX;

	for (unsigned i = 0; i < TABLE_POLLED_COUNT; i++) {
		const struct table *t = table_get((enum table_number)i);

		if (table_is_of(i, p) && t->group != FLEX_NONE &&
		    p->space->flex[t->group].interval_ns < least)
			least = p->space->flex[t->group].interval_ns;
	}
	if (least != INT64_MAX)
		return least;
	return p->row_interval_ns;
}

static const struct table *poll_table(const struct poll *p)
{
	unsigned i = 0;

	while (!table_is_of(i, p))
		i++;
	return table_get((enum table_number)i);
}

/* What the host is told: 0 and SOURCE_FRESH, or why not. */
static int poll_verdict(struct poll *p)
{
	const struct table *t = poll_table(p);
	const struct space *s = p->space;

	if (p->failed || p->loading || p->frozen)
		return -ENODATA;
	if (p->rows > 0)
		return 0;
	if (p->errors > 0)
		return -EIO;
	if (s->topology.set[OBJECT_PORT].count == 0) {
		poll_note(p, "%s", s->maps.reason[0] ? s->maps.reason :
			  "no port is named in COUNTERS_PORT_NAME_MAP or "
			  "CONFIG_DB");
		return s->maps.refused ? -EIO : -ENODATA;
	}
	poll_note(p, "%s has no row of %s for any of %zu ports",
		  database_word((enum database_name)t->database), t->name,
		  s->topology.set[OBJECT_PORT].count);
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
	};
	const struct platform_host *host = p->space->host;

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (states[i].result == p->result)
			host->source(host->context, p->source, states[i].state,
				     poll_interval_ns(p),
				     p->reason[0] ? p->reason : NULL);
}

static void poll_end(struct poll *p)
{
	if (poll_is_flex(p))
		age_check(p->space, p);
	p->result = poll_verdict(p);
	p->phase = POLL_IDLE;
	if (!p->starting || p->result == 0)
		poll_tell(p);
}

static void runs_start(struct poll *p)
{
	p->phase = POLL_RUNS;
	p->serial++;
	p->voided = false;
	p->rows = p->empty = p->errors = p->bad = 0;
	p->failed = p->loading = p->frozen = false;
	p->reason[0] = '\0';
	p->pending = 1;		/* held until all are asked */
	if (!poll_is_flex(p) || guard_ask(p))
		for (unsigned i = 0; i < TABLE_POLLED_COUNT; i++)
			if (table_is_of(i, p))
				run_start(p, &p->space->run[i]);
	query_done(p, NULL);
}

/* The ids moved while they were read: what came is dropped. */
static void poll_restart(struct poll *p)
{
	struct space *s = p->space;

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
	if (p->source == SONIC_TRANSCEIVERS && !p->failed)
		modules_end(p);
	if (p->source == SONIC_PORTS && !p->failed && ports_end(p)) {
		p->phase = POLL_MORE;
		return;
	}
	poll_end(p);
}

static void query_done(struct poll *p, const char *reason)
{
	if (reason) {
		p->failed = true;
		poll_note(p, "%s", reason);
	}
	if (--p->pending == 0)
		runs_end(p);
}

void poll_maps_done(struct space *s)
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
		rc = channel_ready(&p->space->channel[t->database], now, d);
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
	       now.ns - p->asked.ns < least;
}

int poll_read(struct space *s, enum sonic_source source, struct mono now,
	      struct diag *d)
{
	struct poll *p = &s->poll[source];
	int rc;

	if (p->phase != POLL_IDLE)
		return -EINPROGRESS;
	rc = space_databases(s, now, d);
	if (rc == 0)
		rc = poll_channels(p, now, d);
	if (rc < 0) {
		p->result = rc;
		return rc;
	}
	if (poll_is_early(p, now))
		return 0;
	p->asked = now;
	p->wall = clock_wall_now();
	p->restarts = 0;
	p->phase = POLL_MAPS;
	p->starting = true;
	if (!s->maps.running && maps_due(s, now))
		maps_start(s, now);
	else if (!s->maps.running)
		runs_start(p);
	p->starting = false;
	if (p->phase != POLL_IDLE)
		return -EINPROGRESS;
	return p->result < 0 ? diag_set(d, p->result, "%s", p->reason) : 0;
}

void polls_init(struct space *s)
{
	for (unsigned i = 0; i < SONIC_SOURCE_COUNT; i++) {
		s->poll[i].space = s;
		s->poll[i].source = (uint8_t)i;
		s->poll[i].row_interval_ns = 0;
	}
	for (unsigned i = 0; i < TABLE_COUNT; i++) {
		const struct table *t = table_get((enum table_number)i);

		s->run[i].space = s;
		s->run[i].number = (uint8_t)i;
		field_index_init(&s->index[i], t->fields, t->count);
	}
}

void polls_fini(struct space *s)
{
	for (unsigned i = 0; i < TABLE_COUNT; i++) {
		commands_free(&s->run[i].commands);
		free(s->run[i].targets);
	}
}
