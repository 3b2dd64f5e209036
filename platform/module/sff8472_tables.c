/* SFF-8472: SFP to SFP56. We could not read the standard; each row names its
 * source instead.
 */
#include "platform/module/register_tables.h"

#define SONIC "unread; SONiC mem_maps/public/sff8472.py"
#define ETHTOOL "unread; ethtool sfpdiag.c"
#define ETHTOOL_ID "unread; ethtool sfpid.c, Linux include/linux/sfp.h"
#define LINUX "unread; Linux include/linux/sfp.h, drivers/net/phy/sfp.c"
#define SFF8024 "SFF-8024 rev 4.14 tables 4-3, 4-4 (as code.c)"
/* Two independent decoders, and Linux for 118. */
#define EXTENDED "SFF-8472 12.4 tables 9-11, 10-1 (as public decoders)"
#define LEVELS "SFF-8472 12.4 section 6.3.24 (as TransceiverTool)"
#define TUNABLE "SFF-8690 1.5 (as OptiDiag)"
#define KNOWN "unread; generally known"

#define EDGES .count = 4
/* A vendor that sets no thresholds leaves four zeros. */
#define THRESHOLDS .part = MODULE_THRESHOLDS, .count = 4, \
	.judge = JUDGE_ABSENT_ZERO | JUDGE_ONES
#define ONE_LANE .lanes = 1
#define MEASURED (JUDGE_ONES | JUDGE_LEAST)
#define TEMP .mul = 1000, .div = 256, .calibration = CALIBRATION_TEMP
#define VOLTS .mul = 100, .calibration = CALIBRATION_VCC
#define BIAS .mul = 2, .calibration = CALIBRATION_TX_BIAS
#define TX_POWER .mul = 100000, .calibration = CALIBRATION_TX_POWER
#define RX_POWER .mul = 100000, .calibration = CALIBRATION_RX_POWER
#define MONITORED GATE_TEMP		/* it has an A2h */
#define COOLED (GATE_CALIBRATED | GATE_COOLED)
/* Two edges in one octet, alarms in 112, warnings in 116. */
#define ALARMS .count = 2
#define WARNINGS .count = 2, .first = 2

