#include "agent/signature/growth.h"

#include <math.h>
#include <string.h>

#define STEPS_MAX 12
#define STEP_MOST 1.5
#define GAIN_LEAST 0.01		/* in squared deviations: then stop */
#define DAMPING 1e-3
#define DAMPING_MOST 1e6
#define STRAIGHT 1e-3		/* less bend counts as none */
#define LOOK_LEAST 1.05		/* ages at which a law's doubt is evaluated */
#define LOOK_MOST 4.0
#define NODE_STEP 0.7
#define BEFORE 0.02		/* ages from onset to begin, where not sought */

/* The value of a shape, and its derivatives by the two bends. */
struct shape {
	double f, by[2];
};

/* bend[1] of all but the sigmoid: log of the time from onset to begin. */
struct growth_law {
	void (*at)(double t, const double bend[static 2], struct shape *ret);
	/* The inverse. */
	double (*when)(double f, const double bend[static 2]);
	enum growth_scale scale;
	double weight;
	struct {
		double mean, sd;	/* its prior */
	} bend[2];
	double start;			/* of bend[0] */
};

static void line_at(double t, const double bend[static 2], struct shape *ret)
{
	double early = exp(bend[1]);

	*ret = (struct shape){ t + early, { 0, early } };
}

static double line_when(double f, const double bend[static 2])
{
	return f - exp(bend[1]);
}

/* bend[0]: log of the power. */
static void power_at(double t, const double bend[static 2], struct shape *ret)
{
	double early = exp(bend[1]), b = exp(bend[0]);
	double x = t + early, way = b * log(x), f = exp(way);

	*ret = (struct shape){ f, { f * way, f * b / x * early } };
}

static double power_when(double f, const double bend[static 2])
{
	return pow(f, exp(-bend[0])) - exp(bend[1]);
}

/* bend[0]: e-folds an age; below 0 it slows down. */
static void fold_at(double t, const double bend[static 2], struct shape *ret)
{
	double early = exp(bend[1]), k = bend[0], x = t + early;
	double grown = expm1(k * x), f;

	if (fabs(k) < STRAIGHT) {
		*ret = (struct shape){ x, { x * x / 2, early } };
		return;
	}
	f = grown / k;
	*ret = (struct shape){ f, { (x * (grown + 1) - f) / k,
				    (grown + 1) * early } };
}

static double fold_when(double f, const double bend[static 2])
{
	double k = bend[0], x = f;

	if (fabs(k) >= STRAIGHT)
		x = 1 + k * f > 0 ? log1p(k * f) / k : INFINITY;
	return x - exp(bend[1]);
}

/* bend[0]: log of the middle's time; bend[1]: log of its e-folds until then. */
static void sigmoid_at(double t, const double bend[static 2],
		       struct shape *ret)
{
	double ratio = t * exp(-bend[0]), folds = exp(bend[1]);
	double f = 1 / (1 + exp(folds - folds * ratio));
	double f0 = 1 / (1 + exp(folds));
	double rate = folds * f * (1 - f);

	*ret = (struct shape){ f - f0, { -rate * ratio, rate * (ratio - 1) +
					 folds * f0 * (1 - f0) } };
}

static double sigmoid_when(double f, const double bend[static 2])
{
	double folds = exp(bend[1]), share = f + 1 / (1 + exp(folds));

	if (share >= 1)
		return INFINITY;
	return exp(bend[0]) * (1 + log(share / (1 - share)) / folds);
}

/* Growth that has ended, for good or to go on later: it has no date. bend[0]:
 * log of the time since; bend[1]: log of the power until then.
 */
static void ended_at(double t, const double bend[static 2], struct shape *ret)
{
	double since = exp(bend[0]), b = exp(bend[1]);
	double x = fmax(fmin(t, 1 - since), 0) + BEFORE;
	double way = b * log(x), f = exp(way);
	bool over = t > 1 - since && since < 1;

	*ret = (struct shape){ f, { over ? -f * b / x * since : 0, f * way } };
}

static double ended_when(double f, const double bend[static 2])
{
	double t = pow(f, exp(-bend[1])) - BEFORE;

	return t < 1 - exp(bend[0]) ? t : INFINITY;
}

/* Growth that began after a flat time; its value now is 1. bend[0]: log of the
 * time since; bend[1]: log of the power.
 */
static void late_at(double t, const double bend[static 2], struct shape *ret)
{
	double since = exp(bend[0]), b = exp(bend[1]);
	double x = 1 + (t - 1) / since, f;

	*ret = (struct shape){ .f = 0 };
	if (x <= 0)
		return;
	f = pow(x, b);
	*ret = (struct shape){ f, { f * b / x * (1 - t) / since,
				    f * b * log(x) } };
}

