#include "tests/judge/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/judge/peers.h"

#define NS 1e-9
#define STRETCHES 41		/* of time, from a quarter to four times */
#define STRETCH_MOST 4.0
#define HEIGHTS 9
#define HEIGHT_LEAST 0.1
#define HEIGHT_MOST 10.0
#define BEFORE_MAX 32		/* slots before the onset */
#define MODEL_VARIANCE 0.0025	/* (0.05 decade)^2 */
#define COUNT_VARIANCE 0.189	/* (1/ln 10)^2 for one error */
#define LEVEL_VARIANCE 0.0025	/* of the level before, a prior */
#define WIDTH_FORESEEN 3.0	/* high over low */
#define LINE_RATIO 1.0625

void oracle_start(struct oracle *o, int64_t length_ns)
{
	memset(o, 0, sizeof(*o));
	o->slot_ns = length_ns / ORACLE_SLOTS + 1;
	for (unsigned i = 0; i < WORLD_PORTS_MAX; i++) {
		o->port[i].slot = -1;
		for (unsigned k = 0; k < ORACLE_SLOTS; k++)
			o->port[i].truth[k] = NAN;
	}
}

static void count_take(struct oracle_port *p, const struct world_port *port,
		       const struct world_reading *r)
{
	double dt_s = (double)(r->t_ns - p->t_ns) * NS;

	if (p->started && dt_s > 0 && dt_s < 600 && r->oper_up &&
	    r->fec_corrected_bits >= p->counter) {
		p->errors[p->slot] += (float)(r->fec_corrected_bits -
					      p->counter);
		p->bits[p->slot] += (float)(dt_s * LINE_RATIO * 1e6 *
					    (double)port->speed_mbps);
	}
	p->started = true;
	p->counter = r->fec_corrected_bits;
	p->t_ns = r->t_ns;
}

bool oracle_take(struct oracle *o, unsigned port, const struct world_port *p,
		 const struct world_reading *r, int64_t now_ns)
{
	struct oracle_port *mine = &o->port[port];
	int slot = (int)(now_ns / o->slot_ns);
	bool is_new = slot != mine->slot && slot < ORACLE_SLOTS;

	if (slot >= ORACLE_SLOTS)
		return false;
	mine->slot = slot;
	if (r->has_counters && !p->coherent)
		count_take(mine, p, r);
	if (p->coherent && r->has_dom && r->ber > 0) {
		mine->gauge[slot] += (float)log10(r->ber);
		mine->gauges[slot]++;
	}
	return is_new;
}

void oracle_truth(struct oracle *o, unsigned port, double log_ber)
{
	struct oracle_port *mine = &o->port[port];

	if (mine->slot >= 0)
		mine->truth[mine->slot] = (float)log_ber;
}

/* --- the family ---------------------------------------------------------- */

struct course {
	unsigned n;			/* slots from the onset on */
	double rise[ORACLE_SLOTS];	/* true decades above the level before,
					 * never falling */
	double goal;			/* decades at the cliff */
	double slot_s;
	/* Seen: decades above the level before; variance 0: nothing. */
	unsigned seen;
	double y[ORACLE_SLOTS], variance[ORACLE_SLOTS];
};

/* log10 of the counted bit error ratio of a slot, with its variance. */
static bool slot_seen(const struct oracle_port *p, unsigned i, double *y,
		      double *variance)
{
	if (p->gauges[i]) {
		*y = (double)(p->gauge[i] / (float)p->gauges[i]);
		*variance = MODEL_VARIANCE;
		return true;
	}
	if (!(p->bits[i] > 0))
		return false;
	*y = log10(((double)p->errors[i] + 0.5) / (double)p->bits[i]);
	*variance = MODEL_VARIANCE +
		    COUNT_VARIANCE / ((double)p->errors[i] + 0.5);
	return true;
}

/* Pools neighbours that fall until none does: the nearest course that grows. */
static void grow_only(double *y, unsigned n)
{
	double mean[ORACLE_SLOTS];
	unsigned count[ORACLE_SLOTS], blocks = 0, at = 0;

	for (unsigned i = 0; i < n; i++) {
		mean[blocks] = y[i];
		count[blocks++] = 1;
		while (blocks > 1 && mean[blocks - 2] > mean[blocks - 1]) {
			unsigned both = count[blocks - 2] + count[blocks - 1];

			mean[blocks - 2] = (mean[blocks - 2] *
					    count[blocks - 2] +
					    mean[blocks - 1] *
					    count[blocks - 1]) / both;
			count[--blocks - 1] = both;
		}
	}
	for (unsigned b = 0; b < blocks; b++)
		for (unsigned k = 0; k < count[b]; k++)
			y[at++] = mean[b];
}

