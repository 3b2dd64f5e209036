/* What the switch's own settings make impossible to see, and the command that
 * would change it. Petrel only says it: it changes nothing by itself.
 */
#include <stdio.h>
#include <string.h>

#include "platform/sonic/switchdb/namespace.h"

/* xcvrd is asked for a round of all modules in 60 s; it may need longer. */
#define XCVRD_ROUND_NS (60 * NS_PER_S)
#define XCVRD_SLACK_NS (10 * NS_PER_S)

struct limit {
	uint8_t group;		/* enum flex_group */
	uint8_t source;		/* enum sonic_source, which tells it */
	bool is_extra;		/* off by default, no row where it is off */
	int64_t slow_ns;	/* an interval above this hides something */
	const char *off, *enable;	/* while it is disabled; the command */
	const char *slow, *interval;	/* the seconds come between them */
};

static const struct limit limits[] = {
	{ FLEX_PORT, SONIC_COUNTERS, false, 1 * NS_PER_S,
	  "no counters of ports", "counterpoll port enable",
	  "ports are counted each", "counterpoll port interval 1000" },
	{ FLEX_WRED_PORT, SONIC_COUNTERS, true, 10 * NS_PER_S,
	  "no WRED drops of ports", "counterpoll wredport enable",
	  "WRED drops of ports each", "counterpoll wredport interval 10000" },
	{ FLEX_QUEUE, SONIC_QUEUES, false, 10 * NS_PER_S,
	  "no counters of queues", "counterpoll queue enable",
	  "queues are counted each", "counterpoll queue interval 10000" },
	{ FLEX_WRED_QUEUE, SONIC_QUEUES, true, 10 * NS_PER_S,
	  "no ECN marks of queues", "counterpoll wredqueue enable",
	  "ECN marks each", "counterpoll wredqueue interval 10000" },
	{ FLEX_PG_DROP, SONIC_QUEUES, false, 10 * NS_PER_S,
	  "no drops of priority groups", "counterpoll pg-drop enable",
	  "drops of priority groups each",
	  "counterpoll pg-drop interval 10000" },
	{ FLEX_PORT_DROP, SONIC_QUEUES, false, 60 * NS_PER_S,
	  "no buffer drops of ports", "counterpoll port-buffer-drop enable",
	  "buffer drops of ports each",
	  "counterpoll port-buffer-drop interval 60000" },
	{ FLEX_QUEUE_WATERMARK, SONIC_WATERMARKS, false, 10 * NS_PER_S,
	  "no peaks of queues", "counterpoll watermark enable",
	  "bursts cannot be told apart, there is one peak in",
	  "counterpoll watermark interval 1000" },
	{ FLEX_PG_WATERMARK, SONIC_WATERMARKS, false, INT64_MAX,
	  "no peaks of priority groups", "counterpoll watermark enable",
	  NULL, NULL },
	{ FLEX_POOL_WATERMARK, SONIC_WATERMARKS, false, INT64_MAX,
	  "no peaks of pools", "counterpoll watermark enable", NULL, NULL },
	{ FLEX_PFCWD, SONIC_PFCWD, false, 1 * NS_PER_S,
	  "PFC watchdog is off", "pfcwd start_default",
	  "PFC watchdog looks each", "pfcwd interval 200" },
	{ FLEX_PHY, SONIC_PHY, true, 10 * NS_PER_S,
	  "no signals of the chip's lanes", "counterpoll phy enable",
	  "the chip's lanes each", "counterpoll phy interval 10000" },
};

/* A group that is off by default has no row in FLEX_COUNTER_DB before it was
 * on once; where that database has no groups at all, nothing is known.
 */
static bool limit_is_off(const struct namespace *s, const struct limit *l)
{
	const struct flex_state *f = &s->flex[l->group];

	return f->disabled ||
	       (l->is_extra && !f->known && s->flex[FLEX_PORT].known);
}

/* How often something is read matters where there is something: a group that
 * has a table of its own has rows.
 */
static bool limit_matters(const struct poll *p, const struct limit *l)
{
	bool has_table = false;

	for (unsigned i = 0; i < TABLE_POLLED_COUNT; i++) {
		const struct table *t = table_get((enum table_number)i);

		if (t->source != p->source || t->group != l->group)
			continue;
		has_table = true;
		if (p->namespace->run[i].said > 0)
			return true;
	}
	return !has_table && p->rows > 0;
}

static void limit_check(struct poll *p, const struct limit *l)
{
	const struct flex_state *f = &p->namespace->flex[l->group];
	char text[SOURCE_REASON_MAX];

	if (limit_is_off(p->namespace, l))
		(void)snprintf(text, sizeof(text), "%s: `%s`", l->off,
			       l->enable);
	else if (l->slow && f->interval_ns > l->slow_ns && limit_matters(p, l))
		(void)snprintf(text, sizeof(text), "%s %lld s: `%s`", l->slow,
			       (long long)(f->interval_ns / NS_PER_S),
			       l->interval);
	else
		return;
	poll_add(p, text);
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
	poll_add(p, text);
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
	poll_add(p, text);
}

void limits_note(struct poll *p)
{
	if (p->reason[0])
		return;		/* what is wrong goes before what is set */
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (limits[i].source == p->source)
			limit_check(p, &limits[i]);
	xcvrd_check(p);
	type_check(p);
}
