/* Lines of SAMPLES.ndjson and PORTS.ndjson: tables map keys to members; inputs
 * are found in inputs.def.
 */
#include "agent/ctl/trace_read.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "agent/base/clean.h"
#include "agent/base/number.h"

#define COUNTER_ABSENT UINT64_MAX
#define DEPTH_MAX 8
#define TIME_MAX_NS (INT64_MAX / 2)	/* the year 2116 */
#define MICRO 1000000
#define E18 INT64_C(1000000000000000000)

/* The result of reading a value. */
enum outcome { VALUE_READ, VALUE_ABSENT, VALUE_WRONG };

enum field_kind { FIELD_NUMBER, FIELD_REAL, FIELD_TEXT, FIELD_WORD,
		  FIELD_OBJECT };

/* A key, and the member it is read into. */
struct trace_field {
	const char *key;
	enum field_kind kind;
	uint32_t at;		/* offset of the member: int64_t, double, text,
				 * enumeration; of an object's, what its own
				 * fields are counted from */
	uint32_t size;		/* of a text */
	uint32_t flag;		/* offset of a bool: it was read; 0: none */
	enum input_form form;	/* of a number */
	int64_t most;		/* of a number, or octets of a text; more
				 * refuses the line; 0: any, a text is cut */
	const struct trace_keys *table;	/* of an object */
	const char *(*name)(int i);	/* of a word */
	int names;
};

/* A line being read into a struct. */
struct trace_line {
	const char *key;	/* the current one, and its value */
	struct json_object *v;
	int64_t octets_most;	/* limit if a value is too long; else 0 */
	int64_t most;		/* limit if a number is too large; else 0 */
	unsigned list_most;	/* limit of a list's length; else 0 */
	const char *expected;	/* else: what the value should be */
	size_t input_at;	/* where the next search begins */
};

struct trace_keys {
	const struct trace_field *fields;
	size_t count;
	/* Handles any other key; NULL: ignored. */
	enum outcome (*other)(struct trace_line *l, void *base);
};

/* --- numbers and words --------------------------------------------------- */

/* NaN and Infinity, which recorders in other languages write, count as null.
 * scale 0: dBm, converted to pW.
 */
static enum outcome scaled_read(struct json_object *v, int64_t scale,
				int64_t *ret)
{
	const char *text;
	int rc;

	switch (json_object_get_type(v)) {
	case json_type_null:
		return VALUE_ABSENT;
	case json_type_boolean:
		*ret = json_object_get_boolean(v);
		return scale ? VALUE_READ : VALUE_WRONG;
	case json_type_int:
		if (scale)
			return __builtin_mul_overflow(json_object_get_int64(v),
						      scale, ret) ?
			       VALUE_ABSENT : VALUE_READ;
		break;
	case json_type_double:
		if (!isfinite(json_object_get_double(v)))
			return VALUE_ABSENT;
		break;
	default:
		return VALUE_WRONG;
	}
	text = json_object_get_string(v);	/* as written in the trace */
	rc = scale ? number_parse_scaled(text, strlen(text), (uint64_t)scale,
					 ret) :
		     number_parse_dbm(text, strlen(text), ret);
	if (rc == -ERANGE)
		return VALUE_ABSENT;
	return rc == 0 ? VALUE_READ : VALUE_WRONG;
}

static enum outcome counter_read(struct json_object *v, int64_t *ret)
{
	enum outcome o;

	if (json_object_is_type(v, json_type_int)) {
		*ret = (int64_t)json_object_get_uint64(v);
		return json_object_get_int64(v) < 0 ||
		       (uint64_t)*ret == COUNTER_ABSENT ? VALUE_ABSENT :
							  VALUE_READ;
	}
	o = scaled_read(v, 1, ret);	/* 1.0e9; a negative one is no count */
	return o == VALUE_READ && *ret < 0 ? VALUE_ABSENT : o;
}