static const struct register_field fields[] = {
	/* monitors */
	{ A2_LOWER, 96, FIELD_S16, Q_MODULE_TEMP_MC, MODULE_MONITORS, TEMP,
	  HEAT_CAN_BE,
	  .judge = MEASURED | JUDGE_BLANK, .blank = 4,
	  .needs = GATE_TEMP | GATE_CALIBRATED, .source = SONIC },
	{ A2_LOWER, 98, FIELD_U16, Q_MODULE_VCC_UV, MODULE_MONITORS, VOLTS,
	  SUPPLY_CAN_BE,
	  .judge = JUDGE_ONES | JUDGE_ZERO,
	  .needs = GATE_VCC | GATE_CALIBRATED, .source = SONIC },
	{ A2_LOWER, 100, FIELD_U16, Q_LANE_TX_BIAS_UA, MODULE_MONITORS,
	  ONE_LANE, BIAS, .judge = JUDGE_ONES,
	  .needs = GATE_TX_BIAS | GATE_CALIBRATED, .source = SONIC },
	{ A2_LOWER, 102, FIELD_U16, Q_LANE_TX_POWER_PW, MODULE_MONITORS,
	  ONE_LANE, TX_POWER, .judge = JUDGE_ONES,
	  .needs = GATE_TX_POWER | GATE_CALIBRATED, .source = SONIC },
	{ A2_LOWER, 104, FIELD_U16, Q_LANE_RX_POWER_PW, MODULE_MONITORS,
	  ONE_LANE, RX_POWER, .judge = JUDGE_ONES,
	  .needs = GATE_RX_POWER | GATE_CALIBRATED, .source = SONIC },

	/* of a cooled laser; a tunable one may have its wavelength there */
	{ A2_LOWER, 106, FIELD_S16, Q_MODULE_LASER_TEMP_MC, MODULE_MONITORS,
	  .mul = 1000, .div = 256, HEAT_CAN_BE,
	  .judge = MEASURED | JUDGE_ABSENT_ZERO, .needs = COOLED,
	  .unless = GATE_TUNABLE, .source = LINUX },
	{ A2_LOWER, 108, FIELD_S16, Q_MODULE_TEC_CURRENT_UA, MODULE_MONITORS,
	  .mul = 100, .judge = MEASURED | JUDGE_ABSENT_ZERO, .needs = COOLED,
	  .source = LINUX },

	/* thresholds: high alarm, low alarm, high warning, low warning */
	{ A2_LOWER, 0, FIELD_S16, Q_MODULE_TEMP_THRESHOLD_MC,
	  THRESHOLDS, TEMP,
	  .needs = GATE_TEMP | GATE_CALIBRATED, .source = SONIC },
	{ A2_LOWER, 8, FIELD_U16, Q_MODULE_VCC_THRESHOLD_UV,
	  THRESHOLDS, VOLTS,
	  .needs = GATE_VCC | GATE_CALIBRATED, .source = SONIC },
	{ A2_LOWER, 16, FIELD_U16, Q_MODULE_TX_BIAS_THRESHOLD_UA,
	  THRESHOLDS, BIAS,
	  .needs = GATE_TX_BIAS | GATE_CALIBRATED, .source = SONIC },
	{ A2_LOWER, 24, FIELD_U16, Q_MODULE_TX_POWER_THRESHOLD_PW,
	  THRESHOLDS, TX_POWER,
	  .needs = GATE_TX_POWER | GATE_CALIBRATED, .source = SONIC },
	{ A2_LOWER, 32, FIELD_U16, Q_MODULE_RX_POWER_THRESHOLD_PW,
	  THRESHOLDS, RX_POWER,
	  .needs = GATE_RX_POWER | GATE_CALIBRATED, .source = SONIC },

	{ A2_LOWER, 40, FIELD_S16, Q_MODULE_LASER_TEMP_THRESHOLD_MC,
	  THRESHOLDS, .mul = 1000, .div = 256, .needs = COOLED,
	  .unless = GATE_TUNABLE, .source = LINUX },
	{ A2_LOWER, 48, FIELD_S16, Q_MODULE_TEC_CURRENT_THRESHOLD_UA,
	  THRESHOLDS, .mul = 100, .needs = COOLED, .source = LINUX },

	/* states: these are not latched */
	/* by the pin, or by the host's bit below it */
	{ A2_LOWER, 110, FIELD_BITS_ANY, Q_LANE_TX_DISABLED, MODULE_STATUS,
	  .bit = 6, .width = 2, ONE_LANE, .needs = GATE_TX_DISABLE,
	  .source = SONIC },
	{ A2_LOWER, 110, FIELD_BITS, Q_LANE_TX_FAULT, MODULE_STATUS, .bit = 2,
	  ONE_LANE, .needs = GATE_TX_FAULT, .source = SONIC },
	{ A2_LOWER, 110, FIELD_BITS, Q_LANE_RX_LOS, MODULE_STATUS, .bit = 1,
	  ONE_LANE, .needs = GATE_RX_LOS, .unless = GATE_LOS_INVERTED,
	  .source = SONIC },
	{ A2_LOWER, 110, FIELD_BITS, Q_LANE_RX_LOS, MODULE_STATUS, .bit = 1,
	  ONE_LANE, .is_inverted = true,
	  .needs = GATE_RX_LOS | GATE_LOS_INVERTED, .source = LINUX },

	/* rates: index 0 and 1 are the receiver's pin and bit, 2 and 3 the
	 * transmitter's; either requests the higher rate
	 */
	{ A2_LOWER, 110, FIELD_BITS, Q_MODULE_RATE_HIGH, MODULE_STATUS,
	  .bit = 4, .needs = MONITORED | GATE_RATE, .source = EXTENDED },
	{ A2_LOWER, 110, FIELD_BITS, Q_MODULE_RATE_HIGH, MODULE_STATUS,
	  .bit = 3, .first = 1, .needs = MONITORED | GATE_RATE | GATE_SOFT_RATE,
	  .source = LINUX },
	{ A2_LOWER, 110, FIELD_BITS, Q_MODULE_RATE_HIGH, MODULE_STATUS,
	  .bit = 5, .first = 2, .needs = MONITORED | GATE_RATE,
	  .source = EXTENDED },
	{ A2_LOWER, 118, FIELD_BITS, Q_MODULE_RATE_HIGH, MODULE_STATUS,
	  .bit = 3, .first = 3, .needs = MONITORED | GATE_RATE | GATE_SOFT_RATE,
	  .source = EXTENDED },
	{ A2_LOWER, 118, FIELD_BITS, Q_MODULE_LOW_POWER, MODULE_STATUS,
	  .is_inverted = true, .needs = MONITORED | GATE_POWER_LEVEL,
	  .source = EXTENDED },
	{ A2_LOWER, 118, FIELD_BITS, Q_MODULE_HIGH_POWER, MODULE_STATUS,
	  .bit = 1, .needs = MONITORED | GATE_POWER_LEVEL, .source = EXTENDED },
	{ A2_LOWER, 119, FIELD_BITS, Q_LANE_HOST_CDR_UNLOCKED, MODULE_STATUS,
	  .bit = 1, ONE_LANE, .needs = MONITORED | GATE_CDR,
	  .source = EXTENDED },
	{ A2_LOWER, 119, FIELD_BITS, Q_LANE_RX_CDR_UNLOCKED, MODULE_STATUS,
	  ONE_LANE, .needs = MONITORED | GATE_CDR, .source = EXTENDED },

	/* a tunable laser */
	{ SFP_TUNING, 144, FIELD_U16, Q_LANE_LASER_CHANNEL, MODULE_CONTROLS,
	  ONE_LANE, .judge = JUDGE_ABSENT_ZERO, .needs = GATE_TUNING_PAGE,
	  .source = TUNABLE },
	{ SFP_TUNING, 144, FIELD_SFP_CHANNEL, Q_LANE_LASER_CONFIG_FREQUENCY_MHZ,
	  MODULE_CONTROLS, ONE_LANE, .judge = JUDGE_ABSENT_ZERO,
	  .needs = GATE_TUNING_PAGE, .source = TUNABLE },
	{ SFP_TUNING, 168, FIELD_BITS, Q_LANE_TUNING, MODULE_STATUS, .bit = 4,
	  ONE_LANE, .needs = GATE_TUNING_PAGE, .source = TUNABLE },
	{ SFP_TUNING, 168, FIELD_BITS, Q_LANE_WAVELENGTH_UNLOCKED,
	  MODULE_STATUS, .bit = 5, ONE_LANE, .needs = GATE_TUNING_PAGE,
	  .source = TUNABLE },
	{ SFP_TUNING, 168, FIELD_BITS, Q_MODULE_TEC_FAULT, MODULE_STATUS,
	  .bit = 6, .needs = GATE_TUNING_PAGE, .source = TUNABLE },
	/* 0.1 GHz beyond what was asked for; 0 if it does not measure */
	{ SFP_TUNING, 152, FIELD_S16, Q_VDM_LASER_FREQUENCY_ERROR_MHZ,
	  MODULE_STATUS, ONE_LANE, .mul = 100,
	  .judge = MEASURED | JUDGE_ABSENT_ZERO, .needs = GATE_TUNING_PAGE,
	  .source = TUNABLE },

	/* flags: latched, so for the owner only */
	{ SFP_TUNING, 172, FIELD_BITS, Q_MODULE_TEC_FAULT_FLAG, MODULE_FLAGS,
	  .bit = 6, .needs = GATE_TUNING_PAGE, .source = TUNABLE },
	{ SFP_TUNING, 172, FIELD_BITS, Q_LANE_WAVELENGTH_UNLOCKED_FLAG,
	  MODULE_FLAGS, .bit = 5, ONE_LANE, .needs = GATE_TUNING_PAGE,
	  .source = TUNABLE },
	{ SFP_TUNING, 172, FIELD_BITS, Q_LANE_INVALID_CHANNEL_FLAG,
	  MODULE_FLAGS, .bit = 4, ONE_LANE, .needs = GATE_TUNING_PAGE,
	  .source = TUNABLE },
	{ SFP_TUNING, 172, FIELD_BITS, Q_LANE_TUNING_COMPLETE_FLAG,
	  MODULE_FLAGS, .bit = 3, ONE_LANE, .needs = GATE_TUNING_PAGE,
	  .source = TUNABLE },
	{ A2_LOWER, 112, FIELD_BITS_DOWN, Q_MODULE_TEMP_FLAG, MODULE_FLAGS,
	  .bit = 7, ALARMS, .needs = GATE_FLAGS, .source = ETHTOOL },
	{ A2_LOWER, 116, FIELD_BITS_DOWN, Q_MODULE_TEMP_FLAG, MODULE_FLAGS,
	  .bit = 7, WARNINGS, .needs = GATE_FLAGS, .source = ETHTOOL },
	{ A2_LOWER, 112, FIELD_BITS_DOWN, Q_MODULE_VCC_FLAG, MODULE_FLAGS,
	  .bit = 5, ALARMS, .needs = GATE_FLAGS, .source = ETHTOOL },
	{ A2_LOWER, 116, FIELD_BITS_DOWN, Q_MODULE_VCC_FLAG, MODULE_FLAGS,
	  .bit = 5, WARNINGS, .needs = GATE_FLAGS, .source = ETHTOOL },
	{ A2_LOWER, 112, FIELD_BITS_DOWN, Q_LANE_TX_BIAS_FLAG, MODULE_FLAGS,
	  .bit = 3, ONE_LANE, ALARMS, .needs = GATE_FLAGS,
	  .source = ETHTOOL },
	{ A2_LOWER, 116, FIELD_BITS_DOWN, Q_LANE_TX_BIAS_FLAG, MODULE_FLAGS,
	  .bit = 3, ONE_LANE, WARNINGS, .needs = GATE_FLAGS,
	  .source = ETHTOOL },
	{ A2_LOWER, 112, FIELD_BITS_DOWN, Q_LANE_TX_POWER_FLAG, MODULE_FLAGS,
	  .bit = 1, ONE_LANE, ALARMS, .needs = GATE_FLAGS,
	  .source = ETHTOOL },
	{ A2_LOWER, 116, FIELD_BITS_DOWN, Q_LANE_TX_POWER_FLAG, MODULE_FLAGS,
	  .bit = 1, ONE_LANE, WARNINGS, .needs = GATE_FLAGS,
	  .source = ETHTOOL },
	{ A2_LOWER, 113, FIELD_BITS_DOWN, Q_LANE_RX_POWER_FLAG, MODULE_FLAGS,
	  .bit = 7, ONE_LANE, ALARMS, .needs = GATE_FLAGS,
	  .source = ETHTOOL },
	{ A2_LOWER, 117, FIELD_BITS_DOWN, Q_LANE_RX_POWER_FLAG, MODULE_FLAGS,
	  .bit = 7, ONE_LANE, WARNINGS, .needs = GATE_FLAGS,
	  .source = ETHTOOL },
	{ A2_LOWER, 113, FIELD_BITS_DOWN, Q_MODULE_LASER_TEMP_FLAG,
	  MODULE_FLAGS, .bit = 5, ALARMS, .needs = GATE_FLAGS | GATE_COOLED,
	  .unless = GATE_TUNABLE, .source = KNOWN },
	{ A2_LOWER, 117, FIELD_BITS_DOWN, Q_MODULE_LASER_TEMP_FLAG,
	  MODULE_FLAGS, .bit = 5, WARNINGS, .needs = GATE_FLAGS | GATE_COOLED,
	  .unless = GATE_TUNABLE, .source = KNOWN },
	{ A2_LOWER, 113, FIELD_BITS_DOWN, Q_MODULE_TEC_CURRENT_FLAG,
	  MODULE_FLAGS, .bit = 3, ALARMS, .needs = GATE_FLAGS | GATE_COOLED,
	  .source = KNOWN },
	{ A2_LOWER, 117, FIELD_BITS_DOWN, Q_MODULE_TEC_CURRENT_FLAG,
	  MODULE_FLAGS, .bit = 3, WARNINGS, .needs = GATE_FLAGS | GATE_COOLED,
	  .source = KNOWN },

	/* what it is */
	{ A0_LOWER, 1, FIELD_U8, Q_MODULE_EXTENDED_IDENTIFIER,
	  MODULE_IDENTITY, .source = SONIC },
	{ A0_LOWER, 64, FIELD_POWER_LEVEL, Q_MODULE_POWER_CLASS,
	  MODULE_IDENTITY, .source = LEVELS },
	/* among the constants of an SFP that the host calibrates */
	{ A2_LOWER, 66, FIELD_U8, Q_MODULE_MAX_POWER_UW, MODULE_IDENTITY,
	  .mul = 100000, .judge = JUDGE_ABSENT_ZERO,
	  .needs = MONITORED | GATE_POWER_TOLD, .unless = GATE_EXTERNAL,
	  .source = LEVELS },
	{ A0_LOWER, 11, FIELD_U8, Q_MODULE_ENCODING, MODULE_IDENTITY,
	  .source = SONIC },
	{ A0_LOWER, 12, FIELD_U8, Q_MODULE_BIT_RATE_MBPS, MODULE_IDENTITY,
	  .mul = 100, .judge = JUDGE_ABSENT_ZERO, .unless = GATE_FAST,
	  .source = SONIC },
	{ A0_LOWER, 66, FIELD_U8, Q_MODULE_BIT_RATE_MBPS, MODULE_IDENTITY,
	  .mul = 250, .judge = JUDGE_ABSENT_ZERO, .needs = GATE_FAST,
	  .source = ETHTOOL },
	{ A0_LOWER, 13, FIELD_U8, Q_MODULE_RATE_SELECT, MODULE_IDENTITY,
	  .source = SONIC },
	{ A0_LOWER, 60, FIELD_U16, Q_MODULE_WAVELENGTH_PM, MODULE_IDENTITY,
	  .mul = 1000, .judge = JUDGE_ABSENT_ZERO, .needs = GATE_OPTICS,
	  .source = ETHTOOL },
	{ A0_LOWER, 14, FIELD_U8, Q_MODULE_REACH_M, MODULE_IDENTITY,
	  .mul = 1000, .needs = GATE_OPTICS | GATE_KM, .source = SONIC },
	{ A0_LOWER, 15, FIELD_U8, Q_MODULE_REACH_M, MODULE_IDENTITY,
	  .mul = 100, .judge = JUDGE_ABSENT_ZERO, .needs = GATE_OPTICS,
	  .unless = GATE_KM, .source = SONIC },
	{ A0_LOWER, 16, FIELD_U8, Q_MODULE_REACH_M, MODULE_IDENTITY,
	  .first = 2, .mul = 10, .judge = JUDGE_ABSENT_ZERO,
	  .needs = GATE_OPTICS, .source = SONIC },
	{ A0_LOWER, 17, FIELD_U8, Q_MODULE_REACH_M, MODULE_IDENTITY,
	  .first = 1, .mul = 10, .judge = JUDGE_ABSENT_ZERO,
	  .needs = GATE_OPTICS, .source = SONIC },
	{ A0_LOWER, 18, FIELD_U8, Q_MODULE_REACH_M, MODULE_IDENTITY,
	  .first = 4, .mul = 10, .judge = JUDGE_ABSENT_ZERO,
	  .needs = GATE_OPTICS, .unless = GATE_CABLE | GATE_BASE_T,
	  .source = SONIC },
	{ A0_LOWER, 19, FIELD_U8, Q_MODULE_REACH_M, MODULE_IDENTITY,
	  .first = 3, .mul = 10, .judge = JUDGE_ABSENT_ZERO,
	  .needs = GATE_OPTICS, .unless = GATE_CABLE | GATE_BASE_T,
	  .source = SONIC },
	/* the same octet over copper: metres */
	{ A0_LOWER, 18, FIELD_U8, Q_MODULE_REACH_M, MODULE_IDENTITY,
	  .first = 6, .judge = JUDGE_ABSENT_ZERO, .needs = GATE_BASE_T,
	  .source = ETHTOOL_ID },
	/* of a copper cable, the octets of the reach over single mode */
	{ A0_LOWER, 14, FIELD_U8, Q_MODULE_ATTENUATION_MDB, MODULE_IDENTITY,
	  .count = 2, .first = 3, .mul = 1000, .judge = JUDGE_ABSENT_ZERO,
	  .needs = GATE_COPPER, .source = LEVELS },
	{ SFP_TUNING, SFP_FIRST, FIELD_SFP_END,
	  Q_MODULE_LASER_FREQUENCY_MIN_GHZ, MODULE_IDENTITY,
	  .needs = GATE_TUNING_PAGE, .source = TUNABLE },
	{ SFP_TUNING, SFP_LAST, FIELD_SFP_END,
	  Q_MODULE_LASER_FREQUENCY_MAX_GHZ, MODULE_IDENTITY,
	  .needs = GATE_TUNING_PAGE, .source = TUNABLE },
	{ SFP_TUNING, 140, FIELD_S16, Q_LANE_LASER_GRID_MHZ, MODULE_IDENTITY,
	  ONE_LANE, .mul = 100, .judge = JUDGE_ABSENT_ZERO,
	  .needs = GATE_TUNING_PAGE, .source = TUNABLE },
	{ A0_LOWER, 92, FIELD_BITS, Q_MODULE_RX_POWER_AVERAGE,
	  MODULE_IDENTITY, .bit = 3,
	  .needs = GATE_RX_POWER | GATE_CALIBRATED, .source = ETHTOOL },
};

