/* A module's image as the decoder sees it: the place of each page, what the
 * module advertises, and which octets are implausible. Built for each decode,
 * on the stack; borrows the image.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "platform/module/module.h"

#define MODULE_BANKS_MAX 4u		/* that Petrel reads */
#define MODULE_BANKS_TOLD_MAX 32u	/* that a module may have */
#define MODULE_BANK_LANES 8u

/* A register's place: bank and page. An SFP's A2h is bank 1. */
#define PLACE_PAGE_BITS 9		/* a page's number, or MODULE_LOWER */
#define MODULE_PAGE_NUMBERS (MODULE_LOWER + 1u)
#define PLACE(bank, page) ((uint16_t)((bank) << PLACE_PAGE_BITS | (page)))
#define LOWER PLACE(0, MODULE_LOWER)
#define PAGE(page) PLACE(0, page)
#define A0_LOWER LOWER
#define A0_UPPER PAGE(0)
#define A2_LOWER PLACE(1, MODULE_LOWER)
#define A2_UPPER PLACE(1, 0)

/* What a module advertises, a bit each; the gate of a register that was not
 * read stays shut.
 */
enum gate {
	GATE_PAGED = 1u << 0,
	GATE_READY = 1u << 1,
	GATE_TEMP = 1u << 2,
	GATE_VCC = 1u << 3,
	GATE_AUX1 = 1u << 4,
	GATE_AUX2 = 1u << 5,
	GATE_AUX3 = 1u << 6,
	GATE_AUX1_TEC = 1u << 7,
	GATE_AUX2_TEC = 1u << 8,
	GATE_AUX3_VCC2 = 1u << 9,
	GATE_TX_BIAS = 1u << 10,
	GATE_TX_POWER = 1u << 11,
	GATE_RX_POWER = 1u << 12,
	GATE_TX_FAULT = 1u << 13,
	GATE_TX_LOS = 1u << 14,
	GATE_TX_LOL = 1u << 15,
	GATE_TX_EQ = 1u << 16,
	GATE_RX_LOS = 1u << 17,
	GATE_RX_LOL = 1u << 18,
	GATE_TX_DISABLE = 1u << 19,
	GATE_RX_DISABLE = 1u << 20,
	GATE_TUNABLE = 1u << 21,
	GATE_COHERENT = 1u << 22,
	GATE_VDM = 1u << 23,
	GATE_DIAGNOSTICS = 1u << 24,
	GATE_COPPER = 1u << 25,		/* passive: measures nothing */
	GATE_EXTERNAL = 1u << 26,	/* calibrated by its constants */
	GATE_CALIBRATED = 1u << 27,	/* either way */
	GATE_CDR = 1u << 28,
	GATE_FLAGS = 1u << 29,
	GATE_OPTICS = 1u << 30,
	GATE_FAST = 1u << 31,		/* its bit rate is elsewhere */
};

#define GATE_RX_CDR (UINT64_C(1) << 32)	/* GATE_CDR is towards the fibre */
/* An SFP's reach over single mode fibre in km, not in hundreds of metres. */
#define GATE_KM (UINT64_C(1) << 33)
#define GATE_LOS_INVERTED (UINT64_C(1) << 34)	/* 1 means light there */
#define GATE_COOLED (UINT64_C(1) << 35)
#define GATE_CMIS_3 (UINT64_C(1) << 36)		/* CMIS before 4.0 */
#define GATE_CMIS_5 (UINT64_C(1) << 37)		/* CMIS 5.0 and later */
/* It may measure transmitted power: only a value other than 0 shows it. */
#define GATE_TX_POWER_UNTOLD (UINT64_C(1) << 38)
#define GATE_ACTIVE_COPPER (UINT64_C(1) << 39)	/* it has no light */
#define GATE_TX_POLARITY (UINT64_C(1) << 40)
#define GATE_RX_POLARITY (UINT64_C(1) << 41)
#define GATE_TX_SQUELCH (UINT64_C(1) << 42)
#define GATE_TX_SQUELCH_FORCE (UINT64_C(1) << 43)
#define GATE_RX_SQUELCH (UINT64_C(1) << 44)
#define GATE_TX_EQ_FIXED (UINT64_C(1) << 45)
#define GATE_TX_EQ_ADAPTIVE (UINT64_C(1) << 46)
#define GATE_RX_AMPLITUDE (UINT64_C(1) << 47)
#define GATE_RX_EQ_PRE (UINT64_C(1) << 48)
#define GATE_RX_EQ_POST (UINT64_C(1) << 49)
/* What the host has selected for diagnostics: may change. */
#define GATE_SELECTED_BER (UINT64_C(1) << 50)
#define GATE_SELECTED_SNR (UINT64_C(1) << 51)
/* It cannot be unplugged: a length is that of the cable, not a reach. */
#define GATE_CABLE (UINT64_C(1) << 52)
#define GATE_BASE_T (UINT64_C(1) << 53)		/* over copper cabling */
/* It may draw more than power level 1, a QSFP more than class 4; pins, and
 * bits, choose a rate.
 */
#define GATE_POWER_LEVEL (UINT64_C(1) << 54)
#define GATE_RATE (UINT64_C(1) << 55)
#define GATE_SOFT_RATE (UINT64_C(1) << 56)
#define GATE_CDB (UINT64_C(1) << 57)
/* Of a tunable laser: beside its channel, and what it sends. */
#define GATE_FINE_TUNING (UINT64_C(1) << 58)
#define GATE_LASER_POWER (UINT64_C(1) << 59)
#define GATE_POWER_TOLD (UINT64_C(1) << 60)	/* level 4 or class 8 */
#define GATE_TUNING_PAGE (UINT64_C(1) << 61)	/* of a tunable SFP */
#define GATE_ELSFP (UINT64_C(1) << 62)	/* lasers for others' light */