static const char *event_name(int i)
{
	static const char *const names[ENGINE_EVENT_COUNT] = {
		[ENGINE_RELOAD] = "reload",
		[ENGINE_COUNTERS_CLEARED] = "counters_cleared",
		[ENGINE_MODULE_SWAPPED] = "module_swapped",
		[ENGINE_MUTE] = "mute",
		[ENGINE_ANNOTATE] = "annotate",
	};

	return names[i];
}

static const char *kind_name(int i)
{
	return sensor_kind_name((enum sensor_kind)i);
}

static const char *reason_name(int i)
{
	return quantity_word(Q_DOWN_REASON, i);
}

/* The index of a word among the names; their count if it is not there. */
static int word_find(struct json_object *v, const char *(*name)(int i),
		     int names)
{
	const char *word = json_object_get_string(v);
	int i = 0;

	while (i < names && (!name(i) || strcmp(name(i), word) != 0))
		i++;
	return i;
}

/* By word or number. */
static enum outcome reason_read(struct json_object *v, int64_t *ret)
{
	if (!json_object_is_type(v, json_type_string))
		return json_object_is_type(v, json_type_boolean) ?
		       VALUE_WRONG : counter_read(v, ret);
	*ret = word_find(v, reason_name, DOWN_REASON_COUNT);
	return *ret < DOWN_REASON_COUNT ? VALUE_READ : VALUE_ABSENT;
}

static enum outcome form_read(enum input_form form, struct json_object *v,
			      int64_t *ret)
{
	static const int64_t scale[INPUT_FORM_COUNT] = {
		[FORM_MILLI] = 1000, [FORM_MICRO] = MICRO, [FORM_RATIO] = E18,
		[FORM_DBM] = 0,
	};
	enum outcome o;

	switch (form) {
	case FORM_REASON:
		return reason_read(v, ret);
	case FORM_OPER:
		o = counter_read(v, ret);
		if (o == VALUE_READ && *ret > 1)
			return VALUE_WRONG;	/* 2 is down in IF-MIB */
		*ret = *ret ? OPER_UP : OPER_DOWN;
		return o;
	case FORM_MILLI:
	case FORM_MICRO:
	case FORM_RATIO:
	case FORM_DBM:
		return scaled_read(v, scale[form], ret);
	case FORM_COUNT:
	case INPUT_FORM_COUNT:
		break;
	}
	return counter_read(v, ret);
}

/* --- inputs of a port ---------------------------------------------------- */

/* Whether a key matches, and the number in place of "#". */
static bool key_is(const char *pattern, uint64_t most, const char *key,
		   size_t len, unsigned *ret_number)
{
	const char *hash = strchr(pattern, '#');
	size_t head = hash ? (size_t)(hash - pattern) : strlen(pattern);
	size_t digits = 0, tail;
	uint64_t number;

	*ret_number = 0;
	if (len < head || memcmp(pattern, key, head) != 0)
		return false;
	if (!hash)
		return len == head;
	while (head + digits < len && key[head + digits] >= '0' &&
	       key[head + digits] <= '9')
		digits++;
	tail = strlen(hash + 1);
	if (len != head + digits + tail ||
	    memcmp(hash + 1, key + head + digits, tail) != 0 ||
	    number_parse_n(key + head, digits, 0, most, &number) < 0)
		return false;
	*ret_number = (unsigned)number;
	return true;
}

/* Recorders write keys in order: the search starts after the last hit. */
static const struct input_row *input_find(size_t *at, const char *key,
					  unsigned *ret_number)
{
	size_t count, len = strlen(key);
	const struct input_row *rows = input_rows(&count);

	for (size_t i = 0; i < count; i++) {
		const struct input_row *row = &rows[(*at + i) % count];

		if (!row->key || !key_is(row->key, row->count - 1u, key, len,
					 ret_number))
			continue;
		*at = (size_t)(row - rows) + 1;
		return row;
	}
	return NULL;
}

/* Reads one value, the number-th of its row. */
static enum outcome value_read(struct trace_sample *s,
			       const struct input_row *row, unsigned number,
			       struct json_object *v)
{
	int64_t value = 0;
	enum outcome o = form_read((enum input_form)row->form, v, &value);

