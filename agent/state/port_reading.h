/* From entities and slots to what the detectors take: the facts and the
 * readings of a port. Where a feature lies is looked up once and kept until
 * the slots' layout changes, or a source begins or ceases to answer.
 *
 * Counters of a port that several sources read are taken from one of them,
 * the one that has most of them: they are set against each other and against
 * one time, so sources must not be mixed where that can be helped.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/signature/port.h"
#include "agent/state/state.h"

struct port_reading;

/* Returns -ENOMEM. */
int port_reading_new(const struct state *s, struct port_reading **ret);
/* NULL is allowed. */
void port_reading_free(struct port_reading *r);

/* What seldom changes of a port; id as state_port() gives. */
void port_reading_facts(const struct state *s, uint32_t port,
		   struct port_facts *ret);

/* The reading of a port. False when nothing of it was taken in during this
 * tick. n: the port's place among state_port(). Allocates only when the
 * layout changed.
 */
bool port_reading_get(struct port_reading *r, size_t n, struct inputs *ret);
