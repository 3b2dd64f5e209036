#include "agent/signature/cliff.h"

#include <math.h>
#include <string.h>

#include "agent/signature/growth.h"
#include "agent/signature/kept.h"

#define POINTS_MIN 6
#define POINTS_OF_STEP 12	/* after a step, which may go on or back … */
#define FAR_OF_STEP 20.0		/* … and ages, at most, to foretell */
#define FORESEE_MAX_S (10 * 365 * 86400.0)
#define FAR_MOST 1e4		/* ages; later is never */
#define PLAUSIBLE 1e-4		/* weight that a law must have to count */
#define NEVER_MOST 0.5		/* never is likelier than that: no date */
#define NEVER_NONE 0.05		/* … no end of the interval */
#define SPREAD_FAR 0.18		/* of the time left, when that is as long as
				 * the growth is old: no law is exact */
#define FAR_MAX 3.0
#define CARE 0.8		/* the largest of several estimates is high */
#define BLOCK_MOST 4
#define BLOCKS_LEAST 5
#define BELOW_SDS 2.0
#define FREEDOM 3.0		/* degrees of freedom used by the fit */
#define NOISE_MEMORY 2.0
#define NOISE_LEAST 1e-5	/* decades^2 */
#define BELOW_NORMAL 0.3	/* decades */
#define ABOVE_NORMAL 0.3	/* decades */
#define STEP_TIMES 4.0		/* what neighbouring slots differ by */
#define RATE_STEP 0.02
#define MOVED_MIN_S 30
#define GROWTH_LAWS_MAX 17
#define TAIL_LEAST 3		/* points, to see whether growth goes on */
#define TAIL_MOST 0.34		/* ages; before, most growth is slower */
#define TAIL_RISES 0.2		/* of the rest of the way, in the time that the
				 * rest is said to take: chosen */

void course_start(struct course *c, struct mono t, int64_t slot_ns)
{
	/* Most courses begin anew at each window, with one slot used. */
	if (c->used > 1)
		memset(c, 0, sizeof(*c));
	c->used = c->count[0] = 0;
	c->mean[0] = 0;
	c->start = t;
	c->slot_ns = slot_ns;
}

/* Two slots become one. */
static void course_halve(struct course *c)
{
	for (size_t i = 0; i < COURSE_SLOTS / 2; i++) {
		unsigned a = c->count[2 * i], b = c->count[2 * i + 1];

		c->mean[i] = a + b == 0 ? 0 :
			     (c->mean[2 * i] * (float)a +
			      c->mean[2 * i + 1] * (float)b) / (float)(a + b);
		c->count[i] = (uint8_t)(a + b < UINT8_MAX ? a + b : UINT8_MAX);
	}
	memset(c->count + COURSE_SLOTS / 2, 0, sizeof(c->count) / 2);
	c->used = COURSE_SLOTS / 2;
	c->slot_ns *= 2;
}

void course_take(struct course *c, double log_ber, struct mono t)
{
	int64_t slot = mono_diff_ns(t, c->start);

	slot = slot >= 0 && slot < c->slot_ns ? 0 : slot / c->slot_ns;
	if (slot < 0)
		return;
	while (slot >= COURSE_SLOTS) {
		course_halve(c);
		slot = mono_diff_ns(t, c->start) / c->slot_ns;
	}
	if (c->count[slot] < UINT8_MAX)
		c->count[slot]++;
	c->mean[slot] += ((float)log_ber - c->mean[slot]) / c->count[slot];
	if (slot >= c->used)
		c->used = (uint16_t)(slot + 1);
}

/* The slot before that one with windows in it; used: none. */
static unsigned slot_before(const struct course *c, unsigned slot)
{
	while (slot-- > 0)
		if (c->count[slot] > 0)
			return slot;
	return c->used;
}

/* How much neighbouring slots differ, as a root mean square. */
static double slots_differ(const struct course *c, unsigned last)
{
	double sum = 0;
	unsigned n = 0, to = last, from;

	for (; (from = slot_before(c, to)) < to; to = from, n++)
		sum += (double)((c->mean[to] - c->mean[from]) *
				(c->mean[to] - c->mean[from]));
	return n > 1 ? sqrt(sum / n) : INFINITY;
}

double course_off(const struct course *c, double log_ber, double least)
{
	unsigned last = c->used ? slot_before(c, c->used - 1U) : 0;
	double off;

	if (last >= c->used)
		return 0;
	off = log_ber - (double)c->mean[last];
	return fabs(off) > least && fabs(off) > least + STEP_TIMES *
						slots_differ(c, last) ?
	       off : 0;
}

