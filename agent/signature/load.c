#include "agent/signature/load.h"

#include <math.h>

#include "agent/base/extreme.h"
#include "agent/signature/kept.h"

#define OCTETS_SHIFT 16
#define DECADE 100
#define WHOLE_NEAR 1e-6		/* far more than either is wrong */
#define LEAST_EXCESS (-100.0)	/* decades: as if there were none */
#define MOST_EXCESS 100.0
#define LOAD_MOVED 20		/* 1.6 times as much: chosen */
#define ERRORS_MOVED 10		/* 1.26 times as many: chosen */
#define PAIRS_MOST 32
#define FOLLOW_SHARE 0.2	/* of what has no name: chosen … */
#define FOLLOW_OFTEN 0.9	/* … and in so many of its windows */
#define NATS_LEAST (-4.0)	/* as of any measure */
#define FOLLOWED_NATS (-3.0)	/* 1 : 20 */

void load_start(struct load *t)
{
	*t = (struct load){ 0 };
}

/* In 1/100 decade, as log10() has it. fec_log10() takes half the time, and
 * differs from that where the number is next to a whole one, if at all.
 */
static int load_of(uint32_t octets)
{
	double c = DECADE * fec_log10(octets);

	if (fabs(c - (int)(c + 0.5)) < WHOLE_NEAR)
		c = DECADE * log10(octets);
	return (int)c;
}

static uint32_t load_take(struct load *t, const struct inputs *k)
{
	uint64_t octets = (uint64_t)k->value[INPUT_IN_OCTETS] +
			  (uint64_t)k->value[INPUT_OUT_OCTETS];
	uint32_t now = (uint32_t)(octets >> OCTETS_SHIFT), step;

	if (!inputs_has(k, INPUT_IN_OCTETS) ||
	    !inputs_has(k, INPUT_OUT_OCTETS))
		return 0;
	step = now - t->passed;
	t->passed = now;
	return step > INT32_MAX ? 0 : step + 1;	/* the counters restarted */
}

static void pair_count(struct load *t, bool with)
{
	if (t->with + t->against == PAIRS_MOST) {
		t->with /= 2;
		t->against /= 2;
	}
	t->with += with;
	t->against += !with;
}

void load_follow(struct load *t, const struct inputs *k,
		  const struct ber *b)
{
	double excess = double_least(double_most(b->residual.excess,
						 LEAST_EXCESS),
				     MOST_EXCESS) - LEAST_EXCESS;
	uint16_t errors = (uint16_t)(DECADE * excess);
	uint32_t load = load_take(t, k);
	int more = 0, worse = errors - t->errors;

	if (load && t->load && ber_learned(b) &&
	    (worse >= ERRORS_MOVED || worse <= -ERRORS_MOVED))
		more = load_of(load) - load_of(t->load);
	if (more >= LOAD_MOVED || more <= -LOAD_MOVED)
		pair_count(t, (more > 0) == (worse > 0));
	t->load = load;
	t->errors = errors;
}

/* Binomial: it goes with the traffic half of the time by chance. */
double load_nats(const struct load *t)
{
	double follows = pow(2 * FOLLOW_OFTEN, t->with) *
			 pow(2 * (1 - FOLLOW_OFTEN), t->against);

	return fmax(NATS_LEAST, -log(1 - FOLLOW_SHARE +
				     FOLLOW_SHARE * follows));
}

bool load_is_followed(const struct load *t)
{
	return load_nats(t) < FOLLOWED_NATS;
}

static const struct kept_field load_fields[] = {
	KEEP(struct load, passed),
	KEEP(struct load, load),
	KEEP(struct load, errors),
	KEEP_TO(struct load, with, PAIRS_MOST),
	KEEP_TO(struct load, against, PAIRS_MOST),
};

const struct kept load_kept =
	KEPT_TABLE(struct load, "load", load_fields);
