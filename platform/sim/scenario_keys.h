/* The keys of the statements "switch" and "port", one row each. */
#pragma once

#include <stddef.h>
#include "petrel/diag.h"
#include "platform/sim/scenario_data.h"

enum scenario_statement { SCENARIO_SWITCH, SCENARIO_PORT, SCENARIO_STATEMENTS };

/* One key, for the manual. */
struct scenario_key_info {
	const char *name, *written, *help;
};

/* Row n of a statement's keys; NULL behind the last. */
const struct scenario_key_info *scenario_key(enum scenario_statement statement,
					     size_t n);

/* Reads "key=value" into object: a struct scenario for "switch", a struct
 * scenario_port for "port". -EINVAL with the nearest key in d.
 */
int scenario_key_set(enum scenario_statement statement, void *object,
		     const char *word, struct diag *d);