	if (o == VALUE_READ)
		inputs_set(&s->tick, row->first + number, value);
	return o;
}

/* Reads the elements of an array, each into its place. */
static enum outcome list_read(struct trace_line *l, struct trace_sample *s,
			      const struct input_row *row)
{
	struct json_object *list = l->v;
	size_t n;

	l->list_most = row->count;
	if (!json_object_is_type(list, json_type_array))
		return list ? VALUE_WRONG : VALUE_ABSENT;
	n = json_object_array_length(list);
	if (n > row->count)
		return VALUE_WRONG;
	for (size_t i = 0; i < n; i++)
		if (value_read(s, row, (unsigned)i,
			       json_object_array_get_idx(list, i)) ==
		    VALUE_WRONG)
			return VALUE_WRONG;
	if (row->first == INPUT_RX_PW)
		s->lanes_seen = (unsigned)n;
	if (row->first == INPUT_FEC_BIN)
		s->histogram_seen = n > 0;
	return VALUE_READ;
}

static enum outcome input_read(struct trace_line *l, void *base)
{
	struct trace_sample *s = base;
	unsigned number = 0;
	const struct input_row *row = input_find(&l->input_at, l->key,
						 &number);

	if (!row)
		return VALUE_ABSENT;
	if (row->count > 1 && !strchr(row->key, '#'))
		return list_read(l, s, row);
	if (row->form == FORM_OPER)
		l->expected = "1 (up) or 0 (down)";
	return value_read(s, row, number, l->v);
}

/* --- fields -------------------------------------------------------------- */

static enum outcome object_read(struct trace_line *l,
				const struct trace_keys *t, void *base);

/* Accepts both notations: 99.0 lanes are 99. */
static bool is_number(struct json_object *v)
{
	return json_object_is_type(v, json_type_int) ||
	       (json_object_is_type(v, json_type_double) &&
		isfinite(json_object_get_double(v)));
}

static enum outcome number_read(struct trace_line *l,
				const struct trace_field *f, void *at)
{
	int64_t value = 0;
	enum outcome o = form_read(f->form, l->v, &value);

	l->most = f->form == FORM_MILLI ? f->most / 1000 : f->most;
	if (f->most && is_number(l->v) &&
	    (o == VALUE_ABSENT || value < 0 || value > f->most))
		return VALUE_WRONG;
	if (o == VALUE_READ && f->kind == FIELD_REAL)
		*(double *)at = (double)value / MICRO;
	else if (o == VALUE_READ)
		*(int64_t *)at = value;
	return o;
}

/* A group, a zone or a serial number may be written as a number. */
static bool is_label(const struct trace_field *f)
{
	return f->kind == FIELD_TEXT && !f->most;
}

static enum outcome field_read(struct trace_line *l,
			       const struct trace_field *f, void *base)
{
	bool is_text = json_object_is_type(l->v, json_type_string) ||
		       (is_label(f) && json_object_is_type(l->v,
							   json_type_int));
	void *at = (char *)base + f->at;

	if (f->kind == FIELD_NUMBER || f->kind == FIELD_REAL)
		return number_read(l, f, at);
	if (!l->v)
		return VALUE_ABSENT;
	l->expected = f->kind == FIELD_OBJECT ? "an object" : "a text";
	if (f->kind == FIELD_OBJECT)
		return json_object_is_type(l->v, json_type_object) ?
		       object_read(l, f->table, at) : VALUE_WRONG;
	if (!is_text)
		return f->kind == FIELD_TEXT ? VALUE_ABSENT : VALUE_WRONG;
	if (f->most && json_object_get_string_len(l->v) > f->most) {
		l->octets_most = f->most;
		return VALUE_WRONG;
	}
	if (f->kind == FIELD_TEXT)
		clean_text(at, f->size, json_object_get_string(l->v));
	else
		*(int *)at = word_find(l->v, f->name, f->names);
	return VALUE_READ;
}

