/* A live switch as a trace (petrel record): lines of PORTS.ndjson and
 * SAMPLES.ndjson. The first answer holds the ports, with the cursor "ports";
 * each one after it the samples of a tick, with the cursor "samples".
 */
#pragma once

#include "agent/query/context.h"
#include "agent/signature/port.h"
#include "agent/signature/sensor.h"

struct answer;
struct choice;
struct waiting;

#define TRACE_CURSOR_PORTS "ports"
#define TRACE_CURSOR_SAMPLES "samples"

/* Adds a line for each port that is wanted. Returns how many. */
size_t trace_ports(const struct query_context *ctx, struct answer *a,
		   const struct choice *wanted);

/* Sends the samples of this tick. */
void trace_send(struct query_context *ctx, struct waiting *w);

struct json_object;

/* A line of PORTS; freed by json_object_put(), NULL when out of memory. */
struct json_object *trace_port(const struct port_facts *f);

/* A line of SAMPLES that is of a sensor, the same way. */
struct json_object *trace_sensor(const struct sensor_facts *f,
				 const struct sensor_reading *r,
				 struct wall when);

/* A line of SAMPLES, the same way; when: wall time of t->t, dom_when: of
 * t->dom_t.
 */
struct json_object *trace_sample(const char *port, const struct inputs *t,
				 struct wall when, struct wall dom_when);
