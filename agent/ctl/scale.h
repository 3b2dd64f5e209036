/* The unit in which pictures show a quantity, and the scale of its axis. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/quantity.h"

struct scale {
	const char *unit;	/* "dBm"; "": it has none */
	bool is_log;
	bool is_from_zero;
	bool is_whole;		/* a flag, an enumeration */
	double least_span;	/* a smaller change is noise */
};

/* For a counter: the scale of its rate per second. */
struct scale scale_of(const struct quantity_info *q);
/* A value of look_back.h in that unit. No light is shown as the least that a
 * module can report.
 */
double scale_value(const struct quantity_info *q, int64_t value);
/* A value in that unit as text for people: 2.0e-04, 44.1. */
void scale_text(const struct scale *s, double value, char *ret, size_t cap);
