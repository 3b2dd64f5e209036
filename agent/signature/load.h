/* Do errors follow the port's traffic? What wears, dirt and a fading laser do
 * not know of it: a link sends symbols all the time, idle or not.
 *
 * Counts how often errors and traffic, from one window to the next, both went
 * up or both went down, and how often they went apart; of the last windows in
 * which both moved.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/signature/ber.h"
#include "agent/signature/inputs.h"

struct kept;

struct load {
	uint32_t passed;		/* octets, in and out, / 2^16 */
	/* Of the window before: such octets, and one; 0: not known. */
	uint32_t load;
	uint16_t errors;		/* in 1/100 decade from the least */
	uint8_t with, against;		/* windows; 32 in all */
};

/* Nothing was seen. */
void load_start(struct load *t);
/* A window of errors was closed. */
void load_follow(struct load *t, const struct inputs *k,
		  const struct ber *b);
/* Nats for a cause that does not know of traffic, -4 at least: against what
 * has no name, of which some does (chosen: a fifth, and nine times in ten).
 */
double load_nats(const struct load *t);
/* They do, hardly by chance. */
bool load_is_followed(const struct load *t);

/* What is kept over a restart (kept.h). */
extern const struct kept load_kept;
