#include "agent/state/port_reading.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/state/slots.h"
#include "petrel/quantity.h"

struct plan_input {
	struct slot_place at;
	uint16_t input;
	uint8_t shift;
	bool once;		/* a counter or a peak */
	bool shared;		/* by several sources: the newest counts */
	uint8_t source;		/* whose, agent-wide */
};

/* Where everything of one port lies. */
struct plan {
	uint32_t port, layout;
	const char *serial;	/* the inventory's; NULL unknown */
	unsigned counters, dom;		/* how many of each below */
	/* Counters, then the module's inputs; in the arena of port_reading. The
	 * scratch while the plan is made.
	 */
	struct plan_input *input;
	size_t at;
};

struct port_reading {
	const struct state *state;
	size_t plan_count;
	struct plan *plans;
	uint32_t layout, dictionary;	/* of the plans */
	uint64_t answering;		/* bits of sources that answer */
	struct plan_input *inputs;	/* of all plans, one after another */
	size_t input_count, input_cap;
	struct plan_input scratch[INPUT_COUNT];
};

int port_reading_new(const struct state *s, struct port_reading **ret)
{
	struct port_reading *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->state = s;
	r->answering = UINT64_MAX;
	*ret = r;
	return 0;
}

void port_reading_free(struct port_reading *r)
{
	if (!r)
		return;
	free(r->inputs);
	free(r->plans);
	free(r);
}

static const char *attribute_of(const struct state *s, uint32_t id,
				enum attribute which)
{
	const struct inventory_entity *e = state_entity(s, id);

	return e ? e->attribute[which] : NULL;
}

static uint64_t attribute_number(const struct state *s, uint32_t id,
				 enum attribute which, uint64_t otherwise)
{
	const char *text = attribute_of(s, id, which);
	uint64_t value;

	if (!text || number_parse(text, 0, UINT32_MAX, &value) < 0)
		return otherwise;
	return value;
}

uint32_t state_port_module(const struct state *s, uint32_t port)
{
	uint64_t number = attribute_number(s, port, ATTRIBUTE_MODULE,
					   UINT64_MAX);
	const struct inventory_entity *e = state_entity(s, port);
	uint32_t parent = e ? e->key.parent : state_switch(s);
	uint32_t id = number > UINT32_MAX ? ENTITY_NONE :
		      state_child(s, parent, ENTITY_MODULE, (uint32_t)number);
	size_t n = id == ENTITY_NONE ? state_entities(s, &e) : 0;

	if (id != ENTITY_NONE)
		return id;
	/* The port hangs below an ASIC, its module below the switch. */
	for (size_t i = 0; number <= UINT32_MAX && i < n; i++)
		if (e[i].id && !e[i].gone && e[i].key.kind == ENTITY_MODULE &&
		    e[i].key.number == number)
			return e[i].id;
	return ENTITY_NONE;
}

static const char *module_subject(const struct state *s,
				  const struct inventory_entity *module,
				  char room[static ENTITY_NAME_MAX])
{
	size_t n = state_port_count(s);

	for (size_t i = 0; i < n; i++)
		if (state_port_module(s, state_port(s, i)) == module->id)
			return inventory_shown(
				state_entity(s, state_port(s, i)));
	(void)snprintf(room, ENTITY_NAME_MAX, "cage %u", module->key.number);
	return room;
}

const char *state_subject(const struct state *s, uint32_t entity,
			  char room[static ENTITY_NAME_MAX])
{
	const struct inventory_entity *e = state_entity(s, entity);

	while (e && e->key.kind != ENTITY_MODULE && !e->key.name[0])
		e = state_entity(s, e->key.parent);
	if (e && e->key.kind == ENTITY_MODULE)
		return module_subject(s, e, room);
	return e && e->key.kind != ENTITY_SWITCH ? inventory_shown(e) : "";
}

