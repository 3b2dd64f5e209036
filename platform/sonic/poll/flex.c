#include "platform/sonic/poll/flex.h"

#include <string.h>

#include "agent/base/number.h"
#include "platform/sonic/poll/run.h"
#include "platform/sonic/switchdb/namespace.h"

/* Two commands: to enable polling, and to set the interval. */
#define COUNTERPOLL(group, ms) "counterpoll " group " enable",		\
	"counterpoll " group " interval " ms

#define QUEUE_MAP MAP_QUEUES, "COUNTERS_QUEUE_NAME_MAP"
#define PG_MAP MAP_GROUPS, "COUNTERS_PG_NAME_MAP"

/* xcvrd should read all modules in 60 s; it may need longer. */
#define XCVRD_ROUND_NS (60 * NS_PER_S)
#define XCVRD_SLACK_NS (10 * NS_PER_S)

/* In the order in which limits are reported. */
static const struct polled_group {
	const char *name;
	int64_t interval_ns;
	uint8_t source;		/* enum sonic_source; reports its limits */
	bool is_extra;		/* off by default, then without a row */
	int64_t slow_ns;	/* a longer interval hides something */
	const char *off;	/* while it is disabled */
	const char *slow;	/* while it is read too seldom; NULL never */
	const char *enable, *interval;	/* the commands that help */
	uint8_t map;			/* enum map_query: without its names
					 * there is nothing to count … */
	const char *map_key;		/* … and its key; NULL: none is */
} groups[FLEX_GROUP_COUNT] = {
	[FLEX_PORT] = {
		"PORT_STAT_COUNTER", 1 * NS_PER_S, SONIC_COUNTERS, false,
		1 * NS_PER_S, "no counters of ports", "port counters",
		COUNTERPOLL("port", "1000") },
	[FLEX_WRED_PORT] = {
		"WRED_ECN_PORT_STAT_COUNTER", 1 * NS_PER_S, SONIC_COUNTERS,
		true, 10 * NS_PER_S, "no WRED drops of ports",
		"WRED drops of ports", COUNTERPOLL("wredport", "10000") },
	[FLEX_QUEUE] = {
		"QUEUE_STAT_COUNTER", 10 * NS_PER_S, SONIC_QUEUES, false,
		10 * NS_PER_S, "no counters of queues", "queue counters",
		COUNTERPOLL("queue", "10000"), QUEUE_MAP },
	[FLEX_WRED_QUEUE] = {
		"WRED_ECN_QUEUE_STAT_COUNTER", 10 * NS_PER_S, SONIC_QUEUES,
		true, 10 * NS_PER_S, "no ECN marks of queues", "ECN marks",
		COUNTERPOLL("wredqueue", "10000"), QUEUE_MAP },
	[FLEX_PG_DROP] = {
		"PG_DROP_STAT_COUNTER", 10 * NS_PER_S, SONIC_QUEUES, false,
		10 * NS_PER_S, "no drops of priority groups",
		"drops of priority groups", COUNTERPOLL("pg-drop", "10000"),
		PG_MAP },
	[FLEX_PORT_DROP] = {
		"PORT_BUFFER_DROP_STAT", 60 * NS_PER_S, SONIC_QUEUES, false,
		60 * NS_PER_S, "no buffer drops of ports",
		"buffer drops of ports",
		COUNTERPOLL("port-buffer-drop", "60000") },
	[FLEX_QUEUE_WATERMARK] = {
		"QUEUE_WATERMARK_STAT_COUNTER", 60 * NS_PER_S,
		SONIC_WATERMARKS, false, 10 * NS_PER_S, "no peaks of queues",
		"bursts cannot be distinguished: one peak",
		COUNTERPOLL("watermark", "1000"), QUEUE_MAP },
	[FLEX_PG_WATERMARK] = {
		"PG_WATERMARK_STAT_COUNTER", 60 * NS_PER_S, SONIC_WATERMARKS,
		false, 0, "no peaks of priority groups", NULL,
		COUNTERPOLL("watermark", "1000"), PG_MAP },
	[FLEX_POOL_WATERMARK] = {
		"BUFFER_POOL_WATERMARK_STAT_COUNTER", 60 * NS_PER_S,
		SONIC_WATERMARKS, false, 0, "no peaks of pools", NULL,
		COUNTERPOLL("watermark", "1000") },
	[FLEX_PFCWD] = {
		"PFC_WD", 100 * NS_PER_MS, SONIC_PFCWD, false, 1 * NS_PER_S,
		"PFC watchdog is off", "PFC watchdog looks",
		"pfcwd start_default", "pfcwd interval 200" },
	[FLEX_PHY] = {
		"PORT_PHY_ATTR", 10 * NS_PER_S, SONIC_PHY, true, 10 * NS_PER_S,
		"no signals of the chip's lanes", "the chip's lanes",
		COUNTERPOLL("phy", "10000") },
	[FLEX_FABRIC] = { .name = "FABRIC_PORT_STAT_COUNTER",
			  .interval_ns = 10 * NS_PER_S,
			  .source = SONIC_FABRIC },
	[FLEX_SWITCH] = { .name = "SWITCH_DEBUG_COUNTER",
			  .interval_ns = 60 * NS_PER_S,
			  .source = SONIC_FABRIC },
};

