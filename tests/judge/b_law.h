/* The laws by which plant B's faults grow. */
#pragma once

#include <stdint.h>

enum b_law {
	B_LAW_LINEAR,
	B_LAW_SQRT,
	B_LAW_POWER,
	B_LAW_EXPONENTIAL,
	B_LAW_SATURATING,
	B_LAW_SIGMOID,
	B_LAW_STAIRCASE,
	B_LAW_PAUSES,
	B_LAW_STOPS,
	B_LAW_REVERSES,
	B_LAW_COUNT,
};

/* Names, by the enumeration, then NULL. */
extern const char *const b_law_names[B_LAW_COUNT + 1];

/* How far it has grown: 0 at the onset (x = 0), about 1 at the end of its
 * span (x = 1), and on by the same law. The seed settles what the law leaves
 * open: exponents, steps, pauses.
 */
double b_law_growth(enum b_law law, double x, uint64_t seed);
