/* petrel-json(7), printed from the tables of columns. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* What stands between the marks of a part: "verbs" or "down". Returns -EINVAL
 * for any other.
 */
int json_manual(FILE *out, const char *part);

/* The heads of the list of a finding's members, a line each: what they mean is
 * written by hand.
 */
void json_manual_finding(FILE *out);
