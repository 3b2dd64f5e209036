#include "agent/base/number.h"

#include <errno.h>
#include <float.h>
#include <stdbool.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECIMAL_TEXT_MAX 64	/* longer numbers are refused */
#define PW_PER_MW 1e9

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

int number_parse_n(const char *text, size_t len, uint64_t min, uint64_t max,
		   uint64_t *ret)
{
	uint64_t value = 0;
	int base = 10;

	if (len > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
		base = 16;
		text += 2;
		len -= 2;
	}
	if (len == 0)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		int digit = digit_of(text[i]);

		if (digit >= base)
			return -EINVAL;
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value))
			return -ERANGE;
	}
	if (value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

int number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *ret)
{
	return number_parse_n(text, strlen(text), min, max, ret);
}

/* A decimal, parsed: mantissa x 10^exponent. */
struct decimal {
	bool negative;
	uint64_t mantissa;
	int exponent;
};

static int exponent_parse(const char *text, size_t len, int *ret)
{
	bool negative = len > 0 && text[0] == '-';
	uint64_t value;
	int rc;

	if (len > 0 && (text[0] == '-' || text[0] == '+')) {
		text++;
		len--;
	}
	rc = number_parse_n(text, len, 0, 400, &value);
	if (rc < 0)
		return rc;
	*ret = negative ? -(int)value : (int)value;
	return 0;
}

/* Digits that the mantissa has no room for only change the exponent. */
static void decimal_digit(struct decimal *d, int digit, bool behind_point)
{
	if (d->mantissa > (UINT64_MAX - 9) / 10) {
		d->exponent += behind_point ? 0 : 1;
		return;
	}
	d->mantissa = d->mantissa * 10 + (uint64_t)digit;
	d->exponent -= behind_point ? 1 : 0;
}

static int decimal_parse(const char *text, size_t len, struct decimal *ret)
{
	struct decimal d = { 0 };
	bool point = false, any = false;
	size_t i = 0;
	int exponent = 0, rc;

	if (len == 0 || len > DECIMAL_TEXT_MAX)
		return -EINVAL;
	if (text[0] == '-' || text[0] == '+')
		d.negative = text[i++] == '-';
	for (; i < len && (text[i] | 0x20) != 'e'; i++) {
		int digit = text[i] == '.' ? 0 : digit_of(text[i]);

		if (digit > 9 || (text[i] == '.' && point))
			return -EINVAL;
		if (text[i] == '.') {
			point = true;
			continue;
		}
		decimal_digit(&d, digit, point);
		any = true;
	}
	if (!any)
		return -EINVAL;
	if (i < len) {
		rc = exponent_parse(text + i + 1, len - i - 1, &exponent);
		if (rc < 0)
			return rc;
	}
	d.exponent += exponent;
	*ret = d;
	return 0;
}

int number_parse_scaled(const char *text, size_t len, uint64_t scale,
			int64_t *ret)
{
	struct decimal d;
	unsigned __int128 value;
	unsigned last = 0;
	int rc = decimal_parse(text, len, &d);

	if (rc < 0)
		return rc;
	value = (unsigned __int128)d.mantissa * scale;
	for (; d.exponent > 0 && value != 0; d.exponent--) {
		if (value > (unsigned __int128)INT64_MAX)
			return -ERANGE;
		value *= 10;
	}
	/* Stops at the last digit before the point: 0.06 is not 0.6. */
	for (; d.exponent < 0 && (value != 0 || last != 0); d.exponent++) {
		last = (unsigned)(value % 10);
		value /= 10;
	}
	if (last >= 5)
		value++;
	if (value > (unsigned __int128)INT64_MAX)
		return -ERANGE;
	*ret = d.negative ? -(int64_t)value : (int64_t)value;
	return 0;
}

int number_parse_dbm(const char *text, size_t len, int64_t *ret_pw)
{
	struct decimal d;
	double dbm;
	int rc;

	if (len == 4 && memcmp(text, "-inf", 4) == 0) {
		*ret_pw = 0;
		return 0;
	}
	rc = decimal_parse(text, len, &d);
	if (rc < 0)
		return rc;
	dbm = (double)d.mantissa * pow(10, d.exponent);
	if (d.negative)
		dbm = -dbm;
	if (dbm > 60)
		return -ERANGE;
	*ret_pw = llround(pow(10, dbm / 10) * PW_PER_MW);
	return 0;
}

struct suffix {
	const char *text;
	uint64_t factor;
};

static int suffixed_parse(const char *text, const struct suffix *suffixes,
			  size_t count, uint64_t max, uint64_t *ret)
{
	size_t digits = strspn(text, "0123456789");
	uint64_t value;
	int rc;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(text + digits, suffixes[i].text) != 0)
			continue;
		rc = number_parse_n(text, digits, 0, max, &value);
		if (rc < 0)
			return rc;
		if (__builtin_mul_overflow(value, suffixes[i].factor, &value) ||
		    value > max)
			return -ERANGE;
		*ret = value;
		return 0;
	}
	return -EINVAL;
}

