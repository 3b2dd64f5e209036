/* fec_trend: the errors before correction grow, or have stepped up and stay;
 * named after its cause as soon as that is sure (hypothesis.h).
 *
 * Looks at each window of ber.c. It reports errors that are above its gate for
 * long enough, confirmed by the CUSUM (growth) or the e-detector (step):
 *
 *   watch     above this port's own noise
 *   warn      well above it, the last safe level passed, or the cliff is less
 *             than a day away
 *   critical  frames are lost, or will be within the hour
 *
 * Errors that the port had when first seen are preexisting: at most watch,
 * while no frames are lost and they do not grow. So are errors that have stayed
 * the same for three days, far from harm (settled.h).
 *
 * A warm module makes errors; what temperature can explain (slack) does not
 * count, and nothing is reported until the module is read after the rise.
 */
#include "agent/signature/fec_trend.h"

#include <math.h>

#include "agent/base/extreme.h"
#include "agent/signature/hypothesis.h"

#define GATE_WATCH_SD 3.5
#define GATE_WATCH_MIN 0.22	/* decades */
#define GATE_WARN_SD 5.0
#define GATE_WARN_MIN 0.40
#define GATE_MAX 1.2
#define OWN_DB 1.5f		/* more than a swing that many ports share */
#define ROOM_DECADES 0.66	/* up to the last safe level: three gates */
#define NARROWEST 0.3		/* share of a gate, in less room */
#define FAR_DECADES 1.5		/* a rise to watch where it does no harm yet:
				 * half a decibel of the eye, at 1e-9 */
#define GATE_BLIND_HEAT 0.3	/* added where temperature is not read */
#define STEP_SHARE 0.5		/* of the rise in one window: a step */
#define GROWTH_WINDOWS 4
#define GROWTH_WINDOWS_SLOW 8	/* where a window is a minute or more */
#define STEP_WINDOWS 12
#define STEP_SETTLE 2		/* windows until a step stands */
#define STEP_LEAST 0.3		/* decades, of one while it grows … */
#define STEP_SDS 5.0		/* … and so many deviations of its noise */
#define GROWTH_LEAST 0.15	/* decades; less has no date */
#define UNSAFE_WINDOWS 4
#define CLEAR_SDS 3.0	/* of its noise below a level: clearly below it */
#define BAD_DECADES 1.5		/* above ports of its kind … */
#define BAD_NEAR 1.0		/* … and so near the last safe level: about
				 * where makers' tables warn (UFM: 5e-6) */
#define WANDERS_DB 0.5	/* of margin; physics: a PAM4 eye closes by this in one
			 * or two decades of errors */
#define AGAIN_NS (600 * NS_PER_S)
#define SLOW_NS (30 * NS_PER_S)
#define DOM_GONE_NS (180 * NS_PER_S)
#define CRITICAL_S 3600
#define WARN_S 86400		/* the last day to act on it */
#define SURE_TIMES 5	/* a date counts if its interval ends by then */
#define WAY_PARTS 6		/* a date counts once growth has done one such
				 * part of the way and of the time left */
#define DRIFT_SLOT_NS (14400 * NS_PER_S)
#define DRIFT_Z 4.5
#define DRIFT_RISE 0.5		/* decades over the ring */
#define DRIFT_SLOTS 18		/* three days */
#define ROOM_DB_K 0.08	/* decibels by which heat closes the eye, at most: the
			 * steepest slope of errors that begin to matter */
#define ROOM_TIMES 2.5		/* times the heat of most modules, at most */
#define HOT_K 6.5f		/* above usual, and above what most are */
#define HOT_ALONE_K 8.5f	/* more than load makes: told without errors */
#define HOT_LEAST 0.012		/* decades a K: real heat makes at least so
				 * many, a wrong thermometer makes none */
