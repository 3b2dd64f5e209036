/* CMIS 3 to 5 and C-CMIS 1.1. We could not read the standards. A clause is what
 * the public decoder of Oxide Computer cites for the same octets, and the row
 * agrees with it; otherwise it is `unread`, with the source of the register
 * instead: SONiC's memory maps (sonic-platform-common), FBOSS, ethtool's
 * cmis.h, or general knowledge.
 */
#include "platform/module/register_tables.h"

#define CITED(clause) "CMIS 5.0 " clause " (as Oxide transceiver-control)"
#define SONIC "unread; SONiC mem_maps/public/cmis.py"
#define FBOSS "unread; FBOSS CmisTest.cpp, of an 800ZR module"
#define C_SONIC "unread; SONiC mem_maps/public/c_cmis.py"
#define ETHTOOL "unread; ethtool cmis.h"
#define KNOWN "unread; generally known"

/* Tables of CMIS as in public code, register by register. FBOSS CmisModule.cpp
 * has the same octets for pages 13h and 14h, and SONiC's class for PDDF
 * platforms for patterns and bit errors.
 */
#define TABLE(number) "CMIS 5.2 table " number " (as public register tables)"
#define CDB "CMIS 4.0 table 9-16 (as NVIDIA cci_cmis.h); SONiC, HPE agree"
#define LATER(number) "CMIS 5.4 table " number " (as public register tables)"

#define LANES MODULE_BANK_LANES
#define EDGES .count = 4
/* A vendor that sets no thresholds leaves four zeros. */
#define THRESHOLDS .part = MODULE_THRESHOLDS, .count = 4, \
	.judge = JUDGE_ABSENT_ZERO | JUDGE_ONES
#define MEASURED (JUDGE_ONES | JUDGE_LEAST)

/* Scales, raw to the quantity's unit. */
#define TEMP .mul = 1000, .div = 256		/* 1/256 C to m°C */
#define VOLTS .mul = 100			/* 100 uV to uV */
#define POWER .mul = 100000			/* 0.1 uW to pW */
#define BIAS .mul = 2, .is_multiplied = true	/* 2 uA to uA */
#define TEC .mul = 1000000, .div = 32767	/* of its maximum, to ppm */

/* Aux 1 is a cooler or the vendor's own; aux 2 a laser or a cooler; aux 3 a
 * laser or a supply. The first of two is that of the lower number. A kind
 * counts only if its monitor is there: where that decides, rows take turns.
 */
#define COOLER_AUX_1 .needs = GATE_AUX1 | GATE_AUX1_TEC
#define COOLER_AUX_2 .needs = GATE_AUX2 | GATE_AUX2_TEC, \
	.unless = GATE_AUX1_TEC
#define COOLER_AUX_2_ONLY .needs = GATE_AUX2 | GATE_AUX2_TEC | GATE_AUX1_TEC, \
	.unless = GATE_AUX1
#define COOLER_2 .needs = GATE_AUX1 | GATE_AUX1_TEC | GATE_AUX2 | GATE_AUX2_TEC
#define LASER_AUX_2 .needs = GATE_AUX2, .unless = GATE_AUX2_TEC
#define LASER_AUX_3 .needs = GATE_AUX3 | GATE_AUX2_TEC, \
	.unless = GATE_AUX3_VCC2
#define LASER_AUX_3_ONLY .needs = GATE_AUX3, \
	.unless = GATE_AUX3_VCC2 | GATE_AUX2_TEC | GATE_AUX2
#define LASER_2 .needs = GATE_AUX2 | GATE_AUX3, \
	.unless = GATE_AUX2_TEC | GATE_AUX3_VCC2
#define SUPPLY_AUX_3 .needs = GATE_AUX3 | GATE_AUX3_VCC2

/* A bit per lane, one octet for each index. */
#define LANE_BITS .lanes = LANES, .lane_step = 1, .index_step = 8
#define HOST_BITS LANE_BITS, .is_host_lane = true
#define NIBBLES .width = 4, .lanes = LANES, .is_host_lane = true

/* Page 35h, over the interval: index 0 average, 1 minimum, 2 maximum. */
#define PM(at, how, what, ...) \
	{ PAGE(0x35), (at), (how), (what), MODULE_PM, .count = 3, \
	  .needs = GATE_COHERENT, __VA_ARGS__ }
#define EARLY .source = C_SONIC
#define LATE .judge = JUDGE_ABSENT_ZERO, .source = FBOSS