/* Mean level before the onset, true and seen; false: there was none. */
static bool level_before(const struct oracle_port *p, unsigned onset,
			 double *ret_true, double *ret_seen)
{
	unsigned from = onset > BEFORE_MAX ? onset - BEFORE_MAX : 0;
	double sum = 0, n = 0, seen = 0, weight = 0, y, variance;

	for (unsigned i = from; i < onset; i++) {
		if (!isnan(p->truth[i])) {
			sum += (double)p->truth[i];
			n++;
		}
		if (slot_seen(p, i, &y, &variance)) {
			seen += y / variance;
			weight += 1 / variance;
		}
	}
	if (!(n > 0) || !(weight > 0))
		return false;
	*ret_true = sum / n;
	*ret_seen = seen / weight;
	return true;
}

static bool course_make(const struct oracle *o, unsigned port,
			const struct truth *t, int64_t now_ns,
			struct course *c)
{
	const struct oracle_port *p = &o->port[port];
	unsigned onset = (unsigned)(t->onset_ns / o->slot_ns);
	unsigned cliff = (unsigned)(t->cliff_ns / o->slot_ns);
	unsigned now = (unsigned)(now_ns / o->slot_ns);
	double level, seen, last = 0;

	if (cliff >= ORACLE_SLOTS || cliff <= onset + 2 ||
	    !level_before(p, onset, &level, &seen))
		return false;
	c->n = 0;
	c->slot_s = (double)o->slot_ns * NS;
	for (unsigned i = onset; i <= cliff; i++) {
		if (!isnan(p->truth[i]))
			last = fmax(0, (double)p->truth[i] - level);
		c->rise[c->n++] = last;
	}
	c->goal = c->rise[c->n - 1];
	grow_only(c->rise, c->n);
	c->goal = fmin(c->goal, c->rise[c->n - 1]);
	c->seen = 0;
	for (unsigned i = onset; i < now && i - onset < c->n; i++) {
		c->variance[c->seen] = 0;
		if (slot_seen(p, i, &c->y[c->seen], &c->variance[c->seen]))
			c->y[c->seen] -= seen;
		c->seen++;
	}
	return c->goal > 0.1 && c->seen > 2;
}

/* The course at a time in slots, straight on behind its end. */
static double rise_at(const struct course *c, double slots)
{
	unsigned i = (unsigned)slots, back = c->n / 8 + 1;
	double end = c->rise[c->n - 1];

	if (i + 1 < c->n)
		return c->rise[i] + (slots - i) * (c->rise[i + 1] - c->rise[i]);
	return end + (end - c->rise[c->n - 1 - back]) / back *
	       (slots - (c->n - 1));
}

/* Slots until the course, stretched, reaches the goal; INFINITY. */
static double slots_to_goal(const struct course *c, double stretch,
			    double height)
{
	double low = 0, high = 64.0 * ORACLE_SLOTS;

	if (height * rise_at(c, stretch * high) < c->goal)
		return INFINITY;
	for (int i = 0; i < 50; i++) {
		double mid = (low + high) / 2;

		if (height * rise_at(c, stretch * mid) < c->goal)
			low = mid;
		else
			high = mid;
	}
	return high;
}

/* --- the fit ------------------------------------------------------------- */

struct fit {
	double height, height_sd, chi2;
};

/* Weighted least squares of y = level + height * course(stretch * t). */
static struct fit fit_at(const struct course *c, double stretch)
{
	double a = 1 / LEVEL_VARIANCE, b = 0, d = 0, u = 0, v = 0, yy = 0, det;
	struct fit f;

	for (unsigned i = 0; i < c->seen; i++) {
		double h = rise_at(c, stretch * (i + 0.5)), w;

		if (!(c->variance[i] > 0))
			continue;
		w = 1 / c->variance[i];
		a += w;
		b += w * h;
		d += w * h * h;
		u += w * c->y[i];
		v += w * h * c->y[i];
		yy += w * c->y[i] * c->y[i];
	}
	d += 1e-9;
	det = a * d - b * b;
	f.height = (a * v - b * u) / det;
	f.height_sd = sqrt(a / det);
	f.chi2 = yy - u * (u * d - v * b) / det - v * f.height;
	return f;
}

