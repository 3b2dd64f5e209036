#include "platform/module/coherent.h"

#include "petrel/cursor.h"
#include "platform/module/register_tables.h"

#define E18_ONE INT64_C(1000000000000000000)
/* The pages may have changed between two reads: only far more is wrong. */
#define BEYOND 10

enum { AVERAGE, LEAST, MOST, INDICES };

struct ratio {
	uint64_t part, whole;
	int64_t e18;
};

#define BITS 8, { 144, 152, 160 }, { 128, 136, 136 }
#define FRAMES 4, { 176, 180, 184 }, { 168, 172, 172 }

/* Average over the interval; minimum and maximum of its sub-intervals. */
static const struct coherent_ratio ratios[] = {
	{ Q_PM_PRE_FEC_BER_E18, COHERENT_RATIOS, BITS },
	{ Q_PM_UNCORRECTABLE_FRAMES_E18, COHERENT_RATIOS, FRAMES },
	{ Q_PM_HOST_PRE_FEC_BER_E18, COHERENT_HOST_RATIOS, BITS },
	{ Q_PM_HOST_UNCORRECTABLE_FRAMES_E18, COHERENT_HOST_RATIOS, FRAMES },
};

/* SONiC and another public decoder agree on these octets, not on the next. */
static const struct coherent_flags flags[] = {
	{ Q_LANE_TX_COHERENT_FLAG, 128, 6 },
	{ Q_LANE_RX_COHERENT_FLAG, 130, 8 },
};

const struct coherent_ratio *coherent_ratios(size_t *ret_count)
{
	*ret_count = TABLE_COUNT(ratios);
	return ratios;
}

const struct coherent_flags *coherent_flags(size_t *ret_count)
{
	*ret_count = TABLE_COUNT(flags);
	return flags;
}

bool coherent_is_told(const struct view *v, unsigned octet, unsigned bit)
{
	const uint8_t *told = view_octets(v, PAGE(COHERENT_TOLD),
					  COHERENT_TOLD_FIRST,
					  COHERENT_TOLD_LEN);
	bool is_blank = true;

	for (unsigned i = 0; told && i < COHERENT_TOLD_LEN; i++)
		is_blank = is_blank && told[i] == 0;
	return is_blank || told[octet - COHERENT_TOLD_FIRST] >> bit & 1;
}

static uint64_t counter_read(const uint8_t *octets, unsigned n)
{
	struct cursor c = cursor_of(octets, n);

	return n == 8 ? cursor_be64(&c) : cursor_be32(&c);
}

static void doubt(const struct view *v, const struct coherent_ratio *r,
		  unsigned index, const char *what,
		  const struct module_sink *sink)
{
	char where[32];

	view_where(v, PAGE(r->page), r->part[index], where, sizeof(where));
	sink->implausible(sink->context, &(struct module_doubt){
		FAULT_RANGE, MODULE_PM, 0, where, what });
}

/* False if there is none. */
static bool ratio_read(const struct view *v, const struct coherent_ratio *r,
		       unsigned index, const struct module_sink *sink,
		       struct ratio *ret)
{
	const uint8_t *part = view_octets(v, PAGE(r->page), r->part[index],
					  r->octets);
	const uint8_t *whole = view_octets(v, PAGE(r->page), r->whole[index],
					   r->octets);

	if (!part || !whole)
		return false;
	ret->part = counter_read(part, r->octets);
	ret->whole = counter_read(whole, r->octets);
	if (!ret->whole)	/* no count: no ratio rather than 0 */
		return false;
	if (ret->part > ret->whole) {
		doubt(v, r, index, "more errors than bits or frames", sink);
		return false;
	}
	ret->e18 = (int64_t)(((unsigned __int128)ret->part * E18_ONE +
			      ret->whole / 2) / ret->whole);
	return true;
}

/* Some modules count the bits of a sub-interval in too few octets. */
static bool is_beyond(const struct ratio *least, const struct ratio *average)
{
	return least->e18 / BEYOND > average->e18;
}

static enum sample_quality quality_of(const struct view *v,
				      const struct ratio *r)
{
	if (v->doubted & GATE_COHERENT)
		return QUALITY_ESTIMATED;
	return r->part && !r->e18 ? QUALITY_BELOW_RESOLUTION : QUALITY_GOOD;
}

static void ratios_decode(const struct view *v, const struct coherent_ratio *r,
			  const struct module_sink *sink)
{
	struct ratio ratio[INDICES];
	bool is_read[INDICES];

	for (unsigned k = 0; k < INDICES; k++)
		is_read[k] = ratio_read(v, r, k, sink, &ratio[k]);
	if (is_read[AVERAGE] && is_read[LEAST] &&
	    is_beyond(&ratio[LEAST], &ratio[AVERAGE])) {
		doubt(v, r, LEAST, "the minimum is far above the average: it "
		      "and the maximum are not used", sink);
		is_read[LEAST] = is_read[MOST] = false;
	}
	for (unsigned k = 0; k < INDICES; k++)
		if (is_read[k])
			sink->value(sink->context,
				    (enum quantity)r->quantity, 0, k,
				    ratio[k].e18, quality_of(v, &ratio[k]));
}

/* Of the only media lane. */
static void flags_decode(const struct view *v, const struct coherent_flags *f,
			 const struct module_sink *sink)
{
	int octet = view_octet(v, PAGE(COHERENT_FLAGS), f->byte);

	for (unsigned i = 0; octet >= 0 && i < f->count; i++)
		sink->value(sink->context, (enum quantity)f->quantity, 1, i,
			    octet >> i & 1, QUALITY_GOOD);
}

void coherent_decode(const struct view *v, unsigned parts,
		     const struct module_sink *sink)
{
	if (!(v->gates & GATE_COHERENT))
		return;
	for (size_t i = 0; parts & MODULE_PM && i < TABLE_COUNT(ratios); i++)
		ratios_decode(v, &ratios[i], sink);
	for (size_t i = 0; parts & MODULE_FLAGS && i < TABLE_COUNT(flags); i++)
		flags_decode(v, &flags[i], sink);
}
