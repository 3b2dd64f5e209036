#include "platform/sonic/meaning/chassis.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/number.h"
#include "agent/base/path.h"
#include "platform/sonic/meaning/counters.h"
#include "platform/sonic/meaning/words.h"
#include "platform/sonic/poll/note.h"
#include "platform/sonic/switchdb/namespace.h"

#define SLOT_MAX 999
#define NO_ADDRESS "0.0.0.0"			/* chassisd's for none */
#define CARDS_PERIOD_NS (10 * NS_PER_S)		/* chassisd's */

/* Which kind of sensor a table has, as its name begins. */
static const struct {
	const char *table;
	enum object_kind kind;
} slot_tables[] = {
	{ "TEMPERATURE_INFO_", OBJECT_CARD_TEMPERATURE },
	{ "VOLTAGE_INFO_", OBJECT_CARD_VOLTAGE },
	{ "CURRENT_INFO_", OBJECT_CARD_CURRENT },
};

#define SLOT_TABLES (sizeof(slot_tables) / sizeof(slot_tables[0]))

enum { CARD_TEXT_SLOT, CARD_TEXT_ADDRESS };

static const struct field card[] = {
	FIELD_ATTRIBUTE("desc", 2, ATTRIBUTE_DESCRIPTION),
	FIELD_ATTRIBUTE("slot", CARD_TEXT_SLOT, ATTRIBUTE_SLOT),
	FIELD_ATTRIBUTE("serial", 3, ATTRIBUTE_SERIAL),
	{ "oper_status", Q_CARD_STATE, 0, 0, FIELD_WORD, WORDS_CARD },
	{ "num_asics", Q_CARD_CHIPS, 0, 0, FIELD_SCALED, 1 },
};

static const struct field card_midplane[] = {
	{ "access", Q_CARD_REACHABLE, 0, 0, FIELD_BOOL, 1 },
	FIELD_AS_TEXT("ip_address", CARD_TEXT_ADDRESS),
};

static const struct field card_host[] = {
	FIELD_ATTRIBUTE("hostname", 2, ATTRIBUTE_ALIAS),
};

/* --- rows ----------------------------------------------------------------- */

static void part_row(struct poll *p, struct run *r, struct object *o,
		     const struct row *row)
{
	const struct platform_host *host = r->namespace->host;
	const char *address = row->text[CARD_TEXT_ADDRESS];
	const struct read_group age = {
		.taken = { p->asked.ns - CARDS_PERIOD_NS / 2 },
		.uncertainty_ns = CARDS_PERIOD_NS / 2 };

	row_attributes(row, &r->index, host, o->handle, false);
	if (address[0] && strcmp(address, NO_ADDRESS) != 0)
		host->attribute(host->context, o->handle, ATTRIBUTE_ADDRESS,
				address);
	counters_row_aged(p, r, o, row, &age);
}

/* A card: its state, place and chips. */
static void card_row(struct poll *p, struct run *r, struct object *o,
		     const struct row *row)
{
	const struct platform_host *host = r->namespace->host;
	const char *slot = row->text[CARD_TEXT_SLOT];
	uint64_t number;

	host->attribute(host->context, o->handle, ATTRIBUTE_LABEL,
			r->table->name);
	o->own_slot = 0;
	if (strncmp(o->name, "SUPERVISOR", 10) == 0 &&
	    number_parse(slot, 0, SLOT_MAX, &number) == 0)
		o->own_slot = 1 + (uint32_t)number;
	part_row(p, r, o, row);
}

/* --- which sensors there are ---------------------------------------------- */

/* TEMPERATURE_INFO_3|CPU: what stands behind the table's name is kept. */
static void slot_key(struct lister *l, const char *text, size_t len)
{
	const struct poll *p = l->context;

	for (size_t i = 0; i < SLOT_TABLES; i++) {
		size_t table = strlen(slot_tables[i].table);

		if (len > table &&
		    memcmp(text, slot_tables[i].table, table) == 0)
			name_list_add(&p->namespace->chassis.found[
					      slot_tables[i].kind],
				      text + table, len - table, 0);
	}
}

static void slot_done(struct lister *l, int rc)
{
	struct poll *p = l->context;

	p->namespace->chassis.listed = rc == 0;
	if (rc < 0)
		note_first(p, "%.150s", l->reason);
	p->errors += rc == -EPROTO || rc == -E2BIG;
	p->query_done(p, rc == -ENODATA ? l->reason : NULL);
}

static const struct lister_ops slot_ops = {
	.key = slot_key,
	.done = slot_done,
};

