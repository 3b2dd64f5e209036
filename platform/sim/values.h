/* Values with their units, as in a scenario: 3dB 20K 90% 1e-6 10m. */
#pragma once

#include "petrel/diag.h"

struct range {
	double low, high;
};

/* The probable meaning of a wrong word: the nearest of those offered. */
struct value_nearest {
	const char *word;	/* what was written */
	const char *best;	/* borrowed; NULL: none offered yet */
	unsigned distance;
};

/* Takes candidate if it is nearer than those offered before. */
void value_offer(struct value_nearest *n, const char *candidate);

enum value_unit {
	VALUE_DURATION,		/* seconds; "always" is INFINITY */
	VALUE_DB,
	VALUE_KELVIN,
	VALUE_CELSIUS,
	VALUE_SHARE,		/* 90% is 0.9 */
	VALUE_MILLIVOLT,
	VALUE_COUNT,		/* whole */
	VALUE_NUMBER,
	VALUE_BER,
	VALUE_WORD,		/* one of a list; its index */
	VALUE_UNIT_COUNT,
};

/* The form of a unit, for messages and the manual: "a number with dB". */
const char *value_unit_help(enum value_unit unit);

/* Reads text, which must carry its unit, from min to max. what names the key
 * in the message. Not for VALUE_WORD.
 */
int value_parse(const char *what, enum value_unit unit, const char *text,
		double min, double max, double *ret, struct diag *d);

/* Reads one of the words in list ("a|b|c"); *ret is its index from 0. */
int value_parse_word(const char *what, const char *list, const char *text,
		     double *ret, struct diag *d);