const char *state_series_name(const struct state *s, uint32_t entity,
			      char room[static STATE_SERIES_NAME_MAX])
{
	const struct inventory_entity *e = state_entity(s, entity);
	char subject[ENTITY_NAME_MAX];
	const char *on;

	if (!e || inventory_shown(e)[0])
		return e ? inventory_shown(e) : "";
	on = state_subject(s, e->key.kind == ENTITY_MODULE ? e->id :
			   e->key.parent, subject);
	if (e->key.kind == ENTITY_MODULE)
		(void)snprintf(room, STATE_SERIES_NAME_MAX, "%s", on);
	else
		(void)snprintf(room, STATE_SERIES_NAME_MAX, "%s%s%s%u", on,
			       on[0] ? "/" : "",
			       entity_kind_name(e->key.kind), e->key.number);
	return room;
}

static uint32_t port_lane(const struct state *s, uint32_t port,
			  uint32_t module, unsigned n)
{
	uint64_t first = attribute_number(s, port, ATTRIBUTE_FIRST_LANE, 1);
	uint64_t count = attribute_number(s, port, ATTRIBUTE_LANE_COUNT,
					  PORT_LANES_MAX);

	if (module == ENTITY_NONE || n >= count)
		return ENTITY_NONE;
	return state_child(s, module, ENTITY_LANE, (uint32_t)first + n);
}

uint32_t state_port_lane(const struct state *s, uint32_t port, unsigned n)
{
	return port_lane(s, port, state_port_module(s, port), n);
}

/* The entity that input n of a row is of; ENTITY_NONE: there is none. */
static uint32_t owner_entity(const struct state *s, uint32_t port,
			     uint32_t module, const struct input_row *row,
			     unsigned n)
{
	switch ((enum input_owner)row->owner) {
	case OWNER_PORT:
		return port;
	case OWNER_MODULE:
		return module;
	case OWNER_LANE:
		return port_lane(s, port, module, n);
	case OWNER_PRIORITY:
		return state_child(s, port, ENTITY_PRIORITY, n);
	case OWNER_QUEUE:
		return state_child(s, port, ENTITY_QUEUE, n);
	}
	return ENTITY_NONE;
}

static bool is_of_module(const struct input_row *row)
{
	return row->owner == OWNER_MODULE || row->owner == OWNER_LANE;
}

/* Inputs of the port and its module differ by index, others by entity. */
static uint16_t index_of(const struct input_row *row, unsigned n)
{
	return row->owner == OWNER_PORT || row->owner == OWNER_MODULE ?
	       (uint16_t)(row->index + n) : row->index;
}

/* A counter counts since its last reading, a peak is of one window: neither may
 * be taken twice.
 */
static bool is_once(enum quantity quantity)
{
	const struct quantity_info *q = quantity_find((uint16_t)quantity);

	return q && (q->kind == KIND_COUNTER || q->kind == KIND_PEAK);
}

/* Finds the slots of a row's inputs; have: inputs that are found already. */
static void plan_row(const struct state *s, struct plan *p, uint32_t module,
		     const struct input_row *row, uint64_t *have)
{
	unsigned *count = is_of_module(row) ? &p->dom : &p->counters;

	for (unsigned n = 0; n < row->count; n++) {
		unsigned i = row->first + n;
		uint32_t id = owner_entity(s, p->port, module, row, n);
		struct plan_input *to = &p->input[p->counters + p->dom];

		if (id == ENTITY_NONE || have[i / 64] >> i % 64 & 1 ||
		    !slots_find(state_slots(s), id, row->quantity,
				index_of(row, n), &to->at))
			continue;
		have[i / 64] |= UINT64_C(1) << i % 64;
		to->input = (uint16_t)i;
		to->shift = row->shift;
		to->once = is_once((enum quantity)row->quantity);
		(*count)++;
	}
}

/* The port's own inputs first, then its module's. */
static void plan_inputs(const struct state *s, struct plan *p, uint32_t module)
{
	uint64_t have[(INPUT_COUNT + 63) / 64] = { 0 };
	const struct input_row *rows;
	size_t count;

	rows = input_rows(&count);
	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < count; i++)
			if (rows[i].quantity && is_of_module(&rows[i]) == pass)
				plan_row(s, p, module, &rows[i], have);
}

/* The sources that answer, one bit each; before: the value before, for sources
 * whose state is not known yet.
 */
