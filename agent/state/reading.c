#include "agent/state/reading.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/state/slots.h"
#include "petrel/quantity.h"

/* Whose quantity a feature is. */
enum owner { OWNER_PORT, OWNER_MODULE, OWNER_PRIORITY, OWNER_QUEUE };

/* A run of features: count of them from feature on, for index, or priority, or
 * queue 0, 1, … A later row for a feature stands in when no earlier one is
 * there.
 */
struct feature_row {
	enum port_feature feature;
	unsigned count;
	enum owner owner;
	enum quantity quantity;
	unsigned shift;		/* of the value, to the right */
};

static const struct feature_row feature_rows[] = {
	{ PORT_OPER, 1, OWNER_PORT, Q_OPER_STATUS, 0 },
	{ PORT_ADMIN, 1, OWNER_PORT, Q_ADMIN_STATUS, 0 },
	{ PORT_PRESENT, 1, OWNER_PORT, Q_MODULE_PRESENT, 0 },
	{ PORT_DOWN_REASON, 1, OWNER_PORT, Q_DOWN_REASON, 0 },
	{ PORT_LINK_DOWN_COUNT, 1, OWNER_PORT, Q_LINK_DOWN_COUNT, 0 },
	/* Both edges of a flap are counted: half of them fall. */
	{ PORT_LINK_DOWN_COUNT, 1, OWNER_PORT, Q_LINK_TRANSITIONS, 1 },
	{ PORT_FEC_CORRECTED_CW, 1, OWNER_PORT, Q_FEC_CORRECTED_CODEWORDS, 0 },
	{ PORT_FEC_UNCORRECTABLE_CW, 1, OWNER_PORT,
	  Q_FEC_UNCORRECTABLE_CODEWORDS, 0 },
	{ PORT_FEC_SYMBOL_ERRORS, 1, OWNER_PORT, Q_FEC_SYMBOL_ERRORS, 0 },
	{ PORT_FEC_CORRECTED_BITS, 1, OWNER_PORT, Q_FEC_CORRECTED_BITS, 0 },
	{ PORT_FEC_BIN_0, PORT_FEC_BINS, OWNER_PORT, Q_FEC_CODEWORD_ERRORS, 0 },
	{ PORT_TEMP_MC, 1, OWNER_MODULE, Q_MODULE_TEMP_MC, 0 },
	{ PORT_VCC_UV, 1, OWNER_MODULE, Q_MODULE_VCC_UV, 0 },
	{ PORT_IN_OCTETS, 1, OWNER_PORT, Q_IF_IN_OCTETS, 0 },
	{ PORT_OUT_OCTETS, 1, OWNER_PORT, Q_IF_OUT_OCTETS, 0 },
	{ PORT_IN_FRAMES, 1, OWNER_PORT, Q_IF_IN_FRAMES, 0 },
	{ PORT_IN_FRAMES, 1, OWNER_PORT, Q_IF_IN_UCAST_FRAMES, 0 },
	{ PORT_OUT_FRAMES, 1, OWNER_PORT, Q_IF_OUT_FRAMES, 0 },
	{ PORT_OUT_FRAMES, 1, OWNER_PORT, Q_IF_OUT_UCAST_FRAMES, 0 },
	{ PORT_IN_ERRORS, 1, OWNER_PORT, Q_IF_IN_ERRORS, 0 },
	{ PORT_IN_DISCARDS, 1, OWNER_PORT, Q_IF_IN_DISCARDS, 0 },
	{ PORT_OUT_DISCARDS, 1, OWNER_PORT, Q_IF_OUT_DISCARDS, 0 },
	{ PORT_ECN_MARKED, 1, OWNER_PORT, Q_ECN_MARKED_FRAMES, 0 },
	{ PORT_PFC_RX_0, PORT_PRIORITIES, OWNER_PRIORITY, Q_PFC_RX_FRAMES, 0 },
	{ PORT_PFC_TX_0, PORT_PRIORITIES, OWNER_PRIORITY, Q_PFC_TX_FRAMES, 0 },
	{ PORT_PFC_PAUSE_US_0, PORT_PRIORITIES, OWNER_PRIORITY,
	  Q_PFC_RX_PAUSE_US, 0 },
	{ PORT_QUEUE_PEAK_0, PORT_QUEUES, OWNER_QUEUE,
	  Q_QUEUE_WATERMARK_OCTETS, 0 },
	{ PORT_READING_FAULTS_0, READING_OF_COUNT, OWNER_MODULE,
	  Q_MODULE_READING_FAULTS, 0 },
};

