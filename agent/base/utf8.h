/* Text as it may be shown: UTF-8 without control characters. */
#pragma once

#include <stddef.h>

/* Octets of the UTF-8 sequence that begins here, in a text with a NUL at its
 * end; 0: none that is printable.
 */
size_t utf8_len(const unsigned char *t);
