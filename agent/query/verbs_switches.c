/* The switches of a collector: only a collector fills the table. */
#include "agent/query/verbs.h"
#include "petrel/local.h"

const struct answer_shape shape_switches = { "switches", .columns = {
	{ "switch", "SWITCH", CELL_TEXT },
	{ "state", "STATE", CELL_TEXT },
	{ "heard", "HEARD", CELL_AGE_NS },
	{ "record", "RECORD", CELL_AGE_NS },
	{ "critical", "CRIT", CELL_INTEGER },
	{ "warn", "WARN", CELL_INTEGER },
	{ "watch", "WATCH", CELL_INTEGER },
	{ "version", "VERSION", CELL_TEXT },
	{ "switch_id", "ID", CELL_TEXT, .wide = true },
	{ "run", "RUN", CELL_TEXT, .wide = true },
	{ .key = NULL },
} };

int verbs_switches(struct query *q)
{
	return answer_error(q->a, EXIT_USAGE, "an agent knows its own switch "
			    "only; ask a collector: petrel --collector URL "
			    "switches");
}
