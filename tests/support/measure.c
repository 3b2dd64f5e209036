#include "tests/support/measure.h"

#include <math.h>
#include <string.h>

#define ALL_ONES 65535
#define MOST (ALL_ONES - 1)	/* all ones are no reading */
#define LIGHT_STEP_PW 100000
#define BIAS_STEP_UA 2
#define VCC_STEP_UV 100
#define F16_MANTISSA_MAX 2047.0

static int64_t steps(double value, double per_unit)
{
	double n = round(value * per_unit);

	return n > MOST ? MOST : n > 0 ? (int64_t)n : 0;
}

int64_t measure_temp_mc(double c)
{
	return llround(round(c * 256) * 1000 / 256);
}

int64_t measure_vcc_uv(double v)
{
	return steps(v, 1e6 / VCC_STEP_UV) * VCC_STEP_UV;
}

int64_t measure_light_pw(double mw)
{
	return steps(mw, 1e9 / LIGHT_STEP_PW) * LIGHT_STEP_PW;
}

int64_t measure_light_dbm_pw(double dbm)
{
	return measure_light_pw(pow(10, dbm / 10));
}

int64_t measure_bias_ua(double ma)
{
	return steps(ma, 1e3 / BIAS_STEP_UA) * BIAS_STEP_UA;
}

/* m * 10^(s - 24) with the least s that m fits. */
static int64_t ber_e18(double ber)
{
	double exponent = ceil(log10(ber / F16_MANTISSA_MAX));
	double unit = pow(10, fmax(exponent, -24));

	if (!(ber > 0))
		return 0;
	return llround(round(ber / unit) * unit * 1e18);
}

static void lane_measure(const struct plant_lane *l, struct measure_lane *ret)
{
	*ret = (struct measure_lane){
		.rx_pw = measure_light_pw(l->rx_mw),
		.tx_pw = measure_light_pw(l->tx_mw),
		.bias_ua = measure_bias_ua(l->bias_ma),
		.ber_e18 = ber_e18(l->pre_fec_ber),
		.snr_mdb = llround(round(l->snr_db * 256) * 1000 / 256),
		.rx_los = l->rx_los,
		.tx_fault = l->tx_fault,
	};
}

/* 0xffff in every register. */
static void garbage(unsigned lanes, struct measure *ret)
{
	ret->garbage = true;
	ret->temp_mc = measure_temp_mc(-1.0 / 256);
	ret->vcc_uv = (int64_t)ALL_ONES * VCC_STEP_UV;
	ret->laser_temp_mc = ret->temp_mc;
	for (unsigned i = 0; i < lanes; i++) {
		ret->lane[i].rx_pw = (int64_t)ALL_ONES * LIGHT_STEP_PW;
		ret->lane[i].tx_pw = (int64_t)ALL_ONES * LIGHT_STEP_PW;
		ret->lane[i].bias_ua = (int64_t)ALL_ONES * BIAS_STEP_UA;
	}
}

void measure_module(const struct plant_port *p, unsigned lanes,
		    struct measure *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (!p->dom_readable) {
		garbage(lanes, ret);
		return;
	}
	ret->temp_mc = measure_temp_mc(p->temp_c);
	ret->vcc_uv = measure_vcc_uv(p->vcc_v);
	ret->laser_temp_mc = measure_temp_mc(p->laser_temp_c);
	for (unsigned i = 0; i < lanes; i++)
		lane_measure(&p->lane[i], &ret->lane[i]);
}
