#include "agent/base/names.h"

#include <errno.h>
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

/* One row of Levenshtein's table at a time. */
unsigned nearest_distance(const char *a, const char *b)
{
	size_t a_len = strlen(a), b_len = strlen(b);
	unsigned row[NEAREST_WORD_MAX + 1];

	if (a_len > NEAREST_WORD_MAX || b_len > NEAREST_WORD_MAX)
		return NEAREST_NONE;
	for (size_t j = 0; j <= b_len; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= a_len; i++) {
		unsigned corner = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_len; j++) {
			unsigned above = row[j];

			row[j] = least(above + 1, row[j - 1] + 1,
				       corner + (a[i - 1] != b[j - 1]));
			corner = above;
		}
	}
	return row[b_len];
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
