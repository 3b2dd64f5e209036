#include "agent/signature/histogram.h"

#include <math.h>
#include <string.h>

#define OBSERVED_LEAST 10.0	/* codewords lost */
#define FIRST_S 30.0
#define LOOK_S 120.0
#define RANDOM_SHARE 0.3	/* of the loss: random errors determine it */
#define INTERVAL_S 600.0
#define HARMLESS 8e-6		/* bit errors, to any code */
#define NOTHING (-99.0)		/* log10 */
#define Z 1.645			/* 90 %, two-sided */
#define RANDOM_SD 0.02		/* of the symbol ratio: lanes differ */
#define BLIND_SD 0.03		/* where bits alone are known */
#define SYMBOLS_PER_BIT 0.97	/* … and how many symbols they hit */
#define BURST_SHARE 0.05		/* a bin with less is not of bursts */
#define BURSTS_LEAST 1.5	/* codewords, beyond chance */
#define MODEL_SD 0.1	/* of the bin next to the end */
#define MODEL_SD_STEP 0.2	/* … more for each bin farther away */
#define FALL_PRIOR (-0.6)	/* ln of a bin over the one before, at 12 */
#define FALL_PRIOR_SD 0.5
#define FALL_AT 12
#define TAIL_BINS 24u		/* the rest is negligible */
#define TAIL_LEAST 1e-4
#define STEPS 8
#define HALVINGS 24
#define WEIGHT_LEAST 1e-3

/* The 90 % interval about the median: +-1.645 sd in ln. */
static void spread(struct loss_share *s, double ln_sd)
{
	s->low = s->mid - Z * ln_sd / M_LN10;
	s->high = s->mid + Z * ln_sd / M_LN10;
}

/* --- random errors ------------------------------------------------------- */

double histogram_symbol_ratio(const struct fec_counts *c,
			      const struct fec_code *code)
{
	double clean = c->sent - c->lost, q;

	for (unsigned k = 1; k <= code->correctable; k++)
		clean -= c->bin[k];
	if (clean < 1)
		return 0.5;
	q = (c->bin[1] + 0.5) / (code->symbols * clean);
	return q / (1 + q);
}

/* Codewords expected in each bin, with random errors alone. */
static void random_bins(const struct fec_code *code, double sent,
			double symbol_ratio, double ret[PORT_FEC_BINS])
{
	double odds = symbol_ratio / (1 - symbol_ratio);

	ret[0] = sent * exp(code->symbols * log1p(-symbol_ratio));
	for (unsigned k = 1; k < PORT_FEC_BINS; k++)
		ret[k] = ret[k - 1] * odds * (code->symbols - k + 1) / k;
}

/* --- bursts -------------------------------------------------------------- */

/* Bins of bursts, and how they fall towards the end of the code. */
struct tail {
	unsigned first, end;		/* bins; end: first not correctable */
	double seen[PORT_FEC_BINS], random[PORT_FEC_BINS];
	double lost, random_lost;
	double sd[PORT_FEC_BINS];	/* of the model, relative */
};

/* The fit for one v: ln of the bin at the end, and the slope from bin to bin
 * there, with their covariance.
 */
struct tail_fit {
	double v, a, b;
	double info[3], deviance;	/* aa, ab, bb */
	double ln_tail, ln_sd, ln_weight, weight;
};

/* ln of k! */
static const double ln_factorial[PORT_FEC_BINS + TAIL_BINS] = {
	0.0000000, 0.0000000, 0.6931472, 1.7917595, 3.1780538, 4.7874917,
	6.5792512, 8.5251614, 10.6046029, 12.8018275, 15.1044126, 17.5023078,
	19.9872145, 22.5521639, 25.1912212, 27.8992714, 30.6718601, 33.5050735,
	36.3954452, 39.3398842, 42.3356165, 45.3801389, 48.4711814, 51.6066756,
	54.7847294, 58.0036052, 61.2617018, 64.5575386, 67.8897431, 71.2570390,
	74.6582363, 78.0922236, 81.5579595, 85.0544670, 88.5808275, 92.1361756,
	95.7196945, 99.3306125, 102.9681986, 106.6317603, 110.3206397,
};

static double shape(const struct tail *t, double v, unsigned k)
{
	return -v * (ln_factorial[k] - ln_factorial[t->end]);
}

/* ln of the sum of the bins from the end on, divided by the first of them, and
 * their mean distance from it, which is the derivative by b.
 */
static double tail_sum(const struct tail *t, double v, double b, double *ret_d)
{
	double sum = 0, moment = 0;

	for (unsigned i = 0; i < TAIL_BINS; i++) {
		double x = exp(b * i + shape(t, v, t->end + i));

		sum += x;
		moment += i * x;
		if (x < TAIL_LEAST * sum)
			break;
	}
	*ret_d = moment / sum;
	return log(sum);
}

