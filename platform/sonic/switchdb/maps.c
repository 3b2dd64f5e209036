#include "platform/sonic/switchdb/maps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/sort.h"
#include "platform/sonic/config/switch_changes.h"
#include "platform/sonic/meaning/tables.h"
#include "platform/sonic/meaning/text.h"
#include "platform/sonic/poll/flex.h"
#include "platform/sonic/switchdb/cages.h"
#include "platform/sonic/switchdb/map_names.h"

#define MAPS_PERIOD_NS (60 * NS_PER_S)
#define MAPS_RETRY_NS (10 * NS_PER_S)	/* incomplete, or an id without a row */
/* Only KEYS finds sensors: even if STATE_DB holds thousands of routes or MAC
 * addresses, but then seldom.
 */
#define KEYS_SENSORS_MAX 200000
#define WAKE_NS (10 * NS_PER_S) /* sources without data wait less */
#define SENSORS_PERIOD_NS (600 * NS_PER_S)
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { FLEX_INTERVAL, FLEX_STATUS, FLEX_FIELDS };

/* A map of names in COUNTERS_DB. */
#define NAMES(what, kind_, of_)						\
	{ DATABASE_COUNTERS, true, false, kind_,			\
	  { "HGETALL", "COUNTERS_" what "_MAP" }, of_ }

/* The database of a query, and its words, which end with NULL. */
static const struct map_info {
	uint8_t database;
	bool pairs;
	bool optional;		/* ports and queues are known without it */
	uint8_t kind;		/* enum object_kind of its names */
	const char *words[3];
	const char *of;		/* what it names */
} map_infos[MAP_COUNT] = {
	[MAP_PORTS] = NAMES("PORT_NAME", OBJECT_PORT, "ports"),
	[MAP_QUEUES] = NAMES("QUEUE_NAME", OBJECT_QUEUE, "queues"),
	[MAP_QUEUE_TYPES] = NAMES("QUEUE_TYPE", OBJECT_KIND_COUNT,
				  "types of queues"),
	[MAP_GROUPS] = NAMES("PG_NAME", OBJECT_GROUP, "priority groups"),
	[MAP_POOLS] = NAMES("BUFFER_POOL_NAME", OBJECT_POOL, "pools"),
	[MAP_VOQS] = NAMES("VOQ_NAME", OBJECT_VOQ, "virtual output queues"),
	[MAP_FABRIC_PORTS] = NAMES("FABRIC_PORT_NAME", OBJECT_FABRIC_PORT,
				   "fabric ports"),
	[MAP_CHIP] = NAMES("DEBUG_NAME_SWITCH_STAT", OBJECT_CHIP,
			   "drops of the chip"),
	[MAP_GEARBOXES] = { DATABASE_GB_COUNTERS, true, true,
			    OBJECT_GEARBOX_SYSTEM,
			    { "HGETALL", "COUNTERS_PORT_NAME_MAP" },
			    "gearboxes" },
	[MAP_SENSORS] = { DATABASE_STATE, .optional = true },
	[MAP_CONFIG_KEYS] = { DATABASE_CONFIG },
	[MAP_APPL_KEYS] = { DATABASE_APPL },
	[MAP_READY] = { DATABASE_CONFIG, false, true, 0,
			{ "GET", CONFIG_READY_KEY }, NULL },
	[MAP_FLEX] = { DATABASE_FLEX_COUNTER },
	[MAP_CONFIG_ROWS] = { DATABASE_CONFIG, true },
	[MAP_TYPES] = { DATABASE_COUNTERS, .optional = true },
};

static enum map_query map_of(const struct namespace *s,
			     const struct redis_query *q)
{
	return (enum map_query)(q - s->maps.query);
}

/* Notes the first fault. */
static void map_fault(struct maps *maps, enum map_query m, const char *what)
{
	if (map_infos[m].optional)
		return;
	maps->complete = false;
	if (!maps->reason[0])
		(void)snprintf(maps->reason, sizeof(maps->reason), "%.159s",
			       what);
}

static void map_ask(struct namespace *s, enum map_query m, size_t commands)
{
	if (commands == 0 ||
	    (map_infos[m].optional &&
	     !s->databases.of[map_infos[m].database].known))
		return;
	s->maps.pending++;
	s->maps.query[m].count = (unsigned)commands;
	channel_ask(&s->channel[map_infos[m].database], &s->maps.query[m],
		    s->maps.at);
}

