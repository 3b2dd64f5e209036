/* From light to bit errors, and what a code does with them.
 *
 * The noise of a receiver has a part that does not depend on light, and weighs
 * more the less light there is, and parts that fall with it: of the laser, of
 * reflections, of the lines on the board. Where light beats against an own
 * laser, signal falls half as fast in dB.
 *
 * Errors come in runs, because an equaliser passes them on: the symbols in
 * error of a codeword are a Polya-Aeppli count. IEEE 802.3ck reckons with a
 * chance of 0.75 that the next PAM4 symbol follows, without precoding, at worst
 * (anslow_3ck_01_0918); of symbols of ten bits far fewer follow.
 */
#include <math.h>

#include "tests/judge/d_world.h"

#define DATA_BITS 5120.0	/* of a codeword of 514 data symbols */
#define TAIL 40			/* terms past those that can be mended */
#define ZR_LIMIT 1.25e-2	/* OIF-400ZR-01.0: CFEC leaves 1e-15 */
#define BURST_CODEWORDS 3.0	/* that a burst costs in the mean */
#define LACK_MOST_DB 14.0

static double eye_ber(double q, bool pam4)
{
	return fmax((pam4 ? 0.375 : 0.5) * erfc(q * M_SQRT1_2), 1e-200);
}

double d_log_ber(double q, bool pam4)
{
	return log10(eye_ber(q, pam4));
}

double d_q_of(double log_ber, bool pam4)
{
	double low = 0, high = 30;

	for (int i = 0; i < 50; i++) {
		double mid = (low + high) / 2;

		*(d_log_ber(mid, pam4) > log_ber ? &low : &high) = mid;
	}
	return low;
}

double d_code_rate(uint64_t speed_mbps)
{
	return (double)speed_mbps * 1e6 / DATA_BITS;
}

unsigned d_code_corrects(enum fec_mode fec)
{
	return fec == FEC_RS544 ? 15 : fec == FEC_RS528 ? 7 : 0;
}

double d_code_chances(enum fec_mode fec, double ber, double run,
		      double chance[static D_CHANCES])
{
	unsigned corrects = d_code_corrects(fec);
	double symbols = fec == FEC_RS544 ? 544 : 528, lost = 0;
	double wrong = -expm1(10 / D_SYMBOL_BITS * log1p(-ber));
	double events = symbols * wrong * (1 - run);
	double last = exp(-events), before = 0, next;

	chance[0] = last;
	for (unsigned n = 1; n <= corrects + TAIL; n++) {
		next = ((events * (1 - run) + 2 * run * (n - 1)) * last -
			run * run * (n > 1 ? n - 2 : 0) * before) / n;
		before = last;
		last = next;
		if (n <= corrects)
			chance[n] = next;
		else if (next < lost * 1e-6)
			break;
		else
			lost += next;
	}
	return fmin(1, fmax(lost, events > 30));
}

/* A cliff: a tenth of a decade is nine of what is lost. */
double d_line_loss(double ber)
{
	return fmin(1, pow(10, -13 + 90 * log10(ber / ZR_LIMIT)));
}

void d_stress_add(const struct world *w, const struct d_fault *f, unsigned port,
		  int64_t t_ns, double load, struct d_stress *ret)
{
	double level = d_level(f, t_ns, load), now;

	if (!(f->ports >> port & 1) || level == 0)
		return;
	for (unsigned e = 0; e < D_FALLS; e++) {
		now = e == D_TX && f->kind->acts & D_LATE ?
		      fmax(0, 2 * level - 1) : level;
		if (e > D_BIAS)
			ret->of[e][0] += f->size[e] * now;
		for (unsigned i = 0; i < w->port[port].lanes && e <= D_BIAS;
		     i++)
			ret->of[e][i] += f->size[e] * now * f->weight[i];
	}
	ret->acts |= f->kind->acts;
}

double d_heat_noise(const struct d_port *p, double temp_c)
{
	double usual = 27 + p->rise_k * 0.8;

	return p->db_per_k * (temp_c - usual) +
	       p->knee_db_per_k * fmax(0, temp_c - p->knee_c);
}

double d_ber(const struct d_port *p, const struct d_stress *s, double more_db,
	     double *ret_lanes)
{
	const struct d_media *m = p->media;
	double db_per_db = m->traits & D_COHERENT ? 1 : 2, sum = 0;

	for (unsigned i = 0; i < m->lanes; i++) {
		double dark = pow(10, db_per_db * s->of[D_LOSS][i] / 10);
		double noise = (1 + p->light_share * (dark - 1)) *
			       pow(10, (s->of[D_NOISE][i] + more_db) / 10);
		double ber = eye_ber(p->q[i] / sqrt(noise),
				     m->traits & D_PAM4);

		if (ret_lanes)
			ret_lanes[i] = ber;
		sum += ber;
	}
	return sum / m->lanes;
}

double d_lost(const struct d_port *p, double ber, double bursts_hz)
{
	double chance[D_CHANCES], rate = d_code_rate(p->media->speed_mbps);
	double lost = p->media->traits & D_COHERENT ? d_line_loss(ber) :
		      d_code_chances(p->media->fec, ber, p->run, chance);

	return fmin(1, lost + bursts_hz * BURST_CODEWORDS / rate);
}

double d_lacks_db(const struct d_port *p, const double *weight,
		  enum d_effect effect)
{
	double low = 0, high = LACK_MOST_DB;
	double cliff = 1 / 3600. / d_code_rate(p->media->speed_mbps);

	for (int i = 0; i < 24; i++) {
		double mid = (low + high) / 2;
		struct d_stress s = { .acts = 0 };

		for (unsigned k = 0; k < p->media->lanes; k++)
			s.of[effect][k] = mid * weight[k];
		*(d_lost(p, d_ber(p, &s, 0, NULL), 0) < cliff ? &low : &high) =
			mid;
	}
	return low;
}