static uint64_t sources_answering(const struct state *s, uint64_t before)
{
	const struct state_source *all;
	size_t count = state_sources(s, &all);
	uint64_t answering = 0;

	for (size_t i = 0; i < count && i < 64; i++) {
		uint64_t bit = UINT64_C(1) << i;

		if (all[i].state == SOURCE_FRESH ||
		    all[i].state == SOURCE_LIMITED)
			answering |= bit;
		else if (all[i].state == SOURCE_IDLE ||
			 all[i].state == SOURCE_WAITING)
			answering |= before & bit;
	}
	return answering;
}

/* The number that has most of the port's counters, of all sources and parts
 * that answer.
 */
static unsigned plan_source(const struct state *s, const struct plan *p,
			    uint64_t answering)
{
	const uint8_t *part;
	unsigned best = STATE_NUMBERS_MAX, most = 0,
		 numbers = STATE_SOURCES_MAX + (unsigned)state_parts(s, &part);

	for (unsigned n = 0; n < numbers; n++) {
		struct slot_place at;
		unsigned has = 0;

		if (!(answering >> state_source_of(s, (uint8_t)n) & 1))
			continue;
		for (unsigned i = 0; i < p->counters; i++)
			has += slots_twin(state_slots(s), p->input[i].at,
					  (uint8_t)n, &at);
		if (has > most) {
			most = has;
			best = n;
		}
	}
	return best;
}

static void plan_unify(const struct state *s, struct plan *p,
		       uint64_t answering)
{
	const struct slots *slots = state_slots(s);
	unsigned n = plan_source(s, p, answering);

	for (unsigned i = 0; i < p->counters && n < STATE_NUMBERS_MAX; i++)
		(void)slots_twin(slots, p->input[i].at, (uint8_t)n,
				 &p->input[i].at);
}

/* Its source; inputs other than counters may have several. */
static void plan_readers(const struct state *s, struct plan_input *f)
{
	const struct slots *slots = state_slots(s);
	const uint8_t *part;
	unsigned readers = 0,
		 numbers = STATE_SOURCES_MAX + (unsigned)state_parts(s, &part);

	f->source = (uint8_t)state_source_of(s, slots_source(slots, f->at));
	for (unsigned n = 0; n < numbers && !f->once; n++) {
		struct slot_place at;

		readers += slots_twin(slots, f->at, (uint8_t)n, &at);
	}
	f->shared = readers > 1;
}

/* Appends the scratch to the arena. */
static bool plan_keep(struct port_reading *r, struct plan *p)
{
	size_t n = p->counters + p->dom;

	if (r->input_count + n > r->input_cap) {
		size_t cap = r->input_count + n + r->input_count / 2;
		struct plan_input *more = reallocarray(
			r->inputs, cap, sizeof(*more));

		if (!more)
			return false;
		r->inputs = more;
		r->input_cap = cap;
	}
	for (size_t i = 0; i < n; i++)
		r->inputs[r->input_count + i] = r->scratch[i];
	p->at = r->input_count;
	r->input_count += n;
	return true;
}

static bool plan_make(struct port_reading *r, uint32_t port, uint64_t answering,
		      struct plan *p)
{
	const struct state *s = r->state;
	uint32_t module = state_port_module(s, port);

	memset(p, 0, sizeof(*p));
	memset(r->scratch, 0, sizeof(r->scratch));
	p->port = port;
	p->input = r->scratch;
	plan_inputs(s, p, module);
	plan_unify(s, p, answering);
	for (unsigned i = 0; i < p->counters + p->dom; i++)
		plan_readers(s, &p->input[i]);
	p->serial = attribute_of(s, module, ATTRIBUTE_SERIAL);
	return plan_keep(r, p);
}

/* Plans borrow places and texts, so they are made again after any change. */
static int plans_refresh(struct port_reading *r)
{
	uint32_t layout = slots_layout(state_slots(r->state));
	uint32_t dictionary = state_dictionary_version(r->state);
	uint64_t answering = sources_answering(r->state, r->answering);
	size_t n = state_port_count(r->state);

	if (layout == r->layout && dictionary == r->dictionary &&
	    answering == r->answering && n == r->plan_count)
		return 0;
	if (n != r->plan_count) {
		struct plan *plans = reallocarray(r->plans, n ? n : 1,
						  sizeof(*plans));

		if (!plans)
			return -ENOMEM;
		r->plans = plans;
		r->plan_count = n;
	}
	r->input_count = 0;
	for (size_t i = 0; i < n; i++)
		if (!plan_make(r, state_port(r->state, i), answering,
			       &r->plans[i])) {
			r->layout = ~layout;	/* they are made again */
			return -ENOMEM;
		}
	for (size_t i = 0; i < n; i++)
		r->plans[i].input = r->inputs + r->plans[i].at;
	r->layout = layout;
	r->dictionary = dictionary;
	r->answering = answering;
	return 0;
}

