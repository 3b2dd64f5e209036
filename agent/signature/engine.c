#include "agent/signature/engine.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/signature/ask.h"
#include "agent/signature/environment.h"
#include "agent/signature/fec.h"
#include "agent/signature/hypothesis.h"
#include "agent/signature/inside.h"
#include "agent/signature/measures.h"
#include "agent/signature/recall.h"
#include "agent/signature/shared_component.h"
#include "agent/signature/site.h"
#include "agent/signature/swap.h"
#include "agent/signature/switch_sensor.h"
#include "agent/signature/together.h"
#include "agent/signature/wide.h"

#define FINDINGS_MAX 1024		/* open ones, of a switch */
#define RESTARTS_NS (10 * NS_PER_S)	/* of one act, or of two */
#define LOOK_NS (5 * NS_PER_S)	/* between looks at what ports share */
#define STATE_ALIGN _Alignof(int64_t)	/* no state has more in it */
#define RELOAD_NS (120 * NS_PER_S)

static void layout(struct engine *e)
{
	e->detectors = detectors(&e->table);
	for (size_t i = 0; i < e->detectors; i++) {
		if (e->table[i]->signature == SIGNATURE_FEC_TREND)
			e->errors = i;
		if (e->table[i]->signature == SIGNATURE_FLAP_BURST)
			e->flaps = i;
		if (e->table[i]->of_bursts)
			e->bursts = i;
		e->offset[i] = e->state_size;
		e->state_size += (e->table[i]->state_size + STATE_ALIGN - 1) /
				 STATE_ALIGN * STATE_ALIGN;
	}
	ask_init(e);
}

int engine_new(size_t ports_max, const char *switch_name, engine_emit_fn *emit,
	       void *context, struct engine **ret)
{
	struct engine *e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	layout(e);
	e->ports_max = ports_max;
	e->site = (struct site){ .shaken_until = { INT64_MIN },
				 .reload_until = { INT64_MIN },
				 .heat_k = NAN, .missed = NAN,
				 .still_s = NAN };
	e->ports = calloc(ports_max, sizeof(struct engine_port *));
	e->values = calloc(2 * ports_max + 1, sizeof(*e->values));
	if (!e->ports || !e->values ||
	    life_init(&e->life, FINDINGS_MAX,
				   switch_name, emit, context) < 0)
		goto fail;
	e->heat_k = e->values + ports_max + 1;
	*ret = e;
	return 0;
fail:
	engine_free(e);
	return -ENOMEM;
}

void engine_switch(struct engine *e, const char *word)
{
	(void)snprintf(e->life.switch_name, sizeof(e->life.switch_name), "%s",
		       word);
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
	for (size_t i = 0; e->ports && i < e->count; i++)
		free(e->ports[i]);
	free(e->ports);
	free(e->values);
	wides_free(&e->groups);
	environment_free(e);
	recall_free(e->recall);
	life_fini(&e->life);
	free(e);
}

static void port_start(const struct engine *e, struct engine_port *p)
{
	front_start(&p->front);
	p->front.unlit = port_is_copper(&p->facts);
	ber_start(&p->ber, &p->facts);
	light_start(&p->light);
	lane_usual_start(&p->lanes);
	load_start(&p->traffic);
	heat_start(&p->heat);
	p->siblings_log_ber = NAN;
	p->cadence = (struct cadence){ .gaps = 0 };
	for (size_t i = 0; i < e->detectors; i++) {
		life_slot_start(&p->slots[i]);
		detector_start(e, p, i);
	}
}

static size_t port_find(const struct engine *e, const char *name)
{
	size_t i = 0;

	while (i < e->count && strcmp(e->ports[i]->facts.name, name) != 0)
		i++;
	return i;
}