/* Reads l->v. VALUE_ABSENT: it is empty. */
static enum outcome object_read(struct trace_line *l,
				const struct trace_keys *t, void *base)
{
	enum outcome all = VALUE_ABSENT, o;

	json_object_object_foreach(l->v, key, value) {
		size_t i = 0;

		while (i < t->count && strcmp(t->fields[i].key, key) != 0)
			i++;
		l->key = key;
		l->v = value;
		l->most = 0;
		l->list_most = 0;
		l->expected = "a number, or null where it was not read";
		o = VALUE_READ;
		if (i < t->count)
			o = field_read(l, &t->fields[i], base);
		else if (t->other)
			o = t->other(l, base);
		if (o == VALUE_WRONG)
			return o;
		if (i < t->count && t->fields[i].flag && o == VALUE_READ)
			*((bool *)base + t->fields[i].flag) = true;
		all = VALUE_READ;
	}
	return all;
}

static int value_refuse(const struct trace_line *l, struct diag *d)
{
	char key[40], value[40];

	clean_text(key, sizeof(key), l->key);
	if (l->octets_most)
		return diag_set(d, -EINVAL, "%s has %d octets; at most %lld",
				key, json_object_get_string_len(l->v),
				(long long)l->octets_most);
	clean_text(value, sizeof(value), json_object_get_string(l->v));
	if (l->most)
		return diag_set(d, -EINVAL, "%s is '%s'; expected 0 to %lld",
				key, value, (long long)l->most);
	if (l->list_most)
		return diag_set(d, -EINVAL, "%s is '%s'; expected a list of at "
				"most %u numbers", key, value, l->list_most);
	return diag_set(d, -EINVAL, "%s is '%s'; expected %s", key, value,
			l->expected);
}

/* Why a line is no JSON object. */
static int text_refuse(struct json_tokener *tokener, size_t len,
		       struct diag *d)
{
	static const char wanted[] = "expected a JSON object on a line";

	switch (json_tokener_get_error(tokener)) {
	case json_tokener_continue:
		return diag_set(d, -EINVAL, "%s: it is cut after octet %zu",
				wanted, len);
	case json_tokener_error_depth:
		return diag_set(d, -EINVAL, "%s: more than %d levels",
				wanted, DEPTH_MAX);
	default:
		return diag_set(d, -EINVAL, "%s: valid up to octet %zu of %zu",
				wanted, json_tokener_get_parse_end(tokener),
				len);
	}
}

static int line_read(const char *text, size_t len, const struct trace_keys *t,
		     void *base, struct diag *d)
{
	struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MAX);
	struct json_object *o;
	struct trace_line l;
	int rc = 0;

	if (!tokener)
		return diag_set(d, -ENOMEM, "no memory");
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	o = json_tokener_parse_ex(tokener, text, (int)len);
	l = (struct trace_line){ .v = o };
	if (!json_object_is_type(o, json_type_object))
		rc = text_refuse(tokener, len, d);
	else if (memchr(text, '\0', len))	/* json-c ends there */
		rc = diag_set(d, -EINVAL, "octet %zu of the line is NUL",
			      strlen(text) + 1);
	else if (object_read(&l, t, base) == VALUE_WRONG)
		rc = value_refuse(&l, d);
	json_object_put(o);
	json_tokener_free(tokener);
	return rc;
}

#define TABLE(rows) { rows, sizeof(rows) / sizeof(rows[0]), NULL }
#define TEXT(name, type, member)                                              \
	{ name, FIELD_TEXT, offsetof(type, member),                           \
	  sizeof(((type *)NULL)->member) }
/* A name is never cut: two could become one. */
#define NAME(name, type, member)                                              \
	{ name, FIELD_TEXT, offsetof(type, member),                           \
	  sizeof(((type *)NULL)->member), .most = ENTITY_NAME_MAX - 1 }

/* --- SAMPLES ------------------------------------------------------------- */

#define AT(member) offsetof(struct trace_sample, member)

