#include "agent/signature/light.h"

#include <math.h>
#include <string.h>

#include "agent/base/extreme.h"
#include "agent/signature/kept.h"

#define LEARN_SHARE_MIN (1.0f / 512)
#define LEARN_LOST 16.0f	/* so much slower from a lane that lost light */
#define NOW_SHARE (1.0f / 3)	/* weight of a reading in the recent level */
#define STEP_SHARE (1.0f / 32)
#define STEP2_FLOOR (0.03f * 0.03f)	/* a monitor's own steps, dB */
#define LOST_DB 0.2f		/* from here on a loss is followed … */
#define FOUND_DB 0.1f		/* … until it is less than this */
#define SETTLE_READINGS 1	/* after the loss, until it counts as settled */
#define AT_ONCE_SHARE 0.55f	/* of a loss, in one reading */
#define AT_ONCE_DB 0.4f		/* a smaller loss shows neither */
#define SLOW_SHARE 0.35f
#define GROWN_DB 0.4f		/* lost since it settled: it goes on */
#define SECOND_DB 1.0f		/* … so much that it is a loss of its own */
#define QUIET_STEPS 3.0f	/* rms steps: more than noise of a quiet lane */
#define FELL_STEPS 5.0f		/* … and so many are another fault */
#define COME_DECADES 0.5	/* of errors: they came with the loss */
#define RELAX_SHARE 0.07f	/* of a loss: half of what a bend gives back;
				 * chosen */
#define SHAKY_READINGS 4	/* more after that, to tell if it is shaky */
#define SMOOTH (1.0f / 4)	/* weight of a reading, to follow returns */
#define RETURN_LEAST_DB 0.5f	/* lost before, for a return to count … */
#define RETURN_SHARE 3.0f	/* … when less than one such part is lost now */
#define WHOLE_NS (8 * NS_PER_S)	/* unit of the time that light is whole */
#define FORGET 13500	/* whole for so long, 30 h: the next loss is another
			 * one, and no swing of each day */
#define PLUGGED_NS (30 * NS_PER_S)	/* down so long: somebody was there */
#define TOUCHED_NS (5 * NS_PER_S)	/* … or so long, and light was lost */
#define DRIFT_SHARE 0.3f	/* of the mean step, by which steps of an even
				 * fade differ */
#define MATED_DB 0.5f	/* standard: most loss of grade C plugs, mated at random
			 * (IEC 61755-1) */
#define SWAP_DB 0.7f	/* two modules of a kind read the same light so much
			 * differently, mostly: chosen; they may by 1.5 */

void light_start(struct light *l)
{
	memset(l, 0, sizeof(*l));
	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		l->lane[i].usual_dbm = NAN;
}

static void lane_begin(struct light_lane *l, float dbm)
{
	*l = (struct light_lane){ .usual_dbm = dbm, .last_dbm = dbm,
				  .now_dbm = dbm, .step2 = STEP2_FLOOR };
}

/* A change within the usual steps between readings is no jump, and is no growth
 * where light is not steady since. A loss that goes on is slow, however it
 * began, but one reading far off is no growth; a loss that came in one reading,
 * and is steady since, came at once. was_dbm: a reading earlier.
 */
static enum fall fall_of(const struct light_lane *l, float was_dbm)
{
	float quiet2 = fmaxf(l->step2, STEP2_FLOOR);
	float noise = QUIET_STEPS * sqrtf(quiet2);
	float since = QUIET_STEPS * sqrtf(fmaxf(l->shaky2, quiet2));
	float lost = l->usual_dbm - l->now_dbm;
	float grown = l->settled_db > 0 ? lost - l->settled_db : 0;
	float stays = fminf(grown, l->usual_dbm - was_dbm - l->settled_db);
	bool most_now = l->jump_db > AT_ONCE_SHARE * lost &&
			l->settled_db < l->jump_db / 2;

