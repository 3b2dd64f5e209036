/* PORTS.ndjson: what does not change. */
#include "agent/ctl/trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/ctl/scan.h"

/* A threshold: which value, which edge, in which unit. */
struct limit {
	const char *key;
	size_t offset;
	enum threshold_edge edge;
	uint64_t scale;		/* 0: dBm to pW */
};

#define AT(member) offsetof(struct port_thresholds, member)
#define EDGES(name, member, scale) \
	{ name "_high_alarm", AT(member), HIGH_ALARM, scale }, \
	{ name "_high_warn", AT(member), HIGH_WARN, scale }, \
	{ name "_low_warn", AT(member), LOW_WARN, scale }, \
	{ name "_low_alarm", AT(member), LOW_ALARM, scale }

static const struct limit limits[] = {
	EDGES("temp", temp_mc, 1000),
	EDGES("vcc", vcc_uv, 1000000),
	EDGES("rx", rx_pw, 0),
	EDGES("tx", tx_pw, 0),
	EDGES("bias", bias_ua, 1000),
};

static bool key_is(const char *name, const char *key, size_t len)
{
	return strlen(name) == len && memcmp(name, key, len) == 0;
}

static int limit_read(const struct scan_value *v, const struct limit *limit,
		      struct port_thresholds *out)
{
	int64_t *edges = (void *)((char *)out + limit->offset);
	int64_t value;
	int rc;

	if (v->type == SCAN_NULL)
		return 0;
	if (v->type != SCAN_NUMBER)
		return -EINVAL;
	rc = limit->scale ? number_parse_scaled(v->text, v->len, limit->scale,
						&value)
			  : number_parse_dbm(v->text, v->len, &value);
	if (rc == 0)
		edges[limit->edge] = value;
	return rc == -ERANGE ? 0 : rc;
}

static int thresholds_read(struct scan *s, struct port_thresholds *out)
{
	const char *key;
	size_t len;

	while (scan_key(s, &key, &len)) {
		struct scan_value v = scan_value(s);

		for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
			if (key_is(limits[i].key, key, len) &&
			    limit_read(&v, &limits[i], out) < 0)
				return -EINVAL;
		scan_skip(s, &v);
		out->known = true;
	}
	return 0;
}

static void text_read(const struct scan_value *v, char *ret, size_t cap)
{
	if (v->type == SCAN_STRING)
		scan_text(v, ret, cap);
}

static int peer_read(struct scan *s, struct port_facts *out)
{
	const char *key;
	size_t len;

	while (scan_key(s, &key, &len)) {
		struct scan_value v = scan_value(s);

		if (key_is("switch", key, len))
			text_read(&v, out->peer_switch,
				  sizeof(out->peer_switch));
		else if (key_is("port", key, len))
			text_read(&v, out->peer_port, sizeof(out->peer_port));
		else
			scan_skip(s, &v);
	}
	return 0;
}

/* What is read first and put together when all of the line is known. */
struct draft {
	char fec[16];
	bool optical_known;
	struct port_facts facts;
};

static int number_in(const struct scan_value *v, uint64_t scale, int64_t most,
		     int64_t *ret)
{
	int64_t value;

	if (v->type == SCAN_NULL)
		return -ENODATA;
	if (v->type != SCAN_NUMBER ||
	    number_parse_scaled(v->text, v->len, scale, &value) < 0 ||
	    value < 0 || value > most)
		return -EINVAL;
	*ret = value;
	return 0;
}

static int read_name(struct scan *s, const struct scan_value *v,
		     struct draft *d)
{
	(void)s;
	text_read(v, d->facts.name, sizeof(d->facts.name));
	return 0;
}

static int read_media(struct scan *s, const struct scan_value *v,
		      struct draft *d)
{
	(void)s;
	text_read(v, d->facts.media, sizeof(d->facts.media));
	return 0;
}

static int read_group(struct scan *s, const struct scan_value *v,
		      struct draft *d)
{
	(void)s;
	text_read(v, d->facts.group, sizeof(d->facts.group));
	return 0;
}

static int read_cage(struct scan *s, const struct scan_value *v,
		     struct draft *d)
{
	(void)s;
	text_read(v, d->facts.cage, sizeof(d->facts.cage));
	return 0;
}

static int read_zone(struct scan *s, const struct scan_value *v,
		     struct draft *d)
{
	(void)s;
	text_read(v, d->facts.zone, sizeof(d->facts.zone));
	return 0;
}

static int read_fec(struct scan *s, const struct scan_value *v,
		    struct draft *d)
{
	(void)s;
	text_read(v, d->fec, sizeof(d->fec));
	return 0;
}

