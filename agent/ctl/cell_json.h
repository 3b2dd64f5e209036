/* One cell of an answer as members of a JSON object: what its unit means there
 * (petrel/local.h), and how its key ends.
 */
#pragma once

#include <stdint.h>

struct cell;
struct json_object;
struct json_value;

/* Who takes members, as they come. */
struct json_taker {
	void *context;
	void (*put)(void *context, const char *key,
		    const struct json_value *value);
};

#define CELL_KEY_MAX 96

/* Gives the cell's members; absent ones as null. The key is clean. */
void cell_json_give(const char *key, uint32_t unit, const struct cell *cell,
		    const struct json_taker *to);
/* Adds them to an object; a key that it has is given the new value. */
void cell_json(const char *key, uint32_t unit, const struct cell *cell,
	       struct json_object *object);