static const struct {
	enum lane_feature feature;
	enum quantity quantity;
	uint16_t index;
} lane_rows[] = {
	{ LANE_RX_PW, Q_LANE_RX_POWER_PW, 0 },
	{ LANE_TX_PW, Q_LANE_TX_POWER_PW, 0 },
	{ LANE_BIAS_UA, Q_LANE_TX_BIAS_UA, 0 },
	{ LANE_BER_E18, Q_LANE_PRE_FEC_BER_E18, 0 },
	{ LANE_SNR_MDB, Q_LANE_SNR_MDB, 0 },
	{ LANE_RX_LOS, Q_LANE_RX_LOS, 0 },
	{ LANE_TX_FAULT, Q_LANE_TX_FAULT, 0 },
	{ LANE_READING_FAULTS, Q_LANE_READING_FAULTS, READING_OF_MONITORS },
};

#define FEATURE_ROWS (sizeof(feature_rows) / sizeof(feature_rows[0]))
#define LANE_ROWS (sizeof(lane_rows) / sizeof(lane_rows[0]))
#define PLAN_FEATURES_MAX (PORT_FEATURE_COUNT + 8)
#define PLAN_LANES_MAX (LANE_FEATURE_COUNT * PORT_LANES_MAX)

struct plan_feature {
	struct slot_place at;
	uint16_t feature;
	uint8_t lane, shift;
	bool once;		/* a counter or a peak */
	bool shared;		/* several read it: the newest counts */
	uint8_t source;		/* whose, agent-wide */
};

/* Where everything of one port lies. */
struct plan {
	uint32_t port, layout;
	const char *serial;	/* the inventory's; NULL unknown */
	unsigned counters, dom, lanes;	/* how many of each below */
	/* Counters, then dom, then lanes; of the reading's arena. While the
	 * plan is made: the scratch.
	 */
	struct plan_feature *feature;
	size_t at;
};

struct reading {
	const struct state *state;
	size_t plan_count;
	struct plan *plans;
	uint32_t layout, dictionary;	/* of the plans */
	uint64_t answering;		/* sources that did, by their numbers */
	struct plan_feature *features;	/* of all plans, one after another */
	size_t feature_count, feature_cap;
	struct plan_feature scratch[PLAN_FEATURES_MAX + PLAN_LANES_MAX];
};

int reading_new(const struct state *s, struct reading **ret)
{
	struct reading *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->state = s;
	r->answering = UINT64_MAX;
	*ret = r;
	return 0;
}

