#include "platform/sonic/meaning/delay.h"

#include <stdlib.h>
#include <string.h>

#include "agent/base/array.h"

#define NS_OCTET_MBPS 8000	/* 8 bits at 1 Mb/s, in ns */

/* ---- all queues ---- */

void delay_fini(struct delay *d)
{
	free(d->half);
	d->half = NULL;
}

static void delay_free(struct delay *d)
{
	delay_fini(d);
	free(d);
}

void delays_fini(struct delays *all)
{
	for (size_t i = 0; i < all->count; i++)
		delay_free(all->list[i]);
	free(all->list);
	memset(all, 0, sizeof(*all));
}

static void idle_drop(struct delays *all, struct mono now)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++) {
		struct delay *d = all->list[i];

		if (mono_diff_ns(now, d->taken) < DELAY_IDLE_NS) {
			all->list[kept++] = d;
			continue;
		}
		delay_free(d);
		all->drops++;
	}
	all->count = kept;
}

static bool room_make(struct delays *all, struct mono now)
{
	struct delay **list;

	if (all->count == DELAYS_MAX)
		idle_drop(all, now);
	if (all->count == DELAYS_MAX)
		return false;
	list = array_room(all->list, &all->cap, all->count + 1,
			  sizeof(struct delay *));
	if (list)
		all->list = list;
	return list;
}

