/* Readings, thresholds, flags and states of modules and their lanes: STATE_DB's
 * TRANSCEIVER_ tables but for the information.
 *
 * Versatile diagnostics: TRANSCEIVER_VDM_REAL_VALUE has the same names as the
 * tables of its thresholds, flags, their changes and the times of those, four
 * of each (one per edge). The quantity is the flag's; enum facet leads to the
 * others. SONiC omits types from 100 on, which some vendors have.
 */
#include "platform/sonic/meaning/tables.h"

#include <assert.h>

#include "petrel/module.h"
#include "platform/sonic/meaning/field.h"
#include "platform/sonic/meaning/text.h"
#include "platform/sonic/poll/age.h"
#include "platform/sonic/poll/run.h"
#include "platform/sonic/switchdb/namespace.h"

#define FIELD_EDGES(name, quantity, form, scale, part)			\
	{ name "highalarm", quantity, 0, part, form, scale },		\
	{ name "lowalarm", quantity, 1, part, form, scale },		\
	{ name "highwarning", quantity, 2, part, form, scale },		\
	{ name "lowwarning", quantity, 3, part, form, scale }
#define LANE_DOM(n)							\
	{ "rx" #n "power", Q_LANE_RX_POWER_PW, 0, n, FIELD_DBM, 1 },	\
	{ "tx" #n "power", Q_LANE_TX_POWER_PW, 0, n, FIELD_DBM, 1 },	\
	{ "tx" #n "bias", Q_LANE_TX_BIAS_UA, 0, n, FIELD_SCALED, 1000 }, \
	{ "tx" #n "disable", Q_LANE_TX_DISABLED, 0, n, FIELD_BOOL, 1 },	\
	{ "", Q_LANE_RX_LOS, 0, n, FIELD_BOOL, 1 },			\
	{ "", Q_LANE_TX_FAULT, 0, n, FIELD_BOOL, 1 }
#define E18 UINT64_C(1000000000000000000)
#define OLD_VDM(name, quantity, form, scale)				\
	{ name, Q_VDM_##quantity, 0, 1, form, scale }
#define FLAG(name, quantity, part) { name, quantity, 0, part, FIELD_BOOL, 1 }
#define FLAG_EDGES(name, quantity, part)				\
	{ name "HAlarm", quantity, 0, part, FIELD_BOOL, 1 },		\
	{ name "LAlarm", quantity, 1, part, FIELD_BOOL, 1 },		\
	{ name "HWarn", quantity, 2, part, FIELD_BOOL, 1 },		\
	{ name "LWarn", quantity, 3, part, FIELD_BOOL, 1 }
#define LANE_DOM_FLAGS(n)						\
	FLAG_EDGES("rx" #n "power", Q_LANE_RX_POWER_FLAG, n),		\
	FLAG_EDGES("tx" #n "power", Q_LANE_TX_POWER_FLAG, n),		\
	FLAG_EDGES("tx" #n "bias", Q_LANE_TX_BIAS_FLAG, n)
#define MODULE_DOM_FLAGS						\
	FLAG_EDGES("temp", Q_MODULE_TEMP_FLAG, 0),			\
	FLAG_EDGES("vcc", Q_MODULE_VCC_FLAG, 0),			\
	FLAG_EDGES("lasertemp", Q_MODULE_LASER_TEMP_FLAG, 0)
#define LANE_FLAGS(n)							\
	FLAG("rx" #n "los", Q_LANE_RX_LOS, n),				\
	FLAG("tx" #n "fault", Q_LANE_TX_FAULT, n),			\
	FLAG("tx" #n "los_hostlane", Q_LANE_HOST_LOS_FLAG, n),		\
	FLAG("tx" #n "cdrlol_hostlane", Q_LANE_HOST_CDR_LOL_FLAG, n),	\
	FLAG("tx" #n "_eq_fault", Q_LANE_TX_EQ_FAULT_FLAG, n),		\
	FLAG("rx" #n "cdrlol", Q_LANE_RX_CDR_LOL_FLAG, n)
#define MODULE_FLAGS							\
	FLAG("module_state_changed", Q_MODULE_STATE_CHANGED_FLAG, 0),	\
	FLAG("module_firmware_fault", Q_MODULE_FIRMWARE_FAULT_FLAG, 0),	\
	FLAG("datapath_firmware_fault",					\
	     Q_MODULE_DATA_PATH_FIRMWARE_FAULT_FLAG, 0)
/* C-CMIS; of the only lane of a coherent module. */
#define COHERENT_FLAGS							\
	FLAG("target_output_power_oor", Q_LANE_TX_POWER_OOR_FLAG, 1),	\
	FLAG("fine_tuning_oor", Q_LANE_FINE_TUNING_OOR_FLAG, 1),	\
	FLAG("tuning_not_accepted", Q_LANE_TUNING_NOT_ACCEPTED_FLAG, 1), \
	FLAG("invalid_channel_num", Q_LANE_INVALID_CHANNEL_FLAG, 1),	\
	FLAG("tuning_complete", Q_LANE_TUNING_COMPLETE_FLAG, 1)
#define LANE_STATUS(n)							\
	FLAG("tx" #n "disable", Q_LANE_TX_DISABLED, n),			\
	{ "DP" #n "State", Q_LANE_DATA_PATH_STATE, 0, n, FIELD_WORD,	\
	  WORDS_DATA_PATH },						\
	FLAG("tx" #n "OutputStatus", Q_LANE_TX_OUTPUT_VALID, n),	\
	FLAG("rx" #n "OutputStatusHostlane", Q_LANE_RX_OUTPUT_VALID, n), \
	{ "config_state_hostlane" #n, Q_LANE_CONFIG_STATUS, 0, n,	\
	  FIELD_WORD, WORDS_LANE_CONFIG },				\
	FLAG("dpdeinit_hostlane" #n, Q_LANE_DATA_PATH_DEINIT, n),	\
	FLAG("dpinit_pending_hostlane" #n,				\
	     Q_LANE_DATA_PATH_INIT_PENDING, n),				\
	FLAG("txoutput_status" #n, Q_LANE_TX_OUTPUT_VALID, n),		\
	FLAG("rxoutput_status_hostlane" #n, Q_LANE_RX_OUTPUT_VALID, n),	\
	FLAG("rxlos" #n, Q_LANE_RX_LOS, n),				\
	FLAG("txfault" #n, Q_LANE_TX_FAULT, n),				\
	FLAG("txlos_hostlane" #n, Q_LANE_HOST_LOS_FLAG, n),		\
	FLAG("txcdrlol_hostlane" #n, Q_LANE_HOST_CDR_LOL_FLAG, n),	\
	FLAG("rxcdrlol" #n, Q_LANE_RX_CDR_LOL_FLAG, n),			\
	OLD_LANE_FLAGS(n)
/* Before 2025-05 flags are in the status table, with the thresholds' names. */
#define OLD_EDGES(name, quantity, part, after)				\
	{ name "highalarm_flag" after, quantity, 0, part, FIELD_BOOL, 1 }, \
	{ name "lowalarm_flag" after, quantity, 1, part, FIELD_BOOL, 1 }, \
	{ name "highwarning_flag" after, quantity, 2, part, FIELD_BOOL, 1 }, \
	{ name "lowwarning_flag" after, quantity, 3, part, FIELD_BOOL, 1 }
#define OLD_MODULE_FLAGS						\
	OLD_EDGES("temp", Q_MODULE_TEMP_FLAG, 0, ""),			\
	OLD_EDGES("vcc", Q_MODULE_VCC_FLAG, 0, ""),			\
	OLD_EDGES("lasertemp", Q_MODULE_LASER_TEMP_FLAG, 0, "")
#define OLD_LANE_FLAGS(n)						\
	OLD_EDGES("rxpower", Q_LANE_RX_POWER_FLAG, n, #n),		\
	OLD_EDGES("txpower", Q_LANE_TX_POWER_FLAG, n, #n),		\
	OLD_EDGES("txbias", Q_LANE_TX_BIAS_FLAG, n, #n)
/* A coherent module's line: the field of the readings before 2025-05, which are
 * of the first lane, and the name that all other tables have.
 */
#define LINE(of, n)							\
	of("bias_xi", "biasxi", BIAS_XI, PPM, FIELD_SCALED, 10000, n),	\
	of("bias_xq", "biasxq", BIAS_XQ, PPM, FIELD_SCALED, 10000, n),	\
	of("bias_xp", "biasxp", BIAS_X_PHASE, PPM, FIELD_SCALED, 10000, n), \
	of("bias_yi", "biasyi", BIAS_YI, PPM, FIELD_SCALED, 10000, n),	\
	of("bias_yq", "biasyq", BIAS_YQ, PPM, FIELD_SCALED, 10000, n),	\
	of("bias_yp", "biasyp", BIAS_Y_PHASE, PPM, FIELD_SCALED, 10000, n), \
	of("cd_shortlink", "cdshort", CD_SHORT, PS_PER_NM, FIELD_SCALED, 1, \
	   n),								\
	of("cd_longlink", "cdlong", CD_LONG, PS_PER_NM, FIELD_SCALED, 1, n), \
	of("dgd", "dgd", DGD, FS, FIELD_SCALED, 1000, n),		\
	of("sopmd", "sopmd", SOPMD, FS2, FIELD_SCALED, 1000000, n),	\
	of("soproc", "soproc", SOP_ROC, KRAD_PER_S, FIELD_SCALED, 1, n), \
	of("pdl", "pdl", PDL, MDB, FIELD_SCALED, 1000, n),		\
	of("osnr", "osnr", OSNR, MDB, FIELD_SCALED, 1000, n),		\
	of("esnr", "esnr", ESNR, MDB, FIELD_SCALED, 1000, n),		\
	of("cfo", "cfo", CFO, MHZ, FIELD_SCALED, 1, n),			\
	of("tx_curr_power", "txcurrpower", TX_POWER, PW, FIELD_DBM, 1, n), \
	of("rx_tot_power", "rxtotpower", RX_TOTAL_POWER, PW, FIELD_DBM, 1, n), \
	of("rx_sig_power", "rxsigpower", RX_SIGNAL_POWER, PW, FIELD_DBM, 1, n)
#define OLD_READING(old, name, quantity, unit, form, scale, n)		\
	OLD_VDM(old, quantity##_##unit, form, scale)
/* Before 2025-05 the flags of VDM are there, too, for the first lane. */
#define OLD_FLAGS(old, name, quantity, unit, form, scale, n)		\
	OLD_EDGES(name, Q_VDM_##quantity##_FLAG, n, "")
#define OLD_THRESHOLDS(old, name, quantity, unit, form, scale, n)	\
	FIELD_EDGES(name, Q_VDM_##quantity##_THRESHOLD_##unit, form, scale, n)
#define OLD_RATIOS(of)							\
	of("", "prefecber", PRE_FEC_BER_AVG, E18, FIELD_RATIO, E18, 1),	\
	of("", "postfecber", FERC_AVG, E18, FIELD_SHARE, E18, 1)
#define PM(name, quantity, form, scale)					\
	{ name "_avg", Q_PM_##quantity, 0, 0, form, scale },		\
	{ name "_min", Q_PM_##quantity, 1, 0, form, scale },		\
	{ name "_max", Q_PM_##quantity, 2, 0, form, scale }

_Static_assert(MODULE_LANES_MAX == 8, "FIELD_LANES_OF() has eight");

/* --- readings: STATE_DB TRANSCEIVER_DOM ----------------------------------- */

static const struct field module_dom[] = {
	FIELD_UPDATED,
	{ "temperature", Q_MODULE_TEMP_MC, 0, 0, FIELD_SCALED, 1000 },
	{ "voltage", Q_MODULE_VCC_UV, 0, 0, FIELD_SCALED, 1000000 },
	{ "laser_temperature", Q_MODULE_LASER_TEMP_MC, 0, 0, FIELD_SCALED,
	  1000 },
	/* Of all lanes together: whole_settle(). */
	{ "rx_los", Q_LANE_RX_LOS, 0, 1, FIELD_BOOL, 1 },
	{ "tx_fault", Q_LANE_TX_FAULT, 0, 1, FIELD_BOOL, 1 },
	{ "laser_config_freq", Q_LANE_LASER_CONFIG_FREQUENCY_MHZ, 0, 1,
	  FIELD_SCALED, 1000 },
	{ "laser_curr_freq", Q_LANE_LASER_FREQUENCY_MHZ, 0, 1, FIELD_SCALED,
	  1000 },
	{ "tx_config_power", Q_LANE_TX_CONFIG_POWER_PW, 0, 1, FIELD_DBM, 1 },
	/* Before 2025-05 VDM is here, for the first lane. */
	OLD_VDM("prefec_ber", PRE_FEC_BER_AVG_E18, FIELD_RATIO, E18),
	OLD_VDM("postfec_ber_avg", FERC_AVG_E18, FIELD_RATIO, E18),
	OLD_VDM("postfec_ber", FERC_AVG_E18, FIELD_RATIO, E18),
	OLD_VDM("postfec_ber_min", FERC_MIN_E18, FIELD_RATIO, E18),
	OLD_VDM("postfec_ber_max", FERC_MAX_E18, FIELD_RATIO, E18),
	OLD_VDM("postfec_curr_val", FERC_E18, FIELD_RATIO, E18),
	LINE(OLD_READING, 1),
	FIELD_LANES_OF(LANE_DOM),
};

static bool is_of_whole(const struct field *f)
{
	return f->quantity == Q_LANE_RX_LOS || f->quantity == Q_LANE_TX_FAULT;
}

/* The lanes with light or a current, a bit each. */
static unsigned lanes_read(const struct row *row, const struct field_index *x)
{
	unsigned lanes = 0;

	for (unsigned i = 0; i < x->count; i++) {
		unsigned what = x->fields[i].quantity;

		if (row_has(row, i) && (what == Q_LANE_RX_POWER_PW ||
					what == Q_LANE_TX_POWER_PW ||
					what == Q_LANE_TX_BIAS_UA))
			lanes |= 1u << x->fields[i].part;
	}
	return lanes;
}

/* Before 2025-05 xcvrd has one word for all lanes of a module, True if each of
 * them has it. False means that one has not, and which one is not known, unless
 * there is only one.
 */
static void whole_settle(struct row *row, const struct field_index *x)
{
	unsigned lanes = lanes_read(row, x);

	if ((lanes & (lanes - 1)) == 0)
		return;
	for (unsigned i = 0; i < x->count; i++) {
		const struct field *f = &x->fields[i];

		if (!is_of_whole(f) || !f->name[0] || !row_has(row, i))
			continue;
		row_drop(row, i);
		for (unsigned n = 0; row->value[i] && n < x->count; n++)
			if (x->fields[n].quantity == f->quantity &&
			    !x->fields[n].name[0] &&
			    lanes >> x->fields[n].part & 1)
				row_set(row, n, 1);
	}
}

/* A short form that xcvrd writes for thermal control. */
static const struct field module_heat[] = {
	FIELD_UPDATED,
	{ "temperature", Q_MODULE_TEMP_MC, 0, 0, FIELD_SCALED, 1000 },
};

/* The external laser source of co-packaged optics. Its lanes are not those of
 * the module, which is the optical engine. What one design of 2026 calls
 * opt_power_monitorN has no unit there: els_row().
 */
enum { ELS_TEXT_POWER = TEXT_UPDATED + 1 };

#define ELS_LANE(n)							\
	{ "optical_power_lane" #n, Q_MODULE_ELS_POWER_PW, (n) - 1, 0,	\
	  FIELD_DBM, 1 },						\
	{ "laser_bias_current_lane" #n, Q_MODULE_ELS_BIAS_UA, (n) - 1, 0, \
	  FIELD_SCALED, 1000 }

static const struct field module_els[] = {
	FIELD_UPDATED,
	{ "temperature", Q_MODULE_ELS_TEMP_MC, 0, 0, FIELD_SCALED, 1000 },
	{ "voltage", Q_MODULE_ELS_VCC_UV, 0, 0, FIELD_SCALED, 1000000 },
	FIELD_AS_TEXT("opt_power_monitor1", ELS_TEXT_POWER),
	FIELD_LANES_OF(ELS_LANE),
};

static const struct field module_thresholds[] = {
	FIELD_EDGES("temp", Q_MODULE_TEMP_THRESHOLD_MC, FIELD_SCALED, 1000, 0),
	FIELD_EDGES("vcc", Q_MODULE_VCC_THRESHOLD_UV, FIELD_SCALED, 1000000, 0),
	FIELD_EDGES("rxpower", Q_MODULE_RX_POWER_THRESHOLD_PW, FIELD_DBM, 1, 0),
	FIELD_EDGES("txpower", Q_MODULE_TX_POWER_THRESHOLD_PW, FIELD_DBM, 1, 0),
	FIELD_EDGES("txbias", Q_MODULE_TX_BIAS_THRESHOLD_UA, FIELD_SCALED, 1000,
		    0),
	FIELD_EDGES("lasertemp", Q_MODULE_LASER_TEMP_THRESHOLD_MC, FIELD_SCALED,
		    1000, 0),
	LINE(OLD_THRESHOLDS, 1),
	OLD_RATIOS(OLD_THRESHOLDS),
	OLD_THRESHOLDS("", "evm", EVM, PPM, FIELD_SCALED, 10000, 1),
};

/* --- flags ---------------------------------------------------------------- */

static const struct field module_dom_flags[] = {
	FIELD_UPDATED,
	MODULE_DOM_FLAGS,
	FIELD_LANES_OF(LANE_DOM_FLAGS),
};

static const struct field module_flags[] = {
	FIELD_UPDATED,
	MODULE_FLAGS,
	COHERENT_FLAGS,
	FIELD_LANES_OF(LANE_FLAGS),
};

/* --- status: names of today, and of images before 2025-05 ----------------- */

static const struct field module_status[] = {
	FIELD_UPDATED,
	{ "module_state", Q_MODULE_STATE, 0, 0, FIELD_WORD,
	  WORDS_MODULE_STATE },
	{ "module_fault_cause", Q_MODULE_FAULT_CAUSE, 0, 0, FIELD_WORD,
	  WORDS_MODULE_FAULT },
	MODULE_FLAGS,
	OLD_MODULE_FLAGS,
	FLAG("tuning_in_progress", Q_LANE_TUNING, 1),
	FLAG("wavelength_unlock_status", Q_LANE_WAVELENGTH_UNLOCKED, 1),
	COHERENT_FLAGS,
	LINE(OLD_FLAGS, 1),
	OLD_RATIOS(OLD_FLAGS),
	FIELD_LANES_OF(LANE_STATUS),
};

/* --- performance of coherent modules -------------------------------------- */

static const struct field module_pm[] = {
	FIELD_UPDATED,
	PM("prefec_ber", PRE_FEC_BER_E18, FIELD_RATIO, E18),
	PM("uncorr_frames", UNCORRECTABLE_FRAMES_E18, FIELD_SHARE, E18),
	PM("cd", CD_PS_PER_NM, FIELD_SCALED, 1),
	PM("dgd", DGD_FS, FIELD_SCALED, 1000),
	PM("sopmd", SOPMD_FS2, FIELD_SCALED, 1000000),
	PM("pdl", PDL_MDB, FIELD_SCALED, 1000),
	PM("osnr", OSNR_MDB, FIELD_SCALED, 1000),
	PM("esnr", ESNR_MDB, FIELD_SCALED, 1000),
	PM("cfo", CFO_MHZ, FIELD_SCALED, 1),
	PM("evm", EVM_PPM, FIELD_SCALED, 10000),
	PM("soproc", SOP_ROC_KRAD_PER_S, FIELD_SCALED, 1),
	PM("tx_power", TX_POWER_PW, FIELD_DBM, 1),
	PM("rx_tot_power", RX_TOTAL_POWER_PW, FIELD_DBM, 1),
	PM("rx_sig_power", RX_SIGNAL_POWER_PW, FIELD_DBM, 1),
};

/* --- rows ----------------------------------------------------------------- */

static struct cage_row *cage_row(struct cage *c, const struct run *r)
{
	assert(r->cage_row < CAGE_ROWS_MAX);
	return &c->row[r->cage_row];
}

bool module_values_first(const struct poll *p, const struct run *r,
			 struct cage *c)
{
	if (cage_row(c, r)->polled == p->serial)
		return false;
	cage_row(c, r)->polled = p->serial;
	return true;
}

struct module_parts {
	const struct namespace *namespace;
	struct cage *cage;
};

/* Part 0 is the module, 1 to 8 its lanes. */
static uint32_t module_entity(void *context, unsigned part)
{
	struct module_parts *parts = context;
	struct cage *c = parts->cage;
	const struct platform_host *host = parts->namespace->host;
	struct entity_key key = { .kind = ENTITY_LANE, .parent = c->module,
				  .number = part };

	if (part == 0)
		return c->module;
	if (c->lane[part] == ENTITY_NONE &&
	    host->entity(host->context, &key, &c->lane[part]) < 0)
		c->lane[part] = ENTITY_NONE;
	return c->lane[part];
}

void module_values_emit(const struct poll *p, const struct run *r,
			struct cage *c, const struct row *row)
{
	struct module_parts parts = { r->namespace, c };
	struct row_target to = {
		.host = r->namespace->host,
		.source = p->source,
		.entity = module_entity,
		.context = &parts,
		.quality = QUALITY_GOOD,
		.age = { .taken = p->asked, .part = r->number },
	};

	(void)row_emit(row, &r->index, &to);
}

/* Keeps the flags, for the cause of a link that is down. */
static void flags_keep(const struct run *r, const struct poll *p,
		       struct cage *c, const struct row *row)
{
	const struct field_index *x = &r->index;

	for (unsigned i = 0; i < x->count; i++) {
		const struct field *f = &x->fields[i];
		unsigned what = field_quantity(x, f);	/* not its changes */
		uint8_t *flags = what == Q_LANE_RX_LOS ? &c->rx_los :
				 what == Q_LANE_TX_FAULT ? &c->tx_fault : NULL;
		uint8_t bit = (uint8_t)(1u << ((f->part - 1u) & 7));

		if (!flags || !row_has(row, i))
			continue;
		*flags = row->value[i] ? *flags | bit :
					 *flags & (uint8_t)~bit;
		c->flags_at = p->asked;
	}
}

/* Implausible values are reported as faults, not as values. A copper cable has
 * no monitors that could be faulty.
 */
static void row_judge(const struct run *r, const struct cage *c,
		      const struct row *row, struct judged *judged,
		      struct row_target *to)
{
	int index = (int)r->table->judged - 1;

	if (index < 0 || (to->quality == QUALITY_IMPLAUSIBLE && c->copper))
		return;
	judge_row(row, &r->index,
		  index != READING_OF_THRESHOLDS, judged);
	if (to->quality == QUALITY_IMPLAUSIBLE)
		judged->fault[0] |= 1u << FAULT_ZERO;
	to->judged = judged;
	to->judged_index = (unsigned)index;
}

/* A supply of 0 V means a module without monitors (a copper cable): its zeros
 * and all-ones are not readings.
 */
static enum sample_quality row_quality(const struct run *r,
				       const struct row *row)
{
	int64_t vcc_uv;

	if (row_value(row, &r->index, Q_MODULE_VCC_UV,
		      &vcc_uv) && vcc_uv <= 0)
		return QUALITY_IMPLAUSIBLE;
	return QUALITY_GOOD;
}

static void values_row(struct poll *p, struct run *r, struct object *o,
		       const struct row *row)
{
	struct cage *c = o->port->cage;
	struct cage_row *kept = cage_row(c, r);
	struct module_parts parts = { r->namespace, c };
	struct row_target to = {
		.host = r->namespace->host,
		.source = p->source,
		.entity = module_entity,
		.context = &parts,
		.quality = row_quality(r, row),
	};
	struct judged judged;

	if (c->module == ENTITY_NONE && c->known && row->values > 0) {
		p->dropped++;
		note_first(p, "%s: values of a module, but TRANSCEIVER_INFO "
			   "has no module there", o->name);
	}
	/* The module is not known yet: the row will be read again. */
	if (c->module == ENTITY_NONE || !module_values_first(p, r, c))
		return;
	flags_keep(r, p, c, row);
	if (age_of_row(r, p, kept, row, &to.age))
		return;
	to.age.part = r->number;
	to.parts = &kept->parts;
	row_judge(r, c, row, &judged, &to);
	(void)row_emit(row, &r->index, &to);
}

static void els_row(struct poll *p, struct run *r, struct object *o,
		    const struct row *row)
{
	values_row(p, r, o, row);
	if (row->text[ELS_TEXT_POWER][0])
		note_first(p, "%s: power and bias of its external laser are "
			   "not read: opt_power_monitor1 has no known unit",
			   o->name);
}

/* When the flags were last set or cleared. */
#define FLAG_TIMES(name_, of_, facet_)					\
	{ MODULE("TRANSCEIVER_" name_, SONIC_FLAG_CHANGES, AGE_CHANGE),	\
	  FIELDS(of_, .facet = (facet_)), .whole = true, .sparse = true, \
	  .take = values_row }

/* --- versatile diagnostics ------------------------------------------------ */

#define V(name, quantity, form, scale, lane)				\
	{ name, Q_VDM_##quantity##_FLAG, 0, lane, form, scale }
#define OF_LANE(old, name, quantity, unit, form, scale, n)		\
	V(name #n, quantity, form, scale, n)
/* Values of the media side, and of the host side. */
#define BOTH(name, quantity, form, scale, n)				\
	V(name "_media_input" #n, quantity, form, scale, n),		\
	V(name "_host_input" #n, HOST_##quantity, form, scale, n)
#define LANE(n)								\
	V("laser_temperature_media" #n, LASER_TEMP,			\
	  FIELD_SCALED, 1000, n),					\
	BOTH("esnr", SNR, FIELD_SCALED, 1000, n),			\
	BOTH("pam4_level_transition", LTP, FIELD_SCALED, 1000, n),	\
	BOTH("prefec_ber_min", PRE_FEC_BER_MIN, FIELD_RATIO, E18, n),	\
	BOTH("prefec_ber_max", PRE_FEC_BER_MAX, FIELD_RATIO, E18, n),	\
	BOTH("prefec_ber_avg", PRE_FEC_BER_AVG, FIELD_RATIO, E18, n),	\
	BOTH("prefec_ber_curr", PRE_FEC_BER, FIELD_RATIO, E18, n),	\
	BOTH("errored_frames_min", FERC_MIN, FIELD_SHARE, E18, n),	\
	BOTH("errored_frames_max", FERC_MAX, FIELD_SHARE, E18, n),	\
	BOTH("errored_frames_avg", FERC_AVG, FIELD_SHARE, E18, n),	\
	BOTH("errored_frames_curr", FERC, FIELD_SHARE, E18, n),		\
	LINE(OF_LANE, n)

_Static_assert(Q_VDM_MER_FLAG - Q_VDM_LASER_AGE_FLAG == 147 - 1,
	       "flags stand by type: enum facet counts on it");

static const struct field vdm[] = {
	FIELD_UPDATED,
	FIELD_LANES_OF(LANE),
};

/* Four tables of each kind, one per edge, in the order of Petrel's index. */
#define VDM(name_, source_, age_, facet_, edge_)			\
	{ MODULE(name_, source_, age_),					\
	  FIELDS(vdm, .facet = (facet_), .edge = (edge_)), .whole = true, \
	  .optional = true, .sparse = true, .take = values_row }
#define VDM_EDGES(name_, source_, age_, facet_)				\
	VDM("TRANSCEIVER_VDM_HALARM_" name_, source_, age_, facet_, 0),	\
	VDM("TRANSCEIVER_VDM_LALARM_" name_, source_, age_, facet_, 1),	\
	VDM("TRANSCEIVER_VDM_HWARN_" name_, source_, age_, facet_, 2),	\
	VDM("TRANSCEIVER_VDM_LWARN_" name_, source_, age_, facet_, 3)
#define VDM_VALUES(name_)						\
	{ MODULE(name_, SONIC_VDM, AGE_ROW),				\
	  FIELDS(vdm, .facet = FACET_VDM_VALUES),			\
	  .judged = 1 + READING_OF_VDM,					\
	  .whole = true, .optional = true, .sparse = true,		\
	  .take = values_row }

/* --- tables --------------------------------------------------------------- */

static const struct table tables[] = {
	{ MODULE("TRANSCEIVER_DOM_SENSOR", SONIC_DOM, AGE_ROW),
	  FIELDS(module_dom), .judged = 1 + READING_OF_MONITORS, .whole = true,
	  .settle = whole_settle, .take = values_row },
	{ MODULE("TRANSCEIVER_DOM_TEMPERATURE", SONIC_HEAT, AGE_ROW),
	  FIELDS(module_heat), .sparse = true, .take = values_row },
	{ MODULE("TRANSCEIVER_DOM_THRESHOLD", SONIC_THRESHOLDS, AGE_CHANGE),
	  FIELDS(module_thresholds), .judged = 1 + READING_OF_THRESHOLDS,
	  .whole = true, .take = values_row },
	/* Images before 2023 keep thresholds with the readings. */
	{ MODULE("TRANSCEIVER_DOM_SENSOR", SONIC_THRESHOLDS, AGE_CHANGE),
	  FIELDS(module_thresholds), .judged = 1 + READING_OF_THRESHOLDS,
	  .sparse = true, .take = values_row },
	{ MODULE("TRANSCEIVER_STATUS_FLAG", SONIC_FLAGS, AGE_ROW),
	  FIELDS(module_flags), .whole = true, .take = values_row },
	{ MODULE("TRANSCEIVER_DOM_FLAG", SONIC_FLAGS, AGE_ROW),
	  FIELDS(module_dom_flags), .whole = true, .optional = true,
	  .sparse = true, .take = values_row },
	{ MODULE("TRANSCEIVER_STATUS", SONIC_STATUS, AGE_ROW),
	  FIELDS(module_status), .judged = 1 + READING_OF_STATES,
	  .whole = true, .take = values_row },
	FLAG_TIMES("STATUS_FLAG_CHANGE_COUNT", module_flags, FACET_CHANGES),
	FLAG_TIMES("DOM_FLAG_CHANGE_COUNT", module_dom_flags, FACET_CHANGES),
	FLAG_TIMES("STATUS_FLAG_SET_TIME", module_flags, FACET_SET_TIMES),
	FLAG_TIMES("STATUS_FLAG_CLEAR_TIME", module_flags, FACET_CLEAR_TIMES),
	FLAG_TIMES("DOM_FLAG_SET_TIME", module_dom_flags, FACET_SET_TIMES),
	FLAG_TIMES("DOM_FLAG_CLEAR_TIME", module_dom_flags, FACET_CLEAR_TIMES),
	{ MODULE("TRANSCEIVER_PM", SONIC_PM, AGE_ROW),
	  FIELDS(module_pm), .whole = true, .sparse = true,
	  .take = values_row },
	/* Images of 2024 keep them with the readings. */
	VDM_VALUES("TRANSCEIVER_DOM_SENSOR"),
	VDM_VALUES("TRANSCEIVER_VDM_REAL_VALUE"),
	VDM_EDGES("FLAG", SONIC_VDM, AGE_ROW, FACET_VDM_FLAGS),
	VDM_EDGES("THRESHOLD", SONIC_THRESHOLDS, AGE_CHANGE,
		  FACET_VDM_THRESHOLDS),
	VDM_EDGES("FLAG_CHANGE_COUNT", SONIC_FLAG_CHANGES, AGE_CHANGE,
		  FACET_VDM_CHANGES),
	VDM_EDGES("FLAG_SET_TIME", SONIC_FLAG_CHANGES, AGE_CHANGE,
		  FACET_VDM_SET_TIMES),
	VDM_EDGES("FLAG_CLEAR_TIME", SONIC_FLAG_CHANGES, AGE_CHANGE,
		  FACET_VDM_CLEAR_TIMES),
	{ MODULE("TRANSCEIVER_ELS_DOM_SENSOR", SONIC_DOM, AGE_ROW),
	  FIELDS(module_els), .optional = true, .sparse = true,
	  .take = els_row },
};

const struct table_list module_values_tables = TABLE_LIST(tables);
