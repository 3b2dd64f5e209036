#include "platform/sonic/poll/poll.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/clean.h"
#include "platform/sonic/meaning/tables.h"
#include "platform/sonic/poll/age.h"
#include "platform/sonic/poll/flex.h"
#include "platform/sonic/poll/run.h"
#include "platform/sonic/switchdb/maps.h"

#define RESTARTS_MAX 3
#define SOURCE_SLACK_PERMILLE 900	/* of the period: no read before */

/* The first table of the source. */
static const struct table *poll_table(const struct poll *p)
{
	const struct run *r = p->namespace->run;

	while (r->table->source != p->source)
		r++;
	return r->table;
}

static bool poll_is_flex(const struct poll *p)
{
	return poll_table(p)->age == AGE_FLEX;
}

/* The shortest interval of the source's groups. */
static int64_t poll_interval_ns(const struct poll *p)
{
	int64_t least = INT64_MAX;

	for (unsigned i = 0; i < p->namespace->run_count; i++) {
		const struct table *t = p->namespace->run[i].table;

		if (t->source == p->source && t->group != FLEX_NONE &&
		    p->namespace->flex[t->group].interval_ns < least)
			least = p->namespace->flex[t->group].interval_ns;
	}
	if (least != INT64_MAX)
		return least;
	return p->source == SONIC_SENSORS ? SENSOR_INTERVAL_NS :
					    p->row_interval_ns;
}

/* Adds implausible names. by_ids: the source reads by their ids. */
static void note_names(struct poll *p, bool by_ids)
{
	const struct maps *m = &p->namespace->maps;

	if (p->namespace->topology.merges < p->barred_until)
		note_add(p, "%s", p->barred);
	if (p->source == SONIC_SENSORS && m->unfit[0])
		note_add(p, "%s", m->unfit);
	if (p->source == SONIC_PORTS && m->rows_wrong[0])
		note_add(p, "%s", m->rows_wrong);
	if (!by_ids)
		return;
	if (m->refused)
		note_add(p, "%s", m->reason);
	if (m->implausible[0])
		note_add(p, "%s", m->implausible);
}

/* Adds the maps that are not hashes, of those with the source's ids. True if
 * it has no other ids.
 */
static bool note_wrong(struct poll *p)
{
	const struct namespace *s = p->namespace;
	char text[SOURCE_REASON_MAX];
	uint32_t noted = 0;
	bool has_ids = false;

	for (unsigned i = 0; i < s->run_count; i++) {
		const struct table *t = s->run[i].table;
		uint32_t wrong = maps_wrong(s, (enum object_kind)t->object);

		if (t->source != p->source || t->key != KEY_OID)
			continue;
		noted |= wrong;
		has_ids |= !wrong && s->topology.set[t->object].count > 0;
	}
	if (p->source == SONIC_QUEUES)	/* an attribute: no row is missing */
		noted |= s->maps.wrong & 1u << MAP_QUEUE_TYPES;
	for (unsigned m = 0; m < MAP_NAMES_COUNT; m++) {
		if (!(noted >> m & 1))
			continue;
		maps_wrong_text(s, (enum map_query)m, text);
		note_add(p, "%s", text);
	}
	return noted && !has_ids;
}

/* Adds objects without a row: the row may still come. */
static void note_lost(struct poll *p)
{
	char name[OBJECT_NAME_MAX];

	if (p->lost == 0 || p->rows == 0)
		return;
	clean_octets(name, sizeof(name), p->lost_first, strlen(p->lost_first));
	note_add(p, "object ids without a row in COUNTERS_DB: %u, the first of "
		 "%s", p->lost, name);
}

/* There are rows, but none could be used. */
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
	const char *words = source_info((enum sonic_source)p->source)->absent;

	if (words)
		note_first(p, "%s", words);
	else
		note_first(p, "%s has no row of %s for any of %zu ports",
			   database_word((enum database_name)t->database),
			   t->name,
			   p->namespace->topology.set[OBJECT_PORT].count);
}

