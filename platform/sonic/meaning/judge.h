/* Which of a module's published values cannot be so. xcvrd publishes what a
 * register holds, whatever that is: what a bus that nobody drives reads as, or
 * the end of the register, comes as a number like any other.
 */
#pragma once

#include <stdbool.h>
#include "platform/sonic/meaning/field.h"

/* Judges a row of which part 0 is the module, the others its lanes. What is
 * found of a lane counts for the module too. A threshold, which is no reading,
 * may stand where no reading can be: it is never crossed.
 */
void judge_row(const struct row *r, const struct field_index *x,
	       bool is_reading, struct judged *ret);
