#include "agent/base/nearest.h"

#include <string.h>
#include <strings.h>

#define WORD_MAX 63

static size_t least(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

static size_t lower_octet(char c)
{
	return (size_t)(unsigned char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

/* Levenshtein's distance, one row at a time. */
static size_t distance(const char *a, const char *b)
{
	size_t row[WORD_MAX + 1], len = strlen(b);

	if (strlen(a) > WORD_MAX || len > WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= len; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < len; j++) {
			size_t up = row[j + 1];
			size_t differs = lower_octet(a[i]) != lower_octet(b[j]);

			row[j + 1] = least(up + 1, row[j] + 1,
					   diagonal + differs);
			diagonal = up;
		}
	}
	return row[len];
}

const char *nearest_word(const char *word, size_t count,
			 const char *(*get)(const void *context, size_t n),
			 const void *context)
{
	const char *best = NULL;
	size_t best_distance = strlen(word) / 2 + 1;

	for (size_t i = 0; i < count; i++) {
		const char *candidate = get(context, i);
		size_t d = distance(word, candidate);

		if (d < best_distance) {
			best_distance = d;
			best = candidate;
		}
	}
	return best;
}