static const struct trace_field sample_fields[] = {
	{ "ts_ns", FIELD_NUMBER, AT(ts_ns) },
	NAME("port", struct trace_sample, port),
	{ "seq", FIELD_NUMBER, AT(seq), .flag = AT(has_seq) },
	{ "event", FIELD_WORD, AT(event), .flag = AT(is_event),
	  .name = event_name, .names = ENGINE_EVENT_COUNT },
	TEXT("serial", struct trace_sample, tick.serial),
	{ "dom_ts_ns", FIELD_NUMBER, AT(dom_ts_ns), .flag = AT(has_dom_ts) },
	NAME("sensor", struct trace_sample, sensor.name),
	{ "kind", FIELD_WORD, AT(sensor.kind), .name = kind_name,
	  .names = SENSOR_KIND_COUNT },
	{ "value", FIELD_REAL, AT(shown.value), .form = FORM_MICRO },
	{ "low", FIELD_REAL, AT(shown.low), .form = FORM_MICRO },
	{ "high", FIELD_REAL, AT(shown.high), .form = FORM_MICRO },
	{ "ok", FIELD_NUMBER, AT(is_well) },
	TEXT("zone", struct trace_sample, sensor.zone),
};
static const struct trace_keys samples = {
	sample_fields, sizeof(sample_fields) / sizeof(sample_fields[0]),
	input_read
};

/* The histogram holds them all, also where they are not counted apart. */
static void symbols_count(struct trace_sample *s)
{
	const struct inputs *k = &s->tick;
	int64_t sum = 0, errors;

	for (unsigned i = 1; i < PORT_FEC_BINS; i++)
		if (inputs_has(k, INPUT_FEC_BIN + i) &&
		    (__builtin_mul_overflow(k->value[INPUT_FEC_BIN + i],
					    (int64_t)i, &errors) ||
		     __builtin_add_overflow(sum, errors, &sum)))
			return;
	if (s->histogram_seen)
		inputs_set(&s->tick, INPUT_FEC_SYMBOL_ERRORS, sum);
}

int trace_sample_read(const char *line, size_t len, struct trace_sample *ret,
		      struct diag *d)
{
	int rc;

	memset(ret, 0, sizeof(*ret));
	ret->shown.value = ret->shown.low = ret->shown.high = NAN;
	ret->sensor.kind = SENSOR_KIND_COUNT;
	ret->is_well = 1;
	rc = line_read(line, len, &samples, ret, d);
	if (rc < 0)
		return rc;
	if (ret->dom_ts_ns <= 0 || ret->dom_ts_ns > TIME_MAX_NS)
		ret->has_dom_ts = false;
	ret->tick.counters_new = true;
	ret->shown.failed = ret->is_well == 0;
	ret->shown.absent = inputs_has(&ret->tick, INPUT_PRESENT) &&
			    !ret->tick.value[INPUT_PRESENT];
	if (ret->ts_ns <= 0)
		return diag_set(d, -EINVAL, "no ts_ns; expected the time in ns "
				"since 1970");
	if (ret->ts_ns > TIME_MAX_NS)
		return diag_set(d, -EINVAL, "ts_ns is %lld; expected the time "
				"in ns since 1970", (long long)ret->ts_ns);
	if (!inputs_has(&ret->tick, INPUT_FEC_CORRECTED_BITS) &&
	    !inputs_has(&ret->tick, INPUT_FEC_SYMBOL_ERRORS))
		symbols_count(ret);
	if (!ret->port[0] && !ret->is_event && !ret->sensor.name[0])
		return diag_set(d, -EINVAL, "no port; expected the name of the "
					    "port");
	return 0;
}

/* --- PORTS: what does not change ----------------------------------------- */

#define EDGE(name, member, edge, form)                                        \
	{ name, FIELD_NUMBER, offsetof(struct port_thresholds, member[edge]), \
	  0, 0, form }
