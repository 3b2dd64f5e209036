#include "agent/signature/ask.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/signature/fec_trend.h"
#include "agent/signature/folds.h"
#include "agent/signature/measures.h"
#include "agent/signature/site.h"
#include "agent/signature/together.h"
#include "agent/signature/wide.h"

#define STOOD_NS (300 * NS_PER_S)
#define CLEAR_NS (10 * NS_PER_S)
#define FALLS_HOURS 6u		/* falls of other findings are told by them … */
#define FALLS_LEAST 4u		/* … from so many on: as flap_burst's */
#define ROOM_K 3.0f		/* taken as the room's share of the heat, where
				 * too few modules show it */

void ask_init(struct engine *e)
{
	for (unsigned news = 0; news < WAKE_COUNT; news++)
		for (size_t i = 0; i < e->detectors; i++)
			if (e->table[i]->wakes & news)
				e->asked_by[news] |= UINT32_C(1) << i;
}

/* Counts the falls of the last hours, or of a day where they are fewer, and in
 * how many hours they came. Returns 0 where the link does not fall any more.
 */
static unsigned falls_count(const struct front *f, unsigned *ret_hours)
{
	unsigned falls = front_drops_in(f, FALLS_HOURS);

	*ret_hours = FALLS_HOURS;
	if (falls > 0 && falls < FALLS_LEAST) {
		*ret_hours = FRONT_HOURS;
		falls = front_drops_24h(f);
	}
	while (*ret_hours > 1 && front_drops_in(f, *ret_hours - 1) == falls)
		--*ret_hours;
	return falls >= FALLS_LEAST ? falls : 0;
}

/* Puts words into a sentence before its second half; if need be, they take the
 * place of the brackets at its end.
 */
static void words_insert(char *text, size_t cap, const char *words)
{
	char rest[sizeof(((struct finding *)0)->cause)];
	char *at = strchr(text, ';'), *bracket = strrchr(text, '(');

	if (bracket && strlen(text) + strlen(words) >= cap)
		bracket[bracket > text ? -1 : 0] = '\0';
	else if (!at && bracket && bracket > text)
		at = bracket - 1;
	at = at ? at : text + strlen(text);
	(void)snprintf(rest, sizeof(rest), "%s", at);
	(void)snprintf(at, cap - (size_t)(at - text), "%s%s", words, rest);
}

/* The link falls again and again by what this finding is about, and has no
 * finding of its own.
 */
static void falls_tell(const struct engine_port *p, size_t n, size_t flaps,
		       struct finding *f)
{
	unsigned falls, hours;
	char words[48];

	if (!(p->slots[n].folded >> SIGNATURE_FLAP_BURST & 1) ||
	    life_is_open(&p->slots[flaps]))
		return;
	falls = falls_count(&p->front, &hours);
	if (!falls)
		return;
	evidence_add(f, "flaps", falls);
	if (f->drain == DRAIN_NONE && hours <= FALLS_HOURS)
		f->drain = DRAIN_ADVISE;
	(void)snprintf(words, sizeof(words), ", the link fell %u times in %u h",
		       falls, hours);
	if (!strstr(f->cause, "the link fell"))
		words_insert(f->cause, sizeof(f->cause), words);
}

/* Light fell on several ports at once: what their fibres share lost it. That
 * takes the place of how it fell here, up to the name of the cause. Returns
 * whether it is so.
 */
static bool dim_tell(const struct engine *e, const struct engine_port *p,
		     struct finding *f)
{
	char *from = strchr(f->cause, ';'), *to, rest[sizeof(f->cause)];
	bool one_cage;
	unsigned ports = together_dimmed(e, p, f, &one_cage);

	if (!ports)
		return false;
	evidence_add(f, "ports_dimmed", ports);
	to = strchr(from ? from : f->cause, ':');
	if (!to)
		return true;
	(void)snprintf(rest, sizeof(rest), "%s", to);
	from = from ? from : to;
	(void)snprintf(from, sizeof(f->cause) - (size_t)(from - f->cause),
		       "%s %u %s (%s)%s", from == to ? ", on" : "; light fell on",
		       ports, from == to ? "ports" : "ports at once",
		       one_cage ? "plug or trunk" : "trunk or patch panel",
		       rest);
	return true;
}

static void port_describe(const struct verdict *w, struct finding *f)
{
	const struct detector *d = w->detector;
	bool dimmed;

	d->describe(w->mine, w->view, f);
	dimmed = dim_tell(w->engine, w->engine->ports[w->port], f);
	falls_tell(w->engine->ports[w->port], w->n, w->engine->flaps, f);
	if (d->of_falls || d->of_cage || d->of_bursts || dimmed ||
	    f->signature == SIGNATURE_THERMAL_FEC)
		together_ports(w->engine, w->port, w->n, f);
}

