#include "agent/signature/measures.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define BY_LIGHT_DECADES 0.5	/* chosen */
#define ANOTHER_NS (120 * NS_PER_S)	/* apart, plus a few readings of both */
#define LATE_READINGS 4		/* a slow source shows light so much later */
#define FIRST_DECADES 1.5f	/* 0.3 dB make one at most: 3.6 a dB at 1e-9 */
#define WANDER_DECADES 0.3	/* above normal: errors of no fault, before */
#define OLD_DECADES 0.3		/* above normal, at most */
#define LOUD_DECADES 0.6
#define NEAR_DECADES 1.5	/* below the last safe level: fewer errors
				 * take no link down */
#define LOUD_AGE_NS (900 * NS_PER_S)
#define STRAIGHT 0.87		/* of the variance: two lanes of four give .8,
				 * a bend of the shortest e-fold .95 */
#define LAN_MBPS 100000
#define DENIED_DECADES 1.2	/* of errors expected … */
#define DENIED_MOST 0.15	/* … where only so many came: their noise */
#define DENIED_WINDOWS 2	/* most age of the reading */
#define DENIED_NOISE 0.15	/* where hardly any noise is steady */
#define STEADY_NOISE 0.25	/* least share of a receiver's noise that does
				 * not depend on the signal */

bool measures_light_is_another(const struct port_view *v)
{
	int64_t read_ns = (int64_t)(v->cadence->usual_s * (float)NS_PER_S);
	bool timed = v->light->fell_at.ns && v->ber->t.ns != INT64_MIN &&
		     v->ber->cusum.sum > 0;
	int64_t later_ns = timed ? mono_diff_ns(v->light->fell_at,
						v->ber->since) : 0;

	if (v->light->lost_db > LIGHT_DROP_DB &&
	    v->light->errors_before > FIRST_DECADES)
		return later_ns <= 0 || later_ns > LATE_READINGS * read_ns +
						   2 * v->ber->window_ns;
	return timed && (double)v->light->errors_before > WANDER_DECADES &&
	       later_ns > ANOTHER_NS + 2 * read_ns + 4 * v->ber->window_ns;
}

bool measures_light_is_second(const struct port_view *v)
{
	struct light_drop since;

	return v->ber->t.ns != INT64_MIN && v->ber->loud &&
	       light_drop_since(v->light, &since);
}

bool measures_errors_may_drop(const struct port_view *v)
{
	const struct ber *b = v->ber;

	return b->t.ns != INT64_MIN && b->loud &&
	       mono_diff_ns(v->front->t, b->t) < LOUD_AGE_NS &&
	       b->residual.excess - b->residual.slack > LOUD_DECADES &&
	       (b->lost_codewords > 0 ||
		b->log_ber > b->code->safe_log_ber - NEAR_DECADES);
}

bool measures_is_of_a_plug(const struct port_view *v)
{
	struct light_drop drop;

	light_drop(v->light, &drop);
	return drop.touch == TOUCH_PLUGGED && drop.worst_db <= LIGHT_WORSE_DB;
}

bool measures_errors_are_old(const struct port_view *v)
{
	const struct ber *b = v->ber;

	return b->code && b->t.ns != INT64_MIN &&
	       (!ber_learned(b) ||
		(!b->loud && b->residual.excess < OLD_DECADES));
}

/* The loss that would lower Q as much if all noise were steady:
 * 1/Q^2 = a/P^2 + c. steady: a's share of it.
 */
static double felt_db(double lost_db, double steady)
{
	return 5 * fec_log10(steady * fec_exp10(lost_db / 5) + 1 - steady);
}

/* The mean over the lanes: each has its share of the errors. */
static double explained_by(const struct light_drop *d, double normal,
			   bool pam4, double steady)
{
	double sum = 0;

	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		if (d->read >> i & 1)
			sum += fec_exp10(fec_log_ber_shifted(normal,
				-felt_db((double)d->lost_db[i], steady),
				pam4) - normal);
	return sum > 0 ? fec_log10(sum / d->lanes_known) : 0;
}

/* Slope of the loss over the lanes, least squares, as a share of the worst; 0
 * where it is not straight, as when only one or two lanes lost light.
 */
