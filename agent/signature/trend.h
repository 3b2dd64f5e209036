/* Tests for change, each with what is known of its false alarms. State is the
 * caller's; nothing allocates.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/clock.h"

struct kept;

/* Page's CUSUM on a standardised residual, clipped at both sides.
 * With drift k and level h, independent normal z: ARL = (e^2Db - 2Db - 1) /
 * 2D^2, D = k, b = h + 1.166 (Siegmund). For any dependence, when z given the
 * past is below a normal of mean 0 and deviation 1: e^2kh at least, since
 * e^2k(z - k) has a mean of at most 1. It also alarms on a small benign shift:
 * to rule that out, ask the e-detector too.
 */
struct cusum {
	float sum;
	struct mono since;	/* last time it stood at 0 */
};

struct cusum_rule {
	float drift, level, low, high;
};

/* Returns true while at or above the level. */
bool cusum_take(struct cusum *c, const struct cusum_rule *rule, double z,
		struct mono t);

/* E-detector for counts (Shin, Ramdas, Rinaldo), one CUSUM for each ratio of
 * a mixture. For any dependence between windows, when the mean of x given the
 * past is at most expected, a healthy stream reaches ln_level after e^ln_level
 * windows on average, or later.
 */
#define ECOUNT_RATIOS 4

struct ecount {
	float log_m[ECOUNT_RATIOS];
};

/* It has no evidence so far. */
static inline bool ecount_is_empty(const struct ecount *e)
{
	bool is_empty = true;

	for (unsigned j = 0; j < ECOUNT_RATIOS; j++)
		is_empty &= e->log_m[j] <= 0;
	return is_empty;
}

/* x counted where `expected` is the most that is benign; shape: of the
 * negative binomial, for counts that spread wider than Poisson (0: Poisson).
 * Returns the log of the evidence: a lower bound of the mixture's.
 */
double ecount_take(struct ecount *e, double x, double expected, double shape);

/* Slot means over a long time, newest last. */
#define RING_SLOTS 48

struct trend_ring {
	float mean[RING_SLOTS];		/* NAN: nothing in that slot */
	uint32_t count;			/* slots closed, at most RING_SLOTS */
	uint32_t filled;		/* samples in the open slot */
	double sum;			/* of the open slot */
	struct mono slot;		/* the open slot's begin; INT64_MIN */
};

/* Empties the ring. */
void trend_ring_start(struct trend_ring *r);
/* Returns true when a slot was closed. */
bool trend_ring_take(struct trend_ring *r, double x, struct mono t,
		     int64_t slot_ns);

/* Mann and Kendall's test, its variance widened for autocorrelation (Hamed
 * and Rao), and the slope of Theil and Sen. A few microseconds.
 */
struct rank_trend {
	double z;
	double slope;		/* a slot */
};

/* Returns false with under 8 slots. */
bool rank_trend(const struct trend_ring *r, struct rank_trend *ret);

/* What is kept over a restart (kept.h). */
extern const struct kept cusum_kept, ecount_kept, trend_ring_kept;
