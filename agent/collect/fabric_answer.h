/* Answers over all switches: each switch's own answer, with the switch in front
 * of each row.
 */

#include "agent/collect/fabric.h"
#include "agent/collect/standing.h"
#pragma once

struct answer;

/* The sources of answers; the caller's. */
struct fabric_desk {
	struct fabric *fabric;
	struct standing *standing;
	struct answer *one;	/* for the answer of a switch */
};

/* Fills ret: for one switch if a name or id is given (not NULL or ""), else for
 * all. Returns an exit code, as a verb does.
 */
int fabric_answer(const struct fabric_desk *desk,
		  const Petrel__Request *request, const char *switch_name,
		  struct answer *ret);
