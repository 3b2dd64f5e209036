/*  message: version 10 | length | export time | sequence | domain | sets
 *  set:     id | length | content      (lengths count their own headers)
 *  content: id 2: template id, count, fields …; id from 256: records, padding
 *
 * Source: RFC 7011, sections 3.1 to 3.4.
 */
#include "platform/sonic/hft/hft_ipfix.h"


#define VERSION 10u
#define SET_HEADER_LEN 4u
#define SET_TEMPLATES 2u
#define TEMPLATE_HEADER_LEN 4u		/* also the shortest template */
#define ENTERPRISE_BIT 0x8000u

struct message_walk {
	const struct ipfix_taker *to;
	struct ipfix_counts *counts;
	uint32_t domain;
};

struct ipfix_field ipfix_field_read(struct cursor *c)
{
	struct ipfix_field f = { 0 };

	f.element = cursor_be16(c);
	f.length = cursor_be16(c);
	if (f.element & ENTERPRISE_BIT)
		f.enterprise = cursor_be32(c);
	f.element &= (uint16_t)~ENTERPRISE_BIT;
	return f;
}

/* One template of a set; its fields are only measured here. */
static bool template_walk(const struct message_walk *w, struct cursor *c)
{
	struct ipfix_template t = { .domain = w->domain };

	t.id = cursor_be16(c);
	t.count = cursor_be16(c);
	t.fields = *c;
	for (unsigned i = 0; i < t.count && cursor_ok(c); i++)
		(void)ipfix_field_read(c);
	if (!cursor_ok(c) || t.id < IPFIX_DATA_ID_MIN)
		return false;
	w->counts->templates++;
	if (w->to->template)
		w->to->template(w->to->context, &t);
	return true;
}

static bool set_walk(const struct message_walk *w, uint16_t id,
		     struct cursor *c)
{
	struct ipfix_set s = { .domain = w->domain, .id = id };

	if (id == SET_TEMPLATES) {
		while (cursor_left(c) >= TEMPLATE_HEADER_LEN)
			if (!template_walk(w, c))
				return false;
		return true;
	}
	if (id < IPFIX_DATA_ID_MIN) {
		w->counts->skipped_sets++;
		return true;
	}
	s.len = cursor_left(c);
	s.data = cursor_bytes(c, s.len);
	w->counts->data_sets++;
	if (w->to->data)
		w->to->data(w->to->context, &s);
	return true;
}

static void sets_walk(const struct message_walk *w, struct cursor *c)
{
	while (cursor_left(c) > 0) {
		uint16_t id = cursor_be16(c);
		uint16_t len = cursor_be16(c);
		struct cursor set = { .failed = true };

		if (cursor_ok(c) && len >= SET_HEADER_LEN)
			set = cursor_sub(c, len - SET_HEADER_LEN);
		if (!cursor_ok(&set) || !set_walk(w, id, &set)) {
			w->counts->bad_sets++;
			return;
		}
	}
}

void ipfix_walk(const void *octets, size_t len, const struct ipfix_taker *to,
		struct ipfix_counts *counts)
{
	struct cursor c = cursor_of(octets, len);
	struct message_walk w = { .to = to, .counts = counts };

	while (cursor_left(&c) > 0) {
		uint16_t version = cursor_be16(&c);
		uint16_t whole = cursor_be16(&c);
		struct cursor sets = { .failed = true };

		(void)cursor_bytes(&c, 8);	/* export time, sequence */
		w.domain = cursor_be32(&c);
		if (cursor_ok(&c) && version == VERSION &&
		    whole >= IPFIX_HEADER_LEN)
			sets = cursor_sub(&c, whole - IPFIX_HEADER_LEN);
		if (!cursor_ok(&sets)) {
			counts->bad_messages++;
			return;
		}
		counts->messages++;
		sets_walk(&w, &sets);
	}
}

/* --- when a record was taken ---------------------------------------------- */

#define ELEMENT_SECONDS 322u		/* IANA: observationTimeSeconds */
#define ELEMENT_NANOSECONDS 325u
#define EPOCH_MIN_NS INT64_C(1000000000000000000)	/* September 2001 */
#define WAY_MAX_NS (10 * NS_PER_S)	/* older: another clock, or a restart */
#define DRIFT_DIVISOR 10000		/* 100 ppm, more than crystals have */

bool hft_time_field(struct hft_time_place *p, const struct ipfix_field *f,
		    unsigned offset)
{
	if (f->enterprise != 0)
		return false;
	if (f->element == ELEMENT_NANOSECONDS &&
	    (f->length == 8 || f->length == 4)) {
		p->ns_offset = (uint16_t)offset;
		p->ns_length = f->length;
	} else if (f->element == ELEMENT_SECONDS && f->length == 4) {
		p->s_offset = (uint16_t)offset;
		p->s_length = f->length;
	} else {
		return false;
	}
	return true;
}

uint64_t hft_load(const uint8_t *at, unsigned length)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < length; i++)
		value = value << 8 | at[i];
	return value;
}

/* Maps the chip's clock to ours. */
static struct mono relative(struct hft_clock *c, int64_t chip_ns,
			    struct mono now)
{
	int64_t offset_ns = now.ns - chip_ns;

	if (c->known)
		c->offset_ns += (now.ns - c->newest.ns) / DRIFT_DIVISOR;
	if (!c->known || offset_ns < c->offset_ns ||
	    offset_ns - c->offset_ns > WAY_MAX_NS)
		c->offset_ns = offset_ns;
	c->known = true;
	c->newest = now;
	return (struct mono){ chip_ns + c->offset_ns };
}

struct mono hft_time_of(const struct hft_time_place *p, struct hft_clock *c,
			const uint8_t *record, const struct hft_now *now)
{
	uint64_t raw = p->ns_length == 8 ? hft_load8(record + p->ns_offset) :
		       hft_load(record + p->ns_offset, p->ns_length);
	int64_t chip_ns, way_ns;

	/* 4 octets are the nanoseconds within the second; 8 are the whole time,
	 * whatever other fields there are.
	 */
	if (p->ns_length != 8 && p->s_length != 0)
		raw = hft_load(record + p->s_offset, p->s_length) * NS_PER_S +
		      (p->ns_length == 4 && raw < NS_PER_S ? raw : 0);
	if ((p->ns_length != 8 && p->s_length == 0) ||
	    raw > INT64_MAX / 2)
		return now->mono;
	chip_ns = (int64_t)raw;
	way_ns = now->wall.ns - chip_ns;
	if (chip_ns > EPOCH_MIN_NS && way_ns >= 0 && way_ns < WAY_MAX_NS)
		return (struct mono){ now->mono.ns - way_ns };
	return relative(c, chip_ns, now->mono);
}