#define HOT_SDS 2.5f
#define HOT_DECADES 0.3
#define HOT_WINDOWS 24		/* in a row, until it is told … */
#define HOT_HURTS 4		/* … one that does harm counts as so many */
#define STILL_SHARE 0.5f	/* of both limits, to go on */
#define NAME_KEPT_NS (1500 * NS_PER_S)	/* after it was last seen */
#define SWINGS_KEPT_NS (86400 * NS_PER_S)
#define NEAR_PEAK 0.9f		/* of the most */
#define SWING_LOW 0.5f
#define SWING_HIGH 0.75f
#define SWINGS_WANDER 2		/* a level that wanders has no date */
#define WANDER_LEFT 1.3f	/* times that most: it grows all the same */
#define SWING_OUTGROWN 2.0f	/* times the most when it last swung; chosen */
#define WHOLE_SHARE 0.5f	/* of a loss that counts; less is none */
#define UNLOOKED 0.9	/* sureness without a look at causes; chosen: it claims
			 * only that errors grew */

static void trend_start(void *mine, const struct port_facts *facts)
{
	struct fec_trend *t = mine;

	(void)facts;
	trend_ring_start(&t->drift);
	settled_start(&t->settled);
	naming_start(&t->naming);
}

/* A link that is normally near the last safe level, as coherent lines are, has
 * few decades to lose: there less growth is the same harm. 1: it has enough.
 */
static double narrow(const struct port_view *v)
{
	double room = v->ber->code->safe_log_ber - v->ber->baseline.mean;

	return room < ROOM_DECADES && room > 0 ?
	       double_most(room / ROOM_DECADES, NARROWEST) : 1;
}

static double gate(const struct port_view *v, double sds, double least)
{
	const struct baseline *b = &v->ber->baseline;
	double g = double_least(double_most(sds * b->spread,
					    least * narrow(v)), GATE_MAX);

	return g + (b->temp_s > 0 ? 0 : GATE_BLIND_HEAT);
}

/* Decades above normal that neither heat nor most ports' trend explains; where
 * a port lost its light, that explains it.
 */
static double excess(const struct port_view *v)
{
	bool own = v->light->lost_db > OWN_DB;

	return ber_excess_over(v->ber, own ? 0 : (double)v->site->excess);
}

/* K by which a warm room, or a job on all ports, may heat this module: it may
 * draw more power than most.
 */
static double room_k(const struct port_view *v)
{
	return isnan(v->site->heat_k) ? 0 :
	       ROOM_TIMES * (double)v->site->heat_k;
}

/* The same, less what a warm room explains: the slope was learned in a cool
 * room, and errors bend upwards, at another temperature for each module. They
 * are worth a look, but no alarm. Copper is as warm as its air.
 */
static double excess_of_no_room(const struct port_view *v)
{
	const struct residual *r = &v->ber->residual;
	double warm_k = room_k(v), normal = v->ber->log_ber - r->excess;

	if (v->ber->baseline.temp_s > 0)
		warm_k = fmin(warm_k, fmax(r->heat_k, 0));
	return excess(v) + normal -
	       fec_log_ber_shifted(normal, -ROOM_DB_K * warm_k,
				   v->ber->code->pam4);
}

/* The module is hotter than any room makes it. */
static bool is_hot_alone(const struct fec_trend *t, const struct port_view *v)
{
	return t->hot && v->heat_k > (float)(room_k(v) * (1 - 1 / ROOM_TIMES));
}

/* The errors as they would be at the module's mean temperature. */
static double cool_level(const struct port_view *v)
{
	return v->ber->log_ber -
	       v->ber->baseline.slope * v->ber->residual.heat_k;
}

static bool is_step(const struct fec_trend *t, const struct port_view *v)
{
	return t->jump > STEP_SHARE * excess(v);
}

/* The last two windows are off the course, on one side: a step, which the law
 * of growth does not cross. One alone is not yet.
 */
static bool course_breaks(const struct fec_trend *t, const struct port_view *v,
			  double before, bool *ret_alone)
{
	double least = fmax(STEP_LEAST * narrow(v),
			    STEP_SDS * v->ber->baseline.spread);
	double off = course_off(&t->course, cool_level(v), least);
	bool breaks = off * course_off(&t->course, before, least) > 0;

	*ret_alone = off != 0 && !breaks;
	return breaks;
}

/* The course begins where the CUSUM last stood at 0, so it has only the growth.
 * Windows before and within a step say nothing of the growth after it.
 * rise: since the window before.
 */