void reading_free(struct reading *r)
{
	if (!r)
		return;
	free(r->features);
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

static uint32_t owner_entity(const struct state *s, uint32_t port,
			     uint32_t module, enum owner owner, unsigned n)
{
	switch (owner) {
	case OWNER_PORT:
		return port;
	case OWNER_MODULE:
		return module;
	case OWNER_PRIORITY:
		return state_child(s, port, ENTITY_PRIORITY, n);
	case OWNER_QUEUE:
		return state_child(s, port, ENTITY_QUEUE, n);
	}
	return ENTITY_NONE;
}

/* A counter is a step from the last one, a peak one of its window: who takes
 * either a second time counts it twice.
 */
static bool is_once(enum quantity quantity)
{
	const struct quantity_info *q = quantity_find((uint16_t)quantity);

	return q && (q->kind == KIND_COUNTER || q->kind == KIND_PEAK);
}

/* Features of one kind of owner: counters first, then what DOM brings. */
static void plan_features(const struct state *s, struct plan *p,
			  uint32_t module, bool dom)
{
	uint64_t have[(PORT_FEATURE_COUNT + 63) / 64] = { 0 };
	unsigned *count = dom ? &p->dom : &p->counters;

	for (size_t i = 0; i < FEATURE_ROWS; i++) {
		const struct feature_row *row = &feature_rows[i];

		if ((row->owner == OWNER_MODULE) != dom)
			continue;
		for (unsigned n = 0; n < row->count; n++) {
			unsigned f = row->feature + n;
			uint32_t id = owner_entity(s, p->port, module,
						   row->owner, n);
			struct plan_feature *to =
				&p->feature[p->counters + p->dom];
			bool is_child = row->owner == OWNER_PRIORITY ||
					row->owner == OWNER_QUEUE;
			unsigned index = is_child ? 0 : n;

			if (id == ENTITY_NONE || have[f / 64] >> f % 64 & 1 ||
			    !slots_find(state_slots(s), id, row->quantity,
					(uint16_t)index, &to->at))
				continue;
			have[f / 64] |= UINT64_C(1) << f % 64;
			to->feature = (uint16_t)f;
			to->shift = (uint8_t)row->shift;
			to->once = is_once(row->quantity);
			(*count)++;
		}
	}
}

/* The sources that answer, one bit each; before: as it was, for those of which
 * nothing else is known yet.
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

/* The number of those who read it that has most of the port's counters, of
 * sources that answer.
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
			has += slots_twin(state_slots(s), p->feature[i].at,
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
		(void)slots_twin(slots, p->feature[i].at, (uint8_t)n,
				 &p->feature[i].at);
}

static void plan_lanes(const struct state *s, struct plan *p, uint32_t module)
{
	for (unsigned lane = 0; lane < PORT_LANES_MAX; lane++) {
		uint32_t id = port_lane(s, p->port, module, lane);

		for (size_t i = 0; id != ENTITY_NONE && i < LANE_ROWS; i++) {
			struct plan_feature *to =
				&p->feature[p->counters + p->dom + p->lanes];

			if (!slots_find(state_slots(s), id,
					lane_rows[i].quantity,
					lane_rows[i].index, &to->at))
				continue;
			to->feature = lane_rows[i].feature;
			to->lane = (uint8_t)lane;
			p->lanes++;
		}
	}
}

/* Who reads it; of what is no counter there may be several. */
static void plan_readers(const struct state *s, struct plan_feature *f)
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

/* Moves the scratch behind what the arena holds. */
static bool plan_keep(struct reading *r, struct plan *p)
{
	size_t n = p->counters + p->dom + p->lanes;

	if (r->feature_count + n > r->feature_cap) {
		size_t cap = r->feature_count + n + r->feature_count / 2;
		struct plan_feature *more = reallocarray(
			r->features, cap, sizeof(*more));

		if (!more)
			return false;
		r->features = more;
		r->feature_cap = cap;
	}
	for (size_t i = 0; i < n; i++)
		r->features[r->feature_count + i] = r->scratch[i];
	p->at = r->feature_count;
	r->feature_count += n;
	return true;
}

static bool plan_make(struct reading *r, uint32_t port, uint64_t answering,
		      struct plan *p)
{
	const struct state *s = r->state;
	uint32_t module = state_port_module(s, port);

	memset(p, 0, sizeof(*p));
	memset(r->scratch, 0, sizeof(r->scratch));
	p->port = port;
	p->feature = r->scratch;
	plan_features(s, p, module, false);
	plan_unify(s, p, answering);
	plan_features(s, p, module, true);
	plan_lanes(s, p, module);
	for (unsigned i = 0; i < p->counters + p->dom + p->lanes; i++)
		plan_readers(s, &p->feature[i]);
	p->serial = attribute_of(s, module, ATTRIBUTE_SERIAL);
	return plan_keep(r, p);
}

/* Plans hold borrowed places and texts: any change makes them anew. */
static int plans_refresh(struct reading *r)
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
	r->feature_count = 0;
	for (size_t i = 0; i < n; i++)
		if (!plan_make(r, state_port(r->state, i), answering,
			       &r->plans[i])) {
			r->layout = ~layout;	/* they are made again */
			return -ENOMEM;
		}
	for (size_t i = 0; i < n; i++)
		r->plans[i].feature = r->features + r->plans[i].at;
	r->layout = layout;
	r->dictionary = dictionary;
	r->answering = answering;
	return 0;
}

/* Can it be used? Not what is there no more, nor what cannot be. */
static bool slot_use(const struct reading *r, const struct plan_feature *f,
		     struct slot_value *ret)
{
	const struct slots *slots = state_slots(r->state);

	slots_get(slots, f->shared ? slots_newest(slots, f->at) : f->at,
		  state_tick_number(r->state), ret);
	return ret->is_there && ret->quality != QUALITY_STALE &&
	       ret->quality != QUALITY_IMPLAUSIBLE;
}

/* Is one new; and the newest time of all that came with it. */
static void newest(const struct slot_value *v, bool *is_new, struct mono *t)
{
	if (v->is_new)
		*is_new = true;
	if (v->taken.ns > t->ns)
		*t = v->taken;
}

