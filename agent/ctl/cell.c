#include "agent/ctl/cell.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "agent/base/number.h"
#include "petrel/clock.h"
#include "petrel/local.h"
#include "petrel/sample.h"

#define JSON_EXACT_MAX (INT64_C(1) << 53)
#define KEY_MAX 96
#define DECIMALS "%.12g"

static const char *quality_word(uint32_t quality)
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

/* --- text ---------------------------------------------------------------- */

/* Octets of the UTF-8 sequence that begins here; 0: none that is printable. */
static size_t utf8_len(const unsigned char *t)
{
	size_t len = t[0] < 0x80 ? 1 : t[0] >> 5 == 6 ? 2 :
		     t[0] >> 4 == 14 ? 3 : t[0] >> 3 == 30 ? 4 : 0;

	if (len == 1)
		return t[0] >= 0x20 && t[0] != 0x7f;
	if (len == 2 && (t[0] < 0xc2 || (t[0] == 0xc2 && t[1] < 0xa0)))
		return 0;	/* overlong, and C1 controls */
	for (size_t i = 1; i < len; i++)
		if (t[i] >> 6 != 2)
			return 0;
	if ((t[0] == 0xe0 && t[1] < 0xa0) || (t[0] == 0xf0 && t[1] < 0x90) ||
	    (t[0] == 0xed && t[1] > 0x9f) || t[0] > 0xf4)
		return 0;
	return len;
}

void text_clean(const char *text, char *ret, size_t cap)
{
	const unsigned char *t = (const unsigned char *)text;
	size_t n = 0;

	while (*t) {
		size_t len = utf8_len(t);

		if (n + (len ? len : 1) + 1 > cap)
			break;
		if (len == 0)
			ret[n++] = '?';
		for (size_t i = 0; i < len; i++)
			ret[n++] = (char)t[i];
		t += len ? len : 1;
	}
	ret[n] = '\0';
}

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

/* Decimal digits, so many at least; returns what is behind them. */
static char *digits_put(char *at, unsigned long long n, int least)
{
	char reversed[24];
	int len = 0;

	do {
		reversed[len++] = (char)('0' + n % 10);
		n /= 10;
	} while (n || len < least);
	while (len)
		*at++ = reversed[--len];
	return at;
}

/* A value with so many digits behind the point: as "%.*f" prints it, but a
 * table has ten thousand of these.
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
	at = digits_put(at, n / powers[digits], 1);
	if (digits) {
		*at++ = '.';
		at = digits_put(at, n % powers[digits], digits);
	}
	*at = '\0';
	strncat(text, unit, sizeof(text) - 1 - (size_t)(at - text));
	*(char *)mempcpy(ret, text, strnlen(text, cap - 1)) = '\0';
}

void span_text(int64_t ns, enum cell_form form, char *ret, size_t cap)
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

void wall_text(int64_t wall_ns, char *ret, size_t cap)
{
	time_t t = (time_t)(wall_ns / NS_PER_S);
	struct tm tm;

	if (!localtime_r(&t, &tm) ||
	    strftime(ret, cap, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		(void)snprintf(ret, cap, "?");
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

/* A time below those that span_text() is for. */
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

/* In few columns a port is its number: leaf2:Ethernet48 as leaf2:48. */
static void peer_text(const char *text, enum cell_form form, char *ret,
		      size_t cap)
{
	const char *colon = strrchr(text, ':');
	size_t letters = colon ? strcspn(colon + 1, "0123456789") : 0;

	text_clean(text, ret, cap);
	if (form != FORM_SHORT || letters == 0 || !colon[1 + letters] ||
	    strlen(ret) != strlen(text))
		return;
	memmove(ret + (colon + 1 - text), colon + 1 + letters,
		strlen(colon + 1 + letters) + 1);
}

/* 5.4e-09; short 5e-9. */
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

/* Exact, but in the short form. */
static void integer_text(const Petrel__HeadCell *head, int64_t value,
			 enum cell_form form, char *ret, size_t cap)
{
	if (form == FORM_SHORT && head->unit == CELL_INTEGER)
		large_text((double)value, 1000, ret, cap);
	else if (form == FORM_SHORT)
		large_text((double)(uint64_t)value, 1000, ret, cap);
	else if (head->unit == CELL_UNSIGNED)
		(void)snprintf(ret, cap, "%llu", (unsigned long long)value);
	else
		(void)snprintf(ret, cap, "%lld", (long long)value);
}