static double late_when(double f, const double bend[static 2])
{
	return 1 + exp(bend[0]) * (pow(f, exp(-bend[1])) - 1);
}

/* Priors, chosen wide: the onset a fiftieth of the age before the first point,
 * by e^2; powers of 0.5 to 3; the exponential both ways; the sigmoid's middle
 * near now, after 2 to 6 e-folds, from two starts.
 */
#define ONSET { -3.9, 2.0 }
#define MIDDLE { { 0.1, 0.6 }, { 1.3, 0.5 } }
#define ENDED { { -1.4, 0.7 }, { 0.2, 0.5 } }
#define LATE { { -0.7, 0.5 }, { 0.2, 0.3 } }
#define LINE_ON(scale, weight) \
	{ line_at, line_when, scale, weight, { { 0, 1 }, ONSET }, 0 }
#define BENT_ON(scale) \
	{ power_at, power_when, scale, 1, { { 0.2, 0.5 }, ONSET }, 0.1 }, \
	{ fold_at, fold_when, scale, 2, { { 0.3, 2.5 }, ONSET }, 0.1 }, \
	{ sigmoid_at, sigmoid_when, scale, 0.25, MIDDLE, -0.2 }, \
	{ sigmoid_at, sigmoid_when, scale, 0.25, MIDDLE, 0.4 }, \
	{ ended_at, ended_when, scale, 0.5, ENDED, -1.4 }, \
	{ late_at, late_when, scale, 0.25, LATE, -0.4 }, \
	{ late_at, late_when, scale, 0.25, LATE, -1.2 }

static const struct growth_law laws[] = {
	LINE_ON(GROWTH_DECADES, 1), BENT_ON(GROWTH_DECADES),
	LINE_ON(GROWTH_EYE_DB, 1), BENT_ON(GROWTH_EYE_DB),
	LINE_ON(GROWTH_EYE_NOISE, 0.3),
};

const unsigned growth_law_count = sizeof(laws) / sizeof(laws[0]);

/* Weighted sums over the points: f the shape, b by its bends, y the data. */
struct sums {
	double ff, fy, yy, fb[2], yb[2], bb[3];
};

static void sums_take(const struct growth *g, const struct growth_law *law,
		      const double bend[static 2], struct sums *ret)
{
	const struct growth_seen *seen = &g->seen[law->scale];
	struct shape s;

	memset(ret, 0, sizeof(*ret));
	for (unsigned i = 0; i < g->n; i++) {
		double w = seen->weight[i], y = seen->y[i];

		law->at(g->t[i], bend, &s);
		ret->ff += w * s.f * s.f;
		ret->fy += w * s.f * y;
		ret->yy += w * y * y;
		for (unsigned k = 0; k < 2; k++) {
			ret->fb[k] += w * s.f * s.by[k];
			ret->yb[k] += w * y * s.by[k];
			ret->bb[k] += w * s.by[0] * s.by[k];
		}
		ret->bb[2] += w * s.by[1] * s.by[1];
	}
}

/* The law with that bend, and the gradient; the size has a closed form.
 * Returns the cost, in squared deviations.
 */
static double fit_look(const struct growth *g, const double bend[static 2],
		       struct growth_fit *f, double ret_right[static 2])
{
	const struct growth_law *law = f->law;
	struct sums s;

	sums_take(g, law, bend, &s);
	f->size = s.fy / s.ff;
	f->rss = fmax(s.yy - f->size * s.fy, 0);
	f->square = s.ff;
	f->doubt = 0;
	f->told[1] = f->size * f->size * (s.bb[1] - s.fb[0] * s.fb[1] / s.ff);
	for (unsigned k = 0; k < 2; k++) {
		double sd = law->bend[k].sd;
		double off = (bend[k] - law->bend[k].mean) / sd;

		f->bend[k] = bend[k];
		f->doubt += off * off;
		f->size_moves[k] = -f->size * s.fb[k] / s.ff;
		f->told[2 * k] = f->size * f->size *
				 (s.bb[2 * k] - s.fb[k] * s.fb[k] / s.ff);
		ret_right[k] = f->size / g->noise *
			       (s.yb[k] - f->size * s.fb[k]) - off / sd;
	}
	return f->rss / g->noise + f->doubt;
}

