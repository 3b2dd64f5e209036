#include "petrel/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int diag_set(struct diag *d, int err, const char *format, ...)
{
	va_list args;

	if (!d)
		return err;
	va_start(args, format);
	(void)vsnprintf(d->text, sizeof(d->text), format, args);
	va_end(args);
	return err;
}

int diag_prefix(struct diag *d, int err, const char *format, ...)
{
	char rest[DIAG_MAX];
	va_list args;
	size_t n;

	if (!d)
		return err;
	memcpy(rest, d->text, sizeof(rest));
	va_start(args, format);
	(void)vsnprintf(d->text, sizeof(d->text), format, args);
	va_end(args);
	n = strlen(d->text);
	(void)snprintf(d->text + n, sizeof(d->text) - n, ": %s", rest);
	return err;
}
