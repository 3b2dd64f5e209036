/* The register tables of the three standards: a row for each register that
 * Petrel uses. New module types add rows, not code.
 */
#pragma once

#include "platform/module/view.h"

enum register_form {
	FIELD_U8,
	FIELD_S8,
	FIELD_U16,
	FIELD_S16,
	FIELD_U32,
	FIELD_S32,
	FIELD_BITS,		/* width bits; the next one is above */
	FIELD_BITS_ANY,		/* width bits: is one of them set? */
	FIELD_BITS_DOWN,	/* a bit; the next one is below it */
	FIELD_CENTI_DBM,	/* s16 in 0.01 dBm, to pW */
	FIELD_CHANNEL,		/* s16, of the grid in 12h:128, to MHz */
	FIELD_GRID,		/* u8, a grid as in 12h:128, to MHz */
	FIELD_GRIDS_END,	/* s16 of each grid of 04h, to GHz */
	FIELD_POWER_CLASS,	/* u8 as SFF-8636 packs it */
	FIELD_POWER_LEVEL,	/* u8 of SFF-8472: the highest that it needs */
	FIELD_SFP_CHANNEL,	/* u16 from 1, of SFF-8690's grid, to MHz */
	FIELD_SFP_END,		/* of that grid: THz, 0.1 GHz; to GHz */
	FIELD_REACH,		/* u8 of CMIS: 0.1 km to 500 km, to m */
	FIELD_LOW_POWER,	/* u8 of SFF-8636: requested and in effect */
	FIELD_F16,		/* of bits, to 1e-18 (vdm_type.h) */
	FIELD_U16_LOW,		/* the low octet first */
	FIELD_HOSTS,		/* host lanes by application.h, a bit each */
	FIELD_BANKS,		/* of CMIS: how many Petrel does not read */
	FIELD_FORM_COUNT,
};

/* 04h: four octets for each grid, its lowest channel and its highest. */
#define GRID_LOWEST 130
#define GRID_HIGHEST 132

/* SFF-8690, A2h page 02h: the first and the last frequency of a tunable SFP,
 * each in THz and 0.1 GHz, and the spacing of its channels, which may be
 * negative.
 */
#define SFP_TUNING PLACE(1, 0x02)
#define SFP_FIRST 132
#define SFP_LAST 136
#define SFP_GRID_LEN 10

/* Raw values that are implausible. */
enum field_judge {
	JUDGE_ONES = 1 << 0,	/* 0xFFFF: nobody answered on the bus */
	JUDGE_LEAST = 1 << 1,	/* 0x8000 */
	JUDGE_ZERO = 1 << 2,
	JUDGE_CODE = 1 << 3,	/* not one of codes */
	JUDGE_BLANK = 1 << 4,	/* blank octets from byte on are all 0 */
	JUDGE_ABSENT_ZERO = 1 << 5,	/* 0 means no value; with several
					 * indices only if all are 0 */
	JUDGE_CHECKER_OFF = 1 << 6,	/* 0 means no value where the lane's
					 * pattern checker is off, 13h */
};

#define HEAT_CAN_BE \
	.least = MODULE_HEAT_LEAST_MC, .most = MODULE_HEAT_MOST_MC
#define SUPPLY_CAN_BE \
	.least = MODULE_SUPPLY_LEAST_UV, .most = MODULE_SUPPLY_MOST_UV

/* Constants of an SFP that the host calibrates; SFF-8472 A2h:56 to 91. */
enum calibration {
	CALIBRATION_NONE,
	CALIBRATION_RX_POWER,	/* a polynomial */
	CALIBRATION_TX_BIAS,
	CALIBRATION_TX_POWER,
	CALIBRATION_TEMP,
	CALIBRATION_VCC,
};

struct register_field {
	uint16_t place;
	uint8_t byte;
	uint8_t form;
	uint16_t quantity;
	uint16_t part;		/* enum module_part */
	uint8_t lanes;		/* 0: for the module */
	uint8_t count;		/* indices; 0 means 1 */
	uint8_t first;		/* index */
	uint8_t bit, width;	/* for FIELD_BITS; width 0 means 1 */
	uint8_t lane_step;	/* in bits; 0: the width of the form */
	uint8_t index_step;	/* the same */
	uint8_t judge;		/* bits of enum field_judge */
	uint8_t blank;		/* for JUDGE_BLANK */
	uint16_t codes;		/* for JUDGE_CODE: bit n: n is valid */
	uint8_t calibration;
	uint8_t told, told_bit;	/* of 42h, for its first index; 0: none */
	bool is_host_lane;	/* by host lanes, not media lanes */
	bool is_multiplied;	/* by the CMIS bias multiplier */
	bool is_inverted;	/* 1 in the register is 0 */
	int32_t add;		/* to the raw value, first */
	int32_t mul, div;	/* 0 means 1 */
	int64_t least, most;	/* plausible values; both 0: any */
	uint64_t needs, unless;	/* gates: all open; none open */
	const char *source;
};

enum text_form {
	TEXT_ASCII,
	TEXT_OUI,
	TEXT_DATE,		/* YYMMDD and a lot code */
	TEXT_VERSION,		/* two octets, major and minor */
	TEXT_STANDARD,
	TEXT_FORM_FACTOR,
	TEXT_CONNECTOR,
	TEXT_TECHNOLOGY,
	TEXT_MEDIA,
	TEXT_CABLE,
	TEXT_LENGTH,
	TEXT_APPLICATIONS,
	TEXT_FIRMWARE_IMAGES,	/* cdb.h */
	TEXT_FORM_COUNT,
};

struct text_field {
	uint16_t place;
	uint8_t byte, len;
	uint8_t form;
	uint8_t attribute;
	const char *source;
};

/* Octets that reading clears: for the owner only (C6). */
struct latched_row {
	uint16_t place;
	uint8_t from, to;
};

struct module_tables {
	const char *name;	/* of the standard */
	const struct register_field *fields;
	size_t field_count;
	const struct text_field *texts;
	size_t text_count;
	const struct gate_row *gates;
	size_t gate_count;
	const struct checksum_row *checksums;
	size_t checksum_count;
	const struct latched_row *latched;
	size_t latched_count;
	const struct void_row *voids;
	size_t void_count;
	uint64_t meanings;	/* gates that decide what a register means */
};

extern const struct module_tables cmis_tables;
extern const struct module_tables sff8636_tables;
extern const struct module_tables sff8472_tables;

/* Empty tables for MODULE_UNKNOWN. */
const struct module_tables *tables_of(enum module_standard standard);

/* Are the gates of a row open? */
bool field_is_open(const struct register_field *f, const struct view *v);

/* The gate of a text; 0: none. */
static inline uint64_t text_gate(const struct text_field *t)
{
	return t->form == TEXT_FIRMWARE_IMAGES ? GATE_CDB : 0;
}

/* True if its register may be there: the octets that would say so were not
 * read, and do not affect its meaning.
 */
bool field_is_guessed(const struct register_field *f, const struct view *v);

/* Is place on the page of a row? Pages from 10h on are banked. */
bool place_is(unsigned row, unsigned place);

/* The parts, of those given, with a register of the module on the page between
 * octets from and to; 0: none.
 */
unsigned tables_use(const struct module_tables *t, const struct view *v,
		    unsigned place, unsigned from, unsigned to,
		    unsigned parts);

#define TABLE_COUNT(table) (sizeof(table) / sizeof(*(table)))
