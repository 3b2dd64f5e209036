/* SFF-8636 and SFF-8436: QSFP+ to QSFP56. We could not read the standards. A
 * table is that which the public decoder of Oxide Computer cites for the same
 * octets; otherwise the row names its source.
 */
#include "platform/module/register_tables.h"

#define CITED(table) \
	"SFF-8636 2.10a table " table " (as Oxide transceiver-control)"
#define SONIC "unread; SONiC mem_maps/public/sff8636.py"
#define FBOSS "unread; FBOSS SffModule.cpp"
#define ETHTOOL "unread; ethtool qsfp.h"
#define SFF8024 "SFF-8024 rev 4.14 tables 4-3, 4-4 (as code.c)"
#define OPTIONS "SFF-8636 2.10a table 6-20 (as public decoders)"
#define POWER_CLASSES "SFF-8636 6.2.6, 00h:93 (as public decoders)"
#define KNOWN "unread; generally known"

#define LANES 4
#define EDGES .count = 4
/* A vendor that sets no thresholds leaves four zeros. */
#define THRESHOLDS .part = MODULE_THRESHOLDS, .count = 4, \
	.judge = JUDGE_ABSENT_ZERO | JUDGE_ONES
#define MEASURED (JUDGE_ONES | JUDGE_LEAST)
#define TEMP .mul = 1000, .div = 256		/* 1/256 C to m°C */
#define VOLTS .mul = 100			/* 100 uV to uV */
#define POWER .mul = 100000			/* 0.1 uW to pW */
#define BIAS .mul = 2				/* 2 uA to uA */
#define COPPER (GATE_COPPER | GATE_ACTIVE_COPPER)	/* no light, no laser */

/* A bit per lane in one octet; or a nibble each with a bit per edge, both from
 * the top down.
 */
#define LANE_BITS .lanes = LANES, .lane_step = 1
#define HOST_BITS LANE_BITS, .is_host_lane = true
#define LANE_EDGES .lanes = LANES, .lane_step = 4, EDGES, .index_step = 1

