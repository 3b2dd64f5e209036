/* CMIS 3 to 5 and C-CMIS 1.1. Nobody here could read the standards, so the
 * clause of each row is `unread`, with where the register comes from instead:
 * SONiC's memory maps (sonic-platform-common), FBOSS, ethtool's cmis.h, or
 * what is generally known (K).
 */
#include "platform/module/tables.h"

#define SONIC "unread; SONiC mem_maps/public/cmis.py"
#define C_SONIC "unread; SONiC mem_maps/public/c_cmis.py"
#define ETHTOOL "unread; ethtool cmis.h"
#define FBOSS "unread; FBOSS CmisModule.cpp"
#define KNOWN "unread; generally known"

#define LANES MODULE_BANK_LANES
#define EDGES .count = 4
/* A vendor that sets no thresholds leaves four zeroes. */
#define THRESHOLDS .part = MODULE_THRESHOLDS, .count = 4, \
	.judge = JUDGE_ABSENT_ZERO
#define MEASURED (JUDGE_ONES | JUDGE_LEAST)

/* Scales, raw to the quantity's unit. */
#define TEMP .mul = 1000, .div = 256		/* 1/256 C to m°C */
#define VOLTS .mul = 100			/* 100 uV to uV */
#define POWER .mul = 100000			/* 0.1 uW to pW */
#define BIAS .mul = 2, .is_multiplied = true	/* 2 uA to uA */
#define TEC .mul = 1000000, .div = 32767	/* of its maximum, to ppm */

/* A bit per lane, one octet for each index. */
#define LANE_BITS .lanes = LANES, .lane_step = 1, .index_step = 8
#define HOST_BITS LANE_BITS, .is_host_lane = true

