/* What a module's registers make of light, current and heat: steps of its
 * converters, and all ones from a bus that hangs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/plant.h"

struct measure_lane {
	int64_t rx_pw, tx_pw, bias_ua;
	int64_t ber_e18, snr_mdb;
	bool rx_los, tx_fault;
};

struct measure {
	bool garbage;		/* all ones: no lane's BER, SNR, flags */
	int64_t temp_mc, vcc_uv, laser_temp_mc;
	struct measure_lane lane[PLANT_LANES_MAX];
};

/* CMIS 5.2 tables 8-10, 8-96: 1/256 C, 100 uV, 0.1 uW, 2 uA; BER with the 11
 * bit mantissa of VDM.
 */
void measure_module(const struct plant_port *p, unsigned lanes,
		    struct measure *ret);

/* One register each, for limits: steps of 1/256 C. */
int64_t measure_temp_mc(double c);
/* Steps of 100 uV. */
int64_t measure_vcc_uv(double v);
/* Steps of 0.1 uW. */
int64_t measure_light_pw(double mw);
/* The same of a power in dBm. */
int64_t measure_light_dbm_pw(double dbm);
/* Steps of 2 uA. */
int64_t measure_bias_ua(double ma);