static const struct text_field texts[] = {
	{ A0_LOWER, 20, 16, TEXT_ASCII, ATTRIBUTE_VENDOR, SONIC },
	{ A0_LOWER, 37, 3, TEXT_OUI, ATTRIBUTE_OUI, SONIC },
	{ A0_LOWER, 40, 16, TEXT_ASCII, ATTRIBUTE_PART, SONIC },
	{ A0_LOWER, 56, 4, TEXT_ASCII, ATTRIBUTE_REVISION, SONIC },
	{ A0_LOWER, 68, 16, TEXT_ASCII, ATTRIBUTE_SERIAL, SONIC },
	{ A0_LOWER, 84, 8, TEXT_DATE, ATTRIBUTE_DATE, SONIC },
	{ A0_LOWER, 94, 1, TEXT_STANDARD, ATTRIBUTE_STANDARD, KNOWN },
	{ A0_LOWER, 0, 1, TEXT_FORM_FACTOR, ATTRIBUTE_FORM_FACTOR, SONIC },
	{ A0_LOWER, 2, 1, TEXT_CONNECTOR, ATTRIBUTE_CONNECTOR, SONIC },
	{ A0_LOWER, 3, 1, TEXT_MEDIA, ATTRIBUTE_MEDIA, SONIC },
	{ A0_LOWER, 8, 1, TEXT_CABLE, ATTRIBUTE_CABLE, ETHTOOL },
	{ A0_LOWER, 18, 1, TEXT_LENGTH, ATTRIBUTE_CABLE_LENGTH, SONIC },
	{ A0_LOWER, 3, 1, TEXT_APPLICATIONS, ATTRIBUTE_APPLICATIONS, SONIC },
};

