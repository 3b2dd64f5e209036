#include "agent/signature/site.h"

#include <math.h>
#include <string.h>

#include "agent/signature/context.h"
#include "agent/signature/kept.h"

#define LEAST 4			/* fewer values have no median */
#define FEW 2u			/* … but show that not all have it */
#define SIBLINGS_FROM 1.0	/* decades below the last safe level */
#define SIBLINGS_STILL 1.5	/* … until they are no longer asked */
#define LAG_PARTS 60	/* the lag grows by one such part of the time passed */

/* Moves the values below the pivot, or not above it, to the front of low to
 * high. Returns where the others begin. Branch-free, as no branch predictor
 * could guess the side of a value.
 */
static size_t split(float *value, size_t low, size_t high, float pivot,
		    bool with_equal)
{
	for (size_t i = low; i < high; i++) {
		float x = value[i];

		value[i] = value[low];
		value[low] = x;
		low += (x < pivot) | (with_equal & (x <= pivot));
	}
	return low;
}

static float not_below_0(float value)
{
	return value > 0 ? value : 0;
}

/* The value at this place if they were sorted (Hoare's FIND). */
static float value_at(float *value, size_t n, size_t at)
{
	size_t low = 0, high = n;

	for (;;) {
		size_t first = low, middle = low + (high - low) / 2, own;
		float pivot = value[middle];

		value[middle] = value[low];
		own = split(value, low + 1, high, pivot, false) - 1;
		value[low] = value[own];
		value[own] = pivot;
		if (at < own) {
			high = own;
			continue;
		}
		low = own + 1;
		if (own == first)	/* the least: there may be many */
			low = split(value, low, high, pivot, true);
		if (at < low)
			return pivot;
	}
}

float site_middle_of(struct engine *e, size_t n)
{
	if (n < LEAST)
		return NAN;
	return value_at(e->values, n, n / 2);
}

/* of is known where it is called, so that it costs no call for each port. */
static inline __attribute__((always_inline)) float middle_of_ports(
	struct engine *e, site_value_fn *of, const struct site_asks *a)
{
	size_t n = 0;

	for (size_t i = 0; i < e->count; i++) {
		float value = e->ports[i]->gone ? NAN : of(e->ports[i], a);

		e->values[n] = value;
		n += !isnan(value);
	}
	return site_middle_of(e, n);
}

float site_middle(struct engine *e, site_value_fn *of,
		  const struct site_asks *a)
{
	return middle_of_ports(e, of, a);
}

/* K that the modules are above usual. */
static float heat_middle(struct engine *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->count; i++) {
		const struct engine_port *p = e->ports[i];
		float k = p->gone ? NAN : heat_above(&p->heat, &p->front);

		e->heat_k[i] = e->values[n] = k;
		n += !isnan(k);
	}
	e->heats = n;
	e->heat_middle_k = site_middle_of(e, n);
	return e->heat_middle_k;
}

/* Decades that its errors are above normal. */
static float excess(const struct engine_port *p, const struct site_asks *a)
{
	bool known = p->front.link == LINK_IS_UP &&
		     p->ber.t.ns != INT64_MIN && ber_learned(&p->ber);

	(void)a;
	return known ? (float)p->ber.residual.excess : NAN;
}

static float excess_elsewhere(const struct engine_port *p,
			      const struct site_asks *a)
{
	return p->group == a->group ? NAN : excess(p, a);
}

/* The most that any of them has; NAN: they are too few for that as well. */
static float most_elsewhere(const struct engine *e, const struct site_asks *a)
{
	float most = NAN;
	unsigned n = 0;

	for (size_t i = 0; i < e->count; i++) {
		float value = e->ports[i]->gone ? NAN :
			      excess_elsewhere(e->ports[i], a);

		n += !isnan(value);
		most = fmaxf(most, value);
	}
	return n < FEW ? NAN : most;
}

float site_excess_elsewhere(struct engine *e, const struct wide *group)
{
	const struct site_asks a = { .group = group };
	float most;

	if (e->site.excess <= BENIGN_DECADES)	/* mostly */
		return e->site.excess;
	most = middle_of_ports(e, excess_elsewhere, &a);
	most = isnan(most) ? most_elsewhere(e, &a) : most;
	return isnan(most) ? e->site.excess : not_below_0(most);
}

/* Seconds since its module was read. */
static float age(const struct engine_port *p, const struct site_asks *a)
{
	struct mono read = p->front.seen[NEED_TEMP];

	return read.ns == INT64_MIN || p->front.module_absent ? NAN :
	       (float)mono_diff_ns(a->now, read) / (float)NS_PER_S;
}

