#include "agent/signature/lane_usual.h"

#include <math.h>

#include "agent/signature/fec.h"
#include "agent/signature/kept.h"

#define READINGS_FIRST 4u	/* each counts as usual */
#define MEMORY 64u		/* readings */
#define LEFT_DECADES 2.0f	/* from its usual: a fault that came later … */
#define LEFT_DB 2.5f		/* … of the signal-to-noise ratio */
#define MOST_ERRORS 0.8		/* of the port's errors, on a few lanes … */
#define MANY_TIMES 10.0		/* … with so many times as many as others */
#define GREW_DECADES 0.5f	/* of a lane's errors, to have left; or … */
#define SNR_FELL_DB 0.6f	/* … of its ratio of signal to noise … */
#define ALONE 3.0f		/* … so many times as much as any other … */
#define SNR_MISS 0.6		/* … which makes the port's errors; decades */

void lane_usual_start(struct lane_usual *l)
{
	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		l->lane[i] = (struct lane_values){ NAN, NAN };
}

/* A lane that moves more than most from its usual value has another fault. */
static void usual_learn(float *usual, float now, float most, unsigned readings)
{
	if (isnan(*usual))
		*usual = now;
	else if (!isnan(now) && (readings <= READINGS_FIRST ||
				 fabsf(now - *usual) < most))
		*usual += (now - *usual) / (float)readings;
}

void lane_usual_take(struct lane_usual *l, const struct front *f,
		     const struct inputs *k, bool quiet, unsigned readings)
{
	if (!quiet || !f->dom_good || f->link != LINK_IS_UP ||
	    !front_settled(f))
		return;
	if (!(inputs_lanes(k, INPUT_LANE_BER_E18) |
	      inputs_lanes(k, INPUT_SNR_MDB)))
		return;
	if (readings > MEMORY)
		readings = MEMORY;
	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		struct lane_values now = lane_values_of(k, i);

		usual_learn(&l->lane[i].log_ber, now.log_ber, LEFT_DECADES,
			    readings);
		usual_learn(&l->lane[i].snr_db, now.snr_db, LEFT_DB, readings);
	}
}

uint8_t lanes_with_errors(const struct inputs *k)
{
	double ber[PORT_LANES_MAX], sum = 0, others, of_many = 0;
	unsigned known = 0, many = 0;
	uint8_t lanes = 0;

	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		bool has = inputs_has(k, INPUT_LANE_BER_E18 + i);

		ber[i] = has ? (double)k->value[INPUT_LANE_BER_E18 + i] : 0;
		sum += ber[i];
		known += has;
	}
	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		if (known < 2 || ber[i] * 2 * known < sum)
			continue;
		lanes |= (uint8_t)(1u << i);
		of_many += ber[i];
		many++;
	}
	if (2 * many > known || of_many < MOST_ERRORS * sum)
		return 0;
	others = (sum - of_many) / (known - many);
	return of_many / many > MANY_TIMES * others ? lanes : 0;
}

/* By how much each lane is worse than usual; NAN: not known. */
struct lanes_worse {
	float by[PORT_LANES_MAX];
};

/* The lane that is worse by least or more, and by ALONE times as much as any
 * other; 0: none is.
 */
static uint8_t alone_of(const struct lanes_worse *w, float least,
			float *ret_worst)
{
	float worst = 0, next = 0;
	unsigned known = 0;
	uint8_t lane = 0;

	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		known += !isnan(w->by[i]);
		if (w->by[i] > worst) {
			next = worst;
			worst = w->by[i];
			lane = (uint8_t)(1u << i);
		} else if (w->by[i] > next) {
			next = w->by[i];
		}
	}
	*ret_worst = worst;
	return known > 1 && worst > least && worst > ALONE * next ? lane : 0;
}

/* By the errors that the module counts: it has nearly all of them. */
static uint8_t left_by_errors(const struct lane_usual *l,
			      const struct inputs *k)
{
	struct lanes_worse grew;
	float worst;

	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		grew.by[i] = lane_values_of(k, i).log_ber - l->lane[i].log_ber;
	return alone_of(&grew, GREW_DECADES, &worst) & lanes_with_errors(k);
}

/* By the signal-to-noise ratio: it explains the errors of the port. Electrical
 * decibels are twice those of light.
 */
static uint8_t left_by_snr(const struct lane_usual *l, const struct inputs *k,
			   const struct ber *b)
{
	double normal = b->log_ber - b->residual.excess, makes;
	struct lanes_worse fell;
	uint8_t lane, known = 0;
	float worst;

	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		fell.by[i] = l->lane[i].snr_db - lane_values_of(k, i).snr_db;
		known += !isnan(fell.by[i]);
	}
	lane = alone_of(&fell, SNR_FELL_DB, &worst);
	if (!lane)
		return 0;
	makes = fec_log_ber_shifted(normal, -(double)worst / 2,
				    b->code->pam4) - fec_log10(known);
	return makes > b->log_ber - SNR_MISS ? lane : 0;
}

uint8_t lane_usual_left(const struct lane_usual *l, const struct inputs *k,
			const struct ber *b)
{
	uint8_t by_errors;

	if (!b->code || b->t.ns == INT64_MIN)
		return 0;
	by_errors = left_by_errors(l, k);
	return by_errors ? by_errors : left_by_snr(l, k, b);
}

static const struct kept_field lane_values_fields[] = {
	KEEP_OPT(struct lane_values, log_ber),
	KEEP_OPT(struct lane_values, snr_db),
};

static const struct kept lane_values_kept =
	KEPT_TABLE(struct lane_values, "lane_values", lane_values_fields);

static const struct kept_field lane_usual_fields[] = {
	KEEP_PARTS(struct lane_usual, lane, lane_values_kept),
};

const struct kept lane_usual_kept =
	KEPT_TABLE(struct lane_usual, "lane_usual", lane_usual_fields);