	/* Most came in one reading, after a little that had drifted away. */
	if (most_now && grown > GROWN_DB && l->jump_db > noise)
		return FALL_AT_ONCE;
	if (stays > GROWN_DB && stays > since && stays > l->settled_db / 2)
		return FALL_SLOWLY;
	if (l->fall != FALL_UNCLEAR || lost < AT_ONCE_DB ||
	    l->since <= SETTLE_READINGS)
		return l->fall;
	if (l->jump_db > AT_ONCE_SHARE * lost && l->jump_db > noise)
		return FALL_AT_ONCE;
	return l->jump_db < SLOW_SHARE * lost ? FALL_SLOWLY : FALL_UNCLEAR;
}

static void lane_lost(struct light_lane *l, float step, float was_dbm,
		      enum touch touch)
{
	float share = 1.0f / (float)(l->since < 8 ? l->since + 1 : 8);

	if (l->since == 0)
		l->touch = (uint8_t)touch;
	if (step < -l->jump_db)
		l->jump_db = -step;
	if (l->since > SETTLE_READINGS) {
		float off = step - l->drift_db;

		l->drift_db += share * off;
		l->shaky2 += share * (off * (step - l->drift_db) - l->shaky2);
	}
	l->since += l->since < UINT16_MAX;
	if (l->since == SETTLE_READINGS + 2)
		l->settled_db = l->usual_dbm - l->now_dbm;
	l->fall = (uint8_t)fall_of(l, was_dbm);
}

/* Light came back at once, or while somebody was there: what a jacket gives
 * back comes over many readings.
 */
static bool was_mended(const struct light_lane *l, float step,
		       enum touch touch)
{
	float quiet2 = fmaxf(l->step2, STEP2_FLOOR);
	float back = l->jump_db - (l->usual_dbm - l->now_dbm);

	if (l->since == 0 || step < LOST_DB)
		return false;
	if (touch == TOUCH_PLUGGED)
		return true;
	return l->since >= SETTLE_READINGS + SHAKY_READINGS &&
	       step > AT_ONCE_SHARE * back &&
	       step > FELL_STEPS * sqrtf(fmaxf(l->shaky2, quiet2));
}

/* What is left is another loss, as old as this reading. */
static void loss_restart(struct light_lane *l)
{
	l->since = SETTLE_READINGS;
	l->fall = FALL_UNCLEAR;
	l->jump_db = l->usual_dbm - l->now_dbm;
	l->drift_db = l->shaky2 = l->settled_db = 0;
}

/* More was lost in one reading, after a loss that stood: another loss, and none
 * that goes on. A lane that fades may do so in steps, but in more than two,
 * and is not mended in between.
 */
static bool fell_again(const struct light_lane *l, float step)
{
	float quiet2 = fmaxf(l->step2, STEP2_FLOOR);

	return (l->touch == TOUCH_MENDED || !l->again) && -step > GROWN_DB &&
	       l->since > SETTLE_READINGS + 1 &&
	       -step > FELL_STEPS * sqrtf(fmaxf(l->shaky2, quiet2));
}

/* The lane fell at once, by far more than its noise, and had lost nothing
 * before: a lane that fades may do so in steps.
 */
static bool fell(const struct light_lane *l, float step)
{
	return !isnan(l->usual_dbm) && l->since == 0 && -step > AT_ONCE_DB &&
	       -step > FELL_STEPS * sqrtf(fmaxf(l->step2, STEP2_FLOOR));
}

static void lane_whole(struct light_lane *l)
{
	l->since = 0;
	l->touch = TOUCH_NONE;
	l->again = false;
	l->jump_db = l->drift_db = l->shaky2 = l->settled_db = 0;
	l->fall = FALL_UNCLEAR;
}

/* touch: since the last reading. */
static void lane_take(struct light_lane *l, float dbm, float share,
		      enum touch touch)
{
	float step = dbm - l->last_dbm, was_dbm = l->now_dbm;

	if (isnan(l->usual_dbm)) {
		lane_begin(l, dbm);
		return;
	}
	l->last_dbm = dbm;
	l->now_dbm += fabsf(step) > LOST_DB ? dbm - l->now_dbm :
		      NOW_SHARE * (dbm - l->now_dbm);
	if (l->usual_dbm - l->now_dbm > (l->since ? FOUND_DB : LOST_DB)) {
		if (was_mended(l, step, touch)) {
			loss_restart(l);
			if (l->touch != TOUCH_PLUGGED)
				l->touch = TOUCH_MENDED;
		} else if (fell_again(l, step)) {
			loss_restart(l);
			l->again = true;
		}
		lane_lost(l, step, was_dbm, touch);
		l->usual_dbm += share / LEARN_LOST * (dbm - l->usual_dbm);
		return;
	}
	lane_whole(l);
	l->usual_dbm += share * (dbm - l->usual_dbm);
	if (share > 0)
		l->step2 += STEP_SHARE * (step * step - l->step2);
}