/* Growth above normal, on each scale. */
static void scales_of(double log_ber, double normal, bool pam4,
		      double ret[static GROWTH_SCALE_COUNT])
{
	double q = fec_q(log_ber, pam4), was = fec_q(normal, pam4);

	ret[GROWTH_DECADES] = log_ber - normal;
	ret[GROWTH_EYE_DB] = 10 * fec_log10(was / q);
	ret[GROWTH_EYE_NOISE] = 1 / (q * q) - 1 / (was * was);
}

/* What a step left above normal is no growth. */
static bool begins_with_a_step(const struct course *c, double normal)
{
	double early = (double)(c->mean[2] - c->mean[0]) / 2;

	return c->used > 2 && c->count[1] > 0 && c->count[2] > 0 &&
	       (double)c->mean[0] - normal >
	       ABOVE_NORMAL + STEP_TIMES * fabs(early);
}

/* A slot's mean, and its weight: noise is the same in decades, so a scale that
 * moves faster with them weighs less.
 */
static void point_add(struct growth *g, double t, double log_ber,
		      double normal, double share, bool pam4)
{
	double y[GROWTH_SCALE_COUNT], above[GROWTH_SCALE_COUNT];
	double below[GROWTH_SCALE_COUNT], from = fmax(log_ber, normal);

	scales_of(log_ber, normal, pam4, y);
	scales_of(from + RATE_STEP, normal, pam4, above);
	scales_of(from - RATE_STEP, normal, pam4, below);
	g->t[g->n] = t;
	for (unsigned k = 0; k < GROWTH_SCALE_COUNT; k++) {
		double rate = (above[k] - below[k]) / (2 * RATE_STEP);

		g->seen[k].y[g->n] = y[k];
		g->seen[k].weight[g->n] = share / (rate * rate);
	}
	g->n++;
}

/* On a straight course the second differences are noise alone. */
static double noise_guess(const double *y, unsigned n)
{
	double sum = 0;

	for (unsigned i = 2; i < n; i++) {
		double bend = y[i] - 2 * y[i - 1] + y[i - 2];

		sum += bend * bend / 6;
	}
	return NOISE_MEMORY * sum / fmax(n - 2.0, 1) + NOISE_LEAST;
}

static void growth_of(const struct course *c, const struct fec_code *code,
		      double normal, double age_s, struct growth *ret)
{
	double slot_s = (double)c->slot_ns / 1e9, goal[GROWTH_SCALE_COUNT];
	unsigned most = 1;

	ret->n = 0;
	for (unsigned i = 0; i < c->used; i++)
		most = c->count[i] > most ? c->count[i] : most;
	/* It began below normal: that was not its level, or is not known. */
	if (c->mean[0] < normal - BELOW_NORMAL ||
	    begins_with_a_step(c, normal))
		normal = c->mean[0];
	for (unsigned i = 0; i < c->used; i++)
		if (c->count[i] > 0)
			point_add(ret, (i + 0.5) * slot_s / age_s, c->mean[i],
				  normal, (double)c->count[i] / most,
				  code->pam4);
	ret->noise = noise_guess(ret->seen[GROWTH_DECADES].y, ret->n);
	scales_of(code->cliff_log_ber, normal, code->pam4, goal);
	for (unsigned k = 0; k < GROWTH_SCALE_COUNT; k++)
		ret->seen[k].goal = goal[k];
}

/* The variance of a point, widened for noise that neighbours share: the mean of
 * a block then varies as that of as many independent points.
 */
static double noise_of(const struct growth *g, const struct growth_fit *best)
{
	double most = NOISE_LEAST;

	for (unsigned block = 1; block <= BLOCK_MOST; block *= 2) {
		unsigned blocks = g->n / block, first = g->n % block;
		double squares = 0;

		for (unsigned i = 0; i < blocks; i++) {
			double sum = 0;

			for (unsigned k = 0; k < block; k++)
				sum += growth_residual(g, best, first +
						       i * block + k);
			squares += sum * sum / block;
		}
		if (blocks > BLOCKS_LEAST)
			most = fmax(most, squares / (blocks - FREEDOM));
	}
	return CARE * most;
}

/* When each law reaches the cliff, earliest first, and how likely. */
struct dates {
	unsigned n;
	double never;			/* how likely, of all */
	struct growth_node at[GROWTH_LAWS_MAX * GROWTH_NODES];
};

static void date_add(struct dates *d, double t, double weight)
{
	unsigned i = d->n++;

	for (; i > 0 && d->at[i - 1].t > t; i--)
		d->at[i] = d->at[i - 1];
	d->at[i] = (struct growth_node){ t, weight };
}

/* The level is below the cliff, by more than its noise. */
static bool is_below(const struct growth *g, double noise)
{
	const struct growth_seen *seen = &g->seen[GROWTH_DECADES];

	return seen->goal - seen->y[g->n - 1] > BELOW_SDS * sqrt(noise);
}