const char *flex_group_name(enum flex_group group)
{
	return groups[group].name;
}

int64_t flex_group_interval_ns(enum flex_group group)
{
	return groups[group].interval_ns;
}

/* A group that is off by default has no row in FLEX_COUNTER_DB until it is
 * first enabled; if that database has no groups at all, nothing is known.
 */
static bool group_is_off(const struct namespace *s, enum flex_group group)
{
	const struct flex_state *f = &s->flex[group];

	return f->disabled || (groups[group].is_extra && !f->known &&
			       s->flex[FLEX_PORT].known);
}

/* The interval matters only if there are data: a group with a table of its own
 * must have rows.
 */
static bool group_matters(const struct poll *p, enum flex_group group)
{
	bool has_table = false;

	for (unsigned i = 0; i < p->namespace->run_count; i++) {
		const struct run *r = &p->namespace->run[i];

		if (r->table->source != p->source || r->table->group != group)
			continue;
		has_table = true;
		if (r->said > 0)
			return true;
	}
	return !has_table && p->rows > 0;
}

/* orchagent writes the map when a group that needs it is enabled. Once for each
 * map: groups beside the usual ones need the same one.
 */
static void map_note(struct poll *p, const struct polled_group *g,
		     bool is_polled)
{
	if (g->is_extra)
		return;
	if (is_polled)
		note_add(p, "%s is missing, though %s is enabled", g->map_key,
			 g->name);
	else
		note_add(p, "%s is missing: `%s`", g->map_key, g->enable);
}

/* The source lacks all rows, not only those of what is off by default. */
static bool is_side_issue(const struct poll *p, enum flex_group group)
{
	if (!groups[group].is_extra || p->rows > 0)
		return false;
	for (unsigned i = 0; i < FLEX_GROUP_COUNT; i++)
		if (groups[i].source == p->source && !groups[i].is_extra)
			return true;
	return false;
}

static void group_check(struct poll *p, enum flex_group group)
{
	const struct flex_state *f = &p->namespace->flex[group];
	const struct polled_group *g = &groups[group];

	if (f->wrong)
		note_add(p, "FLEX_COUNTER_GROUP_TABLE of %s is not a hash "
			 "(WRONGTYPE): its interval is not known", g->name);
	else if (!g->off)
		return;
	else if (g->map_key && p->namespace->maps.size[g->map] == 0)
		map_note(p, g, f->known && !f->disabled);
	else if (group_is_off(p->namespace, group) &&
		 !is_side_issue(p, group))
		note_add(p, "%s: `%s`", g->off, g->enable);
	else if (g->slow && f->interval_ns > g->slow_ns &&
		 group_matters(p, group))
		note_add(p, "%s every %lld s: `%s`", g->slow,
			 (long long)(f->interval_ns / NS_PER_S), g->interval);
}

