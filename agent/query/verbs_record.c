/* Records a live switch as a trace (petrel record): lines of PORTS.ndjson and
 * SAMPLES.ndjson, with the keys of the trace format. The first answer has the
 * ports; each later one the samples of a tick.
 */
#include "agent/query/verbs.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/query/follow.h"
#include "agent/signature/port.h"
#include "agent/signature/sensor.h"
#include "agent/state/port_reading.h"
#include "agent/state/sensor_reading.h"
#include "petrel/local.h"

#define SENSORS_EVERY 10		/* ticks */
#define DECIMALS "%.9g"		/* finer than any source of these values */
#define DARK_DBM (-40.0)	/* what modules report without light */

/* If out of memory, leaves a member out rather than writing a wrong one. */
static void put(struct json_object *o, const char *key, struct json_object *v)
{
	(void)json_object_object_add(o, key, v);
}

static struct json_object *decimal(double value)
{
	struct json_object *o = json_object_new_double(value);

	if (o)
		json_object_set_serializer(o, json_object_double_to_json_string,
					   (void *)(uintptr_t)DECIMALS, NULL);
	return o;
}

static struct json_object *reason_json(int64_t reason)
{
	const char *name = reason == DOWN_UNKNOWN ? NULL :
			   quantity_word(Q_DOWN_REASON, reason);

	return name ? json_object_new_string(name) : NULL;
}

/* Counters are 64-bit patterns: never negative in the trace. */
static struct json_object *value_json(enum input_form form, int64_t value)
{
	switch (form) {
	case FORM_OPER:
		return json_object_new_int(value == OPER_UP);
	case FORM_REASON:
		return reason_json(value);
	case FORM_MILLI:
		return decimal((double)value / 1e3);
	case FORM_MICRO:
		return decimal((double)value / 1e6);
	case FORM_DBM:
		return decimal(value > 0 ? number_dbm(value) : DARK_DBM);
	case FORM_RATIO:
		return decimal((double)value / 1e18);
	case FORM_COUNT:
	case INPUT_FORM_COUNT:
		break;
	}
	return json_object_new_uint64((uint64_t)value);
}

/* --- PORTS --------------------------------------------------------------- */

/* The four keys of one threshold, as the format names them. */
static void thresholds_put(struct json_object *o, const char *what,
			   const int64_t edge[THRESHOLD_EDGE_COUNT],
			   enum input_form form)
{
	static const char *const edges[THRESHOLD_EDGE_COUNT] = {
		[HIGH_ALARM] = "high_alarm", [LOW_ALARM] = "low_alarm",
		[HIGH_WARN] = "high_warn", [LOW_WARN] = "low_warn",
	};
	char key[40];

	for (unsigned i = 0; i < THRESHOLD_EDGE_COUNT; i++) {
		(void)snprintf(key, sizeof(key), "%s_%s", what, edges[i]);
		put(o, key, value_json(form, edge[i]));
	}
}

/* null if the module reported none: copper, or not read yet. */
static struct json_object *thresholds(const struct port_thresholds *t)
{
	struct json_object *o;

	if (!t->known)
		return NULL;
	o = json_object_new_object();
	thresholds_put(o, "temp", t->temp_mc, FORM_MILLI);
	thresholds_put(o, "vcc", t->vcc_uv, FORM_MICRO);
	thresholds_put(o, "rx", t->rx_pw, FORM_DBM);
	thresholds_put(o, "tx", t->tx_pw, FORM_DBM);
	thresholds_put(o, "bias", t->bias_ua, FORM_MILLI);
	return o;
}

static void put_text(struct json_object *o, const char *key, const char *text)
{
	if (text[0])
		put(o, key, json_object_new_string(text));
}