/* A gate is open if the masked octet is within the range, in any row. */
struct gate_row {
	uint64_t gate;
	uint16_t place;
	uint8_t byte, mask, low, high;
	const char *source;
	uint64_t needs;		/* gates above it: only then is it there */
};

/* The sum of octets from to (inclusive) must equal the octet at. */
struct checksum_row {
	uint16_t place;
	uint8_t from, to, at;
	uint16_t parts;		/* enum module_part: when to check it */
};

/* Contents that make octets implausible: test_from to test_to, inclusive, are
 * compared; on a match the octets from..to are no values.
 */
enum void_kind {
	VOID_ZERO = 1 << 0,	/* all of them 0 */
	VOID_ONES = 1 << 1,	/* all ones, of the octets read */
	VOID_CODES = 1 << 2,	/* none is a state of the standard */
	VOID_SILENT = 1 << 3,	/* all 0, though a VDM value is never 0 */
};

struct void_row {
	uint16_t place;
	uint8_t kinds;		/* bits of enum void_kind */
	uint8_t test_from, test_to;
	uint8_t from, to;	/* not values then */
	uint8_t mask, shift, step;	/* for VOID_CODES; step in bits */
	uint16_t codes;		/* bit n: n is a state */
	uint64_t needs, unless;	/* gates */
};

struct view_page {
	const struct module_page *page;
	const uint8_t *whole;	/* its octets if all of them are usable */
	bool is_hidden;		/* flat memory has no such page */
	bool is_unswitched;	/* repeats page 0, or … : no values */
	bool is_of_lower;	/* … the lower memory */
	uint8_t void_fault;	/* why, by enum reading_fault */
	const struct void_row *void_row;	/* or NULL */
	uint64_t lost[2];	/* not values according to void_row */
	uint8_t doubt_from, doubt_to;	/* octets under a wrong checksum */
};

struct view {
	enum module_standard standard;
	uint64_t gates;
	uint64_t untold;	/* gates whose registers were not read */
	uint64_t doubted;	/* gates under a wrong checksum, open or not */
	uint32_t media_lanes, host_lanes;	/* bit n: lane n + 1 */
	unsigned banks;
	unsigned banks_unread;	/* that it has beyond MODULE_BANKS_MAX */
	unsigned bias_multiplier;	/* 0: its code has no meaning */
	unsigned vdm_groups;
	unsigned page_count;
	bool has_doubt;		/* a checksum was wrong */
	struct view_page page[MODULE_PAGES_MAX];
	/* 1 + index in page[] */
	uint8_t index[MODULE_BANKS_MAX][MODULE_PAGE_NUMBERS];
};

/* Finds each page of m, and whether it repeats page 0; no gates yet. */
void view_pages(struct view *v, const struct module_image *m);

/* Marks the octets of the row as lost on the page at place. */
void view_void(struct view *v, unsigned place, const struct void_row *row,
	       enum reading_fault fault);

/* Flat memory has page 0 and no other, even if others were read. */
void view_hide_pages(struct view *v);

static inline unsigned place_bank(unsigned place)
{
	return place >> PLACE_PAGE_BITS;
}

static inline unsigned place_page(unsigned place)
{
	return place & ((1u << PLACE_PAGE_BITS) - 1);
}

/* It says that it has no more pages. False if that octet was not read. */
static inline bool view_is_flat(const struct view *v)
{
	return v->standard != MODULE_SFF8472 &&
	       !((v->gates | v->untold) & GATE_PAGED);
}

/* 1 + index of the page in view.page; 0: it was not read. */
static inline unsigned view_index(const struct view *v, unsigned place)
{
	unsigned bank = place_bank(place), page = place_page(place);

	return bank < MODULE_BANKS_MAX && page < MODULE_PAGE_NUMBERS ?
		       v->index[bank][page] : 0;
}

/* n octets from offset on, or NULL if one of them was not read or the page is
 * implausible.
 */
static inline const uint8_t *view_octets(const struct view *v, unsigned place,
					 unsigned offset, unsigned n);
/* The same for a page that was read in part. */
const uint8_t *view_octets_partial(const struct view *v, unsigned place,
				   unsigned offset, unsigned n);

/* One octet; -ENODATA. */
int view_octet(const struct view *v, unsigned place, unsigned offset);

/* Is the octet lost, or on a page that repeats another? */
bool view_is_lost(const struct view *v, unsigned place, unsigned offset);

/* Is the octet covered by a wrong checksum? */
bool view_is_doubted(const struct view *v, unsigned place, unsigned offset);

/* Writes "11h:186", "A2h:96", "bank 1, 11h:186". */
void view_where(const struct view *v, unsigned place, unsigned offset,
		char *ret, size_t cap);

/* Two octets that view_octets() gave, big endian. */
static inline unsigned view_be16(const uint8_t *octets)
{
	return (unsigned)octets[0] << 8 | octets[1];
}

static inline const uint8_t *view_octets(const struct view *v, unsigned place,
					 unsigned offset, unsigned n)
{
	unsigned index = view_index(v, place), at = offset % MODULE_PAGE_LEN;

	if (!index)
		return NULL;
	if (v->page[index - 1].whole && at + n <= MODULE_PAGE_LEN)
		return v->page[index - 1].whole + at;
	return view_octets_partial(v, place, offset, n);
}