/* How a value with a fixed point is written; row of each such unit. */
static const struct decimal {
	double scale;
	int digits, short_digits;
	const char *unit, *key;
} decimals[CELL_UNIT_COUNT] = {
	[CELL_PPM] = { 1e4, 1, 0, " %", NULL },
	[CELL_MC] = { 1e3, 1, 0, " °C", "_c" },
	[CELL_UV] = { 1e6, 3, 2, " V", "_v" },
	[CELL_UA] = { 1e3, 1, 0, " mA", "_ma" },
	[CELL_MDB] = { 1e3, 1, 1, " dB", "_db" },
};

/* Of the units in the table above. */
static void decimal_text(uint32_t unit, int64_t value, enum cell_form form,
			 char *ret, size_t cap)
{
	const struct decimal *d = &decimals[unit];

	fixed_text((double)value / d->scale,
		   form == FORM_SHORT ? d->short_digits : d->digits,
		   form == FORM_LONG ? d->unit : "", ret, cap);
}

/* No light has no dBm. */
static void power_text(int64_t pw, enum cell_form form, char *ret, size_t cap)
{
	if (pw <= 0)
		(void)snprintf(ret, cap, "dark");
	else
		fixed_text(number_dbm(pw), form == FORM_LONG ? 2 : 1,
			   form == FORM_LONG ? " dBm" : "", ret, cap);
}

/* By unit; the units with a fixed point share a table. */
static void value_text(const Petrel__HeadCell *head, const Petrel__Cell *cell,
		       enum cell_form form, char *ret, size_t cap)
{
	switch (head->unit) {
	case CELL_INTEGER:
	case CELL_UNSIGNED:
		integer_text(head, cell->value, form, ret, cap);
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
	case CELL_MW:
		fixed_text((double)cell->value / 1e9,
			   form == FORM_SHORT ? 2 : 3, "", ret, cap);
		break;
	case CELL_PEER:
		peer_text(cell->text, form, ret, cap);
		break;
	case CELL_PPM:
	case CELL_MC:
	case CELL_UV:
	case CELL_UA:
	case CELL_MDB:
		decimal_text(head->unit, cell->value, form, ret, cap);
		break;
	default:	/* text, and units of a later agent */
		text_clean(cell->text, ret, cap);
	}
}

/* How far to trust it: a mark in tables, words on a line of its own. */
static void trust_text(const Petrel__Cell *cell, enum cell_form form,
		       char *ret, size_t cap)
{
	const char *word = quality_word(cell->quality);
	size_t len = strlen(ret);
	char age[24];

	if (form != FORM_LONG) {
		if (cell->quality == QUALITY_STALE ||
		    cell->quality == QUALITY_IMPLAUSIBLE)
			(void)snprintf(ret + len, cap - len, "?");
		return;
	}
	if (word)
		(void)snprintf(ret + len, cap - len, ", %s", word);
	len = strlen(ret);
	if (cell->age_ns < 5 * NS_PER_S)
		return;
	span_text(cell->age_ns, FORM_TABLE, age, sizeof(age));
	(void)snprintf(ret + len, cap - len, " (%s old)", age);
}

void cell_text(const Petrel__HeadCell *head, const Petrel__Cell *cell,
	       enum cell_form form, char ret[static CELL_TEXT_MAX])
{
	if (cell->absent) {
		(void)snprintf(ret, CELL_TEXT_MAX, "-");
		return;
	}
	value_text(head, cell, form, ret, CELL_TEXT_MAX);
	trust_text(cell, form, ret, CELL_TEXT_MAX);
}

/* --- JSON ---------------------------------------------------------------- */

/* A cell on its way into an object. */
struct member {
	struct json_object *object;
	const char *key;
	const Petrel__Cell *cell;
};

/* Adds <key><suffix>; the value is ignored where the cell is absent. */
static void member_put(const struct member *m, const char *suffix,
		       struct json_object *value)
{
	char key[KEY_MAX];

