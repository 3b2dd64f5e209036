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

/* -EINVAL if no command is there that names a page or an offset. */
int image_head_of_command(const char *text, struct image_head *ret);

/* The port that such a command names, page or not; -EINVAL: it is none. */
int image_head_port(const char *text, char *ret, size_t cap);

/* Does it look like a head with a mistake? */
bool image_head_is_like(const char *text);
