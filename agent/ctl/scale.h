/* In which unit people are told of a quantity in a picture, and how its axis is
 * scaled.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/quantity.h"

struct scale {
	const char *unit;	/* "dBm"; "": it has none */
	bool is_log;
	bool is_from_zero;
	bool is_whole;		/* a flag, a word */
	double least_span;	/* below it a change is noise */
};

/* Of a counter: of what it grows by a second. */
struct scale scale_of(const struct quantity_info *q);
/* A value as look_back.h gives it, in that unit. No light is the least that a
 * module can tell.
 */
double scale_value(const struct quantity_info *q, int64_t value);
/* A drawn value for people: 2.0e-04, 44.1. */
void scale_text(const struct scale *s, double value, char *ret, size_t cap);