/* The real round of xcvrd, from two times of the same row. */
static void xcvrd_check(struct poll *p)
{
	if (p->source == SONIC_DOM &&
	    p->row_interval_ns > XCVRD_ROUND_NS + XCVRD_SLACK_NS)
		note_add(p, "a round of xcvrd takes %lld s, not 60: `config "
			 "interface transceiver dom PORT disable` for idle "
			 "ports", (long long)(p->row_interval_ns / NS_PER_S));
}

/* Other types of switch have more than the usual ports and queues. */
static void type_check(struct poll *p)
{
	static const char *const ordinary[] = { "", "switch", "npu",
						"chassis-packet" };
	const char *type = p->namespace->switch_type;

	if (p->source != SONIC_FABRIC)
		return;
	for (size_t i = 0; i < sizeof(ordinary) / sizeof(ordinary[0]); i++)
		if (strcmp(type, ordinary[i]) == 0)
			return;
	if (strcmp(type, "voq") == 0 || strcmp(type, "fabric") == 0)
		note_add(p, "blind: no signature covers virtual output queues "
			 "and fabric ports; see petrel queues and petrel "
			 "links");
	else
		note_add(p, "blind: switch_type '%s' is unknown: only ports "
			 "and queues are read", type);
}

void flex_note(struct poll *p)
{
	if (p->reason[0])
		return;		/* faults come before settings */
	for (unsigned i = 0; i < FLEX_GROUP_COUNT; i++)
		if (groups[i].source == p->source)
			group_check(p, (enum flex_group)i);
	xcvrd_check(p);
	type_check(p);
}

/* --- the guard, read before all counters ---------------------------------- */

enum { GUARD_STAMPS, GUARD_PORTS, GUARD_SIZES };

/* The maps whose size is read, in this order, from GUARD_SIZES on. */
static const uint8_t counted[] = { MAP_QUEUES, MAP_GROUPS, MAP_POOLS, MAP_VOQS,
				   MAP_FABRIC_PORTS };

static int guard_name(struct redis_query *q, const char *text, size_t len,
		      unsigned position)
{
	struct poll *p = q->context;

	(void)position;
	if (len >= sizeof(p->guard_name) ||
	    (q->answered == GUARD_PORTS && !name_is_port(text, len)))
		return -1;
	memcpy(p->guard_name, text, len);
	p->guard_name[len] = '\0';
	return 0;
}

/* "<GROUP>_<syncd's name of the counter>_time_stamp": monotonic ns. */
static void stamp_take(struct namespace *s, const char *name, const char *text,
		       size_t len)
{
	const char *end = strstr(name, "_time_stamp");
	uint64_t ns;

	if (!end || number_parse_n(text, len, 1, INT64_MAX, &ns) < 0)
		return;
	for (unsigned i = 0; i < FLEX_GROUP_COUNT; i++) {
		const char *group = flex_group_name((enum flex_group)i);
		size_t n = strlen(group);

		if (strncmp(name, group, n) == 0 && name[n] == '_')
			s->flex[i].stamp_ns = (int64_t)ns;
	}
}

static void guard_value(struct redis_query *q, int which, const char *text,
			size_t len)
{
	struct poll *p = q->context;
	const struct object *port;
	uint64_t oid;

	(void)which;
	if (q->answered >= GUARD_SIZES)
		return;		/* the reply is a number */
	if (q->answered == GUARD_STAMPS) {
		stamp_take(p->namespace, p->guard_name, text, len);
		return;
	}
	if (oid_parse(text, len, &oid) < 0)
		return;		/* maps.c does not take it either */
	port = topology_find(&p->namespace->topology, OBJECT_PORT,
			     p->guard_name);
	if (port && oid == port->oid)
		p->guard_ports++;
	else if (port || !p->namespace->maps.cut)
		p->voided = true;
}

