#include "agent/signature/recall.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/signature/cadence.h"
#include "agent/signature/environment.h"
#include "agent/signature/fec.h"
#include "agent/signature/site.h"
#include "agent/signature/switch_sensor.h"
#include "agent/signature/wide.h"

#define HEADER_LEN 28		/* magic, version, wall, mono */
#define CRC_LEN 4
#define PATIENCE_NS (600 * NS_PER_S)	/* until all ports are known */
#define SAME_CLOCK_NS NS_PER_S	/* clocks that differ less did not restart */
#define COLUMNS_MAX 4096
#define PARTS_MAX 8192
#define MOMENT_MOST (INT64_C(1) << 61)

struct part {
	enum recall_kind kind;
	struct cursor name, body;
	bool is_sane, taken;
};

struct past_table {
	const struct kept *own;		/* NULL: this build has none */
	size_t first, columns, detector;	/* its number, of a detector */
};

/* The state of a port's memory. */
enum port_is { PORT_ASKS, PORT_TAKEN, PORT_SETTLED };

struct recall {
	uint8_t *octets;
	struct mono now;		/* when it was taken in */
	struct wall wall;
	struct kept_clock clock;
	bool restarted;			/* the clock did since */
	struct past_table table[RECALL_TABLES_MAX];
	size_t tables, columns, parts;
	struct kept_column column[COLUMNS_MAX];
	struct part *part;
	uint8_t *port_is;		/* enum port_is of each port */
};

static const struct kept_field engine_fields[] = {
	KEEP_PART(struct engine, site, site_kept),
	KEEP(struct engine, looked),
	KEEP_PART(struct engine, benigns, benigns_kept),
};

static const struct kept engine_kept =
	KEPT_TABLE(struct engine, "engine", engine_fields);

static const struct kept_field engine_port_fields[] = {
	KEEP_NOT(struct engine_port, facts, "they come with the port"),
	KEEP_NOT(struct engine_port, gone, "it is here"),
	KEEP_NOT(struct engine_port, restarted, "of the last seconds"),
	KEEP_PART(struct engine_port, front, front_kept),
	KEEP_PART(struct engine_port, ber, ber_kept),
	KEEP_PART(struct engine_port, light, light_kept),
	KEEP_PART(struct engine_port, lanes, lane_usual_kept),
	KEEP_PART(struct engine_port, traffic, load_kept),
	KEEP_PART(struct engine_port, heat, heat_kept),
	KEEP_PART(struct engine_port, cadence, cadence_kept),
	KEEP_TO(struct engine_port, errors, SEVERITY_COUNT - 1),
	KEEP_NOT(struct engine_port, siblings_log_ber, "looked at soon"),
	KEEP_NOT(struct engine_port, group, "the facts name it"),
	KEEP_NOT(struct engine_port, air, "the facts name it"),
	KEEP_NOT(struct engine_port, part_of, "by enum recall_share"),
	KEEP_NOT(struct engine_port, awake, "all are asked once"),
	KEEP_NOT(struct engine_port, slots, "rows of their own"),
};

static const struct kept engine_port_kept =
	KEPT_TABLE(struct engine_port, "port", engine_port_fields);

const struct kept *recall_kept(size_t n)
{
	static const struct kept *const own[RECALL_DETECTORS] = {
		[RECALL_ENGINE] = &engine_kept,
		[RECALL_PORT] = &engine_port_kept,
		[RECALL_SLOT] = &life_slot_kept,
		[RECALL_WIDE] = &wide_kept, [RECALL_SENSOR] = &sensor_kept,
	};
	const struct detector *const *table;
	size_t count = detectors(&table);

	if (n < RECALL_DETECTORS)
		return own[n];
	n -= RECALL_DETECTORS;
	return n < count ? table[n]->kept : NULL;
}

static struct cursor name_read(struct cursor *c)
{
	size_t len = cursor_u8(c);

	if (len >= MEMORY_NAME_MAX)
		cursor_fail(c);
	return cursor_sub(c, len);
}

static bool name_is(const struct cursor *name, const char *word)
{
	return strlen(word) == name->len &&
	       memcmp(word, name->data, name->len) == 0;
}