/* Where the level is below the cliff, a date that has passed was wrong. */
static void dates_take(const struct growth *g, const struct growth_fit *fits,
		       unsigned n, struct dates *ret)
{
	double log_weight[GROWTH_LAWS_MAX], most = -INFINITY, sum = 0;
	double wrong = 0, first = is_below(g, fits->noise) ? 1 : -INFINITY;

	*ret = (struct dates){ .never = 0 };
	for (unsigned i = 0; i < n; i++) {
		log_weight[i] = growth_evidence(&fits[i]);
		most = fmax(most, log_weight[i]);
	}
	for (unsigned i = 0; i < n; i++)
		sum += log_weight[i] = exp(log_weight[i] - most);
	for (unsigned i = 0; i < n; i++) {
		struct growth_node node[GROWTH_NODES];
		double weight = log_weight[i] / sum;

		if (weight < PLAUSIBLE)
			continue;
		growth_reaches(g, &fits[i], node);
		for (unsigned k = 0; k < GROWTH_NODES; k++)
			if (node[k].t <= first)
				wrong += weight * node[k].weight;
			else if (node[k].t < FAR_MOST)
				date_add(ret, node[k].t,
					 weight * node[k].weight);
			else
				ret->never += weight * node[k].weight;
	}
	for (unsigned i = 0; i < ret->n; i++)
		ret->at[i].weight /= 1 - wrong;
	ret->never = ret->n == 0 ? 1 : ret->never / (1 - wrong);
}

/* The quantiles of the dates, interpolated between the nodes. */
static void dates_quantiles(const struct dates *d, double ret[static 3])
{
	static const double parts[3] = { 0.05, 0.5, 0.95 };
	double t = d->at[0].t, sum = 0, before = 0;
	unsigned k = 0;

	for (unsigned i = 0; i < d->n; i++) {
		const struct growth_node *at = &d->at[i];
		double middle = sum + at->weight / 2;

		for (; k < 3 && middle >= parts[k] * (1 - d->never); k++) {
			double part = parts[k] * (1 - d->never) - before;

			ret[k] = t + (at->t - t) * fmax(part, 0) /
				     fmax(middle - before, 1e-9);
		}
		sum += at->weight;
		before = middle;
		t = at->t;
	}
	while (k < 3)
		ret[k++] = t;
}

/* Decades from begin to now, by the means of the first and last quarter. */
static double rise_of(const struct growth *g)
{
	const double *y = g->seen[GROWTH_DECADES].y;
	unsigned n = g->n / 4 ? g->n / 4 : 1;
	double rise = 0;

	for (unsigned i = 0; i < n; i++)
		rise += (y[g->n - 1 - i] - y[i]) / n;
	return rise * 4 / 3;
}

/* The slope of the last n points, in decades an age, at most: with one
 * deviation of its noise.
 */
static double slope_at_most(const struct growth *g, unsigned n)
{
	const double *y = g->seen[GROWTH_DECADES].y;
	double middle = 0, mean = 0, ty = 0, tt = 0;

	for (unsigned i = g->n - n; i < g->n; i++) {
		middle += g->t[i] / n;
		mean += y[i] / n;
	}
	for (unsigned i = g->n - n; i < g->n; i++) {
		ty += (g->t[i] - middle) * (y[i] - mean);
		tt += (g->t[i] - middle) * (g->t[i] - middle);
	}
	return ty / tt + sqrt(g->noise / tt);
}

/* The level has stood still for as long as the rest of the way is said to
 * take.
 */
static bool stands_still(const struct growth *g, double rest)
{
	const struct growth_seen *seen = &g->seen[GROWTH_DECADES];
	double left = seen->goal - seen->y[g->n - 1];

	rest = fmax(rest, 1.0 / g->n);	/* a point is no shorter */
	for (unsigned n = TAIL_LEAST; n <= g->n; n++) {
		double tail = 1 - g->t[g->n - n];

		if (tail > TAIL_MOST)
			break;
		if (tail > rest &&
		    slope_at_most(g, n) * rest < TAIL_RISES * left)
			return true;
	}
	return false;
}

static bool dates_of(const struct growth *g, struct dates *ret)
{
	struct growth_fit fits[GROWTH_LAWS_MAX];
	unsigned n = 0, best = 0;
	double noise;

	for (unsigned i = 0; i < growth_law_count; i++) {
		if (!growth_fit(g, i, &fits[n]))
			continue;
		best = fits[n].rss < fits[best].rss ? n : best;
		n++;
	}
	if (n == 0)
		return false;
	noise = noise_of(g, &fits[best]);
	for (unsigned i = 0; i < n; i++)
		(void)growth_doubt(&fits[i], noise);
	dates_take(g, fits, n, ret);
	return ret->never < NEVER_MOST;
}

