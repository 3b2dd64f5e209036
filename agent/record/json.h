/* Findings and records as JSON objects, one writer for replay, the CLI and the
 * collector (DESIGN.md, section 5).
 */
#pragma once

#include "petrel/finding.h"

struct json_object;

/* The object of petrel replay --json. Free with json_object_put(); NULL when
 * out of memory.
 */
struct json_object *finding_json(const struct finding *f);

struct _IO_FILE;

/* An object on one line to a stream, with newline. Returns 0 or -EIO. */
int json_line(struct _IO_FILE *out, struct json_object *o);