/* Detectors by name, as their order may change; others also by place. */
static void table_find(size_t n, const struct cursor *name,
		       struct past_table *ret)
{
	const struct kept *own = recall_kept(n);

	if (n < RECALL_DETECTORS) {
		ret->own = name_is(name, own->name) ? own : NULL;
		return;
	}
	for (n = RECALL_DETECTORS; (own = recall_kept(n)); n++)
		if (name_is(name, own->name)) {
			ret->own = own;
			ret->detector = n - RECALL_DETECTORS;
		}
}

/* ret NULL: only checks it. */
static void shape_read(struct cursor *c, size_t n, struct recall *ret)
{
	struct cursor name = name_read(c);
	struct past_table t = { .first = ret ? ret->columns : 0 };
	struct kept_column column;

	if (cursor_ok(c))
		table_find(n, &name, &t);
	t.columns = cursor_varint(c);
	for (size_t i = 0; i < t.columns && cursor_ok(c); i++) {
		kept_column_read(c, t.own, &column);
		if (t.first + i >= COLUMNS_MAX)
			cursor_fail(c);
		else if (ret)
			ret->column[ret->columns++] = column;
	}
	if (ret && cursor_ok(c))
		ret->table[ret->tables++] = t;
}

static void part_read(struct cursor *c, struct part *ret)
{
	unsigned kind = cursor_u8(c);

	ret->kind = (enum recall_kind)kind;
	ret->name = name_read(c);
	ret->body = cursor_sub(c, cursor_be32(c));
	if (kind == 0 || kind >= PART_KIND_COUNT)
		cursor_fail(c);
}

static void shapes_read(struct cursor *c, struct recall *ret)
{
	uint64_t tables = cursor_varint(c);

	if (tables < RECALL_DETECTORS || tables > RECALL_TABLES_MAX)
		cursor_fail(c);
	for (size_t i = 0; i < tables && cursor_ok(c); i++)
		shape_read(c, i, ret);
}

static size_t parts_count(struct cursor *c)
{
	uint64_t parts = cursor_varint(c);

	if (parts > PARTS_MAX)
		cursor_fail(c);
	return cursor_ok(c) ? (size_t)parts : 0;
}

bool recall_is_whole(struct cursor *c)
{
	struct part part;
	size_t parts;

	shapes_read(c, NULL);
	parts = parts_count(c);
	for (size_t i = 0; i < parts && cursor_ok(c); i++)
		part_read(c, &part);
	return cursor_ok(c) && cursor_left(c) == 0;
}

/* Reads one row of a table; to NULL: only checks it. */
static bool row_read(const struct recall *r, size_t table, struct cursor *c,
		     void *to)
{
	const struct past_table *t = &r->table[table];

	return kept_row_read(c, &r->column[t->first], t->columns, &r->clock,
			     to);
}

static bool is_sane_port(const struct recall *r, struct cursor *c)
{
	(void)cursor_varint(c);		/* FEC, speed */
	(void)cursor_varint(c);
	if (cursor_u8(c) >= SHARE_COUNT || !row_read(r, RECALL_PORT, c, NULL))
		return false;
	for (size_t i = RECALL_DETECTORS; i < r->tables; i++)
		if (!row_read(r, RECALL_SLOT, c, NULL) ||
		    !row_read(r, i, c, NULL))
			return false;
	return true;
}

static bool is_sane(const struct recall *r, struct part *p)
{
	static const size_t table[PART_KIND_COUNT] = {
		[PART_ENGINE] = RECALL_ENGINE, [PART_GROUP] = RECALL_WIDE,
		[PART_AIR] = RECALL_WIDE, [PART_SENSOR] = RECALL_SENSOR,
	};
	struct cursor c = p->body;

	if (p->kind == PART_PORT ? !is_sane_port(r, &c) :
				   !row_read(r, table[p->kind], &c, NULL))
		return false;
	return cursor_ok(&c) && cursor_left(&c) == 0;
}

/* The wall clock bridges the gap, as the monotonic clock of another run may be
 * of another boot. Where both agree it is the same boot.
 */