/* The n-th map of COUNTERS_DB that is not a hash. */
static enum map_query wrong_map(const struct namespace *s, unsigned n)
{
	unsigned m = MAP_PORTS;

	while (m < MAP_GEARBOXES && (!(s->maps.wrong >> m & 1) || n-- > 0))
		m++;
	return (enum map_query)m;
}

static void map_write(struct redis_query *q, struct commands *to)
{
	struct namespace *s = q->context;
	enum map_query m = map_of(s, q);
	char separator = namespace_separator(
		s, (enum database_name)map_infos[m].database);
	char key[COMMAND_KEY_MAX];

	if (m == MAP_FLEX) {
		(void)snprintf(key, sizeof(key), "FLEX_COUNTER_GROUP_TABLE%c%s",
			       separator,
			       flex_group_name((enum flex_group)q->written));
		commands_add(to, (const char *const[]){
			"HMGET", key, "POLL_INTERVAL", "FLEX_COUNTER_STATUS",
			NULL });
	} else if (m == MAP_CONFIG_ROWS) {
		(void)snprintf(key, sizeof(key), "PORT%c%s", separator,
			       s->maps.config.list[q->written]->name);
		commands_add(to, (const char *const[]){ "HGETALL", key, NULL });
	} else if (m == MAP_TYPES) {
		commands_add(to, (const char *const[]){
			"TYPE", map_infos[wrong_map(s, q->written)].words[1],
			NULL });
	} else {
		commands_add(to, map_infos[m].words);
	}
}

/* --- taking replies ------------------------------------------------------- */

static int map_name(struct redis_query *q, const char *text, size_t len,
		    unsigned position)
{
	struct namespace *s = q->context;

	if (map_of(s, q) == MAP_CONFIG_ROWS)
		return field_find(&s->maps.config_index, text, len, position);
	if (len >= sizeof(s->maps.name))
		return -1;
	memcpy(s->maps.name, text, len);
	s->maps.name_len = len;
	return 0;
}

static void flex_take(struct namespace *s, enum flex_group group, int which,
		      const char *text, size_t len)
{
	struct flex_state *f = &s->flex[group];
	int64_t ms;

	f->known |= len > 0;
	if (which == FLEX_INTERVAL && text_number(text, len, 1, &ms) == 0 &&
	    ms > 0 && ms < 86400000)
		f->interval_ns = ms * NS_PER_MS;
	else if (which == FLEX_STATUS)
		f->disabled = len == 7 && memcmp(text, "disable", 7) == 0;
}

static void map_value(struct redis_query *q, int which, const char *text,
		      size_t len)
{
	struct namespace *s = q->context;
	enum map_query m = map_of(s, q);

	if (m == MAP_READY)
		return;		/* the reply is one word */
	if (m == MAP_FLEX)
		flex_take(s, (enum flex_group)q->answered, which, text, len);
	else if (m == MAP_CONFIG_ROWS)
		row_take(&s->row[DATABASE_CONFIG], &s->maps.config_index,
			 (unsigned)which, text, len);
	else
		map_names_pair(s, m, map_infos[m].words[1],
			       map_infos[m].kind, text, len);
}

static void reply_fault(struct namespace *s, enum map_query m,
			const struct reply *r)
{
	const char *what = map_infos[m].words[1];
	char text[SOURCE_REASON_MAX];

	(void)snprintf(text, sizeof(text), "%s of %s: %.80s",
		       what ? what : "rows",
		       database_word((enum database_name)map_infos[m].database),
		       reply_wrong(r));
	s->maps.refused |= !map_infos[m].optional;
	map_fault(&s->maps, m, text);
}

/* A key of the wrong type is as if it had nothing: the others are read. */
static void wrong_type(struct namespace *s, enum map_query m, unsigned n)
{
	struct maps *maps = &s->maps;

	if (m < MAP_NAMES_COUNT)
		maps->wrong |= 1u << m;
	else if (m == MAP_FLEX)
		s->flex[n].known = s->flex[n].wrong = true;
	else if (m == MAP_CONFIG_ROWS && !maps->rows_wrong[0])
		(void)snprintf(maps->rows_wrong, sizeof(maps->rows_wrong),
			       "PORT of %s in CONFIG_DB is not a hash "
			       "(WRONGTYPE)",
			       maps->config.list[n]->name);
}