static double tilt_of(const struct light_drop *d)
{
	double n = d->lanes_known, mean_x = 0, mean_y = 0;
	double xx = 0, xy = 0, yy = 0;

	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		mean_x += d->read >> i & 1 ? i / n : 0;
		mean_y += d->read >> i & 1 ? (double)d->lost_db[i] / n : 0;
	}
	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		double dx = i - mean_x, dy = (double)d->lost_db[i] - mean_y;

		if (!(d->read >> i & 1))
			continue;
		xx += dx * dx;
		xy += dx * dy;
		yy += dy * dy;
	}
	if (xy * xy <= STRAIGHT * xx * yy)
		return 0;
	return xy / xx / (double)d->worst_db;
}

/* A lane had lost light at the reading before, too: by now the errors would
 * have grown.
 */
static bool loss_stands(const struct light *l)
{
	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		if (l->lane[i].since > 1)
			return true;
	return false;
}

/* The errors were counted after the light fell, from then on; of light that
 * fades it is not known when.
 */
static bool is_since_fall(const struct ber *b, const struct light *l)
{
	return !l->fell_at.ns ||
	       mono_diff_ns(b->t, l->fell_at) >= b->window_ns;
}

bool measures_light_is_denied(const struct light *l, const struct ber *b)
{
	struct light_drop drop;
	double normal, least;

	if (!loss_stands(l) || b->t.ns == INT64_MIN || !b->code ||
	    !ber_learned(b) || b->cusum.sum > 0 ||
	    b->residual.excess > DENIED_MOST || !is_since_fall(b, l) ||
	    mono_diff_ns(b->t, l->t) > DENIED_WINDOWS * b->window_ns ||
	    mono_diff_ns(l->t, b->t) > DENIED_WINDOWS * b->window_ns)
		return false;
	light_drop(l, &drop);
	normal = b->log_ber - b->residual.excess;
	least = explained_by(&drop, normal, b->code->pam4, DENIED_NOISE);
	return drop.known && least > DENIED_DECADES &&
	       normal + least > LOG_BER_HARMLESS;
}

/* The most that any lane but the worst lost. */
static double next_of(const struct light_drop *d)
{
	double worst = -INFINITY, next = -INFINITY;

	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		double lost = (double)d->lost_db[i];

		if (!(d->read >> i & 1))
			continue;
		if (lost > worst) {
			next = worst;
			worst = lost;
		} else if (lost > next) {
			next = lost;
		}
	}
	return next;
}

/* Does a word of the name begin there? Not inside another one, such as PLR4;
 * 2xFR4 has two.
 */
static bool word_begins(const char *media, const char *at)
{
	return at == media || !isalpha((unsigned char)at[-1]) ||
	       (at[-1] == 'x' && at - media > 1 &&
		isdigit((unsigned char)at[-2]));
}

/* What follows that word, a number of lanes, in the name; NULL: it is not
 * there, or with one lane.
 */
static const char *media_has(const char *media, const char *word)
{
	const char *at = media, *end;

	while ((at = strstr(at, word))) {
		end = at + strlen(word);
		if (word_begins(media, at) && !isalpha((unsigned char)*end) &&
		    *end != '1')
			return end;
		at = end;
	}
	return NULL;
}

/* What follows the word for lanes on one fibre, a colour each (IEEE 802.3 and
 * MSA names); NULL: there is none.
 */
static const char *colours_at(const char *media)
{
	static const char *const words[] = { "FR", "LR", "ER" };
	const char *at = strstr(media, "WDM");

	if (at)
		return at + strlen("WDM");
	for (size_t i = 0; !at && i < sizeof(words) / sizeof(words[0]); i++)
		at = media_has(media, words[i]);
	return at;
}

bool measures_is_wdm(const struct port_facts *facts)
{
	return colours_at(facts->media) != NULL;
}

unsigned measures_plug_width(const struct port_facts *facts)
{
	const char *at = colours_at(facts->media);
	unsigned n = facts->lanes;

	/* Two plugs are the most; 4x100G-DR shares one. */
	if (at && isdigit((unsigned char)*at))
		n = (unsigned)(*at - '0');
	else if (strncmp(facts->media, "2x", 2) == 0)
		n /= 2;
	return n == 0 ? PORT_LANES_MAX : n;
}

