/* One port and one reading in the words of the trace format. */
#include "agent/query/trace.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"

#define DECIMALS "%.9g"		/* finer than any source of these values */
#define DARK_DBM (-40.0)	/* what modules say when there is no light */

/* Out of memory leaves a member out, never a wrong one in. */
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

static double unit_c(int64_t mc)
{
	return (double)mc / 1e3;
}

static double unit_v(int64_t uv)
{
	return (double)uv / 1e6;
}

static double unit_ma(int64_t ua)
{
	return (double)ua / 1e3;
}

/* The format has no word for no light: what modules say stands for it. */
static double unit_dbm(int64_t pw)
{
	return pw > 0 ? number_dbm(pw) : DARK_DBM;
}

/* --- PORTS --------------------------------------------------------------- */

/* Four keys of one limit, as the format names them. */
static void thresholds_put(struct json_object *o, const char *what,
			   const int64_t edge[THRESHOLD_EDGE_COUNT],
			   double (*unit)(int64_t))
{
	static const char *const edges[THRESHOLD_EDGE_COUNT] = {
		[HIGH_ALARM] = "high_alarm", [LOW_ALARM] = "low_alarm",
		[HIGH_WARN] = "high_warn", [LOW_WARN] = "low_warn",
	};
	char key[40];

	for (unsigned i = 0; i < THRESHOLD_EDGE_COUNT; i++) {
		(void)snprintf(key, sizeof(key), "%s_%s", what, edges[i]);
		put(o, key, decimal(unit(edge[i])));
	}
}

/* null where the module told none: copper, or not yet read. */
static struct json_object *thresholds(const struct port_thresholds *t)
{
	struct json_object *o;

	if (!t->known)
		return NULL;
	o = json_object_new_object();
	thresholds_put(o, "temp", t->temp_mc, unit_c);
	thresholds_put(o, "vcc", t->vcc_uv, unit_v);
	thresholds_put(o, "rx", t->rx_pw, unit_dbm);
	thresholds_put(o, "tx", t->tx_pw, unit_dbm);
	thresholds_put(o, "bias", t->bias_ua, unit_ma);
	return o;
}

static void put_text(struct json_object *o, const char *key, const char *text)
{
	if (text[0])
		put(o, key, json_object_new_string(text));
}

/* {"switch":…,"port":…}, as far as LLDP or the configuration tells. */
static void peer_put(struct json_object *o, const struct port_facts *f)
{
	struct json_object *peer;

	if (!f->peer_switch[0] && !f->peer_port[0])
		return;
	peer = json_object_new_object();
	put_text(peer, "switch", f->peer_switch);
	put_text(peer, "port", f->peer_port);
	put(o, "peer", peer);
}

struct json_object *trace_port(const struct port_facts *f)
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
	put(o, "fec", json_object_new_string(fec_mode_name(f->fec)));
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

static struct json_object *reason_json(int64_t reason)
{
	const char *name = reason == DOWN_UNKNOWN ? NULL :
			   down_reason_name((enum down_reason)reason);

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
		return decimal(unit_dbm(value));
	case FORM_RATIO:
		return decimal((double)value / 1e18);
	case FORM_COUNT:
	case INPUT_FORM_COUNT:
		break;
	}
	return json_object_new_uint64((uint64_t)value);
}

/* The values up to the last that was read; what is missing is null. */
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

struct json_object *trace_sample(const char *port, const struct inputs *t,
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

struct json_object *trace_sensor(const struct sensor_facts *f,
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