/* The answer to TYPE; without one, it is only known that it is no hash. */
static bool type_reply(struct namespace *s, enum map_query m,
		       const struct reply *r)
{
	if (r->kind == REPLY_TEXT)
		(void)snprintf(s->maps.type[m], KEY_TYPE_MAX, "%.*s",
			       KEY_TYPE_MAX - 1, r->error);
	return r->kind == REPLY_TEXT;
}

static bool map_reply(struct redis_query *q, const struct reply *r)
{
	struct namespace *s = q->context;
	enum map_query m = map_of(s, q);
	struct row *row = &s->row[DATABASE_CONFIG];

	if (m == MAP_READY) {
		if (reply_is_wrong_type(r))
			(void)snprintf(s->maps.rows_wrong,
				       sizeof(s->maps.rows_wrong), "%s",
				       CONFIG_READY_WRONG);
		s->maps.ready = r->kind == REPLY_TEXT &&
				strcmp(r->error, "1") == 0;
		return r->kind == REPLY_TEXT || r->kind == REPLY_NIL;
	}
	if (m == MAP_TYPES)
		return type_reply(s, wrong_map(s, q->answered), r);
	if (r->kind == REPLY_ARRAY && map_infos[m].pairs)
		s->maps.size[m] = r->elements / 2;
	if (reply_is_wrong_type(r))
		wrong_type(s, m, q->answered);
	else if (r->kind != REPLY_ARRAY)
		reply_fault(s, m, r);
	else if (m == MAP_CONFIG_ROWS)
		ports_config_row(s, s->maps.config.list[q->answered], row);
	if (m == MAP_CONFIG_ROWS)
		row_clear(row);
	return r->kind == REPLY_ARRAY;
}

/* Two kinds have the ids of another's map. */
uint32_t maps_wrong(const struct namespace *s, enum object_kind kind)
{
	unsigned of = kind == OBJECT_GEARBOX_LINE ? OBJECT_GEARBOX_SYSTEM :
		      kind == OBJECT_SYSTEM_PORT ? OBJECT_VOQ : kind;

	for (unsigned m = 0; m < MAP_NAMES_COUNT; m++)
		if (map_infos[m].kind == of)
			return s->maps.wrong & 1u << m;
	return 0;
}

void maps_wrong_text(const struct namespace *s, enum map_query m,
		     char ret[static SOURCE_REASON_MAX])
{
	const struct map_info *info = &map_infos[m];
	const char *type = s->maps.type[m];

	(void)snprintf(ret, SOURCE_REASON_MAX,
		       "%s is %s%s (WRONGTYPE): no %s are read", info->words[1],
		       type[0] ? "a " : "not a hash", type, info->of);
}

/* --- the two steps -------------------------------------------------------- */

static int type_order(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return x->oid < y->oid ? -1 : x->oid > y->oid;
}

/* SAI_QUEUE_TYPE_UNICAST as "unicast". */
static void queue_types(struct namespace *s, enum object_kind kind)
{
	const struct object_set *queues = &s->topology.set[kind];
	struct name_list *types = &s->maps.types;
	const char prefix[] = "SAI_QUEUE_TYPE_";

	if (types->count == 0)
		return;
	sort_in_place(types->list, types->count, sizeof(*types->list),
		      type_order);
	for (size_t i = 0; i < queues->count; i++) {
		struct named key = { .oid = queues->list[i].oid };
		struct named *t = bsearch(&key, types->list, types->count,
					  sizeof(*types->list), type_order);
		char word[OBJECT_NAME_MAX] = "";

		if (!t || strncmp(t->name, prefix, strlen(prefix)) != 0 ||
		    queues->list[i].handle == ENTITY_NONE)
			continue;
		for (size_t c = 0; t->name[c + strlen(prefix)]; c++)
			word[c] = (char)(t->name[c + strlen(prefix)] | 0x20);
		s->host->attribute(s->host->context, queues->list[i].handle,
				   ATTRIBUTE_QUEUE_TYPE, word);
	}
}

static void list_merge(struct namespace *s, enum object_kind kind)
{
	struct name_list *l = &s->maps.found[kind];
	bool wrong = maps_wrong(s, kind) != 0;

	map_names_twins(&s->maps, l);
	name_list_sort(l);
	if (kind == OBJECT_PORT)
		map_names_ports(&s->maps, l);
	if (wrong)
		topology_forget_ids(&s->topology, kind);
	/* CONFIG_DB alone decides which ports there are, once it is settled. */
	wrong &= kind != OBJECT_PORT || !s->topology.settled;
	if (topology_merge(&s->topology, kind, l, s->maps.complete && !wrong,
			   s->maps.at) < 0)
		s->maps.complete = false;
}