/* Joins the group and the air that its facts name. */
static int shares_join(struct engine *e, struct engine_port *p)
{
	struct wide *group = NULL;
	int rc = environment_join(e, p);

	if (rc == 0 && p->facts.group[0])
		rc = wide_get(&e->groups, p->facts.group, &group);
	p->group = group;
	if (rc == 0 && e->recall && group)
		recall_wide(e, group, PART_GROUP);
	if (rc == 0 && e->recall) {
		recall_wide(e, p->air, PART_AIR);
		recall_wide(e, wide_find(&e->airs, ""), PART_AIR);
	}
	return rc;
}

/* The same, and takes up what an earlier run learned of the port. */
static int port_join(struct engine *e, uint32_t port)
{
	int rc = shares_join(e, e->ports[port]);

	if (rc == 0 && e->recall)
		recall_port(e, port);
	e->ports[port]->awake = ask_all(e);
	return rc;
}

/* New facts of a known port; another code or speed counts differently. */
static int facts_take(struct engine *e, uint32_t port,
		      const struct port_facts *facts)
{
	struct engine_port *p = e->ports[port];
	bool counts_anew = p->facts.fec != facts->fec ||
			   p->facts.speed_mbps != facts->speed_mbps ||
			   fec_code_of_line(p->facts.media) !=
			   fec_code_of_line(facts->media);
	struct port_facts now = *facts;

	together_peer_keep(p, &now);
	p->facts = now;
	p->front.unlit = port_is_copper(&p->facts);
	if (p->gone)
		port_start(e, p);
	else if (counts_anew)
		ber_start(&p->ber, facts);
	p->gone = false;
	return port_join(e, port);
}

int engine_port(struct engine *e, const struct port_facts *facts,
		uint32_t *ret_port)
{
	size_t i = port_find(e, facts->name);
	struct engine_port *p;

	if (i < e->count) {
		*ret_port = (uint32_t)i;
		return facts_take(e, (uint32_t)i, facts);
	}
	if (e->count == e->ports_max)
		return -ENOSPC;
	p = calloc(1, sizeof(*p) + e->state_size +
		      e->detectors * sizeof(struct life_slot));
	if (!p)
		return -ENOMEM;
	p->slots = (void *)((char *)p->state + e->state_size);
	p->facts = *facts;
	port_start(e, p);
	e->ports[e->count] = p;
	*ret_port = (uint32_t)e->count++;
	return port_join(e, *ret_port);
}

static struct engine_port *port_get(const struct engine *e, uint32_t port)
{
	if (port >= e->count || e->ports[port]->gone)
		return NULL;
	return e->ports[port];
}

void engine_port_gone(struct engine *e, uint32_t port, struct mono now,
		      struct wall wall)
{
	struct engine_port *p = port_get(e, port);
	struct life_subject lp;

	if (!p)
		return;
	lp = subject_of(p, port);
	for (size_t i = 0; i < e->detectors; i++)
		life_end(&e->life, &lp, i, now, wall, "the port is gone");
	p->part_of = NULL;
	p->gone = true;
}

/* Are errors part of an open finding? Then they are not normal, unless the
 * port had them from the first: growth is measured against that level.
 */
static bool errors_open(const struct engine *e, const struct engine_port *p)
{
	/* A detector with an open finding is awake; mostly none is. */
	for (size_t i = 0; p->awake && i < e->detectors; i++) {
		uint32_t open = p->slots[i].open;

		if (e->table[i]->of_errors && open &&
		    e->life.pool[open - 1].cause_id != CAUSE_PREEXISTING)
			return true;
	}
	return wide_is_over(p);
}

/* They are over when no further port's counters restart for a while; one port
 * may be the first of many.
 */
static void restarts_look(struct engine *e, struct mono now)
{
	struct restarts *r = &e->restarts;
	bool over = mono_diff_ns(now, r->until) >= RESTARTS_NS;

	if (r->ports > 1 || (r->ports && over))
		benign_note(&e->benigns, r->ports > 1 ? "" :
			    e->ports[r->port]->facts.name, &(struct benign){
			.id = BENIGN_COUNTERS_CLEARED,
			.symptom = SYMPTOM_COUNTERS, .since = r->since,
			.until = r->until, .size = (float)r->ports });
	if (!r->ports || !over)
		return;
	for (size_t i = 0; i < e->count; i++)
		e->ports[i]->restarted = false;
	*r = (struct restarts){ 0 };
}

