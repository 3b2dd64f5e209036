#include "platform/vswitch/coherent.h"

#include <math.h>
#include <stdio.h>

#include "platform/vswitch/flags.h"
#include "platform/vswitch/out.h"

#define TABLE "TRANSCEIVER_PM"
#define S16_LEAST (-32768.0)
#define S16_MOST 32767.0
#define U16_MOST 65535.0
#define MHZ_PER_GHZ 1000.0

static double in_register(double value, double step, bool is_signed)
{
	double n = round(value / step);

	return fmin(fmax(n, is_signed ? S16_LEAST : 0),
		    is_signed ? S16_MOST : U16_MOST);
}

double coherent_register(double value, double step, bool is_signed)
{
	return in_register(value, step, is_signed) * step;
}

/* 16 bits of channels of 25 GHz, of hundredths of dBm. */
void coherent_info_fields(struct out *o)
{
	out_text(o, "supported_max_tx_power", "-6.0");
	out_text(o, "supported_min_tx_power", "-16.0");
	out_text(o, "supported_max_laser_freq", "196100");
	out_text(o, "supported_min_laser_freq", "191300");
}

void coherent_sensor_fields(struct out *o, const struct plant_coherent *c)
{
	out_repr(o, "laser_config_freq", c->config_ghz);
	out_repr(o, "laser_curr_freq", round(c->laser_mhz) / MHZ_PER_GHZ);
	out_repr(o, "tx_config_power",
		 in_register(c->config_dbm, 0.01, true) / 100);
}

void coherent_status_fields(struct out *o)
{
	out_bool(o, "tuning_in_progress", false);
	out_bool(o, "wavelength_unlock_status", false);
}

void coherent_flags(struct flag_row *r)
{
	static const char *const quiet[] = {
		"target_output_power_oor", "fine_tuning_oor",
		"tuning_not_accepted", "invalid_channel_num",
		"tuning_complete",
	};

	for (size_t i = 0; i < sizeof(quiet) / sizeof(quiet[0]); i++)
		flags_put(r, quiet[i], 0, false);
}

/* --- TRANSCEIVER_PM ------------------------------------------------------- */

/* per_unit: what the register counts are divided by; 0: they stay whole. */
static const struct {
	const char *name;
	uint8_t value;
	bool is_signed;
	double step, per_unit;
} books[] = {
	{ "dgd", COHERENT_DGD_PS, false, 0.01, 100 },
	{ "sopmd", COHERENT_SOPMD_PS2, false, 0.01, 100 },
	{ "pdl", COHERENT_PDL_DB, false, 0.1, 10 },
	{ "osnr", COHERENT_OSNR_DB, false, 0.1, 10 },
	{ "esnr", COHERENT_ESNR_DB, false, 0.1, 10 },
	{ "cfo", COHERENT_CFO_MHZ, true, 1, 0 },
	{ "evm", COHERENT_EVM_PERCENT, false, 100 / U16_MOST,
	  U16_MOST / 100 },
	{ "soproc", COHERENT_SOP_KRAD_S, false, 1, 0 },
	{ "tx_power", COHERENT_TX_DBM, true, 0.01, 100 },
	{ "rx_tot_power", COHERENT_RX_DBM, true, 0.01, 100 },
	{ "rx_sig_power", COHERENT_SIGNAL_DBM, true, 0.01, 100 },
};

/* Python's str(int) or str(float). */
static void number_put(struct out *o, const char *name, const char *which,
		       double counts, double per_unit)
{
	char field[32], text[24];

	(void)snprintf(field, sizeof(field), "%s_%s", name, which);
	if (per_unit > 0) {
		out_repr(o, field, counts / per_unit);
		return;
	}
	(void)snprintf(text, sizeof(text), "%ld", lround(counts));
	out_text(o, field, text);
}

static void ratio_put(struct out *o, const char *field, uint64_t part,
		      uint64_t whole)
{
	out_repr(o, field, whole ? (double)part / (double)whole : 1.0);
}

/* Nothing counted, as in low power: it is told as 1.0. */
static void ratios_put(struct out *o, const struct plant_coherent *c)
{
	ratio_put(o, "prefec_ber_avg", c->corrected, c->bits);
	ratio_put(o, "prefec_ber_min", c->corrected_min, c->part_bits);
	ratio_put(o, "prefec_ber_max", c->corrected_max, c->part_bits);
	ratio_put(o, "uncorr_frames_avg", c->lost_frames, c->frames);
	ratio_put(o, "uncorr_frames_min", c->lost_min, c->part_frames);
	ratio_put(o, "uncorr_frames_max", c->lost_max, c->part_frames);
}

static void cd_put(struct out *o, const struct plant_stretch *cd)
{
	number_put(o, "cd", "avg", cd->avg, 0);
	number_put(o, "cd", "min", cd->min, 0);
	number_put(o, "cd", "max", cd->max, 0);
}

void coherent_pm_row(struct out *o, const char *port,
		     const struct plant_coherent *c, struct out_seen *seen,
		     int64_t unix_s)
{
	out_row(o, STATE_DB, TABLE, port);
	ratios_put(o, c);
	cd_put(o, &c->value[COHERENT_CD_PS_PER_NM]);
	for (size_t i = 0; i < sizeof(books) / sizeof(books[0]); i++) {
		const struct plant_stretch *s = &c->value[books[i].value];
		double step = books[i].step, per = books[i].per_unit;
		bool is_signed = books[i].is_signed;

		number_put(o, books[i].name, "avg",
			   in_register(s->avg, step, is_signed), per);
		number_put(o, books[i].name, "min",
			   in_register(s->min, step, is_signed), per);
		number_put(o, books[i].name, "max",
			   in_register(s->max, step, is_signed), per);
	}
	out_row_end_timed(o, seen, unix_s);
}

void coherent_delete(struct out *o, const char *port)
{
	out_delete(o, STATE_DB, TABLE, port);
}