static float lost_of(const struct light_lane *l)
{
	return isnan(l->usual_dbm) ? 0 : l->usual_dbm - l->now_dbm;
}

/* Readings of a module may come late, so the errors of one reading earlier are
 * kept: these are surely from when no light was lost.
 */
static void errors_follow(struct light *l, float worst, double errors)
{
	if (worst > LIGHT_DROP_DB || l->doubted)
		return;
	l->errors_before = l->errors;
	l->errors = (float)errors;
}

/* Nothing is lost for so long that the next loss has a cause of its own. */
static void whole_follow(struct light *l, float worst, struct mono before)
{
	int64_t whole = l->whole + l->t.ns / WHOLE_NS - before.ns / WHOLE_NS;

	if (worst > LOST_DB || whole < 0)
		whole = 0;
	l->whole = (uint16_t)(whole < FORGET ? whole : FORGET);
	if (l->whole == FORGET)
		l->returns = 0;
}

/* Light that comes back without anybody at the port was not taken by a lasting
 * fault.
 */
static void returns_follow(struct light *l, float worst)
{
	l->lost_db += SMOOTH * (worst - l->lost_db);
	l->stood = worst > LOST_DB ? l->stood + (l->stood < UINT16_MAX) : 0;
	if (l->lost_db > l->most_db) {
		l->most_db = l->lost_db;
	} else if (l->most_db > RETURN_LEAST_DB &&
		   l->lost_db * RETURN_SHARE < l->most_db) {
		l->returns += l->returns < UINT8_MAX;
		l->most_db = l->lost_db = worst;	/* all of it, once */
		l->stood = 0;
	}
}

/* Was the link down for so long since the last reading? A short fall may look
 * as long as two readings.
 */
static bool was_down(const struct light *l, const struct front *f, int64_t ns)
{
	return f->turned_at.ns > l->t.ns &&
	       f->turned_at.ns > f->down_since.ns &&
	       mono_diff_ns(f->turned_at, f->down_since) >
	       ns + 2 * f->period_ns;
}

static enum touch touch_of(const struct light *l, const struct front *f)
{
	if (was_down(l, f, TOUCHED_NS))
		return TOUCH_PLUGGED;
	return f->turned_at.ns > l->t.ns ? TOUCH_UNCLEAR : TOUCH_NONE;
}

/* On a link that is down, or falls again and again, received light is valid
 * while the far end sends on all lanes.
 */
static bool is_lit(const struct front *f, struct mono read)
{
	if (front_settled(f) || f->far_light == FAR_LIGHT_THERE)
		return true;
	return f->link == LINK_IS_UP && f->turned_at.ns != INT64_MIN &&
	       read.ns > f->turned_at.ns;
}

/* A reading that is far off may be wrong, so it waits for the next one, which
 * is off too if light did change. It does not wait where somebody was at the
 * link, where errors came with it, or right after light fell, when it is not
 * known yet how much it moves.
 */
static bool is_doubted(struct light *l, unsigned i, float dbm,
		       enum touch touch, double errors)
{
	const struct light_lane *lane = &l->lane[i];
	float moves2 = fmaxf(lane->step2, lane->shaky2);
	float step = dbm - lane->last_dbm;
	uint8_t bit = (uint8_t)(1u << i);
	bool was = l->doubted & bit;
	bool young = lane->jump_db > AT_ONCE_DB &&
		     lane->since < SETTLE_READINGS + SHAKY_READINGS;

	l->doubted &= (uint8_t)~bit;
	if (was || young || touch != TOUCH_NONE || isnan(lane->usual_dbm) ||
	    fabsf(step) < AT_ONCE_DB ||
	    fabsf(step) < FELL_STEPS * sqrtf(fmaxf(moves2, STEP2_FLOOR)) ||
	    (lane->since == 0 && errors - (double)l->errors > COME_DECADES))
		return false;
	l->doubted |= bit;
	return true;
}