static const struct register_field fields[] = {
	/* monitors */
	{ LOWER, 14, FIELD_S16, Q_MODULE_TEMP_MC, MODULE_MONITORS, TEMP,
	  HEAT_CAN_BE,
	  .judge = MEASURED | JUDGE_BLANK, .blank = 4, .needs = GATE_TEMP,
	  .source = CITED("section 8.2.5") },
	{ LOWER, 16, FIELD_U16, Q_MODULE_VCC_UV, MODULE_MONITORS, VOLTS,
	  SUPPLY_CAN_BE,
	  .judge = JUDGE_ONES | JUDGE_ZERO, .needs = GATE_VCC,
	  .source = CITED("section 8.2.5") },
	{ LOWER, 18, FIELD_S16, Q_MODULE_TEC_CURRENT_PPM, MODULE_MONITORS,
	  TEC, .judge = JUDGE_LEAST,
	  COOLER_AUX_1, .source = CITED("section 8.2.5") },
	{ LOWER, 20, FIELD_S16, Q_MODULE_TEC_CURRENT_PPM, MODULE_MONITORS,
	  TEC, .judge = JUDGE_LEAST,
	  COOLER_AUX_2, .source = CITED("section 8.2.5") },
	{ LOWER, 20, FIELD_S16, Q_MODULE_TEC_CURRENT_PPM, MODULE_MONITORS,
	  TEC, .judge = JUDGE_LEAST,
	  COOLER_AUX_2_ONLY, .source = CITED("section 8.2.5") },
	{ LOWER, 20, FIELD_S16, Q_MODULE_TEC_2_CURRENT_PPM, MODULE_MONITORS,
	  TEC, .judge = JUDGE_LEAST,
	  COOLER_2, .source = CITED("section 8.2.5") },
	{ LOWER, 20, FIELD_S16, Q_MODULE_LASER_TEMP_MC, MODULE_MONITORS,
	  TEMP, HEAT_CAN_BE, .judge = MEASURED,
	  LASER_AUX_2, .source = CITED("section 8.2.5") },
	{ LOWER, 22, FIELD_S16, Q_MODULE_LASER_TEMP_MC, MODULE_MONITORS,
	  TEMP, HEAT_CAN_BE, .judge = MEASURED,
	  LASER_AUX_3, .source = CITED("section 8.2.5") },
	{ LOWER, 22, FIELD_S16, Q_MODULE_LASER_TEMP_MC, MODULE_MONITORS,
	  TEMP, HEAT_CAN_BE, .judge = MEASURED,
	  LASER_AUX_3_ONLY, .source = CITED("section 8.2.5") },
	{ LOWER, 22, FIELD_S16, Q_MODULE_LASER_2_TEMP_MC, MODULE_MONITORS,
	  TEMP, HEAT_CAN_BE, .judge = MEASURED,
	  LASER_2, .source = CITED("section 8.2.5") },
	{ LOWER, 22, FIELD_U16, Q_MODULE_VCC2_UV, MODULE_MONITORS,
	  VOLTS, .judge = JUDGE_ONES,
	  SUPPLY_AUX_3, .source = CITED("section 8.2.5") },
	{ PAGE(0x11), 154, FIELD_U16, Q_LANE_TX_POWER_PW, MODULE_MONITORS,
	  .lanes = LANES, POWER, .judge = JUDGE_ONES,
	  .needs = GATE_TX_POWER, .source = CITED("section 8.9.4") },
	{ PAGE(0x11), 170, FIELD_U16, Q_LANE_TX_BIAS_UA, MODULE_MONITORS,
	  .lanes = LANES, BIAS, .judge = JUDGE_ONES, .needs = GATE_TX_BIAS,
	  .source = CITED("section 8.9.4") },
	{ PAGE(0x11), 186, FIELD_U16, Q_LANE_RX_POWER_PW, MODULE_MONITORS,
	  .lanes = LANES, POWER, .judge = JUDGE_ONES,
	  .needs = GATE_RX_POWER, .source = CITED("section 8.9.4") },

	/* thresholds: high alarm, low alarm, high warning, low warning */
	{ PAGE(0x02), 128, FIELD_S16, Q_MODULE_TEMP_THRESHOLD_MC,
	  THRESHOLDS, TEMP, .needs = GATE_TEMP,
	  .source = SONIC },
	{ PAGE(0x02), 136, FIELD_U16, Q_MODULE_VCC_THRESHOLD_UV,
	  THRESHOLDS, VOLTS, .needs = GATE_VCC,
	  .source = SONIC },
	{ PAGE(0x02), 144, FIELD_S16, Q_MODULE_TEC_CURRENT_THRESHOLD_PPM,
	  THRESHOLDS, TEC, COOLER_AUX_1, .source = SONIC },
	{ PAGE(0x02), 152, FIELD_S16, Q_MODULE_TEC_CURRENT_THRESHOLD_PPM,
	  THRESHOLDS, TEC, COOLER_AUX_2, .source = SONIC },
	{ PAGE(0x02), 152, FIELD_S16, Q_MODULE_TEC_CURRENT_THRESHOLD_PPM,
	  THRESHOLDS, TEC, COOLER_AUX_2_ONLY, .source = SONIC },
	{ PAGE(0x02), 152, FIELD_S16, Q_MODULE_TEC_2_CURRENT_THRESHOLD_PPM,
	  THRESHOLDS, TEC, COOLER_2, .source = SONIC },
	{ PAGE(0x02), 152, FIELD_S16, Q_MODULE_LASER_TEMP_THRESHOLD_MC,
	  THRESHOLDS, TEMP, LASER_AUX_2, .source = SONIC },
	{ PAGE(0x02), 160, FIELD_S16, Q_MODULE_LASER_TEMP_THRESHOLD_MC,
	  THRESHOLDS, TEMP, LASER_AUX_3, .source = SONIC },
	{ PAGE(0x02), 160, FIELD_S16, Q_MODULE_LASER_TEMP_THRESHOLD_MC,
	  THRESHOLDS, TEMP, LASER_AUX_3_ONLY, .source = SONIC },
	{ PAGE(0x02), 160, FIELD_S16, Q_MODULE_LASER_2_TEMP_THRESHOLD_MC,
	  THRESHOLDS, TEMP, LASER_2, .source = SONIC },
	{ PAGE(0x02), 160, FIELD_U16, Q_MODULE_VCC2_THRESHOLD_UV,
	  THRESHOLDS, VOLTS, SUPPLY_AUX_3, .source = SONIC },
	{ PAGE(0x02), 176, FIELD_U16, Q_MODULE_TX_POWER_THRESHOLD_PW,
	  THRESHOLDS, POWER, .needs = GATE_TX_POWER,
	  .source = SONIC },
	{ PAGE(0x02), 184, FIELD_U16, Q_MODULE_TX_BIAS_THRESHOLD_UA,
	  THRESHOLDS, BIAS, .needs = GATE_TX_BIAS,
	  .source = SONIC },
	{ PAGE(0x02), 192, FIELD_U16, Q_MODULE_RX_POWER_THRESHOLD_PW,
	  THRESHOLDS, POWER, .needs = GATE_RX_POWER,
	  .source = SONIC },

	/* states and controls */
	{ LOWER, 3, FIELD_BITS, Q_MODULE_STATE, MODULE_CONTROLS, .bit = 1,
	  .width = 3, .judge = JUDGE_CODE, .codes = 0x3e,
	  .needs = GATE_PAGED, .source = SONIC },
	{ LOWER, 41, FIELD_U8, Q_MODULE_FAULT_CAUSE, MODULE_STATUS,
	  .needs = GATE_PAGED,
	  .source = SONIC },
	{ LOWER, 26, FIELD_BITS, Q_MODULE_LOW_POWER, MODULE_STATUS, .bit = 4,
	  .needs = GATE_PAGED, .source = CITED("table 8-10") },
	{ PAGE(0x10), 128, FIELD_BITS, Q_LANE_DATA_PATH_DEINIT, MODULE_CONTROLS,
	  HOST_BITS, .unless = GATE_CMIS_3, .source = SONIC },
	/* inverted there: DataPathPwrUp */
	{ PAGE(0x10), 128, FIELD_BITS, Q_LANE_DATA_PATH_DEINIT, MODULE_CONTROLS,
	  HOST_BITS, .is_inverted = true, .needs = GATE_CMIS_3,
	  .source = "unread; SONiC api/public/cmis.py" },
	{ PAGE(0x10), 130, FIELD_BITS, Q_LANE_TX_DISABLED, MODULE_CONTROLS,
	  LANE_BITS, .needs = GATE_TX_DISABLE, .source = CITED("table 8-61") },
	{ PAGE(0x10), 138, FIELD_BITS, Q_LANE_RX_DISABLED, MODULE_CONTROLS,
	  HOST_BITS, .needs = GATE_RX_DISABLE, .source = CITED("table 8-61") },
	{ PAGE(0x10), 129, FIELD_BITS, Q_LANE_TX_POLARITY_FLIPPED,
	  MODULE_CONTROLS, HOST_BITS, .needs = GATE_TX_POLARITY,
	  .source = TABLE("8-62") },
	{ PAGE(0x10), 131, FIELD_BITS, Q_LANE_TX_AUTO_SQUELCH_OFF,
	  MODULE_CONTROLS, LANE_BITS, .needs = GATE_TX_SQUELCH,
	  .source = TABLE("8-62") },
	{ PAGE(0x10), 132, FIELD_BITS, Q_LANE_TX_SQUELCHED, MODULE_CONTROLS,
	  LANE_BITS, .needs = GATE_TX_SQUELCH_FORCE,
	  .source = TABLE("8-62") },
	{ PAGE(0x10), 137, FIELD_BITS, Q_LANE_RX_POLARITY_FLIPPED,
	  MODULE_CONTROLS, HOST_BITS, .needs = GATE_RX_POLARITY,
	  .source = TABLE("8-62") },
	{ PAGE(0x10), 139, FIELD_BITS, Q_LANE_RX_AUTO_SQUELCH_OFF,
	  MODULE_CONTROLS, HOST_BITS, .needs = GATE_RX_SQUELCH,
	  .source = TABLE("8-62") },
	{ PAGE(0x10), 145, FIELD_BITS, Q_LANE_STAGED_APPLICATION,
	  MODULE_CONTROLS, .bit = 4, .width = 4, .lanes = LANES,
	  .lane_step = 8, .is_host_lane = true, .source = SONIC },
	{ PAGE(0x10), 145, FIELD_BITS, Q_LANE_STAGED_DATA_PATH,
	  MODULE_CONTROLS, .bit = 1, .width = 3, .lanes = LANES,
	  .lane_step = 8, .add = 1, .is_host_lane = true, .source = KNOWN },
	{ PAGE(0x11), 128, FIELD_BITS, Q_LANE_DATA_PATH_STATE, MODULE_STATUS,
	  .width = 4, .lanes = LANES, .is_host_lane = true,
	  .judge = JUDGE_CODE, .codes = 0xfe,
	  .source = CITED("section 8.9.1, table 8-73") },
	/* undefined before 5.0: images of 4.0 have zeros */
	{ PAGE(0x11), 132, FIELD_BITS, Q_LANE_RX_OUTPUT_VALID, MODULE_STATUS,
	  HOST_BITS, .needs = GATE_CMIS_5,
	  .source = CITED("table 8-75") },
	{ PAGE(0x11), 133, FIELD_BITS, Q_LANE_TX_OUTPUT_VALID, MODULE_STATUS,
	  LANE_BITS, .needs = GATE_CMIS_5,
	  .source = CITED("table 8-75") },
	{ PAGE(0x11), 202, FIELD_BITS, Q_LANE_CONFIG_STATUS, MODULE_STATUS,
	  .width = 4, .lanes = LANES, .is_host_lane = true,
	  .source = SONIC },
	{ PAGE(0x11), 206, FIELD_BITS, Q_LANE_APPLICATION, MODULE_STATUS,
	  .bit = 4, .width = 4, .lanes = LANES, .lane_step = 8,
	  .is_host_lane = true, .source = SONIC },
	{ PAGE(0x11), 206, FIELD_BITS, Q_LANE_DATA_PATH, MODULE_STATUS,
	  .bit = 1, .width = 3, .lanes = LANES, .lane_step = 8, .add = 1,
	  .is_host_lane = true, .source = KNOWN },
	{ PAGE(0x11), 206, FIELD_HOSTS, Q_LANE_HOST_LANES, MODULE_STATUS,
	  .lanes = LANES, .judge = JUDGE_ABSENT_ZERO,
	  .source = TABLE("8-60") },
	{ PAGE(0x11), 235, FIELD_BITS, Q_LANE_DATA_PATH_INIT_PENDING,
	  MODULE_CONTROLS, HOST_BITS, .source = SONIC },
	{ PAGE(0x11), 221, FIELD_BITS, Q_LANE_TX_CDR_ON, MODULE_CONTROLS,
	  HOST_BITS, .needs = GATE_CDR, .source = KNOWN },
	{ PAGE(0x11), 222, FIELD_BITS, Q_LANE_RX_CDR_ON, MODULE_CONTROLS,
	  HOST_BITS, .needs = GATE_RX_CDR, .source = KNOWN },
	{ PAGE(0x11), 214, FIELD_BITS, Q_LANE_TX_EQ_ADAPTIVE,
	  MODULE_CONTROLS, HOST_BITS, .needs = GATE_TX_EQ_ADAPTIVE,
	  .source = TABLE("8-87") },
	{ PAGE(0x11), 217, FIELD_BITS, Q_LANE_TX_EQ, MODULE_CONTROLS, NIBBLES,
	  .needs = GATE_TX_EQ_FIXED, .source = TABLE("8-87") },
	{ PAGE(0x11), 223, FIELD_BITS, Q_LANE_RX_EQ_PRE_CURSOR,
	  MODULE_CONTROLS, NIBBLES, .needs = GATE_RX_EQ_PRE,
	  .source = TABLE("8-88") },
	{ PAGE(0x11), 227, FIELD_BITS, Q_LANE_RX_EQ_POST_CURSOR,
	  MODULE_CONTROLS, NIBBLES, .needs = GATE_RX_EQ_POST,
	  .source = TABLE("8-88") },
	{ PAGE(0x11), 231, FIELD_BITS, Q_LANE_RX_AMPLITUDE, MODULE_CONTROLS,
	  NIBBLES, .needs = GATE_RX_AMPLITUDE, .source = TABLE("8-88") },
	{ PAGE(0x13), 144, FIELD_BITS, Q_LANE_GENERATOR_ON, MODULE_CONTROLS,
	  HOST_BITS, .needs = GATE_DIAGNOSTICS, .source = LATER("8-110") },
	{ PAGE(0x13), 152, FIELD_BITS, Q_LANE_GENERATOR_ON, MODULE_CONTROLS,
	  LANE_BITS, .first = 1, .needs = GATE_DIAGNOSTICS,
	  .source = LATER("8-110") },
	{ PAGE(0x13), 160, FIELD_BITS, Q_LANE_CHECKER_ON, MODULE_CONTROLS,
	  HOST_BITS, .needs = GATE_DIAGNOSTICS, .source = LATER("8-110") },
	{ PAGE(0x13), 168, FIELD_BITS, Q_LANE_CHECKER_ON, MODULE_CONTROLS,
	  LANE_BITS, .first = 1, .needs = GATE_DIAGNOSTICS,
	  .source = LATER("8-110") },
	{ PAGE(0x13), 180, FIELD_BITS, Q_LANE_LOOPBACK, MODULE_CONTROLS,
	  LANE_BITS, .count = 2, .needs = GATE_DIAGNOSTICS,
	  .source = CITED("table 8-66") },
	{ PAGE(0x13), 182, FIELD_BITS, Q_LANE_LOOPBACK, MODULE_CONTROLS,
	  HOST_BITS, .count = 2, .first = 2, .needs = GATE_DIAGNOSTICS,
	  .source = CITED("table 8-66") },

	/* diagnostics: what the host selected; Petrel never selects */
	{ PAGE(0x14), 128, FIELD_U8, Q_MODULE_DIAGNOSTIC_SELECTED, MODULE_VDM,
	  .judge = JUDGE_ABSENT_ZERO, .needs = GATE_DIAGNOSTICS,
	  .source = LATER("8-136") },
	{ PAGE(0x14), 192, FIELD_F16, Q_LANE_DIAGNOSTIC_BER_E18, MODULE_VDM,
	  .lanes = LANES, .is_host_lane = true, .judge = JUDGE_ONES,
	  .needs = GATE_DIAGNOSTICS | GATE_SELECTED_BER, .source = LATER("8-139") },
	{ PAGE(0x14), 208, FIELD_F16, Q_LANE_DIAGNOSTIC_BER_E18, MODULE_VDM,
	  .lanes = LANES, .first = 1, .judge = JUDGE_ONES,
	  .needs = GATE_DIAGNOSTICS | GATE_SELECTED_BER, .source = LATER("8-139") },
	{ PAGE(0x14), 208, FIELD_U16_LOW, Q_LANE_DIAGNOSTIC_SNR_MDB,
	  MODULE_VDM, .lanes = LANES, .is_host_lane = true, TEMP,
	  .judge = JUDGE_ONES | JUDGE_ABSENT_ZERO,
	  .needs = GATE_DIAGNOSTICS | GATE_SELECTED_SNR, .source = LATER("8-139") },
	{ PAGE(0x14), 240, FIELD_U16_LOW, Q_LANE_DIAGNOSTIC_SNR_MDB,
	  MODULE_VDM, .lanes = LANES, .first = 1, TEMP,
	  .judge = JUDGE_ONES | JUDGE_ABSENT_ZERO,
	  .needs = GATE_DIAGNOSTICS | GATE_SELECTED_SNR, .source = LATER("8-139") },
	{ PAGE(0x2f), 128, FIELD_BITS, Q_MODULE_VDM_GROUPS, MODULE_VDM,
	  .width = 2, .add = 1, .needs = GATE_VDM, .source = SONIC },
	{ PAGE(0x2f), 144, FIELD_BITS, Q_MODULE_VDM_FREEZE_ASKED, MODULE_VDM,
	  .bit = 7, .needs = GATE_VDM, .source = SONIC },
	{ PAGE(0x2f), 145, FIELD_BITS, Q_MODULE_VDM_FROZEN, MODULE_VDM,
	  .bit = 7, .needs = GATE_VDM, .source = SONIC },

	/* tunable lasers */
	{ PAGE(0x12), 136, FIELD_CHANNEL, Q_LANE_LASER_CONFIG_FREQUENCY_MHZ,
	  MODULE_CONTROLS, .lanes = LANES, .needs = GATE_TUNABLE,
	  .source = SONIC },
	{ PAGE(0x12), 168, FIELD_U32, Q_LANE_LASER_FREQUENCY_MHZ,
	  MODULE_CONTROLS, .lanes = LANES, .judge = JUDGE_ABSENT_ZERO,
	  .needs = GATE_TUNABLE, .source = SONIC },
	{ PAGE(0x12), 200, FIELD_CENTI_DBM, Q_LANE_TX_CONFIG_POWER_PW,
	  MODULE_CONTROLS, .lanes = LANES, .needs = GATE_TUNABLE,
	  .source = SONIC },
	{ PAGE(0x12), 222, FIELD_BITS, Q_LANE_TUNING, MODULE_CONTROLS, .bit = 1,
	  .lanes = LANES, .lane_step = 8, .needs = GATE_TUNABLE,
	  .source = SONIC },
	{ PAGE(0x12), 222, FIELD_BITS, Q_LANE_WAVELENGTH_UNLOCKED,
	  MODULE_CONTROLS, .lanes = LANES, .lane_step = 8,
	  .needs = GATE_TUNABLE, .source = SONIC },

	/* flags: reading clears them, so the owner's only */
	{ LOWER, 8, FIELD_BITS, Q_MODULE_STATE_CHANGED_FLAG, MODULE_FLAGS,
	  .needs = GATE_PAGED, .source = SONIC },
	{ LOWER, 8, FIELD_BITS, Q_MODULE_FIRMWARE_FAULT_FLAG, MODULE_FLAGS,
	  .bit = 1, .needs = GATE_PAGED, .source = SONIC },
	{ LOWER, 8, FIELD_BITS, Q_MODULE_DATA_PATH_FIRMWARE_FAULT_FLAG,
	  MODULE_FLAGS, .bit = 2, .needs = GATE_PAGED, .source = SONIC },
	{ LOWER, 9, FIELD_BITS, Q_MODULE_TEMP_FLAG, MODULE_FLAGS, EDGES,
	  .needs = GATE_TEMP, .source = SONIC },
	{ LOWER, 9, FIELD_BITS, Q_MODULE_VCC_FLAG, MODULE_FLAGS, EDGES,
	  .bit = 4, .needs = GATE_VCC, .source = SONIC },
	{ LOWER, 10, FIELD_BITS, Q_MODULE_TEC_CURRENT_FLAG, MODULE_FLAGS, EDGES,
	  COOLER_AUX_1, .source = SONIC },
	{ LOWER, 10, FIELD_BITS, Q_MODULE_TEC_CURRENT_FLAG, MODULE_FLAGS, EDGES,
	  .bit = 4, COOLER_AUX_2, .source = SONIC },
	{ LOWER, 10, FIELD_BITS, Q_MODULE_TEC_CURRENT_FLAG, MODULE_FLAGS, EDGES,
	  .bit = 4, COOLER_AUX_2_ONLY, .source = SONIC },
	{ LOWER, 10, FIELD_BITS, Q_MODULE_TEC_2_CURRENT_FLAG, MODULE_FLAGS, EDGES,
	  .bit = 4, COOLER_2, .source = SONIC },
	{ LOWER, 10, FIELD_BITS, Q_MODULE_LASER_TEMP_FLAG, MODULE_FLAGS, EDGES,
	  .bit = 4, LASER_AUX_2, .source = SONIC },
	{ LOWER, 11, FIELD_BITS, Q_MODULE_LASER_TEMP_FLAG, MODULE_FLAGS, EDGES,
	  LASER_AUX_3, .source = SONIC },
	{ LOWER, 11, FIELD_BITS, Q_MODULE_LASER_TEMP_FLAG, MODULE_FLAGS, EDGES,
	  LASER_AUX_3_ONLY, .source = SONIC },
	{ LOWER, 11, FIELD_BITS, Q_MODULE_LASER_2_TEMP_FLAG, MODULE_FLAGS, EDGES,
	  LASER_2, .source = SONIC },
	{ LOWER, 11, FIELD_BITS, Q_MODULE_VCC2_FLAG, MODULE_FLAGS, EDGES,
	  SUPPLY_AUX_3, .source = SONIC },
	{ PAGE(0x11), 134, FIELD_BITS, Q_LANE_DATA_PATH_CHANGED_FLAG,
	  MODULE_FLAGS, HOST_BITS, .source = KNOWN },
	{ PAGE(0x11), 135, FIELD_BITS, Q_LANE_TX_FAULT, MODULE_FLAGS,
	  LANE_BITS, .needs = GATE_TX_FAULT, .source = CITED("table 8-77") },
	{ PAGE(0x11), 136, FIELD_BITS, Q_LANE_HOST_LOS_FLAG, MODULE_FLAGS,
	  HOST_BITS, .needs = GATE_TX_LOS, .source = CITED("table 8-77") },
	{ PAGE(0x11), 137, FIELD_BITS, Q_LANE_HOST_CDR_LOL_FLAG, MODULE_FLAGS,
	  HOST_BITS, .needs = GATE_TX_LOL, .source = CITED("table 8-77") },
	{ PAGE(0x11), 138, FIELD_BITS, Q_LANE_TX_EQ_FAULT_FLAG, MODULE_FLAGS,
	  HOST_BITS, .needs = GATE_TX_EQ, .source = CITED("table 8-77") },
	{ PAGE(0x11), 139, FIELD_BITS, Q_LANE_TX_POWER_FLAG, MODULE_FLAGS,
	  LANE_BITS, EDGES, .needs = GATE_TX_POWER, .source = SONIC },
	{ PAGE(0x11), 143, FIELD_BITS, Q_LANE_TX_BIAS_FLAG, MODULE_FLAGS,
	  LANE_BITS, EDGES, .needs = GATE_TX_BIAS, .source = SONIC },
	{ PAGE(0x11), 147, FIELD_BITS, Q_LANE_RX_LOS, MODULE_FLAGS,
	  LANE_BITS, .needs = GATE_RX_LOS, .source = CITED("table 8-78") },
	{ PAGE(0x11), 148, FIELD_BITS, Q_LANE_RX_CDR_LOL_FLAG, MODULE_FLAGS,
	  LANE_BITS, .needs = GATE_RX_LOL, .source = CITED("table 8-78") },
	{ PAGE(0x11), 149, FIELD_BITS, Q_LANE_RX_POWER_FLAG, MODULE_FLAGS,
	  LANE_BITS, EDGES, .needs = GATE_RX_POWER, .source = SONIC },
	{ PAGE(0x12), 231, FIELD_BITS, Q_LANE_TUNING_COMPLETE_FLAG,
	  MODULE_FLAGS, .bit = 0, .lanes = LANES, .lane_step = 8,
	  .needs = GATE_TUNABLE, .source = SONIC },
	{ PAGE(0x12), 231, FIELD_BITS, Q_LANE_INVALID_CHANNEL_FLAG,
	  MODULE_FLAGS, .bit = 2, .lanes = LANES, .lane_step = 8,
	  .needs = GATE_TUNABLE, .source = SONIC },
	{ PAGE(0x12), 231, FIELD_BITS, Q_LANE_TUNING_NOT_ACCEPTED_FLAG,
	  MODULE_FLAGS, .bit = 3, .lanes = LANES, .lane_step = 8,
	  .needs = GATE_TUNABLE, .source = SONIC },
	{ PAGE(0x12), 231, FIELD_BITS, Q_LANE_FINE_TUNING_OOR_FLAG,
	  MODULE_FLAGS, .bit = 4, .lanes = LANES, .lane_step = 8,
	  .needs = GATE_TUNABLE, .source = SONIC },
	{ PAGE(0x12), 231, FIELD_BITS, Q_LANE_TX_POWER_OOR_FLAG,
	  MODULE_FLAGS, .bit = 5, .lanes = LANES, .lane_step = 8,
	  .needs = GATE_TUNABLE, .source = SONIC },

	/* what it is */
	{ PAGE(0x00), 200, FIELD_BITS, Q_MODULE_POWER_CLASS, MODULE_IDENTITY,
	  .bit = 5, .width = 3, .add = 1, .source = SONIC },
	{ PAGE(0x00), 201, FIELD_U8, Q_MODULE_MAX_POWER_UW, MODULE_IDENTITY,
	  .mul = 250000, .judge = JUDGE_ABSENT_ZERO, .source = SONIC },
	{ LOWER, 88, FIELD_BITS, Q_MODULE_HOST_LANES, MODULE_IDENTITY,
	  .bit = 4, .width = 4, .judge = JUDGE_ABSENT_ZERO,
	  .source = CITED("tables 8-18, 8-19") },
	{ LOWER, 88, FIELD_BITS, Q_MODULE_MEDIA_LANES, MODULE_IDENTITY,
	  .width = 4, .judge = JUDGE_ABSENT_ZERO,
	  .source = CITED("tables 8-18, 8-19") },
	{ PAGE(0x01), 138, FIELD_U16, Q_MODULE_WAVELENGTH_PM, MODULE_IDENTITY,
	  .mul = 50, .judge = JUDGE_ABSENT_ZERO, .needs = GATE_OPTICS,
	  .source = ETHTOOL },
	{ PAGE(0x01), 140, FIELD_U16, Q_MODULE_WAVELENGTH_TOLERANCE_PM,
	  MODULE_IDENTITY, .mul = 5, .judge = JUDGE_ABSENT_ZERO,
	  .needs = GATE_OPTICS, .source = ETHTOOL },
	{ PAGE(0x01), 132, FIELD_REACH, Q_MODULE_REACH_M, MODULE_IDENTITY,
	  .judge = JUDGE_ABSENT_ZERO, .needs = GATE_OPTICS,
	  .source = ETHTOOL },
	{ PAGE(0x01), 133, FIELD_U8, Q_MODULE_REACH_M, MODULE_IDENTITY,
	  .first = 5, .mul = 2, .judge = JUDGE_ABSENT_ZERO,
	  .needs = GATE_OPTICS, .source = ETHTOOL },
	{ PAGE(0x01), 134, FIELD_U8, Q_MODULE_REACH_M, MODULE_IDENTITY,
	  .first = 4, .mul = 2, .judge = JUDGE_ABSENT_ZERO,
	  .needs = GATE_OPTICS, .source = ETHTOOL },
	{ PAGE(0x01), 135, FIELD_U8, Q_MODULE_REACH_M, MODULE_IDENTITY,
	  .first = 3, .mul = 2, .judge = JUDGE_ABSENT_ZERO,
	  .needs = GATE_OPTICS, .source = ETHTOOL },
	{ PAGE(0x01), 136, FIELD_U8, Q_MODULE_REACH_M, MODULE_IDENTITY,
	  .first = 2, .judge = JUDGE_ABSENT_ZERO, .needs = GATE_OPTICS,
	  .source = ETHTOOL },
	{ PAGE(0x00), 204, FIELD_U8, Q_MODULE_ATTENUATION_MDB,
	  MODULE_IDENTITY, .count = 4, .first = 1, .mul = 1000,
	  .judge = JUDGE_ABSENT_ZERO, .needs = GATE_COPPER,
	  .source = ETHTOOL },
	{ PAGE(0x00), 208, FIELD_U8, Q_MODULE_ATTENUATION_MDB,
	  MODULE_IDENTITY, .first = 5, .mul = 1000,
	  .judge = JUDGE_ABSENT_ZERO, .needs = GATE_COPPER,
	  .source = KNOWN },
	{ PAGE(0x01), 146, FIELD_S8, Q_MODULE_CASE_TEMP_LIMIT_MC,
	  MODULE_IDENTITY, .count = 2, .mul = 1000,
	  .judge = JUDGE_ABSENT_ZERO, .source = KNOWN },
	{ PAGE(0x01), 151, FIELD_BITS, Q_MODULE_RX_POWER_AVERAGE,
	  MODULE_IDENTITY, .bit = 4, .needs = GATE_RX_POWER,
	  .source = ETHTOOL },
	{ PAGE(0x01), 142, FIELD_BITS, Q_MODULE_VDM_SUPPORTED,
	  MODULE_IDENTITY, .bit = 6, .needs = GATE_PAGED,
	  .source = CITED("section 8.4.4, table 8-40") },
	{ PAGE(0x04), 158, FIELD_CHANNEL_75, Q_MODULE_LASER_FREQUENCY_MIN_GHZ,
	  MODULE_IDENTITY, .needs = GATE_TUNABLE, .source = C_SONIC },
	{ PAGE(0x04), 160, FIELD_CHANNEL_75, Q_MODULE_LASER_FREQUENCY_MAX_GHZ,
	  MODULE_IDENTITY, .needs = GATE_TUNABLE, .source = C_SONIC },
	{ PAGE(0x04), 198, FIELD_CENTI_DBM, Q_MODULE_TX_POWER_MIN_PW,
	  MODULE_IDENTITY, .needs = GATE_TUNABLE, .source = C_SONIC },
	{ PAGE(0x04), 200, FIELD_CENTI_DBM, Q_MODULE_TX_POWER_MAX_PW,
	  MODULE_IDENTITY, .needs = GATE_TUNABLE, .source = C_SONIC },

	/* performance monitoring of coherent modules */
	PM(128, FIELD_S32, Q_PM_CD_PS_PER_NM, .mul = 1, EARLY),
	PM(140, FIELD_U16, Q_PM_DGD_FS, .mul = 10, EARLY),
	PM(146, FIELD_U16, Q_PM_SOPMD_FS2, .mul = 10000, EARLY),
	PM(152, FIELD_U16, Q_PM_PDL_MDB, .mul = 100, EARLY),
	PM(158, FIELD_U16, Q_PM_OSNR_MDB, .mul = 100, EARLY),
	PM(164, FIELD_U16, Q_PM_ESNR_MDB, .mul = 100, EARLY),
	PM(170, FIELD_S16, Q_PM_CFO_MHZ, .mul = 1, EARLY),
	PM(176, FIELD_U16, Q_PM_EVM_PPM, .mul = 1000000, .div = 65535, EARLY),
	PM(182, FIELD_CENTI_DBM, Q_PM_TX_POWER_PW,
	    .judge = JUDGE_LEAST, EARLY),
	PM(188, FIELD_CENTI_DBM, Q_PM_RX_TOTAL_POWER_PW,
	    .judge = JUDGE_LEAST, EARLY),
	PM(194, FIELD_CENTI_DBM, Q_PM_RX_SIGNAL_POWER_PW,
	    .judge = JUDGE_LEAST, EARLY),
	PM(200, FIELD_U16, Q_PM_SOP_ROC_KRAD_PER_S, .mul = 1, EARLY),
	PM(206, FIELD_U16, Q_PM_MER_MDB, .mul = 100, EARLY),
	/* modules of an earlier C-CMIS leave these blank */
	PM(212, FIELD_S16, Q_PM_CLOCK_RECOVERY_LOOP_PPM, LATE,
	    .mul = 1000000, .div = 32767),
	PM(218, FIELD_U16, Q_PM_SOPMD_LOW_FS2, LATE, .mul = 1000000),
	PM(224, FIELD_S16, Q_PM_SNR_MARGIN_MDB, LATE, .mul = 100),
	PM(230, FIELD_U16, Q_PM_Q_FACTOR_MDB, LATE, .mul = 100),
	PM(236, FIELD_S16, Q_PM_Q_MARGIN_MDB, LATE, .mul = 100),
};