static double deviance(double seen, double mu)
{
	return 2 * ((seen > 0 ? seen * log(seen / mu) : 0) - (seen - mu));
}

/* Adds a bin to the normal equations: mu = random + m, m = exp(a + d b …). */
static void bin_add(struct tail_fit *f, double grad[2], double seen,
		    double random, double m, double d, double sd)
{
	double mu = random + m, w = 1 / (mu * (1 + mu * sd * sd));

	f->info[0] += w * m * m;
	f->info[1] += w * m * m * d;
	f->info[2] += w * m * m * d * d;
	grad[0] += w * m * (seen - mu);
	grad[1] += w * m * d * (seen - mu);
	f->deviance += deviance(seen, mu) / (1 + mu * sd * sd);
}

/* One step of Fisher's scoring. Returns how far it went. */
static double fit_step(const struct tail *t, struct tail_fit *f)
{
	double prior = FALL_PRIOR + f->v * log((FALL_AT + 1.0));
	double weight = 1 / (FALL_PRIOR_SD * FALL_PRIOR_SD);
	double grad[2] = { 0, weight * (prior - f->b) }, d, det, step[2];

	memset(f->info, 0, sizeof(f->info));
	f->info[2] = weight;
	f->deviance = weight * (prior - f->b) * (prior - f->b);
	for (unsigned k = t->first; k < t->end; k++)
		bin_add(f, grad, t->seen[k], t->random[k],
			exp(f->a + f->b * ((double)k - t->end) +
			    shape(t, f->v, k)) + 1e-30,
			(double)k - t->end, t->sd[k]);
	f->ln_tail = f->a + tail_sum(t, f->v, f->b, &d);
	bin_add(f, grad, t->lost, t->random_lost, exp(f->ln_tail) + 1e-30, d,
		MODEL_SD);
	det = f->info[0] * f->info[2] - f->info[1] * f->info[1];
	if (!(det > 0))
		return 0;
	f->ln_sd = sqrt((f->info[2] - 2 * d * f->info[1] +
			 d * d * f->info[0]) / det);
	f->ln_weight = -f->deviance / 2 - log(det) / 2;
	step[0] = (f->info[2] * grad[0] - f->info[1] * grad[1]) / det;
	step[1] = (f->info[0] * grad[1] - f->info[1] * grad[0]) / det;
	f->a += fmin(fmax(step[0], -2), 2);
	f->b += fmin(fmax(step[1], -0.5), 0.5);
	return fabs(step[0]) + fabs(step[1]);
}

/* The first guess: a straight line through the logarithms. */
static void fit_begin(const struct tail *t, struct tail_fit *f)
{
	double prior = FALL_PRIOR + f->v * log(FALL_AT + 1.0);
	double bb = 1 / (FALL_PRIOR_SD * FALL_PRIOR_SD), u = 0, v = prior * bb;
	double aa = 0, ab = 0, det;

	for (unsigned k = t->first; k < t->end; k++) {
		double seen = fmax(t->seen[k] - t->random[k], 0) + 0.5;
		double w = 1 / (1 / seen + t->sd[k] * t->sd[k]);
		double y = log(seen) - shape(t, f->v, k);
		double d = (double)k - t->end;

		aa += w;
		ab += w * d;
		bb += w * d * d;
		u += w * y;
		v += w * y * d;
	}
	det = aa * bb - ab * ab;
	f->a = (u * bb - v * ab) / det;
	f->b = (aa * v - ab * u) / det;
}

static void fit_make(const struct tail *t, double v, struct tail_fit *f)
{
	double freedom = t->end - t->first - 1.0, over;

	memset(f, 0, sizeof(*f));
	f->v = v;
	fit_begin(t, f);
	for (unsigned i = 0; i < STEPS && fit_step(t, f) > 1e-3; i++)
		;
	over = fmax(f->deviance / fmax(freedom, 1), 1);
	f->ln_sd *= sqrt(over);
}

/* Finds the bins, from the end downwards, that bursts dominate: together they
 * hold far more than random errors would make. False: there are none.
 */
static bool bursts_find(struct tail *t)
{
	double seen = t->lost, random = t->random_lost;
	unsigned first = t->end;

	for (unsigned k = t->end; k-- > 2;) {
		double e = t->random[k];

		seen += t->seen[k];
		random += e;
		if (e > 1 && e > (1 - BURST_SHARE) * t->seen[k])
			break;
		if (seen > random + 4 * sqrt(random) + BURSTS_LEAST)
			first = k;
	}
	t->first = first;
	return first < t->end;
}

