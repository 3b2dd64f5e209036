#include "agent/signature/fec.h"

#include <math.h>
#include <string.h>

#define LOG_BER_FIRST (-18.0)
#define LOG_BER_STEP 0.25
#define Q_COUNT 69
#define BER_MOST 0.1		/* of the binomial's arithmetic */
#define CHANCE_TIMES 10.0	/* what errors by chance lose, at most … */
#define CHANCE_ORDERS 4.8	/* … log10, times what their mean loses: chosen,
				 * what it costs a code of 7 when one in three
				 * comes with another. 2^16 of 16 symbols */
#define NRZ_SHIFT 0.12493873660829995	/* log10 of (1/2) / (3/8) */
#define FRAMES_PER_CODEWORD 8	/* MFC of SONiC's FLR, 802.3df */

/* RS(544,514) clause 119, RS(528,514) clause 91, RS(272,258). The levels come
 * from binomial tails at the codeword rates of 400G, 100G and 100G.
 */
static const struct fec_code codes[] = {
	{ FEC_RS544, 544, 15, true, 1.0625, -3.5768f, -3.8386f },
	{ FEC_RS528, 528, 7, false, 1.03125, -4.5686f, -5.0655f },
	{ FEC_RS272, 272, 7, true, 1.0625, -4.2393f, -4.7372f },
};

/* Codes of coherent lines, which end in the module: it reports the bit error
 * ratio and no counts. They correct: OIF-400ZR, CFEC 1.25e-2; OpenZR+, oFEC
 * 2.0e-2. Soft decoding fails within a hundredth of a decade; the margin to the
 * safe level is chosen. Decibels are computed as for PAM4, which is close.
 */
static const struct {
	const char *media;
	struct fec_code code;
} lines[] = {
	{ "OFEC", { FEC_NONE, 0, 0, true, 1, -1.6990f, -1.7490f } },
	{ "ZR+", { FEC_NONE, 0, 0, true, 1, -1.6990f, -1.7490f } },
	{ "ZR", { FEC_NONE, 0, 0, true, 1, -1.9031f, -1.9531f } },
};

/* Q of PAM4 at log10 BER from -18 in steps of 0.25. */
static const float q_table[Q_COUNT] = {
	8.7248f, 8.6594f, 8.5935f, 8.5272f, 8.4603f, 8.3929f, 8.3250f, 8.2565f,
	8.1875f, 8.1179f, 8.0478f, 7.9770f, 7.9056f, 7.8336f, 7.7609f, 7.6876f,
	7.6136f, 7.5388f, 7.4634f, 7.3872f, 7.3102f, 7.2325f, 7.1539f, 7.0745f,
	6.9943f, 6.9131f, 6.8310f, 6.7479f, 6.6639f, 6.5788f, 6.4927f, 6.4054f,
	6.3170f, 6.2274f, 6.1366f, 6.0444f, 5.9509f, 5.8560f, 5.7596f, 5.6616f,
	5.5620f, 5.4607f, 5.3576f, 5.2526f, 5.1456f, 5.0365f, 4.9251f, 4.8113f,
	4.6950f, 4.5759f, 4.4539f, 4.3288f, 4.2002f, 4.0680f, 3.9318f, 3.7911f,
	3.6457f, 3.4949f, 3.3382f, 3.1748f, 3.0038f, 2.8241f, 2.6342f, 2.4325f,
	2.2164f, 1.9825f, 1.7261f, 1.4397f, 1.1108f,
};

const struct fec_code *fec_code_find(enum fec_mode mode)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i].mode == mode)
			return &codes[i];
	return NULL;
}

const struct fec_code *fec_code_of_line(const char *media)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (strstr(media, lines[i].media))
			return &lines[i].code;
	return NULL;
}

double fec_log10(double x)
{
	return log(x) * 0.43429448190325182765;
}

/* 2^f by its series for |f| <= 1/2, the whole part put into the exponent. */
double fec_exp10(double x)
{
	double y = x * 3.3219280948873623479, f, p;
	uint64_t bits;
	int whole;

	if (y < -1022)
		return 0;
	if (y > 1023)
		y = 1023;
	whole = (int)(y < 0 ? y - 0.5 : y + 0.5);
	f = (y - whole) * 0.69314718055994530942;
	p = 1 + f * (1 + f / 2 * (1 + f / 3 * (1 + f / 4 * (1 + f / 5 *
	    (1 + f / 6 * (1 + f / 7))))));
	bits = (uint64_t)(whole + 1023) << 52;
	memcpy(&f, &bits, sizeof(f));
	return p * f;
}

double fec_q(double log_ber, bool pam4)
{
	double at = log_ber - (pam4 ? 0 : NRZ_SHIFT);
	int i;

	at = (at - LOG_BER_FIRST) / LOG_BER_STEP;
	if (!(at > 0))
		return q_table[0];
	i = at < Q_COUNT - 2 ? (int)at : Q_COUNT - 2;
	if (at > Q_COUNT - 1)
		return q_table[Q_COUNT - 1];
	return q_table[i] + (at - i) * (q_table[i + 1] - q_table[i]);
}

double fec_log_ber_of_q(double q, bool pam4)
{
	int low = 0, high = Q_COUNT - 1;
	double shift = pam4 ? 0 : NRZ_SHIFT, at;

	if (!(q < q_table[0]))
		return LOG_BER_FIRST + shift;
	if (q <= q_table[high])
		return LOG_BER_FIRST + high * LOG_BER_STEP + shift;
	while (high - low > 1) {
		int middle = (low + high) / 2;

		if (q_table[middle] > q)
			low = middle;
		else
			high = middle;
	}
	at = low + (q_table[low] - q) / (q_table[low] - q_table[high]);
	return LOG_BER_FIRST + at * LOG_BER_STEP + shift;
}

double fec_margin_db(double log_ber, const struct fec_code *code)
{
	return 10 * fec_log10(fec_q(log_ber, code->pam4) /
			      fec_q(code->cliff_log_ber, code->pam4));
}

double fec_log_ber_shifted(double log_ber, double db, bool pam4)
{
	return fec_log_ber_of_q(fec_q(log_ber, pam4) * fec_exp10(db / 10),
				pam4);
}

double fec_symbols_loss(double s, const struct fec_code *code)
{
	unsigned n = code->symbols, k = code->correctable + 1;
	double term, sum = 0;

	if (!(s > 0))
		return 0;
	term = exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) +
		   k * log(s) + (n - k) * log1p(-s));
	for (; k <= n && term > sum * 1e-16; k++) {
		sum += term;
		term *= (n - k) / (k + 1.0) * s / (1 - s);
	}
	return sum;
}

double fec_codeword_loss(double ber, const struct fec_code *code)
{
	return fec_symbols_loss(-expm1(FEC_SYMBOL_BITS * log1p(-ber)), code);
}

double fec_log_ber_most(double log_ber, const struct fec_code *code)
{
	return log_ber + CHANCE_ORDERS / (code->correctable + 1);
}

bool fec_explains(const struct fec_code *code, double log_ber, double codewords,
		  double lost)
{
	return lost <= CHANCE_TIMES * codewords *
		       fec_codeword_loss(fmin(fec_exp10(log_ber), BER_MOST),
					 code);
}

unsigned fec_interleave(uint64_t speed_mbps)
{
	return speed_mbps >= 800000 ? 4 : speed_mbps >= 200000 ? 2 : 1;
}

double fec_frames_of_codeword(unsigned interleave)
{
	return (1 + (double)interleave * FRAMES_PER_CODEWORD) /
	       FRAMES_PER_CODEWORD;
}