static const struct text_field texts[] = {
	{ PAGE(0x00), 129, 16, TEXT_ASCII, ATTRIBUTE_VENDOR,
	  CITED("table 8-24") },
	{ PAGE(0x00), 145, 3, TEXT_OUI, ATTRIBUTE_OUI, CITED("table 8-24") },
	{ PAGE(0x00), 148, 16, TEXT_ASCII, ATTRIBUTE_PART,
	  CITED("table 8-24") },
	{ PAGE(0x00), 164, 2, TEXT_ASCII, ATTRIBUTE_REVISION,
	  CITED("table 8-24") },
	{ PAGE(0x00), 166, 16, TEXT_ASCII, ATTRIBUTE_SERIAL,
	  CITED("table 8-24") },
	{ PAGE(0x00), 182, 8, TEXT_DATE, ATTRIBUTE_DATE, CITED("table 8-24") },
	{ PAGE(0x00), 190, 10, TEXT_ASCII, ATTRIBUTE_CLEI, ETHTOOL },
	{ LOWER, 39, 2, TEXT_VERSION, ATTRIBUTE_FIRMWARE, SONIC },
	{ PAGE(0x01), 128, 2, TEXT_VERSION, ATTRIBUTE_INACTIVE_FIRMWARE,
	  SONIC },
	{ PAGE(0x9f), 128, 128, TEXT_FIRMWARE_IMAGES,
	  ATTRIBUTE_FIRMWARE_IMAGES, CDB },
	{ PAGE(0x01), 130, 2, TEXT_VERSION, ATTRIBUTE_HARDWARE, SONIC },
	{ LOWER, 1, 1, TEXT_STANDARD, ATTRIBUTE_STANDARD, SONIC },
	{ LOWER, 0, 1, TEXT_FORM_FACTOR, ATTRIBUTE_FORM_FACTOR, SONIC },
	{ PAGE(0x00), 203, 1, TEXT_CONNECTOR, ATTRIBUTE_CONNECTOR, SONIC },
	{ PAGE(0x00), 212, 1, TEXT_TECHNOLOGY, ATTRIBUTE_TECHNOLOGY, SONIC },
	{ LOWER, 85, 1, TEXT_MEDIA, ATTRIBUTE_MEDIA, SONIC },
	{ LOWER, 85, 1, TEXT_CABLE, ATTRIBUTE_CABLE, SONIC },
	{ PAGE(0x00), 202, 1, TEXT_LENGTH, ATTRIBUTE_CABLE_LENGTH, SONIC },
	{ LOWER, 85, 1, TEXT_APPLICATIONS, ATTRIBUTE_APPLICATIONS, SONIC },
};