static const struct field fields[] = {
	/* monitors */
	{ LOWER, 14, FIELD_S16, Q_MODULE_TEMP_MC, MODULE_MONITORS, TEMP,
	  .judge = MEASURED | JUDGE_BLANK, .blank = 4, .needs = GATE_TEMP,
	  .source = SONIC },
	{ LOWER, 16, FIELD_U16, Q_MODULE_VCC_UV, MODULE_MONITORS, VOLTS,
	  .judge = JUDGE_ONES | JUDGE_ZERO, .needs = GATE_VCC,
	  .source = SONIC },
	{ LOWER, 18, FIELD_S16, Q_MODULE_TEC_CURRENT_PPM, MODULE_MONITORS, TEC,
	  .judge = JUDGE_LEAST, .needs = GATE_AUX1 | GATE_AUX1_TEC,
	  .source = SONIC },
	{ LOWER, 20, FIELD_S16, Q_MODULE_TEC_CURRENT_PPM, MODULE_MONITORS, TEC,
	  .judge = JUDGE_LEAST, .needs = GATE_AUX2 | GATE_AUX2_TEC,
	  .unless = GATE_AUX1_TEC, .source = SONIC },
	{ LOWER, 20, FIELD_S16, Q_MODULE_LASER_TEMP_MC, MODULE_MONITORS, TEMP,
	  .judge = MEASURED, .needs = GATE_AUX2, .unless = GATE_AUX2_TEC,
	  .source = SONIC },
	{ LOWER, 22, FIELD_S16, Q_MODULE_LASER_TEMP_MC, MODULE_MONITORS, TEMP,
	  .judge = MEASURED, .needs = GATE_AUX3 | GATE_AUX2_TEC,
	  .unless = GATE_AUX3_VCC2, .source = SONIC },
	{ LOWER, 22, FIELD_U16, Q_MODULE_VCC2_UV, MODULE_MONITORS, VOLTS,
	  .judge = JUDGE_ONES, .needs = GATE_AUX3 | GATE_AUX3_VCC2,
	  .source = SONIC },
	{ PAGE(0x11), 154, FIELD_U16, Q_LANE_TX_POWER_PW, MODULE_MONITORS,
	  .lanes = LANES, POWER, .judge = JUDGE_ONES,
	  .needs = GATE_TX_POWER, .source = SONIC },
	{ PAGE(0x11), 170, FIELD_U16, Q_LANE_TX_BIAS_UA, MODULE_MONITORS,
	  .lanes = LANES, BIAS, .judge = JUDGE_ONES, .needs = GATE_TX_BIAS,
	  .source = SONIC },
	{ PAGE(0x11), 186, FIELD_U16, Q_LANE_RX_POWER_PW, MODULE_MONITORS,
	  .lanes = LANES, POWER, .judge = JUDGE_ONES,
	  .needs = GATE_RX_POWER, .source = SONIC },

	/* thresholds: high alarm, low alarm, high warning, low warning */
	{ PAGE(0x02), 128, FIELD_S16, Q_MODULE_TEMP_THRESHOLD_MC,
	  THRESHOLDS, TEMP, .needs = GATE_TEMP,
	  .source = SONIC },
	{ PAGE(0x02), 136, FIELD_U16, Q_MODULE_VCC_THRESHOLD_UV,
	  THRESHOLDS, VOLTS, .needs = GATE_VCC,
	  .source = SONIC },
	{ PAGE(0x02), 144, FIELD_S16, Q_MODULE_TEC_CURRENT_THRESHOLD_PPM,
	  THRESHOLDS, TEC, .needs = GATE_AUX1 | GATE_AUX1_TEC,
	  .source = SONIC },
	{ PAGE(0x02), 152, FIELD_S16, Q_MODULE_TEC_CURRENT_THRESHOLD_PPM,
	  THRESHOLDS, TEC, .needs = GATE_AUX2 | GATE_AUX2_TEC,
	  .unless = GATE_AUX1_TEC, .source = SONIC },
	{ PAGE(0x02), 152, FIELD_S16, Q_MODULE_LASER_TEMP_THRESHOLD_MC,
	  THRESHOLDS, TEMP, .needs = GATE_AUX2,
	  .unless = GATE_AUX2_TEC, .source = SONIC },
	{ PAGE(0x02), 160, FIELD_S16, Q_MODULE_LASER_TEMP_THRESHOLD_MC,
	  THRESHOLDS, TEMP, .needs = GATE_AUX3 | GATE_AUX2_TEC,
	  .unless = GATE_AUX3_VCC2, .source = SONIC },
	{ PAGE(0x02), 160, FIELD_U16, Q_MODULE_VCC2_THRESHOLD_UV,
	  THRESHOLDS, VOLTS, .needs = GATE_AUX3 | GATE_AUX3_VCC2,
	  .source = SONIC },
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
	  .needs = GATE_PAGED, .source = SONIC },
	{ PAGE(0x10), 128, FIELD_BITS, Q_LANE_DATA_PATH_DEINIT, MODULE_CONTROLS,
	  HOST_BITS, .source = SONIC },
	{ PAGE(0x10), 130, FIELD_BITS, Q_LANE_TX_DISABLED, MODULE_CONTROLS,
	  LANE_BITS, .needs = GATE_TX_DISABLE, .source = SONIC },
	{ PAGE(0x10), 138, FIELD_BITS, Q_LANE_RX_DISABLED, MODULE_CONTROLS,
	  HOST_BITS, .needs = GATE_RX_DISABLE, .source = SONIC },
	{ PAGE(0x11), 128, FIELD_BITS, Q_LANE_DATA_PATH_STATE, MODULE_STATUS,
	  .width = 4, .lanes = LANES, .is_host_lane = true,
	  .judge = JUDGE_CODE, .codes = 0xfe, .source = SONIC },
	{ PAGE(0x11), 132, FIELD_BITS, Q_LANE_RX_OUTPUT_VALID, MODULE_STATUS,
	  HOST_BITS, .source = SONIC },
	{ PAGE(0x11), 133, FIELD_BITS, Q_LANE_TX_OUTPUT_VALID, MODULE_STATUS,
	  LANE_BITS, .source = SONIC },
	{ PAGE(0x11), 202, FIELD_BITS, Q_LANE_CONFIG_STATUS, MODULE_STATUS,
	  .width = 4, .lanes = LANES, .is_host_lane = true,
	  .judge = JUDGE_CODE, .codes = 0x10ff, .source = SONIC },
	{ PAGE(0x11), 206, FIELD_BITS, Q_LANE_APPLICATION, MODULE_STATUS,
	  .bit = 4, .width = 4, .lanes = LANES, .lane_step = 8,
	  .is_host_lane = true, .source = SONIC },
	{ PAGE(0x11), 206, FIELD_BITS, Q_LANE_DATA_PATH, MODULE_STATUS,
	  .bit = 1, .width = 3, .lanes = LANES, .lane_step = 8, .add = 1,
	  .is_host_lane = true, .source = KNOWN },
	{ PAGE(0x11), 235, FIELD_BITS, Q_LANE_DATA_PATH_INIT_PENDING,
	  MODULE_CONTROLS, HOST_BITS, .source = SONIC },
	{ PAGE(0x11), 221, FIELD_BITS, Q_LANE_TX_CDR_ON, MODULE_CONTROLS,
	  HOST_BITS, .needs = GATE_CDR, .source = KNOWN },
	{ PAGE(0x11), 222, FIELD_BITS, Q_LANE_RX_CDR_ON, MODULE_CONTROLS,
	  HOST_BITS, .needs = GATE_RX_CDR, .source = KNOWN },
	{ PAGE(0x13), 180, FIELD_BITS, Q_LANE_LOOPBACK, MODULE_CONTROLS,
	  LANE_BITS, .count = 2, .needs = GATE_DIAGNOSTICS, .source = SONIC },
	{ PAGE(0x13), 182, FIELD_BITS, Q_LANE_LOOPBACK, MODULE_CONTROLS,
	  HOST_BITS, .count = 2, .first = 2, .needs = GATE_DIAGNOSTICS,
	  .source = SONIC },

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
	{ LOWER, 10, FIELD_BITS, Q_MODULE_TEC_CURRENT_FLAG, MODULE_FLAGS,
	  EDGES, .needs = GATE_AUX1 | GATE_AUX1_TEC, .source = SONIC },
	{ LOWER, 10, FIELD_BITS, Q_MODULE_TEC_CURRENT_FLAG, MODULE_FLAGS,
	  EDGES, .bit = 4, .needs = GATE_AUX2 | GATE_AUX2_TEC,
	  .unless = GATE_AUX1_TEC, .source = SONIC },
	{ LOWER, 10, FIELD_BITS, Q_MODULE_LASER_TEMP_FLAG, MODULE_FLAGS,
	  EDGES, .bit = 4, .needs = GATE_AUX2, .unless = GATE_AUX2_TEC,
	  .source = SONIC },
	{ LOWER, 11, FIELD_BITS, Q_MODULE_LASER_TEMP_FLAG, MODULE_FLAGS,
	  EDGES, .needs = GATE_AUX3 | GATE_AUX2_TEC,
	  .unless = GATE_AUX3_VCC2, .source = SONIC },
	{ LOWER, 11, FIELD_BITS, Q_MODULE_VCC2_FLAG, MODULE_FLAGS, EDGES,
	  .needs = GATE_AUX3 | GATE_AUX3_VCC2, .source = SONIC },
	{ PAGE(0x11), 134, FIELD_BITS, Q_LANE_DATA_PATH_CHANGED_FLAG,
	  MODULE_FLAGS, HOST_BITS, .source = KNOWN },
	{ PAGE(0x11), 135, FIELD_BITS, Q_LANE_TX_FAULT, MODULE_FLAGS,
	  LANE_BITS, .needs = GATE_TX_FAULT, .source = SONIC },
	{ PAGE(0x11), 136, FIELD_BITS, Q_LANE_HOST_LOS_FLAG, MODULE_FLAGS,
	  HOST_BITS, .needs = GATE_TX_LOS, .source = SONIC },
	{ PAGE(0x11), 137, FIELD_BITS, Q_LANE_HOST_CDR_LOL_FLAG, MODULE_FLAGS,
	  HOST_BITS, .needs = GATE_TX_LOL, .source = SONIC },
	{ PAGE(0x11), 138, FIELD_BITS, Q_LANE_TX_EQ_FAULT_FLAG, MODULE_FLAGS,
	  HOST_BITS, .needs = GATE_TX_EQ, .source = SONIC },
	{ PAGE(0x11), 139, FIELD_BITS, Q_LANE_TX_POWER_FLAG, MODULE_FLAGS,
	  LANE_BITS, EDGES, .needs = GATE_TX_POWER, .source = SONIC },
	{ PAGE(0x11), 143, FIELD_BITS, Q_LANE_TX_BIAS_FLAG, MODULE_FLAGS,
	  LANE_BITS, EDGES, .needs = GATE_TX_BIAS, .source = SONIC },
	{ PAGE(0x11), 147, FIELD_BITS, Q_LANE_RX_LOS, MODULE_FLAGS,
	  LANE_BITS, .needs = GATE_RX_LOS, .source = SONIC },
	{ PAGE(0x11), 148, FIELD_BITS, Q_LANE_RX_CDR_LOL_FLAG, MODULE_FLAGS,
	  LANE_BITS, .needs = GATE_RX_LOL, .source = SONIC },
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
	  .bit = 4, .width = 4, .judge = JUDGE_ABSENT_ZERO, .source = SONIC },
	{ LOWER, 88, FIELD_BITS, Q_MODULE_MEDIA_LANES, MODULE_IDENTITY,
	  .width = 4, .judge = JUDGE_ABSENT_ZERO, .source = SONIC },
	{ PAGE(0x01), 138, FIELD_U16, Q_MODULE_WAVELENGTH_PM, MODULE_IDENTITY,
	  .mul = 50, .judge = JUDGE_ABSENT_ZERO, .needs = GATE_OPTICS,
	  .source = ETHTOOL },
	{ PAGE(0x01), 142, FIELD_BITS, Q_MODULE_VDM_SUPPORTED,
	  MODULE_IDENTITY, .bit = 6, .needs = GATE_PAGED, .source = SONIC },
	{ PAGE(0x04), 158, FIELD_CHANNEL_75, Q_MODULE_LASER_FREQUENCY_MIN_GHZ,
	  MODULE_IDENTITY, .needs = GATE_TUNABLE, .source = C_SONIC },
	{ PAGE(0x04), 160, FIELD_CHANNEL_75, Q_MODULE_LASER_FREQUENCY_MAX_GHZ,
	  MODULE_IDENTITY, .needs = GATE_TUNABLE, .source = C_SONIC },
	{ PAGE(0x04), 198, FIELD_CENTI_DBM, Q_MODULE_TX_POWER_MIN_PW,
	  MODULE_IDENTITY, .needs = GATE_TUNABLE, .source = C_SONIC },
	{ PAGE(0x04), 200, FIELD_CENTI_DBM, Q_MODULE_TX_POWER_MAX_PW,
	  MODULE_IDENTITY, .needs = GATE_TUNABLE, .source = C_SONIC },
};