static void course_follow(struct fec_trend *t, const struct port_view *v,
			  double rise)
{
	const struct ber *b = v->ber;
	bool quiet = !t->speaking && b->since.ns == b->t.ns, alone = false;

	if (t->course.slot_ns == 0 || quiet)
		t->onset = b->t;
	if (t->course.slot_ns == 0 || quiet ||
	    (t->above <= STEP_SETTLE && is_step(t, v)) ||
	    course_breaks(t, v, cool_level(v) - rise, &alone)) {
		course_start(&t->course, b->t, b->window_ns);
		t->cliff.foreseeable = false;
	}
	if (!alone)
		course_take(&t->course, cool_level(v), b->t);
}

static void above_follow(struct fec_trend *t, const struct port_view *v)
{
	float now = (float)excess(v), rise = now - t->before;

	if (t->above == 0)
		t->lit = v->light->readings > 0;
	if (now < gate(v, GATE_WATCH_SD, GATE_WATCH_MIN) ||
	    (v->ber->log_ber < LOG_BER_HARMLESS && now < FAR_DECADES)) {
		t->above = 0;
		t->jump = rise;
	} else {
		if (t->above == 0)
			t->above_since = v->ber->t;
		t->above += t->above < UINT16_MAX;
		t->jump = rise > t->jump ? rise : t->jump;
	}
	t->before = now;
}

/* Too many errors for any link; or so many that they lose codewords, or many
 * more than ports of its kind have.
 */
static bool is_bad(const struct fec_trend *t, const struct port_view *v)
{
	double level = v->ber->log_ber, safe = v->ber->code->safe_log_ber;
	double usual = (double)v->siblings_log_ber;

	return level >= safe || ber_lost_by_errors(v->ber) ||
	       (!t->was_safe && level > safe - BAD_NEAR &&
		!isnan(usual) && level > usual + BAD_DECADES);
}

/* Errors so many that they matter now. */
static bool is_unsafe(const struct fec_trend *t, const struct port_view *v)
{
	return t->unsafe >= UNSAFE_WINDOWS && (fec_trend_has_lost(t, v) ||
	       !(t->preexisting || fec_trend_hardly_grew(t, v)));
}

static void lost_follow(struct fec_trend *t, const struct port_view *v)
{
	if (v->ber->lost_codewords <= 0)
		return;
	t->lost_again = fec_trend_is_over_cliff(t, v) ||
			(fec_trend_has_lost(t, v) && is_unsafe(t, v) &&
			 v->ber->log_ber > v->ber->code->safe_log_ber -
					   BER_QUIET_DECADES);
	t->lost = v->ber->t;
}

/* Follows whether the level is unsafe, and whether it always was. */
static void unsafe_follow(struct fec_trend *t, const struct port_view *v)
{
	double safe = v->ber->code->safe_log_ber;
	/* A level at the limit is below it now and then, by its noise. */
	bool is_clear = v->ber->log_ber < safe - CLEAR_SDS *
					  (double)v->ber->baseline.spread;

	if (is_bad(t, v)) {
		t->unsafe += t->unsafe < UINT16_MAX;
	} else {
		t->unsafe = 0;
		t->preexisting &= !is_clear;
		t->was_safe |= (is_clear && t->was_learned) ||
			       v->ber->log_ber < safe - BAD_NEAR;
	}
	t->was_safe |= v->front->turned_at.ns != INT64_MIN && !t->preexisting;
	t->preexisting |= t->unsafe >= UNSAFE_WINDOWS && !t->was_safe;
	t->was_learned = ber_learned(v->ber);
	lost_follow(t, v);
}

/* Errors cost frames: some were lost, or one an hour is lost at that level. */
static bool loses(const struct fec_trend *t, const struct port_view *v)
{
	return is_unsafe(t, v) &&
	       (fec_trend_has_lost(t, v) ||
		v->ber->log_ber >= (double)v->ber->code->cliff_log_ber);
}

/* It has lasted long enough: longer for a step, which may go back. */
static bool has_lasted(const struct fec_trend *t, const struct port_view *v)
{
	bool step = is_step(t, v);
	unsigned growth = v->ber->window_ns >= SLOW_NS ? GROWTH_WINDOWS_SLOW
						       : GROWTH_WINDOWS;

	return (v->ber->loud || (step && v->ber->stepped)) &&
	       t->above >= (step ? STEP_WINDOWS : growth);
}