#define BIT(n) (1u << (n)), (1u << (n)), (1u << (n))
#define NO_BIT(n) (1u << (n)), 0, 0

static const struct gate_row gates[] = {
	{ GATE_CMIS_3, LOWER, 1, 0xf0, 0x10, 0x30, SONIC },
	{ GATE_CMIS_5, LOWER, 1, 0xf0, 0x50, 0xf0, SONIC },
	{ GATE_PAGED, LOWER, 2, NO_BIT(7), CITED("table 8-4") },
	{ GATE_DIAGNOSTICS, PAGE(0x01), 142, BIT(5),
	  CITED("section 8.4.4, table 8-40") },
	{ GATE_VDM, PAGE(0x01), 142, BIT(6),
	  CITED("section 8.4.4, table 8-40") },
	{ GATE_AUX1_TEC, PAGE(0x01), 145, BIT(0), SONIC },
	{ GATE_AUX2_TEC, PAGE(0x01), 145, BIT(1), SONIC },
	{ GATE_AUX3_VCC2, PAGE(0x01), 145, BIT(2), SONIC },
	{ GATE_TX_DISABLE, PAGE(0x01), 155, BIT(1),
	  CITED("section 8.4.7, table 8-44") },
	{ GATE_TUNABLE, PAGE(0x01), 155, BIT(6),
	  CITED("section 8.4.7, table 8-44") },
	{ GATE_RX_DISABLE, PAGE(0x01), 156, BIT(1),
	  CITED("section 8.4.7, table 8-44") },
	{ GATE_TX_FAULT, PAGE(0x01), 157, BIT(0),
	  CITED("section 8.4.7, table 8-44") },
	{ GATE_TX_LOS, PAGE(0x01), 157, BIT(1),
	  CITED("section 8.4.7, table 8-44") },
	{ GATE_TX_LOL, PAGE(0x01), 157, BIT(2),
	  CITED("section 8.4.7, table 8-44") },
	{ GATE_TX_EQ, PAGE(0x01), 157, BIT(3),
	  CITED("section 8.4.7, table 8-44") },
	{ GATE_RX_LOS, PAGE(0x01), 158, BIT(1),
	  CITED("section 8.4.7, table 8-44") },
	{ GATE_RX_LOL, PAGE(0x01), 158, BIT(2),
	  CITED("section 8.4.7, table 8-44") },
	{ GATE_TEMP, PAGE(0x01), 159, BIT(0), CITED("section 8.4.9") },
	{ GATE_VCC, PAGE(0x01), 159, BIT(1), CITED("section 8.4.9") },
	{ GATE_AUX1, PAGE(0x01), 159, BIT(2), CITED("section 8.4.9") },
	{ GATE_AUX2, PAGE(0x01), 159, BIT(3), CITED("section 8.4.9") },
	{ GATE_AUX3, PAGE(0x01), 159, BIT(4), CITED("section 8.4.9") },
	{ GATE_TX_BIAS, PAGE(0x01), 160, BIT(0), CITED("section 8.4.9") },
	{ GATE_TX_POWER, PAGE(0x01), 160, BIT(1), CITED("section 8.4.9") },
	{ GATE_RX_POWER, PAGE(0x01), 160, BIT(2), CITED("section 8.4.9") },
	{ GATE_CDR, PAGE(0x01), 161, BIT(0), ETHTOOL },
	{ GATE_RX_CDR, PAGE(0x01), 162, BIT(0), ETHTOOL },
	{ GATE_CDB, PAGE(0x01), 163, 0xc0, 0x40, 0x80, SONIC },
	{ GATE_TX_POLARITY, PAGE(0x01), 155, BIT(0), TABLE("8-62") },
	{ GATE_TX_SQUELCH, PAGE(0x01), 155, BIT(2), TABLE("8-62") },
	{ GATE_TX_SQUELCH_FORCE, PAGE(0x01), 155, BIT(3), TABLE("8-62") },
	{ GATE_RX_POLARITY, PAGE(0x01), 156, BIT(0), TABLE("8-62") },
	{ GATE_RX_SQUELCH, PAGE(0x01), 156, BIT(2), TABLE("8-62") },
	{ GATE_TX_EQ_FIXED, PAGE(0x01), 161, BIT(2), SONIC },
	{ GATE_TX_EQ_ADAPTIVE, PAGE(0x01), 161, BIT(3), SONIC },
	{ GATE_RX_AMPLITUDE, PAGE(0x01), 162, BIT(2), SONIC },
	{ GATE_RX_EQ_PRE, PAGE(0x01), 162, BIT(3), SONIC },
	{ GATE_RX_EQ_POST, PAGE(0x01), 162, BIT(4), SONIC },
	{ GATE_SELECTED_BER, PAGE(0x14), 128, 0xff, 1, 1, LATER("8-137") },
	{ GATE_SELECTED_SNR, PAGE(0x14), 128, 0xff, 6, 6, LATER("8-137") },
	{ GATE_OPTICS, LOWER, 85, 0xff, 1, 2, SONIC },
	{ GATE_COPPER, LOWER, 85, 0xff, 3, 3, SONIC },
	/* C- and L-band tunable lasers, which C-CMIS is for */
	{ GATE_COHERENT, PAGE(0x00), 212, 0xff, 0x10, 0x11, SONIC },
	{ GATE_COHERENT, PAGE(0x01), 142, BIT(4), KNOWN },
};