static void keys_ask(struct poll *p)
{
	struct lister *l = &p->namespace->chassis.lister;

	lister_begin(l, &slot_ops, p);
	for (size_t i = 0; i < SLOT_TABLES; i++)
		lister_add(l, "%s*", slot_tables[i].table);
	p->pending++;
	if (lister_ask(l, &p->namespace->channel[DATABASE_CHASSIS_STATE],
		       LISTER_KEYS_MAX, p->asked) < 0)
		p->pending--;
}

/* A line card has the name of the database, and no socket. */
static bool is_remote(const struct namespace *s)
{
	const struct channel *c = &s->channel[DATABASE_CHASSIS_STATE];
	int fd;

	if (c->connects > 0)
		return false;
	fd = path_open(s->root_fd, c->database.socket, O_PATH);
	if (fd < 0)
		return fd == -ENOENT || fd == -ENOTDIR;
	close(fd);
	return false;
}

void chassis_ask(struct poll *p)
{
	struct namespace *s = p->namespace;
	struct diag d = { "" };

	s->chassis.listed = false;
	for (size_t i = 0; i < SLOT_TABLES; i++)
		name_list_clear(&s->chassis.found[slot_tables[i].kind]);
	if (!s->databases.of[DATABASE_CHASSIS_STATE].known)
		return;
	if (is_remote(s)) {
		note_first(p,
			   "%.100s is not here: the supervisor's agent "
			   "tells of all cards",
			   s->channel[DATABASE_CHASSIS_STATE].database.socket);
		return;
	}
	if (channel_ready(&s->channel[DATABASE_CHASSIS_STATE], p->asked,
			  &d) < 0) {
		p->failed = true;
		note_first(p, "%.150s", d.text);
		return;
	}
	keys_ask(p);
}

/* What the supervisor writes for the others it has in STATE_DB as well. */
static bool is_own(const struct namespace *s, const char *name)
{
	const struct object_set *cards = &s->topology.set[OBJECT_CARD];
	uint64_t slot;

	if (number_parse_n(name, strcspn(name, "|:"), 0, SLOT_MAX, &slot) < 0)
		return false;
	for (size_t i = 0; i < cards->count; i++)
		if (cards->list[i].own_slot == 1 + slot)
			return true;
	return false;
}

static void own_drop(const struct namespace *s, struct name_list *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->count; i++)
		if (!is_own(s, l->list[i].name))
			l->list[kept++] = l->list[i];
	l->count = kept;
}

/* Merging begins all polls that are under way anew. */
static bool is_news(const struct object_set *set, const struct name_list *l)
{
	if (set->count != l->count)
		return true;
	for (size_t i = 0; i < l->count; i++)
		if (set->list[i].missing.ns != 0 ||
		    strcmp(set->list[i].name, l->list[i].name) != 0)
			return true;
	return false;
}

static void sensors_merge(struct poll *p)
{
	struct namespace *s = p->namespace;

	for (size_t i = 0; i < SLOT_TABLES; i++) {
		enum object_kind kind = slot_tables[i].kind;
		struct name_list *l = &s->chassis.found[kind];

		own_drop(s, l);
		name_list_sort(l);
		if (!is_news(&s->topology.set[kind], l))
			continue;
		if (topology_merge(&s->topology, kind, l, true, p->asked) < 0)
			note_first(p, "out of memory");
	}
}

bool chassis_end(struct poll *p)
{
	if (p->phase != POLL_RUNS || !p->namespace->chassis.listed)
		return false;
	sensors_merge(p);
	return true;
}

void chassis_fini(struct chassis *c)
{
	for (size_t i = 0; i < SLOT_TABLES; i++)
		name_list_free(&c->found[slot_tables[i].kind]);
	lister_fini(&c->lister);
}

static const struct table tables[] = {
	{ ROW("CHASSIS_MODULE_TABLE", SONIC_CHASSIS, DATABASE_STATE,
	      OBJECT_CARD),
	  FIELDS(card), .whole = true, .optional = true, .take = card_row },
	{ ROW("CHASSIS_MIDPLANE_TABLE", SONIC_CHASSIS, DATABASE_STATE,
	      OBJECT_CARD),
	  FIELDS(card_midplane), .optional = true, .take = part_row },
	{ ROW("CHASSIS_MODULE_TABLE", SONIC_CHASSIS, DATABASE_CHASSIS_STATE,
	      OBJECT_CARD),
	  FIELDS(card_host), .optional = true, .late = true,
	  .take = part_row },
};

const struct table_list chassis_tables = TABLE_LIST(tables);
