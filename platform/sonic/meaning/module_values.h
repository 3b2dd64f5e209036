/* Readings, thresholds, flags and states of modules and their lanes: STATE_DB's
 * TRANSCEIVER_ tables but for the information and VDM.
 */
#pragma once

#include "platform/sonic/poll/reading.h"

extern const struct table_list module_values_tables;

/* Hands readings, thresholds or flags of a module and its lanes over. */
void module_values_row(struct poll *p, struct run *r, struct object *o,
		       const struct row *row);
/* The first row of a cage in a poll counts, the others repeat it. */
bool module_values_first(const struct poll *p, const struct run *r,
			 struct cage *c);
/* Hands all values of a row over as they are, being true now. */
void module_values_emit(const struct poll *p, const struct run *r,
			struct cage *c, const struct row *row);
