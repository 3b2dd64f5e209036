/* What all causes have in common that take light away. */
#pragma once

#include "agent/signature/hypothesis.h"

#define LOSS_NEEDS 2

extern const struct need_row loss_needs[LOSS_NEEDS];

/* Not to copper. */
bool loss_applies(const struct port_facts *facts, const char **ret_why);
/* How often something is seen of this cause, and of the others; mine 0: it is
 * not asked.
 */
struct share { double mine, others; };

/* What is seen of a loss. */
struct loss_shares {
	struct share at_once, slowly;	/* so it fell */
	struct share of_some;		/* some lanes, and others did not … */
	struct share of_some_colours;	/* … of those that share a fibre */
	struct share shaky;		/* less steady since */
	struct share tilted;		/* more on longer waves */
};

/* Adds what the loss says of this cause. False: it cannot be. */
bool loss_weigh(const struct measures *m, const struct loss_shares *shares,
		double *ret_nats);
/* Is there a loss to look at closer: 0 there is none, 1 surely. */
double loss_sure(const struct measures *m);
