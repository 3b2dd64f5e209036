/* Reads the lines of a trace (petrel-trace(5), facts/trace-format.md) into what
 * the detectors take. Keeps nothing between lines; opens no file.
 *
 * A line is read as a whole or refused with the reason. Unknown keys are
 * ignored; null and missing are absent. A number that does not fit its unit is
 * absent; one that is not a number refuses the line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/signature/engine.h"
#include "agent/signature/port.h"
#include "agent/signature/sensor.h"
#include "petrel/diag.h"

#define TRACE_LINE_MAX (64u << 10)	/* octets; longer ones are refused */

/* One line of SAMPLES. Times are the trace's: wall time as recorded. */
struct trace_sample {
	char port[ENTITY_NAME_MAX];	/* empty: of the switch */
	int64_t ts_ns;
	int64_t dom_ts_ns;
	uint64_t seq;
	bool has_dom_ts, has_seq, is_event;
	enum engine_event event;	/* ENGINE_EVENT_COUNT: unknown */
	unsigned lanes_seen;		/* longest list of received light */
	bool histogram_seen;
	struct sensor_facts sensor;	/* its name is empty: no sensor; its
					 * kind SENSOR_KIND_COUNT: unknown */
	struct sensor_reading shown;	/* by that sensor */
	int64_t is_well;		/* 0: it has failed */
	struct inputs tick;		/* the caller sets t, dom_t, dom_new */
};

/* Returns 0 or -EINVAL with d. */
int trace_sample_read(const char *line, size_t len, struct trace_sample *ret,
		      struct diag *d);

/* One line of PORTS. Returns 0 or -EINVAL with d. */
int trace_port_read(const char *line, size_t len, struct port_facts *ret,
		    struct diag *d);
