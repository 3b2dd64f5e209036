/* The causes of errors and of lost light, a row each: what it makes likely,
 * what rules it out, and the words for it. Four of them take light, and differ
 * in how often each trait of a loss is seen with them.
 */
#include "agent/signature/hypothesis.h"

#include <math.h>

#define LEAST_DB 0.15		/* below this there is surely no loss … */
#define SURE_DB 0.5		/* … and from here on surely one */
#define FIT_DECADES 0.45	/* noise of errors and of loss, combined */
#define LESS_DECADES 1.5	/* the same where fewer errors came: the normal
				 * ones were not all made by noise, so that the
				 * margin was more than they say */
#define SHAPE_DECADES 0.2	/* less growth has no shape */
#define STEP_DB 1.0		/* lost at once: no noise of a monitor … */
#define SHAPE_OF_STEP 0.6	/* … and less growth has no shape then */
#define SLOW_STEP 0.3		/* of it in one window, at most */
#define WHOLE_STEP 0.7
#define TILTED 0.1		/* share of the worst loss, more a lane towards
				 * longer waves: a bend's loss grows e-fold in
				 * 35 to 90 nm (G.657) */
#define ROW_LEAST 4		/* fibres that show how a loss is shared out */
#define GRADED 0.15		/* of the worst loss, from end to end; chosen */
#define STEP_STANDS 24		/* readings, for a loss that came at once */
#define STEADY_READINGS 8	/* … or as few, where much was lost */
#define RARE_READINGS 4		/* … or as few, where they are rare */
#define SWING_DB 4.0		/* unsteady light swings by less: chosen */
#define RETURN_NATS 2.0		/* each time that light came back by itself … */
#define RETURNS 4		/* … up to so many times */
#define WARM_K 5.5		/* of heat */
#define HOT_K 8.0
#define HOTTER_K 12.0
#define COOL_K 2.0
#define EXPLAINS 0.6		/* of the rise, to count as its cause */
#define LARGE_DB 5.0		/* seldom lost but for a cause here: chosen */
#define FAR_DB 1.0		/* of one lane from its siblings */
#define LANE_STANDS 24		/* windows, until one lane's errors count as
				 * lasting */
#define COPPER_STANDS 40	/* windows, until it counts as lasting */
#define COPPER_LASTS 160	/* … and surely so: chosen */
#define NATS_MAX 4.0		/* of one measure */

/* Clamps the nats of one measure to NATS_MAX. */
static double nats_held(double nats)
{
	return fmax(-NATS_MAX, fmin(nats, NATS_MAX));
}

/* ln of the ratio of two shares, clamped. */
static double nats_of(double share, double otherwise)
{
	return nats_held(log(share / otherwise));
}

/* Nats for a cause of lasting errors when the errors come and go. Lasting
 * errors fall by half in one case of ten at most, by noise; others mostly do:
 * chosen.
 */
static double nats_of_swings(unsigned swings)
{
	return swings == 0 ? 0 : swings == 1 ? nats_of(.1, .6) :
					       nats_of(.01, .6);
}

/* --- what takes light ----------------------------------------------------- */

/* How often each trait of a loss is seen with a cause. */
struct loss_shares {
	double at_once;			/* fell at once, not slowly */
	double of_some;			/* some lanes lost, others did not … */
	double of_some_colours;		/* … of lanes that share a fibre */
	double shaky;			/* less steady since */
	double relaxed;			/* some of it came back, slowly */
	double tilted;			/* more on longer waves */
	double graded;			/* more from fibre to fibre of a row */
	double touched;			/* at once, when somebody had plugged */
};

/* The same for a loss of no cause here; every cause is weighed against it. */
static const struct loss_shares unnamed = {
	.at_once = .5, .of_some = .4, .of_some_colours = .4,
	.shaky = .3, .relaxed = .1, .tilted = .2, .graded = .08,
	.touched = .15,
};