/* {"switch":…,"port":…}, as far as LLDP or the configuration has it. */
static void peer_put(struct json_object *o, const struct port_facts *f)
{
	struct json_object *peer;

	if (!f->peer_switch[0] && !f->peer_port[0])
		return;
	if (f->peer)
		put(o, "role", json_object_new_string(
			    f->peer == PEER_SWITCH ? "uplink" : "downlink"));
	peer = json_object_new_object();
	put_text(peer, "switch", f->peer_switch);
	put_text(peer, "port", f->peer_port);
	put(o, "peer", peer);
}

static struct json_object *port_line(const struct port_facts *f)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	put(o, "port", json_object_new_string(f->name));
	put_text(o, "media", f->media);
	if (f->lanes)
		put(o, "lanes", json_object_new_int((int32_t)f->lanes));
	if (f->speed_mbps)
		put(o, "speed_gbps", f->speed_mbps % 1000 == 0 ?
		    json_object_new_int64((int64_t)f->speed_mbps / 1000) :
		    decimal((double)f->speed_mbps / 1000));
	put(o, "fec", json_object_new_string(
		quantity_word(Q_FEC_MODE, f->fec)));
	put_text(o, "group", f->group);
	put_text(o, "cage", f->cage);
	if (f->queue_buffer_octets)
		put(o, "q_buffer_bytes", json_object_new_int64(
			(int64_t)f->queue_buffer_octets));
	if (f->media_known)
		put(o, "optical", json_object_new_boolean(f->optical));
	if (f->counter_bits && f->counter_bits != 64)
		put(o, "counter_bits",
		    json_object_new_int((int32_t)f->counter_bits));
	put(o, "thresholds", thresholds(&f->thresholds));
	peer_put(o, f);
	return o;
}

/* --- SAMPLES ------------------------------------------------------------- */

/* The values up to the last one read; missing ones are null. */
static void list_put(struct json_object *o, const struct input_row *row,
		     const struct inputs *t)
{
	struct json_object *list;
	unsigned count = row->count;

	while (count && !inputs_has(t, row->first + count - 1))
		count--;
	if (!count)
		return;
	list = json_object_new_array();
	for (unsigned i = row->first; i < row->first + count; i++)
		(void)json_object_array_add(list, inputs_has(t, i) ?
			value_json((enum input_form)row->form, t->value[i]) :
			NULL);
	put(o, row->key, list);
}

/* One key each, with the number in place of "#". */
static void each_put(struct json_object *o, const struct input_row *row,
		     const struct inputs *t)
{
	int head = (int)strcspn(row->key, "#");
	struct json_object *v;
	char key[40];

	for (unsigned n = 0; n < row->count; n++) {
		if (!inputs_has(t, row->first + n))
			continue;
		(void)snprintf(key, sizeof(key), row->key[head] ? "%.*s%u%s" :
			       "%.*s", head, row->key, n, row->key + head + 1);
		v = value_json((enum input_form)row->form,
			       t->value[row->first + n]);
		if (v)
			put(o, key, v);
	}
}

static struct json_object *sample_line(const char *port,
				       const struct inputs *t,
				       struct wall when, struct wall dom_when)
{
	struct json_object *o = json_object_new_object();
	const struct input_row *rows;
	size_t count;

	if (!o)
		return NULL;
	put(o, "ts_ns", json_object_new_int64(when.ns));
	put(o, "port", json_object_new_string(port));
	put_text(o, "serial", t->serial);
	if (t->dom_t.ns)
		put(o, "dom_ts_ns", json_object_new_int64(dom_when.ns));
	rows = input_rows(&count);
	for (size_t i = 0; i < count; i++) {
		if (!rows[i].key)
			continue;
		if (rows[i].count > 1 && !strchr(rows[i].key, '#'))
			list_put(o, &rows[i], t);
		else
			each_put(o, &rows[i], t);
	}
	return o;
}

static void number_put(struct json_object *o, const char *key, double value)
{
	put(o, key, isnan(value) ? NULL : decimal(value));
}