static void restarts_add(struct engine *e, uint32_t port, struct mono now)
{
	struct restarts *r = &e->restarts;
	struct engine_port *p = e->ports[port];

	restarts_look(e, now);
	if (!r->ports)
		r->since = now;
	r->ports += !p->restarted;
	p->restarted = true;
	r->port = port;
	r->until = now;
}

/* What a believable reading of the module shows. */
static void module_read(struct engine *e, struct engine_port *p, uint32_t port,
			const struct inputs *k, struct wall wall, bool frozen)
{
	bool quiet = !frozen && p->ber.cusum.sum <= 0;
	bool awaited = light_awaits(&p->light);

	if (light_take(&p->light, &p->front, k, quiet, ber_learned(&p->ber) ?
		       p->ber.residual.excess : 0))
		ber_mended(&p->ber);
	lane_usual_take(&p->lanes, &p->front, k, quiet, p->light.readings);
	heat_take(&p->heat, &p->front, e->site.heat_k, frozen);
	if (awaited && !light_awaits(&p->light))
		swap_compared(e, port, k->t, wall);
}

/* Returns the news in the reading: bits of enum wake. */
static unsigned reading_prepare(struct engine *e, struct engine_port *p,
			    uint32_t port, const struct inputs *k,
			    struct wall wall)
{
	bool frozen = errors_open(e, p);
	unsigned told = p->cadence.told, news = 0;

	front_light_take(&p->front, &p->facts, k);
	if (p->front.module_changed)
		swap_begin(e, port, k->t, wall);
	if (p->front.drops) {
		changes_add(&e->changes, port, CHANGE_LINK_FELL, k->t);
		e->fell = true;
	}
	if (p->front.rose)
		changes_add(&e->changes, port, CHANGE_LINK_ROSE, k->t);
	e->turned |= front_turned(&p->front);
	ber_take(&p->ber, &p->front, k, frozen);
	if (p->front.dom_good)
		module_read(e, p, port, k, wall, frozen);
	if (p->ber.accepted && light_is_worse(&p->light, p->front.turned_at))
		ber_refuse(&p->ber, &p->front);
	if (p->ber.accepted)
		light_replugged(&p->light, p->front.turned_at);
	cadence_take(&p->cadence, &p->front, k, &p->ber,
		     e->site.module_age_ns, e->site.module_lag_ns,
		     k->dom_new && measures_light_is_denied(&p->light,
							    &p->ber));
	if (p->ber.restarted)
		restarts_add(e, port, k->t);
	p->front.errors_counted = p->ber.source != BER_SOURCE_COUNT &&
				  p->ber.codewords_per_s > 0;
	if (k->dom_new || k->dom_failed || p->cadence.told != told)
		news |= WAKE_MODULE;
	if (p->front.drops || p->front.rose || p->front.link == LINK_IS_DOWN)
		news |= WAKE_LINK;
	if (p->ber.frames_closed) {
		p->front.seen[NEED_LOST] = k->t;
		news |= WAKE_WINDOW;
	}
	if (!p->ber.closed)
		return news;
	load_follow(&p->traffic, k, &p->ber);
	p->front.seen[NEED_BER] = k->t;
	if (ber_learned(&p->ber))
		p->front.seen[NEED_BASELINE] = k->t;
	return news | WAKE_WINDOW;
}

/* Lists errors as benign that heat or an outage explains. */
static __attribute__((noinline)) void errors_explain(struct engine *e,
	const struct engine_port *p)
{
	const struct ber *b = &p->ber;
	float by_heat = b->baseline.slope * (float)b->residual.heat_k;

	if (b->anchored > BENIGN_DECADES)
		benign_note(&e->benigns, p->facts.name, &(struct benign){
			.id = BENIGN_WARM_UP, .symptom = SYMPTOM_ERRORS,
			.since = p->front.turned_at, .until = b->t,
			.size = b->anchored });
	if (by_heat > BENIGN_DECADES && p->errors == SEVERITY_NONE &&
	    b->log_ber > LOG_BER_HARMLESS &&
	    b->residual.excess + (double)by_heat > (double)BENIGN_DECADES)
		benign_note(&e->benigns, p->facts.name, &(struct benign){
			.id = BENIGN_LOAD_HEAT, .symptom = SYMPTOM_ERRORS,
			.since = b->t, .until = b->t, .size = by_heat });
}