static const struct need_row loss_needs[] = {
	{ NEED_LIGHT, true, "received light is not read", "a module with DOM" },
	{ NEED_BER, false, "errors are not counted: a loss of light is "
	  "reported from 1 dB on, without errors", "FEC counters of the port" },
};

static bool loss_applies(const struct port_facts *facts, const char **ret_why)
{
	if (!facts->media_known || facts->optical)
		return true;
	*ret_why = "copper has no light";
	return false;
}

/* How sure a loss is: 0 there is none, 1 there is one. */
static double loss_sure(const struct measures *m)
{
	double sure = ((double)m->drop.worst_db - LEAST_DB) /
		      (SURE_DB - LEAST_DB);

	return !m->has_light || sure < 0 ? 0 : sure > 1 ? 1 : sure;
}

static double seen(double share, double otherwise, bool is_so)
{
	return is_so ? nats_of(share, otherwise) :
		       nats_of(1 - share, 1 - otherwise);
}

/* The errors follow the loss, and show its shape in more windows; a monitor's
 * noise alone looks like a small step. Few errors are moved by heat as much as
 * by a large loss that came at once.
 */
static enum fall fall_of(const struct measures *m)
{
	bool step = m->drop.fall == FALL_AT_ONCE &&
		    (double)m->drop.worst_db > STEP_DB;

	if (m->raw < (step ? SHAPE_OF_STEP : SHAPE_DECADES))
		return m->drop.fall;
	if (m->step_share < SLOW_STEP)
		return FALL_SLOWLY;
	if (m->drop.fall != FALL_UNCLEAR || m->step_share < WHOLE_STEP)
		return m->drop.fall;
	return FALL_AT_ONCE;
}

/* Fibres of a plug with many lie in a row. What bends or pinches the row takes
 * more from one side than from the other.
 */
static bool is_graded(const struct measures *m)
{
	return fabs(m->tilt) * (m->drop.lanes_known - 1) > GRADED;
}

static double shares_weigh(const struct measures *m,
			   const struct loss_shares *s)
{
	const struct loss_shares *u = &unnamed;
	const struct light_drop *d = &m->drop;
	enum fall fall = fall_of(m);
	bool some = (unsigned)__builtin_popcount(d->lanes) < d->lanes_known;
	double nats = 0;

	if (fall != FALL_UNCLEAR)
		nats += seen(s->at_once, u->at_once, fall == FALL_AT_ONCE);
	if (d->lanes_known > 1)
		nats += m->is_wdm ?
			seen(s->of_some_colours, u->of_some_colours, some) :
			seen(s->of_some, u->of_some, some);
	if (fall == FALL_AT_ONCE && d->touch != TOUCH_UNCLEAR)
		nats += seen(s->touched, u->touched,
			     d->touch == TOUCH_PLUGGED);
	if (d->shaky > 0)
		nats += seen(s->shaky, u->shaky, d->shaky > LIGHT_SHAKY);
	if (d->shaky > 0 && fall == FALL_AT_ONCE)
		nats += seen(s->relaxed, u->relaxed, d->relaxed);
	if (m->colours_are_far)
		nats += seen(s->tilted, u->tilted, m->tilt > TILTED);
	if (!some && !m->is_wdm && d->lanes_known >= ROW_LEAST)
		nats += seen(s->graded, u->graded, is_graded(m));
	return nats;
}

/* How far the errors are from what the loss makes, in FIT_DECADES. How much
 * of the noise goes with the signal is not known: between no noise and all of
 * it, everything fits.
 */
static double miss_of(const struct measures *m)
{
	if (!m->has_errors)
		return 1;
	return fmax(fmax((m->raw - m->explained) / FIT_DECADES,
			 (m->explained_least - m->raw) / LESS_DECADES), 0);
}

/* A young loss may be of light that comes and goes, for which no cause has a
 * name; a loss that came back before is. Such light moves slowly: a large loss
 * at once is hardly of that kind. A few readings tell whether it is steady
 * since.
 */