static bool tail_find(const struct fec_counts *c, const struct fec_code *code,
		      double symbol_ratio, struct tail *t)
{
	memset(t, 0, sizeof(*t));
	t->end = code->correctable + 1;
	random_bins(code, c->sent, symbol_ratio, t->random);
	memcpy(t->seen, c->bin, sizeof(t->seen));
	t->lost = c->lost;
	t->random_lost = c->sent * fec_symbols_loss(symbol_ratio, code);
	for (unsigned k = 0; k < t->end; k++)
		t->sd[k] = MODEL_SD + MODEL_SD_STEP * (t->end - 1 - k);
	return bursts_find(t);
}

/* The quantile p of the mixture of the fits. */
static double mixture_quantile(const struct tail_fit *f, unsigned n, double p)
{
	double low = -60, high = 40, all = 0;

	for (unsigned k = 0; k < n; k++)
		all += f[k].weight;
	for (unsigned i = 0; i < HALVINGS; i++) {
		double x = (low + high) / 2, below = 0;

		for (unsigned k = 0; k < n; k++)
			if (f[k].weight > WEIGHT_LEAST)
				below += f[k].weight / 2 *
					 erfc((f[k].ln_tail - x) /
					      (f[k].ln_sd * M_SQRT2));
		if (below < p * all)
			low = x;
		else
			high = x;
	}
	return high;
}

bool histogram_bursts(const struct fec_counts *c, const struct fec_code *code,
		      double symbol_ratio, struct loss_share *ret)
{
	static const double v[] = { 0, 0.25, 0.5, 0.75, 1, 1.5 };
	enum { COUNT = sizeof(v) / sizeof(v[0]) };
	struct tail_fit fit[COUNT];
	double best = -INFINITY, sent = log(c->sent);
	struct tail t;

	if (!tail_find(c, code, symbol_ratio, &t))
		return false;
	for (unsigned i = 0; i < COUNT; i++) {
		fit_make(&t, v[i], &fit[i]);
		best = fmax(best, fit[i].ln_weight);
	}
	for (unsigned i = 0; i < COUNT; i++)
		fit[i].weight = exp(fit[i].ln_weight - best);
	ret->low = (mixture_quantile(fit, COUNT, 0.05) - sent) / M_LN10;
	ret->mid = (mixture_quantile(fit, COUNT, 0.5) - sent) / M_LN10;
	ret->high = (mixture_quantile(fit, COUNT, 0.95) - sent) / M_LN10;
	return true;
}

/* --- an interval --------------------------------------------------------- */

static void bursts_forget(struct histogram *h)
{
	h->low = h->mid = h->high = -INFINITY;
	h->observed = h->of_random = false;
}

void histogram_start(struct histogram *h)
{
	memset(h, 0, sizeof(*h));
	bursts_forget(h);
}

static bool bins_there(const struct inputs *k, const struct fec_code *code)
{
	return inputs_has_all(k, INPUT_FEC_BIN, code->correctable + 1);
}

static void interval_begin(struct histogram *h, const struct fec_code *code,
			   const struct inputs *k)
{
	const int64_t *bin = &k->value[INPUT_FEC_BIN];

	for (unsigned i = 0; i < PORT_FEC_BINS; i++) {
		if (i < HISTOGRAM_WIDE)
			h->wide[i] = (uint64_t)bin[i];
		else
			h->bin[i - HISTOGRAM_WIDE] = (uint32_t)bin[i];
	}
	h->seconds = h->sent = h->lost = h->bits = h->random = 0;
	h->looks = 0;
	h->has_bins = bins_there(k, code);
	h->begun = true;
}

/* The counts since the interval began; false: they are not plausible. */
static bool interval_counts(const struct histogram *h,
			    const struct fec_code *code,
			    const struct inputs *k, struct fec_counts *ret)
{
	const int64_t *bin = &k->value[INPUT_FEC_BIN];
	double sum = 0;

	memset(ret, 0, sizeof(*ret));
	for (unsigned i = 1; h->has_bins && i <= code->correctable; i++) {
		if (i < HISTOGRAM_WIDE)
			ret->bin[i] = (double)((uint64_t)bin[i] - h->wide[i]);
		else
			ret->bin[i] = (uint32_t)((uint32_t)bin[i] -
						 h->bin[i - HISTOGRAM_WIDE]);
		sum += ret->bin[i];
	}
	ret->sent = (double)h->sent;
	ret->lost = (double)h->lost;
	ret->bits = (double)h->bits;
	return sum <= ret->sent;
}

/* Wilson and Hilferty's quantile of the gamma distribution. */
static double gamma_quantile(double n, double z)
{
	double root = 1 - 1 / (9 * n) + z / (3 * sqrt(n));

	return n * root * root * root;
}

