/* How well the time to the cliff is foretold, beside an oracle that knows the
 * law's family:
 *
 *   cliff_trials [TRIALS [SEED]]
 *
 * Errors grow from a healthy level by a law that cliff.c is not told, seen in
 * windows with noise that has a memory, and are judged once, at a share of the
 * life drawn between a quarter and nine tenths. The oracle fits the same
 * windows with the true family, of which it knows neither speed nor bend, and
 * the true onset. Exit status 1 when a goal is missed.
 *
 * What it knows and no course shows: that a sigmoid's middle is at 0.6 of the
 * life and its top just above the cliff. Before the middle a sigmoid is an
 * exponential or a power to within the noise, and the error is ten times the
 * oracle's; the other six laws together are within 1.5 ("but sigmoid"). To give
 * no date where none has an end brings all of them to 1.5, and leaves 77 of 100
 * answered, and half of the powers without a date.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/signature/cliff.h"
#include "platform/sim/draw.h"

#define WINDOWS_MAX 2000
#define NOISE_MEMORY 0.8
#define RISE_LEAST 0.15
#define WIDTH_ANSWERS 3.0	/* the oracle's high over low, to count */
#define SPEEDS 240
#define BENDS 9

/* Growth as a share of the way to the cliff: 0 at 0, 1 at 1. */
struct family {
	const char *name;
	bool of_eye;		/* decibels of the eye, not decades */
	double low, high;	/* of its bend */
	double (*share)(double x, double bend);
};

static double straight(double x, double bend)
{
	(void)bend;	/* it has none */
	return x;
}

static double powered(double x, double bend)
{
	return pow(fmax(x, 0), bend);
}

static double exponential(double x, double bend)
{
	return expm1(bend * fmin(x, 4)) / expm1(bend);
}

static double saturating(double x, double bend)
{
	return -expm1(-bend * x) / -expm1(-bend);
}

static double sigmoid(double x, double bend)
{
	double low = 1 / (1 + exp(bend * 0.6)), at = bend * (x - 0.6);

	return (1 / (1 + exp(-at)) - low) /
	       (1 / (1 + exp(-bend * 0.4)) - low);
}

static const struct family families[] = {
	{ "decades", false, 1, 1, straight },
	{ "decibels", true, 1, 1, straight },
	{ "power", false, 1.3, 2.5, powered },
	{ "root", false, 0.5, 0.8, powered },
	{ "exponential", true, 1, 4, exponential },
	{ "saturating", true, 0.5, 2, saturating },
	{ "sigmoid", true, 3, 7, sigmoid },
};
#define FAMILIES (sizeof(families) / sizeof(families[0]))

struct trial {
	const struct family *family;
	const struct fec_code *code;
	double normal, bend, life_s, window_s, at_s, sd, ends;
	unsigned n;
	double y[WINDOWS_MAX];
};

static double level_at(const struct trial *t, const struct family *f,
		       double x, double bend)
{
	double way = f->share(fmax(x, 0), bend), q0, q1;

	if (!f->of_eye)
		return t->normal + way * ((double)t->code->cliff_log_ber -
					  t->normal);
	q0 = log(fec_q(t->normal, t->code->pam4));
	q1 = log(fec_q((double)t->code->cliff_log_ber, t->code->pam4));
	return fec_log_ber_of_q(exp(q0 + way * (q1 - q0)), t->code->pam4);
}

static void trial_draw(struct trial *t, const struct family *f,
		       struct draw *d)
{
	double slow = 0, keep = sqrt(1 - NOISE_MEMORY * NOISE_MEMORY);

	t->family = f;
	t->code = fec_code_find(draw_u64(d) % 4 ? FEC_RS544 : FEC_RS528);
	t->normal = draw_between(d, -8, -6);
	t->bend = draw_between(d, f->low, f->high);
	t->window_s = draw_u64(d) % 2 ? 10 : 60;
	t->life_s = t->window_s * exp(draw_between(d, log(60), log(2000)));
	t->at_s = t->life_s * draw_between(d, 0.25, 0.9);
	t->sd = draw_between(d, 0.02, 0.06);
	t->n = 0;
	for (double s = t->window_s; s <= t->at_s && t->n < WINDOWS_MAX;
	     s += t->window_s) {
		double x = fmin(s / t->life_s, t->ends);

		slow = NOISE_MEMORY * slow + keep * draw_normal(d);
		t->y[t->n++] = level_at(t, f, x, t->bend) +
			       t->sd * (slow + draw_normal(d)) * M_SQRT1_2;
	}
}

/* As fec_trend.c does it: from where the growth stands out of the noise. */
static void trial_ask(const struct trial *t, struct cliff *ret)
{
	struct course c = { 0 };
	unsigned from = 0;

	while (from < t->n && t->y[from] < t->normal + 1.5 * t->sd)
		from++;
	from = from > 2 ? from - 2 : 0;
	course_start(&c, (struct mono){ (int64_t)(from * t->window_s * 1e9) },
		     (int64_t)(t->window_s * 1e9));
	for (unsigned i = from; i < t->n; i++)
		course_take(&c, t->y[i], (struct mono){
			    (int64_t)((i + 0.5) * t->window_s * 1e9) });
	course_cliff(&c, t->code,
		     (struct mono){ (int64_t)(t->at_s * 1e9) }, t->normal,
		     fmax(RISE_LEAST, 2 * t->sd), ret);
}