/* Is the value usable? Not when it is gone, or impossible. */
static bool slot_use(const struct port_reading *r, const struct plan_input *f,
		     struct slot_value *ret)
{
	const struct slots *slots = state_slots(r->state);

	slots_get(slots, f->shared ? slots_newest(slots, f->at) : f->at,
		  state_tick_number(r->state), ret);
	return ret->is_there && ret->quality != QUALITY_STALE &&
	       ret->quality != QUALITY_IMPLAUSIBLE;
}

/* Notes whether any value is new, and the newest time. */
static void newest(const struct slot_value *v, bool *is_new, struct mono *t)
{
	if (v->is_new)
		*is_new = true;
	if (v->taken.ns > t->ns)
		*t = v->taken;
}

/* Is it in a part of the module's memory that is read at other times? */
static bool is_timeless(unsigned feature)
{
	return feature >= INPUT_READING_FAULTS &&
	       feature <= INPUT_READING_FAULTS_LAST &&
	       feature != INPUT_READING_FAULTS + READING_OF_MONITORS;
}

/* An input of the port, with its own time. */
static void counter_read(const struct port_reading *r,
			 const struct plan_input *f, struct inputs *ret)
{
	bool is_new = false;
	struct mono t = ret->t;
	struct slot_value v;

	if (!slot_use(r, f, &v))
		return;
	newest(&v, &is_new, &t);
	if (f->once && !is_new)
		return;
	if (f->once && !state_time_is_known(r->state, f->source,
					    v.uncertainty_ns)) {
		ret->time_unknown = true;
	} else {
		inputs_set(ret, f->input,
			 (int64_t)((uint64_t)v.value >> f->shift));
		ret->taken_ns[f->input] = v.taken.ns;
		if (f->input >= INPUT_QUEUE_PEAK &&
		    f->input <= INPUT_QUEUE_PEAK_LAST)
			ret->peak_window_ns = v.window_ns;
	}
	ret->t = t;
	ret->counters_new |= is_new;
}

static void inputs_read(const struct port_reading *r, const struct plan *p,
			  struct inputs *ret)
{
	struct slot_value v;

	for (unsigned i = 0; i < p->counters; i++)
		counter_read(r, &p->input[i], ret);
	for (unsigned i = p->counters; i < p->counters + p->dom; i++) {
		const struct plan_input *f = &p->input[i];

		if (!slot_use(r, f, &v))
			continue;
		if (!is_timeless(f->input))
			newest(&v, &ret->dom_new, &ret->dom_t);
		inputs_set(ret, f->input, v.value);
		ret->taken_ns[f->input] = v.taken.ns;
	}
}

static void text_copy(char *to, size_t cap, const char *text)
{
	size_t n = text ? strnlen(text, cap - 1) : 0;

	if (n > 0)
		memcpy(to, text, n);
	to[n] = '\0';
}

bool port_reading_get(struct port_reading *r, size_t n, struct inputs *ret)
{
	const struct plan *p;

	if (plans_refresh(r) < 0 || n >= r->plan_count)
		return false;
	p = &r->plans[n];
	memset(ret, 0, sizeof(*ret));
	inputs_read(r, p, ret);
	if (!inputs_has(ret, INPUT_PRESENT) && p->serial)
		inputs_set(ret, INPUT_PRESENT, 1);
	text_copy(ret->serial, sizeof(ret->serial), p->serial);
	return ret->counters_new || ret->dom_new;
}