static const struct checksum_row checksums[] = {
	{ PAGE(0x00), 128, 221, 222, MODULE_IDENTITY },
	{ PAGE(0x01), 130, 254, 255, MODULE_IDENTITY },
	{ PAGE(0x02), 128, 254, 255, MODULE_THRESHOLDS },
	{ PAGE(0x04), 128, 254, 255, MODULE_IDENTITY },
};

/* Implausible contents of a page. States at the start of a page stand for the
 * rest of it.
 */
#define WHOLE .from = 128, .to = 255
#define ONES(page) { PAGE(page), VOID_ONES, 128, 255, WHOLE }
#define BLANK(page) { PAGE(page), VOID_ZERO | VOID_ONES, 128, 255, WHOLE }
#define SILENT(page) { PAGE(page), VOID_SILENT | VOID_ONES, 128, 255, WHOLE }
static const struct void_row voids[] = {
	{ LOWER, VOID_CODES, 3, 3, 3, 41, .mask = 7, .shift = 1, .step = 8,
	  .codes = 0x3e, .needs = GATE_PAGED },
	{ PAGE(0x00), VOID_ZERO | VOID_ONES, 128, 221, WHOLE },
	BLANK(0x01),
	ONES(0x02),
	BLANK(0x04),
	ONES(0x10),
	{ PAGE(0x11), VOID_CODES, 128, 131, WHOLE, .mask = 0xf, .step = 4,
	  .codes = 0xfe },
	ONES(0x11),
	BLANK(0x12),
	ONES(0x13), ONES(0x14), ONES(0x20), ONES(0x21), ONES(0x22),
	ONES(0x23),
	SILENT(0x24), SILENT(0x25), SILENT(0x26), SILENT(0x27),
	ONES(0x28), ONES(0x29), ONES(0x2a), ONES(0x2b), ONES(0x2c),
	ONES(0x2f),
	{ PAGE(0x34), VOID_ONES, 128, 187, WHOLE },
	{ PAGE(0x35), VOID_ZERO | VOID_ONES, 128, 211, WHOLE },
};

static const struct latched_row latched[] = {
	{ LOWER, 8, 13 },
	{ PAGE(0x11), 134, 153 },
	{ PAGE(0x12), 230, 239 },
	{ PAGE(0x14), 132, 149 },
	{ PAGE(0x2c), 128, 255 },
};

const struct module_tables cmis_tables = {
	"CMIS",
	fields, TABLE_COUNT(fields),
	texts, TABLE_COUNT(texts),
	gates, TABLE_COUNT(gates),
	checksums, TABLE_COUNT(checksums),
	latched, TABLE_COUNT(latched),
	voids, TABLE_COUNT(voids),
	GATE_AUX1_TEC | GATE_AUX2_TEC | GATE_AUX3_VCC2 | GATE_CMIS_3,
};
