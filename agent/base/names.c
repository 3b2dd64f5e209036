#include "agent/base/names.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

const char *names_get(const char *const *names, size_t count, unsigned value)
{
	return value < count ? names[value] : NULL;
}

int names_parse(const char *const *names, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (names[i] && strcmp(names[i], word) == 0)
			return (int)i;
	return -EINVAL;
}

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Whether the last two of i letters of a are those of j of b, swapped. */
static bool is_swapped(const char *a, size_t i, const char *b, size_t j)
{
	return i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
}

/* Levenshtein's table, with Damerau's swaps: three rows of it at a time. */
unsigned nearest_distance(const char *a, const char *b)
{
	size_t a_len = strlen(a), b_len = strlen(b);
	unsigned rows[3][NEAREST_WORD_MAX + 1] = { { 0 } };

	if (a_len > NEAREST_WORD_MAX || b_len > NEAREST_WORD_MAX)
		return NEAREST_NONE;
	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= a_len; i++) {
		const unsigned *two_above = rows[(i + 1) % 3];
		const unsigned *above = rows[(i + 2) % 3];
		unsigned *row = rows[i % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_len; j++) {
			row[j] = least(above[j] + 1, row[j - 1] + 1,
				       above[j - 1] + (a[i - 1] != b[j - 1]));
			if (is_swapped(a, i, b, j) &&
			    two_above[j - 2] + 1 < row[j])
				row[j] = two_above[j - 2] + 1;
		}
	}
	return rows[a_len % 3][b_len];
}

/* The only name that begins with the word; NULL: none, or several. */
static const char *begun_by(const char *word, const char *const *names,
			    size_t n)
{
	const char *found = NULL;

	for (size_t i = 0; i < n && word[0]; i++) {
		if (!names[i] ||
		    strncasecmp(word, names[i], strlen(word)) != 0)
			continue;
		if (found)
			return NULL;
		found = names[i];
	}
	return found;
}

const char *nearest_name(const char *word, const char *const *names, size_t n)
{
	unsigned best = (unsigned)strlen(word) / 2 + 1;
	const char *name = NULL;

	for (size_t i = 0; i < n; i++) {
		unsigned distance = nearest_distance(word, names[i]);

		if (distance < best) {
			best = distance;
			name = names[i];
		}
	}
	return name ? name : begun_by(word, names, n);
}
