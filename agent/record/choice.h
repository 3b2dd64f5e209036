/* Chooses the encoding of a column's rows: the shortest.
 *
 * Learns for each column which predictor is best, and with its third batch
 * whether another column of the same entities is (octets by frames).
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
	bool by_number;			/* written after those by name */
	bool bounded;			/* need not be exact, see rice.h */
};

/* Room for all encodings that are tried, and the choice. */
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

/* Packs the rows of column m of c into *ret; m and the series then hold what a
 * reader knows.
 */
void choice_make(struct columns *c, struct column_memory *m,
		 const struct choice_rows *rows, struct choice *ret);
