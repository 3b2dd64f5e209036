#include "agent/base/joined.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void joined_add(char *text, size_t cap, const char *between,
		const char *format, ...)
{
	size_t len = strlen(text);
	va_list args;

	if (len)
		(void)snprintf(text + len, cap - len, "%s", between);
	len = strlen(text);
	va_start(args, format);
	(void)vsnprintf(text + len, cap - len, format, args);
	va_end(args);
}