/* The module's temperature was read after the rise, or never. */
static bool heat_is_read(const struct fec_trend *t, const struct port_view *v)
{
	struct mono read = v->front->seen[NEED_TEMP];

	return read.ns == INT64_MIN || read.ns >= t->above_since.ns;
}

/* The same, or it is not read any more. */
static bool heat_is_known(const struct fec_trend *t, const struct port_view *v)
{
	return heat_is_read(t, v) ||
	       mono_diff_ns(v->ber->t, t->above_since) > DOM_GONE_NS;
}

static void cliff_follow(struct fec_trend *t, const struct port_view *v)
{
	int64_t passed_ns = mono_diff_ns(v->ber->t, t->cliff_t);
	bool over = t->cliff.foreseeable && t->cliff.mid_s > 0 &&
		    passed_ns >= t->cliff.mid_s * NS_PER_S;

	if (t->cliff_t.ns != 0 && passed_ns < t->course.slot_ns / 2 && !over)
		return;
	t->cliff_t = v->ber->t;
	course_cliff(&t->course, v->ber->code, v->ber->t,
		     v->ber->baseline.mean,
		     fmax(GROWTH_LEAST * narrow(v),
			  2 * v->ber->baseline.spread),
		     &t->cliff);
	t->cliff.foreseeable &= t->swings < SWINGS_WANDER ||
				t->peak > WANDER_LEFT * t->swing_peak;
}

/* Decades above normal, heat included. */
static double raw_excess(const struct port_view *v)
{
	const struct residual *r = &v->ber->residual;

	return r->excess + (double)v->ber->baseline.slope * r->heat_k;
}

/* Heat explains the errors, and only this module is that hot; or it is so hot
 * that errors will follow.
 */
static void heat_follow(struct fec_trend *t, const struct port_view *v)
{
	float share = t->speaking && t->hot ? STILL_SHARE : 1;
	bool hurts = v->ber->log_ber > LOG_BER_HARMLESS &&
		     raw_excess(v) > (double)share * HOT_DECADES;
	float least_k = hurts ? HOT_K : HOT_ALONE_K;
	bool hot = v->heat_k > share * float_most(least_k, HOT_SDS *
							   v->heat_sd_k) &&
		   raw_excess(v) > HOT_LEAST * (double)v->heat_k;

	t->hot = hot ? (uint16_t)fmin(t->hot + (hurts ? HOT_HURTS : 1),
				      UINT16_MAX) : 0;
}

/* Growth so slow that the baseline follows it. */
static void drift_follow(struct fec_trend *t, const struct port_view *v)
{
	double level = cool_level(v), rise;
	struct rank_trend trend;

	if (!trend_ring_take(&t->drift, level, v->ber->t, DRIFT_SLOT_NS))
		return;
	t->drift_rise = 0;
	if (t->drift.count < DRIFT_SLOTS || !rank_trend(&t->drift, &trend))
		return;
	rise = trend.slope * (t->drift.count - 1) -
	       2 * v->ber->residual.slack;	/* what heat may have done */
	if (trend.z > DRIFT_Z && level > LOG_BER_HARMLESS &&
	    rise > fmax(DRIFT_RISE * narrow(v),
			4 * v->ber->baseline.spread))
		t->drift_rise = (float)rise;
}

static bool speaks(const struct fec_trend *t, const struct port_view *v)
{
	if (t->unsafe >= UNSAFE_WINDOWS || t->drift_rise > 0)
		return true;
	if (t->hot >= HOT_WINDOWS || (t->speaking && t->hot))
		return true;
	if (!ber_learned(v->ber))
		return false;
	if (t->speaking)	/* until it is well below */
		return excess(v) > gate(v, GATE_WATCH_SD, GATE_WATCH_MIN) / 2;
	if (t->spoke.ns != 0 && t->above > 0 &&
	    mono_diff_ns(v->ber->t, t->spoke) < AGAIN_NS)
		return true;	/* seen again soon, it need not last again */
	return has_lasted(t, v) && heat_is_known(t, v);
}