/* Somebody looks after it, or it has stood for a while. */
static bool is_settled(const struct finding *f, struct mono now)
{
	return f->severity >= SEVERITY_WARN ||
	       mono_diff_ns(now, f->onset) > STOOD_NS;
}

/* What is likely no fault of the port goes into another finding of the port,
 * if one is open already.
 */
static bool aside_folds(struct engine *e, const struct life_subject *s,
			size_t n, const struct verdict *w)
{
	const struct detector *d = e->table[n];

	if (!d->is_aside || life_is_open(&s->slots[n]) || !d->is_aside(w->mine))
		return false;
	for (size_t i = 0; i < e->detectors; i++) {
		if (!life_is_open(&s->slots[i]) ||
		    !is_settled(&e->life.pool[s->slots[i].open - 1], w->now))
			continue;
		life_fold(&e->life, &s->slots[i], d->signature, w->severity,
			  w->now, w->wall);
		return true;
	}
	return false;
}

/* A detector with an open finding is awake: the slots of the others, which are
 * far apart in memory, are not looked at.
 */
static bool has_open(const struct engine_port *p, size_t n)
{
	return p->awake >> n & 1 && life_is_open(&p->slots[n]);
}

/* Notes whether the next reading asks detector n, whatever the news. */
static void awake_note(const struct engine *e, struct engine_port *p, size_t n,
		       enum severity said)
{
	const struct detector *d = e->table[n];
	uint32_t bit = UINT32_C(1) << n;

	if (said != SEVERITY_NONE || has_open(p, n) ||
	    (d->waits && d->waits(state_of(e, p, n))))
		p->awake |= bit;
	else
		p->awake &= ~bit;
}

static const struct finding *open_of(const struct engine *e,
				     const struct life_slot *s)
{
	return &e->life.pool[s->open - 1];
}

static enum signature errors_name(const struct engine *e,
				  const struct engine_port *p)
{
	const struct life_slot *errors = &p->slots[e->errors];

	return life_is_open(errors) ? open_of(e, errors)->signature : 0;
}

static void errors_view(const struct engine *e, struct engine_port *p,
			struct port_view *v)
{
	const struct hypothesis *named;

	v->errors_named = errors_name(e, p);
	named = hypothesis_find(v->errors_named);
	v->errors_by_light = named && named->loss;
	v->errors_looked = fec_trend_looked(state_of(e, p, e->errors));
}

/* The finding of errors that grew has the same name: it is one fault. The older
 * finding stays, and the detector of errors goes on with it.
 */
static bool errors_tell(struct engine *e, const struct life_subject *s,
			size_t n, const struct verdict *w,
			const struct port_view *v)
{
	struct life_slot *errors = &s->slots[e->errors], *own = &s->slots[n];

	if (!e->table[n]->is_early || !life_is_open(errors) ||
	    v->errors_named != e->table[n]->signature ||
	    measures_light_is_second(v))
		return false;
	if (life_is_open(own) && open_of(e, own)->onset.ns <
				 open_of(e, errors)->onset.ns) {
		life_into(&e->life, s, e->errors, w->now, w->wall,
			  open_of(e, own));
		life_adopt(&e->life, own, errors, NULL);
	} else {
		life_into(&e->life, s, n, w->now, w->wall,
			  open_of(e, errors));
	}
	return true;
}

/* Errors grew, and are named at once as an open finding of the port is: the
 * detector of errors goes on with that.
 */
static void errors_adopt(struct engine *e, struct engine_port *p,
			 const struct verdict *w)
{
	struct life_slot *errors = &p->slots[e->errors];
	enum signature name = fec_trend_name(w->mine);

	for (size_t i = 0; i < e->detectors && !life_is_open(errors); i++)
		if (e->table[i]->is_early && life_is_open(&p->slots[i]) &&
		    e->table[i]->signature == name)
			life_adopt(&e->life, &p->slots[i], errors, w);
}

/* What the finding is called, or will be when it is raised. */
static enum signature name_of(const struct engine *e,
			      const struct life_subject *s, size_t n,
			      const struct verdict *w)
{
	enum signature name = n == e->errors ? fec_trend_name(w->mine) : 0;

	if (name)
		return name;
	return life_is_open(&s->slots[n]) ?
		       open_of(e, &s->slots[n])->signature :
		       e->table[n]->signature;
}

/* mine: of detector n. */
static bool is_by_light(const struct engine *e, size_t n, enum signature name,
			const void *mine)
{
	return name == SIGNATURE_CONTAMINATION ||
	       name == SIGNATURE_BENT_FIBRE ||
	       (n == e->errors && fec_trend_is_by_light(mine));
}