static const struct register_field fields[] = {
	/* monitors */
	{ LOWER, 22, FIELD_S16, Q_MODULE_TEMP_MC, MODULE_MONITORS, TEMP,
	  HEAT_CAN_BE,
	  .judge = MEASURED | JUDGE_BLANK, .blank = 6, .needs = GATE_TEMP,
	  .unless = GATE_COPPER, .source = CITED("6-7") },
	{ LOWER, 26, FIELD_U16, Q_MODULE_VCC_UV, MODULE_MONITORS, VOLTS,
	  SUPPLY_CAN_BE,
	  .judge = JUDGE_ONES | JUDGE_ZERO, .needs = GATE_VCC,
	  .unless = GATE_COPPER, .source = CITED("6-7") },
	{ LOWER, 34, FIELD_U16, Q_LANE_RX_POWER_PW, MODULE_MONITORS,
	  .lanes = LANES, POWER, .judge = JUDGE_ONES, .unless = COPPER,
	  .source = CITED("6-8") },
	{ LOWER, 42, FIELD_U16, Q_LANE_TX_BIAS_UA, MODULE_MONITORS,
	  .lanes = LANES, BIAS, .judge = JUDGE_ONES, .unless = COPPER,
	  .source = CITED("6-8") },
	{ LOWER, 50, FIELD_U16, Q_LANE_TX_POWER_PW, MODULE_MONITORS,
	  .lanes = LANES, POWER, .judge = JUDGE_ONES,
	  .needs = GATE_TX_POWER, .unless = COPPER,
	  .source = CITED("6-8") },
	{ LOWER, 50, FIELD_U16, Q_LANE_TX_POWER_PW, MODULE_MONITORS,
	  .lanes = LANES, POWER, .judge = JUDGE_ONES | JUDGE_ABSENT_ZERO,
	  .needs = GATE_TX_POWER_UNTOLD,
	  .unless = COPPER | GATE_TX_POWER, .source = CITED("6-8") },

	/* thresholds: high alarm, low alarm, high warning, low warning */
	{ PAGE(0x03), 128, FIELD_S16, Q_MODULE_TEMP_THRESHOLD_MC,
	  THRESHOLDS, TEMP, .needs = GATE_PAGED | GATE_TEMP,
	  .unless = GATE_COPPER, .source = SONIC },
	{ PAGE(0x03), 144, FIELD_U16, Q_MODULE_VCC_THRESHOLD_UV,
	  THRESHOLDS, VOLTS, .needs = GATE_PAGED | GATE_VCC,
	  .unless = GATE_COPPER, .source = SONIC },
	{ PAGE(0x03), 176, FIELD_U16, Q_MODULE_RX_POWER_THRESHOLD_PW,
	  THRESHOLDS, POWER, .needs = GATE_PAGED,
	  .unless = COPPER, .source = SONIC },
	{ PAGE(0x03), 184, FIELD_U16, Q_MODULE_TX_BIAS_THRESHOLD_UA,
	  THRESHOLDS, BIAS, .needs = GATE_PAGED,
	  .unless = COPPER, .source = SONIC },
	{ PAGE(0x03), 192, FIELD_U16, Q_MODULE_TX_POWER_THRESHOLD_PW,
	  THRESHOLDS, POWER,
	  .needs = GATE_PAGED | GATE_TX_POWER, .unless = COPPER,
	  .source = SONIC },
	{ PAGE(0x03), 192, FIELD_U16, Q_MODULE_TX_POWER_THRESHOLD_PW,
	  THRESHOLDS, POWER, .needs = GATE_PAGED | GATE_TX_POWER_UNTOLD,
	  .unless = COPPER | GATE_TX_POWER, .source = SONIC },

	/* controls */
	{ LOWER, 86, FIELD_BITS, Q_LANE_TX_DISABLED, MODULE_CONTROLS, LANE_BITS,
	  .needs = GATE_TX_DISABLE, .source = SONIC },
	{ LOWER, 93, FIELD_LOW_POWER, Q_MODULE_LOW_POWER, MODULE_CONTROLS,
	  .unless = GATE_COPPER, .source = CITED("6-9") },
	{ LOWER, 93, FIELD_BITS, Q_MODULE_HIGH_POWER, MODULE_CONTROLS, .bit = 2,
	  .needs = GATE_POWER_LEVEL, .unless = GATE_COPPER | GATE_POWER_TOLD,
	  .source = POWER_CLASSES },
	{ LOWER, 93, FIELD_BITS, Q_MODULE_HIGH_POWER, MODULE_CONTROLS, .bit = 3,
	  .needs = GATE_POWER_TOLD, .unless = GATE_COPPER,
	  .source = POWER_CLASSES },
	{ LOWER, 98, FIELD_BITS, Q_LANE_RX_CDR_ON, MODULE_CONTROLS, HOST_BITS,
	  .needs = GATE_RX_CDR, .source = FBOSS },
	{ LOWER, 98, FIELD_BITS, Q_LANE_TX_CDR_ON, MODULE_CONTROLS, .bit = 4,
	  HOST_BITS, .needs = GATE_CDR, .source = FBOSS },
	{ PAGE(0x03), 241, FIELD_BITS, Q_LANE_RX_DISABLED, MODULE_CONTROLS,
	  .bit = 4, HOST_BITS, .needs = GATE_PAGED | GATE_RX_DISABLE,
	  .source = KNOWN },

	/* flags: reading clears them, so for the owner only */
	{ LOWER, 3, FIELD_BITS, Q_LANE_RX_LOS, MODULE_FLAGS, LANE_BITS,
	  .unless = GATE_COPPER, .source = SONIC },
	{ LOWER, 3, FIELD_BITS, Q_LANE_HOST_LOS_FLAG, MODULE_FLAGS, .bit = 4,
	  HOST_BITS, .needs = GATE_TX_LOS, .source = FBOSS },
	{ LOWER, 4, FIELD_BITS, Q_LANE_TX_FAULT, MODULE_FLAGS, LANE_BITS,
	  .needs = GATE_TX_FAULT, .source = SONIC },
	{ LOWER, 4, FIELD_BITS, Q_LANE_TX_EQ_FAULT_FLAG, MODULE_FLAGS,
	  .bit = 4, HOST_BITS, .needs = GATE_TX_EQ, .unless = GATE_COPPER,
	  .source = FBOSS },
	{ LOWER, 5, FIELD_BITS, Q_LANE_RX_CDR_LOL_FLAG, MODULE_FLAGS,
	  LANE_BITS, .needs = GATE_RX_LOL, .source = FBOSS },
	{ LOWER, 5, FIELD_BITS, Q_LANE_HOST_CDR_LOL_FLAG, MODULE_FLAGS,
	  .bit = 4, HOST_BITS, .needs = GATE_TX_LOL, .source = FBOSS },
	{ LOWER, 6, FIELD_BITS_DOWN, Q_MODULE_TEMP_FLAG, MODULE_FLAGS, EDGES,
	  .bit = 7, .needs = GATE_TEMP, .unless = GATE_COPPER,
	  .source = ETHTOOL },
	{ LOWER, 7, FIELD_BITS_DOWN, Q_MODULE_VCC_FLAG, MODULE_FLAGS, EDGES,
	  .bit = 7, .needs = GATE_VCC, .unless = GATE_COPPER,
	  .source = ETHTOOL },
	{ LOWER, 9, FIELD_BITS_DOWN, Q_LANE_RX_POWER_FLAG, MODULE_FLAGS,
	  .bit = 7, LANE_EDGES, .unless = COPPER, .source = ETHTOOL },
	{ LOWER, 11, FIELD_BITS_DOWN, Q_LANE_TX_BIAS_FLAG, MODULE_FLAGS,
	  .bit = 7, LANE_EDGES, .unless = COPPER, .source = ETHTOOL },
	{ LOWER, 13, FIELD_BITS_DOWN, Q_LANE_TX_POWER_FLAG, MODULE_FLAGS,
	  .bit = 7, LANE_EDGES, .needs = GATE_TX_POWER,
	  .unless = COPPER, .source = ETHTOOL },
	{ LOWER, 13, FIELD_BITS_DOWN, Q_LANE_TX_POWER_FLAG, MODULE_FLAGS,
	  .bit = 7, LANE_EDGES, .needs = GATE_TX_POWER_UNTOLD,
	  .unless = COPPER | GATE_TX_POWER, .source = ETHTOOL },

	/* what it is */
	{ PAGE(0x00), 129, FIELD_POWER_CLASS, Q_MODULE_POWER_CLASS,
	  MODULE_IDENTITY, .source = SONIC },
	{ PAGE(0x00), 129, FIELD_U8, Q_MODULE_EXTENDED_IDENTIFIER,
	  MODULE_IDENTITY, .source = SONIC },
	{ LOWER, 107, FIELD_U8, Q_MODULE_MAX_POWER_UW, MODULE_IDENTITY,
	  .mul = 100000, .judge = JUDGE_ABSENT_ZERO, .unless = GATE_COPPER,
	  .source = KNOWN },
	{ PAGE(0x00), 139, FIELD_U8, Q_MODULE_ENCODING, MODULE_IDENTITY,
	  .source = SONIC },
	{ PAGE(0x00), 140, FIELD_U8, Q_MODULE_BIT_RATE_MBPS, MODULE_IDENTITY,
	  .mul = 100, .judge = JUDGE_ABSENT_ZERO, .unless = GATE_FAST,
	  .source = SONIC },
	{ PAGE(0x00), 222, FIELD_U8, Q_MODULE_BIT_RATE_MBPS, MODULE_IDENTITY,
	  .mul = 250, .judge = JUDGE_ABSENT_ZERO, .needs = GATE_FAST,
	  .source = ETHTOOL },
	{ PAGE(0x00), 141, FIELD_U8, Q_MODULE_RATE_SELECT, MODULE_IDENTITY,
	  .source = SONIC },
	{ PAGE(0x00), 186, FIELD_U16, Q_MODULE_WAVELENGTH_PM, MODULE_IDENTITY,
	  .mul = 50, .judge = JUDGE_ABSENT_ZERO, .needs = GATE_OPTICS,
	  .source = ETHTOOL },
	{ PAGE(0x00), 188, FIELD_U16, Q_MODULE_WAVELENGTH_TOLERANCE_PM,
	  MODULE_IDENTITY, .mul = 5, .judge = JUDGE_ABSENT_ZERO,
	  .needs = GATE_OPTICS, .source = ETHTOOL },
	/* the same octets, of a copper cable */
	{ PAGE(0x00), 186, FIELD_U8, Q_MODULE_ATTENUATION_MDB,
	  MODULE_IDENTITY, .count = 4, .mul = 1000,
	  .judge = JUDGE_ABSENT_ZERO, .needs = GATE_COPPER,
	  .source = KNOWN },
	{ PAGE(0x00), 145, FIELD_U8, Q_MODULE_ATTENUATION_MDB,
	  MODULE_IDENTITY, .first = 4, .mul = 1000,
	  .judge = JUDGE_ABSENT_ZERO, .needs = GATE_COPPER,
	  .source = "SFF-8636 2.10a table 6-14 (as TransceiverTool)" },
	{ PAGE(0x00), 142, FIELD_U8, Q_MODULE_REACH_M, MODULE_IDENTITY,
	  .mul = 1000, .judge = JUDGE_ABSENT_ZERO, .needs = GATE_OPTICS,
	  .source = SONIC },
	{ PAGE(0x00), 143, FIELD_U8, Q_MODULE_REACH_M, MODULE_IDENTITY,
	  .first = 3, .mul = 2, .judge = JUDGE_ABSENT_ZERO,
	  .needs = GATE_OPTICS, .source = ETHTOOL },
	{ PAGE(0x00), 144, FIELD_U8, Q_MODULE_REACH_M, MODULE_IDENTITY,
	  .first = 2, .judge = JUDGE_ABSENT_ZERO, .needs = GATE_OPTICS,
	  .source = ETHTOOL },
	{ PAGE(0x00), 145, FIELD_U8, Q_MODULE_REACH_M, MODULE_IDENTITY,
	  .first = 1, .judge = JUDGE_ABSENT_ZERO, .needs = GATE_OPTICS,
	  .source = ETHTOOL },
	{ PAGE(0x00), 146, FIELD_U8, Q_MODULE_REACH_M, MODULE_IDENTITY,
	  .first = 4, .mul = 2, .judge = JUDGE_ABSENT_ZERO,
	  .needs = GATE_OPTICS, .unless = GATE_CABLE,
	  .source = CITED("6-14") },
	/* 0 means 70 degrees, which each module tolerates */
	{ PAGE(0x00), 190, FIELD_U8, Q_MODULE_CASE_TEMP_LIMIT_MC,
	  MODULE_IDENTITY, .mul = 1000, .judge = JUDGE_ABSENT_ZERO,
	  .source = ETHTOOL },
	{ PAGE(0x00), 220, FIELD_BITS, Q_MODULE_RX_POWER_AVERAGE,
	  MODULE_IDENTITY, .bit = 3, .unless = GATE_COPPER,
	  .source = CITED("6-23") },
};