#define BIT(n) (1u << (n)), (1u << (n)), (1u << (n))
#define NO_BIT(n) (1u << (n)), 0, 0

/* With digital diagnostics (A0h:92 bit 6) all five monitors are there. */
static const struct gate_row gates[] = {
	{ GATE_TEMP | GATE_VCC | GATE_TX_BIAS | GATE_TX_POWER | GATE_RX_POWER,
	  A0_LOWER, 92, BIT(6), SONIC },
	{ GATE_CALIBRATED, A0_LOWER, 92, BIT(5), SONIC },
	{ GATE_CALIBRATED | GATE_EXTERNAL, A0_LOWER, 92, 0x30, 0x10, 0x10,
	  SONIC },
	{ GATE_FLAGS, A0_LOWER, 93, BIT(7), SONIC },
	{ GATE_TX_DISABLE, A0_LOWER, 93, BIT(6), SONIC },
	{ GATE_TX_FAULT, A0_LOWER, 93, BIT(5), SONIC },
	{ GATE_RX_LOS, A0_LOWER, 93, BIT(4), SONIC },
	{ GATE_READY, A2_LOWER, 110, NO_BIT(0), SONIC },
	{ GATE_OPTICS, A0_LOWER, 8, 0x0c, 0, 0, ETHTOOL },
	{ GATE_COPPER, A0_LOWER, 8, BIT(2), ETHTOOL },
	{ GATE_COOLED, A0_LOWER, 64, BIT(2), LINUX },
	{ GATE_TUNABLE, A0_LOWER, 65, BIT(6), LINUX },
	/* it has pages */
	{ GATE_TUNING_PAGE, A0_LOWER, 64, BIT(4), TUNABLE, GATE_TUNABLE },
	{ GATE_LOS_INVERTED, A0_LOWER, 65, 0x06, 0x04, 0x04, LINUX },
	{ GATE_CABLE, A0_LOWER, 36, 0xff, 0x01, 0x01, SFF8024 },
	{ GATE_CABLE, A0_LOWER, 36, 0xff, 0x08, 0x08, SFF8024 },
	{ GATE_CABLE, A0_LOWER, 36, 0xff, 0x0b, 0x0d, SFF8024 },
	{ GATE_CABLE, A0_LOWER, 36, 0xff, 0x18, 0x19, SFF8024 },
	{ GATE_CABLE, A0_LOWER, 36, 0xff, 0x30, 0x33, SFF8024 },
	{ GATE_CABLE, A0_LOWER, 36, 0xff, 0x3f, 0x40, SFF8024 },
	{ GATE_CABLE, A0_LOWER, 2, 0xff, 0x21, 0x21, SFF8024 },
	{ GATE_BASE_T, A0_LOWER, 36, 0xff, 0x16, 0x16, SFF8024 },
	{ GATE_BASE_T, A0_LOWER, 36, 0xff, 0x1c, 0x1e, SFF8024 },
	{ GATE_BASE_T, A0_LOWER, 2, 0xff, 0x22, 0x22, SFF8024 },
	{ GATE_BASE_T, A0_LOWER, 6, 0x0f, 0x08, 0x08, ETHTOOL_ID },
	{ GATE_CDR, A0_LOWER, 64, BIT(3), LINUX },
	{ GATE_POWER_LEVEL, A0_LOWER, 64, BIT(1), LINUX },
	{ GATE_POWER_LEVEL, A0_LOWER, 64, BIT(5), LINUX },
	{ GATE_POWER_LEVEL | GATE_POWER_TOLD, A0_LOWER, 64, BIT(6), LEVELS },
	{ GATE_RATE, A0_LOWER, 65, BIT(5), LINUX },
	{ GATE_SOFT_RATE, A0_LOWER, 93, BIT(3), LINUX },
	{ GATE_KM, A0_LOWER, 14, 0xff, 1, 0xff, SONIC },
	{ GATE_FAST, A0_LOWER, 12, 0xff, 0xff, 0xff, ETHTOOL },
};