/* The level is so far on its way to the cliff that it does not just wander: a
 * level that wanders has a date now and then.
 */
static bool is_on_its_way(const struct port_view *v)
{
	double left = v->ber->code->cliff_log_ber - v->ber->log_ber;

	return excess_of_no_room(v) * WAY_PARTS > left;
}

/* Healthy links wander by some tenths of a decibel, for hours. Far from harm,
 * growth is a warning only where it took more than that, or where light was
 * lost with it.
 */
static bool is_for_now(const struct fec_trend *t, const struct port_view *v)
{
	const struct hypothesis *h = hypothesis_find(t->naming.name);
	double level = v->ber->log_ber;
	double before = level - fmax(raw_excess(v), (double)t->drift_rise);

	if (level > v->ber->code->safe_log_ber - BAD_NEAR)
		return true;
	return !measures_is_of_a_plug(v) &&
	       ((h && h->of_lanes && v->light->lost_db > LIGHT_DROP_DB) ||
		fec_margin_db(before, v->ber->code) -
		fec_margin_db(level, v->ber->code) > WANDERS_DB);
}

/* The cliff has a date within within_s. Growth of a minute cannot foretell
 * hours.
 */
static bool is_due(const struct fec_trend *t, const struct port_view *v,
		   int64_t within_s)
{
	int64_t age_ns = mono_diff_ns(v->ber->t, t->course.start);
	struct cliff c;

	fec_trend_cliff(t, v, &c);
	return is_on_its_way(v) && c.foreseeable && c.mid_s < within_s &&
	       c.mid_s < WAY_PARTS * (age_ns / NS_PER_S) &&
	       c.high_s < SURE_TIMES * within_s;
}

static enum severity how_bad(const struct fec_trend *t,
			     const struct port_view *v)
{
	bool unsafe = is_unsafe(t, v);
	bool much = excess_of_no_room(v) > gate(v, GATE_WARN_SD,
						GATE_WARN_MIN);
	bool strong = (much && v->ber->stepped) ||	/* not by chance */
		      t->drift_rise > 0 ||
		      (is_hot_alone(t, v) && raw_excess(v) > GATE_WARN_MIN &&
		       v->ber->log_ber > LOG_BER_HARMLESS);

	if ((!heat_is_read(t, v) && excess(v) < GATE_MAX && !unsafe) ||
	    v->ber->log_ber < LOG_BER_HARMLESS)
		return SEVERITY_WATCH;
	if (loses(t, v) || (strong && is_due(t, v, CRITICAL_S)))
		return SEVERITY_CRITICAL;
	return unsafe || is_due(t, v, WARN_S) || fec_trend_is_over(t, v, 0) ||
	       (strong && is_for_now(t, v)) ? SEVERITY_WARN : SEVERITY_WATCH;
}

static void swing_count(struct fec_trend *t)
{
	t->swings += t->swings < UINT8_MAX;
	t->swing_peak = t->peak;
}

/* Counts swings: wear and fading go one way only. Growth that has become twice
 * as much since is another matter than its swings.
 */
static void swings_follow(struct fec_trend *t, const struct port_view *v)
{
	float raw = (float)raw_excess(v);

	if (raw > t->peak)
		t->peak = raw;
	if (raw > t->peak * NEAR_PEAK)	/* fewer, heat may make */
		t->no_heat = ber_denies_heat(v->ber);
	if (t->peak > SWING_OUTGROWN * t->swing_peak)
		t->swings = 0;
	if (raw < t->peak * SWING_LOW) {
		t->low = true;
	} else if (t->low && raw > t->peak * SWING_HIGH) {
		t->low = false;
		swing_count(t);
	}
}

/* Why the errors grew, by what else was measured since. Readings from before
 * the growth say nothing.
 */