/* Seconds from now; t is in ages. */
static int64_t from_now_s(double t, double age_s, double factor)
{
	double s = (t - 1) * age_s * factor;

	return s > 0 ? (int64_t)fmin(s, 2 * FORESEE_MAX_S) : 0;
}

void course_cliff(const struct course *c, const struct fec_code *code,
		  struct mono now, double normal, double least_rise,
		  struct cliff *ret)
{
	double t[3], far, age_s = (double)mono_diff_ns(now, c->start) / 1e9;
	bool of_step = begins_with_a_step(c, normal);
	struct growth g;
	struct dates dates;

	*ret = (struct cliff){ .foreseeable = false };
	growth_of(c, code, normal, age_s, &g);
	if (g.n < (of_step ? POINTS_OF_STEP : POINTS_MIN) ||
	    rise_of(&g) < least_rise ||
	    !dates_of(&g, &dates))
		return;
	dates_quantiles(&dates, t);
	if ((t[1] - 1) * age_s > FORESEE_MAX_S ||
	    (of_step && t[1] - 1 > FAR_OF_STEP) ||
	    stands_still(&g, t[1] - 1))
		return;
	far = 1 + SPREAD_FAR * fmin(fmax(t[1] - 1, 0), FAR_MAX);
	ret->foreseeable = true;
	ret->low_s = from_now_s(t[0], age_s, 1 / far);
	ret->mid_s = from_now_s(t[1], age_s, 1);
	ret->high_s = from_now_s(t[2], age_s, far);
	if (dates.never > NEVER_NONE || ret->high_s > FORESEE_MAX_S)
		ret->high_s = FINDING_NO_UPPER_BOUND;
}

static int64_t later_s(int64_t s, int64_t passed_s)
{
	return s > passed_s ? s - passed_s : 0;
}

void cliff_later(struct cliff *c, int64_t passed_s)
{
	c->low_s = later_s(c->low_s, passed_s);
	c->mid_s = later_s(c->mid_s, passed_s);
	if (c->high_s != FINDING_NO_UPPER_BOUND)
		c->high_s = later_s(c->high_s, passed_s);
}

/* "In 5 h or later", and that again: it is news when it halves or doubles. What
 * may come at any time, and still may, is none.
 */
static bool bound_moved(const struct cliff *old, const struct cliff *new,
			int64_t passed_s)
{
	int64_t expected_s = old->low_s - passed_s;

	if (old->low_s == 0 && new->low_s == 0)
		return false;
	return 2 * new->low_s < expected_s || new->low_s > 2 * old->low_s ||
	       2 * passed_s > old->low_s;
}

static int64_t less(int64_t a, int64_t b)
{
	return a > b ? a - b : 0;
}

/* The new date lies outside the middle half of what was told. */
static bool left_middle(const struct cliff *old, const struct cliff *new,
			int64_t passed_s)
{
	int64_t low_s = less((old->low_s + old->mid_s) / 2, passed_s);
	int64_t high_s = old->high_s == FINDING_NO_UPPER_BOUND ?
			 2 * old->mid_s : (old->mid_s + old->high_s) / 2;

	return new->mid_s < low_s || new->mid_s > less(high_s, passed_s);
}

/* It is known twice as well as before. */
static bool narrowed(const struct cliff *old, const struct cliff *new)
{
	return new->high_s - new->low_s < (old->high_s - old->low_s) / 2;
}

bool cliff_is_news(const struct cliff *old, const struct cliff *new,
		   int64_t since_ns)
{
	int64_t passed_s = since_ns / NS_PER_S;
	int64_t off;

	if (!old->foreseeable)
		return true;
	if (old->high_s == FINDING_NO_UPPER_BOUND &&
	    new->high_s == FINDING_NO_UPPER_BOUND)
		return bound_moved(old, new, passed_s);
	off = new->mid_s - less(old->mid_s, passed_s);
	off = off < 0 ? -off : off;
	return off > MOVED_MIN_S && (passed_s * 4 > old->mid_s ||
				     left_middle(old, new, passed_s) ||
				     narrowed(old, new));
}

static const struct kept_field cliff_fields[] = {
	KEEP(struct cliff, foreseeable),
	KEEP_TO(struct cliff, low_s, 2 * FORESEE_MAX_S),
	KEEP_TO(struct cliff, mid_s, 2 * FORESEE_MAX_S),
	KEEP_TO(struct cliff, high_s, (double)FINDING_NO_UPPER_BOUND),
};

const struct kept cliff_kept =
	KEPT_TABLE(struct cliff, "cliff", cliff_fields);

static const struct kept_field course_fields[] = {
	KEEP(struct course, start),
	KEEP(struct course, slot_ns),
	KEEP_TO(struct course, used, COURSE_SLOTS),
	KEEP_ALL(struct course, count),
	KEEP_ALL(struct course, mean),
};

const struct kept course_kept =
	KEPT_TABLE(struct course, "course", course_fields);
