/* petrel-json(7), and a table of petrel(1), from the table of verbs. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* What stands between the marks of a part: "verbs", "down" or "commands".
 * Returns -EINVAL for any other.
 */
int json_manual(FILE *out, const char *part);

/* The heads of the list of a finding's members, a line each: what they mean is
 * written by hand.
 */
void json_manual_finding(FILE *out);
