#include "agent/signature/trend.h"

#include <math.h>

#include "agent/signature/kept.h"

#define SLOTS_MIN 8
#define PAIRS_MAX (RING_SLOTS * (RING_SLOTS - 1) / 2)

bool cusum_take(struct cusum *c, const struct cusum_rule *rule, double z,
		struct mono t)
{
	float step = (float)z;

	step = step < rule->low ? rule->low : step;
	step = step > rule->high ? rule->high : step;
	c->sum += step - rule->drift;
	if (c->sum > 2 * rule->level)
		c->sum = 2 * rule->level;
	if (c->since.ns == INT64_MIN)	/* it never stood at 0 */
		c->since = t;
	if (c->sum <= 0) {
		c->sum = 0;
		c->since = t;
	}
	return c->sum >= rule->level;
}

/* ln r and r of the mixture; each has weight 1/ECOUNT_RATIOS. */
static const double ratio[ECOUNT_RATIOS] = { 2, 5, 10, 100 };
static const double log_ratio[ECOUNT_RATIOS] = {
	0.69314718055994531, 1.60943791243410037,
	2.30258509299404568, 4.60517018598809137,
};
#define LOG_RATIOS 1.38629436111989062	/* ln ECOUNT_RATIOS */

/* ln of the likelihood ratio of x at r times u against u. */
static double log_evidence(double x, double u, double shape, unsigned j)
{
	double spread;

	if (shape <= 0)
		return x * log_ratio[j] - u * (ratio[j] - 1);
	spread = log((shape + ratio[j] * u) / (shape + u));
	return x * (log_ratio[j] - spread) - shape * spread;
}

double ecount_take(struct ecount *e, double x, double expected, double shape)
{
	double most = 0;

	/* Where there is none so far, a count not above the expected one adds
	 * none: any higher mean makes it less likely.
	 */
	if (x <= expected && ecount_is_empty(e))
		return -LOG_RATIOS;
	for (unsigned j = 0; j < ECOUNT_RATIOS; j++) {
		double m = e->log_m[j] > 0 ? e->log_m[j] : 0;

		m += log_evidence(x, expected, shape, j);
		e->log_m[j] = (float)m;
		most = m > most ? m : most;
	}
	return most - LOG_RATIOS;
}

void trend_ring_start(struct trend_ring *r)
{
	*r = (struct trend_ring){ .slot = { INT64_MIN } };
}

static void ring_push(struct trend_ring *r, float x)
{
	if (r->count == RING_SLOTS) {
		for (unsigned i = 1; i < RING_SLOTS; i++)
			r->mean[i - 1] = r->mean[i];
		r->count--;
	}
	r->mean[r->count++] = x;
}

/* Closes the open slot, and the empty ones up to the new one. */
static void ring_close(struct trend_ring *r, int64_t missing)
{
	ring_push(r, r->filled ? (float)(r->sum / r->filled) : NAN);
	for (int64_t i = 0; i < missing && i < RING_SLOTS; i++)
		ring_push(r, NAN);
	r->sum = 0;
	r->filled = 0;
}

bool trend_ring_take(struct trend_ring *r, double x, struct mono t,
		     int64_t slot_ns)
{
	int64_t past;

	if (r->slot.ns == INT64_MIN)
		r->slot.ns = t.ns - t.ns % slot_ns;
	past = mono_diff_ns(t, r->slot);
	past = past < slot_ns ? 0 : past / slot_ns;
	if (past > 0) {
		ring_close(r, past - 1);
		r->slot.ns += past * slot_ns;
	}
	r->sum += x;
	r->filled++;
	return past > 0;
}

/* The slots that hold something, with their numbers. */
struct points {
	unsigned n;
	float x[RING_SLOTS];
	unsigned at[RING_SLOTS];
};

static void points_of(const struct trend_ring *r, struct points *ret)
{
	ret->n = 0;
	for (unsigned i = 0; i < r->count; i++) {
		if (isnan(r->mean[i]))
			continue;
		ret->x[ret->n] = r->mean[i];
		ret->at[ret->n++] = i;
	}
}