void engine_reading(struct engine *e, uint32_t port,
		    const struct inputs *tick, struct wall wall)
{
	struct engine_port *p = port_get(e, port);
	uint32_t asked;

	if (!p || !front_take(&p->front, tick))
		return;
	if (e->recall)
		recall_reading(e, port);
	asked = ask_whom(e, p, reading_prepare(e, p, port, tick, wall));
	p->errors = SEVERITY_NONE;
	if (asked)
		ask(e, port, asked, tick, wall);
	if (p->ber.closed)
		errors_explain(e, p);
}

void engine_tick(struct engine *e, struct mono now, struct wall wall)
{
	bool turned = e->turned;

	if (e->recall)
		recall_tick(e, now);
	if (e->fell)
		together_shaken(e, now);
	e->fell = e->turned = false;
	if (e->restarts.ports)
		together_restarted(e, now);
	restarts_look(e, now);
	if (!turned && mono_diff_ns(now, e->looked) < LOOK_NS)
		return;
	site_look(e, now);
	e->looked = now;
	environment_look(e, now, wall);
	shared_component_look(e, now, wall);
}

int engine_sensor(struct engine *e, const struct sensor_facts *facts,
		  uint32_t *ret_sensor)
{
	int rc = sensor_add(e, facts, ret_sensor);

	if (rc == 0 && e->recall)
		recall_sensor(e, e->sensors[*ret_sensor]);
	return rc;
}

void engine_sensor_reading(struct engine *e, uint32_t sensor,
			   const struct sensor_reading *r, struct mono now)
{
	if (sensor < e->sensor_count)
		environment_reading(e, sensor, r, now);
}

void engine_context(struct engine *e, unsigned context, struct mono now)
{
	/* What it took down comes back little by little. */
	if (e->site.context && !context &&
	    e->site.shaken_until.ns < now.ns + RELOAD_NS)
		e->site.shaken_until.ns = now.ns + RELOAD_NS;
	e->site.context = context;
}

void engine_changed(struct engine *e, uint32_t port, const char *words,
		    struct mono now)
{
	changes_add_words(&e->changes, port, words, now);
}

static void event_at_port(struct engine *e, uint32_t port,
			  enum engine_event what, struct mono now,
			  struct wall wall)
{
	struct engine_port *p = port_get(e, port);

	if (!p)
		return;
	if (what == ENGINE_MODULE_SWAPPED) {
		front_swapped(&p->front);
		swap_begin(e, port, now, wall);
	}
	if (what == ENGINE_COUNTERS_CLEARED) {
		front_counters_cleared(&p->front);
		ber_counters_cleared(&p->ber);
		restarts_add(e, port, now);
	}
}

void engine_event(struct engine *e, uint32_t port, enum engine_event what,
		  struct mono now, struct wall wall)
{
	static const enum change change[ENGINE_EVENT_COUNT] = {
		[ENGINE_RELOAD] = CHANGE_RELOAD,
		[ENGINE_COUNTERS_CLEARED] = CHANGE_COUNTERS_CLEARED,
		[ENGINE_MODULE_SWAPPED] = CHANGE_MODULE_SWAPPED,
		[ENGINE_MUTE] = CHANGE_MUTE,
		[ENGINE_ANNOTATE] = CHANGE_ANNOTATE,
	};

