#include "agent/ctl/cell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/base/clean.h"
#include "agent/base/number.h"
#include "petrel/clock.h"
#include "petrel/local.h"
#include "petrel/sample.h"

const char *cell_quality_word(uint32_t quality)
{
	static const char *const words[SAMPLE_QUALITY_COUNT] = {
		[QUALITY_GOOD] = NULL,
		[QUALITY_ESTIMATED] = "estimated",
		[QUALITY_STALE] = "stale",
		[QUALITY_IMPLAUSIBLE] = "implausible",
		[QUALITY_BELOW_RESOLUTION] = "below_resolution",
	};

	return quality < SAMPLE_QUALITY_COUNT ? words[quality] : "unknown";
}

#define UNIT_TEXT_MAX 8u
#define DAY_MINUTES 1440u

/* --- text ---------------------------------------------------------------- */

size_t text_columns(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

struct span_step {
	int64_t seconds;
	const char *unit;
};

/* Copies the text up to end, as much as there is room for. */
static void text_give(const char *text, const char *end, char *ret, size_t cap)
{
	size_t len = (size_t)(end - text);

	*(char *)mempcpy(ret, text, len < cap ? len : cap - 1) = '\0';
}

/* value, or with is_negative the negative number with these bits. */
static void whole_text(bool is_negative, uint64_t value, char *ret, size_t cap)
{
	char text[24], *at = text;

	if (is_negative)
		*at++ = '-';
	at = number_digits(at, is_negative ? -value : value, 1);
	text_give(text, at, ret, cap);
}

/* A value with this many digits after the point, as "%.*f" prints it, but
 * faster: a table has ten thousand of these.
 */
static void fixed_text(double value, int digits, const char *unit, char *ret,
		       size_t cap)
{
	static const unsigned long long powers[] = { 1, 10, 100, 1000 };
	unsigned long long n =
		(unsigned long long)llrint(fabs(value) *
					   (double)powers[digits]);
	char text[64], *at = text;

	if (value < 0 && n)
		*at++ = '-';
	at = number_digits(at, n / powers[digits], 1);
	if (digits) {
		*at++ = '.';
		at = number_digits(at, n % powers[digits],
				   (unsigned)digits);
	}
	at = mempcpy(at, unit, strnlen(unit, UNIT_TEXT_MAX));
	text_give(text, at, ret, cap);
}

/* A duration for people: 0.4s, 12s, 3m, 99h, 5d. */
static void span_text(int64_t ns, enum cell_form form, char *ret, size_t cap)
{
	static const struct span_step steps[] = {
		{ 1, "s" }, { 60, "m" }, { 3600, "h" }, { 86400, "d" },
	};
	double s = (double)ns / NS_PER_S;
	size_t i = 0;

	if (form != FORM_SHORT && ns > 0 && s < 0.95) {
		fixed_text(s < 0.1 ? 0.1 : s, 1, "s", ret, cap);
		return;
	}
	while (i < 3 && s / (double)steps[i].seconds >= 99.5)
		i++;
	fixed_text(s / (double)steps[i].seconds, 0, steps[i].unit, ret, cap);
}

/* Such as +02:00; utc if it is that one. */
static void zone_of(const struct tm *tm, const char *utc, char *ret, size_t cap)
{
	unsigned minutes = (unsigned)(labs(tm->tm_gmtoff) / 60) % DAY_MINUTES;

	if (minutes == 0)
		(void)snprintf(ret, cap, "%s", utc);
	else
		(void)snprintf(ret, cap, "%c%02u:%02u",
			       tm->tm_gmtoff < 0 ? '-' : '+', minutes / 60,
			       minutes % 60);
}

void wall_text(int64_t wall_ns, char *ret, size_t cap)
{
	time_t t = (time_t)(wall_ns / NS_PER_S);
	struct tm tm;
	size_t len;

	if (!localtime_r(&t, &tm)) {
		(void)snprintf(ret, cap, "?");
		return;
	}
	len = strftime(ret, cap, "%Y-%m-%d %H:%M:%S", &tm);
	zone_of(&tm, "Z", ret + len, cap - len);
}

void wall_zone(int64_t wall_ns, char ret[static WALL_ZONE_MAX])
{
	time_t t = (time_t)(wall_ns / NS_PER_S);
	struct tm tm = { 0 };

	(void)localtime_r(&t, &tm);
	zone_of(&tm, "UTC", ret, WALL_ZONE_MAX);
}

void wall_rfc3339(int64_t wall_ns, char *ret, size_t cap)
{
	int64_t ms = wall_ns % NS_PER_S / NS_PER_MS;
	time_t t = (time_t)(wall_ns / NS_PER_S);
	char text[40] = "?";
	struct tm tm;

	if (gmtime_r(&t, &tm))
		(void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	(void)snprintf(ret, cap, "%s.%03dZ", text, (int)(ms < 0 ? 0 : ms));
}

/* 1234567 as 1.2M: steps of 1000, or of 1024 for octets. */
static void large_text(double value, double step, char *ret, size_t cap)
{
	static const char *const units[] = { "", "K", "M", "G", "T", "P", "E" };
	size_t i = 0;

	while (fabs(value) >= step * 0.9995 && i < 6) {
		value /= step;
		i++;
	}
	fixed_text(value, i && fabs(value) < 9.95 ? 1 : 0, units[i], ret, cap);
}

/* As people say it: 400G, 1.6T. */
static void mbps_text(int64_t mbps, char *ret, size_t cap)
{
	if (mbps >= 1000000)
		(void)snprintf(ret, cap, "%.3gT", (double)mbps / 1e6);
	else if (mbps >= 1000)
		(void)snprintf(ret, cap, "%.3gG", (double)mbps / 1e3);
	else
		(void)snprintf(ret, cap, "%lldM", (long long)mbps);
}

/* A duration too short for span_text(). */
static void short_time_text(int64_t ns, char *ret, size_t cap)
{
	static const struct {
		int64_t from_ns;
		double ns;
		const char *unit;
	} steps[] = { { NS_PER_S, 1e9, "s" }, { 1000000, 1e6, "ms" },
		      { 1000, 1e3, "us" }, { INT64_MIN, 1, "ns" } };
	size_t i = 0;
	double value;

	while (ns < steps[i].from_ns)
		i++;
	value = (double)ns / steps[i].ns;
	fixed_text(value, i < 3 && value < 9.95 ? 1 : 0, steps[i].unit, ret,
		   cap);
}

/* In the short form a port is its number: leaf2:Ethernet48 as leaf2:48. */
static void peer_text(const char *text, enum cell_form form, char *ret,
		      size_t cap)
{
	const char *colon = strrchr(text, ':');
	size_t letters = colon ? strcspn(colon + 1, "0123456789") : 0;

	clean_text(ret, cap, text);
	if (form != FORM_SHORT || letters == 0 || !colon[1 + letters] ||
	    strlen(ret) != strlen(text))
		return;
	memmove(ret + (colon + 1 - text), colon + 1 + letters,
		strlen(colon + 1 + letters) + 1);
}

/* 5.4e-09; in the short form 5e-9. */
static void ratio_text(int64_t e18, enum cell_form form, char *ret, size_t cap)
{
	char *zero;

	if (e18 == 0) {
		(void)snprintf(ret, cap, "0");
		return;
	}
	(void)snprintf(ret, cap, form == FORM_SHORT ? "%.0e" : "%.1e",
		       (double)e18 / 1e18);
	zero = strstr(ret, "e-0");
	if (form == FORM_SHORT && zero)
		memmove(zero + 2, zero + 3, strlen(zero + 3) + 1);
}

/* Exact, except in the short form. */
static void integer_text(uint32_t unit, const struct cell *cell,
			 enum cell_form form, char *ret, size_t cap)
{
	bool is_signed = unit == CELL_INTEGER && !cell->is_pattern;
	int64_t value = cell->value;

	if (form == FORM_SHORT && is_signed)
		large_text((double)value, 1000, ret, cap);
	else if (form == FORM_SHORT)
		large_text((double)(uint64_t)value, 1000, ret, cap);
	else
		whole_text(is_signed && value < 0, (uint64_t)value, ret, cap);
}

/* How fixed-point values are written, by unit. */
static const struct cell_decimal {
	double scale;
	int digits, short_digits;
	const char *unit;
} decimals[CELL_UNIT_COUNT] = {
	[CELL_PPM] = { 1e4, 1, 0, " %" },
	[CELL_MC] = { 1e3, 1, 0, " °C" },
	[CELL_UV] = { 1e6, 3, 2, " V" },
	[CELL_UA] = { 1e3, 1, 0, " mA" },
	[CELL_MDB] = { 1e3, 1, 1, " dB" },
	[CELL_UW] = { 1e6, 1, 0, " W" },
	[CELL_MW] = { 1e9, 3, 2, "" },
};

/* Without light there is no value in dBm. */
static void power_text(int64_t pw, enum cell_form form, char *ret, size_t cap)
{
	if (pw <= 0)
		(void)snprintf(ret, cap, "dark");
	else
		fixed_text(number_dbm(pw), form == FORM_LONG ? 2 : 1,
			   form == FORM_LONG ? " dBm" : "", ret, cap);
}

/* Rounds small values up to a tenth: a value above 0 must not show as 0. */
static void milli_text(int64_t value, char *ret, size_t cap)
{
	if (value > 0 && value < 10000)
		(void)snprintf(ret, cap, "%lld.%lld",
			       (long long)((value + 99) / 1000),
			       (long long)((value + 99) / 100 % 10));
	else
		large_text((double)value / 1e3, 1000, ret, cap);
}

/* By unit; the units with a fixed point share a table. */
static void value_text(uint32_t unit, const struct cell *cell,
		       enum cell_form form, char *ret, size_t cap)
{
	const struct cell_decimal *d =
		&decimals[unit < CELL_UNIT_COUNT ? unit : CELL_TEXT];

	if (d->scale > 0) {
		fixed_text((double)cell->value / d->scale,
			   form == FORM_SHORT ? d->short_digits : d->digits,
			   form == FORM_LONG ? d->unit : "", ret, cap);
		return;
	}
	switch (unit) {
	case CELL_INTEGER:
	case CELL_UNSIGNED:
		integer_text(unit, cell, form, ret, cap);
		break;
	case CELL_BOOL:
		(void)snprintf(ret, cap, "%s", cell->value ? "yes" : "no");
		break;
	case CELL_MBPS:
		mbps_text(cell->value, ret, cap);
		break;
	case CELL_PW:
		power_text(cell->value, form, ret, cap);
		break;
	case CELL_E18:
		ratio_text(cell->value, form, ret, cap);
		break;
	case CELL_AGE_NS:
		span_text(cell->value, form, ret, cap);
		break;
	case CELL_WALL_NS:
		wall_text(cell->value, ret, cap);
		break;
	case CELL_OCTETS:
		large_text((double)cell->value, 1024, ret, cap);
		break;
	case CELL_BPS:
		large_text((double)cell->value, 1000, ret, cap);
		break;
	case CELL_NS:
		short_time_text(cell->value, ret, cap);
		break;
	case CELL_MILLI:
		milli_text(cell->value, ret, cap);
		break;
	case CELL_PEER:
		peer_text(cell->text, form, ret, cap);
		break;
	default:	/* text, and units of a newer agent */
		clean_text(ret, cap, cell->text);
	}
}

/* How far to trust the value: a mark in tables, words on a line of its own. */
static void trust_text(const struct cell *cell, enum cell_form form,
		       char *ret, size_t cap)
{
	const char *word;
	size_t len;
	char age[24];

	if (form != FORM_LONG) {
		if (cell->quality == QUALITY_STALE ||
		    cell->quality == QUALITY_IMPLAUSIBLE)
			(void)snprintf(ret + strlen(ret), cap - strlen(ret),
				       "?");
		return;
	}
	word = cell_quality_word(cell->quality);
	len = strlen(ret);
	if (word)
		(void)snprintf(ret + len, cap - len, ", %s", word);
	len = strlen(ret);
	if (cell->age_ns < 5 * NS_PER_S)
		return;
	span_text(cell->age_ns, FORM_TABLE, age, sizeof(age));
	(void)snprintf(ret + len, cap - len, " (%s old)", age);
}

void cell_text(uint32_t unit, const struct cell *cell, enum cell_form form,
	       char ret[static CELL_TEXT_MAX])
{
	if (cell->absent) {
		strcpy(ret, "-");
		return;
	}
	value_text(unit, cell, form, ret, CELL_TEXT_MAX);
	trust_text(cell, form, ret, CELL_TEXT_MAX);
}