/* The first index whose handle is not below handle. */
static size_t place_of(const struct delays *all, uint32_t handle)
{
	size_t low = 0, high = all->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (all->list[middle]->handle < handle)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct delay *delay_new(uint32_t handle, struct mono now)
{
	struct delay *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->handle = handle;
	d->taken = now;		/* not idle */
	d->before_octets = d->before_sent = -1;
	return d;
}

struct delay *delays_get(struct delays *all, uint32_t handle, struct mono now)
{
	size_t at = place_of(all, handle);
	struct delay *d;

	if (at < all->count && all->list[at]->handle == handle)
		return all->list[at];
	if (!room_make(all, now))
		return NULL;
	d = delay_new(handle, now);
	if (!d)
		return NULL;
	at = place_of(all, handle);	/* some may have been dropped */
	memmove(&all->list[at + 1], &all->list[at],
		(all->count - at) * sizeof(struct delay *));
	all->list[at] = d;
	all->count++;
	return d;
}

/* ---- one queue ---- */

static enum delay_from from_of(const struct delay_reading *r)
{
	if (r->delay_ns >= 0)
		return DELAY_CHIP;
	if (r->speed_mbps <= 0)
		return DELAY_NOTHING;
	if (r->occupancy_octets >= 0)
		return DELAY_OCCUPANCY;
	return r->watermark_octets >= 0 ? DELAY_WATERMARK : DELAY_NOTHING;
}

/* octets x factor / divisor, limited to the range of a sketch. */
static int64_t scaled(int64_t octets, int64_t factor, int64_t divisor)
{
	__int128 ns = (__int128)octets * factor / divisor;

	return ns > SKETCH_VALUE_MAX ? SKETCH_VALUE_MAX : (int64_t)ns;
}

/* The delay of the last octet of an occupancy. */
static int64_t occupancy_ns(const struct delay *d,
			    const struct delay_reading *r)
{
	int64_t octets = r->occupancy_octets;
	int64_t least_ns = scaled(octets, NS_OCTET_MBPS, r->speed_mbps);
	int64_t passed_ns = mono_diff_ns(r->taken, d->before_taken);
	int64_t sent = r->sent_octets - d->before_sent, ns;

	if (octets == 0 || r->sent_octets < 0 || d->before_sent < 0 ||
	    passed_ns <= 0 || sent < 0 || sent >= d->before_octets ||
	    octets < d->before_octets - sent)	/* some were dropped */
		return least_ns;
	ns = sent > 0 ? scaled(octets, passed_ns, sent) : passed_ns + least_ns;
	return ns > least_ns ? ns : least_ns;
}

static int64_t wait_ns(const struct delay *d, const struct delay_reading *r,
		       enum delay_from from)
{
	if (from == DELAY_CHIP)
		return r->delay_ns;
	if (from == DELAY_OCCUPANCY)
		return occupancy_ns(d, r);
	return scaled(r->watermark_octets, NS_OCTET_MBPS, r->speed_mbps);
}

static void half_clear(struct delay *d, unsigned which)
{
	d->few[which].count = 0;
	d->few[which].max = 0;
	if (d->half)
		sketch_clear(&d->half[which]);
}

/* For a queue that is read often: it has sketches from here on. */
static bool halves_widen(struct delay *d)
{
	d->half = calloc(2, sizeof(*d->half));
	for (unsigned i = 0; d->half && i < 2; i++)
		sketch_few_merge(&d->half[i], &d->few[i]);
	return d->half != NULL;
}

/* Without memory the value is dropped. */
static void half_add(struct delay *d, int64_t ns)
{
	if (!d->half && sketch_few_add(&d->few[0], ns))
		return;
	if (d->half || halves_widen(d))
		sketch_add(&d->half[0], ns);
}

/* False if a better source is in use. */
static bool source_take(struct delay *d, enum delay_from from,
			struct mono taken)
{
	if (from == d->from)
		return true;
	if (from < d->from && mono_diff_ns(taken, d->taken) < DELAY_HOLD_NS)
		return false;
	half_clear(d, 0);
	half_clear(d, 1);
	d->from = from;
	d->half_began = taken;
	return true;
}

static void halves_turn(struct delay *d, struct mono taken)
{
	int64_t age_ns = mono_diff_ns(taken, d->half_began);
	uint64_t count = d->half ? d->half[0].count : d->few[0].count;

	if (age_ns < DELAY_HALF_NS || (count < DELAY_HALF_COUNT &&
				       age_ns < DELAY_HALF_MAX_NS))
		return;
	d->few[1] = d->few[0];
	if (d->half)
		d->half[1] = d->half[0];
	half_clear(d, 0);
	d->half_began = taken;
}

static void before_keep(struct delay *d, const struct delay_reading *r)
{
	if (r->occupancy_octets < 0 || r->sent_octets < 0)
		return;
	d->before_octets = r->occupancy_octets;
	d->before_sent = r->sent_octets;
	d->before_taken = r->taken;
}

bool delay_reading_is_any(const struct delay_reading *r)
{
	return from_of(r) != DELAY_NOTHING;
}

void delay_take(struct delay *d, const struct delay_reading *r)
{
	enum delay_from from = from_of(r);
	int64_t ns;

	if (from == DELAY_NOTHING || !source_take(d, from, r->taken))
		return;
	ns = wait_ns(d, r, from);
	before_keep(d, r);
	halves_turn(d, r->taken);
	half_add(d, ns);
	d->peak_ns = d->untold == 0 || ns > d->peak_ns ? ns : d->peak_ns;
	d->untold++;
	d->taken = r->taken;
}

/* The chip's own watermark was reported where it was read. */
void delay_tell(struct delay *d, const struct platform_host *host)
{
	static const struct {
		enum quantity quantity;
		unsigned permille;
	} rows[] = {
		{ Q_QUEUE_DELAY_P50_NS, 500 },
		{ Q_QUEUE_DELAY_P99_NS, 990 },
		{ Q_QUEUE_DELAY_MAX_NS, 1000 },
	};
	enum sample_quality quality = d->from == DELAY_CHIP ?
				      QUALITY_GOOD : QUALITY_ESTIMATED;
	struct sketch both;
	int64_t value;

	if (d->untold == 0)
		return;
	if (d->from != DELAY_CHIP)
		host->sample(host->context, Q_QUEUE_DELAY_NS, 0, d->peak_ns,
			     quality);
	sketch_clear(&both);
	for (size_t i = 0; i < 2; i++)
		if (d->half)
			sketch_merge(&both, &d->half[i]);
		else
			sketch_few_merge(&both, &d->few[i]);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (sketch_quantile(&both, rows[i].permille, &value) == 0)
			host->sample(host->context, rows[i].quantity, 0, value,
				     quality);
	d->untold = 0;
}
