#include "platform/vswitch/groups.h"

#include <stdio.h>


#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NAME_MAX_LEN 48

static const struct {
	const char *group;	/* in FLEX_COUNTER_DB */
	const char *table;	/* in CONFIG_DB */
	const char *counter;	/* syncd's name of what it reads */
	uint8_t cadence;
	bool clears;
} groups[] = {
	{ "PORT_STAT_COUNTER", "PORT", "Port", CADENCE_COUNTERS, false },
	{ "PORT_PHY_ATTR", "PORT_PHY_ATTR", NULL, CADENCE_QUEUES, false },
	{ "PORT_BUFFER_DROP_STAT", "PORT_BUFFER_DROP", "Port",
	  CADENCE_WATERMARKS, false },
	{ "QUEUE_STAT_COUNTER", "QUEUE", "Queue", CADENCE_QUEUES, false },
	{ "WRED_ECN_QUEUE_STAT_COUNTER", "WRED_ECN_QUEUE", "Queue",
	  CADENCE_QUEUES, false },
	{ "PG_DROP_STAT_COUNTER", "PG_DROP", "Priority_Group", CADENCE_QUEUES,
	  false },
	{ "QUEUE_WATERMARK_STAT_COUNTER", "QUEUE_WATERMARK", "Queue",
	  CADENCE_WATERMARKS, true },
	{ "PG_WATERMARK_STAT_COUNTER", "PG_WATERMARK", "Priority_Group",
	  CADENCE_WATERMARKS, true },
	{ "BUFFER_POOL_WATERMARK_STAT_COUNTER", "BUFFER_POOL_WATERMARK",
	  "Buffer_Pool", CADENCE_WATERMARKS, true },
	{ "PFC_WD", "PFCWD", "Port", CADENCE_COUNTERS, false },
};

static const char *const pools[POOL_COUNT] = {
	[POOL_EGRESS_LOSSLESS] = "egress_lossless_pool",
	[POOL_EGRESS_LOSSY] = "egress_lossy_pool",
	[POOL_INGRESS_LOSSLESS] = "ingress_lossless_pool",
};

static int64_t cadence_ns(const struct cadences *c, enum cadence which)
{
	return which == CADENCE_COUNTERS ? c->counters_ns :
	       which == CADENCE_QUEUES ? c->queues_ns : c->watermarks_ns;
}

void groups_settings(struct box *b)
{
	for (size_t i = 0; i < b->asic_count * COUNT(groups); i++) {
		struct out *o = &b->asic[i / COUNT(groups)].out;
		size_t g = i % COUNT(groups);
		int64_t ns = cadence_ns(&b->cadences,
					(enum cadence)groups[g].cadence);
		uint64_t ms = (uint64_t)(ns / NS_PER_MS);

		out_row(o, FLEX_COUNTER_DB, "FLEX_COUNTER_GROUP_TABLE",
			groups[g].group);
		out_u64(o, "POLL_INTERVAL", ms);
		out_text(o, "STATS_MODE", groups[g].clears ?
			 "STATS_MODE_READ_AND_CLEAR" : "STATS_MODE_READ");
		out_text(o, "FLEX_COUNTER_STATUS", "enable");
		out_row_end(o);
		out_row(o, CONFIG_DB, "FLEX_COUNTER_TABLE", groups[g].table);
		out_u64(o, "POLL_INTERVAL", ms);
		out_text(o, "FLEX_COUNTER_STATUS", "enable");
		out_row_end(o);
	}
}

/* The maps, and their value for an object. */
enum map { PORT_NAME, QUEUE_NAME, QUEUE_PORT, QUEUE_INDEX, QUEUE_TYPE,
	   PG_NAME, PG_PORT, PG_INDEX, MAP_COUNT };

static const char *const maps[MAP_COUNT] = {
	[PORT_NAME] = "COUNTERS_PORT_NAME_MAP",
	[QUEUE_NAME] = "COUNTERS_QUEUE_NAME_MAP",
	[QUEUE_PORT] = "COUNTERS_QUEUE_PORT_MAP",
	[QUEUE_INDEX] = "COUNTERS_QUEUE_INDEX_MAP",
	[QUEUE_TYPE] = "COUNTERS_QUEUE_TYPE_MAP",
	[PG_NAME] = "COUNTERS_PG_NAME_MAP",
	[PG_PORT] = "COUNTERS_PG_PORT_MAP",
	[PG_INDEX] = "COUNTERS_PG_INDEX_MAP",
};