static void clock_make(struct recall *r, struct mono then, struct wall wall)
{
	int64_t gap = r->wall.ns - wall.ns, off;

	r->clock.gap_ns = gap > 0 ? gap : 0;
	r->clock.then.ns = r->now.ns - r->clock.gap_ns;
	off = r->clock.then.ns - then.ns;
	r->restarted = off > SAME_CLOCK_NS || off < -SAME_CLOCK_NS;
	if (!r->restarted)
		r->clock.then = then;
}

static struct wall moment_read(struct cursor *c)
{
	uint64_t ns = cursor_be64(c);

	return (struct wall){ ns < MOMENT_MOST ? (int64_t)ns : 0 };
}

static void octets_read(struct recall *r, size_t len)
{
	struct cursor c = cursor_of(r->octets, len - CRC_LEN);
	struct wall wall;
	struct mono then;

	(void)cursor_be64(&c);		/* magic and version were checked */
	(void)cursor_be32(&c);
	wall = moment_read(&c);
	then.ns = moment_read(&c).ns;
	clock_make(r, then, wall);
	shapes_read(&c, r);
	r->parts = parts_count(&c);
	for (size_t i = 0; i < r->parts; i++) {
		part_read(&c, &r->part[i]);
		r->part[i].is_sane = is_sane(r, &r->part[i]);
	}
}

int recall_new(const struct engine *e, const void *from, size_t len,
	       struct mono now, struct wall wall, struct recall **ret)
{
	struct recall *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->now = now;
	r->wall = wall;
	r->octets = malloc(len);
	r->part = calloc(PARTS_MAX, sizeof(*r->part));
	r->port_is = calloc(e->ports_max + 1, sizeof(*r->port_is));
	if (!r->octets || !r->part || !r->port_is) {
		recall_free(r);
		return -ENOMEM;
	}
	memcpy(r->octets, from, len);
	octets_read(r, len);
	*ret = r;
	return 0;
}

void recall_free(struct recall *r)
{
	if (!r)
		return;
	free(r->octets);
	free(r->part);
	free(r->port_is);
	free(r);
}

static struct part *part_find(struct recall *r, enum recall_kind kind,
			      const char *name)
{
	for (size_t i = 0; i < r->parts; i++) {
		struct part *p = &r->part[i];

		if (p->kind == kind && p->is_sane && !p->taken &&
		    name_is(&p->name, name))
			return p;
	}
	return NULL;
}

/* Each part is taken once. */
static bool part_take(struct recall *r, enum recall_kind kind,
		      const char *name, struct cursor *ret)
{
	struct part *p = part_find(r, kind, name);

	if (!p)
		return false;
	p->taken = true;
	*ret = p->body;
	return true;
}

void recall_engine(struct engine *e)
{
	struct recall *r = e->recall;
	struct cursor c;

	for (size_t i = 0; i < r->parts; i++) {
		bool is_port = r->part[i].kind == PART_PORT;

		e->recalled.ports += is_port;
		e->recalled.not_sane += is_port && !r->part[i].is_sane;
	}
	e->recalled.waiting = e->recalled.ports - e->recalled.not_sane;
	if (part_take(r, PART_ENGINE, "", &c))
		(void)row_read(r, RECALL_ENGINE, &c, e);	/* is sane */
}

/* The slot's open finding goes on, whether it is restored before this or after;
 * a finding that is not in memory is restored by its detector.
 */
static void slot_take(const struct engine *e, struct engine_port *p, size_t n,
		      struct life_slot *was, void *state)
{
	struct life_slot *s = &p->slots[n];
	const struct finding *f;

	if (!life_is_open(s)) {
		life_remember(s, was);
		return;
	}
	f = &e->life.pool[s->open - 1];
	if (life_is_remembered(was, f)) {
		was->open = s->open;
		life_remember(s, was);
	} else if (e->table[n]->restore) {
		e->table[n]->restore(state, &p->ber, f);
	}
}

