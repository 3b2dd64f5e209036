/* One line of a hex dump: its address, and its octets. Takes what ethtool,
 * hexdump, xxd, od, i2cdump and the kernel's log print, and lists as programs
 * have them.
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
	/* As hexdump counts, and as od counts; the same unless it is of seven
	 * digits, which both of them write.
	 */
	size_t address, octal;
	unsigned count;
	uint8_t octets[IMAGE_LINE_OCTETS_MAX];
	uint64_t unread[IMAGE_LINE_OCTETS_MAX / 64];	/* bit n: stood as XX */
	const char *bad;	/* the word that is no octet, in text */
};

/* Returns -EBADMSG with ret->bad when a word is no octet and does not stand
 * where text stands: behind two blanks or |, or after sixteen octets.
 * is_last: a single digit at the end is the rest of an octet, and left out.
 */
int image_line_parse(const char *text, bool is_last, struct image_line *ret);

/* Where a dump's line begins that has words before it ("sfp EE: 00000010: 01
 * 02", "> 00: 01"), or NULL.
 */
const char *image_line_find(const char *text);