static const struct text_field texts[] = {
	{ PAGE(0x00), 148, 16, TEXT_ASCII, ATTRIBUTE_VENDOR, CITED("6-14") },
	{ PAGE(0x00), 165, 3, TEXT_OUI, ATTRIBUTE_OUI, CITED("6-14") },
	{ PAGE(0x00), 168, 16, TEXT_ASCII, ATTRIBUTE_PART, CITED("6-14") },
	{ PAGE(0x00), 184, 2, TEXT_ASCII, ATTRIBUTE_REVISION, CITED("6-14") },
	{ PAGE(0x00), 196, 16, TEXT_ASCII, ATTRIBUTE_SERIAL, CITED("6-14") },
	{ PAGE(0x00), 212, 8, TEXT_DATE, ATTRIBUTE_DATE, CITED("6-14") },
	{ LOWER, 1, 1, TEXT_STANDARD, ATTRIBUTE_STANDARD, SONIC },
	{ LOWER, 0, 1, TEXT_FORM_FACTOR, ATTRIBUTE_FORM_FACTOR, SONIC },
	{ PAGE(0x00), 130, 1, TEXT_CONNECTOR, ATTRIBUTE_CONNECTOR, SONIC },
	{ PAGE(0x00), 147, 1, TEXT_TECHNOLOGY, ATTRIBUTE_TECHNOLOGY, FBOSS },
	{ PAGE(0x00), 192, 1, TEXT_MEDIA, ATTRIBUTE_MEDIA, SONIC },
	{ PAGE(0x00), 147, 1, TEXT_CABLE, ATTRIBUTE_CABLE, FBOSS },
	{ PAGE(0x00), 146, 1, TEXT_LENGTH, ATTRIBUTE_CABLE_LENGTH, SONIC },
	{ PAGE(0x00), 131, 1, TEXT_APPLICATIONS, ATTRIBUTE_APPLICATIONS,
	  SONIC },
};

