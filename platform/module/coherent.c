#include "platform/module/coherent.h"

#include "petrel/cursor.h"
#include "platform/module/register_tables.h"

#define E18_ONE INT64_C(1000000000000000000)
#define INDICES 3

/* Average over the interval; minimum and maximum of its sub-intervals. */
static const struct coherent_ratio ratios[] = {
	{ Q_PM_PRE_FEC_BER_E18, 8, { 144, 152, 160 }, { 128, 136, 136 } },
	{ Q_PM_UNCORRECTABLE_FRAMES_E18, 4, { 176, 180, 184 },
	  { 168, 172, 172 } },
};

const struct coherent_ratio *coherent_ratios(size_t *ret_count)
{
	*ret_count = TABLE_COUNT(ratios);
	return ratios;
}

static uint64_t counter_read(const uint8_t *octets, unsigned n)
{
	struct cursor c = cursor_of(octets, n);

	return n == 8 ? cursor_be64(&c) : cursor_be32(&c);
}

static void ratio_decode(const struct view *v, const struct coherent_ratio *r,
			 unsigned index, const struct module_sink *sink)
{
	const uint8_t *part = view_octets(v, PAGE(0x34), r->part[index],
					  r->octets);
	const uint8_t *whole = view_octets(v, PAGE(0x34), r->whole[index],
					   r->octets);
	uint64_t n, of;
	int64_t e18;

	if (!part || !whole)
		return;
	n = counter_read(part, r->octets);
	of = counter_read(whole, r->octets);
	if (!of)	/* no count: no ratio rather than 0 */
		return;
	if (n > of) {
		char where[32];

		view_where(v, PAGE(0x34), r->part[index], where,
			   sizeof(where));
		sink->implausible(sink->context, &(struct module_doubt){
			FAULT_RANGE, MODULE_PM, 0, where, "more errors than "
			"bits or frames" });
		return;
	}
	e18 = (int64_t)(((unsigned __int128)n * E18_ONE + of / 2) / of);
	sink->value(sink->context, (enum quantity)r->quantity, 0, index, e18,
		    n && !e18 ? QUALITY_BELOW_RESOLUTION : QUALITY_GOOD);
}

void coherent_decode(const struct view *v, const struct module_sink *sink)
{
	if (!(v->gates & GATE_COHERENT))
		return;
	for (size_t i = 0; i < TABLE_COUNT(ratios); i++) {
		for (unsigned k = 0; k < INDICES; k++)
			ratio_decode(v, &ratios[i], k, sink);
	}
}
