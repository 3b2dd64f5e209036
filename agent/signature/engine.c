#include "agent/signature/engine.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/signature/ber.h"
#include "agent/signature/changes.h"
#include "agent/signature/detector.h"
#include "agent/signature/fec.h"
#include "agent/signature/front.h"
#include "agent/signature/hypothesis.h"
#include "agent/signature/life.h"
#include "agent/signature/light.h"
#include "agent/signature/watch.h"

#define DETECTORS_MAX 32
#define FINDINGS_MAX 1024		/* open ones, of a switch */
#define SHAKEN_PORTS 3			/* at least so many fell together … */
#define SHAKEN_SHARE 2			/* … and one in so many */
#define TOGETHER_NS (120 * NS_PER_S)
#define SHAKEN_NS (900 * NS_PER_S)
#define RELOAD_NS (120 * NS_PER_S)
#define CAGE_NS (10 * NS_PER_S)		/* ports of one module fall in it */

/* All that is kept of one port. */
struct engine_port {
	struct port_facts facts;
	bool gone;
	struct front front;
	struct ber ber;
	struct light light;
	struct life_slot *slots;	/* in state, behind the detectors' */
	max_align_t state[];	/* the detectors', one after another */
};

struct engine {
	size_t ports_max, count;
	struct engine_port **ports;
	const struct detector *const *table;
	size_t detectors;
	size_t offset[DETECTORS_MAX];	/* of each detector's state */
	size_t state_size;
	struct life life;
	struct changes changes;
	struct site site;
	bool fell;			/* a link, in this tick */
};

static void layout(struct engine *e)
{
	e->detectors = detectors(&e->table);
	for (size_t i = 0; i < e->detectors; i++) {
		e->offset[i] = e->state_size;
		e->state_size += (e->table[i]->state_size +
				  sizeof(max_align_t) - 1) /
				 sizeof(max_align_t) * sizeof(max_align_t);
	}
}

int engine_new(size_t ports_max, const char *switch_name, engine_emit_fn *emit,
	       void *context, struct engine **ret)
{
	struct engine *e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	layout(e);
	e->ports_max = ports_max;
	e->site.shaken_until.ns = INT64_MIN;
	e->ports = calloc(ports_max, sizeof(struct engine_port *));
	if (!e->ports || life_init(&e->life, FINDINGS_MAX,
				   switch_name, emit, context) < 0)
		goto fail;
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
	life_fini(&e->life);
	free(e);
}

static void *state_of(const struct engine *e, struct engine_port *p, size_t n)
{
	return (char *)p->state + e->offset[n];
}

static void detector_start(const struct engine *e, struct engine_port *p,
			   size_t n)
{
	const struct detector *d = e->table[n];

	memset(state_of(e, p, n), 0, d->state_size);
	if (d->start)
		d->start(state_of(e, p, n), &p->facts);
}