/* Another port tells it: one of the same module, which is hot, or one whose
 * light fell at the same moment.
 */
static bool elsewhere_folds(struct engine *e, const struct life_subject *s,
			    size_t n, const struct verdict *w)
{
	enum signature name = name_of(e, s, n, w);
	bool hot = name == SIGNATURE_THERMAL_FEC;
	const struct finding *whole;

	if (w->severity == SEVERITY_NONE ||
	    !(hot || is_by_light(e, n, name, w->mine)))
		return false;
	whole = together_oldest(e, s->port, hot ? name : 0);
	if (!whole)
		return false;
	life_into(&e->life, s, n, w->now, w->wall, whole);
	return true;
}

/* Are the errors of q, if it has any, of such heat, or of lost light? */
static bool errors_are_of(const struct engine *e, struct engine_port *q,
			  bool light)
{
	const struct fec_trend *t = state_of(e, q, e->errors);
	enum signature name = fec_trend_name(t);

	return light ? !t->speaking || is_by_light(e, e->errors, name, t) :
		       name == SIGNATURE_THERMAL_FEC;
}

/* What a hot module or one loss of light does to several ports is as bad as on
 * the worst of them: the others have no finding of their own.
 */
static enum severity worst_severity(struct engine *e,
				    const struct life_subject *s, size_t n,
				    const struct verdict *w)
{
	const struct engine_port *p = e->ports[s->port];
	enum severity worst = w->severity;
	enum signature name = name_of(e, s, n, w);
	bool light = is_by_light(e, n, name, w->mine);
	bool hot = n == e->errors && name == SIGNATURE_THERMAL_FEC;

	if (worst == SEVERITY_NONE || !(light || hot) ||
	    !together_is_one(e, p, light))
		return worst;
	for (size_t i = 0; i < e->count; i++) {
		struct engine_port *q = e->ports[i];

		if (q != p && q->errors > worst && together_has(q, p, light) &&
		    errors_are_of(e, q, light))
			worst = q->errors;
	}
	return worst;
}

void ask_told_end(const struct engine *e, struct engine_port *p, size_t n,
		  enum signature name, const struct port_view *v)
{
	for (size_t i = 0; i < e->detectors; i++) {
		const struct detector *d = e->table[i];

		if (d->told && (p->slots[n].folded >> d->signature & 1 ||
				(v && folds_into(d->signature, name, v))))
			d->told(state_of(e, p, i));
	}
}

/* Applies the verdict of detector n to its finding. */
static void verdict_take(struct engine *e, struct engine_port *p, size_t n,
			 struct verdict *w, struct port_view *v)
{
	struct life_subject lp = subject_of(p, w->port);
	const struct detector *d = e->table[n];
	enum signature was = life_is_open(&p->slots[n]) ?
			     open_of(e, &p->slots[n])->signature : 0;

	if (w->severity == SEVERITY_NONE && !was)
		return;
	w->detector = d;
	w->n = n;
	w->signature = d->signature;
	w->hold_ns = d->hold_ns;
	w->held = d->held;
	/* Errors of so much heat get no less while it lasts. */
	if (n == e->errors && w->severity == SEVERITY_WATCH &&
	    fec_trend_name(w->mine) == SIGNATURE_THERMAL_FEC &&
	    overheat_is_much(v))
		w->severity = SEVERITY_WARN;
	if (d->of_errors && w->severity > p->errors)
		p->errors = w->severity;
	if (elsewhere_folds(e, &lp, n, w) || errors_tell(e, &lp, n, w, v))
		return;
	if (n == e->errors && w->severity != SEVERITY_NONE)
		errors_adopt(e, p, w);
	/* A fall that is over already, and held, is part of it as well. */
	if ((w->severity != SEVERITY_NONE || d->of_falls) &&
	    (wide_folds(e, &lp, n, name_of(e, &lp, n, w), w->severity, w->now,
			w->wall) || aside_folds(e, &lp, n, w)))
		return;
	if (w->severity != SEVERITY_NONE &&
	    (d->of_falls || d->of_cage || d->of_bursts)) {
		if (together_folds(e, &lp, n, w->now, w->wall))
			return;
		v->cage_ports = together_in_cage(e, p);
	}
	w->severity = worst_severity(e, &lp, n, w);
	life_take(&e->life, &lp, n, w);
	if (was && !life_is_open(&p->slots[n]))
		ask_told_end(e, p, n, was, v);
	if (n == e->errors)
		errors_view(e, p, v);
}

