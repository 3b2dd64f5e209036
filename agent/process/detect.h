/* Ties the state's ports to the detectors' and gives back what they work out:
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
	/* Where derived values go: a host of the state, and its source. */
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

/* After a tick's values came in: readings of all ports that have any. */
void detect_tick(struct detect *d, struct mono now, struct wall wall);

/* Something happened to this port: its reading at once. */
void detect_port(struct detect *d, uint32_t port, struct mono now,
		 struct wall wall);

/* Tells the detectors of an event of the platform, if it means them. */
void detect_event(struct detect *d, uint32_t entity, enum platform_event what,
		  struct mono now, struct wall wall);

/* Something was changed: a finding that begins soon after names it. */
void detect_change(struct detect *d, const struct event *event);

/* The number that detectors and history know a port by; false: not watched. */
bool detect_number(struct detect *d, uint32_t port, uint32_t *ret);

/* The readings of the state's ports; borrowed. */
struct port_reading *detect_reading(struct detect *d);
