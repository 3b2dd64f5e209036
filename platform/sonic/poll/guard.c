#include "platform/sonic/poll/guard.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"
#include "platform/sonic/poll/flex.h"
#include "platform/sonic/poll/note.h"
#include "platform/sonic/switchdb/namespace.h"

enum { GUARD_STAMPS, GUARD_PORTS, GUARD_SIZES };

/* The maps that are counted, in this order, from GUARD_SIZES on. */
static const uint8_t counted[] = { MAP_QUEUES, MAP_GROUPS, MAP_POOLS, MAP_VOQS,
				   MAP_FABRIC_PORTS };

static int guard_name(struct query *q, const char *text, size_t len,
		      unsigned position)
{
	struct poll *p = q->context;

	(void)position;
	if (len >= sizeof(p->guard_name) ||
	    (q->answered == GUARD_PORTS && !name_is_port(text, len)))
		return -1;
	memcpy(p->guard_name, text, len);
	p->guard_name[len] = '\0';
	p->guard_len = len;
	return 0;
}

/* "<GROUP>_<what syncd calls the counter>_time_stamp": monotonic ns. */
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

static void guard_value(struct query *q, int which, const char *text,
			size_t len)
{
	struct poll *p = q->context;
	const struct object *port;
	uint64_t oid;

	(void)which;
	if (q->answered >= GUARD_SIZES)
		return;		/* a number is the answer */
	if (q->answered == GUARD_STAMPS) {
		stamp_take(p->namespace, p->guard_name, text, len);
		return;
	}
	if (oid_parse(text, len, &oid) < 0)
		return;		/* nor does maps.c take it */
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
	if (r->kind == REPLY_INTEGER && m->size[map] >= 0 &&
	    m->size[map] != r->integer)
		m->stale = true;
	return r->kind == REPLY_INTEGER;
}

static bool guard_reply(struct query *q, const struct reply *r)
{
	struct poll *p = q->context;

	if (q->answered >= GUARD_SIZES)
		return size_reply(
			&p->namespace->maps,
			(enum map_query)counted[q->answered - GUARD_SIZES], r);
	if (q->answered == GUARD_PORTS && r->kind == REPLY_ARRAY &&
	    p->guard_ports != ports_with_oid(p->namespace))
		p->voided = true;
	if (p->voided)
		p->namespace->maps.stale = true;
	return r->kind == REPLY_ARRAY;
}

static void guard_done(struct query *q, const char *reason)
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
	struct channel *c = &p->namespace->channel[DATABASE_COUNTERS];
	struct diag d = { "" };
	static const char commands[] =
		"*2\r\n$7\r\nHGETALL\r\n$19\r\nCOUNTERS:TIME_STAMP\r\n"
		"*2\r\n$7\r\nHGETALL\r\n$22\r\nCOUNTERS_PORT_NAME_MAP\r\n"
		"*2\r\n$4\r\nHLEN\r\n$23\r\nCOUNTERS_QUEUE_NAME_MAP\r\n"
		"*2\r\n$4\r\nHLEN\r\n$20\r\nCOUNTERS_PG_NAME_MAP\r\n"
		"*2\r\n$4\r\nHLEN\r\n$29\r\nCOUNTERS_BUFFER_POOL_NAME_MAP\r\n"
		"*2\r\n$4\r\nHLEN\r\n$21\r\nCOUNTERS_VOQ_NAME_MAP\r\n"
		"*2\r\n$4\r\nHLEN\r\n$29\r\nCOUNTERS_FABRIC_PORT_NAME_MAP\r\n";

	if (channel_ready(c, p->asked, &d) < 0) {
		p->failed = true;
		note_first(p, "%.150s", d.text);
		return false;
	}
	for (unsigned i = 0; i < FLEX_GROUP_COUNT; i++)
		p->namespace->flex[i].stamp_ns = 0;
	p->guard_ports = 0;
	p->guard = (struct query){
		.ops = &guard_ops,
		.context = p,
		.commands = commands,
		.len = sizeof(commands) - 1,
		.count = GUARD_SIZES + sizeof(counted),
		.pairs = true,
	};
	p->pending++;
	channel_ask(c, &p->guard, p->asked);
	return true;
}
