#include "platform/sim/values.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include "agent/base/names.h"
#include "agent/base/number.h"
#include "petrel/clock.h"

#define MICRO 1000000u
#define E18 UINT64_C(1000000000000000000)

struct unit_row {
	const char *suffix, *help;
	uint64_t scale;		/* of the integer from number_parse_* */
	double unit;		/* of 1 of it, in the value */
};

static const struct unit_row units[VALUE_UNIT_COUNT] = {
	[VALUE_DURATION] = { "", "a time with ms, s, m, h or d", 1, 1 },
	[VALUE_DB] = { "dB", "a number with dB", MICRO, 1 },
	[VALUE_KELVIN] = { "K", "a number with K", MICRO, 1 },
	[VALUE_CELSIUS] = { "C", "a number with C", MICRO, 1 },
	[VALUE_SHARE] = { "%", "a number with %", MICRO, 0.01 },
	[VALUE_MILLIVOLT] = { "mV", "a number with mV", MICRO, 1 },
	[VALUE_COUNT] = { "", "a whole number", 1, 1 },
	[VALUE_NUMBER] = { "", "a number", MICRO, 1 },
	[VALUE_BER] = { "", "a bit error ratio like 1e-6", E18, 1 },
	[VALUE_WORD] = { "", "a word", 1, 1 },
};

void value_offer(struct value_nearest *n, const char *candidate)
{
	unsigned distance = nearest_distance(n->word, candidate);

	if (n->best && distance >= n->distance)
		return;
	n->best = candidate;
	n->distance = distance;
}

const char *value_unit_help(enum value_unit unit)
{
	return units[unit].help;
}

static int duration_parse(const char *text, double *ret)
{
	int64_t ns;
	int rc;

	if (strcmp(text, "always") == 0) {
		*ret = INFINITY;
		return 0;
	}
	rc = number_parse_duration(text, &ns);
	if (rc == 0)
		*ret = (double)ns / (double)NS_PER_S;
	return rc;
}

static int count_parse(const char *text, double *ret)
{
	uint64_t value;
	int rc = number_parse(text, 0, UINT32_MAX, &value);

	if (rc == 0)
		*ret = (double)value;
	return rc;
}

static int scaled_parse(const struct unit_row *row, const char *text,
			double *ret)
{
	size_t len = strlen(text), tail = strlen(row->suffix);
	int64_t value;
	int rc;

	if (len <= tail || strcmp(text + len - tail, row->suffix) != 0)
		return -EINVAL;
	rc = number_parse_scaled(text, len - tail, row->scale, &value);
	if (rc == 0)
		*ret = (double)value / (double)row->scale * row->unit;
	return rc;
}

int value_parse(const char *what, enum value_unit unit, const char *text,
		double min, double max, double *ret, struct diag *d)
{
	const struct unit_row *row = &units[unit];
	double value = 0;
	int rc;

	if (unit == VALUE_DURATION)
		rc = duration_parse(text, &value);
	else if (unit == VALUE_COUNT)
		rc = count_parse(text, &value);
	else
		rc = scaled_parse(row, text, &value);
	if (rc < 0)
		return diag_set(d, -EINVAL, "%s is '%s'; expected %s", what,
				text, row->help);
	if (value < min || value > max)
		return diag_set(d, -EINVAL, "%s is '%s'; expected %s from %g "
				"to %g%s", what, text, row->help,
				min / row->unit, max / row->unit,
				unit == VALUE_DURATION ? "s" : row->suffix);
	*ret = value;
	return 0;
}

int value_parse_word(const char *what, const char *list, const char *text,
		     double *ret, struct diag *d)
{
	size_t len = strlen(text);
	unsigned place = 0;

	for (const char *word = list; *word != '\0'; place++) {
		size_t n = strcspn(word, "|");

		if (n == len && memcmp(word, text, n) == 0) {
			*ret = place;
			return 0;
		}
		word += n + (word[n] == '|');
	}
	return diag_set(d, -EINVAL, "%s is '%s'; expected one of %s", what,
			text, list);
}