static int kendall_s(const struct points *p)
{
	int s = 0;

	for (unsigned i = 0; i < p->n; i++)
		for (unsigned j = i + 1; j < p->n; j++)
			s += (p->x[j] > p->x[i]) - (p->x[j] < p->x[i]);
	return s;
}

/* The kth smallest (from 0), by Hoare's selection; reorders. */
static float select_kth(float *x, unsigned n, unsigned k)
{
	unsigned low = 0, high = n - 1;

	while (low < high) {
		float pivot = x[(low + high) / 2];
		unsigned i = low, j = high;

		for (;;) {
			for (; x[i] < pivot; i++)
				;
			for (; x[j] > pivot; j--)
				;
			if (i >= j)
				break;
			float swap = x[i];

			x[i++] = x[j];
			x[j--] = swap;
		}
		if (k <= j)
			high = j;
		else
			low = j + 1;
	}
	return x[k];
}

static double theil_sen(const struct points *p)
{
	float slopes[PAIRS_MAX];
	unsigned n = 0;

	for (unsigned i = 0; i < p->n; i++)
		for (unsigned j = i + 1; j < p->n; j++)
			slopes[n++] = (p->x[j] - p->x[i]) /
				      (float)(p->at[j] - p->at[i]);
	return select_kth(slopes, n, n / 2);
}

/* Ranks of the residuals without the slope, about their mean. */
static void ranks_of(const struct points *p, double slope,
		     double ret[static RING_SLOTS])
{
	double rest[RING_SLOTS];

	for (unsigned i = 0; i < p->n; i++)
		rest[i] = p->x[i] - slope * p->at[i];
	for (unsigned i = 0; i < p->n; i++) {
		ret[i] = -(p->n - 1.0) / 2;
		for (unsigned j = 0; j < p->n; j++)
			ret[i] += (rest[j] < rest[i]) +
				  (j != i && rest[j] == rest[i]) / 2.0;
	}
}

/* Hamed and Rao's factor n/n*; only significant autocorrelations count. */
static double variance_factor(const struct points *p, double slope)
{
	double rank[RING_SLOTS], total = 0, sum = 0, n = p->n;

	ranks_of(p, slope, rank);
	for (unsigned i = 0; i < p->n; i++)
		total += rank[i] * rank[i];
	for (unsigned lag = 1; lag + 2 < p->n && total > 0; lag++) {
		double rho = 0;

		for (unsigned i = lag; i < p->n; i++)
			rho += rank[i] * rank[i - lag];
		rho /= total;
		if (fabs(rho) > 1.96 / sqrt(n))
			sum += (n - lag) * (n - lag - 1) * (n - lag - 2) * rho;
	}
	return fmax(1, 1 + 2 / (n * (n - 1) * (n - 2)) * sum);
}

bool rank_trend(const struct trend_ring *r, struct rank_trend *ret)
{
	struct points p;
	double n, var;
	int s;

	points_of(r, &p);
	if (p.n < SLOTS_MIN)
		return false;
	n = p.n;
	s = kendall_s(&p);
	ret->slope = theil_sen(&p);
	var = n * (n - 1) * (2 * n + 5) / 18 * variance_factor(&p, ret->slope);
	ret->z = s == 0 ? 0 : (s - (s > 0 ? 1 : -1)) / sqrt(var);
	return true;
}

static const struct kept_field cusum_fields[] = {
	KEEP(struct cusum, sum),
	KEEP_OPT(struct cusum, since),
};

const struct kept cusum_kept =
	KEPT_TABLE(struct cusum, "cusum", cusum_fields);

static const struct kept_field ecount_fields[] = {
	KEEP_ALL_TO(struct ecount, log_m, 1e30),
};

const struct kept ecount_kept =
	KEPT_TABLE(struct ecount, "ecount", ecount_fields);

static const struct kept_field trend_ring_fields[] = {
	KEEP_ALL(struct trend_ring, mean),
	KEEP_TO(struct trend_ring, count, RING_SLOTS),
	KEEP(struct trend_ring, filled),
	KEEP(struct trend_ring, sum),
	KEEP_OPT(struct trend_ring, slot),
};

const struct kept trend_ring_kept =
	KEPT_TABLE(struct trend_ring, "trend_ring", trend_ring_fields);