int number_parse_duration(const char *text, int64_t *ret_ns)
{
	static const struct suffix suffixes[] = {
		{ "ms", 1000000 },	  { "s", 1000000000 },
		{ "m", 60000000000 },	  { "h", 3600000000000 },
		{ "d", 86400000000000 },
	};
	uint64_t value;
	int rc = suffixed_parse(text, suffixes,
				sizeof(suffixes) / sizeof(suffixes[0]),
				INT64_MAX, &value);

	if (rc == 0)
		*ret_ns = (int64_t)value;
	return rc;
}

int number_parse_size(const char *text, uint64_t max, uint64_t *ret)
{
	static const struct suffix suffixes[] = {
		{ "", 1 }, { "K", 1u << 10 }, { "M", 1u << 20 },
		{ "G", 1u << 30 },
	};

	return suffixed_parse(text, suffixes,
			      sizeof(suffixes) / sizeof(suffixes[0]), max, ret);
}

int64_t number_pw(int64_t mdbm)
{
	double pw = pow(10, (double)mdbm / 10000) * PW_PER_MW;

	return pw < (double)INT64_MAX ? llround(pw) : INT64_MAX;
}

double number_dbm(int64_t pw)
{
	return pw > 0 ? 10 * log10((double)pw / PW_PER_MW) : -INFINITY;
}

#define REPR_DIGITS 17		/* enough for any double */
#define REPR_SURVIVE 15		/* decimals this long round-trip */
#define REPR_FIXED_MIN (-4)	/* exponents written without e */
#define REPR_FIXED_MAX 16

/* The next decimal of as many digits: "1.99e-09" to "2.00e-09". False: none
 * exists.
 */
static bool repr_next(char *text)
{
	char *at = strchr(text, 'e') - 1;

	for (; at > text; at--) {
		if (*at == '.')
			continue;
		if (*at != '9') {
			++*at;
			return true;
		}
		*at = '0';
	}
	if (*at == '9')
		return false;
	++*at;
	return true;
}

/* "d.ddde-09" with as few digits as read back the same. Above a power of two
 * doubles are spaced wider than below it, so there the next decimal may read
 * back although the nearest does not.
 */
static void repr_shortest(double value, char text[NUMBER_REPR_MAX])
{
	int digits = value < DBL_MIN ? 1 : REPR_SURVIVE;

	for (; digits < REPR_DIGITS; digits++) {
		(void)snprintf(text, NUMBER_REPR_MAX, "%.*e", digits - 1,
			       value);
		if (strtod(text, NULL) == value)
			return;
		if (repr_next(text) && strtod(text, NULL) == value)
			return;
	}
	(void)snprintf(text, NUMBER_REPR_MAX, "%.*e", digits - 1, value);
}

/* Only the digits, without trailing zeros. Returns how many. */
static int repr_digits(const char *text, char digits[REPR_DIGITS + 1])
{
	int n = 0;

	for (; *text != 'e'; text++)
		if (*text != '.')
			digits[n++] = *text;
	while (n > 1 && digits[n - 1] == '0')
		n--;
	digits[n] = '\0';
	return n;
}

/* value is finite and not negative. */
static void repr_positive(double value, char *ret, size_t cap)
{
	char text[NUMBER_REPR_MAX], digits[REPR_DIGITS + 1];
	int n, exponent, whole;

	repr_shortest(value, text);
	n = repr_digits(text, digits);
	exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
	whole = exponent + 1 < n ? exponent + 1 : n;
	if (exponent < REPR_FIXED_MIN || exponent >= REPR_FIXED_MAX)
		(void)snprintf(ret, cap, "%c%s%se%c%02d", digits[0],
			       n > 1 ? "." : "", digits + 1,
			       exponent < 0 ? '-' : '+', abs(exponent));
	else if (exponent < 0)
		(void)snprintf(ret, cap, "0.%.*s%s", -exponent - 1, "0000",
			       digits);
	else
		(void)snprintf(ret, cap, "%.*s%.*s.%s", whole, digits,
			       exponent + 1 - whole, "000000000000000",
			       digits[whole] ? digits + whole : "0");
}

void number_repr(double value, char ret[NUMBER_REPR_MAX])
{
	if (isnan(value)) {
		memcpy(ret, "nan", 4);
		return;
	}
	*ret = '-';
	ret += signbit(value) != 0;
	if (isinf(value))
		memcpy(ret, "inf", 4);
	else
		repr_positive(fabs(value), ret, NUMBER_REPR_MAX - 1);
}

int64_t number_scale(int64_t raw, int64_t mul, int64_t div)
{
	int64_t product = raw * (mul ? mul : 1);
	uint64_t size = (uint64_t)(product < 0 ? -product : product);

	if (div <= 1)
		return product;
	size += (uint64_t)div / 2;
	if (size <= UINT32_MAX)		/* three times as fast as 64 bits */
		size = (uint32_t)size / (uint32_t)div;
	else
		size /= (uint64_t)div;
	return product < 0 ? -(int64_t)size : (int64_t)size;
}

char *number_digits(char *at, uint64_t n, unsigned least)
{
	char reversed[24];
	unsigned len = 0;

	do {
		reversed[len++] = (char)('0' + n % 10);
		n /= 10;
	} while (n || len < least);
	while (len)
		*at++ = reversed[--len];
	return at;
}
