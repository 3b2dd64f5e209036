/* A live switch as a trace (petrel record): lines of PORTS.ndjson and
 * SAMPLES.ndjson. The first answer holds the ports, with the cursor "ports";
 * each one after it the samples of a tick, with the cursor "samples".
 */
#pragma once

#include "agent/query/context.h"
#include "agent/signature/port.h"

struct waiting;

#define TRACE_CURSOR_PORTS "ports"
#define TRACE_CURSOR_SAMPLES "samples"

/* Sends the samples of this tick. */
void trace_send(struct query_context *ctx, struct waiting *w);

/* The two kinds of lines; both freed by json_object_put(), NULL when out of
 * memory.
 */
struct json_object;
struct json_object *trace_port(const struct port_facts *f);
struct json_object *trace_sample(const char *port, const struct port_tick *t,
				 struct wall when, struct wall dom_when);