static float most_lost(const struct light *l)
{
	float most = 0;

	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		most = float_most(most, lost_of(&l->lane[i]));
	return most;
}

static float dbm_of(const struct inputs *k, unsigned i)
{
	return (float)light_dbm(k->value[INPUT_RX_PW + i]);
}

static bool has_lost(const struct light_lane *l)
{
	return lost_of(l) > LIGHT_DROP_DB;
}

/* How much more another module reads on the lanes that had lost nothing: by so
 * much it measures differently. 0: there is none.
 */
static float shift_of(const struct light *l, const struct inputs *k)
{
	float sum = 0;
	unsigned lanes = 0;

	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		const struct light_lane *lane = &l->lane[i];

		if (isnan(lane->usual_dbm) || has_lost(lane) ||
		    !inputs_has(k, INPUT_RX_PW + i))
			continue;
		sum += dbm_of(k, i) - lane->now_dbm;
		lanes++;
	}
	return lanes ? sum / (float)lanes : 0;
}

/* What the lanes that had lost light lost, all together, as a module reads one
 * lane a little more and another less.
 */
struct lost_lanes {
	float was_db, now_db;
	unsigned lanes;
};

static struct lost_lanes compare(const struct light *l, const struct inputs *k,
				 float shift)
{
	struct lost_lanes all = { .lanes = 0 };

	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		const struct light_lane *lane = &l->lane[i];

		if (!has_lost(lane) || !inputs_has(k, INPUT_RX_PW + i))
			continue;
		all.was_db += lost_of(lane);
		all.now_db += lane->usual_dbm + shift - dbm_of(k, i);
		all.lanes++;
	}
	return all;
}

/* The share of the loss that another module shows, too; 0: light is back. */
static float share_left(const struct light *l, const struct inputs *k)
{
	struct lost_lanes all = compare(l, k, shift_of(l, k));

	return all.lanes && all.now_db > SWAP_DB * (float)all.lanes &&
	       2 * all.now_db > all.was_db ? all.now_db / all.was_db : 0;
}

/* What the fibre lost, and how, is known from before. It is shared out among
 * the lanes as it was.
 */
static void lane_swapped(struct light_lane *l, float dbm, float left)
{
	if (left <= 0 || !has_lost(l)) {
		lane_begin(l, dbm);
		return;
	}
	l->settled_db = left * lost_of(l);
	l->jump_db = fminf(l->jump_db, l->settled_db);
	l->usual_dbm = dbm + l->settled_db;
	l->last_dbm = l->now_dbm = dbm;
	l->touch &= (uint8_t)~LIGHT_AWAITS;
}

static void swap_compare(struct light *l, const struct inputs *k)
{
	float left = share_left(l, k);

	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		if (inputs_has(k, INPUT_RX_PW + i))
			lane_swapped(&l->lane[i], dbm_of(k, i), left);
		else
			l->lane[i] = (struct light_lane){ .usual_dbm = NAN };
}

/* The link was down for so long that somebody was there, or is it yet. */
static bool is_after_outage(const struct light *l, const struct front *f)
{
	return was_down(l, f, PLUGGED_NS) ||
	       (f->link == LINK_IS_DOWN &&
		mono_diff_ns(f->t, f->down_since) > PLUGGED_NS);
}

/* While the link was down the light came back that had been lost: another far
 * module, or clean plugs. Either gives each lane a little more or less than
 * before, which is usual from now on.
 */
static bool mend(struct light *l, const struct front *f,
		 const struct inputs *k)
{
	struct lost_lanes all;

	if (!is_after_outage(l, f) || most_lost(l) <= LIGHT_DROP_DB)
		return false;
	all = compare(l, k, 0);
	if (!all.lanes || all.now_db * RETURN_SHARE > all.was_db)
		return false;
	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		struct light_lane *lane = &l->lane[i];

		if (inputs_has(k, INPUT_RX_PW + i) &&
		    lane->usual_dbm - dbm_of(k, i) <= LIGHT_WORSE_DB)
			lane_begin(lane, dbm_of(k, i));
	}
	return true;
}

