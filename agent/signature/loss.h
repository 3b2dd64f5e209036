/* What all causes have in common that take light away. */
#pragma once

#include "agent/signature/hypothesis.h"

#define LOSS_NEEDS 2

extern const struct need_row loss_needs[LOSS_NEEDS];
extern const char loss_limit[];

/* Not to copper. */
bool loss_applies(const struct port_facts *facts, const char **ret_why);
/* Adds what a loss of light says of the errors. False: it cannot be. */
bool loss_weigh(const struct measures *m, double *ret_nats);
/* Some lanes lost light, and others did not. */
bool loss_is_of_some(const struct measures *m);
/* Is there a loss to look at closer: 0 there is none, 1 surely. */
double loss_sure(const struct measures *m);
/* Nats of how the light fell, of shares of it of this cause and of others. */
struct fall_shares { double at_once, slowly; };
double loss_fall(const struct measures *m, struct fall_shares mine,
		 struct fall_shares others);
