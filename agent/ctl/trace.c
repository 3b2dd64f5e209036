#include "agent/ctl/trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/ctl/scan.h"

#define COUNTER_ABSENT UINT64_MAX
#define TIME_MAX_NS (INT64_MAX / 2)	/* the year 2116 */
#define MDB 1000
#define E18 UINT64_C(1000000000000000000)

/* What a key's value is; each has one row in readers[]. */
enum field_kind {
	FIELD_TEXT,		/* at offset, of size */
	FIELD_TIME,		/* int64_t at offset, flag at flag */
	FIELD_COUNTER,		/* of the port */
	FIELD_GAUGE,		/* of the port, times scale */
	FIELD_OPER,
	FIELD_REASON,
	FIELD_EVENT,
	FIELD_BINS,
	FIELD_LANES_DBM,
	FIELD_LANES,		/* times scale */
	FIELD_KIND_COUNT,
};

#define AT(member) offsetof(struct trace_sample, member)

/* "#" stands for a number from 0; features count up with it. */
struct field {
	const char *key;
	uint32_t kind;
	uint32_t feature;	/* of the port or lane; or offset of a member */
	uint64_t scale;		/* or size, or offset of the flag */
	uint64_t most;		/* of "#" */
};

/* In the order in which recorders write them: the search goes on from the
 * last hit.
 */
static const struct field sample_fields[] = {
	{ "ts_ns", FIELD_TIME, AT(ts_ns), 0, 0 },
	{ "port", FIELD_TEXT, AT(port), ENTITY_NAME_MAX, 0 },
	{ "seq", FIELD_TIME, AT(seq), AT(has_seq), 0 },
	{ "event", FIELD_EVENT, 0, 0, 0 },
	{ "oper", FIELD_OPER, PORT_OPER, 0, 0 },
	{ "admin", FIELD_COUNTER, PORT_ADMIN, 0, 0 },
	{ "present", FIELD_COUNTER, PORT_PRESENT, 0, 0 },
	{ "serial", FIELD_TEXT, AT(tick.serial), 24, 0 },
	{ "down_reason", FIELD_REASON, PORT_DOWN_REASON, 0, 0 },
	{ "link_down_count", FIELD_COUNTER, PORT_LINK_DOWN_COUNT, 0, 0 },
	{ "fec_corrected_cw", FIELD_COUNTER, PORT_FEC_CORRECTED_CW, 0, 0 },
	{ "fec_uncorrectable_cw", FIELD_COUNTER, PORT_FEC_UNCORRECTABLE_CW,
	  0, 0 },
	{ "fec_symbol_errors", FIELD_COUNTER, PORT_FEC_SYMBOL_ERRORS, 0, 0 },
	{ "fec_corrected_bits", FIELD_COUNTER, PORT_FEC_CORRECTED_BITS, 0, 0 },
	{ "fec_hist", FIELD_BINS, PORT_FEC_BIN_0, 0, PORT_FEC_BINS - 1 },
	{ "dom_ts_ns", FIELD_TIME, AT(dom_ts_ns), AT(has_dom_ts), 0 },
	{ "temp_c", FIELD_GAUGE, PORT_TEMP_MC, 1000, 0 },
	{ "vcc_v", FIELD_GAUGE, PORT_VCC_UV, 1000000, 0 },
	{ "tx_dbm", FIELD_LANES_DBM, LANE_TX_PW, 0, 0 },
	{ "tx_bias_ma", FIELD_LANES, LANE_BIAS_UA, 1000, 0 },
	{ "rx_dbm", FIELD_LANES_DBM, LANE_RX_PW, 0, 0 },
	{ "vdm_pre_fec_ber", FIELD_GAUGE, PORT_VDM_BER_E18, E18, 0 },
	{ "vdm_pre_fec_ber_lane", FIELD_LANES, LANE_BER_E18, E18, 0 },
	{ "snr_db", FIELD_LANES, LANE_SNR_MDB, MDB, 0 },
	{ "rx_los", FIELD_LANES, LANE_RX_LOS, 1, 0 },
	{ "tx_fault", FIELD_LANES, LANE_TX_FAULT, 1, 0 },
	{ "lane_reading_faults", FIELD_LANES, LANE_READING_FAULTS, 1, 0 },
	{ "in_octets", FIELD_COUNTER, PORT_IN_OCTETS, 0, 0 },
	{ "out_octets", FIELD_COUNTER, PORT_OUT_OCTETS, 0, 0 },
	{ "in_pkts", FIELD_COUNTER, PORT_IN_FRAMES, 0, 0 },
	{ "out_pkts", FIELD_COUNTER, PORT_OUT_FRAMES, 0, 0 },
	{ "in_errors", FIELD_COUNTER, PORT_IN_ERRORS, 0, 0 },
	{ "in_discards", FIELD_COUNTER, PORT_IN_DISCARDS, 0, 0 },
	{ "out_discards", FIELD_COUNTER, PORT_OUT_DISCARDS, 0, 0 },
	{ "ecn_marked_pkts", FIELD_COUNTER, PORT_ECN_MARKED, 0, 0 },
	{ "pfc#_rx_frames", FIELD_COUNTER, PORT_PFC_RX_0, 0,
	  PORT_PRIORITIES - 1 },
	{ "pfc#_tx_frames", FIELD_COUNTER, PORT_PFC_TX_0, 0,
	  PORT_PRIORITIES - 1 },
	{ "pfc#_rx_pause_us", FIELD_COUNTER, PORT_PFC_PAUSE_US_0, 0,
	  PORT_PRIORITIES - 1 },
	{ "q#_watermark_bytes", FIELD_COUNTER, PORT_QUEUE_PEAK_0, 0,
	  PORT_QUEUES - 1 },
	{ "reading_faults#", FIELD_COUNTER, PORT_READING_FAULTS_0, 0,
	  READING_OF_COUNT - 1 },
};
#define SAMPLE_FIELDS (sizeof(sample_fields) / sizeof(sample_fields[0]))

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

