/* SONiC's databases hold text: this turns it into values, in all variants.
 *
 * Tables are written by Python and C++ alike, so a flag is "True" or "true", a
 * temperature "45.5" or (older images) "45.5C", and a missing reading
 * "N/A", "", "nan" or "never".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True for infinities and NaN: results of arithmetic, rather than words for a
 * missing reading.
 */
bool text_is_not_finite(const char *text, size_t len);

/* True for the words that mean "no reading". */
bool text_is_absent(const char *text, size_t len);

/* A decimal, scaled; blanks around it and a unit after it are ignored. Returns
 * -ENODATA for a word that means absent, -EINVAL, -ERANGE.
 */
int text_number(const char *text, size_t len, uint64_t scale, int64_t *ret);

/* Optical power in dBm ("-2.31", "-2.31dBm", "-inf") to pW.
 * Returns as text_number().
 */
int text_dbm(const char *text, size_t len, int64_t *ret_pw);

/* A cumulative count: u64 as its bit pattern; all ones is absent.
 * Returns as text_number().
 */
int text_counter(const char *text, size_t len, int64_t *ret);

/* True false up down on off enable disable 1 0, and what platforms write for
 * parts: OK, Not OK, Present, Not Present, Absent; in upper or lower case.
 * Returns as text_number().
 */
int text_bool(const char *text, size_t len, int64_t *ret);

/* UTC as "Fri Nov 20 10:01:02 2026" or "2026-11-20 10:01:02", to seconds since
 * 1970. Returns as text_number().
 */
int text_utc(const char *text, size_t len, int64_t *ret_s);

/* Copies without outer blanks, cut at cap with its NUL; "N/A" gives "". */
void text_copy(char *to, size_t cap, const char *text, size_t len);

/* Enumerations as SONiC writes them. */
enum words {
	WORDS_MODULE_STATE,
	WORDS_MODULE_FAULT,
	WORDS_DATA_PATH,
	WORDS_LANE_CONFIG,
	WORDS_XCVR_STATE,
	WORDS_STORM,		/* of PFC watchdog; 1: stormed */
	WORDS_OPER,		/* enum oper_status */
	WORDS_LINK,		/* the same; any other word: unknown */
	WORDS_LEAK,		/* Yes No */
	WORDS_CARD,		/* enum card_state */
	WORDS_LEAK_SENSOR,	/* Good Fault */
	WORDS_ECN,		/* colours that are marked; bit 0: green */
	WORDS_COUNT,
};

/* Returns -ENODATA for a word that means absent, -EINVAL for an unknown word.
 */
int words_parse(enum words which, const char *text, size_t len, int64_t *ret);

/* Lists of lanes as SONiC writes them into one field of PORT_PHY_ATTR:
 *
 *   {"0": ["T*", 1678886400000, 10], "1": ["F", 0, 0]}	a state, when it
 *		last changed (ms since 1970), how often; * if it changed
 *		since the last reading
 *   {"0": 36697, "1": 35200}				a number
 *
 * Nothing is allocated.
 */

#define LANES_MAX 16	/* of a port */

enum lanes_kind {
	LANES_STATE,
	LANES_NUMBER,
	LANES_SNR,	/* 1/256 dB, to thousandths of a dB */
};

struct lanes {
	uint32_t present;	/* bit n: lane n */
	bool counts;		/* count[] is filled, too */
	int64_t value[LANES_MAX], count[LANES_MAX];
};

/* Lanes beyond LANES_MAX are dropped. Returns -EINVAL if it is malformed,
 * -ENODATA if it has no lane.
 */
int lanes_parse(enum lanes_kind kind, const char *text, size_t len,
		struct lanes *ret);
