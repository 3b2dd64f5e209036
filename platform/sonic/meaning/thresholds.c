/* The limits for a queue's peak: how much memory its buffer profile allows, and
 * where its WRED profile begins to mark; the same for priority groups.
 * CONFIG_DB ties them by name:
 *
 *   BUFFER_QUEUE|Ethernet0|3-4 profile -> BUFFER_PROFILE|egress_lossless
 *   QUEUE|Ethernet0|3 wred_profile ----> WRED_PROFILE|AZURE_LOSSLESS
 *
 * following_read.c keeps its rows: nothing is read for this. If the buffer
 * model computes a profile, CONFIG_DB names none, and nothing is reported.
 */
#include "platform/sonic/meaning/tables.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"
#include "platform/sonic/switchdb/namespace.h"
#include "platform/sonic/meaning/text.h"

#define NUMBER_MAX 255		/* of a queue or group in its port */
#define PERCENT 10000		/* in ppm */
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define OCTETS(field, quantity) { field, quantity, 0, 0, FIELD_SCALED, 1 }
#define COLOUR(name, index)						\
	{ name "_min_threshold", Q_QUEUE_WRED_MIN_OCTETS, index, 0,	\
	  FIELD_SCALED, 1 },						\
	{ name "_max_threshold", Q_QUEUE_WRED_MAX_OCTETS, index, 0,	\
	  FIELD_SCALED, 1 },						\
	{ name "_drop_probability", Q_QUEUE_WRED_PROBABILITY_PPM,	\
	  index, 0, FIELD_SCALED, PERCENT },				\
	{ "wred_" name "_enable", Q_QUEUE_WRED_ON, index, 0,		\
	  FIELD_BOOL, 1 }

static const struct field queue_buffer[] = {
	OCTETS("size", Q_QUEUE_RESERVED_OCTETS),
	OCTETS("dynamic_th", Q_QUEUE_ALPHA_LOG2),
	OCTETS("static_th", Q_QUEUE_LIMIT_OCTETS),
};

static const struct field group_buffer[] = {
	OCTETS("size", Q_PG_RESERVED_OCTETS),
	OCTETS("dynamic_th", Q_PG_ALPHA_LOG2),
	OCTETS("static_th", Q_PG_LIMIT_OCTETS),
	OCTETS("xon", Q_PG_XON_OCTETS),
	OCTETS("xon_offset", Q_PG_XON_OFFSET_OCTETS),
	OCTETS("xoff", Q_PG_XOFF_OCTETS),
};

static const struct field queue_wred[] = {
	COLOUR("green", 0), COLOUR("yellow", 1), COLOUR("red", 2),
	{ "ecn", Q_QUEUE_ECN_COLOURS, 0, 0, FIELD_WORD, WORDS_ECN },
};

/* The tables that tie objects to profiles. */
static const struct profile_tie {
	const char *table, *field, *profile;
	enum object_kind kind;
	struct fields limits;
} ties[] = {
	{ "BUFFER_QUEUE", "profile", "BUFFER_PROFILE", OBJECT_QUEUE,
	  { queue_buffer, COUNT(queue_buffer) } },
	{ "BUFFER_PG", "profile", "BUFFER_PROFILE", OBJECT_GROUP,
	  { group_buffer, COUNT(group_buffer) } },
	{ "QUEUE", "wred_profile", "WRED_PROFILE", OBJECT_QUEUE,
	  { queue_wred, COUNT(queue_wred) } },
};

/* A tie in a row, with its profile's key and the time of reading. */
struct bond {
	struct namespace *namespace;
	const struct profile_tie *tie;
	char profile[COMMAND_KEY_MAX];
	struct read_group age;
};

static void object_give(const struct bond *b, const char *name)
{
	const struct namespace *s = b->namespace;
	const struct rows *rows = &s->following.rows[FOLLOWING_CONFIG];
	const struct platform_host *host = s->host;
	const struct object *o = topology_find(&s->topology, b->tie->kind,
					       name);

	if (!o || o->handle == ENTITY_NONE)
		return;
	host->group(host->context, SONIC_CHANGES, o->handle, &b->age);
	for (unsigned i = 0; i < b->tie->limits.count; i++) {
		const struct field *f = &b->tie->limits.list[i];
		int64_t value;

		if (field_parse(f, rows_field(rows, b->profile, f->name),
				&value) == 0)
			host->sample(host->context, (enum quantity)f->quantity,
				     f->index, value, QUALITY_GOOD);
	}
}

/* "3" or "3-4". */
static bool range_parse(const char *text, uint64_t ret[2])
{
	size_t len = strcspn(text, "-");

	if (number_parse_n(text, len, 0, NUMBER_MAX, &ret[0]) < 0)
		return false;
	ret[1] = ret[0];
	return !text[len] || (number_parse(text + len + 1, ret[0], NUMBER_MAX,
					   &ret[1]) == 0);
}

/* "Ethernet0,Ethernet4|3-4": all of these ports, all of these numbers. Keys
 * with more parts are for other chips' ports.
 */
static void key_give(const struct bond *b, const char *key, char separator)
{
	const char *end = strchr(key, separator);
	uint64_t range[2];

	if (!end || strchr(end + 1, separator) || !range_parse(end + 1, range))
		return;
	while (key < end) {
		size_t len = strcspn(key, (const char[]){ ',', separator,
							  '\0' });

		for (uint64_t n = range[0]; n <= range[1]; n++) {
			char name[OBJECT_NAME_MAX];
			int room = snprintf(name, sizeof(name), "%.*s:%u",
					    (int)len, key, (unsigned)n);

			if (room < (int)sizeof(name))
				object_give(b, name);
		}
		key += len + 1;
	}
}

/* A profile by its name, or as written by images before 2022: [TABLE|name]. */
static bool profile_key(struct bond *b, const char *text, char separator)
{
	const char *name = text;
	int len, n;

	if (text[0] == '[') {
		name = strchr(text, separator);
		if (!name)
			return false;
		name++;
	}
	len = (int)strcspn(name, "]");
	n = snprintf(b->profile, sizeof(b->profile), "%s%c%.*s",
		     b->tie->profile, separator, len, name);
	return len > 0 && n < (int)sizeof(b->profile);
}

static void tie_give(struct namespace *s, const struct profile_tie *tie)
{
	const struct following *t = &s->following;
	const struct rows *rows = &t->rows[FOLLOWING_CONFIG];
	char separator = namespace_separator(s, DATABASE_CONFIG);
	size_t table = strlen(tie->table);

	for (size_t i = 0; i < rows->count; i++) {
		const char *key = rows->list[i].key;
		/* Two may be for one queue: they are 1 ns apart. */
		struct bond b = { .namespace = s, .tie = tie,
				  .age = { .taken = { t->asked_at.ns +
						      (int64_t)i },
					   .part = (uint32_t)(tie - ties) } };

		if (strncmp(key, tie->table, table) == 0 &&
		    key[table] == separator &&
		    profile_key(&b, rows_field(rows, key, tie->field),
				separator))
			key_give(&b, key + table + 1, separator);
	}
}

void thresholds_give(struct namespace *s)
{
	if (!s->following.derive || !s->following.known || !s->maps.known)
		return;
	s->following.derive = false;
	for (size_t i = 0; i < COUNT(ties); i++)
		tie_give(s, &ties[i]);
	neighbors_describe(s);
}