/* Codewords lost, divided by those sent or by the loss of random errors. */
static void observed_tell(double lost, double of, struct loss_share *ret)
{
	ret->mid = log10(lost / of);
	ret->low = log10(gamma_quantile(lost, -Z) / of);
	ret->high = log10(gamma_quantile(lost + 1, Z) / of);
}

static void bursts_keep(struct histogram *h, const struct fec_code *code,
			const struct fec_counts *c)
{
	double s = histogram_symbol_ratio(c, code), symbols = 0;
	struct loss_share l = { .low = -INFINITY, .mid = -INFINITY,
				.high = -INFINITY };

	h->observed = c->lost >= OBSERVED_LEAST;
	h->of_random = h->observed &&
		       (double)h->random > RANDOM_SHARE * c->lost;
	if (h->observed)
		observed_tell(c->lost, h->of_random ? (double)h->random :
						      c->sent, &l);
	else if (h->has_bins)
		(void)histogram_bursts(c, code, s, &l);	/* perhaps none */
	h->low = (float)l.low;
	h->mid = (float)l.mid;
	h->high = (float)l.high;
	if (h->has_bins)
		symbols = s * code->symbols * c->sent;
	if (symbols > 100 && c->bits > 0)
		h->symbols_per_bit = (float)fmin(symbols / c->bits, 1);
}

static void bursts_look(struct histogram *h, const struct fec_code *code,
			const struct inputs *k)
{
	struct fec_counts c;

	if (interval_counts(h, code, k, &c))
		bursts_keep(h, code, &c);
	else
		h->begun = false;
}

/* Share of codewords lost to random errors in a window; 0: negligible. */
static double random_now(const struct fec_code *code,
			 const struct fec_counts *w)
{
	double all = w->sent * fec_codeword_bits(code), ber;

	if (w->bits < HARMLESS * all)
		return 0;
	ber = w->bits / all;
	if (ber < HARMLESS || !(ber > pow(10, (double)code->safe_log_ber)))
		return 0;
	return fec_codeword_loss(fmin(ber, 0.1), code);
}

/* At once when enough codewords were lost to measure the loss. */
static bool look_is_due(struct histogram *h)
{
	if (h->seconds >= (float)(h->looks ? LOOK_S * h->looks : FIRST_S)) {
		h->looks++;
		return true;
	}
	return !h->observed && (double)h->lost >= OBSERVED_LEAST;
}

void histogram_take(struct histogram *h, const struct fec_code *code,
		    const struct fec_counts *w, const struct inputs *k,
		    bool wanted)
{
	if (!h->begun) {
		interval_begin(h, code, k);
		return;
	}
	h->has_bins &= bins_there(k, code);
	h->seconds += (float)w->seconds;
	h->sent += (float)w->sent;
	h->lost += (float)w->lost;
	h->bits += (float)w->bits;
	h->random += (float)(w->sent * random_now(code, w));
	wanted |= h->lost > 0;
	if (wanted && look_is_due(h))
		bursts_look(h, code, k);
	if (h->seconds < (float)INTERVAL_S)
		return;
	if (!wanted)
		bursts_forget(h);
	interval_begin(h, code, k);
}

void histogram_loss(const struct histogram *h, const struct fec_code *code,
		    double log_ber, unsigned interleave,
		    struct loss_share *ret)
{
	bool blind = h->symbols_per_bit <= 0;
	double ratio = blind ? SYMBOLS_PER_BIT : (double)h->symbols_per_bit;
	double frames = log10(fec_frames_of_codeword(interleave)), random;
	double s = fmin(FEC_SYMBOL_BITS * ratio * pow(10, log_ber), 0.5);

	ret->observed = h->observed;
	random = fec_symbols_loss(s, code);
	ret->mid = log10(random + 1e-99);
	spread(ret, (code->correctable + 1) * (blind ? BLIND_SD : RANDOM_SD));
	ret->bursty = (double)h->mid > ret->mid;
	if (h->observed) {
		double of = h->of_random ? log10(1e-99 +
			fec_codeword_loss(pow(10, fmin(log_ber, -1)), code)) :
			0;

		ret->bursty = !h->of_random;
		ret->mid = (double)h->mid + of;
		ret->low = (double)h->low + of;
		ret->high = (double)h->high + of;
	} else {
		ret->mid = log10(random + pow(10, (double)h->mid) + 1e-99);
		ret->low = fmax(ret->low, (double)h->low);
		ret->high = log10(pow(10, ret->high) +
				  pow(10, (double)h->high));
	}
	ret->low = fmin(fmin(ret->low, ret->mid) + frames, 0);
	ret->mid = fmin(ret->mid + frames, 0);
	ret->high = fmin(fmax(ret->high + frames, ret->mid), 0);
}
