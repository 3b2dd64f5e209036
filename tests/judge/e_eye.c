/* From light and noise to bit errors, and from these to lost codewords.
 *
 * Noise over signal is a sum: the receiver's, which weighs more when light is
 * lost (20 dB a decade of light with a PIN diode, 10 behind an amplifier), and
 * what does not follow light (reflections, intensity noise, jitter). Bit errors
 * of Gray-coded PAM4 and 16QAM are 3/8 erfc sqrt(SNR/10), of NRZ 1/2 erfc
 * sqrt(SNR/2). Wrong symbols of a codeword follow a negative binomial, as
 * errors come in runs (IEEE 802.3ck, error propagation of equalisers).
 */
#include <math.h>

#include "tests/judge/e_world.h"

#define CFEC_LIMIT 0.0125	/* OIF 400ZR: 1e-15 is left of this */
#define CFEC_DECADES 150.0	/* of loss, a decade of errors */
#define KNEE_DB_PER_K 0.15
#define REFERENCE_C 45.0

double e_ber_of(double snr, unsigned traits)
{
	if (traits & (E_PAM4 | E_COHERENT))
		return 0.375 * erfc(sqrt(snr / 10));
	return 0.5 * erfc(sqrt(snr / 2));
}

double e_snr_of(double log_ber, unsigned traits)
{
	double low_db = -20, high_db = 40;

	for (int i = 0; i < 32; i++) {
		double db = (low_db + high_db) / 2;

		if (log10(e_ber_of(pow(10, db / 10), traits) + 1e-300) >
		    log_ber)
			low_db = db;
		else
			high_db = db;
	}
	return pow(10, low_db / 10);
}

static double lane_noise(const struct e_port *p, const struct e_stress *s,
			 unsigned lane)
{
	double loss = s->lane[E_LOSS][lane], noise = 1 / p->snr[lane];

	if (loss != 0)
		noise *= 1 + p->light_share *
			 (pow(10, p->slope * loss / 10) - 1);
	return noise;
}

double e_ber(const struct e_port *p, const struct e_stress *s, double temp_c,
	     double more_db, double *ret_lanes)
{
	unsigned n = p->media->lanes;
	double sum = 0, all_db = more_db + p->db_per_k * (temp_c - REFERENCE_C);

	if (temp_c > p->knee_c)
		all_db += KNEE_DB_PER_K * (temp_c - p->knee_c);
	for (unsigned i = 0; i < n; i++) {
		double db = all_db + s->lane[E_NOISE][i];
		double noise = lane_noise(p, s, i) * pow(10, db / 10);
		double ber = fmax(e_ber_of(1 / noise, p->traits), 1e-40);

		if (ret_lanes)
			ret_lanes[i] = ber;
		sum += ber;
	}
	return sum / n;
}

/* 257 of 256 bits and the code's own: 17/16 in all for RS(544,514). */
double e_codewords_hz(const struct e_media *m)
{
	double bits_hz = (double)m->speed_mbps * 1e6;

	if (m->fec == FEC_RS544)
		return bits_hz * 17 / 16 / 5440;
	return bits_hz * 33 / 32 / 5280;
}

static double line_loss(double ber)
{
	double over = log10(ber / CFEC_LIMIT);

	return over > 0.1 ? 1 : pow(10, -15 + CFEC_DECADES * over);
}

double e_code(const struct e_media *m, double ber, double excess,
	      double chance[static E_BINS])
{
	unsigned symbols = m->fec == FEC_RS544 ? 544 : 528;
	unsigned mends = m->fec == FEC_RS544 ? 15 : 7;
	double mean = symbols * fmin(10 * ber / E_SYMBOL_BITS, 1);
	double r = mean / excess, q = excess / (1 + excess);
	double p = exp(-r * log1p(excess)), head = 0, tail = 0;

	for (unsigned i = 0; i < E_BINS; i++)
		chance[i] = 0;
	if (m->traits & E_COHERENT)
		return line_loss(ber);
	if (m->fec == FEC_NONE)
		return -expm1(5280 * log1p(-fmin(ber, 0.5)));
	for (unsigned i = 0; i < 64; i++) {
		if (i <= mends) {
			chance[i] = p;
			head += p;
		} else {
			tail += p;
		}
		p *= (r + i) / (i + 1) * q;
	}
	return mean < 8 ? fmin(tail, 1) : fmin(fmax(1 - head, 0), 1);
}
