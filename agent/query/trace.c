#include "agent/query/trace.h"

#include <json-c/json.h>

#include "agent/query/answer.h"
#include "agent/query/choice.h"
#include "agent/query/follow.h"
#include "agent/state/port_reading.h"
#include "agent/state/sensor_reading.h"
#include "agent/state/state.h"

#define SENSORS_EVERY 10		/* ticks */

/* Takes the object over. */
static void line_add(struct answer *a, struct json_object *line)
{
	if (line)
		answer_line(a, json_object_to_json_string_ext(
				       line, JSON_C_TO_STRING_PLAIN |
				       JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(line);
}

/* A trace is in wall time: the monotonic one means nothing elsewhere. */
static struct wall wall_of(const struct clock_reading *now, struct mono then)
{
	return (struct wall){ now->wall.ns - mono_diff_ns(now->mono, then) };
}

/* n: the port's place among the state's. */
static void sample_add(const struct query_context *ctx, struct answer *a,
		       size_t n, uint32_t port,
		       const struct clock_reading *now)
{
	struct inputs t;

	if (!ctx->reading || !port_reading_get(ctx->reading, n, &t))
		return;
	line_add(a, trace_sample(context_name(ctx, port), &t,
				 wall_of(now, t.t), wall_of(now, t.dom_t)));
}

/* All sensors of the switch, with one tick in so many. */
static void sensors_add(const struct query_context *ctx, struct answer *a,
			const struct clock_reading *now)
{
	const struct inventory_entity *e;
	size_t n = state_entities(ctx->state, &e);
	struct sensor_reading shown;
	struct sensor_facts facts;

	if (state_tick_number(ctx->state) % SENSORS_EVERY != 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (sensor_reading_get(ctx->state, &e[i], &facts, &shown))
			line_add(a, trace_sensor(&facts, &shown, now->wall));
}

/* A client that is busy misses the tick: the trace's reader sees a hole in
 * ts_ns, as with any sample that is lost.
 */
void trace_send(struct query_context *ctx, struct waiting *w)
{
	struct answer *a = ctx->waiting->answer;
	struct query_client *c = follow_client(ctx, w);
	size_t n = state_port_count(ctx->state);
	struct clock_reading now;
	struct choice wanted;

	if (!c || choice_parse(w->ports, &wanted, NULL) < 0)
		return;
	answer_clear(a);
	now = context_begin(ctx, a);
	answer_cursor(a, TRACE_CURSOR_SAMPLES);
	for (size_t i = 0; i < n; i++) {
		uint32_t port = state_port(ctx->state, i);

		if (choice_has(&wanted, ctx, port))
			sample_add(ctx, a, i, port, &now);
	}
	sensors_add(ctx, a, &now);
	if (answer_message(a)->n_lines)
		(void)query_answer(c, a, true);
}

size_t trace_ports(const struct query_context *ctx, struct answer *a,
		   const struct choice *wanted)
{
	size_t n = state_port_count(ctx->state), matched = 0;
	struct port_facts facts;

	for (size_t i = 0; i < n; i++) {
		uint32_t port = state_port(ctx->state, i);

		if (!choice_has(wanted, ctx, port))
			continue;
		port_reading_facts(ctx->state, port, &facts);
		line_add(a, trace_port(&facts));
		matched++;
	}
	return matched;
}
