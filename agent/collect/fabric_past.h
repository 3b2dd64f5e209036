/* What was, of one switch: events and changes from the database, and from the
 * roll-ups what a value was.
 */
#pragma once

#include "agent/collect/fabric.h"

struct verb;

/* Does the verb tell of the past? */
bool fabric_past_is_told(const struct verb *v);

/* Answers it of a switch, whose context q has. The request's top: how many rows
 * at most, the newest. Returns an exit code, as a verb does.
 */
int fabric_past_answer(struct fabric *f, const struct fabric_switch *s,
		       const struct verb *v, struct query *q);

/* Adds the table of a finding's capsule, where one is kept. */
void fabric_past_capsule(struct fabric *f, const struct fabric_switch *s,
			 const char *id, struct query *q);