/* Share of the modules' readings that did not come: of most ports none. */
static float missed_middle(struct engine *e)
{
	size_t none = 0, n = 0;

	for (size_t i = 0; i < e->count; i++) {
		const struct cadence *c = &e->ports[i]->cadence;

		if (e->ports[i]->gone || !c->missed.count)
			continue;
		none += last_none(&c->missed);
		e->values[n++] = cadence_missed(c);
	}
	return n >= LEAST && none > n / 2 ? 0 : site_middle_of(e, n);
}

/* Seconds since its module's readings changed. */
static float still_s(const struct engine_port *p, const struct site_asks *a)
{
	return p->cadence.moves.all && p->cadence.came.ns ?
		       cadence_still_s(&p->cadence, a->now) : NAN;
}

/* The normal level of another port of that kind, by the same code: errors of a
 * line do not compare with those between a module and the switch.
 */
static float sibling(const struct engine_port *p, const struct site_asks *a)
{
	const struct port_facts *mine = &a->like->facts, *its = &p->facts;
	bool is_one = p != a->like && p->front.link == LINK_IS_UP &&
		      ber_learned(&p->ber) &&
		      p->ber.code == a->like->ber.code &&
		      its->fec == mine->fec &&
		      its->speed_mbps == mine->speed_mbps &&
		      strcmp(its->media, mine->media) == 0;

	return is_one ? p->ber.baseline.mean : NAN;
}

/* Needed only where errors are many, from the first look on; and a little
 * longer, so that errors which swing about the limit end nothing.
 */
static void siblings_look(struct engine *e, struct engine_port *p,
			  struct mono now)
{
	const struct site_asks a = { .now = now, .like = p };
	const struct ber *b = &p->ber;
	double from = isnan(p->siblings_log_ber) ? SIBLINGS_FROM :
						   SIBLINGS_STILL;

	p->siblings_log_ber = NAN;
	if (!p->gone && b->code && b->t.ns != INT64_MIN &&
	    b->log_ber > b->code->safe_log_ber - from)
		p->siblings_log_ber = site_middle(e, sibling, &a);
}

/* A slow source is late with all readings, all the time: that is the lag. When
 * it slows down or stalls, the age grows beyond that.
 */
static void age_take(struct site *s, int64_t age_ns, int64_t passed_ns)
{
	s->module_lag_ns += passed_ns > 0 ? passed_ns / LAG_PARTS : 0;
	if (!s->has_lag || age_ns < s->module_lag_ns)
		s->module_lag_ns = age_ns;
	s->has_lag = true;
	s->module_age_ns = age_ns - s->module_lag_ns;
}

void site_look(struct engine *e, struct mono now)
{
	const struct site_asks a = { .now = now };
	float heat_k = heat_middle(e), age_s;

	e->site.heat_k = isnan(heat_k) ? NAN : not_below_0(heat_k);
	e->site.excess = not_below_0(middle_of_ports(e, excess, &a));
	if (e->site.excess > BENIGN_DECADES)
		benign_note(&e->benigns, "", &(struct benign){
			.id = BENIGN_RACK, .symptom = SYMPTOM_ERRORS,
			.since = now, .until = now, .size = e->site.excess });
	e->site.missed = missed_middle(e);
	e->site.still_s = middle_of_ports(e, still_s, &a);
	for (size_t i = 0; i < e->count; i++)
		siblings_look(e, e->ports[i], now);
	age_s = middle_of_ports(e, age, &a);
	if (!isnan(age_s))
		age_take(&e->site, (int64_t)(not_below_0(age_s) * 1e9f),
			 mono_diff_ns(now, e->looked));
}

bool site_silences(const struct engine *e, const struct detector *d)
{
	return (e->site.context & ENGINE_WARM_REBOOT && d->of_link) ||
	       (e->site.context & ENGINE_TSA && d->of_falls);
}

enum severity site_severity(const struct engine *e, const struct life_slot *s,
			    enum severity said)
{
	enum severity most = SEVERITY_WATCH;

	if (life_is_open(s) && e->life.pool[s->open - 1].severity > most)
		most = e->life.pool[s->open - 1].severity;
	return e->site.context & ENGINE_TSA && said > most ? most : said;
}

static const struct kept_field site_fields[] = {
	KEEP_OPT(struct site, shaken_until),
	KEEP_NOT(struct site, reload_until, "two minutes at most"),
	KEEP_NOT(struct site, context, "whoever knows it says it again"),
	KEEP_OPT(struct site, heat_k),
	KEEP(struct site, excess),
	KEEP(struct site, module_age_ns),
	KEEP(struct site, module_lag_ns),
	KEEP(struct site, has_lag),
	KEEP_OPT(struct site, missed),
	KEEP_OPT(struct site, still_s),
};

const struct kept site_kept =
	KEPT_TABLE(struct site, "site", site_fields);
