#include "platform/sonic/poll/flex.h"

#include <stdio.h>
#include <string.h>

#include "platform/sonic/poll/note.h"
#include "platform/sonic/switchdb/namespace.h"

/* xcvrd is asked for a round of all modules in 60 s; it may need longer. */
#define XCVRD_ROUND_NS (60 * NS_PER_S)
#define XCVRD_SLACK_NS (10 * NS_PER_S)

/* In the order in which limits are told. */
static const struct group {
	const char *name;
	int64_t interval_ns;
	uint8_t source;		/* enum sonic_source, which tells its limits */
	bool is_extra;		/* off by default, no row where it is off */
	int64_t slow_ns;	/* an interval above this hides something */
	const char *off, *enable;	/* while it is disabled; the command */
	const char *slow, *interval;	/* the seconds come between them */
} groups[FLEX_GROUP_COUNT] = {
	[FLEX_PORT] = {
		"PORT_STAT_COUNTER", 1 * NS_PER_S, SONIC_COUNTERS, false,
		1 * NS_PER_S, "no counters of ports", "counterpoll port enable",
		"ports are counted each", "counterpoll port interval 1000" },
	[FLEX_WRED_PORT] = {
		"WRED_ECN_PORT_STAT_COUNTER", 1 * NS_PER_S, SONIC_COUNTERS,
		true, 10 * NS_PER_S, "no WRED drops of ports",
		"counterpoll wredport enable", "WRED drops of ports each",
		"counterpoll wredport interval 10000" },
	[FLEX_QUEUE] = {
		"QUEUE_STAT_COUNTER", 10 * NS_PER_S, SONIC_QUEUES, false,
		10 * NS_PER_S, "no counters of queues",
		"counterpoll queue enable", "queues are counted each",
		"counterpoll queue interval 10000" },
	[FLEX_WRED_QUEUE] = {
		"WRED_ECN_QUEUE_STAT_COUNTER", 10 * NS_PER_S, SONIC_QUEUES,
		true, 10 * NS_PER_S, "no ECN marks of queues",
		"counterpoll wredqueue enable", "ECN marks each",
		"counterpoll wredqueue interval 10000" },
	[FLEX_PG_DROP] = {
		"PG_DROP_STAT_COUNTER", 10 * NS_PER_S, SONIC_QUEUES, false,
		10 * NS_PER_S, "no drops of priority groups",
		"counterpoll pg-drop enable", "drops of priority groups each",
		"counterpoll pg-drop interval 10000" },
	[FLEX_PORT_DROP] = {
		"PORT_BUFFER_DROP_STAT", 60 * NS_PER_S, SONIC_QUEUES, false,
		60 * NS_PER_S, "no buffer drops of ports",
		"counterpoll port-buffer-drop enable",
		"buffer drops of ports each",
		"counterpoll port-buffer-drop interval 60000" },
	[FLEX_QUEUE_WATERMARK] = {
		"QUEUE_WATERMARK_STAT_COUNTER", 60 * NS_PER_S,
		SONIC_WATERMARKS, false, 10 * NS_PER_S, "no peaks of queues",
		"counterpoll watermark enable",
		"bursts cannot be told apart, there is one peak in",
		"counterpoll watermark interval 1000" },
	[FLEX_PG_WATERMARK] = {
		"PG_WATERMARK_STAT_COUNTER", 60 * NS_PER_S, SONIC_WATERMARKS,
		false, INT64_MAX, "no peaks of priority groups",
		"counterpoll watermark enable", NULL, NULL },
	[FLEX_POOL_WATERMARK] = {
		"BUFFER_POOL_WATERMARK_STAT_COUNTER", 60 * NS_PER_S,
		SONIC_WATERMARKS, false, INT64_MAX, "no peaks of pools",
		"counterpoll watermark enable", NULL, NULL },
	[FLEX_PFCWD] = {
		"PFC_WD", 100 * NS_PER_MS, SONIC_PFCWD, false, 1 * NS_PER_S,
		"PFC watchdog is off", "pfcwd start_default",
		"PFC watchdog looks each", "pfcwd interval 200" },
	[FLEX_PHY] = {
		"PORT_PHY_ATTR", 10 * NS_PER_S, SONIC_PHY, true, 10 * NS_PER_S,
		"no signals of the chip's lanes", "counterpoll phy enable",
		"the chip's lanes each", "counterpoll phy interval 10000" },
	[FLEX_FABRIC] = { .name = "FABRIC_PORT_STAT_COUNTER",
			  .interval_ns = 10 * NS_PER_S },
	[FLEX_SWITCH] = { .name = "SWITCH_DEBUG_COUNTER",
			  .interval_ns = 60 * NS_PER_S },
};