#define BIT(n) (1u << (n)), (1u << (n)), (1u << (n))
#define NO_BIT(n) (1u << (n)), 0, 0

/* The bits of 00h:220 for temperature and voltage came with revision 2.8 (octet
 * 1 is 8); before it each module had both. SFF-8436 did not have the bit for
 * transmitted power either: there, zeros do not mean dark.
 */
static const struct gate_row gates[] = {
	{ GATE_PAGED, LOWER, 2, NO_BIT(2), CITED("6-2") },
	{ GATE_READY, LOWER, 2, NO_BIT(0), CITED("6-2") },
	{ GATE_TEMP, PAGE(0x00), 220, BIT(5), CITED("6-23") },
	{ GATE_TEMP, LOWER, 1, 0xff, 0, 7, SONIC },
	{ GATE_TEMP, LOWER, 1, 0xff, 0x10, 0xff, SONIC },
	{ GATE_VCC, PAGE(0x00), 220, BIT(4), CITED("6-23") },
	{ GATE_VCC, LOWER, 1, 0xff, 0, 7, SONIC },
	{ GATE_VCC, LOWER, 1, 0xff, 0x10, 0xff, SONIC },
	{ GATE_TX_POWER, PAGE(0x00), 220, BIT(2), CITED("6-23") },
	{ GATE_TX_POWER_UNTOLD, LOWER, 1, 0xff, 0, 2, SONIC },
	{ GATE_TX_POWER_UNTOLD, LOWER, 1, 0xff, 0x10, 0xff, SONIC },
	{ GATE_OPTICS, PAGE(0x00), 147, 0xf0, 0x00, 0x90, FBOSS },
	{ GATE_COPPER, PAGE(0x00), 147, 0xf0, 0xa0, 0xb0, FBOSS },
	{ GATE_ACTIVE_COPPER, PAGE(0x00), 147, 0xf0, 0xc0, 0xf0, FBOSS },
	{ GATE_CABLE, PAGE(0x00), 130, 0xff, 0x23, 0x23, SFF8024 },
	{ GATE_CABLE, PAGE(0x00), 192, 0xff, 0x01, 0x01, SFF8024 },
	{ GATE_CABLE, PAGE(0x00), 192, 0xff, 0x18, 0x18, SFF8024 },
	{ GATE_CABLE, PAGE(0x00), 192, 0xff, 0x31, 0x31, SFF8024 },
	{ GATE_CABLE, PAGE(0x00), 192, 0xff, 0x33, 0x33, SFF8024 },
	{ GATE_CDR, PAGE(0x00), 129, BIT(3), SONIC },
	{ GATE_RX_CDR, PAGE(0x00), 129, BIT(2), SONIC },
	{ GATE_POWER_LEVEL, PAGE(0x00), 129, 0x03, 1, 3, SONIC },
	{ GATE_POWER_TOLD, PAGE(0x00), 129, BIT(5), SONIC },
	{ GATE_FAST, PAGE(0x00), 140, 0xff, 0xff, 0xff, ETHTOOL },
	{ GATE_TX_EQ, PAGE(0x00), 193, BIT(3), OPTIONS },
	{ GATE_TX_LOL, PAGE(0x00), 194, BIT(5), ETHTOOL },
	{ GATE_RX_LOL, PAGE(0x00), 194, BIT(4), ETHTOOL },
	{ GATE_RX_DISABLE, PAGE(0x00), 194, BIT(2), KNOWN },
	{ GATE_VDM, PAGE(0x00), 195, BIT(0),
	  "SFF-8636 2.11 table 6-22 (as sff_8636.py)" },
	{ GATE_TX_DISABLE, PAGE(0x00), 195, BIT(4), CITED("6-21") },
	{ GATE_TX_FAULT, PAGE(0x00), 195, BIT(3), CITED("6-21") },
	{ GATE_TX_LOS, PAGE(0x00), 195, BIT(1), CITED("6-21") },
};