static int read_optical(struct scan *s, const struct scan_value *v,
			struct draft *d)
{
	(void)s;
	if (v->type != SCAN_TRUE && v->type != SCAN_FALSE)
		return v->type == SCAN_NULL ? 0 : -EINVAL;
	d->optical_known = true;
	d->facts.optical = v->type == SCAN_TRUE;
	return 0;
}

static int read_lanes(struct scan *s, const struct scan_value *v,
		      struct draft *d)
{
	int64_t value = 0;
	int rc = number_in(v, 1, PORT_LANES_MAX, &value);

	(void)s;
	d->facts.lanes = (unsigned)value;
	return rc == -ENODATA ? 0 : rc;
}

static int read_speed(struct scan *s, const struct scan_value *v,
		      struct draft *d)
{
	int64_t value = 0;
	int rc = number_in(v, 1000, INT64_C(100000000), &value);

	(void)s;
	d->facts.speed_mbps = (uint64_t)value;
	return rc == -ENODATA ? 0 : rc;
}

static int read_bits(struct scan *s, const struct scan_value *v,
		     struct draft *d)
{
	int64_t value = 64;
	int rc = number_in(v, 1, 64, &value);

	(void)s;
	d->facts.counter_bits = (unsigned)value;
	return rc == -ENODATA ? 0 : rc;
}

static int read_buffer(struct scan *s, const struct scan_value *v,
		       struct draft *d)
{
	int64_t value = 0;
	int rc = number_in(v, 1, INT64_MAX, &value);

	(void)s;
	d->facts.queue_buffer_octets = (uint64_t)value;
	return rc == -ENODATA ? 0 : rc;
}

static int read_thresholds(struct scan *s, const struct scan_value *v,
			   struct draft *d)
{
	if (v->type != SCAN_OBJECT)
		return v->type == SCAN_NULL ? 0 : -EINVAL;
	return thresholds_read(s, &d->facts.thresholds);
}

static int read_peer(struct scan *s, const struct scan_value *v,
		     struct draft *d)
{
	if (v->type != SCAN_OBJECT)
		return v->type == SCAN_NULL ? 0 : -EINVAL;
	return peer_read(s, &d->facts);
}

static const struct {
	const char *key;
	int (*read)(struct scan *s, const struct scan_value *v,
		    struct draft *d);
} fields[] = {
	{ "port", read_name },
	{ "media", read_media },
	{ "lanes", read_lanes },
	{ "speed_gbps", read_speed },
	{ "fec", read_fec },
	{ "group", read_group },
	{ "cage", read_cage },
	{ "zone", read_zone },
	{ "q_buffer_bytes", read_buffer },
	{ "optical", read_optical },
	{ "counter_bits", read_bits },
	{ "thresholds", read_thresholds },
	{ "peer", read_peer },
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static bool is_copper(const char *media)
{
	return strstr(media, "DAC") || strstr(media, "AEC") ||
	       strncmp(media, "CR", 2) == 0;
}

static int draft_finish(struct draft *draft, struct port_facts *ret,
			struct diag *d)
{
	struct port_facts *f = &draft->facts;
	unsigned lane_mbps;
	int fec = FEC_AUTO;

	if (!f->name[0])
		return diag_set(d, -EINVAL, "no port; a line of PORTS names "
				"its port");
	if (f->lanes == 0)
		f->lanes = 1;
	lane_mbps = (unsigned)(f->speed_mbps / f->lanes);
	if (draft->fec[0])
		fec = fec_mode_parse(draft->fec, lane_mbps);
	if (fec < 0)
		return diag_set(d, -EINVAL, "fec '%s' is not known; "
				"rs544, rs528, fc or none", draft->fec);
	f->fec = (enum fec_mode)fec;
	f->media_known = draft->optical_known || f->media[0];
	if (!draft->optical_known)
		f->optical = !is_copper(f->media);
	*ret = *f;
	return 0;
}

int trace_port_read(const char *line, size_t len, struct port_facts *ret,
		    struct diag *d)
{
	struct scan s = scan_of(line, len);
	struct draft draft = { .facts = { .counter_bits = 64 } };
	const char *key;
	size_t key_len, i;

	(void)scan_object(&s);		/* scan_done() tells */
	while (scan_key(&s, &key, &key_len)) {
		struct scan_value v = scan_value(&s);

		for (i = 0; i < FIELDS; i++)
			if (key_is(fields[i].key, key, key_len))
				break;
		if (i == FIELDS)
			scan_skip(&s, &v);
		else if (fields[i].read(&s, &v, &draft) < 0 && scan_ok(&s))
			return diag_set(d, -EINVAL, "%s is not what belongs "
					"there", fields[i].key);
	}
	if (!scan_done(&s))
		return diag_set(d, -EINVAL, "no JSON object: wrong at octet "
				"%zu of %zu", s.c.pos + 1, len);
	return draft_finish(&draft, ret, d);
}