static void child_field(enum map m, const struct box_port *p, uint64_t oid,
			unsigned index)
{
	char text[OUT_OID_MAX], name[NAME_MAX_LEN];

	out_oid_text(oid, text);
	(void)snprintf(name, sizeof(name), "%s:%u", p->facts.name, index);
	if (m == QUEUE_NAME || m == PG_NAME)
		out_text(p->out, name, text);
	else if (m == QUEUE_PORT || m == PG_PORT)
		out_oid(p->out, text, p->oid);
	else if (m == QUEUE_INDEX || m == PG_INDEX)
		out_u64(p->out, text, index);
	else
		out_text(p->out, text, index < BOX_UNICAST ?
			 "SAI_QUEUE_TYPE_UNICAST" : "SAI_QUEUE_TYPE_MULTICAST");
}

static void port_fields(enum map m, const struct box_port *p)
{
	if (m == PORT_NAME)
		out_oid(p->out, p->facts.name, p->oid);
	for (unsigned i = 0; m >= PG_NAME && i < BOX_GROUPS; i++)
		child_field(m, p, p->group_oid[i], i);
	for (unsigned i = 0; m > PORT_NAME && m < PG_NAME &&
	     i < p->facts.queues; i++)
		child_field(m, p, p->queue_oid[i], i);
}

static void asic_maps(struct box *b, unsigned asic)
{
	struct box_asic *a = &b->asic[asic];

	for (unsigned m = 0; m < MAP_COUNT; m++) {
		out_row(&a->out, COUNTERS_DB, maps[m], NULL);
		if (m == PORT_NAME)
			out_oid(&a->out, "CPU", a->cpu_oid);
		for (struct box_port *p = NULL; (p = box_next(b, p));)
			if (p->asic == asic)
				port_fields((enum map)m, p);
		out_row_end(&a->out);
	}
	out_row(&a->out, COUNTERS_DB, "COUNTERS_BUFFER_POOL_NAME_MAP", NULL);
	for (unsigned i = 0; i < POOL_COUNT; i++)
		out_oid(&a->out, pools[i], a->pool_oid[i]);
	out_row_end(&a->out);
}

void groups_maps(struct box *b)
{
	for (unsigned i = 0; i < b->asic_count; i++)
		asic_maps(b, i);
}

/* The time of the counters: the last step of the physics, unless syncd reads
 * more often than there are steps.
 */
static int64_t counted_ns(const struct box *b, enum cadence which)
{
	int64_t period_ns = cadence_ns(&b->cadences, which);
	int64_t step_ns = (int64_t)((double)plant_now_ns(b->plant) / b->speed);

	if ((double)period_ns * b->speed < (double)plant_tick_ns(b->plant))
		return b->now.ns;
	return b->start.ns + step_ns;
}

void groups_stamp(struct box *b, enum cadence which)
{
	int64_t mono_ns = counted_ns(b, which);

	for (unsigned i = 0; i < b->asic_count; i++) {
		struct out *o = &b->asic[i].out;

		out_row(o, COUNTERS_DB, "COUNTERS", "TIME_STAMP");
		for (size_t g = 0; g < COUNT(groups); g++) {
			char field[96];

			if (groups[g].cadence != which || !groups[g].counter)
				continue;
			(void)snprintf(field, sizeof(field),
				       "%s_%s_Counter_time_stamp",
				       groups[g].group, groups[g].counter);
			out_u64(o, field, (uint64_t)mono_ns);
		}
		out_row_end(o);
	}
}

static void field_forget(struct out *o, enum map m, const char *field)
{
	out_command(o, COUNTERS_DB, (const char *const[]){
		"HDEL", maps[m], field, NULL });
}

static void child_forget(struct out *o, const struct box_port *p,
			 enum map name_map, uint64_t oid, unsigned index)
{
	char text[OUT_OID_MAX], name[NAME_MAX_LEN];

	out_oid_text(oid, text);
	(void)snprintf(name, sizeof(name), "%s:%u", p->facts.name, index);
	field_forget(o, name_map, name);
	for (unsigned m = name_map + 1; m < MAP_COUNT && m != PG_NAME; m++)
		field_forget(o, (enum map)m, text);
}

void groups_forget(const struct box_port *p)
{
	struct out *o = p->out;

	field_forget(o, PORT_NAME, p->facts.name);
	for (unsigned i = 0; i < p->facts.queues; i++)
		child_forget(o, p, QUEUE_NAME, p->queue_oid[i], i);
	for (unsigned i = 0; i < BOX_GROUPS; i++)
		child_forget(o, p, PG_NAME, p->group_oid[i], i);
}
