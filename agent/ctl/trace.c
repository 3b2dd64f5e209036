#include "agent/ctl/trace.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/ctl/scan.h"

#define COUNTER_ABSENT UINT64_MAX
#define TIME_MAX_NS (INT64_MAX / 2)	/* the year 2116 */
#define MICRO 1000000
#define E18 UINT64_C(1000000000000000000)

#define AT(member) offsetof(struct trace_sample, member)

/* What a line has beside inputs. */
enum frame_kind { FRAME_TEXT, FRAME_TIME, FRAME_EVENT, FRAME_NUMBER,
		  FRAME_KIND, FRAME_OK };

struct frame_field {
	const char *key;
	uint32_t kind;
	uint32_t at, size;	/* offset of the member, and its octets; of a
				 * time the offset of its flag, or 0 */
};

static const struct frame_field frame_fields[] = {
	{ "ts_ns", FRAME_TIME, AT(ts_ns), 0 },
	{ "port", FRAME_TEXT, AT(port), ENTITY_NAME_MAX },
	{ "seq", FRAME_TIME, AT(seq), AT(has_seq) },
	{ "event", FRAME_EVENT, 0, 0 },
	{ "serial", FRAME_TEXT, AT(tick.serial), 24 },
	{ "dom_ts_ns", FRAME_TIME, AT(dom_ts_ns), AT(has_dom_ts) },
	{ "sensor", FRAME_TEXT, AT(sensor.name), ENTITY_NAME_MAX },
	{ "kind", FRAME_KIND, 0, 0 },
	{ "value", FRAME_NUMBER, AT(shown.value), 0 },
	{ "low", FRAME_NUMBER, AT(shown.low), 0 },
	{ "high", FRAME_NUMBER, AT(shown.high), 0 },
	{ "ok", FRAME_OK, 0, 0 },
	{ "zone", FRAME_TEXT, AT(sensor.zone), 32 },
};
#define FRAME_FIELDS (sizeof(frame_fields) / sizeof(frame_fields[0]))

/* Does a key match, and with which number for "#"? */
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

static const struct frame_field *frame_find(const char *key, size_t len)
{
	for (size_t i = 0; i < FRAME_FIELDS; i++)
		if (strlen(frame_fields[i].key) == len &&
		    memcmp(frame_fields[i].key, key, len) == 0)
			return &frame_fields[i];
	return NULL;
}

