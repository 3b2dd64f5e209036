#include "tests/support/port_noise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINE_BPS 425e9
#define DAY_S 86400.0

static uint64_t draw(struct port_noise *n)
{
	n->random ^= n->random << 13;
	n->random ^= n->random >> 7;
	n->random ^= n->random << 17;
	return n->random;
}

static double uniform(struct port_noise *n, double low, double high)
{
	return low + (high - low) * (double)(draw(n) >> 11) * 0x1p-53;
}

/* Marsaglia's polar method would need log; twelve halves of a draw do. */
static double normal(struct port_noise *n)
{
	double sum = -6;

	for (int i = 0; i < 3; i++) {
		uint64_t x = draw(n);

		sum += (double)((x & 0xffff) + (x >> 16 & 0xffff) +
				(x >> 32 & 0xffff) + (x >> 48)) / 65536;
	}
	return sum;
}

void port_noise_init(struct port_noise *n, uint64_t seed, double dt_s,
		     double dom_period_s, int hard)
{
	static const double tau_s[NOISE_PARTS] = { 100, 1200, 9000, 60000 };

	memset(n, 0, sizeof(*n));
	n->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	for (int i = 0; i < 8; i++)
		(void)draw(n);		/* away from the seed */
	n->dt_s = dt_s;
	n->dom_period_s = dom_period_s;
	n->base = uniform(n, -8.2, -5.2);
	n->beta = uniform(n, 0.01, 0.1);
	n->diurnal = uniform(n, 1, 5);
	n->phase = uniform(n, 0, 6.28);
	n->warmth = uniform(n, 3, 7);
	n->lag_s = uniform(n, 120, 420);
	n->temp = uniform(n, 40, 55);
	n->sd = uniform(n, 0.03, 0.07) * (hard ? 2 : 1);
	for (int i = 0; i < NOISE_PARTS; i++) {
		n->keep[i] = exp(-dt_s / tau_s[i]);
		n->kick[i] = n->sd / 2 * sqrt(1 - n->keep[i] * n->keep[i]);
		n->wander[i] = n->sd / 2 * normal(n);
	}
}

void port_noise_facts(unsigned number, struct port_facts *ret)
{
	memset(ret, 0, sizeof(*ret));
	(void)snprintf(ret->name, sizeof(ret->name), "Ethernet%u", 8 * number);
	(void)snprintf(ret->media, sizeof(ret->media), "DR4");
	ret->lanes = 4;
	ret->speed_mbps = 400000;
	ret->fec = FEC_RS544;
	ret->optical = ret->media_known = true;
	ret->counter_bits = 64;
}

static double heat_step(struct port_noise *n, double t_s)
{
	if (t_s >= n->load_until_s) {
		n->load = uniform(n, 0.1, 0.95);
		n->load_until_s = t_s + uniform(n, 300, 6000);
	}
	n->heat += (n->load * n->warmth - n->heat) *
		   (n->dt_s > n->lag_s ? 1 : n->dt_s / n->lag_s);
	return n->heat + n->diurnal * sin(6.2831853 * t_s / DAY_S + n->phase);
}

static void dom_step(struct port_noise *n, double t_s, double kelvin,
		     struct inputs *k)
{
	k->dom_new = t_s - n->dom_s >= n->dom_period_s;
	if (!k->dom_new)
		return;
	n->dom_s = t_s;
	k->dom_t = k->t;
	inputs_set(k, INPUT_TEMP_MC,
		 (int64_t)((n->temp + kelvin + 0.15 * normal(n)) * 1000));
	inputs_set(k, INPUT_VCC_UV, 3300000);
	for (unsigned i = 0; i < 4; i++)
		inputs_set(k, INPUT_RX_PW + i, 700000000 +
			      (int64_t)(normal(n) * 5e6));
}

/* Queues and priorities of a port that carries some traffic. */
static void load_step(struct port_noise *n, struct inputs *k)
{
	n->octets += n->load * 5e10 * n->dt_s;
	inputs_set(k, INPUT_IN_OCTETS, (int64_t)n->octets);
	inputs_set(k, INPUT_OUT_OCTETS, (int64_t)n->octets);
	for (unsigned i = 0; i < 8; i++) {
		inputs_set(k, INPUT_QUEUE_PEAK + i, (int64_t)(draw(n) >> 48));
		inputs_set(k, INPUT_PFC_RX + i, 0);
		inputs_set(k, INPUT_PFC_TX + i, 0);
	}
}

void port_noise_step(struct port_noise *n, double t_s, struct inputs *k)
{
	double kelvin = heat_step(n, t_s), y = n->base + n->beta * kelvin;
	double expected, codewords = LINE_BPS * n->dt_s / 5440;

	for (int i = 0; i < NOISE_PARTS; i++) {
		n->wander[i] = n->wander[i] * n->keep[i] +
			       n->kick[i] * normal(n);
		y += n->wander[i];
	}
	expected = exp(y * 2.302585093) * LINE_BPS * n->dt_s;
	n->bits += fmax(0, floor(expected + sqrt(expected) * normal(n)));
	n->corrected += floor(expected * 0.95);
	n->clean += floor(codewords - expected * 0.95);
	k->t.ns = (int64_t)(t_s * 1e9) + 3600 * NS_PER_S;
	k->counters_new = true;
	inputs_set(k, INPUT_OPER, OPER_UP);
	inputs_set(k, INPUT_LINK_DOWN_COUNT, 0);
	inputs_set(k, INPUT_FEC_CORRECTED_BITS, (int64_t)n->bits);
	inputs_set(k, INPUT_FEC_CORRECTED_CW, (int64_t)n->corrected);
	inputs_set(k, INPUT_FEC_BIN, (int64_t)n->clean);
	inputs_set(k, INPUT_FEC_BIN + 1, (int64_t)n->corrected);
	for (unsigned i = 2; i < PORT_FEC_BINS; i++)
		inputs_set(k, INPUT_FEC_BIN + i, 0);
	load_step(n, k);
	inputs_set(k, INPUT_FEC_UNCORRECTABLE_CW, 0);
	dom_step(n, t_s, kelvin, k);
}
