/* What a cell becomes in JSON, read back. */
#pragma once

#include <stdint.h>

struct cell;
struct json_object;

/* The object that has its members alone; free with json_object_put(). */
struct json_object *cell_object(const char *key, uint32_t unit,
				const struct cell *cell);