/* Recorders write them in order: the search goes on from the last hit. */
static const struct input_row *input_find(size_t *at, const char *key,
					  size_t len, unsigned *ret_number)
{
	size_t count;
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

/* What reading one value came to. */
enum outcome { VALUE_READ, VALUE_ABSENT, VALUE_WRONG };

static enum outcome counter_read(const struct scan_value *v, int64_t *ret)
{
	uint64_t value;

	*ret = v->type == SCAN_TRUE;
	if (v->type == SCAN_TRUE || v->type == SCAN_FALSE)
		return VALUE_READ;
	if (v->type == SCAN_NULL)
		return VALUE_ABSENT;
	if (v->type != SCAN_NUMBER)
		return VALUE_WRONG;
	switch (number_parse_n(v->text, v->len, 0, UINT64_MAX, &value)) {
	case 0:
		*ret = (int64_t)value;
		return value == COUNTER_ABSENT ? VALUE_ABSENT : VALUE_READ;
	case -ERANGE:
		return VALUE_ABSENT;
	default:	/* 1.0e9, or a negative one: no count */
		if (number_parse_scaled(v->text, v->len, 1, ret) == -EINVAL)
			return VALUE_WRONG;
		return *ret >= 0 ? VALUE_READ : VALUE_ABSENT;
	}
}

static enum outcome scaled_read(const struct scan_value *v, uint64_t scale,
				int64_t *ret)
{
	if (v->type == SCAN_TRUE || v->type == SCAN_FALSE)
		return counter_read(v, ret);
	if (v->type == SCAN_NULL)
		return VALUE_ABSENT;
	if (v->type != SCAN_NUMBER)
		return VALUE_WRONG;
	switch (number_parse_scaled(v->text, v->len, scale, ret)) {
	case 0:
		return VALUE_READ;
	case -ERANGE:
		return VALUE_ABSENT;
	default:
		return VALUE_WRONG;
	}
}

static enum outcome dbm_read(const struct scan_value *v, int64_t *ret)
{
	if (v->type == SCAN_NULL)
		return VALUE_ABSENT;
	if (v->type != SCAN_NUMBER)
		return VALUE_WRONG;
	switch (number_parse_dbm(v->text, v->len, ret)) {
	case 0:
		return VALUE_READ;
	case -ERANGE:
		return VALUE_ABSENT;
	default:
		return VALUE_WRONG;
	}
}

/* A field that is read into the sample. */
struct reading {
	struct scan *scan;
	struct scan_value v;
	const struct input_row *row;	/* of an input */
	struct trace_sample *out;
};

static enum outcome read_text(struct reading *r, const struct frame_field *f)
{
	if (r->v.type == SCAN_NULL)
		return VALUE_ABSENT;
	if (r->v.type != SCAN_STRING)
		return VALUE_WRONG;
	scan_text(&r->v, (char *)r->out + f->at, f->size);
	return VALUE_READ;
}

static enum outcome read_time(struct reading *r, const struct frame_field *f)
{
	int64_t value;
	enum outcome o = counter_read(&r->v, &value);

	if (o != VALUE_READ)
		return o;
	memcpy((char *)r->out + f->at, &value, sizeof(value));
	if (f->size)
		*((bool *)((char *)r->out + f->size)) = true;
	return VALUE_READ;
}

static enum outcome read_event(struct reading *r)
{
	static const char *const names[ENGINE_EVENT_COUNT] = {
		[ENGINE_RELOAD] = "reload",
		[ENGINE_COUNTERS_CLEARED] = "counters_cleared",
		[ENGINE_MODULE_SWAPPED] = "module_swapped",
		[ENGINE_MUTE] = "mute",
		[ENGINE_ANNOTATE] = "annotate",
	};
	int i = 0;

	if (r->v.type != SCAN_STRING)
		return VALUE_WRONG;
	while (i < ENGINE_EVENT_COUNT &&
	       (strlen(names[i]) != r->v.len ||
		memcmp(names[i], r->v.text, r->v.len) != 0))
		i++;
	r->out->is_event = true;
	r->out->event = (enum engine_event)i;
	return VALUE_READ;
}

static enum outcome read_number(struct reading *r, const struct frame_field *f)
{
	int64_t micro;
	double value;
	enum outcome o = scaled_read(&r->v, MICRO, &micro);

	if (o != VALUE_READ)
		return o;
	value = (double)micro / MICRO;
	memcpy((char *)r->out + f->at, &value, sizeof(value));
	return VALUE_READ;
}

static enum outcome read_kind(struct reading *r)
{
	char word[16];

	if (r->v.type != SCAN_STRING)
		return VALUE_ABSENT;
	scan_text(&r->v, word, sizeof(word));
	for (int i = 0; i < SENSOR_KIND_COUNT; i++)
		if (strcmp(sensor_kind_name((enum sensor_kind)i), word) == 0) {
			r->out->sensor.kind = (enum sensor_kind)i;
			return VALUE_READ;
		}
	return VALUE_ABSENT;	/* one that we have no word for */
}

static enum outcome read_ok(struct reading *r)
{
	int64_t value;
	enum outcome o = counter_read(&r->v, &value);

	r->out->shown.failed = o == VALUE_READ && value == 0;
	return o;
}

static enum outcome frame_read(struct reading *r, const struct frame_field *f)
{
	switch ((enum frame_kind)f->kind) {
	case FRAME_TEXT:
		return read_text(r, f);
	case FRAME_TIME:
		return read_time(r, f);
	case FRAME_NUMBER:
		return read_number(r, f);
	case FRAME_KIND:
		return read_kind(r);
	case FRAME_OK:
		return read_ok(r);
	case FRAME_EVENT:
		break;
	}
	return read_event(r);
}

static enum outcome reason_read(const struct scan_value *v, int64_t *ret)
{
	char word[48];

	if (v->type == SCAN_NUMBER)
		return counter_read(v, ret);
	if (v->type != SCAN_STRING)
		return v->type == SCAN_NULL ? VALUE_ABSENT : VALUE_WRONG;
	scan_text(v, word, sizeof(word));
	for (int i = 0; i < DOWN_REASON_COUNT; i++) {
		const char *name = down_reason_name((enum down_reason)i);

		if (!name || strcmp(name, word) != 0)
			continue;
		*ret = i;
		return VALUE_READ;
	}
	return VALUE_ABSENT;	/* one that we have no word for */
}

static enum outcome form_read(enum input_form form, const struct scan_value *v,
			      int64_t *ret)
{
	static const uint64_t scale[INPUT_FORM_COUNT] = {
		[FORM_MILLI] = 1000, [FORM_MICRO] = 1000000, [FORM_RATIO] = E18,
	};
	enum outcome o;

	switch (form) {
	case FORM_DBM:
		return dbm_read(v, ret);
	case FORM_REASON:
		return reason_read(v, ret);
	case FORM_OPER:
		o = counter_read(v, ret);
		*ret = *ret ? OPER_UP : OPER_DOWN;
		return o;
	case FORM_COUNT:
	case INPUT_FORM_COUNT:
		return counter_read(v, ret);
	case FORM_MILLI:
	case FORM_MICRO:
	case FORM_RATIO:
		break;
	}
	return scaled_read(v, scale[form], ret);
}

/* One value, the number-th of its row. */
static enum outcome value_read(struct reading *r, const struct scan_value *v,
			       unsigned number)
{
	int64_t value = 0;
	enum outcome o = form_read((enum input_form)r->row->form, v, &value);

	if (o == VALUE_READ)
		inputs_set(&r->out->tick, r->row->first + number, value);
	return o;
}

/* The elements of an array, each into its place. */
static enum outcome list_read(struct reading *r)
{
	struct scan_value v;
	unsigned n = 0;

	if (r->v.type != SCAN_ARRAY)
		return r->v.type == SCAN_NULL ? VALUE_ABSENT : VALUE_WRONG;
	for (v = scan_element(r->scan); v.type != SCAN_END;
	     v = scan_element(r->scan), n++)
		if (n == r->row->count || value_read(r, &v, n) == VALUE_WRONG)
			return VALUE_WRONG;
	if (r->row->first == INPUT_RX_PW)
		r->out->lanes_seen = n;
	if (r->row->first == INPUT_FEC_BIN)
		r->out->histogram_seen = n > 0;
	return VALUE_READ;
}

static enum outcome input_read(struct reading *r, unsigned number)
{
	if (r->row->count > 1 && !strchr(r->row->key, '#'))
		return list_read(r);
	return value_read(r, &r->v, number);
}

/* Any key; one that nobody knows is passed over. */
static enum outcome field_read(struct reading *r, size_t *at, const char *key,
			       size_t len)
{
	const struct frame_field *frame = frame_find(key, len);
	unsigned number = 0;

	r->row = frame ? NULL : input_find(at, key, len, &number);
	r->v = scan_value(r->scan);
	if (frame)
		return frame_read(r, frame);
	if (r->row)
		return input_read(r, number);
	scan_skip(r->scan, &r->v);
	return VALUE_ABSENT;
}

static int sample_check(const struct trace_sample *s, bool has_ts,
			struct diag *d)
{
	if (!has_ts || s->ts_ns <= 0 || s->ts_ns > TIME_MAX_NS)
		return diag_set(d, -EINVAL, "no ts_ns; a sample has its time "
				"in ns since 1970");
	if (!s->port[0] && !s->is_event && !s->sensor.name[0])
		return diag_set(d, -EINVAL, "no port; a sample names its port");
	return 0;
}

int trace_sample_read(const char *line, size_t len, struct trace_sample *ret,
		      struct diag *d)
{
	struct scan s = scan_of(line, len);
	struct reading r = { .scan = &s, .out = ret };
	size_t at = 0, key_len;
	const char *key;

	memset(ret, 0, sizeof(*ret));
	ret->shown.value = ret->shown.low = ret->shown.high = NAN;
	ret->sensor.kind = SENSOR_KIND_COUNT;
	(void)scan_object(&s);		/* scan_done() tells */
	while (scan_key(&s, &key, &key_len))
		if (field_read(&r, &at, key, key_len) == VALUE_WRONG &&
		    scan_ok(&s))
			return diag_set(d, -EINVAL, "%.*s is '%.*s', which is "
					"not what belongs there", (int)key_len,
					key, (int)(r.v.len < 40 ? r.v.len : 40),
					r.v.text ? r.v.text : "");
	if (!scan_done(&s))
		return diag_set(d, -EINVAL, "no JSON object: wrong at octet "
				"%zu of %zu", s.c.pos + 1, len);
	if (ret->dom_ts_ns <= 0 || ret->dom_ts_ns > TIME_MAX_NS)
		ret->has_dom_ts = false;
	ret->tick.counters_new = true;
	ret->shown.absent = inputs_has(&ret->tick, INPUT_PRESENT) &&
			    !ret->tick.value[INPUT_PRESENT];
	return sample_check(ret, ret->ts_ns != 0, d);
}
