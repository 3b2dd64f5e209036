/* lane_imbalance from the start: one lane has always been far from its siblings
 * in the light that it usually gets, or in the errors that the module counts on
 * it. A lane that leaves its siblings later is told with its errors (causes.c).
 * A link that has never been up for long enough to learn what is usual is
 * judged by its last readings.
 */
#include "agent/signature/detector.h"

#include <math.h>
#include <stdio.h>

#include "agent/base/extreme.h"
#include "agent/signature/fec.h"
#include "agent/signature/kept.h"
#include "agent/signature/measures.h"

#define READINGS_LEAST 4u
#define FALLS_LEAST 4u		/* the link does not stay up */
#define LIGHT_DB 2.0f
#define LIGHT_ALONE_DB 3.0f	/* with no errors to confirm it: error of a
				 * monitor (SFF-8636; CMIS: 2 dB) */
#define SNR_DB 2.5f
#define BER_DECADES 1.3f
#define BER_LEAST (-5.7f)	/* log10; fewer do no harm: lanes of a healthy
				 * module differ by one decade, with few errors
				 * by two: half a dB */
#define STILL 0.7f		/* of each limit, to go on */
#define LIGHT_LEAST_DB 0.7f	/* the limit where less light explains the
				 * port's errors, within … */
#define MISS_DECADES 1.0	/* … so many: its normal level is not known */
#define WORSE_DECADES 1.5	/* than ports of its kind, to try that */

struct lane_apart {
	uint8_t lanes;			/* that stand apart, a bit each */
	uint8_t doubted, seen;		/* the same of one reading; and of so
					 * many more in a row */
	float light_db, snr_db, decades;	/* the largest differences */
	bool explains;			/* the errors that it always had */
	struct mono since;
};

/* How far lanes are below the median of the others, of those that are siblings,
 * a bit each; 0 where a lane has no others, or is not known.
 */
static void below(const float lane[static PORT_LANES_MAX], unsigned siblings,
		  float ret[static PORT_LANES_MAX])
{
	unsigned order[PORT_LANES_MAX], count = 0, at, others;

	for (; siblings; siblings &= siblings - 1) {
		unsigned i = (unsigned)__builtin_ctz(siblings);

		ret[i] = 0;
		if (isnan(lane[i]))
			continue;
		for (at = count++; at > 0 && lane[order[at - 1]] > lane[i];
		     at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	others = count - 1;
	for (unsigned n = 0; others > 0 && n < count; n++) {
		unsigned high = others / 2, low = (others - 1) / 2;

		/* of those that are in order without lane n */
		ret[order[n]] = (lane[order[high + (high >= n)]] +
				 lane[order[low + (low >= n)]]) / 2 -
				lane[order[n]];
	}
}

/* Would so much less light on one lane explain errors that the port has had
 * since it was first seen, and that ports of its kind do not have?
 */
static bool explains(const struct port_view *v, float below_db)
{
	const struct ber *b = v->ber;
	double usual = (double)v->siblings_log_ber, makes;

	if (isnan(usual) || below_db < LIGHT_LEAST_DB ||
	    !measures_errors_are_old(v) || b->log_ber - usual < WORSE_DECADES)
		return false;
	makes = fec_log_ber_shifted(usual, -(double)below_db, b->code->pam4) -
		fec_log10(fmax(v->facts->lanes, 1));
	return makes > b->log_ber - MISS_DECADES;
}

/* The port has enough errors to do harm if one lane makes them all. */
static bool has_errors(const struct port_view *v)
{
	return v->ber->t.ns != INT64_MIN &&
	       v->ber->log_ber + fec_log10(fmax(v->facts->lanes, 1)) >
	       (double)BER_LEAST;
}

/* What is compared of the lanes; NAN: it is not known. Or how far each is below
 * the others in it.
 */
struct lanes_shown {
	float dbm[PORT_LANES_MAX], snr[PORT_LANES_MAX], ber[PORT_LANES_MAX];
};

/* The link falls again and again since the port was first seen, and nothing of
 * it could be learned.
 */
static bool never_stays(const struct port_view *v)
{
	return v->light->readings < READINGS_LEAST &&
	       v->ber->t.ns == INT64_MIN &&
	       front_drops_24h(v->front) >= FALLS_LEAST;
}

static float now_dbm(const struct inputs *k, unsigned lane)
{
	return inputs_has(k, INPUT_RX_PW + lane) ?
	       (float)light_dbm(k->value[INPUT_RX_PW + lane]) : NAN;
}

static void lanes_take(const struct port_view *v, struct lanes_shown *ret)
{
	bool is_new = never_stays(v);

	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		struct lane_values now = lane_values_of(v->tick, i);
		struct lane_values usual = v->lanes->lane[i];

		ret->dbm[i] = is_new ? now_dbm(v->tick, i) :
				       v->light->lane[i].usual_dbm;
		ret->snr[i] = float_most(usual.snr_db, now.snr_db);
		ret->ber[i] = -float_least(usual.log_ber, now.log_ber);
	}
}

static void lanes_compare(struct lane_apart *d, const struct port_view *v)
{
	float share = d->lanes ? STILL : 1;
	float light_db = has_errors(v) || never_stays(v) ? LIGHT_DB :
							    LIGHT_ALONE_DB;
	unsigned width = measures_plug_width(v->facts);
	struct lanes_shown l, off;

	lanes_take(v, &l);
	for (unsigned i = 0; i < PORT_LANES_MAX; i += width)
		below(l.dbm, measures_plug_lanes(width, i), off.dbm);
	below(l.snr, UINT8_MAX, off.snr);
	below(l.ber, UINT8_MAX, off.ber);
	d->lanes = 0;
	d->light_db = d->snr_db = d->decades = 0;
	d->explains = false;
	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		float a = off.dbm[i], b = off.snr[i], c = off.ber[i];
		bool is_why = explains(v, a);

		if (-l.ber[i] < BER_LEAST)
			b = c = 0;
		if (a > share * light_db || b > share * SNR_DB ||
		    c > share * BER_DECADES || is_why)
			d->lanes |= (uint8_t)(1u << i);
		d->explains |= is_why;
		d->light_db = float_most(d->light_db, a);
		d->snr_db = float_most(d->snr_db, b);
		d->decades = float_most(d->decades, c);
	}
}

