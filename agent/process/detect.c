#include "agent/process/detect.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/state/sensor_reading.h"
#include "agent/state/slots.h"
#include "petrel/log.h"

#define CONTEXT_FRESH_NS (60 * NS_PER_S)
#define LOST_NS (60 * NS_PER_S)	/* after the first port: then all are known */
#define SENSORS_EVERY_NS (10 * NS_PER_S)
#define FACTS_EVERY 16		/* ticks; a new speed changes no version */

/* A port of the state and its number in the detectors. */
struct detect_port {
	uint32_t entity, number;
	bool seen;
	bool derives;		/* its counters were read, and derived values
				 * are still to be given */
	struct mono read;
};

struct detect {
	struct detect_env env;
	bool *settled;		/* per open finding: taken up, or ended */
	struct mono ports_since;	/* ns 0: there is none yet */
	struct port_reading *reading;
	uint32_t dictionary, layout;	/* of the state, when facts were read */
	unsigned ticks;
	struct mono sensed;		/* ns 0: never */
	size_t count;
	bool full;			/* logged once */
	struct detect_port port[DETECT_PORTS_MAX];
};

int detect_new(const struct detect_env *env, struct detect **ret)
{
	struct detect *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->env = *env;
	d->settled = calloc(env->open_count + 1, sizeof(*d->settled));
	if (!d->settled || port_reading_new(env->state, &d->reading) < 0) {
		detect_free(d);
		return -ENOMEM;
	}
	*ret = d;
	return 0;
}

void detect_free(struct detect *d)
{
	if (!d)
		return;
	port_reading_free(d->reading);
	free(d->settled);
	free(d);
}

static struct detect_port *port_find(struct detect *d, uint32_t entity)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->port[i].entity == entity)
			return &d->port[i];
	return NULL;
}

bool detect_number(struct detect *d, uint32_t port, uint32_t *ret)
{
	const struct detect_port *p = port_find(d, port);

	if (p)
		*ret = p->number;
	return p != NULL;
}

/* name: a new port; NULL: findings of more than one port. */
static void findings_take_up(struct detect *d, const char *name)
{
	for (size_t i = 0; i < d->env.open_count; i++)
		if (!d->settled[i] &&
		    (name ? strcmp(d->env.open[i].subject, name) == 0 :
			    engine_is_wide(d->env.open[i].signature)))
			d->settled[i] = engine_restore(d->env.engine,
						       &d->env.open[i]) == 0;
}

/* Ends findings whose port was renamed or removed while no agent ran, or whose
 * place another finding has: nothing else would.
 */
static void findings_lose(struct detect *d, struct mono now, struct wall wall)
{
	if (d->ports_since.ns == 0 && d->count > 0)
		d->ports_since = now;
	if (d->ports_since.ns == 0 ||
	    mono_diff_ns(now, d->ports_since) < LOST_NS)
		return;
	for (size_t i = 0; i < d->env.open_count; i++) {
		if (!d->settled[i])
			engine_lost(d->env.engine, &d->env.open[i], now, wall);
		d->settled[i] = true;
	}
}

static void port_follow(struct detect *d, uint32_t entity)
{
	struct detect_port *p = port_find(d, entity);
	struct port_facts facts;
	uint32_t number;

	port_reading_facts(d->env.state, entity, &facts);
	if (engine_port(d->env.engine, &facts, &number) < 0 ||
	    (!p && d->count == DETECT_PORTS_MAX)) {
		if (!d->full)
			log_err("detect", "port=%s and later ones are not "
				"watched: more than %d ports", facts.name,
				DETECT_PORTS_MAX);
		d->full = true;
		return;
	}
	if (!p) {
		p = &d->port[d->count++];
		p->entity = entity;
		findings_take_up(d, facts.name);
	}
	p->number = number;
	p->seen = true;
}

static void ports_drop_unseen(struct detect *d, struct mono now,
			      struct wall wall)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->count; i++) {
		if (d->port[i].seen)
			d->port[kept++] = d->port[i];
		else
			engine_port_gone(d->env.engine, d->port[i].number, now,
					 wall);
	}
	d->count = kept;
}