static const struct checksum_row checksums[] = {
	{ A0_LOWER, 0, 62, 63, MODULE_IDENTITY },
	{ A0_LOWER, 64, 94, 95, MODULE_IDENTITY },
	{ A2_LOWER, 0, 94, 95, MODULE_THRESHOLDS },
};

/* Without its constants nothing of an SFP that the host calibrates is known. */
static const struct void_row voids[] = {
	{ A2_LOWER, VOID_ZERO | VOID_ONES, 56, 91, .from = 0, .to = 109,
	  .needs = GATE_EXTERNAL },
	{ A2_LOWER, VOID_ZERO | VOID_ONES, 96, 105, .from = 96,
	  .to = 119 },
	{ SFP_TUNING, VOID_ZERO | VOID_ONES, 128, 255, .from = 128, .to = 255 },
};

static const struct latched_row latched[] = {
	{ A2_LOWER, 112, 113 },
	{ A2_LOWER, 116, 117 },
	{ SFP_TUNING, 172, 172 },
};

const struct module_tables sff8472_tables = {
	"SFF-8472",
	fields, TABLE_COUNT(fields),
	texts, TABLE_COUNT(texts),
	gates, TABLE_COUNT(gates),
	checksums, TABLE_COUNT(checksums),
	latched, TABLE_COUNT(latched),
	voids, TABLE_COUNT(voids), GATE_EXTERNAL | GATE_CALIBRATED,
};
