/* One line of a hex dump: its address, and its octets. Takes the output
 * of ethtool, hexdump, xxd, od, i2cdump and the kernel's log, and lists as in
 * source code.
 *
 *   [what][address[:]] octet octet … [ascii]
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_LINE_OCTETS_MAX 512u

struct image_line {
	bool has_address;
	/* In hexdump's base and in od's bases; the same unless it has seven
	 * digits, which both of them write, or eight in base 10.
	 */
	size_t address, octal, decimal;
	unsigned count;
	unsigned word;		/* octets of the first word */
	uint8_t octets[IMAGE_LINE_OCTETS_MAX];
	uint64_t unread[IMAGE_LINE_OCTETS_MAX / 64];	/* bit n: was XX */
	const char *bad;	/* the word that is not an octet, in text */
	const char *behind;	/* what may be the octets as text, or NULL */
};

/* Returns -EBADMSG with ret->bad if a word is not an octet and is not in the
 * place of text: after two blanks or |, or after sixteen octets. is_last: a
 * single digit at the end is half an octet, and dropped. is_reversed: words
 * behind a colon have their last octet first, as with xxd -e.
 */
int image_line_parse(const char *text, bool is_last, bool is_reversed,
		     struct image_line *ret);

enum image_order {
	ORDER_UNTOLD,
	ORDER_AS_WRITTEN,
	ORDER_REVERSED,
};

/* Are the words of a line reversed? The text behind them, which never is, shows
 * it: otherwise xxd -e and xxd -g4 print the same.
 */
enum image_order image_line_order(const char *text);

/* The start of a dump line that has words before it ("sfp EE: 00000010: 01 02",
 * "> 00: 01"), or NULL.
 */
const char *image_line_find(const char *text);
