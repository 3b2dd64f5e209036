/* External calibration of SFPs: raw A/D counts and the module's constants give
 * the value. SFF-8472, A2h:56 to 91 (clause unread; ethtool sfpdiag.c).
 */
#pragma once

#include <stdint.h>

struct view;

/* which: enum calibration. mul and div scale the calibrated number to the
 * quantity's unit. Rx power is the sum of c[n] times the nth power of the
 * count; the others are slope times count plus offset, where the slope counts
 * 1/256. Less than nothing is nothing, but of a temperature.
 * Returns 0; -ENODATA: the constants were not read; -ERANGE: they were never
 * written, or the value cannot be; -EDOM: they are no numbers.
 */
int calibration_apply(const struct view *v, unsigned which, int64_t raw,
		      int64_t mul, int64_t div, int64_t *ret);