/* chassis_end() merges the sensors of cards. */
static void names_merge(struct namespace *s)
{
	for (unsigned m = MAP_QUEUES; m < MAP_CHIP; m++)
		if (map_infos[m].kind < OBJECT_KIND_COUNT)
			map_names_room(s->maps.implausible,
				       map_infos[m].words[1], OBJECT_NAME_MAX,
				       &s->maps.found[map_infos[m].kind]);
	for (unsigned k = OBJECT_TEMPERATURE; k <= OBJECT_CARD; k++)
		map_names_room(s->maps.unfit, "sensors", LONG_NAME_MAX,
			       &s->maps.found[k]);
	s->topology.settled = s->maps.complete && s->maps.ready &&
			      s->maps.config_ports > 0;
	for (unsigned k = 0; k < OBJECT_KIND_COUNT; k++)
		if (k < OBJECT_CARD_TEMPERATURE || k > OBJECT_SWITCH)
			list_merge(s, (enum object_kind)k);
	queue_types(s, OBJECT_QUEUE);
	queue_types(s, OBJECT_VOQ);
}

/* Step two: each port's row in CONFIG_DB. */
static void config_ask(struct namespace *s)
{
	const struct object_set *ports = &s->topology.set[OBJECT_PORT];
	struct object_list *l = &s->maps.config;

	l->count = 0;
	if (!object_list_room(l, ports->count)) {
		s->maps.complete = false;
		return;
	}
	while (l->count < ports->count) {
		l->list[l->count] = &ports->list[l->count];
		l->count++;
	}
	row_clear(&s->row[DATABASE_CONFIG]);
	map_ask(s, MAP_CONFIG_ROWS, l->count);
}

/* Of what type are the maps that are not hashes? */
static void types_ask(struct namespace *s)
{
	uint32_t wrong = s->maps.wrong & ((1u << MAP_GEARBOXES) - 1);

	map_ask(s, MAP_TYPES, (size_t)__builtin_popcount(wrong));
}

/* The topology has taken over the lists. */
static void lists_free(struct maps *m)
{
	for (unsigned k = 0; k < OBJECT_KIND_COUNT; k++)
		name_list_free(&m->found[k]);
	name_list_free(&m->types);
}

static void maps_end(struct namespace *s)
{
	struct topology *t = &s->topology;

	topology_merged(t);
	cages_lanes(t);
	lists_free(&s->maps);
	s->maps.running = false;
	s->maps.known = true;
	s->maps.connects = s->channel[DATABASE_COUNTERS].connects;
	if (t->renumbered > 0) {
		char text[64];

		(void)snprintf(text, sizeof(text),
			       "%u objects of COUNTERS_DB have new ids",
			       t->renumbered);
		s->host->event(s->host->context, ENTITY_NONE,
			       EVENT_SOURCE_RESTARTED, t->renumbered,
			       s->maps.at, text);
		changes_tell(s, EVENT_SERVICE_RESTARTED, s->maps.at, "syncd",
			     "", text);
		t->renumbered = 0;
	}
	thresholds_give(s);
	if (s->maps.generation != t->generation) {
		s->wake = s->maps.at;	/* rows are written after names */
		s->wake_until.ns = s->maps.at.ns + WAKE_NS;
	}
	s->maps.generation = t->generation;
	s->maps.done(s);
}

static void names_end(struct namespace *s)
{
	names_merge(s);
	s->maps.pending = 1;	/* held until all are sent */
	config_ask(s);
	types_ask(s);
	if (--s->maps.pending == 0)
		maps_end(s);
}

/* A query of the first step ended, or the second step did. */
static void map_ended(struct namespace *s, enum map_query m)
{
	if (--s->maps.pending > 0)
		return;
	if (m >= MAP_CONFIG_ROWS)
		maps_end(s);
	else
		names_end(s);
}

static void map_done(struct redis_query *q, const char *reason)
{
	struct namespace *s = q->context;
	enum map_query m = map_of(s, q);

	if (reason)
		map_fault(&s->maps, m, reason);
	map_ended(s, m);
}

static const struct query_ops map_ops = {
	.write = map_write,
	.name = map_name,
	.value = map_value,
	.reply = map_reply,
	.done = map_done,
};

/* --- keys ----------------------------------------------------------------- */

static enum map_query map_listed(const struct lister *l)
{
	const struct namespace *s = l->context;