static void naming_follow(struct fec_trend *t, const struct port_view *v)
{
	struct error_growth g = {
		.raw = fmax(raw_excess(v), (double)t->drift_rise),
		.since = t->named_from, .windows = t->above,
		.named = naming_has(&t->naming), .swings = t->swings,
		.no_heat = t->no_heat };
	struct measures m;

	/* The name stays when another fault comes, or it may be mended. */
	if (t->naming.name && (measures_light_is_another(v) ||
			       ber_anchors(v->ber)))
		return;
	if (g.raw > 0 && t->above)	/* else it is noise */
		g.step_share = (double)t->jump / g.raw;
	measures_take(v, &g, &m);
	if (v->front->link == LINK_IS_DOWN)	/* no errors are counted */
		m.raw = fmax(m.raw, m.explained);
	t->fell = m.drop.lanes ||
		  (t->fell && m.drop.worst_db > WHOLE_SHARE * LIGHT_DROP_DB);
	t->by_light = m.by_light;
	t->steady |= !fec_trend_may_be_small(t, v, &m.drop);
	if (m.has_light)
		naming_take(&t->naming, &m, v->light->t);
	else if (m.copper)
		naming_take(&t->naming, &m, v->ber->t);
	else if (m.has_heat && !m.drop.known)
		naming_take(&t->naming, &m, v->front->seen[NEED_TEMP]);
}

/* The same trouble soon after keeps its name. Trouble that went away by itself
 * and comes back within a day counts as a swing.
 */
static void naming_begin(struct fec_trend *t, const struct port_view *v)
{
	int64_t quiet_ns = t->spoke.ns ? mono_diff_ns(v->ber->t, t->spoke) :
			   INT64_MAX;

	if (quiet_ns < NAME_KEPT_NS)
		return;
	naming_start(&t->naming);
	if (quiet_ns > SWINGS_KEPT_NS || v->front->turned_at.ns > t->spoke.ns)
		t->swings = 0;
	else
		swing_count(t);
	t->peak = 0;
	t->low = t->fell = t->steady = t->no_heat = false;
	t->rise = RISE_NONE;
	t->named_from = t->above > 0 ? t->above_since : t->onset;
	if (t->above == 0)	/* heat made them while it lasted */
		t->named_from.ns -= t->hot / HOT_HURTS * v->ber->window_ns;
}

/* How the errors came. Noise does not change it: a step that grows has grown
 * for good. They may be too many, and as they were when they were first seen.
 */
static void rise_follow(struct fec_trend *t, const struct port_view *v)
{
	if (t->above < GROWTH_WINDOWS && !t->hot && t->drift_rise <= 0)
		return;
	if (t->rise != RISE_GREW)
		t->rise = is_step(t, v) ? RISE_STEPPED : RISE_GREW;
}

/* No frames are lost, and no cliff is foreseeable. */
static bool is_calm(const struct fec_trend *t, const struct port_view *v)
{
	return v->ber->log_ber < v->ber->code->safe_log_ber - BAD_NEAR &&
	       v->ber->lost_codewords <= 0 && !t->hot &&
	       !(t->speaking && t->cliff.foreseeable);
}

/* Keeps the old normal level; growth from now on is a new trouble. */
static void accept_level(struct fec_trend *t, const struct port_view *v)
{
	settled_accept(&t->settled, v->ber->baseline.mean);
	trend_ring_start(&t->drift);
	t->drift_rise = 0;
	t->above = 0;
	t->before = t->jump = 0;
	t->speaking = false;
	t->cliff.foreseeable = false;
}

/* A laser that dies within minutes takes the link down: light tells on. */
static enum severity unclosed(struct fec_trend *t, const struct port_view *v)
{
	if (t->speaking && v->front->link == LINK_IS_DOWN &&
	    (v->ber->log_ber > (double)v->ber->code->cliff_log_ber ||
	     fec_trend_took_down(v)))
		t->severity = SEVERITY_CRITICAL;
	if (t->speaking && !naming_has(&t->naming) && t->fell &&
	    v->front->link == LINK_IS_DOWN && v->front->dom_good)
		naming_follow(t, v);
	return t->severity;
}

static enum severity trend_judge(void *mine, const struct port_view *v)
{
	struct fec_trend *t = mine;
	bool goes_on = t->speaking;	/* perhaps unmeasured for long */
	double rise;

