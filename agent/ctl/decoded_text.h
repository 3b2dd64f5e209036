/* What the parts of a decoded module's text share; decoded_print_text() puts
 * them together.
 */
#pragma once

#include "agent/ctl/cell.h"
#include "agent/ctl/decoded.h"
#include "agent/ctl/screen.h"

#define DECODED_LABEL_WIDTH 14u

enum edge { HIGH_ALARM, LOW_ALARM, HIGH_WARNING, LOW_WARNING, EDGE_COUNT };

/* A value as the other commands show it; "-" when there is none. */
void decoded_value_text(const struct decoded_value *v, enum cell_form form,
			char ret[static CELL_TEXT_MAX]);
/* A cell of a table, to the right of its column. */
void decoded_cell_print(const struct screen *s, const char *text, int width);
/* A line with its label; nothing when text is empty. */
void decoded_line_print(const struct screen *s, const char *label,
			const char *text);
/* A name without what it is of and without its ending, as words: rx power. */
void decoded_words(const char *name, const char *ending, char *ret,
		   size_t cap);

/* "lane 3", "lanes 1-4,6"; bit n: lane n + 1. */
void decoded_lanes_text(uint32_t lanes, char *ret, size_t cap);

/* Its state, temperature and voltages with their thresholds. */
void decoded_print_module(const struct screen *s, const struct decoded *d);
/* A line for each lane that is measured; the state of the others. */
void decoded_print_lanes(const struct screen *s, const struct decoded *d);
/* What is raised, by lane. */
void decoded_print_flags(const struct screen *s, const struct decoded *d);
/* Versatile diagnostics by lane, and the monitors of a coherent link. */
void decoded_print_vdm(const struct screen *s, const struct decoded *d);
