#include "agent/signature/loss.h"

#include <math.h>

#define LEAST_DB 0.15		/* below this none is sure … */
#define SURE_DB 0.5		/* … and from here on there is one */
#define FIT_DECADES 0.45	/* of the errors, by the loss; noise of both */
#define SHAKY 2.5f		/* times the steps of a quiet lane */
#define SHAPE_DECADES 0.2	/* less growth has no shape */
#define SLOW_STEP 0.3		/* of it in one window, at most */
#define WHOLE_STEP 0.7
#define TILT_DB 0.1		/* a lane, to the longer waves */
#define STEP_STANDS 24		/* readings, for a loss that came at once … */
#define SLOW_STANDS 48		/* … and one that came slowly, to stand */
#define STEADY_READINGS 8	/* … or as few, where much was lost */
#define SWING_DB 4.0		/* more than light comes and goes by: chosen */
#define RETURN_NATS 2.0		/* each time that light came back by itself … */
#define RETURNS 4		/* … and so many say all */

const struct need_row loss_needs[LOSS_NEEDS] = {
	{ NEED_LIGHT, true, "received light is not read", "a module with DOM" },
	{ NEED_BER, false, "errors are not counted: a loss of light is told "
	  "from 1 dB on, and by itself", "FEC counters of the port" },
};

bool loss_applies(const struct port_facts *facts, const char **ret_why)
{
	if (!facts->media_known || facts->optical)
		return true;
	*ret_why = "copper has no light";
	return false;
}

double loss_sure(const struct measures *m)
{
	double sure = ((double)m->drop.worst_db - LEAST_DB) /
		      (SURE_DB - LEAST_DB);

	return !m->has_light || sure < 0 ? 0 : sure > 1 ? 1 : sure;
}

static double seen(struct share s, bool is_so)
{
	if (s.mine <= 0)
		return 0;
	return is_so ? nats_of(s.mine, s.others) :
		       nats_of(1 - s.mine, 1 - s.others);
}

/* The errors go as the loss does, and have more windows to show it; a monitor's
 * noise alone looks like a small step.
 */
static enum fall fall_of(const struct measures *m)
{
	if (m->raw < SHAPE_DECADES)
		return m->drop.fall;
	if (m->step_share < SLOW_STEP)
		return FALL_SLOWLY;
	if (m->drop.fall != FALL_UNCLEAR || m->step_share < WHOLE_STEP)
		return m->drop.fall;
	return FALL_AT_ONCE;
}

static double shares_weigh(const struct measures *m,
			   const struct loss_shares *s)
{
	const struct light_drop *d = &m->drop;
	enum fall fall = fall_of(m);
	double nats = 0;

	if (fall != FALL_UNCLEAR)
		nats += seen(fall == FALL_AT_ONCE ? s->at_once : s->slowly,
			     true);
	if (d->lanes_known > 1)
		nats += seen(m->is_wdm ? s->of_some_colours : s->of_some,
			     (unsigned)__builtin_popcount(d->lanes) <
			     d->lanes_known);
	if (d->shaky > 0)
		nats += seen(s->shaky, d->shaky > SHAKY);
	if (m->is_wdm && d->lanes_known > 2)
		nats += seen(s->tilted, m->tilt > TILT_DB);
	return nats;
}

/* How far off the errors are from what the loss makes, in FIT_DECADES. What of
 * the noise goes with the signal is not known: between the two all fits.
 */
static double miss_of(const struct measures *m)
{
	if (!m->has_errors)
		return 1;
	return fmax(fmax(m->raw - m->explained,
			 m->explained_least - m->raw), 0) / FIT_DECADES;
}

/* Light that moves moves the errors. */
static double swings_weigh(const struct measures *m,
			   const struct loss_shares *s)
{
	return m->drop.shaky > SHAKY && s->shaky.mine > s->shaky.others ? 0 :
	       nats_of_swings(m->swings);
}

/* A loss that is young may be of light that comes and goes, for which no cause
 * has a name; one that came back before is. Such light moves slowly: what fell
 * at once is hardly it, and the less so the more it was. A few readings tell
 * whether it is steady since.
 */
static double young_of(const struct measures *m)
{
	double most_db = (double)m->drop.worst_db - SURE_DB, stands;

	stands = fall_of(m) != FALL_AT_ONCE ? SLOW_STANDS :
		 fmax(STEP_STANDS * (1 - most_db / SWING_DB), STEADY_READINGS);
	return 1 - fmin((double)m->drop.stood / stands, 1);
}

/* Causes that lose light nearly all show a drop, others seldom; and a loss that
 * does not make the errors is not their cause. Shares are chosen.
 */
bool loss_weigh(const struct measures *m, const struct loss_shares *shares,
		double *ret_nats)
{
	double sure = loss_sure(m), miss, young;

	if (m->copper)
		return false;
	if (!m->has_light)
		return true;
	miss = miss_of(m);
	young = young_of(m);
	*ret_nats += (1 - sure) * nats_of(.04, .96) +
		     sure * ((1 - young) *
			     (nats_held(nats_of(.95, .04) + 1 -
					miss * miss / 2) +
			      shares_weigh(m, shares)) -
			     young * NATS_MAX -
			     RETURN_NATS * fmin(m->drop.returns, RETURNS)) +
		     swings_weigh(m, shares);
	return true;
}
