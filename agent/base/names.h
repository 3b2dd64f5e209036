/* One lookup for the names of all enumerations on the wire. */
#pragma once

#include <stddef.h>

/* names[value], NULL if out of range. */
const char *names_get(const char *const *names, size_t count, unsigned value);

/* The value of a name; -EINVAL. */
int names_parse(const char *const *names, size_t count, const char *word);

/* Suggestions for a mistyped word: "did you mean". */

#define NEAREST_WORD_MAX 64	/* longer words match nothing */
#define NEAREST_NONE 1000u

/* Edit distance (insert, delete, replace, swap two neighbours, each 1);
 * NEAREST_NONE when a word is longer than NEAREST_WORD_MAX.
 */
unsigned nearest_distance(const char *a, const char *b);

/* The name with the least distance, if that is at most half of the word's
 * length; else the only name that begins with the word, in any case; otherwise
 * NULL.
 */
const char *nearest_name(const char *word, const char *const *names, size_t n);
