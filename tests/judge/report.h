/* Tables of figures, for people in plain columns and for programs as JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define REPORT_COLUMNS_MAX 16
#define REPORT_ROWS_MAX 64
#define REPORT_NAME_MAX 48

struct report_column {
	const char *title;		/* also the key in JSON */
	int width, decimals;
	int bad;	/* -1: low is bad, 1: high is bad, 0: neither */
};

struct report_table {
	const char *name;		/* one word */
	char about[128];		/* plant and condition */
	const struct report_column *column;
	unsigned columns, rows;
	struct {
		char name[REPORT_NAME_MAX];
		double value[REPORT_COLUMNS_MAX];	/* NAN: "-" */
	} row[REPORT_ROWS_MAX];
};

struct report {
	FILE *out;
	bool json;
	bool began;			/* a table was written */
};

/* An empty table. */
void report_start(struct report_table *t, const char *name, const char *about,
		  const struct report_column *column, unsigned columns);
/* A new row, all NAN; its place is given back, or that of the last when the
 * table is full.
 */
unsigned report_row(struct report_table *t, const char *name);

/* A row of the worst of each column from that row on. */
void report_worst(struct report_table *t, unsigned from, const char *name);

/* Writes it; an empty one is left out. */
void report_write(struct report *r, const struct report_table *t);

/* One text, as a line or as an object {"key": "text"}. */
void report_text(struct report *r, const char *key, const char *text);

/* After the last. */
void report_end(struct report *r);
