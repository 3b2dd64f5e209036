/* One cell of an answer as text for people: how its unit is shown in a table
 * and on a line of its own (petrel/local.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "agent/query/message.h"

enum cell_form {
	FORM_LONG,	/* with its unit, for a line of its own */
	FORM_TABLE,	/* the heading has the unit */
	FORM_SHORT,	/* the same in fewer columns */
};

#define CELL_TEXT_MAX 2048	/* fifteen applications of a module */

/* unit: enum cell_unit. "-" when absent. Text from outside is made harmless for
 * a terminal.
 */
void cell_text(uint32_t unit, const struct cell *cell, enum cell_form form,
	       char ret[static CELL_TEXT_MAX]);

/* A word for how far to trust it; NULL: good. */
const char *cell_quality_word(uint32_t quality);

/* Local time to the second, with its zone: 2026-03-29 01:59:59+01:00, or Z.
 * The time of day begins at WALL_DAY_AT.
 */
void wall_text(int64_t wall_ns, char *ret, size_t cap);
#define WALL_DAY_AT 11u
/* The zone alone, for times of day: +01:00, or UTC. */
#define WALL_ZONE_MAX 8u
void wall_zone(int64_t wall_ns, char ret[static WALL_ZONE_MAX]);
/* RFC 3339, in UTC, to the millisecond. */
void wall_rfc3339(int64_t wall_ns, char *ret, size_t cap);

/* Columns that clean text takes on a terminal. */
size_t text_columns(const char *text);
