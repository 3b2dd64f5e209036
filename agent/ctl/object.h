/* What every JSON object of petrel begins with (DESIGN.md, section 5). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct json_object;

/* The members of all answers. */
struct object_head {
	const char *command;		/* schema petrel/<command>/1 */
	const char *switch_name;	/* NULL: nobody's; null in JSON */
	int64_t wall_ns;		/* CLOCK_REALTIME */
	bool complete;
	int code;			/* exit status */
};

/* An object with schema, switch, time, complete and code; the caller's. NULL:
 * no memory.
 */
struct json_object *object_new(const struct object_head *e);
