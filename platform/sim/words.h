/* What was probably meant: the nearest of the words that would be right, which
 * stand in rows of tables.
 */
#pragma once

#include <stddef.h>

/* Remembers the nearest word to one that is wrong. */
struct words_nearest {
	const char *word;	/* what was written */
	const char *best;	/* borrowed; NULL: none offered yet */
	unsigned distance;
};

static inline void words_nearest_init(struct words_nearest *n, const char *word)
{
	n->word = word;
	n->best = NULL;
	n->distance = ~0u;
}

/* Takes candidate where it is nearer than what was offered before. */
void words_offer(struct words_nearest *n, const char *candidate);
