/* Which tables the judge prints, and what stands in their columns. */
#pragma once

#include <stdbool.h>
#include "tests/judge/report.h"
#include "tests/judge/rows.h"

/* All tables of one plant in one condition. soak: of false alarms alone. */
void tables_write(struct report *r, const struct rows *rows, unsigned plant,
		  const char *plant_name, bool hard, bool soak);

/* The first false alarms of a plant, one a line: where, and what went on. */
void tables_show(struct report *r, const struct rows *rows, unsigned plant,
		 const char *plant_name, unsigned most);