/* A detector that does not apply to a port is not asked. */
static bool applies(const struct detector *d, const struct port_facts *facts)
{
	const char *why;

	return !d->applies || d->applies(facts, &why);
}

/* Lists the fall of a link as benign: a peer, a rack or a reload took it down,
 * and after CLEAR_NS no component that ports share is at fault.
 */
static void fall_explain(struct engine *e, const struct engine_port *p,
			 enum company company, const struct port_view *v)
{
	struct benign seen = { .id = BENIGN_RESTART, .symptom = SYMPTOM_FALLS,
			       .since = p->front.down_since,
			       .until = p->front.t, .size = 1 };
	const char *subject = p->facts.name;

	if (wide_is_over(p) || mono_diff_ns(seen.until, seen.since) < CLEAR_NS)
		return;
	if (company == COMPANY_MANY) {
		seen.id = BENIGN_RACK;
		seen.size = (float)v->fell_together;
		subject = "";
	} else if (company == COMPANY_PEER) {
		seen.id = BENIGN_PEER;
		seen.size = (float)v->peer_ports;
		subject = p->facts.peer_switch;
	} else if (p->front.t.ns >= e->site.shaken_until.ns) {
		return;
	}
	benign_note(&e->benigns, subject, &seen);
}

/* What work on the switch explains is listed as benign, and so is a fall of
 * many links at once.
 */
static bool explained(struct engine *e, struct engine_port *p, size_t n,
		      enum severity said, const struct port_view *v)
{
	const struct detector *d = e->table[n];

	if (said == SEVERITY_NONE)
		return true;
	if (site_silences(e, d) && !life_is_open(&p->slots[n])) {
		benign_note(&e->benigns, p->facts.name, &(struct benign){
			.id = BENIGN_RESTART, .since = p->front.t,
			.until = p->front.t, .size = 1, .symptom =
			d->of_errors ? SYMPTOM_ERRORS : SYMPTOM_FALLS });
		return true;
	}
	if (said == SEVERITY_WATCH && d->company && d->of_falls)
		fall_explain(e, p, d->company(state_of(e, p, n)), v);
	return false;
}

/* It reports a fault, or has a finding open. Returns what it says. */
static __attribute__((noinline)) enum severity detector_hear(struct engine *e,
	uint32_t port, size_t n, enum severity said, struct wall wall,
	struct port_view *v)
{
	struct engine_port *p = e->ports[port];
	struct verdict w = { .name = p->facts.name, .entity = p->facts.entity,
			     .facts = &p->facts, .mine = state_of(e, p, n),
			     .now = p->front.t, .wall = wall,
			     .changes = &e->changes, .view = v,
			     .engine = e, .port = port,
			     .kind = SUBJECT_PORT,
			     .describe = port_describe };

	if (e->table[n]->of_link)
		said = site_severity(e, &p->slots[n], said);
	w.severity = explained(e, p, n, said, v) ? SEVERITY_NONE : said;
	verdict_take(e, p, n, &w, v);
	return said;
}

/* asked: a bit for each detector. Most have nothing to say, and no finding
 * open.
 */
static void detectors_ask(struct engine *e, uint32_t port, uint32_t asked,
			  struct wall wall, struct port_view *v)
{
	struct engine_port *p = e->ports[port];

	for (; asked; asked &= asked - 1) {
		size_t i = (size_t)__builtin_ctz(asked);
		const struct detector *d = e->table[i];
		enum severity said;
		double level;

		said = applies(d, &p->facts) ? d->judge(state_of(e, p, i), v) :
					       SEVERITY_NONE;
		if (d->settles && d->settles(state_of(e, p, i), &level))
			ber_accept(&p->ber, level);
		if (said != SEVERITY_NONE || has_open(p, i))
			said = detector_hear(e, port, i, said, wall, v);
		awake_note(e, p, i, said);
	}
}

void ask(struct engine *e, uint32_t port, uint32_t asked,
	 const struct inputs *tick, struct wall wall)
{
	struct engine_port *p = e->ports[port];
	struct port_view v = { .facts = &p->facts, .tick = tick,
			       .front = &p->front, .ber = &p->ber,
			       .light = &p->light, .lanes = &p->lanes,
			       .traffic = &p->traffic,
			       .cadence = &p->cadence,
			       .site = &e->site };

	v.heat_k = heat_above(&p->heat, &p->front) -
		   (isnan(e->site.heat_k) ? ROOM_K : e->site.heat_k);
	v.heat_sd_k = heat_sd(&p->heat);
	v.siblings_log_ber = p->siblings_log_ber;
	errors_view(e, p, &v);
	together_look(e, p, &v);
	detectors_ask(e, port, asked, wall, &v);
}
