/* Readings of a module or a lane that cannot be so, as people are told. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "agent/query/cells.h"

#define FAULT_NOTES_MAX 8u	/* of one answer; the rest is counted */

struct fault_notes {
	size_t told, left_out;
};

/* The words of all that is found of an entity; "" when all can be so, absent
 * where nothing is judged.
 */
void faults_cell(struct cells *c, uint32_t entity);

/* Adds a note where something is found: "who: monitors read all ones". */
void faults_note(struct cells *c, const char *who, uint32_t entity,
		 struct fault_notes *n);
/* How many there was no room for. */
void faults_note_rest(struct answer *a, const struct fault_notes *n);