/* Critical when frames are lost by errors that the lane makes, or that nothing
 * else explains. A weak lane has errors all the time, not in bursts.
 */
static enum severity how_bad(const struct lane_apart *d,
			     const struct port_view *v)
{
	if (!d->lanes)
		return SEVERITY_NONE;
	return (measures_errors_are_old(v) && ber_lost_by_errors(v->ber)) ||
	       never_stays(v) ? SEVERITY_CRITICAL : SEVERITY_WATCH;
}

/* Light while the link falls and rises: of a peer that starts, some lanes may
 * be dark for a while.
 */
static void falling_take(struct lane_apart *d, const struct port_view *v)
{
	struct lane_apart now = *d;

	if (front_lanes_dark(v->facts, v->tick))
		return;
	lanes_compare(&now, v);
	now.seen = now.lanes && now.lanes == d->doubted ?
		   (uint8_t)(d->seen + (d->seen < UINT8_MAX)) : 0;
	now.doubted = now.lanes;
	if (now.seen < READINGS_LEAST)
		now.lanes = 0;
	*d = now;
}

static enum severity apart_judge(void *mine, const struct port_view *v)
{
	struct lane_apart *d = mine;

	if (v->front->dom_good && never_stays(v)) {
		if (d->since.ns == 0)
			d->since = v->front->t;
		falling_take(d, v);
		return how_bad(d, v);
	}
	if (!v->front->dom_good || v->front->link != LINK_IS_UP ||
	    !front_settled(v->front) || v->ber->cusum.sum > 0)
		return how_bad(d, v);
	if (d->since.ns == 0)
		d->since = v->front->t;
	if (v->light->readings < READINGS_LEAST)
		return SEVERITY_NONE;
	lanes_compare(d, v);
	return how_bad(d, v);
}

static void apart_describe(const void *mine, const struct port_view *v,
			   struct finding *f)
{
	const struct lane_apart *d = mine;

	bool light = d->decades <= BER_DECADES * STILL &&
		     (d->light_db > LIGHT_DB * STILL || d->explains);

	(void)v;
	/* What costs least, first: that tells dirt from a module. */
	f->end = light ? END_PATH : END_NEAR;
	f->action = light ? ACTION_CLEAN_NEAR : ACTION_RESEAT_NEAR;
	f->cause_id = CAUSE_LANE_DIFFERS;
	f->lanes = d->lanes;
	f->confidence = d->explains ? 0.85f : 0.6f;
	f->onset = d->since;
	(void)snprintf(f->cause, sizeof(f->cause), "one lane has differed from "
		       "the others since the port was first seen: %s",
		       d->decades > BER_DECADES * STILL ? "more errors" :
		       light ? "less light" : "a lower signal-to-noise ratio");
	if (d->light_db > LIGHT_DB * STILL || d->explains)
		evidence_add(f, "lane_light_below_db", d->light_db);
	if (d->snr_db > SNR_DB * STILL)
		evidence_add(f, "lane_snr_below_db", d->snr_db);
	if (d->decades > BER_DECADES * STILL)
		evidence_add(f, "lane_ber_over_decades", d->decades);
}

static bool applies(const struct port_facts *facts, const char **ret_why)
{
	if (facts->lanes == 1) {
		*ret_why = "there is one lane only: nothing to compare";
		return false;
	}
	if (!facts->media_known || facts->optical)
		return true;
	*ret_why = "copper has no light, and its lanes have no readings of "
		   "their own";
	return false;
}

static const struct need_row needs[] = {
	{ NEED_LIGHT, true, "received light is not read", "a module with DOM" },
};

static const struct kept_field lane_apart_fields[] = {
	KEEP(struct lane_apart, lanes),
	KEEP(struct lane_apart, doubted),
	KEEP(struct lane_apart, seen),
	KEEP(struct lane_apart, light_db),
	KEEP(struct lane_apart, snr_db),
	KEEP(struct lane_apart, decades),
	KEEP(struct lane_apart, explains),
	KEEP(struct lane_apart, since),
};

static const struct kept lane_apart_kept =
	KEPT_TABLE(struct lane_apart, "lane_apart", lane_apart_fields);

const struct detector lane_apart_detector = {
	.signature = SIGNATURE_LANE_IMBALANCE,
	.state_size = sizeof(struct lane_apart),
	.kept = &lane_apart_kept,
	.hold_ns = 600 * NS_PER_S,
	.of_module = true,
	.wakes = WAKE_MODULE,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(needs[0]),
	.applies = applies,
	.judge = apart_judge,
	.describe = apart_describe,
};