bool light_take(struct light *l, const struct front *f,
		const struct inputs *k, bool quiet, double errors)
{
	enum touch touch = touch_of(l, f);
	struct mono before = l->t, read;
	float share = 0, worst = 0;
	bool mended;

	if (!f->dom_good || !is_lit(f, k->dom_t))
		return false;
	if (light_awaits(l)) {
		if (f->link != LINK_IS_UP || !front_settled(f))
			return false;
		swap_compare(l, k);
	}
	mended = mend(l, f, k);
	if (quiet && front_settled(f)) {
		l->readings += l->readings < UINT16_MAX;
		share = 1.0f / l->readings;
		share = share < LEARN_SHARE_MIN ? LEARN_SHARE_MIN : share;
	}
	/* The loss may have another cause now. */
	if (was_down(l, f, PLUGGED_NS))
		l->returns = l->stood = 0;
	l->t = k->dom_t;
	for (unsigned left = inputs_lanes(k, INPUT_RX_PW); left;
	     left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);
		float dbm = dbm_of(k, i);

		read = l->doubted >> i & 1 ? before : l->t;
		if (!is_doubted(l, i, dbm, touch, errors)) {
			if (fell(&l->lane[i], dbm - l->lane[i].last_dbm))
				l->fell_at = read;
			lane_take(&l->lane[i], dbm, share, touch);
		}
		worst = float_most(worst, lost_of(&l->lane[i]));
	}
	errors_follow(l, worst, errors);
	whole_follow(l, worst, before);
	returns_follow(l, worst);
	return mended;
}

bool light_is_worse(const struct light *l, struct mono up_since)
{
	/* Not, where it was not read since. */
	return l->t.ns >= up_since.ns && most_lost(l) > LIGHT_WORSE_DB;
}

void light_replugged(struct light *l, struct mono up_since)
{
	if (l->t.ns < up_since.ns)
		return;			/* not read since */
	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		struct light_lane *lane = &l->lane[i];
		float lost = lost_of(lane);

		if (lost <= 0 || lost > MATED_DB)
			continue;
		lane->usual_dbm = lane->now_dbm;
		lane_whole(lane);
	}
}

bool light_may_stay(const struct light *l)
{
	return most_lost(l) > SWAP_DB;
}

void light_swapped(struct light *l)
{
	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		l->lane[i].touch |= LIGHT_AWAITS;
	l->readings = 0;
	l->doubted = 0;
}

bool light_awaits(const struct light *l)
{
	return l->lane[0].touch & LIGHT_AWAITS;
}

/* Light that fades ever faster has steps that differ, in one direction. */
static float shaky_of(const struct light_lane *l)
{
	float drifts = DRIFT_SHARE * l->drift_db;

	if (l->since < SETTLE_READINGS + SHAKY_READINGS)
		return 0;
	return sqrtf(l->shaky2 / fmaxf(fmaxf(l->step2, STEP2_FLOOR),
				       drifts * drifts));
}

/* A bend that creeps gives back a share of the loss, most of it after it has
 * settled: before, a reading that is far off looks like it.
 */
static bool has_relaxed(const struct light_lane *l, float lost)
{
	float moves = sqrtf(fmaxf(l->shaky2, fmaxf(l->step2, STEP2_FLOOR)));
	float back = l->jump_db - lost;

	return l->fall == FALL_AT_ONCE && back > RELAX_SHARE * l->jump_db &&
	       back > QUIET_STEPS * moves && l->settled_db - lost > back / 2;
}

/* Most lanes give back alike: the light of one wanders by as much in hours. */
static bool have_relaxed(const struct light *l, unsigned lanes)
{
	int n = 0;

	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		n += lanes >> i & 1 &&
		     has_relaxed(&l->lane[i], lost_of(&l->lane[i]));
	return 2 * n > __builtin_popcount(lanes);
}