#define EDGES(name, member, form)                                             \
	EDGE(name "_high_alarm", member, HIGH_ALARM, form),                   \
	EDGE(name "_high_warn", member, HIGH_WARN, form),                     \
	EDGE(name "_low_warn", member, LOW_WARN, form),                       \
	EDGE(name "_low_alarm", member, LOW_ALARM, form)

/* Values that are combined once the whole line is known. */
struct port_draft {
	struct port_facts facts;
	char fec[16], role[16];
	int64_t lanes, speed_mbps, counter_bits, buffer_octets, is_optical;
	bool has_optical;
};

static const struct trace_field threshold_fields[] = {
	EDGES("temp", temp_mc, FORM_MILLI), EDGES("vcc", vcc_uv, FORM_MICRO),
	EDGES("rx", rx_pw, FORM_DBM), EDGES("tx", tx_pw, FORM_DBM),
	EDGES("bias", bias_ua, FORM_MILLI),
};
static const struct trace_keys thresholds = TABLE(threshold_fields);

static const struct trace_field peer_fields[] = {
	TEXT("switch", struct port_facts, peer_switch),
	TEXT("port", struct port_facts, peer_port),
};
static const struct trace_keys peers = TABLE(peer_fields);

#define IN(member) offsetof(struct port_draft, member)

static const struct trace_field port_fields[] = {
	NAME("port", struct port_draft, facts.name),
	TEXT("media", struct port_draft, facts.media),
	{ "lanes", FIELD_NUMBER, IN(lanes), .most = PORT_LANES_MAX },
	{ "speed_gbps", FIELD_NUMBER, IN(speed_mbps), .form = FORM_MILLI,
	  .most = INT64_C(100000000) },
	TEXT("fec", struct port_draft, fec),
	TEXT("group", struct port_draft, facts.group),
	TEXT("cage", struct port_draft, facts.cage),
	TEXT("zone", struct port_draft, facts.zone),
	TEXT("role", struct port_draft, role),
	{ "q_buffer_bytes", FIELD_NUMBER, IN(buffer_octets),
	  .most = INT64_MAX },
	{ "optical", FIELD_NUMBER, IN(is_optical), .flag = IN(has_optical) },
	{ "counter_bits", FIELD_NUMBER, IN(counter_bits), .most = 64 },
	{ "thresholds", FIELD_OBJECT, IN(facts.thresholds),
	  .flag = IN(facts.thresholds.known), .table = &thresholds },
	{ "peer", FIELD_OBJECT, IN(facts), .table = &peers },
};
static const struct trace_keys ports = TABLE(port_fields);

int trace_port_read(const char *line, size_t len, struct port_facts *ret,
		    struct diag *d)
{
	struct port_draft draft = { .counter_bits = 64 };
	struct port_facts *f = &draft.facts;
	int rc = line_read(line, len, &ports, &draft, d), fec = FEC_AUTO;

	if (rc < 0)
		return rc;
	if (!f->name[0])
		return diag_set(d, -EINVAL, "no port; expected the name of the "
				"port");
	f->lanes = (unsigned)draft.lanes;
	f->speed_mbps = (uint64_t)draft.speed_mbps;
	f->counter_bits = (uint8_t)draft.counter_bits;
	f->queue_buffer_octets = (uint64_t)draft.buffer_octets;
	if (draft.fec[0])
		fec = fec_mode_parse(draft.fec, f->speed_mbps,
				     f->lanes ? f->lanes : 1);
	if (fec < 0)
		return diag_set(d, -EINVAL, "fec '%s' is unknown; expected "
				"rs544, rs528, fc or none", draft.fec);
	f->fec = (enum fec_mode)fec;
	f->peer = strcmp(draft.role, "uplink") == 0 ? PEER_SWITCH :
		  strcmp(draft.role, "downlink") == 0 ? PEER_HOST :
							PEER_UNKNOWN;
	f->media_known = draft.has_optical || f->media[0];
	f->optical = draft.has_optical ? draft.is_optical :
					 !port_media_is_copper(f->media);
	*ret = *f;
	return 0;
}