/* Covariance of the two bends, from the data and the prior. */
static bool covariance(const struct growth_fit *f, double noise,
		       double damping, double ret[static 3])
{
	double sd0 = f->law->bend[0].sd, sd1 = f->law->bend[1].sd;
	double a = (f->told[0] / noise + 1 / (sd0 * sd0)) * (1 + damping);
	double d = (f->told[2] / noise + 1 / (sd1 * sd1)) * (1 + damping);
	double b = f->told[1] / noise, det = a * d - b * b;

	if (!(det > 0))
		return false;
	ret[0] = d / det;
	ret[1] = -b / det;
	ret[2] = a / det;
	return true;
}

static double at_most(double x, double most)
{
	return fmin(fmax(x, -most), most);
}

/* Gauss-Newton, with the damping of Levenberg-Marquardt. */
bool growth_fit(const struct growth *g, unsigned law, struct growth_fit *ret)
{
	struct growth_fit now = { .law = &laws[law] }, next = now;
	double bend[2] = { now.law->start, now.law->bend[1].mean };
	double damping = DAMPING, gain = INFINITY, cost;
	double right[2], after[2];

	cost = fit_look(g, bend, &now, right);
	for (unsigned i = 0; i < STEPS_MAX && gain > GAIN_LEAST &&
	     damping < DAMPING_MOST; i++) {
		double c[3], then;

		if (!covariance(&now, g->noise, damping, c))
			return false;
		for (unsigned k = 0; k < 2; k++)
			bend[k] = now.bend[k] +
				  at_most(c[k] * right[0] +
					  c[k + 1] * right[1], STEP_MOST);
		then = fit_look(g, bend, &next, after);
		damping *= then < cost ? 0.2 : 10;
		if (!(then < cost))
			continue;
		gain = cost - then;
		cost = then;
		now = next;
		memcpy(right, after, sizeof(right));
	}
	*ret = now;
	return now.size > 0 && growth_doubt(ret, g->noise);
}

bool growth_doubt(struct growth_fit *f, double noise)
{
	f->noise = noise;
	f->of_size = noise / f->square;
	return covariance(f, noise, 0, f->cov);
}

double growth_residual(const struct growth *g, const struct growth_fit *f,
		       unsigned point)
{
	const struct growth_seen *seen = &g->seen[f->law->scale];
	struct shape s;

	f->law->at(g->t[point], f->bend, &s);
	return (seen->y[point] - f->size * s.f) * sqrt(seen->weight[point]);
}

double growth_evidence(const struct growth_fit *f)
{
	double det = f->cov[0] * f->cov[2] - f->cov[1] * f->cov[1];

	return log(f->law->weight) - f->rss / (2 * f->noise) - f->doubt / 2 +
	       log(det * f->of_size) / 2 -
	       log(f->size * f->law->bend[0].sd * f->law->bend[1].sd);
}

static double reaches(const struct growth_law *law, double size,
		      const double bend[static 2], double goal)
{
	return size > 0 ? law->when(fmax(goal, 0) / size, bend) : INFINITY;
}

/* Varies all parameters along the one direction in which the level at the date
 * changes most for the likelihood lost.
 */
void growth_reaches(const struct growth *g, const struct growth_fit *f,
		    struct growth_node ret[static GROWTH_NODES])
{
	double goal = g->seen[f->law->scale].goal, h[2], way[2], sd, sum = 0;
	double best = reaches(f->law, f->size, f->bend, goal);
	struct shape s;

	f->law->at(fmin(fmax(best, LOOK_LEAST), LOOK_MOST), f->bend, &s);
	for (unsigned k = 0; k < 2; k++)
		h[k] = f->size * s.by[k] + f->size_moves[k] * s.f;
	for (unsigned k = 0; k < 2; k++)
		way[k] = f->cov[k] * h[0] + f->cov[k + 1] * h[1];
	sd = sqrt(s.f * s.f * f->of_size + h[0] * way[0] + h[1] * way[1]);
	for (unsigned i = 0; i < GROWTH_NODES; i++) {
		int step = (int)i - GROWTH_NODES / 2;
		double z = step * NODE_STEP;
		double much = z / sd;
		double bend[2] = { f->bend[0] + much * way[0],
				   f->bend[1] + much * way[1] };
		double size = f->size + much * (s.f * f->of_size +
						f->size_moves[0] * way[0] +
						f->size_moves[1] * way[1]);

		ret[i].t = reaches(f->law, size, bend, goal);
		sum += ret[i].weight = exp(-z * z / 2);
	}
	for (unsigned i = 0; i < GROWTH_NODES; i++)
		ret[i].weight /= sum;
}
