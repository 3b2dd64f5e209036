#include "petrel/diag.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/clean.h"

void diag_write(struct diag *d, const char *format, ...)
{
	int saved_errno = errno;
	va_list args;

	if (!d)
		return;
	va_start(args, format);
	(void)vsnprintf(d->text, sizeof(d->text), format, args);
	va_end(args);
	clean_in_place(d->text);	/* it quotes, and may be cut */
	errno = saved_errno;
}

void diag_write_before(struct diag *d, const char *format, ...)
{
	int saved_errno = errno;
	char rest[DIAG_MAX];
	va_list args;
	size_t n;

	if (!d)
		return;
	memcpy(rest, d->text, sizeof(rest));
	va_start(args, format);
	(void)vsnprintf(d->text, sizeof(d->text), format, args);
	va_end(args);
	n = strlen(d->text);
	(void)snprintf(d->text + n, sizeof(d->text) - n, ": %s", rest);
	clean_in_place(d->text);
	errno = saved_errno;
}
