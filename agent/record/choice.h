/* In which encoding the rows of a column go: the shortest of all.
 *
 * Learns for each column what foretells it best, and with its third batch
 * whether another column of the same entities does (octets by frames).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "agent/record/columns.h"

/* Rows that go together. */
struct choice_rows {
	const int64_t *value;
	struct known_series *series;		/* takes the values */
	uint32_t list, n;		/* at most COLUMN_ROWS_MAX */
	bool by_number;			/* told behind those by name */
	bool bounded;			/* need not be exact, see rice.h */
};

/* Room for all that is tried, and what was chosen. */
struct choice {
	unsigned encoding;
	const uint8_t *octets;		/* within this struct */
	size_t len;
	uint32_t changed;		/* rows */
	enum predictor predictor;	/* of the bits */
	struct rice_work work;
	uint8_t bits[PACKED_MAX(COLUMN_ROWS_MAX)];
	uint8_t varints[PACKED_MAX(COLUMN_ROWS_MAX)];
};

/* Packs the rows of the column m of c into *ret; m and the series then know
 * what a reader knows.
 */
void choice_make(struct columns *c, struct column_memory *m,
		 const struct choice_rows *rows, struct choice *ret);