static const struct {
	enum quantity quantity;
	size_t offset;
} threshold_rows[] = {
	{ Q_MODULE_TEMP_THRESHOLD_MC,
	  offsetof(struct port_thresholds, temp_mc) },
	{ Q_MODULE_VCC_THRESHOLD_UV,
	  offsetof(struct port_thresholds, vcc_uv) },
	{ Q_MODULE_RX_POWER_THRESHOLD_PW,
	  offsetof(struct port_thresholds, rx_pw) },
	{ Q_MODULE_TX_POWER_THRESHOLD_PW,
	  offsetof(struct port_thresholds, tx_pw) },
	{ Q_MODULE_TX_BIAS_THRESHOLD_UA,
	  offsetof(struct port_thresholds, bias_ua) },
};

static void thresholds_read(const struct state *s, uint32_t module,
			    struct port_thresholds *ret)
{
	size_t rows = sizeof(threshold_rows) / sizeof(threshold_rows[0]);
	size_t found = 0;

	for (size_t i = 0; i < rows; i++) {
		int64_t *edges = (int64_t *)((char *)ret +
					     threshold_rows[i].offset);

		for (unsigned e = 0; e < THRESHOLD_EDGE_COUNT; e++) {
			struct state_value v;

			if (!state_value(s, module, threshold_rows[i].quantity,
					 e, &v))
				continue;
			edges[e] = v.value;
			found++;
		}
	}
	ret->known = found == rows * THRESHOLD_EDGE_COUNT;
}

static enum fec_mode port_fec(const struct state *s, uint32_t port,
			      const struct port_facts *f)
{
	const char *text = attribute_of(s, port, ATTRIBUTE_FEC);
	struct state_value v;
	int mode = text ? fec_mode_parse(text, f->speed_mbps, f->lanes) :
			  -EINVAL;

	if (mode < 0 && state_value(s, port, Q_FEC_MODE, 0, &v))
		mode = (int)v.value;
	return mode < 0 || mode >= FEC_MODE_COUNT ? FEC_AUTO :
						    (enum fec_mode)mode;
}

unsigned port_reading_lanes(const struct state *s, uint32_t port)
{
	return (unsigned)attribute_number(s, port, ATTRIBUTE_LANE_COUNT, 0);
}

/* SONiC's types of devices: ToRRouter, LeafRouter, RegionalHub and others. */
static enum peer_kind peer_of(const char *type)
{
	if (!type)
		return PEER_UNKNOWN;
	return strstr(type, "Router") || strstr(type, "Hub") ? PEER_SWITCH :
							       PEER_HOST;
}

void port_reading_facts(const struct state *s, uint32_t port,
		   struct port_facts *ret)
{
	const struct inventory_entity *e = state_entity(s, port);
	const char *media = attribute_of(s, port, ATTRIBUTE_MEDIA);
	uint32_t module = state_port_module(s, port);
	struct state_value v;

	memset(ret, 0, sizeof(*ret));
	if (!e)
		return;
	if (!media)
		media = attribute_of(s, module, ATTRIBUTE_MEDIA);
	ret->entity = port;
	text_copy(ret->name, sizeof(ret->name), inventory_shown(e));
	text_copy(ret->media, sizeof(ret->media), media);
	text_copy(ret->group, sizeof(ret->group),
		  e->attribute[ATTRIBUTE_GROUP]);
	text_copy(ret->cage, sizeof(ret->cage),
		  e->attribute[ATTRIBUTE_MODULE]);
	text_copy(ret->peer_switch, sizeof(ret->peer_switch),
		  e->attribute[ATTRIBUTE_PEER_SWITCH]);
	text_copy(ret->peer_port, sizeof(ret->peer_port),
		  e->attribute[ATTRIBUTE_PEER_PORT]);
	ret->peer = peer_of(e->attribute[ATTRIBUTE_PEER_TYPE]);
	ret->lanes = port_reading_lanes(s, port);
	if (ret->lanes > PORT_LANES_MAX)
		ret->lanes = 0;
	if (state_value(s, port, Q_SPEED_MBPS, 0, &v) && v.value > 0)
		ret->speed_mbps = (uint64_t)v.value;
	ret->fec = port_fec(s, port, ret);
	ret->media_known = media != NULL;
	ret->optical = media && !port_media_is_copper(media);
	ret->counter_bits = 64;
	if (module != ENTITY_NONE)
		thresholds_read(s, module, &ret->thresholds);
}