	if (what >= ENGINE_EVENT_COUNT)
		return;
	if (what != ENGINE_MODULE_SWAPPED)	/* swap_begin() adds it */
		changes_add(&e->changes, port, change[what], now);
	if (what == ENGINE_RELOAD) {
		e->site.reload_until.ns = now.ns + RELOAD_NS;
		if (e->site.shaken_until.ns < e->site.reload_until.ns)
			e->site.shaken_until = e->site.reload_until;
	}
	if (port != ENGINE_ALL_PORTS) {
		event_at_port(e, port, what, now, wall);
		return;
	}
	for (size_t i = 0; i < e->count; i++)
		event_at_port(e, (uint32_t)i, what, now, wall);
}

size_t engine_findings(const struct engine *e, const struct finding **ret)
{
	*ret = e->life.pool;
	return e->life.count;
}

size_t engine_benign(const struct engine *e, const struct benign **ret)
{
	*ret = e->benigns.list;
	return e->benigns.count;
}

const struct finding *engine_part_of(const struct engine *e, uint32_t port)
{
	const struct engine_port *p = port_get(e, port);

	return p && wide_is_over(p) ?
	       &e->life.pool[p->part_of->slot.open - 1] : NULL;
}

/* Causes of errors that grew belong to fec_trend, whoever else names them. */
static size_t detector_find(const struct engine *e, enum signature signature)
{
	size_t i = 0;

	if (hypothesis_find(signature))
		signature = SIGNATURE_FEC_TREND;
	while (i < e->detectors && e->table[i]->signature != signature)
		i++;
	return i;
}

void engine_lost(struct engine *e, const struct finding *f, struct mono now,
		 struct wall wall)
{
	bool is_there = engine_is_wide(f->signature) ||
			port_find(e, f->subject) < e->count;

	life_lost(&e->life, f, now, wall, is_there ?
		  "another finding goes on in its place" : "the port is gone");
}

/* The detector that raised it; errors and lost light may have one name. */
static size_t teller_find(const struct engine *e, const struct finding *f)
{
	bool is_light = evidence_find(f, "rx_drop_db") ||
			evidence_find(f, "rx_dbm");
	enum signature of = is_light ? SIGNATURE_CONTAMINATION : f->signature;
	size_t n = evidence_find(f, "excess_decades") ? e->detectors : 0;

	while (n < e->detectors && e->table[n]->signature != of)
		n++;
	return n < e->detectors ? n : detector_find(e, f->signature);
}

bool engine_is_wide(enum signature signature)
{
	return signature == SIGNATURE_ENVIRONMENT ||
	       signature == SIGNATURE_SHARED_COMPONENT;
}

/* Memory has the detector's state; what is not in it, the detector restores. */
static int port_restore(struct engine *e, uint32_t port,
			const struct finding *f)
{
	struct engine_port *p = port_get(e, port);
	struct life_subject lp;
	size_t n = 0;
	bool goes_on;
	int rc;

	if (!p)
		return -ENOENT;
	while (n < e->detectors && !life_is_remembered(&p->slots[n], f))
		n++;
	goes_on = n < e->detectors;
	n = goes_on ? n : teller_find(e, f);
	if (n == e->detectors)
		return -ENOENT;
	lp = subject_of(p, port);
	p->awake = ask_all(e);
	rc = life_restore(&e->life, &lp, n, f);
	if (rc == 0 && !goes_on && e->table[n]->restore)
		e->table[n]->restore(state_of(e, p, n), &p->ber, f);
	return rc;
}

int engine_restore(struct engine *e, const struct finding *f)
{
	struct finding mine = *f;

	if (e->recall)
		recall_finding(e, &mine);
	if (!engine_is_wide(f->signature))
		return port_restore(e, (uint32_t)port_find(e, f->subject),
				    &mine);
	return wide_restore(e, f->signature == SIGNATURE_ENVIRONMENT ?
			    environment_find(e, f->subject) :
			    wide_find(&e->groups, f->subject), &mine);
}

void engine_view(const struct engine *e, uint32_t port,
		 struct engine_view *ret)
{
	const struct engine_port *p = port_get(e, port);
	double margin;

