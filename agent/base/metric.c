#include "agent/base/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"

/* The end of a quantity's name, and what stands there instead. Units that are
 * not listed are counts, and named as they are.
 */
static const struct unit_ending {
	const char *end, *unit;
	struct metric_scale scale;
} units[UNIT_COUNT] = {
	[UNIT_OCTETS] = { "octets", "bytes", { 1, 0 } },
	[UNIT_BITS] = { "bits", "bit_errors", { 1, 0 } },
	[UNIT_BITS_SET] = { "bits", "mask", { 1, 0 } },
	[UNIT_MBPS] = { "mbps", "bytes_per_second", { 125, 3 } },
	[UNIT_OCTETS_PER_S] = { "octets_per_s", "bytes_per_second", { 1, 0 } },
	[UNIT_FRAMES_PER_S] = { "frames_per_s", "frames_per_second",
				{ 1, 0 } },
	[UNIT_PW] = { "pw", "watts", { 1, -12 } },
	[UNIT_UW] = { "uw", "watts", { 1, -6 } },
	[UNIT_UA] = { "ua", "amperes", { 1, -6 } },
	[UNIT_UV] = { "uv", "volts", { 1, -6 } },
	[UNIT_MC] = { "mc", "celsius", { 1, -3 } },
	[UNIT_MDB] = { "mdb", "decibels", { 1, -3 } },
	[UNIT_E18] = { "e18", "ratio", { 1, -18 } },
	[UNIT_PPM] = { "ppm", "ratio", { 1, -6 } },
	[UNIT_LOG10_MILLI] = { "log10_milli", "log10", { 1, -3 } },
	[UNIT_NS] = { "ns", "seconds", { 1, -9 } },
	[UNIT_US] = { "us", "seconds", { 1, -6 } },
	[UNIT_MS] = { "ms", "seconds", { 1, -3 } },
	[UNIT_FS] = { "fs", "seconds", { 1, -15 } },
	[UNIT_FS2] = { "fs2", "seconds_squared", { 1, -30 } },
	[UNIT_PM] = { "pm", "meters", { 1, -12 } },
	[UNIT_M] = { "m", "meters", { 1, 0 } },
	[UNIT_MHZ] = { "mhz", "hertz", { 1, 6 } },
	[UNIT_GHZ] = { "ghz", "hertz", { 1, 9 } },
	[UNIT_PS_PER_NM] = { "ps_per_nm", "seconds_per_meter", { 1, -3 } },
	[UNIT_KRAD_PER_S] = { "krad_per_s", "radians_per_second", { 1, 3 } },
};

/* Its length without the end and the _ before it; all of it where it has
 * another end.
 */
static size_t before(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && strcmp(name + n - m, end) == 0 &&
	       name[n - m - 1] == '_' ? n - m - 1 : n;
}

void metric_of(const struct quantity_info *q, struct metric *ret)
{
	const struct unit_ending *u = &units[q->unit];
	bool has_unit = u->end != NULL;
	size_t all = strlen(q->name), n = all;
	bool is_count;

	if (has_unit)
		n = before(q->name, u->end);
	if (n == all && q->unit == UNIT_MDB)
		n = before(q->name, "milli_db");
	if (n == all && q->unit == UNIT_BITS_SET)	/* ..._faults */
		has_unit = false;
	is_count = !has_unit && before(q->name, "count") < all;
	if (is_count)
		n = before(q->name, "count");
	ret->is_counter = q->kind == KIND_COUNTER;
	ret->is_unsigned = q->kind == KIND_COUNTER || q->kind == KIND_PEAK;
	ret->unit = has_unit ? u->unit : "";
	ret->scale = has_unit ? u->scale : (struct metric_scale){ 1, 0 };
	(void)snprintf(ret->name, sizeof(ret->name), METRIC_PREFIX "%.*s%s%s%s",
		       (int)n, q->name, has_unit ? "_" : "", ret->unit,
		       ret->is_counter ? "_total" : is_count ? "s" : "");
}

/* --- values -------------------------------------------------------------- */

#define FRACTION_MAX 9		/* digits; what is smaller has an exponent */

/* The point before the last digits, and no zeros at the end of the fraction.
 * Returns the new end.
 */
static char *point_put(char *end, unsigned digits)
{
	char *point = end - digits;

	memmove(point + 1, point, digits);
	*point = '.';
	end++;
	while (end[-1] == '0')
		end--;
	return end[-1] == '.' ? end - 1 : end;
}

size_t metric_text(struct metric_scale scale, int64_t raw, bool is_unsigned,
		   char ret[static METRIC_VALUE_MAX])
{
	bool is_negative = raw < 0 && !is_unsigned;
	uint64_t n = is_negative ? -(uint64_t)raw : (uint64_t)raw;
	int exponent = scale.exponent;
	char *at = ret;

	if (is_negative)
		*at++ = '-';
	n = n > UINT64_MAX / scale.factor ? UINT64_MAX : n * scale.factor;
	if (n == 0)
		exponent = 0;
	for (; exponent > 0 && n <= UINT64_MAX / 10; exponent--)
		n *= 10;
	if (exponent < 0 && exponent >= -FRACTION_MAX) {
		at = number_digits(at, n, (unsigned)-exponent + 1);
		at = point_put(at, (unsigned)-exponent);
	} else {
		at = number_digits(at, n, 1);
		if (exponent)
			at += sprintf(at, "e%d", exponent);
	}
	*at = '\0';
	return (size_t)(at - ret);
}

double metric_value(const struct metric *m, int64_t raw)
{
	double n = m->is_unsigned ? (double)(uint64_t)raw : (double)raw;
	double ten = pow(10, abs(m->scale.exponent));

	n *= m->scale.factor;
	return m->scale.exponent < 0 ? n / ten : n * ten;
}

/* --- labels -------------------------------------------------------------- */

void metric_index(const struct quantity_info *q, unsigned index,
		  char ret[static METRIC_LABEL_MAX])
{
	char *to = ret;

	quantity_index_words(q, index, ret, METRIC_LABEL_MAX);
	for (const char *from = ret; *from; from++)
		if (*from != '[' && *from != ']')
			*to++ = *from == ' ' ? '_' : *from;
	*to = '\0';
}

const char *metric_label(enum entity_kind kind)
{
	if (kind == ENTITY_SWITCH)
		return NULL;
	return kind == ENTITY_MODULE ? "cage" : entity_kind_name(kind);
}
