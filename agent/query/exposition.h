/* The answer of the verb metrics as Prometheus reads it: the text format 0.0.4,
 * or OpenMetrics 1.0. A column of text is a label; every other column is a
 * metric, whose key is the name of a quantity, or a name of Petrel's own with
 * the help as its heading.
 *
 * Samples have no timestamps, and what is absent has no sample. Families are
 * left out, from the alphabet's end, where there are more samples than the
 * bound; petrel_complete is then 0.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include "local.pb-c.h"

enum exposition { EXPOSITION_PROMETHEUS, EXPOSITION_OPENMETRICS };

/* Its content type. */
const char *exposition_type(enum exposition how);
/* The one that a reader would rather have; accept: the field of a request, or
 * NULL. Source: RFC 9110, section 12.5.1.
 */
enum exposition exposition_accepted(const char *accept);

/* Writes it. a: a sound answer; NULL: nobody answers, and petrel_up is 0, with
 * nothing beside it but who asked. bound: samples at most. Returns -ENOMEM.
 */
int exposition_write(FILE *out, enum exposition how, const Petrel__Answer *a,
		     size_t bound);