/* Adds what a lane lost. */
static void drop_add(struct light_drop *d, unsigned i,
		     const struct light_lane *lane, float by_fall[3])
{
	enum touch touch = lane->touch & (uint8_t)~LIGHT_AWAITS;
	float lost = lost_of(lane);

	d->known = true;
	d->lanes_known++;
	d->read |= (uint8_t)(1u << i);
	d->lost_db[i] = lost;
	d->worst_db = float_most(d->worst_db, lost);
	if (lost <= LIGHT_DROP_DB)
		return;
	d->lanes |= (uint8_t)(1u << i);
	d->touch = touch > d->touch ? touch : d->touch;
	d->shaky = fmaxf(d->shaky, shaky_of(lane));
	by_fall[lane->fall] += lost;
}

void light_drop(const struct light *l, struct light_drop *ret)
{
	float by_fall[3] = { 0 };	/* dB */

	*ret = (struct light_drop){ .stood = l->stood,
				     .returns = l->returns };
	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		if (!isnan(l->lane[i].usual_dbm))
			drop_add(ret, i, &l->lane[i], by_fall);
	ret->relaxed = have_relaxed(l, ret->lanes);
	if (by_fall[FALL_AT_ONCE] > by_fall[FALL_SLOWLY])
		ret->fall = FALL_AT_ONCE;
	else if (by_fall[FALL_SLOWLY] > 0)
		ret->fall = FALL_SLOWLY;
}

static float more_of(const struct light_lane *l)
{
	return lost_of(l) - l->settled_db;
}

/* One lane stands all the time while another loses more. Where the other had
 * lost light too, that shows only from the same time: a bend that moves takes
 * more of both.
 */
static bool stands_beside(const struct light_lane *l,
			  const struct light_lane *fades)
{
	int older = l->since - fades->since;

	return l->settled_db > AT_ONCE_DB && more_of(l) < LOST_DB &&
	       older >= -SETTLE_READINGS &&
	       (fades->settled_db < AT_ONCE_DB || older <= SETTLE_READINGS);
}

bool light_drop_since(const struct light *l, struct light_drop *ret)
{
	bool stands = false;

	*ret = (struct light_drop){ .stood = l->stood, .fall = FALL_SLOWLY };
	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		const struct light_lane *lane = &l->lane[i];

		if (isnan(lane->usual_dbm))
			continue;
		ret->known = true;
		ret->lanes_known++;
		ret->read |= (uint8_t)(1u << i);
		if (lane->fall != FALL_SLOWLY || more_of(lane) < SECOND_DB)
			continue;
		for (unsigned k = 0; k < PORT_LANES_MAX; k++)
			stands |= stands_beside(&l->lane[k], lane);
		ret->lanes |= (uint8_t)(1u << i);
		ret->lost_db[i] = more_of(lane);
		ret->worst_db = float_most(ret->worst_db, ret->lost_db[i]);
		ret->shaky = fmaxf(ret->shaky, shaky_of(lane));
	}
	return stands;
}

static const struct kept_field light_lane_fields[] = {
	KEEP_OPT(struct light_lane, usual_dbm),
	KEEP(struct light_lane, last_dbm),
	KEEP(struct light_lane, now_dbm),
	KEEP(struct light_lane, step2),
	KEEP(struct light_lane, jump_db),
	KEEP(struct light_lane, settled_db),
	KEEP_TO(struct light_lane, fall, FALL_SLOWLY),
	KEEP(struct light_lane, drift_db),
	KEEP(struct light_lane, shaky2),
	KEEP(struct light_lane, since),
	KEEP_TO(struct light_lane, touch, LIGHT_AWAITS | TOUCH_MENDED),
	KEEP(struct light_lane, again),
};

static const struct kept light_lane_kept =
	KEPT_TABLE(struct light_lane, "light_lane", light_lane_fields);

static const struct kept_field light_fields[] = {
	KEEP(struct light, readings),
	KEEP(struct light, t),
	KEEP(struct light, fell_at),
	KEEP(struct light, lost_db),
	KEEP(struct light, most_db),
	KEEP(struct light, stood),
	KEEP(struct light, whole),
	KEEP(struct light, returns),
	KEEP_NOT(struct light, doubted, "the next reading is taken as it is"),
	KEEP(struct light, errors),
	KEEP(struct light, errors_before),
	KEEP_PARTS(struct light, lane, light_lane_kept),
};

const struct kept light_kept =
	KEPT_TABLE(struct light, "light", light_fields);
