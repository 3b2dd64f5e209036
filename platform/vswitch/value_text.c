#include "platform/vswitch/value_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

size_t text_u64(uint64_t value, char ret[TEXT_VALUE_MAX])
{
	char digits[TEXT_VALUE_MAX];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	for (size_t i = 0; i < n; i++)
		ret[i] = digits[n - 1 - i];
	ret[n] = '\0';
	return n;
}

/* C and Lua print the sign of a NaN; on x86, 0 / 0 is negative. */
void text_lua(double value, char ret[TEXT_VALUE_MAX])
{
	(void)snprintf(ret, TEXT_VALUE_MAX, "%.17g", value);
}

void text_rounded(double value, unsigned decimals, char ret[TEXT_VALUE_MAX])
{
	size_t len;

	if (!isfinite(value)) {
		number_repr(value, ret);
		return;
	}
	(void)snprintf(ret, TEXT_VALUE_MAX, "%.*f", (int)decimals, value);
	if (!strchr(ret, '.')) {
		len = strnlen(ret, TEXT_VALUE_MAX - 3);
		memcpy(ret + len, ".0", 3);
		return;
	}
	/* repr() keeps one digit after the point. */
	len = strlen(ret);
	while (ret[len - 1] == '0' && ret[len - 2] != '.')
		ret[--len] = '\0';
}

double text_round(double value, unsigned decimals)
{
	char text[TEXT_VALUE_MAX];
	uint64_t scale = 1;
	int64_t whole;

	for (unsigned i = 0; i < decimals; i++)
		scale *= 10;
	(void)snprintf(text, sizeof(text), "%.*f", (int)decimals, value);
	if (number_parse_scaled(text, strlen(text), scale, &whole) < 0)
		return value;		/* inf, nan, or too large to matter */
	return (double)whole / (double)scale;
}

double text_mw_dbm(double mw)
{
	if (mw < 0)
		return (double)NAN;
	return mw > 0 ? 10 * log10(mw) : -INFINITY;
}

const char *text_bool(bool value)
{
	return value ? "True" : "False";
}

void text_date(int64_t unix_s, enum text_date form, char ret[TEXT_VALUE_MAX])
{
	time_t at = (time_t)unix_s;
	struct tm utc, local;

	(void)gmtime_r(&at, &utc);
	/* No setlocale() is called: the names are English. */
	switch (form) {
	case DATE_C:
		(void)strftime(ret, TEXT_VALUE_MAX, "%a %b %d %H:%M:%S %Y",
			       &utc);
		break;
	case DATE_ISO:
		(void)strftime(ret, TEXT_VALUE_MAX, "%Y-%m-%d %H:%M:%S", &utc);
		break;
	case DATE_LOCAL:
		(void)strftime(ret, TEXT_VALUE_MAX, "%Y%m%d %H:%M:%S",
			       localtime_r(&at, &local));
		break;
	}
}