	return (enum map_query)(MAP_SENSORS + (l - s->maps.lister));
}

static void on_key(struct lister *l, const char *text, size_t len)
{
	enum map_query m = map_listed(l);

	map_names_key(l->context, m,
		      namespace_separator(l->context,
				   (enum database_name)map_infos[m].database),
		      text, len);
}

/* If there are too many keys we do without. */
static void on_listed(struct lister *l, int rc)
{
	struct namespace *s = l->context;
	enum map_query m = map_listed(l);

	s->maps.refused |= rc == -EPROTO && !map_infos[m].optional;
	if (rc < 0 && rc != -E2BIG)
		map_fault(&s->maps, m, l->reason);
	if (rc < 0 && m == MAP_SENSORS)
		map_names_keep_sensors(s);
	map_ended(s, m);
}

static const struct lister_ops list_ops = {
	.key = on_key,
	.done = on_listed,
};

/* Sensors are listed in a larger database, too, but seldom there. */
static long long keys_max(struct maps *maps, enum map_query m)
{
	bool is_due = maps->sensors_at.ns == 0 ||
		      maps->at.ns - maps->sensors_at.ns >= SENSORS_PERIOD_NS;

	if (m != MAP_SENSORS || !is_due)
		return LISTER_KEYS_MAX;
	maps->sensors_at = maps->at;
	return KEYS_SENSORS_MAX;
}

static void keys_ask(struct namespace *s, enum map_query m)
{
	struct lister *l = &s->maps.lister[m - MAP_SENSORS];
	uint8_t database = map_infos[m].database;

	if (map_infos[m].optional && !s->databases.of[database].known)
		return;
	if (m == MAP_SENSORS && s->name[0])
		return;		/* the host's databases have them */
	lister_begin(l, &list_ops, s);
	map_names_patterns(s, m, l);
	s->maps.pending++;
	lister_ask(l, &s->channel[database], keys_max(&s->maps, m),
		   s->maps.at);
}

/* --- interface for the polls ---------------------------------------------- */

/* As on a switch without settings. */
static void flex_clear(struct namespace *s)
{
	for (unsigned i = 0; i < FLEX_GROUP_COUNT; i++) {
		s->flex[i].interval_ns =
			flex_group_interval_ns((enum flex_group)i);
		s->flex[i].disabled = s->flex[i].known = false;
		s->flex[i].wrong = false;
	}
}

int maps_init(struct namespace *s, void (*done)(struct namespace *s))
{
	s->maps.done = done;
	for (unsigned m = 0; m < MAP_COUNT; m++) {
		s->maps.query[m].ops = &map_ops;
		s->maps.query[m].context = s;
		s->maps.query[m].pairs = map_infos[m].pairs;
	}
	flex_clear(s);
	return ports_config_index(&s->maps.config_index);
}

void maps_fini(struct namespace *s)
{
	lists_free(&s->maps);
	field_index_fini(&s->maps.config_index);
	free(s->maps.config.list);
	free(s->maps.long_names);
}

bool maps_due(const struct namespace *s, struct mono now)
{
	const struct maps *m = &s->maps;
	int64_t age_ns = now.ns - m->at.ns;

	return !m->known || m->stale || age_ns >= MAPS_PERIOD_NS ||
	       m->connects != s->channel[DATABASE_COUNTERS].connects ||
	       ((!m->complete || m->missed) && age_ns >= MAPS_RETRY_NS);
}

void maps_start(struct namespace *s, struct mono now)
{
	struct maps *maps = &s->maps;

	maps->running = true;
	maps->stale = maps->missed = false;
	maps->complete = true;
	maps->refused = maps->ready = maps->cut = false;
	maps->reason[0] = maps->implausible[0] = maps->unfit[0] = '\0';
	maps->rows_wrong[0] = '\0';
	maps->wrong = 0;
	memset(maps->type, 0, sizeof(maps->type));
	maps->at = now;
	maps->pending = 1;	/* held until all are sent */
	flex_clear(s);
	maps->config_ports = 0;
	for (unsigned m = 0; m < MAP_CONFIG_ROWS; m++) {
		maps->size[m] = -1;
		if (m >= MAP_SENSORS && m < MAP_SENSORS + MAP_LISTED_COUNT)
			keys_ask(s, (enum map_query)m);
		else
			map_ask(s, (enum map_query)m,
				m == MAP_FLEX ? FLEX_GROUP_COUNT : 1);
	}
	if (--maps->pending == 0)
		names_end(s);
}