/* The sentence for a source without data; NULL: it should have some. */
static const char *poll_nothing(const struct poll *p)
{
	const struct source_info *info =
		source_info((enum sonic_source)p->source);

	return info->unneeded ? info->unneeded(&p->namespace->topology) :
				info->nothing;
}

/* The result for the host: 0 and SOURCE_FRESH, or the reason. */
static int poll_verdict(struct poll *p)
{
	const struct namespace *s = p->namespace;
	const char *nothing = poll_nothing(p);
	bool wrong;

	if (p->failed && p->rows > 0 && p->source == SONIC_CHASSIS)
		return -EAGAIN;		/* one of two servers answers */
	if (p->failed || p->frozen || (p->unread && p->rows == 0))
		return -ENODATA;
	if (p->rows == 0 && p->errors > 0)
		return -EIO;
	note_names(p, poll_is_flex(p));
	wrong = note_wrong(p);
	if (p->rows > 0 || s->topology.set[OBJECT_PORT].count > 0)
		flex_note(p);
	note_lost(p);
	if (poll_is_lost(p))
		return -EIO;
	if (p->rows > 0)
		return 0;
	if (wrong)
		return -EIO;
	/* A chassis' supervisor has no ports. */
	if ((s->topology.set[OBJECT_PORT].count > 0 ||
	     p->source == SONIC_CHASSIS) && nothing) {
		note_first(p, "%s", nothing);
		return 0;
	}
	if (poll_is_flex(p) && s->maps.refused)
		return -EIO;
	if (s->topology.set[OBJECT_PORT].count == 0) {
		note_first(p, "%s", s->maps.reason[0] ? s->maps.reason :
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

/* Reads the tables of a poll: the late ones, or the others. */
static void tables_ask(struct poll *p, bool late)
{
	for (unsigned i = 0; i < p->namespace->run_count; i++) {
		struct run *r = &p->namespace->run[i];

		if (r->table->source == p->source && r->table->late == late)
			run_start(p, r);
	}
}

static void query_done(struct poll *p, const char *reason);

static void runs_start(struct poll *p)
{
	const struct source_info *info =
		source_info((enum sonic_source)p->source);
	struct channel *counters = &p->namespace->channel[DATABASE_COUNTERS];

	p->phase = POLL_RUNS;
	p->serial++;
	p->voided = false;
	p->rows = p->errors = p->lost = p->dropped = 0;
	p->failed = p->unread = p->frozen = false;
	p->reason[0] = '\0';
	p->pending = 1;		/* held until all are sent */
	/* The guard and the rows after it are sent together. */
	counters->held = true;
	if (!poll_is_flex(p) || guard_ask(p))
		tables_ask(p, false);
	if (info->ask)
		info->ask(p);
	channel_release(counters);
	query_done(p, NULL);
}

/* The ids changed during the reading: its data are dropped. */
static void poll_restart(struct poll *p)
{
	struct namespace *s = p->namespace;

	if (p->failed || p->restarts++ >= RESTARTS_MAX) {
		p->failed = true;
		note_first(p,
			   "COUNTERS_DB: object ids changed %u times while "
			   "they were read",
			   p->restarts);
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
	bool (*end)(struct poll *p) =
		source_info((enum sonic_source)p->source)->end;

	if (p->voided) {
		poll_restart(p);
		return;
	}
	if (!p->failed && end && end(p)) {
		p->phase = POLL_MORE;
		p->pending = 1;		/* held until all are sent */
		tables_ask(p, true);
		if (--p->pending > 0)
			return;
		(void)end(p);		/* none of them could be sent */
	}
	poll_end(p);
}

static void query_done(struct poll *p, const char *reason)
{
	if (reason) {
		p->failed = true;
		note_first(p, "%s", reason);
	}
	if (--p->pending == 0)
		runs_end(p);
}

void polls_maps_done(struct namespace *s)
{
	for (unsigned i = 0; i < SONIC_SOURCE_COUNT; i++)
		if (s->poll[i].phase == POLL_MAPS)
			runs_start(&s->poll[i]);
}

/* May an optional table be somewhere? Its own server may be down, though. */
static bool is_expected(const struct namespace *s, const struct table *t)
{
	return t->database != DATABASE_CHASSIS_STATE &&
	       s->databases.of[t->database].known;
}

/* The databases of tables that are not optional must answer; of those of
 * optional tables one must. The maps work with fewer.
 */
static int poll_channels(struct poll *p, struct mono now, struct diag *d)
{
	struct namespace *s = p->namespace;
	struct diag other;
	bool answers = false;
	int first = 0;

	for (unsigned i = 0; i < s->run_count; i++) {
		const struct table *t = s->run[i].table;
		int rc;

		if (t->source != p->source || t->late ||
		    (t->optional && !is_expected(s, t)))
			continue;
		rc = channel_ready(&s->channel[t->database], now,
				   first ? &other : d);
		if (rc < 0 && !t->optional)
			return rc;
		answers |= rc == 0;
		first = first ? first : rc;
	}
	return answers ? 0 : first;
}

/* True if syncd cannot have new values yet. */
static bool poll_is_early(const struct poll *p, struct mono now)
{
	int64_t least = poll_interval_ns(p) / 1000 * SOURCE_SLACK_PERMILLE;

	return poll_is_flex(p) && p->result == 0 && p->serial > 0 &&
	       now.ns - p->wanted.ns < least;
}

/* Starts a reading. in_read: its result is the answer to the host's call. */
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
		return 1;	/* the last report still holds */
	p->wanted = now;
	hold_ns = poll_is_flex(p) ? age_hold_ns(s, source, now) : 0;
	if (hold_ns > 0) {
		p->held_until.ns = now.ns + hold_ns;
		p->phase = POLL_HELD;
		return -EINPROGRESS;
	}
	return poll_start(p, now, true, d);
}

/* Sends what was held back while syncd wrote. */
static void held_ask(struct namespace *s, struct mono now)
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

/* Rows are written after the names: sources without data are read again. */
static void idle_ask(struct namespace *s, struct mono now)
{
	struct diag why;

	if (s->wake.ns == 0 || now.ns < s->wake.ns || s->maps.running)
		return;
	s->wake.ns = now.ns < s->wake_until.ns ? now.ns + NS_PER_S : 0;
	for (unsigned i = 0; i < SONIC_SOURCE_COUNT; i++) {
		/* It reports why it has no data; or it is down, as reported. */
		if (s->poll[i].result < 0 && s->poll[i].phase == POLL_IDLE)
			(void)poll_read(s, (enum sonic_source)i, now, &why);
	}
}

void polls_wake(struct namespace *s, struct mono now)
{
	idle_ask(s, now);
	held_ask(s, now);
}

struct mono polls_deadline(const struct namespace *s)
{
	struct mono first = { INT64_MAX };

	if (s->wake.ns && !s->maps.running)
		first = s->wake;
	for (unsigned i = 0; i < SONIC_SOURCE_COUNT; i++)
		if (s->poll[i].phase == POLL_HELD)
			first = mono_min(first, s->poll[i].held_until);
	return first;
}

int polls_init(struct namespace *s)
{
	uint8_t cage_rows = 0;
	int rc = 0;

	for (unsigned i = 0; i < SONIC_SOURCE_COUNT; i++) {
		s->poll[i].namespace = s;
		s->poll[i].query_done = query_done;
		s->poll[i].source = (uint8_t)i;
	}
	s->run_count = tables_count();
	assert(s->run_count <= TABLES_MAX);
	for (unsigned i = 0; i < s->run_count; i++) {
		rc |= run_init(&s->run[i], s, table_get(i), i);
		if (table_get(i)->of_module)
			s->run[i].cage_row = cage_rows++;
	}
	return rc < 0 ? -ENOMEM : 0;
}

void polls_fini(struct namespace *s)
{
	for (unsigned i = 0; i < s->run_count; i++)
		run_fini(&s->run[i]);
}