/* Of several fibres with their own plug, the one whose lane lost most: what
 * befalls it does not touch the others.
 */
static void drop_of_plug(struct light_drop *d, const struct port_facts *facts)
{
	unsigned worst = 0;
	uint8_t lanes;

	for (unsigned i = 1; i < PORT_LANES_MAX; i++)
		if (d->lost_db[i] > d->lost_db[worst])
			worst = i;
	lanes = measures_plug_lanes(measures_plug_width(facts), worst);
	d->lanes &= lanes;
	d->read &= lanes;
	d->lanes_known = (unsigned)__builtin_popcount(d->read);
}

/* Colours some 20 nm apart in single mode, so that a bend affects them
 * differently; LAN-WDM has 4.5 nm (IEEE 802.3, clauses 88 and 151).
 */
static bool colours_are_far(const struct port_facts *facts)
{
	static const char *const near[] = { "LWDM", "SWDM", "DWDM", "4WDM-20",
					    "4WDM-40" };
	const char *media = facts->media;

	for (size_t i = 0; i < sizeof(near) / sizeof(near[0]); i++)
		if (strstr(media, near[i]))
			return false;
	return measures_is_wdm(facts) && !media_has(media, "ER") &&
	       !(media_has(media, "LR") && facts->speed_mbps <= LAN_MBPS);
}

static void light_measure(const struct port_view *v,
			  const struct error_growth *g, struct measures *ret)
{
	const struct ber *b = v->ber;
	double normal;

	if (g->second)
		(void)light_drop_since(v->light, &ret->drop);
	else
		light_drop(v->light, &ret->drop);
	if (g->named)
		ret->drop.stood = UINT_MAX;
	ret->apart_min = (double)v->cadence->usual_s / 60;
	ret->has_light = ret->drop.known && v->light->t.ns >= g->since.ns &&
			 !cadence_stands(v->cadence, v->site->still_s);
	if (!ret->has_light)
		return;
	ret->has_errors = b->code && b->t.ns != INT64_MIN;
	if (ret->has_errors) {
		normal = b->log_ber - b->residual.excess;
		ret->explained = explained_by(&ret->drop, normal,
					      b->code->pam4, 1);
		ret->explained_least = explained_by(&ret->drop, normal,
						    b->code->pam4,
						    STEADY_NOISE);
		ret->by_light = ret->drop.lanes && ret->explained >
						   ret->raw - BY_LIGHT_DECADES;
	}
	drop_of_plug(&ret->drop, v->facts);
	ret->is_wdm = ret->drop.lanes_known > 1 && measures_is_wdm(v->facts);
	ret->colours_are_far = ret->drop.lanes_known > 2 &&
			       colours_are_far(v->facts);
	ret->tilt = tilt_of(&ret->drop);
	ret->next_db = next_of(&ret->drop);
}

void measures_take(const struct port_view *v, const struct error_growth *g,
		   struct measures *ret)
{
	const struct baseline *base = &v->ber->baseline;

	*ret = (struct measures){
		.copper = port_is_copper(v->facts),
		.passive = port_is_passive(v->facts),
		.fixed = port_connector(v->facts) == CONNECTOR_FIXED,
		.raw = g->raw, .step_share = g->step_share,
		.swings = g->swings, .traffic = load_nats(v->traffic),
		.windows = g->named ? UINT_MAX : g->windows };
	if (!ret->copper) {
		light_measure(v, g, ret);
		ret->odd_lane = lane_usual_left(v->lanes, v->tick, v->ber);
	}
	ret->has_heat = base->temp_s > BASELINE_WARM_UP_S &&
			v->front->seen[NEED_TEMP].ns >= g->since.ns;
	if (!ret->has_heat)
		return;
	ret->heat_k = v->ber->residual.heat_k;
	ret->heat_makes = ret->heat_k > 0 ? ret->heat_k *
			  ((double)base->slope + 2 * (double)base->slope_sd) :
			  0;
}
