/* What all ports of the switch do together: a hot day, a load on all of them.
 * It is nothing of any one port.
 */
#pragma once

#include "agent/signature/inside.h"

#define SITE_LEAST 4		/* fewer values have no middle */

/* Puts what most ports show into e->site. */
void site_look(struct engine *e, struct mono now);

/* The middle of n values, which it sorts; NAN: fewer than SITE_LEAST. */
float site_middle(float *value, size_t n);
