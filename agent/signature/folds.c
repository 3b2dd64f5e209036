#include "agent/signature/folds.h"

#include <math.h>
#include <stdlib.h>

#include "agent/signature/measures.h"

#define NEAR_DECADES 0.6	/* below the last safe level: a link may fall */
#define RUNS_DECADES 0.8	/* more errors at random lose as many codewords
				 * as those in runs of 1.2 symbols on average */
#define LOST_DB 2.0f		/* where errors are not measured */
#define OUT_DB 6.0f	/* less was lost: the light did not go by that */
#define BARE_LOST_DB 1.0f	/* from here on light_loss.c tells it */
#define LOST_TIMES 100.0	/* times what random errors lose: bursts */
#define LOST_LEAST 1e-14
#define BURST_PARTS 3		/* one in so many errors is most of them */
#define STAYS_NS (900 * NS_PER_S)	/* a switch starts in less */
#define SWAP_NS (300 * NS_PER_S)	/* a new module starts in less */
#define FALLS_OFTEN 3u
#define READINGS_APART 2.0f	/* of the module: at the same time */
#define OFTEN_MISSED 3u		/* one in so many fails: not by the bursts */

static bool always(const struct port_view *v)
{
	(void)v;
	return true;
}

/* Errors so near the cliff that they take the link down. */
static bool near_cliff(const struct port_view *v)
{
	const struct ber *b = v->ber;

	return b->t.ns == INT64_MIN || !b->code ||
	       b->log_ber > b->code->safe_log_ber - NEAR_DECADES;
}

/* All lanes are dark, and one of them had lost little, or not slowly: a loss
 * that stands does not put them out.
 */
static bool went_out(const struct port_view *v)
{
	unsigned read = inputs_lanes(v->tick, INPUT_RX_PW);
	struct light_drop drop;
	float least_db = INFINITY;

	if (v->front->dom_t.ns < v->front->down_since.ns || !read ||
	    front_lanes_dark(v->facts, v->tick) != read)
		return false;
	light_drop(v->light, &drop);
	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		if (drop.read >> i & 1)
			least_db = fminf(least_db, drop.lost_db[i]);
	return (drop.fall != FALL_SLOWLY || drop.lanes != drop.read) &&
	       least_db < OUT_DB;
}

static bool falls_by_errors(const struct port_view *v)
{
	return near_cliff(v) && !went_out(v) && !link_down_is_apart(v);
}

/* The same, or their peaks may be. */
static bool may_drop(const struct port_view *v)
{
	return near_cliff(v) || measures_errors_may_drop(v);
}

/* No more codewords are lost than so many more errors lose at random. */
static bool loses_at(const struct port_view *v, double decades)
{
	const struct ber *b = v->ber;
	double lost, chance;

	if (b->t.ns == INT64_MIN || !b->code || b->codewords <= 0)
		return true;
	lost = b->lost_codewords / b->codewords;
	chance = fec_codeword_loss(pow(10, b->log_ber + decades), b->code);
	return lost <= LOST_TIMES * fmax(chance, LOST_LEAST);
}

static bool lost_by_chance(const struct port_view *v)
{
	return loses_at(v, 0);
}

/* Errors that grew lose more where an equaliser makes them in runs. */
static bool lost_by_growth(const struct port_view *v)
{
	return loses_at(v, RUNS_DECADES);
}

/* Near the cliff, as ever since the port is known; or it never stayed up for
 * long enough to measure errors.
 */
static bool old_near_cliff(const struct port_view *v)
{
	return v->ber->t.ns == INT64_MIN ||
	       (measures_errors_are_old(v) && near_cliff(v));
}

/* Readings of the module mostly come when there are no bursts, so their cause
 * is not there all the time. Or the link falls again and again by that cause.
 */
static bool at_times(const struct port_view *v)
{
	const struct due *far = &v->cadence->far;

	return far->failed * OFTEN_MISSED < far->all ||
	       front_drops_24h(v->front) >= FALLS_OFTEN;
}

/* The link may come up again: one that stays down does not flap. */
static bool is_a_moment(const struct port_view *v)
{
	return mono_diff_ns(v->front->t, v->front->down_since) < STAYS_NS;
}

/* The link is down since a module was swapped, and may come up yet. */
static bool is_of_a_swap(const struct port_view *v)
{
	return v->front->changed_at.ns != INT64_MIN &&
	       mono_diff_ns(v->front->t, v->front->changed_at) < SWAP_NS;
}

/* Light that errors are named by made them all the time, and may move. */
static bool fell_with_errors(const struct port_view *v)
{
	return (v->errors_by_light || !measures_light_is_another(v)) &&
	       !measures_light_is_second(v);
}

static bool light_is_denied(const struct port_view *v)
{
	return measures_light_is_denied(v->light, v->ber);
}

/* So much light is lost that the errors it makes are near the cliff. */
static bool dark_enough(const struct port_view *v)
{
	const struct ber *b = v->ber;
	struct light_drop drop;

	light_drop(v->light, &drop);
	if (b->t.ns == INT64_MIN || !b->code || !ber_learned(b))
		return drop.worst_db > LOST_DB;
	return fec_log_ber_shifted((double)b->baseline.mean,
				   -(double)drop.worst_db, b->code->pam4) >
	       b->code->safe_log_ber - NEAR_DECADES;
}

