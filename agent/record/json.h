/* Findings and records as JSON objects, one writer for replay, the CLI and the
 * collector (DESIGN.md, section 5).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/finding.h"

struct json_object;

/* Adds an exact integer, with a twin <key>_str as text where a double cannot
 * hold it: from 2^53 on. False: out of memory.
 */
bool json_add_integer(struct json_object *o, const char *key, int64_t value);
/* The same for a 64-bit pattern. */
bool json_add_unsigned(struct json_object *o, const char *key, uint64_t value);

/* Adds a text; nothing if it is NULL, or (the second) empty. */
void json_add_text(struct json_object *o, const char *key, const char *text);
void json_add_text_if(struct json_object *o, const char *key,
		      const char *text);

/* The object of petrel replay --json. Free with json_object_put(); NULL when
 * out of memory.
 */
struct json_object *finding_json(const struct finding *f);

struct _IO_FILE;

/* An object on one line, without newline; the object's. */
const char *json_line_text(struct json_object *o);
/* An object on one line to a stream, with newline. Returns 0 or -EIO. */
int json_line(struct _IO_FILE *out, struct json_object *o);