	memset(ret, 0, sizeof(*ret));
	if (!p)
		return;
	ret->flaps_24h = front_drops_24h(&p->front);
	ret->has_turned = p->front.turned_at.ns != INT64_MIN;
	ret->turned_at = p->front.turned_at;
	if (p->front.link == LINK_IS_DOWN || p->ber.t.ns == INT64_MIN)
		return;
	ret->has_ber = ret->has_margin = true;
	ret->ber_taken = p->ber.t;
	ret->ber_window_ns = p->ber.window_ns;
	ret->ber_below_resolution = p->ber.bits <= 0;
	if (!ret->ber_below_resolution)
		ret->pre_fec_ber_e18 =
			llround(fec_exp10(p->ber.log_ber + 18));
	margin = port_is_copper(&p->facts) ?
		 p->ber.code->cliff_log_ber - p->ber.log_ber :
		 fec_margin_db(p->ber.log_ber, p->ber.code);
	ret->margin_milli_db = llround(margin * 1000);
}

/* A cause of errors that grew, or a detector of its own. */
static enum watch row_watch(const struct engine *e, const struct engine_port *p,
			    enum signature signature, size_t n,
			    const char **ret_why, const char **ret_arm)
{
	const struct hypothesis *h = hypothesis_find(signature);
	const struct detector *d = e->table[n];
	const struct watched w = {
		h ? h->needs : d->needs, h ? h->need_count : d->need_count,
		h ? h->applies : d->applies };

	return watch_of(&w, &p->facts, &p->front, e->looked, ret_why,
			ret_arm);
}

static const struct watched *wide_watched(enum signature signature)
{
	return signature == SIGNATURE_ENVIRONMENT ? &environment_watched :
						    &shared_component_watched;
}

static enum watch wide_watch(const struct engine *e,
			     const struct engine_port *p,
			     enum signature signature, const char **ret_why,
			     const char **ret_arm)
{
	enum watch watch = watch_of(wide_watched(signature), &p->facts,
				    &p->front, e->looked, ret_why, ret_arm);

	if (signature == SIGNATURE_SHARED_COMPONENT && !p->facts.group[0]) {
		*ret_why = "what this port shares with others is not known";
		*ret_arm = "a platform that reports the port's core (core_id) "
			   "or gearbox";
		return WATCH_BLIND;
	}
	if (signature != SIGNATURE_ENVIRONMENT || e->sensor_count ||
	    watch != WATCH_ARMED)
		return watch;
	*ret_why = "no fan, supply or other sensor of the switch is read: only "
		   "modules that warm together show a fault";
	*ret_arm = "a platform that reports its sensors";
	return WATCH_LIMITED;
}

enum watch engine_watch(const struct engine *e, uint32_t port,
			enum signature signature, const char **ret_why,
			const char **ret_arm)
{
	const struct engine_port *p = port_get(e, port);
	size_t n = detector_find(e, signature);
	enum watch watch;

	*ret_why = *ret_arm = NULL;
	if (signature == SIGNATURE_SWITCH_SILENT) {
		*ret_why = "only the collector sees it";
		return WATCH_NA;
	}
	if (p && engine_is_wide(signature))
		return wide_watch(e, p, signature, ret_why, ret_arm);
	if (n == e->detectors) {
		*ret_why = "not in this version";
		*ret_arm = "a later version";
		return WATCH_BLIND;
	}
	if (!p) {
		*ret_why = "no such port";
		return WATCH_BLIND;
	}
	watch = row_watch(e, p, signature, n, ret_why, ret_arm);
	if (!site_silences(e, e->table[n]) || watch > WATCH_LIMITED)
		return watch;
	*ret_why = e->site.context & ENGINE_WARM_REBOOT ?
		   "a warm or fast reboot is in progress: no new findings of "
		   "links" :
		   "traffic is shifted away (TSA): a link that falls is no "
		   "finding";
	*ret_arm = e->site.context & ENGINE_WARM_REBOOT ?
		   "the end of the reboot" : "traffic shifted back (TSB)";
	return WATCH_LIMITED;
}
