/* C19: text from outside, cleaned where it enters: valid UTF-8 without control
 * and bidirectional characters. All code behind that point may print it.
 *
 * Blanks of any kind (tab, line end, line and paragraph separator) become a
 * blank; every other control character (C0, DEL, C1), every bidirectional
 * control (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069) and
 * every octet that is not UTF-8 becomes '?'. So two names that differ in such
 * octets alone become equal. Text never gets longer, and clean text does not
 * change.
 */
#pragma once

#include <stddef.h>

/* Copies len octets up to a NUL, as many whole characters as fit into cap with
 * the final NUL. to and octets may be the same.
 */
void clean_octets(char *to, size_t cap, const char *octets, size_t len);

/* The same for a NUL-terminated text. NULL counts as "". */
void clean_text(char *to, size_t cap, const char *text);

/* Octets of the character that begins here in a NUL-terminated text; 0:
 * cleaning would change it.
 */
size_t clean_len(const char *text);

/* The same in place: for input that is not copied, or a text that was
 * truncated.
 */
void clean_in_place(char *text);