static void port_start(const struct engine *e, struct engine_port *p)
{
	front_start(&p->front);
	ber_start(&p->ber, &p->facts);
	light_start(&p->light);
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

/* New facts of a known port; another code or speed counts differently. */
static void facts_take(const struct engine *e, struct engine_port *p,
		       const struct port_facts *facts)
{
	bool counts_anew = p->facts.fec != facts->fec ||
			   p->facts.speed_mbps != facts->speed_mbps;

	p->facts = *facts;
	if (p->gone)
		port_start(e, p);
	else if (counts_anew)
		ber_start(&p->ber, facts);
	p->gone = false;
}

int engine_port(struct engine *e, const struct port_facts *facts,
		uint32_t *ret_port)
{
	size_t i = port_find(e, facts->name);
	struct engine_port *p;

	if (i < e->count) {
		facts_take(e, e->ports[i], facts);
		*ret_port = (uint32_t)i;
		return 0;
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
	return 0;
}

static struct engine_port *port_get(const struct engine *e, uint32_t port)
{
	if (port >= e->count || e->ports[port]->gone)
		return NULL;
	return e->ports[port];
}

static struct life_port life_port_of(struct engine_port *p, uint32_t port)
{
	return (struct life_port){ .port = port, .slots = p->slots };
}

void engine_port_gone(struct engine *e, uint32_t port, struct mono now,
		      struct wall wall)
{
	struct engine_port *p = port_get(e, port);
	struct life_port lp;

	if (!p)
		return;
	lp = life_port_of(p, port);
	for (size_t i = 0; i < e->detectors; i++)
		life_end(&e->life, &lp, i, now, wall, "the port is gone");
	p->gone = true;
}

/* Another module: what was learned of the old one says nothing now. */
static void module_new(struct engine *e, struct engine_port *p, uint32_t port,
		       struct mono now, struct wall wall)
{
	struct life_port lp = life_port_of(p, port);

	ber_relearn(&p->ber);
	light_start(&p->light);
	p->front.changed_at = now;
	p->front.seen[NEED_BASELINE].ns = INT64_MIN;
	for (size_t i = 0; i < e->detectors; i++) {
		if (!e->table[i]->of_module)
			continue;
		life_end(&e->life, &lp, i, now, wall, "another module came");
		detector_start(e, p, i);
	}
	changes_add(&e->changes, port, CHANGE_MODULE_SWAPPED, now);
}

/* Are errors part of an open finding? Then they are not what is normal. */
static bool errors_open(const struct engine *e, const struct engine_port *p)
{
	for (size_t i = 0; i < e->detectors; i++)
		if (e->table[i]->of_errors && life_is_open(&p->slots[i]))
			return true;
	return false;
}

static void reading_prepare(struct engine *e, struct engine_port *p,
			    uint32_t port, const struct inputs *k,
			    struct wall wall)
{
	bool frozen = errors_open(e, p);

	if (p->front.module_changed)
		module_new(e, p, port, k->t, wall);
	if (p->front.drops) {
		changes_add(&e->changes, port, CHANGE_LINK_FELL, k->t);
		e->fell = true;
	}
	if (p->front.rose)
		changes_add(&e->changes, port, CHANGE_LINK_ROSE, k->t);
	ber_take(&p->ber, &p->front, k, frozen);
	light_take(&p->light, &p->front, k,
		   !frozen && p->ber.cusum.sum <= 0);
	p->front.errors_counted = p->ber.source != BER_SOURCE_COUNT &&
				  p->ber.codewords_per_s > 0;
	if (!p->ber.closed)
		return;
	p->front.seen[NEED_BER] = k->t;
	if (ber_learned(&p->ber))
		p->front.seen[NEED_BASELINE] = k->t;
}

/* Two links of one cage that fell together: what they share is at fault. One
 * of them may be up again.
 */
static bool cage_fell(const struct engine_port *a, const struct engine_port *b)
{
	int64_t apart_ns = mono_diff_ns(a->front.down_since,
					b->front.down_since);

	return a->facts.cage[0] && !a->gone && !b->gone &&
	       a->front.down_since.ns && apart_ns < CAGE_NS &&
	       apart_ns > -CAGE_NS && strcmp(a->facts.cage, b->facts.cage) == 0;
}

/* The port that says it for all of them: of those with the finding open, the
 * first; NULL when this one does.
 */
static const struct engine_port *cage_speaker(const struct engine *e,
					      const struct engine_port *p,
					      uint32_t port, size_t n)
{
	size_t until = life_is_open(&p->slots[n]) ? port : e->count;

	for (size_t i = 0; i < until; i++)
		if (e->ports[i] != p && life_is_open(&e->ports[i]->slots[n]) &&
		    cage_fell(e->ports[i], p))
			return e->ports[i];
	return NULL;
}

static unsigned cage_count(const struct engine *e, const struct engine_port *p)
{
	unsigned n = 0;

	for (size_t i = 0; i < e->count; i++)
		n += e->ports[i] == p ||
		     (e->ports[i]->front.link == LINK_IS_DOWN &&
		      !e->ports[i]->front.admin_down &&
		      cage_fell(e->ports[i], p));
	return n;
}

/* One fault, one finding: true when another port of the cage says it, and what
 * this one said before has ended.
 */
static bool cage_folds(struct engine *e, struct engine_port *p,
		       const struct life_port *lp, size_t n, struct mono now,
		       struct wall wall)
{
	const struct engine_port *speaker = cage_speaker(e, p, lp->port, n);
	const struct finding *f;
	char why[96];

	if (!speaker)
		return false;
	f = &e->life.pool[speaker->slots[n].open - 1];
	(void)snprintf(why, sizeof(why), "part of %s %s",
		       signature_name(f->signature), f->id);
	life_end(&e->life, lp, n, now, wall, why);
	return true;
}

/* Did it fall with p, but for the time between two readings? */
static bool fell_with(const struct engine_port *q, const struct engine_port *p)
{
	int64_t near_ns = 2 * p->front.period_ns + CAGE_NS;
	int64_t apart_ns = mono_diff_ns(q->front.down_since,
					p->front.down_since);

	return q->front.link == LINK_IS_DOWN && apart_ns <= near_ns &&
	       apart_ns >= -near_ns;
}

static bool is_other(const char *a, const char *b)
{
	return !a[0] || strcmp(a, b) != 0;
}

/* Who fell with the port a moment ago. When it is all links to the switch at
 * the other end, two or more, it is that switch and no link; but those of one
 * cage may be that module's. Links that do not share a component fall together
 * when the power of a rack does, or the like.
 */
static void fall_follow(const struct engine *e, const struct engine_port *p,
			struct port_view *v)
{
	bool peer_is_up = !p->facts.peer_switch[0], cages = false;
	bool groups = false;
	unsigned of_peer = 0, all = 0;

	for (size_t i = 0; i < e->count; i++) {
		const struct engine_port *q = e->ports[i];
		bool fell = fell_with(q, p);

		if (q->gone || !q->front.was_up || q->front.admin_down)
			continue;
		if (!is_other(p->facts.peer_switch, q->facts.peer_switch)) {
			peer_is_up |= !fell;
			of_peer += fell;
			cages |= q != p && is_other(p->facts.cage,
						    q->facts.cage);
		}
		all += fell;
		groups |= fell && q != p && is_other(p->facts.group,
						     q->facts.group);
	}
	v->peer_ports = cages && !peer_is_up ? of_peer : 0;
	v->fell_together = groups ? all : 0;
}

/* Each detector in turn; most have nothing to say, and nothing open. */
static void detectors_ask(struct engine *e, struct engine_port *p,
			  uint32_t port, struct port_view *v, struct wall wall)
{
	struct life_port lp = life_port_of(p, port);
	struct verdict w = { .view = v, .changes = &e->changes,
			     .wall = wall };

	for (size_t i = 0; i < e->detectors; i++) {
		void *mine = state_of(e, p, i);

		w.severity = e->table[i]->judge(mine, v);
		if (e->site.context && e->table[i]->of_link &&
		    !life_is_open(&p->slots[i]))
			w.severity = SEVERITY_NONE;
		if (w.severity == SEVERITY_NONE && !life_is_open(&p->slots[i]))
			continue;
		if (w.severity != SEVERITY_NONE && e->table[i]->of_cage) {
			if (cage_folds(e, p, &lp, i, v->front->t, wall))
				continue;
			v->cage_ports = cage_count(e, p);
		}
		w.detector = e->table[i];
		w.mine = mine;
		life_take(&e->life, &lp, i, &w);
	}
}

void engine_reading(struct engine *e, uint32_t port,
		    const struct inputs *tick, struct wall wall)
{
	struct engine_port *p = port_get(e, port);
	struct port_view v;

	if (!p || !front_take(&p->front, tick))
		return;
	reading_prepare(e, p, port, tick, wall);
	v = (struct port_view){ .facts = &p->facts, .tick = tick,
				.front = &p->front, .ber = &p->ber,
				.light = &p->light, .site = &e->site };
	if (p->front.link == LINK_IS_DOWN &&
	    mono_diff_ns(p->front.t, p->front.down_since) < TOGETHER_NS)
		fall_follow(e, p, &v);
	detectors_ask(e, p, port, &v, wall);
}

static bool fell_lately(const struct front *f, struct mono now)
{
	return f->link == LINK_IS_DOWN && f->was_up && !f->admin_down &&
	       mono_diff_ns(now, f->down_since) < TOGETHER_NS;
}

/* When a good part of the switch falls at once it is a restart, its peer's or
 * its own: no link of it is at fault.
 */
void engine_tick(struct engine *e, struct mono now, struct wall wall)
{
	size_t fallen = 0, used = 0;

	(void)wall;	/* nothing is said here yet */
	if (!e->fell)
		return;
	e->fell = false;
	for (size_t i = 0; i < e->count; i++) {
		const struct front *f = &e->ports[i]->front;

		if (e->ports[i]->gone)
			continue;
		used += f->was_up;
		fallen += fell_lately(f, now);
	}
	if (fallen >= SHAKEN_PORTS && fallen * SHAKEN_SHARE >= used)
		e->site.shaken_until.ns = now.ns + SHAKEN_NS;
}

void engine_context(struct engine *e, unsigned context, struct mono now)
{
	/* What it took down comes back bit by bit. */
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
	if (what == ENGINE_MODULE_SWAPPED)
		module_new(e, p, port, now, wall);
	if (what == ENGINE_COUNTERS_CLEARED) {
		front_counters_cleared(&p->front);
		ber_counters_cleared(&p->ber);
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
	if (what != ENGINE_MODULE_SWAPPED)	/* module_new() tells it */
		changes_add(&e->changes, port, change[what], now);
	if (what == ENGINE_RELOAD &&
	    e->site.shaken_until.ns < now.ns + RELOAD_NS)
		e->site.shaken_until.ns = now.ns + RELOAD_NS;
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

/* Causes of errors that grew are named by the detector of that. */
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
	life_lost(&e->life, f, now, wall, "the port is gone");
}

int engine_restore(struct engine *e, const struct finding *f)
{
	size_t i = port_find(e, f->subject), n = detector_find(e, f->signature);
	struct engine_port *p = port_get(e, (uint32_t)i);
	struct life_port lp;
	int rc;

	if (!p || n == e->detectors)
		return -ENOENT;
	lp = life_port_of(p, (uint32_t)i);
	rc = life_restore(&e->life, &lp, n, f);
	if (rc == 0 && e->table[n]->restore)
		e->table[n]->restore(state_of(e, p, n), &p->ber, f);
	return rc;
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
	margin = p->facts.media_known && !p->facts.optical ?
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
	enum watch watch = watch_of(&w, &p->facts, &p->front, ret_why, ret_arm);

	if (watch != WATCH_ARMED || !h || !h->limit)
		return watch;
	*ret_why = h->limit;
	*ret_arm = "a later version";
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
		*ret_why = "the collector watches it";
		return WATCH_NA;
	}
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
	if (!e->site.context || !e->table[n]->of_link || watch > WATCH_LIMITED)
		return watch;
	*ret_why = e->site.context & ENGINE_WARM_REBOOT ?
		   "a warm or fast reboot is in progress: what follows from it "
		   "is no finding" :
		   "traffic is shifted away (TSA): what follows from it is no "
		   "finding";
	*ret_arm = e->site.context & ENGINE_WARM_REBOOT ?
		   "the end of the reboot" : "traffic shifted back (TSB)";
	return WATCH_LIMITED;
}
