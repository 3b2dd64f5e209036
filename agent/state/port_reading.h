/* From entities and slots to the input of the detectors: the facts and the
 * readings of a port. The place of an input is looked up once and kept until
 * the slots' layout changes, or a source begins or ceases to answer.
 *
 * Counters of a port that several sources read are taken from the one source
 * that has most of them: they are compared with each other and with one time,
 * so sources should not be mixed.
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

/* The facts of a port, which seldom change; id as from state_port(). */
void port_reading_facts(const struct state *s, uint32_t port,
		   struct port_facts *ret);

/* How many lanes it has, also more than the facts tell the detectors of; 0:
 * unknown.
 */
unsigned port_reading_lanes(const struct state *s, uint32_t port);

/* The reading of a port. False when nothing of it was taken in during this
 * tick. n: the port's place among state_port(). Allocates only when the
 * layout changed.
 */
bool port_reading_get(struct port_reading *r, size_t n, struct inputs *ret);