static const struct field *field_find(size_t *at, const char *key, size_t len,
				      unsigned *ret_number)
{
	for (size_t i = 0; i < SAMPLE_FIELDS; i++) {
		const struct field *f = &sample_fields[(*at + i) %
						       SAMPLE_FIELDS];

		if (!key_is(f->key, f->most, key, len, ret_number))
			continue;
		*at = (size_t)(f - sample_fields) + 1;
		return f;
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

static enum outcome dbm_read(const struct scan_value *v, uint64_t scale,
			     int64_t *ret)
{
	(void)scale;	/* always dBm */
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

/* A reader takes the value of a field into the sample. */
struct reading {
	struct scan *scan;
	const struct field *field;
	unsigned number;
	struct scan_value v;
	struct trace_sample *out;
};

static enum outcome read_text(struct reading *r)
{
	if (r->v.type == SCAN_NULL)
		return VALUE_ABSENT;
	if (r->v.type != SCAN_STRING)
		return VALUE_WRONG;
	scan_text(&r->v, (char *)r->out + r->field->feature,
		  r->field->scale);
	return VALUE_READ;
}

static enum outcome read_time(struct reading *r)
{
	int64_t value;
	enum outcome o = counter_read(&r->v, &value);

	if (o != VALUE_READ)
		return o;
	memcpy((char *)r->out + r->field->feature, &value, sizeof(value));
	if (r->field->scale)
		*((bool *)((char *)r->out + r->field->scale)) = true;
	return VALUE_READ;
}

static enum outcome read_counter(struct reading *r)
{
	int64_t value;
	enum outcome o = counter_read(&r->v, &value);

	if (o == VALUE_READ)
		port_set(&r->out->tick, (enum port_feature)(r->field->feature +
							    r->number), value);
	return o;
}

static enum outcome read_gauge(struct reading *r)
{
	int64_t value;
	enum outcome o = scaled_read(&r->v, r->field->scale, &value);

	if (o == VALUE_READ)
		port_set(&r->out->tick, (enum port_feature)r->field->feature,
			 value);
	return o;
}

static enum outcome read_oper(struct reading *r)
{
	int64_t value;
	enum outcome o = counter_read(&r->v, &value);

	if (o == VALUE_READ)
		port_set(&r->out->tick, PORT_OPER,
			 value ? OPER_UP : OPER_DOWN);
	return o;
}

static enum outcome read_reason(struct reading *r)
{
	char word[48];

	if (r->v.type == SCAN_NUMBER)
		return read_counter(r);
	if (r->v.type != SCAN_STRING)
		return r->v.type == SCAN_NULL ? VALUE_ABSENT : VALUE_WRONG;
	scan_text(&r->v, word, sizeof(word));
	for (int i = 0; i < DOWN_REASON_COUNT; i++) {
		const char *name = down_reason_name((enum down_reason)i);

		if (!name || strcmp(name, word) != 0)
			continue;
		port_set(&r->out->tick, PORT_DOWN_REASON, i);
		return VALUE_READ;
	}
	return VALUE_ABSENT;	/* one that we have no word for */
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

/* The elements of an array, at most max, each into its place; *ret: how many
 * there are.
 */
static enum outcome elements_read(struct reading *r, unsigned max,
				  enum outcome (*one)(struct reading *,
						      const struct scan_value *,
						      unsigned),
				  unsigned *ret)
{
	struct scan_value v;
	unsigned n = 0;

	if (r->v.type != SCAN_ARRAY)
		return r->v.type == SCAN_NULL ? VALUE_ABSENT : VALUE_WRONG;
	for (v = scan_element(r->scan); v.type != SCAN_END;
	     v = scan_element(r->scan), n++)
		if (n == max || one(r, &v, n) == VALUE_WRONG)
			return VALUE_WRONG;
	*ret = n;
	return VALUE_READ;
}

static enum outcome bin_read(struct reading *r, const struct scan_value *v,
			     unsigned n)
{
	int64_t value;
	enum outcome o = counter_read(v, &value);

	if (o == VALUE_READ)
		port_set(&r->out->tick,
			 (enum port_feature)(PORT_FEC_BIN_0 + n), value);
	return o;
}

static enum outcome read_bins(struct reading *r)
{
	unsigned n;
	enum outcome o = elements_read(r, PORT_FEC_BINS, bin_read, &n);

	if (o == VALUE_READ)
		r->out->histogram_seen = n > 0;
	return o;
}

static enum outcome lane_set(struct reading *r, enum outcome o, unsigned n,
			     int64_t value)
{
	if (o == VALUE_READ)
		port_lane_set(&r->out->tick,
			      (enum lane_feature)r->field->feature, n, value);
	return o;
}

static enum outcome lane_dbm_read(struct reading *r,
				  const struct scan_value *v, unsigned n)
{
	int64_t value = 0;
	enum outcome o = dbm_read(v, r->field->scale, &value);

	return lane_set(r, o, n, value);
}

static enum outcome lane_read(struct reading *r, const struct scan_value *v,
			      unsigned n)
{
	int64_t value = 0;
	enum outcome o = scaled_read(v, r->field->scale, &value);

	return lane_set(r, o, n, value);
}

static enum outcome lanes_read(struct reading *r,
			       enum outcome (*one)(struct reading *,
						   const struct scan_value *,
						   unsigned))
{
	unsigned n;
	enum outcome o = elements_read(r, PORT_LANES_MAX, one, &n);

	if (o == VALUE_READ && r->field->feature == LANE_RX_PW)
		r->out->lanes_seen = n;
	return o;
}

static enum outcome read_lanes_dbm(struct reading *r)
{
	return lanes_read(r, lane_dbm_read);
}

static enum outcome read_lanes(struct reading *r)
{
	return lanes_read(r, lane_read);
}

static enum outcome (*const readers[FIELD_KIND_COUNT])(struct reading *) = {
	[FIELD_TEXT] = read_text,
	[FIELD_TIME] = read_time,
	[FIELD_COUNTER] = read_counter,
	[FIELD_GAUGE] = read_gauge,
	[FIELD_OPER] = read_oper,
	[FIELD_REASON] = read_reason,
	[FIELD_EVENT] = read_event,
	[FIELD_BINS] = read_bins,
	[FIELD_LANES_DBM] = read_lanes_dbm,
	[FIELD_LANES] = read_lanes,
};

static int sample_check(const struct trace_sample *s, bool has_ts,
			struct diag *d)
{
	if (!has_ts || s->ts_ns <= 0 || s->ts_ns > TIME_MAX_NS)
		return diag_set(d, -EINVAL, "no ts_ns; a sample has its time "
				"in ns since 1970");
	if (!s->port[0] && !s->is_event)
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
	(void)scan_object(&s);		/* scan_done() tells */
	while (scan_key(&s, &key, &key_len)) {
		r.field = field_find(&at, key, key_len, &r.number);
		r.v = scan_value(&s);
		if (!r.field)
			scan_skip(&s, &r.v);
		else if (readers[r.field->kind](&r) == VALUE_WRONG &&
			 scan_ok(&s))
			return diag_set(d, -EINVAL, "%s is '%.*s', which is "
					"not what belongs there", r.field->key,
					(int)(r.v.len < 40 ? r.v.len : 40),
					r.v.text ? r.v.text : "");
	}
	if (!scan_done(&s))
		return diag_set(d, -EINVAL, "no JSON object: wrong at octet "
				"%zu of %zu", s.c.pos + 1, len);
	if (ret->dom_ts_ns <= 0 || ret->dom_ts_ns > TIME_MAX_NS)
		ret->has_dom_ts = false;
	ret->tick.counters_new = true;
	return sample_check(ret, ret->ts_ns != 0, d);
}
