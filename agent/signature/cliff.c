#include "agent/signature/cliff.h"

#include <math.h>
#include <string.h>

#include "agent/signature/kept.h"

#define POINTS_MIN 6
#define FORESEE_MAX_S (10 * 365 * 86400.0)
#define PLAUSIBLE 0.02		/* weight that a law must have to speak */
#define SPREAD 0.10		/* of what remains; no law is exact */
#define SPREAD_FAR 0.25		/* … and more as far off as the growth is old */
#define FAR_MAX 3.0
#define RUNAWAY 30.0		/* of the eye's nepers */
#define N_MIN 5
#define EXCESS_MIN 0.03		/* decades; less is noise to a power law */
#define RATE_STEP 0.02

void course_start(struct course *c, struct mono t, int64_t slot_ns)
{
	memset(c, 0, sizeof(*c));
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
	int64_t slot = mono_diff_ns(t, c->start) / c->slot_ns;

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

/* What laws need to know of the port. */
struct ground {
	bool pam4;
	double normal;		/* log10 BER before the growth */
};

/* A law turns log10 BER into what should be linear in time, and back. */
struct law {
	double (*to)(double log_ber, const struct ground *g);
	double (*back)(double x, const struct ground *g);
};

static double decades_to(double log_ber, const struct ground *g)
{
	(void)g;	/* the same everywhere */
	return log_ber;
}

static double light_to(double log_ber, const struct ground *g)
{
	return -10 * fec_log10(fec_q(log_ber, g->pam4));
}

static double light_back(double x, const struct ground *g)
{
	return fec_log_ber_of_q(fec_exp10(-x / 10), g->pam4);
}

static double noise_to(double log_ber, const struct ground *g)
{
	double q = fec_q(log_ber, g->pam4);

	return 1 / (q * q);
}

static double noise_back(double x, const struct ground *g)
{
	return fec_log_ber_of_q(x > 0 ? 1 / sqrt(x) : 1e3, g->pam4);
}

/* Growth that gathers speed: decades above normal as a power of time. */
static double faster_to(double log_ber, const struct ground *g)
{
	double root = cbrt(fmax(log_ber - g->normal, 0));

	return root * root;
}

static double faster_back(double x, const struct ground *g)
{
	return g->normal + pow(fmax(x, 0), 1.5);
}

static double square_to(double log_ber, const struct ground *g)
{
	return sqrt(fmax(log_ber - g->normal, 0));
}

static double square_back(double x, const struct ground *g)
{
	return g->normal + fmax(x, 0) * fmax(x, 0);
}

/* Growth that tires: decades as a root of time. */
static double slower_to(double log_ber, const struct ground *g)
{
	double x = fmax(log_ber - g->normal, 0);

	return x * sqrt(x);
}

static double slower_back(double x, const struct ground *g)
{
	double root = cbrt(fmax(x, 0));

	return g->normal + root * root;
}

/* Decibels of the eye that gather speed by themselves: e-fold over its way. */
static double runaway_to(double log_ber, const struct ground *g)
{
	double y = fmax(log_ber, g->normal);

	return log1p(RUNAWAY * log(fec_q(g->normal, g->pam4) /
				   fec_q(y, g->pam4)));
}

static double runaway_back(double x, const struct ground *g)
{
	return fec_log_ber_of_q(fec_q(g->normal, g->pam4) *
				exp(-expm1(fmax(x, 0)) / RUNAWAY), g->pam4);
}

static const struct law laws[] = {
	{ decades_to, decades_to }, { light_to, light_back },
	{ noise_to, noise_back }, { faster_to, faster_back },
	{ square_to, square_back }, { slower_to, slower_back },
	{ runaway_to, runaway_back },
};
#define LAWS (sizeof(laws) / sizeof(laws[0]))

/* How fast a law moves with log10 BER there: what noise becomes under it. */
static double law_rate(const struct law *law, double log_ber,
		       const struct ground *g)
{
	double y = fmax(log_ber, g->normal + EXCESS_MIN);

	return (law->to(y + RATE_STEP, g) - law->to(y - RATE_STEP, g)) /
	       (2 * RATE_STEP);
}

/* A straight line through weighted points, and how far it can be trusted. */
struct line {
	double n, tm, gm, slope, sxx, sd, n_eff;
	double rss;		/* in decades, to compare laws */
};

struct curve {
	unsigned n;
	double t[COURSE_SLOTS], y[COURSE_SLOTS];
	double g[COURSE_SLOTS], w[COURSE_SLOTS];	/* under a law */
};

static void curve_of(const struct course *c, struct curve *ret)
{
	ret->n = 0;
	for (unsigned i = 0; i < c->used; i++) {
		if (c->count[i] == 0)
			continue;
		ret->t[ret->n] = (i + 0.5) * (double)c->slot_ns / 1e9;
		ret->y[ret->n++] = c->mean[i];
	}
}

/* The points as a law sees them; weights sum to one. */
static void curve_bend(struct curve *p, const struct law *law,
		       const struct ground *g)
{
	double sum = 0;

	for (unsigned i = 0; i < p->n; i++) {
		double rate = law_rate(law, p->y[i], g);

		p->g[i] = law->to(p->y[i], g);
		p->w[i] = 1 / fmax(rate * rate, 1e-12);
		sum += p->w[i];
	}
	for (unsigned i = 0; i < p->n; i++)
		p->w[i] /= sum;
}

static void line_through(const struct curve *p, struct line *ret)
{
	double sxy = 0, ww = 0;

	memset(ret, 0, sizeof(*ret));
	for (unsigned i = 0; i < p->n; i++) {
		ret->tm += p->w[i] * p->t[i];
		ret->gm += p->w[i] * p->g[i];
		ww += p->w[i] * p->w[i];
	}
	ret->n = 1 / ww;	/* as many equal points (Kish) */
	for (unsigned i = 0; i < p->n; i++) {
		double dt = p->t[i] - ret->tm;

		ret->sxx += p->w[i] * dt * dt;
		sxy += p->w[i] * dt * (p->g[i] - ret->gm);
	}
	ret->slope = sxy / ret->sxx;
}

/* Spread about the line, and how many independent points that is. */
static void line_trust(const struct curve *p, const struct law *law,
		       const struct ground *g, struct line *l)
{
	double ss = 0, all = 0, lag = 0, before = 0, rho;

	for (unsigned i = 0; i < p->n; i++) {
		double fit = l->gm + l->slope * (p->t[i] - l->tm);
		double r = p->g[i] - fit, y = p->y[i] - law->back(fit, g);

		ss += p->w[i] * r * r;
		all += y * y;
		lag += y * before;
		before = y;
	}
	rho = all > 0 ? fmin(fmax(lag / all, 0), 0.9) : 0;
	l->rss = all;
	l->n_eff = fmax(l->n * (1 - rho) / (1 + rho), 3);
	l->sd = sqrt(ss * l->n / fmax(l->n - 2, 1));
}

/* Student's t, 90 % two-sided. */
static double student(double freedom)
{
	static const double t[] = { 6.31, 6.31, 2.92, 2.35, 2.13, 2.02, 1.94,
				    1.89, 1.86, 1.83, 1.81 };

	if (freedom <= 10)
		return t[freedom < 1 ? 1 : (int)freedom];
	return 1.645 + 1.6 / freedom;
}

/* Fieller's interval of the time where the line meets g: the roots of
 * |gm + slope u - g| = t sd sqrt(1/n + u^2/sxx), u from the points' middle.
 */
static bool line_meets(const struct line *l, double g, double now,
		       double ret[static 3])
{
	double t = student(l->n_eff - 2) * l->sd, gap = l->gm - g;
	double sxx = l->sxx * l->n_eff;
	double a = l->slope * l->slope - t * t / sxx;
	double b = l->slope * gap, c = gap * gap - t * t / l->n_eff, root;

	if (a <= 0 || l->slope <= 0)
		return false;
	root = sqrt(fmax(b * b - a * c, 0));
	ret[0] = (-b - root) / a + l->tm - now;
	ret[1] = -gap / l->slope + l->tm - now;
	ret[2] = (-b + root) / a + l->tm - now;
	return true;
}

/* One law's answer. */
struct vote {
	bool foreseeable;
	double s[3];		/* low, mid, high */
	double rss, n_eff;
};

static void law_ask(const struct law *law, const struct ground *g,
		    double cliff, double now, struct curve *p,
		    struct vote *ret)
{
	struct line l;

	curve_bend(p, law, g);
	line_through(p, &l);
	line_trust(p, law, g, &l);
	ret->foreseeable = line_meets(&l, law->to(cliff, g), now, ret->s);
	ret->rss = l.rss + 1e-6;
	ret->n_eff = l.n_eff;
}

/* Weights by how well a law fits against the best. */
static double vote_weight(const struct vote *v, const struct vote *best)
{
	if (!v->foreseeable)
		return 0;
	return pow(best->rss / v->rss, fmax(best->n_eff, N_MIN) / 2);
}

static bool votes_count(const struct vote *v, double age_s,
			double ret[static 3])
{
	const struct vote *best = NULL;
	double weight = 0, mid = 0, low = INFINITY, high = 0, far;

	for (unsigned i = 0; i < LAWS; i++)
		if (v[i].foreseeable && (!best || v[i].rss < best->rss))
			best = &v[i];
	for (unsigned i = 0; best && i < LAWS; i++) {
		double w = vote_weight(&v[i], best);

		if (!v[i].foreseeable)
			continue;
		weight += w;
		mid += w * v[i].s[1];
		if (w < PLAUSIBLE)
			continue;
		low = fmin(low, v[i].s[0]);
		high = fmax(high, v[i].s[2]);
	}
	if (!best)
		return false;
	ret[1] = mid / weight;
	far = 1 + SPREAD + SPREAD_FAR * fmin(fmax(ret[1] / age_s, 0), FAR_MAX);
	ret[0] = fmin(low, ret[1]) / far;
	ret[2] = fmax(high, ret[1]) * far;
	return true;
}

/* From the first quarter to the last, of straight growth. */
static double rise_of(const struct curve *p)
{
	unsigned n = p->n / 4 ? p->n / 4 : 1;
	double rise = 0;

	for (unsigned i = 0; i < n; i++)
		rise += (p->y[p->n - 1 - i] - p->y[i]) / n;
	return rise * 4 / 3;
}

static int64_t whole_s(double s)
{
	return s > 0 ? (int64_t)s : 0;
}

void course_cliff(const struct course *c, const struct fec_code *code,
		  struct mono now, double normal, double least_rise,
		  struct cliff *ret)
{
	struct ground ground = { code->pam4, normal };
	struct vote votes[LAWS];
	struct curve p;
	double s[3], age_s = (double)mono_diff_ns(now, c->start) / 1e9;

	*ret = (struct cliff){ .foreseeable = false };
	curve_of(c, &p);
	if (p.n < POINTS_MIN || rise_of(&p) < least_rise)
		return;
	for (unsigned i = 0; i < LAWS; i++)
		law_ask(&laws[i], &ground, code->cliff_log_ber,
			age_s, &p, &votes[i]);
	if (!votes_count(votes, age_s, s) || s[1] > FORESEE_MAX_S)
		return;
	ret->foreseeable = true;
	ret->low_s = whole_s(s[0]);
	ret->mid_s = whole_s(s[1]);
	ret->high_s = s[2] > FORESEE_MAX_S ? FINDING_NO_UPPER_BOUND
					   : whole_s(s[2]);
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