static double young_of(const struct measures *m)
{
	double most_db = (double)m->drop.worst_db - SURE_DB;
	double stands = fall_of(m) == FALL_AT_ONCE ? STEP_STANDS : LOSS_STANDS;

	stands = fmax(stands * (1 - most_db / SWING_DB), STEADY_READINGS);
	stands = fmax(stands / fmax(m->apart_min, 1), RARE_READINGS);
	return 1 - fmin((double)m->drop.stood / stands, 1);
}

/* A fibre that is moved bends again and again: light that all lanes lost, more
 * of it on longer waves, comes and goes for that reason.
 */
static bool bends_again(const struct hypothesis *h, const struct measures *m)
{
	return h->loss->tilted > unnamed.tilted && m->colours_are_far &&
	       m->tilt > TILTED &&
	       (unsigned)__builtin_popcount(m->drop.lanes) ==
	       m->drop.lanes_known;
}

/* Nearly all causes that take light show a drop, others seldom do; and a loss
 * that cannot make the errors is not their cause. Shares are chosen.
 */
static bool loss_weigh(const struct hypothesis *h, const struct measures *m,
		       double *ret_nats)
{
	double sure = loss_sure(m), miss, young, returns;

	if (m->copper)
		return false;
	if (!m->has_light)
		return true;
	miss = miss_of(m);
	young = bends_again(h, m) ? 0 : young_of(m);
	returns = bends_again(h, m) ? 0 : m->drop.returns;
	if ((double)m->drop.worst_db > LARGE_DB)
		*ret_nats += nats_of(.5, .15);
	*ret_nats += (1 - sure) * nats_of(.04, .96) +
		     sure * ((1 - young) *
			     (nats_held(nats_of(.95, .04) + 1 -
					miss * miss / 2) +
			      shares_weigh(m, h->loss)) -
			     young * NATS_MAX -
			     RETURN_NATS * fmin(returns, RETURNS));
	return true;
}

/* A cable that is fixed to its modules has no connector in the light. What
 * settles on one little by little hardly takes most of it.
 */
static bool dirt_weigh(const struct hypothesis *h, const struct measures *m,
		       double *ret_nats)
{
	if (m->fixed || !loss_weigh(h, m, ret_nats))
		return false;
	if ((double)m->drop.worst_db > LARGE_DB && fall_of(m) == FALL_SLOWLY)
		*ret_nats += nats_of(.1, .5);
	return true;
}

/* One lane alone has the errors and lost no light. This is what the signature
 * means; other faults of the electronics, of heat or of the far end seldom show
 * on one lane only, and those that come and go have no name.
 */
static void odd_lane_weigh(const struct measures *m, double *ret_nats)
{
	double young = 1 - fmin((double)m->windows / LANE_STANDS, 1);

	*ret_nats += (1 - young) * nats_of(.9, .02) - young * NATS_MAX +
		     nats_of_swings(m->swings) + m->traffic;
}

/* Does one lane have the errors, and did it lose no light? */
static bool is_odd_lane(const struct measures *m)
{
	return m->odd_lane && !(m->has_light && m->drop.lanes);
}

static bool lane_weigh(const struct hypothesis *h, const struct measures *m,
		       double *ret_nats)
{
	if (is_odd_lane(m)) {
		odd_lane_weigh(m, ret_nats);
		return true;
	}
	if (!loss_weigh(h, m, ret_nats))
		return false;
	if (loss_sure(m) <= 0)
		return true;
	if (m->drop.lanes_known < 2)
		return false;
	*ret_nats += loss_sure(m) *
		     ((double)m->drop.worst_db - m->next_db > FAR_DB ?
		      nats_of(.9, .3) : nats_of(.05, .7));
	return true;
}

static bool lane_applies(const struct port_facts *facts, const char **ret_why)
{
	if (!loss_applies(facts, ret_why))
		return false;
	if (facts->lanes != 1)
		return true;
	*ret_why = "there is one lane only: nothing to compare";
	return false;
}

/* --- heat, and copper ----------------------------------------------------- */

