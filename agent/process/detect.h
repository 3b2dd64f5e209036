/* Connects the state's ports to the detectors, and returns what they derive:
 * the BER and the margin of each port as samples, and the local history.
 */
#pragma once

#include "agent/base/event.h"
#include "agent/signature/engine.h"
#include "agent/state/port_reading.h"
#include "agent/state/series.h"
#include "agent/state/state.h"

#define DETECT_PORTS_MAX 1024

struct detect;

struct detect_env {
	struct state *state;
	struct engine *engine;
	struct series *series;
	/* Receives derived values: a host of the state, and its source. */
	const struct platform_host *host;
	unsigned source;
	/* Left open by an earlier core; taken up as their ports appear. */
	const struct finding *open;
	size_t open_count;
};

/* Returns -ENOMEM. */
int detect_new(const struct detect_env *env, struct detect **ret);
/* NULL is allowed. */
void detect_free(struct detect *d);

/* After a tick's values: the readings of all ports that have any. */
void detect_tick(struct detect *d, struct mono now, struct wall wall);

/* An event of this port: reads it at once. */
void detect_port(struct detect *d, uint32_t port, struct mono now,
		 struct wall wall);

/* Passes a platform event to the detectors, if it concerns them. */
void detect_event(struct detect *d, uint32_t entity, enum platform_event what,
		  struct mono now, struct wall wall);

/* A change of the switch: a finding that begins soon after names it. */
void detect_change(struct detect *d, const struct event *event);

/* The number of a port in the detectors and the history; false: not watched. */
bool detect_number(struct detect *d, uint32_t port, uint32_t *ret);

/* The readings of the state's ports; borrowed. */
struct port_reading *detect_reading(struct detect *d);