static struct json_object *sensor_line(const struct sensor_facts *f,
				       const struct sensor_reading *r,
				       struct wall when)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	put(o, "ts_ns", json_object_new_int64(when.ns));
	put(o, "sensor", json_object_new_string(f->name));
	put(o, "kind", json_object_new_string(sensor_kind_name(f->kind)));
	number_put(o, "value", r->value);
	number_put(o, "low", r->low);
	number_put(o, "high", r->high);
	put(o, "present", json_object_new_int(!r->absent));
	put(o, "ok", json_object_new_int(!r->failed && !r->warns));
	put_text(o, "zone", f->zone);
	return o;
}

/* --- answers ------------------------------------------------------------- */

/* Takes ownership of the object. */
static void line_add(struct answer *a, struct json_object *line)
{
	if (line)
		answer_line(a, json_object_to_json_string_ext(
				       line, JSON_C_TO_STRING_PLAIN |
				       JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(line);
}

/* A trace uses wall time: monotonic time means nothing on other machines. */
static struct wall wall_of(const struct clock_reading *now, struct mono then)
{
	return (struct wall){ now->wall.ns - mono_diff_ns(now->mono, then) };
}

/* All sensors of the switch, once in SENSORS_EVERY ticks. */
static void sensors_add(struct query *q)
{
	const struct state *s = q->ctx->state;
	const struct inventory_entity *e;
	struct sensor_reading shown;
	struct sensor_facts facts;
	size_t at = 0;

	while (state_tick_number(s) % SENSORS_EVERY == 0 &&
	       (e = query_next(q->ctx, ENTITY_SENSOR, &at)))
		if (sensor_reading_get(s, e, &facts, &shown))
			line_add(q->a, sensor_line(&facts, &shown,
						   q->now.wall));
}

void verbs_trace_tick(struct query *q)
{
	struct inputs t;
	uint32_t port;
	size_t at = 0;

	answer_cursor(q->a, LOCAL_CURSOR_SAMPLES);
	while (q->ctx->reading && choice_next(q, &at, &port))
		if (port_reading_get(q->ctx->reading, at - 1, &t))
			line_add(q->a, sample_line(query_name(q->ctx, port),
						   &t, wall_of(&q->now, t.t),
						   wall_of(&q->now, t.dom_t)));
	sensors_add(q);
}

void verbs_trace_ports(struct query *q)
{
	struct port_facts facts;
	uint32_t port;
	size_t at = 0;

	answer_cursor(q->a, LOCAL_CURSOR_PORTS);
	while (choice_next(q, &at, &port)) {
		port_reading_facts(q->ctx->state, port, &facts);
		line_add(q->a, port_line(&facts));
	}
}

/* A busy client misses the tick: the reader of the trace sees a gap in ts_ns,
 * as for any lost sample.
 */
static void samples_send(struct query_context *ctx, struct waiting *w)
{
	struct query q;

	if (!follow_begin(ctx, w, &q) ||
	    choice_parse(w->ports, &q.wanted, NULL) < 0)
		return;
	verbs_trace_tick(&q);
	if (answer_message(q.a)->n_lines)
		(void)query_answer(q.client, q.a, true);
}

void verbs_samples_taken(struct query_context *ctx)
{
	follow_each(ctx, FOLLOW_TRACE, samples_send);
}

/* Ports at once, then the samples of each tick. */
int verbs_record(struct query *q)
{
	const char *ports = q->request->n_args ? q->request->args[0] : "";
	struct waiting *w;

	if (strlen(ports) >= FOLLOW_PORTS_MAX)
		return answer_error(q->a, EXIT_USAGE, "a port pattern of %zu "
				    "octets; at most %d", strlen(ports),
				    FOLLOW_PORTS_MAX - 1);
	verbs_trace_ports(q);
	if (answer_message(q->a)->n_lines == 0)
		return answer_error(q->a, EXIT_NO_SUCH, "no port matches '%s'",
				    ports);
	w = follow_new(q, FOLLOW_TRACE);
	if (!w)
		return EXIT_INCOMPLETE;
	(void)snprintf(w->ports, sizeof(w->ports), "%s", ports);
	(void)query_answer(q->client, q->a, true);
	return QUERY_LATER;
}