static bool heat_weigh(const struct hypothesis *h, const struct measures *m,
		       double *ret_nats)
{
	(void)h;
	if (m->passive)		/* as heat_applies() */
		return false;
	if (!m->has_heat)
		return true;
	if (m->heat_k < COOL_K)
		return false;
	*ret_nats += loss_sure(m) * nats_of(.04, .6);
	if (m->odd_lane)	/* all lanes are as warm */
		*ret_nats += nats_of(.05, .5);
	*ret_nats += m->heat_k > HOTTER_K ? nats_of(.9, .01) :
		     m->heat_k > HOT_K ? nats_of(.9, .03) :
		     m->heat_k > WARM_K ? nats_of(.9, .06) : nats_of(.1, .2);
	/* The slope is known only for small differences of temperature; but
	 * heat never comes at once.
	 */
	if (m->heat_makes > EXPLAINS * m->raw)
		*ret_nats += nats_of(.9, .1);
	else if (m->heat_k < HOTTER_K || m->step_share > .5)
		*ret_nats += nats_of(.15, .85);
	*ret_nats += m->step_share > .5 ? nats_of(.05, .5) : nats_of(.95, .5);
	return true;
}

static bool heat_applies(const struct port_facts *facts, const char **ret_why)
{
	if (!port_is_passive(facts))
		return true;
	*ret_why = "passive copper does not heat up";
	return false;
}

static const struct need_row heat_needs[] = {
	{ NEED_BER, true, "errors are not counted", "FEC counters of the "
	  "port" },
	{ NEED_TEMP, true, "module temperature is not read",
	  "a module with DOM" },
};

/* Electronics of a transceiver, which have no name here, may stay bad too; the
 * longer it lasts, the less likely.
 */
static bool copper_weigh(const struct hypothesis *h, const struct measures *m,
			 double *ret_nats)
{
	double young = 1 - fmin((double)m->windows / COPPER_STANDS, 1);
	double old = fmin((double)m->windows / COPPER_LASTS, 1);

	(void)h;
	if (m->copper)
		*ret_nats += (1 - young) * nats_of(.9, .2) - young * NATS_MAX +
			     old * nats_of(.2, .1) +
			     nats_of_swings(m->swings) + m->traffic;
	return m->copper;
}

static bool copper_applies(const struct port_facts *facts, const char **ret_why)
{
	if (!facts->media_known || !facts->optical)
		return true;
	*ret_why = "the port is optical";
	return false;
}

/* --- the causes ----------------------------------------------------------- */

/* Shares of causes among links that corrupt: CorrOpt (SIGCOMM 2017), the
 * middle of what it gives for its data centres: connector dirt 17 to 57 %,
 * bent or damaged fibre 14 to 48 %, bad or loose modules 6 to 45 %, decaying
 * transmitters below 1 %. It says nothing of heat and single lanes: chosen.
 * The rest has no name: electronics of either module.
 */