static const struct checksum_row checksums[] = {
	{ PAGE(0x00), 128, 190, 191, MODULE_IDENTITY },
	{ PAGE(0x00), 192, 222, 223, MODULE_IDENTITY },
};

/* Monitors that are all zero: nothing was measured. A module that flags loss of
 * light may measure none.
 */
static const struct void_row voids[] = {
	{ LOWER, VOID_ONES, 22, 57, .from = 3, .to = 107,
	  .unless = GATE_COPPER },
	{ LOWER, VOID_ZERO, 22, 57, .from = 22, .to = 57,
	  .unless = GATE_COPPER },
	{ PAGE(0x00), VOID_ZERO | VOID_ONES, 128, 222, .from = 128,
	  .to = 255 },
	{ PAGE(0x03), VOID_ONES, 128, 255, .from = 128, .to = 255 },
};

static const struct latched_row latched[] = {
	{ LOWER, 3, 21 },
	{ PAGE(0x20), 128, 139 },
};

const struct module_tables sff8636_tables = {
	"SFF-8636",
	fields, TABLE_COUNT(fields),
	texts, TABLE_COUNT(texts),
	gates, TABLE_COUNT(gates),
	checksums, TABLE_COUNT(checksums),
	latched, TABLE_COUNT(latched),
	voids, TABLE_COUNT(voids), 0,
};