/* Is it of the memory's other parts, which are read at times of their own? */
static bool is_timeless(unsigned feature)
{
	return feature >= PORT_READING_FAULTS_0 &&
	       feature <= PORT_READING_FAULTS_LAST &&
	       feature != PORT_READING_FAULTS_0 + READING_OF_MONITORS;
}

/* One of the port's own, which has a time of its own. */
static void counter_read(const struct reading *r, const struct plan_feature *f,
			 struct port_tick *ret)
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
		port_set(ret, f->feature,
			 (int64_t)((uint64_t)v.value >> f->shift));
		ret->taken_ns[f->feature] = v.taken.ns;
		if (f->feature >= PORT_QUEUE_PEAK_0 &&
		    f->feature <= PORT_QUEUE_PEAK_LAST)
			ret->peak_window_ns = v.window_ns;
	}
	ret->t = t;
	ret->counters_new |= is_new;
}

static void features_read(const struct reading *r, const struct plan *p,
			  struct port_tick *ret)
{
	struct slot_value v;

	for (unsigned i = 0; i < p->counters; i++)
		counter_read(r, &p->feature[i], ret);
	for (unsigned i = p->counters; i < p->counters + p->dom; i++) {
		const struct plan_feature *f = &p->feature[i];

		if (!slot_use(r, f, &v))
			continue;
		if (!is_timeless(f->feature))
			newest(&v, &ret->dom_new, &ret->dom_t);
		port_set(ret, f->feature, v.value);
		ret->taken_ns[f->feature] = v.taken.ns;
	}
	for (unsigned i = 0; i < p->lanes; i++) {
		const struct plan_feature *f =
			&p->feature[p->counters + p->dom + i];

		if (!slot_use(r, f, &v))
			continue;
		newest(&v, &ret->dom_new, &ret->dom_t);
		port_lane_set(ret, f->feature, f->lane, v.value);
	}
}

static void text_copy(char *to, size_t cap, const char *text)
{
	size_t n = text ? strnlen(text, cap - 1) : 0;

	if (n > 0)
		memcpy(to, text, n);
	to[n] = '\0';
}

bool reading_port(struct reading *r, size_t n, struct port_tick *ret)
{
	const struct plan *p;

	if (plans_refresh(r) < 0 || n >= r->plan_count)
		return false;
	p = &r->plans[n];
	memset(ret, 0, sizeof(*ret));
	features_read(r, p, ret);
	if (!port_has(ret, PORT_PRESENT) && p->serial)
		port_set(ret, PORT_PRESENT, 1);
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

static bool media_is_copper(const char *media)
{
	static const char *const copper[] = { "DAC", "ACC", "AEC", "CR",
					      "KR", "copper", "T" };

	for (size_t i = 0; i < sizeof(copper) / sizeof(copper[0]); i++) {
		size_t n = strlen(copper[i]);

		if (strncasecmp(media, copper[i], n) == 0 &&
		    strspn(media + n, "0123456789") == strlen(media + n))
			return true;
	}
	return false;
}

static enum fec_mode port_fec(const struct state *s, uint32_t port,
			      const struct port_facts *f)
{
	const char *text = attribute_of(s, port, ATTRIBUTE_FEC);
	unsigned lane_mbps = f->lanes ? (unsigned)(f->speed_mbps / f->lanes)
				      : 0;
	struct state_value v;
	int mode = text ? fec_mode_parse(text, lane_mbps) : -EINVAL;

	if (mode < 0 && state_value(s, port, Q_FEC_MODE, 0, &v))
		mode = (int)v.value;
	return mode < 0 || mode >= FEC_MODE_COUNT ? FEC_AUTO :
						    (enum fec_mode)mode;
}

void reading_facts(const struct state *s, uint32_t port,
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
	ret->lanes = (unsigned)attribute_number(s, port, ATTRIBUTE_LANE_COUNT,
						0);
	if (ret->lanes > PORT_LANES_MAX)
		ret->lanes = 0;
	if (state_value(s, port, Q_SPEED_MBPS, 0, &v) && v.value > 0)
		ret->speed_mbps = (uint64_t)v.value;
	ret->fec = port_fec(s, port, ret);
	ret->media_known = media != NULL;
	ret->optical = media && !media_is_copper(media);
	ret->counter_bits = 64;
	if (module != ENTITY_NONE)
		thresholds_read(s, module, &ret->thresholds);
}
