#include "platform/sim/words.h"

#include <string.h>

#define WORD_MAX 48	/* longer words are compared by their beginning */

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Wagner and Fischer, one row at a time. */
unsigned words_distance(const char *a, const char *b)
{
	unsigned row[WORD_MAX + 1];
	size_t la = strnlen(a, WORD_MAX), lb = strnlen(b, WORD_MAX);

	for (size_t j = 0; j <= lb; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned corner = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned up = row[j], swap = a[i - 1] != b[j - 1];

			row[j] = least(up + 1, row[j - 1] + 1, corner + swap);
			corner = up;
		}
	}
	return row[lb];
}

void words_offer(struct words_nearest *n, const char *candidate)
{
	unsigned distance = words_distance(n->word, candidate);

	if (distance < n->distance) {
		n->best = candidate;
		n->distance = distance;
	}
}