struct weighed {
	double slots, weight;
};

static int compare(const void *a, const void *b)
{
	double x = ((const struct weighed *)a)->slots;
	double y = ((const struct weighed *)b)->slots;

	return (x > y) - (x < y);
}

static double weighed_quantile(const struct weighed *w, unsigned n, double p)
{
	double sum = 0, below = 0;

	for (unsigned i = 0; i < n; i++)
		sum += w[i].weight;
	for (unsigned i = 0; i < n; i++) {
		below += w[i].weight;
		if (below >= p * sum)
			return w[i].slots;
	}
	return INFINITY;
}

static unsigned guesses_make(const struct course *c, struct weighed *ret)
{
	/* Nine parts of a normal distribution of the same weight. */
	static const double part[HEIGHTS] = {
		-1.593, -0.967, -0.589, -0.282, 0, 0.282, 0.589, 0.967, 1.593,
	};
	struct fit fit[STRETCHES];
	double stretch[STRETCHES], least = INFINITY;
	unsigned n = 0;

	for (unsigned i = 0; i < STRETCHES; i++) {
		stretch[i] = pow(STRETCH_MOST,
				 2.0 * i / (STRETCHES - 1) - 1);
		fit[i] = fit_at(c, stretch[i]);
		least = fmin(least, fit[i].chi2);
	}
	for (unsigned i = 0; i < STRETCHES; i++) {
		for (unsigned k = 0; k < HEIGHTS; k++) {
			double h = fit[i].height + part[k] * fit[i].height_sd;

			if (h < HEIGHT_LEAST || h > HEIGHT_MOST)
				continue;
			ret[n].slots = slots_to_goal(c, stretch[i], h);
			ret[n++].weight = exp((least - fit[i].chi2) / 2) *
					  fit[i].height_sd;
		}
	}
	qsort(ret, n, sizeof(*ret), compare);
	return n;
}

bool oracle_guess(const struct oracle *o, unsigned port, const struct truth *t,
		  int64_t now_ns, double *ret_low_s, double *ret_mid_s,
		  double *ret_high_s)
{
	struct weighed w[STRETCHES * HEIGHTS];
	struct course c;
	double passed;
	unsigned n;

	if (!course_make(o, port, t, now_ns, &c))
		return false;
	n = guesses_make(&c, w);
	if (n == 0)
		return false;
	passed = (double)(now_ns - t->onset_ns) * NS;
	*ret_low_s = fmax(0, weighed_quantile(w, n, 0.05) * c.slot_s - passed);
	*ret_mid_s = fmax(0, weighed_quantile(w, n, 0.5) * c.slot_s - passed);
	*ret_high_s = fmax(0, weighed_quantile(w, n, 0.95) * c.slot_s - passed);
	return true;
}

bool oracle_judge(const struct oracle *o, const struct setting *at,
		  const struct world_port *ports, const struct truth *t,
		  int64_t length_ns, struct rows *rows)
{
	int64_t life_ns = t->cliff_ns - t->onset_ns;
	double low, mid, high;
	struct oracle_row *row;
	unsigned port;

	if (t->benign || t->cliff_ns >= length_ns || !t->ports)
		return false;
	port = (unsigned)__builtin_ctzll(t->ports);
	if (!oracle_guess(o, port, t, t->onset_ns + life_ns / 2, &low, &mid,
			  &high))
		return false;
	row = rows_add(rows, ROW_ORACLE);
	row->at = *at;
	rows_word(row->law, t->law ? t->law : "");
	rows_word(row->media, ports[port].media);
	row->signature = (uint8_t)t->signature;
	row->low_s = (float)low;
	row->mid_s = (float)mid;
	row->high_s = (float)high;
	row->left_s = (float)((double)life_ns / 2 * NS);
	row->foreseen_share = NAN;
	for (int tenth = 1; tenth < 10 && isnan(row->foreseen_share); tenth++)
		if (oracle_guess(o, port, t, t->onset_ns + life_ns / 10 * tenth,
				 &low, &mid, &high) &&
		    low > 0 && high / low <= WIDTH_FORESEEN)
			row->foreseen_share = (float)(10 - tenth) / 10;
	return !isnan(row->foreseen_share);
}