	text_clean(m->key, key, sizeof(key) - strlen(suffix));
	strcat(key, suffix);
	if (m->cell->absent) {
		json_object_put(value);
		value = NULL;
	}
	(void)json_object_object_add(m->object, key, value);
}

/* Twelve digits: exact for what C3 holds in one of these units. */
static struct json_object *decimal_new(double value)
{
	struct json_object *o = json_object_new_double(value);

	if (o)
		json_object_set_serializer(o, json_object_double_to_json_string,
					   (void *)(uintptr_t)DECIMALS, NULL);
	return o;
}

/* Foreign text is cleaned for JSON, too: it must be UTF-8. */
static void member_text(const struct member *m, const char *suffix,
			const char *text)
{
	char clean[CELL_TEXT_MAX];

	text_clean(text, clean, sizeof(clean));
	member_put(m, suffix, json_object_new_string(clean));
}

/* Exact, with a twin as text where a double would not be. */
static void member_integer(const struct member *m, const char *suffix,
			   bool is_signed)
{
	int64_t value = m->cell->value;
	bool is_large = is_signed ? value >= JSON_EXACT_MAX ||
				    value <= -JSON_EXACT_MAX :
				    (uint64_t)value >= (uint64_t)JSON_EXACT_MAX;
	char text[24], key[40];

	member_put(m, suffix, is_signed ? json_object_new_int64(value) :
					  json_object_new_uint64(
						  (uint64_t)value));
	if (!is_large || m->cell->absent)
		return;
	(void)snprintf(text, sizeof(text), is_signed ? "%lld" : "%llu",
		       (long long)value);
	(void)snprintf(key, sizeof(key), "%s_str", suffix);
	member_text(m, key, text);
}

/* Both, because nobody adds in dBm and nobody thinks in mW. */
static void member_power(const struct member *m)
{
	int64_t pw = m->cell->value;

	member_put(m, "_dbm", pw > 0 ? decimal_new(number_dbm(pw)) : NULL);
	member_put(m, "_mw", decimal_new((double)pw / 1e9));
}

static void member_wall(const struct member *m)
{
	char text[48];

	wall_rfc3339(m->cell->value, text, sizeof(text));
	member_text(m, "", text);
	member_integer(m, "_ns", true);
}

/* The unit is the end of the key. */
static void member_value(const struct member *m, uint32_t unit)
{
	int64_t value = m->cell->value;

	switch (unit) {
	case CELL_INTEGER:
		member_integer(m, "", true);
		break;
	case CELL_UNSIGNED:
		member_integer(m, "", false);
		break;
	case CELL_BOOL:
		member_put(m, "", json_object_new_boolean(value != 0));
		break;
	case CELL_MBPS:
		member_integer(m, "_mbps", true);
		break;
	case CELL_PPM:
		member_integer(m, "_ppm", true);
		break;
	case CELL_PW:
		member_power(m);
		break;
	case CELL_E18:
		member_put(m, "", decimal_new((double)value / 1e18));
		member_integer(m, "_e18", true);
		break;
	case CELL_AGE_NS:
		member_put(m, "_s", decimal_new((double)value / NS_PER_S));
		break;
	case CELL_WALL_NS:
		member_wall(m);
		break;
	case CELL_OCTETS:
		member_integer(m, "_octets", true);
		break;
	case CELL_BPS:
		member_integer(m, "_bps", true);
		break;
	case CELL_NS:
		member_integer(m, "_ns", true);
		break;
	case CELL_MC:
	case CELL_UV:
	case CELL_UA:
	case CELL_MDB:
		member_put(m, decimals[unit].key,
			   decimal_new((double)value / decimals[unit].scale));
		break;
	default:
		member_text(m, "", m->cell->text);
	}
}

void cell_json(const Petrel__HeadCell *head, const Petrel__Cell *cell,
	       struct json_object *object)
{
	struct member m = { .object = object, .key = head->key, .cell = cell };

	if (head->unit == CELL_MW)
		return;
	member_value(&m, head->unit);
	if (cell->absent)
		return;
	if (cell->age_ns)
		member_put(&m, "_age_s",
			   decimal_new((double)cell->age_ns / NS_PER_S));
	if (quality_word(cell->quality))
		member_text(&m, "_quality", quality_word(cell->quality));
}
