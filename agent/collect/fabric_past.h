/* The past of one switch: events and changes from the database, and earlier
 * values from the roll-ups.
 */
#pragma once

#include "agent/collect/fabric.h"

struct verb;

/* Whether the verb is about the past. */
bool fabric_past_is_told(const struct verb *v);

/* Answers it for a switch, whose context q has. The request's top: the most
 * rows, the newest. Returns an exit code, as a verb does.
 */
int fabric_past_answer(struct fabric *f, const struct fabric_switch *s,
		       const struct verb *v, struct query *q);

/* Adds the table of a finding's capsule, if one is kept. */
void fabric_past_capsule(struct fabric *f, const struct fabric_switch *s,
			 const char *id, struct query *q);