static void detector_take(const struct engine *e, struct engine_port *p,
			  const struct past_table *t, struct cursor *c)
{
	const struct recall *r = e->recall;
	struct life_slot was;
	void *state;

	life_slot_start(&was);
	(void)row_read(r, RECALL_SLOT, c, &was);
	if (!t->own) {
		(void)kept_row_read(c, &r->column[t->first], t->columns,
				    &r->clock, NULL);
		return;
	}
	state = (char *)p->state + e->offset[t->detector];
	memset(state, 0, e->table[t->detector]->state_size);
	if (e->table[t->detector]->start)
		e->table[t->detector]->start(state, &p->facts);
	(void)kept_row_read(c, &r->column[t->first], t->columns, &r->clock,
			    state);
	slot_take(e, p, t->detector, &was, state);
}

static void port_take(struct engine *e, struct engine_port *p,
		      struct cursor *c, bool counts_anew)
{
	const struct recall *r = e->recall;
	unsigned share = cursor_u8(c);

	p->part_of = share == SHARE_GROUP ? p->group :
		     share == SHARE_AIR ? p->air :
		     share == SHARE_SWITCH ? wide_find(&e->airs, "") : NULL;
	(void)row_read(r, RECALL_PORT, c, p);	/* is sane */
	if (counts_anew || !ber_is_sound(&p->ber))
		ber_start(&p->ber, &p->facts);
	if (r->restarted) {
		front_restarted(&p->front);
		ber_counters_cleared(&p->ber);
	}
	for (size_t i = RECALL_DETECTORS; i < r->tables; i++)
		detector_take(e, p, &r->table[i], c);
}

static bool facts_are_known(const struct port_facts *f)
{
	return f->speed_mbps != 0 && fec_code_find(f->fec);
}

void recall_port(struct engine *e, uint32_t port)
{
	struct engine_port *p = e->ports[port];
	struct part *part;
	struct cursor c;
	uint64_t fec, speed;
	bool as_it_was;

	if (e->recall->port_is[port] != PORT_ASKS)
		return;
	part = part_find(e->recall, PART_PORT, p->facts.name);
	if (!part) {
		e->recall->port_is[port] = PORT_SETTLED;
		return;
	}
	c = part->body;
	fec = cursor_varint(&c);
	speed = cursor_varint(&c);
	as_it_was = fec == (uint64_t)p->facts.fec &&
		    speed == p->facts.speed_mbps;
	if (!as_it_was && !facts_are_known(&p->facts))
		return;
	part->taken = true;
	port_take(e, p, &c, !as_it_was);
	e->recall->port_is[port] = PORT_TAKEN;
	e->recalled.taken++;
	e->recalled.waiting--;
}

void recall_reading(struct engine *e, uint32_t port)
{
	const struct front *f = &e->ports[port]->front;
	uint8_t *is = &e->recall->port_is[port];

	if (*is != PORT_TAKEN ||
	    f->seen[NEED_SERIAL].ns < e->recall->now.ns)
		return;
	*is = PORT_SETTLED;
	e->recalled.other_module += f->module_changed;
}

void recall_wide(struct engine *e, struct wide *w, enum recall_kind kind)
{
	struct wide was = *w;
	struct cursor c;

	if (!part_take(e->recall, kind, w->name, &c))
		return;
	(void)row_read(e->recall, RECALL_WIDE, &c, &was);	/* is sane */
	was.slot.open = w->slot.open;
	if (life_is_open(&w->slot) &&
	    !life_is_remembered(&was.slot, &e->life.pool[w->slot.open - 1]))
		was.slot = w->slot;
	life_remember(&was.slot, &was.slot);
	*w = was;
}

void recall_sensor(struct engine *e, struct sensor *s)
{
	struct cursor c;

	if (part_take(e->recall, PART_SENSOR, s->facts.name, &c))
		(void)row_read(e->recall, RECALL_SENSOR, &c, s);
	recall_wide(e, s->air, PART_AIR);
}

void recall_finding(const struct engine *e, struct finding *f)
{
	const struct recall *r = e->recall;

	if (!r || !r->restarted)
		return;
	f->onset.ns = r->now.ns - (r->wall.ns - f->onset_wall.ns);
	f->when.ns = r->now.ns - (r->wall.ns - f->when_wall.ns);
}

void recall_tick(struct engine *e, struct mono now)
{
	if (mono_diff_ns(now, e->recall->now) < PATIENCE_NS)
		return;
	e->recalled.waiting = 0;
	recall_free(e->recall);
	e->recall = NULL;
}
