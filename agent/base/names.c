#include "agent/base/names.h"

#include <errno.h>
#include <string.h>

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