/* So much light is lost that codewords are; without FEC, as little as is told
 * loses frames.
 */
static bool loses_with_light(const struct port_view *v)
{
	struct light_drop drop;

	if (!v->ber->is_bare)
		return dark_enough(v);
	light_drop(v->light, &drop);
	return drop.worst_db > BARE_LOST_DB;
}

/* Codewords lost in bursts hold most of the errors, and no light was lost that
 * loses them: else each of the three would be part of the next.
 */
static bool errors_of_bursts(const struct port_view *v)
{
	const struct ber *b = v->ber;

	return b->t.ns != INT64_MIN && b->code && b->lost_codewords > 0 &&
	       BURST_PARTS * b->lost_codewords * (b->code->correctable + 1) >
	       b->bits && !lost_by_chance(v) && !loses_with_light(v);
}

static bool falls_by_loss(const struct port_view *v)
{
	return dark_enough(v) && !went_out(v) && !link_down_is_apart(v);
}

/* The link last fell when light did, which may be back by now. */
static bool fell_with_light(const struct port_view *v)
{
	int64_t apart_ns = mono_diff_ns(v->light->fell_at,
					v->front->down_since);
	int64_t most_ns = (int64_t)(READINGS_APART * v->cadence->usual_s *
				    (float)NS_PER_S);

	return v->light->fell_at.ns &&
	       (dark_enough(v) || llabs(apart_ns) <= most_ns);
}

/* No light was lost: it is low on one lane since it is known. */
static bool always_low_on_one(const struct port_view *v)
{
	int64_t limit_pw = v->facts->thresholds.rx_pw[LOW_WARN];
	struct light_drop drop;
	unsigned low = 0;

	if (!port_has_light_limits(&v->facts->thresholds))
		return false;
	light_drop(v->light, &drop);
	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		low += pow(10, (double)v->light->lane[i].usual_dbm / 10) * 1e9 <
		       (double)limit_pw;
	return low == 1 && drop.worst_db <= BARE_LOST_DB;
}

static const struct {
	enum signature symptom, cause;
	bool (*explains)(const struct port_view *v);
} rows[] = {
	{ SIGNATURE_FEC_UNCORRECTABLE, SIGNATURE_LOOSE_MODULE, always },
	{ SIGNATURE_FEC_UNCORRECTABLE, SIGNATURE_FEC_TREND, lost_by_growth },
	{ SIGNATURE_FEC_TREND, SIGNATURE_LOOSE_MODULE, errors_of_bursts },
	{ SIGNATURE_FEC_TREND, SIGNATURE_FEC_UNCORRECTABLE, errors_of_bursts },
	{ SIGNATURE_FLAP_BURST, SIGNATURE_LOOSE_MODULE, always },
	{ SIGNATURE_LINK_DOWN, SIGNATURE_LOOSE_MODULE, always },
	{ SIGNATURE_SENSOR_FAULT, SIGNATURE_LOOSE_MODULE, at_times },
	{ SIGNATURE_FLAP_BURST, SIGNATURE_FEC_TREND, may_drop },
	{ SIGNATURE_LINK_DOWN, SIGNATURE_FEC_TREND, falls_by_errors },
	{ SIGNATURE_LINK_DOWN, SIGNATURE_FLAP_BURST, is_a_moment },
	{ SIGNATURE_LINK_DOWN, SIGNATURE_MODULE_CHANGED, is_of_a_swap },
	{ SIGNATURE_TX_DECAY, SIGNATURE_LINK_DOWN, link_down_is_of_laser },
	{ SIGNATURE_FEC_TREND, SIGNATURE_LANE_IMBALANCE,
	  measures_errors_are_old },
	{ SIGNATURE_FEC_UNCORRECTABLE, SIGNATURE_LANE_IMBALANCE,
	  lost_by_chance },
	{ SIGNATURE_FLAP_BURST, SIGNATURE_LANE_IMBALANCE, old_near_cliff },
	{ SIGNATURE_CONTAMINATION, SIGNATURE_LANE_IMBALANCE,
	  always_low_on_one },
	/* Contamination stands for all that take light (light_loss.c). */
	{ SIGNATURE_CONTAMINATION, SIGNATURE_FEC_TREND, fell_with_errors },
	{ SIGNATURE_CONTAMINATION, SIGNATURE_SENSOR_FAULT, light_is_denied },
	{ SIGNATURE_FLAP_BURST, SIGNATURE_CONTAMINATION, fell_with_light },
	{ SIGNATURE_LINK_DOWN, SIGNATURE_CONTAMINATION, falls_by_loss },
	{ SIGNATURE_FEC_UNCORRECTABLE, SIGNATURE_CONTAMINATION,
	  loses_with_light },
};

bool folds_into(enum signature symptom, enum signature cause,
		const struct port_view *v)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].symptom == symptom && rows[i].cause == cause)
			return rows[i].explains(v);
	return false;
}