const char *flex_group_name(enum flex_group group)
{
	return groups[group].name;
}

int64_t flex_group_interval_ns(enum flex_group group)
{
	return groups[group].interval_ns;
}

/* A group that is off by default has no row in FLEX_COUNTER_DB before it was
 * on once; where that database has no groups at all, nothing is known.
 */
static bool group_is_off(const struct namespace *s, enum flex_group group)
{
	const struct flex_state *f = &s->flex[group];

	return f->disabled || (groups[group].is_extra && !f->known &&
			       s->flex[FLEX_PORT].known);
}

/* How often something is read matters where there is something: a group that
 * has a table of its own has rows.
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

static void group_check(struct poll *p, enum flex_group group)
{
	const struct flex_state *f = &p->namespace->flex[group];
	const struct group *g = &groups[group];
	char text[SOURCE_REASON_MAX];

	if (group_is_off(p->namespace, group))
		(void)snprintf(text, sizeof(text), "%s: `%s`", g->off,
			       g->enable);
	else if (g->slow && f->interval_ns > g->slow_ns &&
		 group_matters(p, group))
		(void)snprintf(text, sizeof(text), "%s %lld s: `%s`", g->slow,
			       (long long)(f->interval_ns / NS_PER_S),
			       g->interval);
	else
		return;
	note_add(p, text);
}

/* The round that xcvrd really takes, by two times of the same row. */
static void xcvrd_check(struct poll *p)
{
	char text[SOURCE_REASON_MAX];

	if (p->source != SONIC_DOM ||
	    p->row_interval_ns <= XCVRD_ROUND_NS + XCVRD_SLACK_NS)
		return;
	(void)snprintf(text, sizeof(text), "xcvrd takes %lld s a round, not "
		       "60: `config interface transceiver dom PORT disable` "
		       "for idle ports",
		       (long long)(p->row_interval_ns / NS_PER_S));
	note_add(p, text);
}

/* Other kinds of switch have more than ports and queues, which all have. */
static void type_check(struct poll *p)
{
	static const char *const ordinary[] = { "", "switch", "npu",
						"chassis-packet" };
	const char *type = p->namespace->switch_type;
	char text[SOURCE_REASON_MAX];

	if (p->source != SONIC_FABRIC)
		return;
	for (size_t i = 0; i < sizeof(ordinary) / sizeof(ordinary[0]); i++)
		if (strcmp(type, ordinary[i]) == 0)
			return;
	if (strcmp(type, "voq") == 0 || strcmp(type, "fabric") == 0)
		(void)snprintf(text, sizeof(text), "blind: no signature judges "
			       "virtual output queues and fabric ports; see "
			       "petrel queues and petrel links");
	else
		(void)snprintf(text, sizeof(text), "blind: switch_type '%s' "
			       "is unknown: of such a switch only ports and "
			       "queues are read", type);
	note_add(p, text);
}

void flex_note(struct poll *p)
{
	if (p->reason[0])
		return;		/* what is wrong goes before what is set */
	for (unsigned i = 0; i < FLEX_GROUP_COUNT; i++)
		if (groups[i].off && groups[i].source == p->source)
			group_check(p, (enum flex_group)i);
	xcvrd_check(p);
	type_check(p);
}
