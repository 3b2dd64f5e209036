/* One cell of an answer as members of a JSON object: what its unit means there
 * (petrel/local.h), and how its key ends.
 */
#pragma once

#include <stdint.h>
#include "local.pb-c.h"

struct json_object;

enum json_kind { JSON_NULL, JSON_BOOL, JSON_SIGNED, JSON_UNSIGNED, JSON_SCALED,
		 JSON_DOUBLE, JSON_TEXT };

struct json_value {
	enum json_kind kind;
	int64_t whole;		/* of all but the last two */
	unsigned digits;	/* scaled: so many of them behind the point */
	double real;
	const char *text;	/* UTF-8 */
};

/* Who takes members, as they come. */
struct json_taker {
	void *context;
	void (*put)(void *context, const char *key,
		    const struct json_value *value);
};

/* Gives the cell's members; absent ones as null. */
void cell_json_give(const Petrel__HeadCell *head, const Petrel__Cell *cell,
		    const struct json_taker *to);
/* Adds them to an object; a key that it has is given the new value. */
void cell_json(const Petrel__HeadCell *head, const Petrel__Cell *cell,
	       struct json_object *object);