static const struct text_field texts[] = {
	{ PAGE(0x00), 129, 16, TEXT_ASCII, ATTRIBUTE_VENDOR, SONIC },
	{ PAGE(0x00), 145, 3, TEXT_OUI, ATTRIBUTE_OUI, SONIC },
	{ PAGE(0x00), 148, 16, TEXT_ASCII, ATTRIBUTE_PART, SONIC },
	{ PAGE(0x00), 164, 2, TEXT_ASCII, ATTRIBUTE_REVISION, SONIC },
	{ PAGE(0x00), 166, 16, TEXT_ASCII, ATTRIBUTE_SERIAL, SONIC },
	{ PAGE(0x00), 182, 8, TEXT_DATE, ATTRIBUTE_DATE, SONIC },
	{ LOWER, 39, 2, TEXT_VERSION, ATTRIBUTE_FIRMWARE, SONIC },
	{ PAGE(0x01), 128, 2, TEXT_VERSION, ATTRIBUTE_INACTIVE_FIRMWARE,
	  SONIC },
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
	{ GATE_PAGED, LOWER, 2, NO_BIT(7), SONIC },
	{ GATE_DIAGNOSTICS, PAGE(0x01), 142, BIT(5), FBOSS },
	{ GATE_VDM, PAGE(0x01), 142, BIT(6), SONIC },
	{ GATE_AUX1_TEC, PAGE(0x01), 145, BIT(0), SONIC },
	{ GATE_AUX2_TEC, PAGE(0x01), 145, BIT(1), SONIC },
	{ GATE_AUX3_VCC2, PAGE(0x01), 145, BIT(2), SONIC },
	{ GATE_TX_DISABLE, PAGE(0x01), 155, BIT(1), SONIC },
	{ GATE_TUNABLE, PAGE(0x01), 155, BIT(6), ETHTOOL },
	{ GATE_RX_DISABLE, PAGE(0x01), 156, BIT(1), SONIC },
	{ GATE_TX_FAULT, PAGE(0x01), 157, BIT(0), SONIC },
	{ GATE_TX_LOS, PAGE(0x01), 157, BIT(1), SONIC },
	{ GATE_TX_LOL, PAGE(0x01), 157, BIT(2), SONIC },
	{ GATE_TX_EQ, PAGE(0x01), 157, BIT(3), SONIC },
	{ GATE_RX_LOS, PAGE(0x01), 158, BIT(1), SONIC },
	{ GATE_RX_LOL, PAGE(0x01), 158, BIT(2), SONIC },
	{ GATE_TEMP, PAGE(0x01), 159, BIT(0), ETHTOOL },
	{ GATE_VCC, PAGE(0x01), 159, BIT(1), ETHTOOL },
	{ GATE_AUX1, PAGE(0x01), 159, BIT(2), ETHTOOL },
	{ GATE_AUX2, PAGE(0x01), 159, BIT(3), ETHTOOL },
	{ GATE_AUX3, PAGE(0x01), 159, BIT(4), ETHTOOL },
	{ GATE_TX_BIAS, PAGE(0x01), 160, BIT(0), SONIC },
	{ GATE_TX_POWER, PAGE(0x01), 160, BIT(1), SONIC },
	{ GATE_RX_POWER, PAGE(0x01), 160, BIT(2), SONIC },
	{ GATE_CDR, PAGE(0x01), 161, BIT(0), ETHTOOL },
	{ GATE_RX_CDR, PAGE(0x01), 162, BIT(0), ETHTOOL },
	{ GATE_OPTICS, LOWER, 85, 0xff, 1, 2, SONIC },
	/* C- and L-band tunable lasers: what C-CMIS is for */
	{ GATE_COHERENT, PAGE(0x00), 212, 0xff, 0x10, 0x11, SONIC },
};

static const struct checksum_row checksums[] = {
	{ PAGE(0x00), 128, 221, 222, MODULE_IDENTITY },
	{ PAGE(0x01), 130, 254, 255, MODULE_IDENTITY },
	{ PAGE(0x02), 128, 254, 255, MODULE_THRESHOLDS },
	{ PAGE(0x04), 128, 254, 255, MODULE_IDENTITY },
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
};