static unsigned ports_with_oid(const struct namespace *s)
{
	const struct object_set *ports = &s->topology.set[OBJECT_PORT];
	unsigned count = 0;

	for (size_t i = 0; i < ports->count; i++)
		count += ports->list[i].oid != 0;
	return count;
}

static bool size_reply(struct maps *m, enum map_query map,
		       const struct reply *r)
{
	bool was_wrong = m->wrong >> map & 1;

	if (r->kind != REPLY_INTEGER)
		m->stale |= reply_is_wrong_type(r) && !was_wrong;
	else if (was_wrong || (m->size[map] >= 0 && m->size[map] != r->integer))
		m->stale = true;
	return r->kind == REPLY_INTEGER;
}

static bool guard_reply(struct redis_query *q, const struct reply *r)
{
	struct poll *p = q->context;

	if (q->answered >= GUARD_SIZES)
		return size_reply(
			&p->namespace->maps,
			(enum map_query)counted[q->answered - GUARD_SIZES], r);
	if (q->answered == GUARD_STAMPS && reply_is_wrong_type(r))
		note_add(p, "COUNTERS:TIME_STAMP is not a hash (WRONGTYPE): "
			 "the age of counters is not known");
	if (q->answered == GUARD_PORTS && r->kind == REPLY_ARRAY &&
	    p->guard_ports != ports_with_oid(p->namespace))
		p->voided = true;
	if (q->answered == GUARD_PORTS && reply_is_wrong_type(r) &&
	    !(p->namespace->maps.wrong & 1u << MAP_PORTS))
		p->voided = true;	/* whose ids these are is not known */
	if (p->voided)
		p->namespace->maps.stale = true;
	return r->kind == REPLY_ARRAY;
}

static void guard_done(struct redis_query *q, const char *reason)
{
	struct poll *p = q->context;

	p->query_done(p, reason);
}

static const struct query_ops guard_ops = {
	.name = guard_name,
	.value = guard_value,
	.reply = guard_reply,
	.done = guard_done,
};

bool guard_ask(struct poll *p)
{
	static const char commands[] =
		"*2\r\n$7\r\nHGETALL\r\n$19\r\nCOUNTERS:TIME_STAMP\r\n"
		"*2\r\n$7\r\nHGETALL\r\n$22\r\nCOUNTERS_PORT_NAME_MAP\r\n"
		"*2\r\n$4\r\nHLEN\r\n$23\r\nCOUNTERS_QUEUE_NAME_MAP\r\n"
		"*2\r\n$4\r\nHLEN\r\n$20\r\nCOUNTERS_PG_NAME_MAP\r\n"
		"*2\r\n$4\r\nHLEN\r\n$29\r\nCOUNTERS_BUFFER_POOL_NAME_MAP\r\n"
		"*2\r\n$4\r\nHLEN\r\n$21\r\nCOUNTERS_VOQ_NAME_MAP\r\n"
		"*2\r\n$4\r\nHLEN\r\n$29\r\nCOUNTERS_FABRIC_PORT_NAME_MAP\r\n";

	if (note_unready(p, DATABASE_COUNTERS, true))
		return false;
	for (unsigned i = 0; i < FLEX_GROUP_COUNT; i++)
		p->namespace->flex[i].stamp_ns = 0;
	p->guard_ports = 0;
	p->guard = (struct redis_query){
		.ops = &guard_ops,
		.context = p,
		.commands = commands,
		.len = sizeof(commands) - 1,
		.count = GUARD_SIZES + sizeof(counted),
		.pairs = true,
	};
	p->pending++;
	channel_ask(&p->namespace->channel[DATABASE_COUNTERS], &p->guard,
		    p->asked);
	return true;
}