	if (v->ber->t.ns == INT64_MIN)
		return SEVERITY_NONE;	/* restored, and nothing read yet */
	if (!v->ber->closed)
		return unclosed(t, v);
	rise = excess(v) - (double)t->before;
	above_follow(t, v);
	unsafe_follow(t, v);
	course_follow(t, v, rise);
	drift_follow(t, v);
	heat_follow(t, v);
	t->speaking = speaks(t, v);
	t->severity = SEVERITY_NONE;
	if (t->speaking) {
		if (!goes_on)
			naming_begin(t, v);
		rise_follow(t, v);
		t->spoke = v->ber->t;
		swings_follow(t, v);
		cliff_follow(t, v);
		t->severity = how_bad(t, v);
		naming_follow(t, v);
	}
	settled_take(&t->settled, cool_level(v),
		     double_most(GROWTH_LEAST, 3 * v->ber->baseline.spread),
		     is_calm(t, v), v->ber->t);
	if (t->speaking && settled_is_old(&t->settled))
		accept_level(t, v);
	if (!t->speaking && settled_stands(&t->settled))
		t->severity = SEVERITY_WATCH;
	return t->severity;
}

static bool trend_settles(void *mine, double *ret_level)
{
	return settled_tell(&((struct fec_trend *)mine)->settled, ret_level);
}

static enum drain drain_of(const struct fec_trend *t,
			   const struct port_view *v)
{
	if (t->severity == SEVERITY_CRITICAL)
		return DRAIN_URGE;
	return is_unsafe(t, v) || is_due(t, v, WARN_S) ? DRAIN_ADVISE :
							 DRAIN_NONE;
}

static double confidence_of(const struct fec_trend *t,
			    const struct port_view *v)
{
	double over = excess(v) / gate(v, GATE_WATCH_SD, GATE_WATCH_MIN);
	double c = 0.8 + 0.1 * fmin(fmax(over - 1, 0), 1.5);

	if (naming_has(&t->naming))
		return naming_sure(&t->naming);
	/* Errors are unsafe, or the test with a bound says so (trend.h). */
	if (is_unsafe(t, v) || v->ber->stepped)
		c = 0.97;
	if (v->ber->baseline.temp_s <= 0)
		c *= 0.9;
	return c * (t->naming.name ? naming_sure(&t->naming) : UNLOOKED);
}

static void trend_describe(const void *mine, const struct port_view *v,
			   struct finding *f)
{
	const struct fec_trend *t = mine;

	f->drain = drain_of(t, v);
	f->confidence = (float)confidence_of(t, v);
	fec_trend_cliff(t, v, &f->cliff);
	f->onset = t->onset;
	fec_trend_tell(t, v, f);
}

static bool trend_applies(const struct port_facts *facts, const char **ret_why)
{
	if (fec_code_find(facts->fec) || facts->fec == FEC_AUTO ||
	    (facts->fec == FEC_NONE && fec_code_of_line(facts->media)))
		return true;
	*ret_why = "no Reed-Solomon FEC on this port: no errors are counted";
	return false;
}

static const struct need_row trend_needs[] = {
	{ NEED_BER, true, "no counter of corrected bits, symbols or codewords "
	  "at a known line rate was read", "FEC counters of the port" },
	{ NEED_TEMP, false, "module temperature is not read: only larger "
	  "growth can be distinguished from heat", "a module with DOM" },
	{ NEED_LIGHT, false, "received light is not read: loss and electronics "
	  "cannot be told apart", "a module with DOM" },
	{ NEED_BASELINE, false, "the baseline is still being learned: only "
	  "errors near the cliff are reported", "a few minutes of readings" },
};

const struct detector fec_trend_detector = {
	.signature = SIGNATURE_FEC_TREND,
	.state_size = sizeof(struct fec_trend),
	.kept = &fec_trend_kept,
	.hold_ns = 600 * NS_PER_S,
	.of_link = true,
	.of_errors = true,
	.of_module = true,
	.wakes = WAKE_WINDOW | WAKE_LINK,
	.needs = trend_needs,
	.need_count = sizeof(trend_needs) / sizeof(trend_needs[0]),
	.applies = trend_applies,
	.start = trend_start,
	.judge = trend_judge,
	.describe = trend_describe,
	.settles = trend_settles,
	.swapped = fec_trend_swapped,
	.restore = fec_trend_recall,
};
