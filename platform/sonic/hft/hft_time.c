#include "platform/sonic/hft/hft_time.h"

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

/* The chip's clock, held against ours. */
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

	/* Of 4 octets they are those of the second; of 8 they are all of the
	 * time, whatever stands beside them.
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