static const struct hypothesis causes[] = {
	/* Dirt on a connector, or a connector that is not fully seated. It
	 * comes when somebody plugs, on one fibre, a few or all, and is steady
	 * since; or it grows slowly.
	 */
	{
		.signature = SIGNATURE_CONTAMINATION,
		.share = 0.37,
		.end = END_PATH,
		.action = ACTION_CLEAN_NEAR,
		.cause_id = CAUSE_DIRTY_CONNECTOR,
		.words = "received light fell too and explains the errors: a "
			 "dirty or loose connector",
		.what = "a dirty or loose connector",
		.needs = loss_needs,
		.need_count = 2,
		.applies = loss_applies,
		.weigh = dirt_weigh,
		.of_lanes = true,
		.loss = &(const struct loss_shares){
			.at_once = .99, .of_some = .6, .of_some_colours = .02,
			.shaky = .05, .relaxed = .02, .tilted = .02,
			.graded = .06, .touched = .4,
		},
	},
	/* A bend loses more of the longer waves, on all lanes of the cable
	 * at once, hardly ever on some of its fibres, and the light changes
	 * when the fibre moves. A bend that lies still relaxes a little, as
	 * its jacket does.
	 */
	{
		.signature = SIGNATURE_BENT_FIBRE,
		.share = 0.25,
		.end = END_PATH,
		.action = ACTION_REPLACE_CABLE,
		.cause_id = CAUSE_BENT_FIBRE,
		.words = "received light fell too and explains the errors: a "
			 "bent or pinched fibre",
		.what = "a bent or pinched fibre",
		.needs = loss_needs,
		.need_count = 2,
		.applies = loss_applies,
		.weigh = loss_weigh,
		.of_lanes = true,
		.loss = &(const struct loss_shares){
			.at_once = .98, .of_some = .007, .of_some_colours = .05,
			.shaky = .6, .relaxed = .35, .tilted = .8,
			.graded = .35, .touched = .1,
		},
	},
	/* Received light and errors show the far transmitter. It fades over
	 * hours or days, never at once.
	 */
	{
		.signature = SIGNATURE_FAR_LASER,
		.share = 0.02,
		.end = END_FAR,
		.action = ACTION_REPLACE_FAR,
		.cause_id = CAUSE_FAR_LASER_FADES,
		.words = "received light falls slowly and explains the errors: "
			 "the far transmitter fades",
		.what = "the far transmitter fades",
		.needs = loss_needs,
		.need_count = 2,
		.applies = loss_applies,
		.weigh = loss_weigh,
		.of_lanes = true,
		.loss = &(const struct loss_shares){
			.at_once = .01, .of_some = .5, .of_some_colours = .5,
			.shaky = .1, .relaxed = .02, .tilted = .05,
			.graded = .02, .touched = .1,
		},
	},
	/* The module got warm, and its errors follow the temperature. */
	{
		.signature = SIGNATURE_THERMAL_FEC,
		.share = 0.05,
		.end = END_NEAR,
		.action = ACTION_FIX_AIRFLOW,
		.cause_id = CAUSE_MODULE_HOT,
		.words = "the module is much warmer than usual, which explains "
			 "them: heat",
		.needs = heat_needs,
		.need_count = 2,
		.applies = heat_applies,
		.weigh = heat_weigh,
	},
	/* One lane is far below its siblings. A fault of the fibre takes light
	 * of all colours; a lane that was seen to fade has a fading laser.
	 */
	{
		.signature = SIGNATURE_LANE_IMBALANCE,
		.share = 0.03,
		.end = END_PATH,
		.action = ACTION_CLEAN_NEAR,
		.cause_id = CAUSE_WEAK_LANE,
		.words = "one lane gets far less light than the others, which "
			 "explains the errors",
		.what = "one lane gets far less light than the others",
		.unlit = &(const struct hypothesis){
			.end = END_PATH,
			.action = ACTION_RESEAT_NEAR,
			.cause_id = CAUSE_LANE_ERRORS,
			.words = "only one lane has them: its receiver, or "
				 "the far transmitter",
		},
		.needs = loss_needs,
		.need_count = 2,
		.applies = lane_applies,
		.weigh = lane_weigh,
		.of_lanes = true,
		.loss = &(const struct loss_shares){
			.at_once = .98, .of_some = .4, .of_some_colours = .95,
			.shaky = .1, .relaxed = .02, .tilted = .02,
			.graded = .02, .touched = .1,
		},
	},
	/* Copper has no light; the cable or its contacts wear. */
	{
		.signature = SIGNATURE_COPPER_DEGRADE,
		.share = 0.30,	/* of copper alone */
		.end = END_PATH,
		.action = ACTION_REPLACE_CABLE,
		.cause_id = CAUSE_COPPER_WORN,
		.words = "copper: the cable or its contacts",
		.needs = heat_needs,
		.need_count = 1,	/* errors, and no heat */
		.applies = copper_applies,
		.weigh = copper_weigh,
	},
};

const struct hypothesis *hypothesis_at(size_t n)
{
	return n < sizeof(causes) / sizeof(causes[0]) ? &causes[n] : NULL;
}
