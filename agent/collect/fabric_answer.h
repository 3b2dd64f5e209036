/* Answers over all switches: what each would answer itself, with the switch in
 * front of each row.
 */

#include "agent/collect/fabric.h"
#include "agent/collect/standing.h"
#pragma once

struct answer;

/* What the answers are made from; the caller's. */
struct fabric_desk {
	struct fabric *fabric;
	struct standing *standing;
	struct answer *one;	/* for the answer of a switch */
};

/* Fills ret: of one switch where a name or id is given (not NULL or ""), else
 * of all. Returns an exit code, as a verb does.
 */
int fabric_answer(const struct fabric_desk *desk,
		  const Petrel__Request *request, const char *switch_name,
		  struct answer *ret);
