/* The answer of the verb metrics for Prometheus: text format 0.0.4, or
 * OpenMetrics 1.0. A column of text is a label; every other column is a metric,
 * whose key is the name of a quantity, or a name of Petrel's own with its help
 * as the heading.
 *
 * Samples have no timestamps; absent values have no sample. If there are more
 * samples than the bound, families are left out from the end of the alphabet;
 * petrel_complete is then 0.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include "local.pb-c.h"

enum exposition { EXPOSITION_PROMETHEUS, EXPOSITION_OPENMETRICS };

/* Its content type. */
const char *exposition_type(enum exposition how);
/* The format that a client prefers; accept: the field of a request, or NULL.
 * Source: RFC 9110, section 12.5.1.
 */
enum exposition exposition_accepted(const char *accept);

/* Writes it. a: a sound answer; NULL: nobody answers, so only petrel_up is
 * written, as 0. bound: the most samples. Returns -ENOMEM.
 */
int exposition_write(FILE *out, enum exposition how, const Petrel__Answer *a,
		     size_t bound);