/* Chance of each life from the windows, by a grid of lives and bends. */
static bool oracle_ask(const struct trial *t, double ret[static 3])
{
	static const double part[3] = { 0.05, 0.5, 0.95 };
	double weight[SPEEDS] = { 0 }, chi[SPEEDS][BENDS], least = INFINITY;
	double life[SPEEDS], sum = 0, below = 0;
	double inflate = (1 + NOISE_MEMORY) / (1 - NOISE_MEMORY) / 2 + 0.5;
	unsigned step = t->n / 150 + 1, next = 0;

	for (unsigned i = 0; i < SPEEDS; i++) {
		life[i] = t->at_s * exp(log(0.9) + i * log(40.0) / SPEEDS);
		for (unsigned k = 0; k < BENDS; k++) {
			double span = t->family->high - t->family->low;
			double bend = t->family->low + span * k / (BENDS - 1);

			chi[i][k] = 0;
			for (unsigned j = 0; j < t->n; j += step) {
				double r = t->y[j] - level_at(t, t->family,
					(j + 1) * t->window_s / life[i], bend);

				chi[i][k] += step * r * r;
			}
			chi[i][k] /= t->sd * t->sd * inflate;
			least = fmin(least, chi[i][k]);
		}
	}
	for (unsigned i = 0; i < SPEEDS; i++) {
		for (unsigned k = 0; k < BENDS; k++)
			weight[i] += exp((least - chi[i][k]) / 2);
		sum += weight[i];
	}
	for (unsigned i = 0; i < SPEEDS && next < 3; i++) {
		below += weight[i];
		while (next < 3 && below >= part[next] * sum)
			ret[next++] = life[i] - t->at_s;
	}
	return ret[0] > 0 && ret[2] <= WIDTH_ANSWERS * ret[0];
}

#define ROWS 20000
struct score {
	unsigned n, covered, below, could, answered;
	double width[ROWS], error[ROWS], oracle[ROWS];
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *x, unsigned n)
{
	qsort(x, n, sizeof(*x), compare);
	return n ? x[n / 2] : NAN;
}

static void score_take(struct score *s, const struct trial *t)
{
	double left = t->life_s - t->at_s, o[3] = { 0 };
	bool could = oracle_ask(t, o);
	struct cliff c;

	trial_ask(t, &c);
	s->could += could;
	if (!c.foreseeable)
		return;
	s->answered += could;
	s->below += (double)c.low_s > left;
	s->covered += (double)c.low_s <= left &&
		      (c.high_s == FINDING_NO_UPPER_BOUND ||
		       left <= (double)c.high_s + 1);
	s->width[s->n] = c.high_s == FINDING_NO_UPPER_BOUND ? 1e9 :
			 (double)c.high_s / fmax((double)c.low_s, 1);
	s->error[s->n] = fabs((double)c.mid_s - left) / left;
	s->oracle[s->n++] = fabs(o[1] - left) / left;
}

static void score_add(struct score *to, const struct score *s)
{
	memcpy(to->width + to->n, s->width, s->n * sizeof(double));
	memcpy(to->error + to->n, s->error, s->n * sizeof(double));
	memcpy(to->oracle + to->n, s->oracle, s->n * sizeof(double));
	to->n += s->n;
	to->covered += s->covered;
	to->below += s->below;
	to->could += s->could;
	to->answered += s->answered;
}

static bool score_print(const char *name, struct score *s)
{
	double n = s->n, width = median(s->width, s->n);
	double error = median(s->error, s->n);
	double oracle = median(s->oracle, s->n);
	double covered = s->covered / n;
	double answered = (double)s->answered / s->could;

	printf("%-12s %6u %8.3f %8.3f %8.2f %7.3f %7.3f %6.2f %9.3f\n", name,
	       s->n, covered, s->below / n, width, error, oracle,
	       error / oracle, answered);
	return covered >= 0.85 && covered <= 0.95 && width <= 4 &&
	       error <= 1.5 * oracle && answered >= 0.8;
}

/* Growth that ends on its way: how many were told a date all the same. */
static void never_print(uint64_t trials, struct draw *d)
{
	static struct trial t;
	unsigned told = 0, soon = 0;

	for (uint64_t i = 0; i < trials; i++) {
		struct cliff c;

		t.ends = draw_between(d, 0.2, 0.7);
		trial_draw(&t, &families[i % FAMILIES], d);
		trial_ask(&t, &c);
		told += c.foreseeable;
		soon += c.foreseeable && c.high_s != FINDING_NO_UPPER_BOUND;
	}
	printf("of %llu that stop on the way %u were given a date, %u of them "
	       "with an end\n", (unsigned long long)trials, told, soon);
}

int main(int argc, char **argv)
{
	static struct score of, all, others;
	static struct trial t;
	uint64_t trials = 300, seed = 1;
	struct draw d;
	bool good;

	if ((argc > 1 && number_parse(argv[1], 1, 2500, &trials) < 0) ||
	    (argc > 2 && number_parse(argv[2], 0, UINT64_MAX, &seed) < 0))
		return 64;
	printf("seed %llu\n%-12s %6s %8s %8s %8s %7s %7s %6s %9s\n",
	       (unsigned long long)seed, "law", "n", "covered", "early",
	       "high/low", "error", "oracle", "ratio", "answered");
	draw_init(&d, seed);
	for (size_t f = 0; f < FAMILIES; f++) {
		memset(&of, 0, sizeof(of));
		for (uint64_t i = 0; i < trials; i++) {
			t.ends = INFINITY;
			trial_draw(&t, &families[f], &d);
			score_take(&of, &t);
		}
		score_add(&all, &of);
		if (families[f].share != sigmoid)
			score_add(&others, &of);
		(void)score_print(families[f].name, &of);
	}
	(void)score_print("but sigmoid", &others);
	good = score_print("all", &all);
	never_print(trials * FAMILIES, &d);
	printf("%s\n", good ? "goals reached" : "goals missed");
	return !good;
}
