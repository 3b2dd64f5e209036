/* The word that somebody probably meant. */
#pragma once

#include <stddef.h>

/* Of count words, the one with the fewest changed letters from word; NULL when
 * none is near (over half of the letters differ). get gives word n.
 */
const char *nearest_word(const char *word, size_t count,
			 const char *(*get)(const void *context, size_t n),
			 const void *context);