/* Updates the facts of all ports when they may have changed. */
static void ports_follow(struct detect *d, struct mono now, struct wall wall)
{
	uint32_t version = state_dictionary_version(d->env.state);
	uint32_t layout = slots_layout(state_slots(d->env.state));
	size_t n = state_port_count(d->env.state);

	if (version == d->dictionary && layout == d->layout &&
	    d->ticks % FACTS_EVERY != 0)
		return;
	d->dictionary = version;
	d->layout = layout;
	for (size_t i = 0; i < d->count; i++)
		d->port[i].seen = false;
	for (size_t i = 0; i < n; i++)
		port_follow(d, state_port(d->env.state, i));
	ports_drop_unseen(d, now, wall);
}

static int32_t milli(double value)
{
	return value > -2e6 && value < 2e6 ? (int32_t)lround(value * 1000) :
					     SERIES_ABSENT;
}

static void series_rate(struct detect *d, uint32_t number, uint32_t port,
			enum quantity octets, enum series_kind kind)
{
	struct state_value speed;
	struct state_rate rate;

	if (!state_rate(d->env.state, port, octets, 0, &rate) ||
	    !state_value(d->env.state, port, Q_SPEED_MBPS, 0, &speed) ||
	    speed.value <= 0)
		return;
	series_set(d->env.series, number, kind,
		   (int32_t)(rate.per_s * 8 / (double)speed.value));
}

static void series_optics(struct detect *d, uint32_t number,
			  const struct inputs *t)
{
	double least = INFINITY;

	if (inputs_has(t, INPUT_TEMP_MC))
		series_set(d->env.series, number, SERIES_TEMP_MC,
			   (int32_t)t->value[INPUT_TEMP_MC]);
	for (unsigned lane = 0; lane < PORT_LANES_MAX; lane++)
		if (inputs_has(t, INPUT_RX_PW + lane))
			least = fmin(least,
				     number_dbm(t->value[INPUT_RX_PW + lane]));
	if (isfinite(least))
		series_set(d->env.series, number, SERIES_RX_MIN_MDBM,
			   milli(least));
}

/* Gives values that the detectors derive as ordinary samples. */
static void derived_give(struct detect *d, const struct detect_port *p)
{
	const struct platform_host *host = d->env.host;
	struct read_group age = { .taken = p->read };
	struct engine_view v;

	engine_view(d->env.engine, p->number, &v);
	if (v.has_ber) {
		age.taken = v.ber_taken;
		age.uncertainty_ns = v.ber_window_ns / 2;
	}
	host->group(host->context, d->env.source, p->entity, &age);
	if (!v.has_ber)
		return;		/* it is absent from now on */
	host->sample(host->context, Q_PRE_FEC_BER_E18, 0, v.pre_fec_ber_e18,
		     v.ber_below_resolution ? QUALITY_BELOW_RESOLUTION :
					      QUALITY_GOOD);
	if (v.has_margin)
		host->sample(host->context, Q_MARGIN_MILLI_DB, 0,
			     v.margin_milli_db, QUALITY_ESTIMATED);
	if (v.pre_fec_ber_e18 > 0)
		series_set(d->env.series, p->number, SERIES_BER_LOG10_MILLI,
			   milli(log10((double)v.pre_fec_ber_e18) - 18));
}

static void port_read(struct detect *d, size_t n, struct detect_port *p,
		      struct mono now, struct wall wall)
{
	struct inputs t;

	if (!port_reading_get(d->reading, n, &t))
		return;
	wall.ns -= mono_diff_ns(now, t.t.ns ? t.t : now);
	engine_reading(d->env.engine, p->number, &t, wall);
	series_optics(d, p->number, &t);
	if (t.counters_new) {
		p->derives = true;
		p->read = t.t;
	}
}

/* Called once all ports are read: a port's first bit error ratio adds a slot,
 * and each new slot makes the places of all ports be looked up again.
 */
static void derived_give_all(struct detect *d)
{
	for (size_t i = 0; i < d->count; i++) {
		if (d->port[i].derives)
			derived_give(d, &d->port[i]);
		d->port[i].derives = false;
	}
}

static bool switch_says(const struct detect *d, enum quantity q,
			struct mono now)
{
	const struct state *s = d->env.state;
	struct state_value v;

	return state_value(s, state_switch(s), q, 0, &v) && v.value &&
	       mono_diff_ns(now, v.age.taken) < CONTEXT_FRESH_NS;
}

/* An old report does not count as context. */
static void context_follow(struct detect *d, struct mono now)
{
	engine_context(d->env.engine,
		       (switch_says(d, Q_TSA, now) ? ENGINE_TSA : 0u) |
		       (switch_says(d, Q_WARM_REBOOT, now) ?
			ENGINE_WARM_REBOOT : 0u), now);
}

