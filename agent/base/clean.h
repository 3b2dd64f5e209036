/* C19: text from outside, made clean where it enters: valid UTF-8 without
 * control and bidirectional characters. Everything behind that border may
 * print it.
 *
 * Blanks of any kind (tab, line end, line and paragraph separator) become a
 * blank; each other control character (C0, DEL, C1), each that turns the
 * direction of writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
 * U+2069) and each octet that is no UTF-8 becomes '?'. So two names that differ
 * in such octets alone are one; it never gets longer; and what is clean stays
 * as it is.
 */
#pragma once

#include <stddef.h>

/* Copies len octets up to a NUL, as many whole characters as cap has room for
 * with its NUL. to may be where octets are.
 */
void clean_octets(char *to, size_t cap, const char *octets, size_t len);

/* The same of a text up to its NUL. NULL counts as "". */
void clean_text(char *to, size_t cap, const char *text);

/* Octets of the character that begins here in a text with a NUL at its end; 0:
 * it would not stay as it is.
 */
size_t clean_len(const char *text);

/* The same where the text is: a border that need not copy, or a text that was
 * cut off somewhere.
 */
void clean_in_place(char *text);
