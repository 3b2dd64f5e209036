/* Readings, thresholds, flags and states of modules and their lanes: STATE_DB's
 * TRANSCEIVER_ tables but for the information.
 *
 * Versatile diagnostics: TRANSCEIVER_VDM_REAL_VALUE has the same names as the
 * tables of its thresholds, flags, their changes and the times of those, four
 * of each (one an edge). The quantity is the flag's; enum facet leads to the
 * others. Types from 100 on, which some vendors have, SONiC leaves out.
 */
#pragma once

#include "platform/sonic/poll/reading.h"

extern const struct table_list module_values_tables;

/* The first row of a cage in a poll counts, the others repeat it. */
bool module_values_first(const struct poll *p, const struct run *r,
			 struct cage *c);
/* Hands all values of a row over as they are, being true now. */
void module_values_emit(const struct poll *p, const struct run *r,
			struct cage *c, const struct row *row);