/* The switch's own sensors; takes up what an earlier core left of them. */
static void sensors_read(struct detect *d, struct mono now)
{
	const struct inventory_entity *e;
	size_t n = state_entities(d->env.state, &e);
	struct sensor_reading reading;
	struct sensor_facts facts;
	uint32_t number;

	for (size_t i = 0; i < n; i++)
		if (sensor_reading_get(d->env.state, &e[i], &facts, &reading) &&
		    engine_sensor(d->env.engine, &facts, &number) == 0)
			engine_sensor_reading(d->env.engine, number, &reading,
					      now);
	findings_take_up(d, NULL);
}

void detect_tick(struct detect *d, struct mono now, struct wall wall)
{
	size_t n;

	context_follow(d, now);
	ports_follow(d, now, wall);
	if (d->sensed.ns == 0 ||
	    mono_diff_ns(now, d->sensed) >= SENSORS_EVERY_NS) {
		d->sensed = now;
		sensors_read(d, now);
	}
	findings_lose(d, now, wall);
	n = state_port_count(d->env.state);
	series_tick(d->env.series, now);
	for (size_t i = 0; i < n; i++) {
		uint32_t port = state_port(d->env.state, i);
		struct detect_port *p = port_find(d, port);

		if (!p)
			continue;
		port_read(d, i, p, now, wall);
		series_rate(d, p->number, port, Q_IF_IN_OCTETS, SERIES_IN_PPM);
		series_rate(d, p->number, port, Q_IF_OUT_OCTETS,
			    SERIES_OUT_PPM);
	}
	derived_give_all(d);
	engine_tick(d->env.engine, now, wall);
	d->ticks++;
}

void detect_port(struct detect *d, uint32_t port, struct mono now,
		 struct wall wall)
{
	size_t n = state_port_count(d->env.state);

	context_follow(d, now);
	if (!port_find(d, port))
		port_follow(d, port);
	for (size_t i = 0; i < n; i++) {
		struct detect_port *p = port_find(d, port);

		if (p && state_port(d->env.state, i) == port)
			port_read(d, i, p, now, wall);
	}
}

/* All ports for the switch or an ASIC; for a module, those on it. */
static void change_note(struct detect *d, uint32_t entity, const char *words,
			struct mono now)
{
	const struct inventory_entity *e = state_entity(d->env.state, entity);
	const struct detect_port *p = port_find(d, entity);

	if (p) {
		engine_changed(d->env.engine, p->number, words, now);
		return;
	}
	if (!e || e->key.kind != ENTITY_MODULE) {
		engine_changed(d->env.engine, ENGINE_ALL_PORTS, words, now);
		return;
	}
	for (size_t i = 0; i < d->count; i++)
		if (state_port_module(d->env.state, d->port[i].entity) ==
		    entity)
			engine_changed(d->env.engine, d->port[i].number, words,
				       now);
}

void detect_change(struct detect *d, const struct event *event)
{
	char words[3 * CHANGE_TEXT_MAX + 8];
	struct event_change c;

	/* A lost neighbour is often a symptom, not a cause. */
	if (event->what < EVENT_FIRST_CHANGE ||
	    event->what == EVENT_BGP_CHANGED)
		return;
	change_parse(event->text ? event->text : "", &c);
	if (!c.from[0] && !c.to[0])
		(void)snprintf(words, sizeof(words), "%s rewritten", c.item);
	else
		(void)snprintf(words, sizeof(words), "%s: %s to %s", c.item,
			       c.from[0] ? c.from : "nothing",
			       c.to[0] ? c.to : "nothing");
	change_note(d, event->entity, words, event->when);
}

void detect_event(struct detect *d, uint32_t entity, enum platform_event what,
		  struct mono now, struct wall wall)
{
	const struct detect_port *p = port_find(d, entity);

	if (what == EVENT_COUNTERS_CLEARED || what == EVENT_SOURCE_RESTARTED)
		engine_event(d->env.engine, p ? p->number : ENGINE_ALL_PORTS,
			     ENGINE_COUNTERS_CLEARED, now, wall);
	else if (p && what == EVENT_MODULE_INSERTED)
		engine_event(d->env.engine, p->number, ENGINE_MODULE_SWAPPED,
			     now, wall);
	else if (p && (what == EVENT_LINK_UP || what == EVENT_LINK_DOWN))
		detect_port(d, entity, now, wall);
}

struct port_reading *detect_reading(struct detect *d)
{
	return d->reading;
}
