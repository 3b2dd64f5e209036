/* The line before the octets of a block, which says what they are: "[page 11]",
 * "Upper page 11h", "Page: 0x11  Offset: 128", or the command that printed
 * them: "ethtool -m swp1 hex on page 0x11 bank 0 offset 128 length 128".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct image_head {
	bool is_a0, is_a2, is_lower, is_upper, has_page, is_table;
	bool is_whole;		/* both halves: the lower memory, page 00h */
	unsigned page, bank, first;
};

/* -EINVAL if a word of it is none of a head. */
int image_head_parse(const char *text, struct image_head *ret);

/* -EINVAL if no command is there that names a page or an offset. is_decimal: so
 * is the page's number in sfputil's, without 0x.
 */
int image_head_of_command(const char *text, bool is_decimal,
			  struct image_head *ret);

/* In which way such a number makes sense: sfputil took it as hex, and since
 * sonic-utilities#4444 of 2026 as decimal.
 */
enum image_radix { RADIX_UNTOLD, RADIX_HEX, RADIX_DECIMAL };
enum image_radix image_head_radix(const char *text);

/* The port that such a command names, page or not; -EINVAL: it is none. */
int image_head_port(const char *text, char *ret, size_t cap);

/* Does it look like a head with a mistake? */
bool image_head_is_like(const char *text);
