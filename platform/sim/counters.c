#include "platform/sim/counters.h"

#include <stddef.h>

struct span {
	size_t offset, count, stride;
};

#define ONE(field) { offsetof(struct plant_port, field), 1, 0 }
#define MANY(field, n) \
	{ offsetof(struct plant_port, field), n, sizeof(uint64_t) }
#define QUEUE(field) \
	{ offsetof(struct plant_port, queue[0].field), PLANT_QUEUES_MAX, \
	  sizeof(struct plant_queue) }
#define PRIORITY(field) \
	{ offsetof(struct plant_port, priority[0].field), PLANT_PRIORITIES, \
	  sizeof(struct plant_priority) }

static const struct span spans[] = {
	ONE(link_down_count),
	ONE(in_octets), ONE(in_frames), ONE(out_octets), ONE(out_frames),
	ONE(in_non_ucast_frames), ONE(out_non_ucast_frames),
	ONE(in_errors), ONE(in_discards), ONE(out_discards),
	MANY(in_size_frames, PLANT_SIZE_BINS),
	MANY(out_size_frames, PLANT_SIZE_BINS),
	ONE(fec_corrected_codewords), ONE(fec_uncorrectable_codewords),
	ONE(fec_symbol_errors), ONE(fec_corrected_bits),
	MANY(fec_bins, PLANT_FEC_BINS),
	QUEUE(frames), QUEUE(octets), QUEUE(dropped_frames),
	QUEUE(dropped_octets), QUEUE(ecn_marked_frames),
	PRIORITY(pfc_rx_frames), PRIORITY(pfc_tx_frames),
	PRIORITY(pfc_rx_pause_us), PRIORITY(pfc_tx_pause_us),
};

#define SPAN_COUNT (sizeof(spans) / sizeof(spans[0]))

static uint64_t *counter_of(struct plant_port *p, const struct span *s,
			    size_t n)
{
	return (uint64_t *)((char *)p + s->offset + n * s->stride);
}

void counters_clear(struct plant_port *p)
{
	counters_mask(p, 0);
}

void counters_mask(struct plant_port *p, uint64_t mask)
{
	for (size_t i = 0; i < SPAN_COUNT; i++)
		for (size_t n = 0; n < spans[i].count; n++)
			*counter_of(p, &spans[i], n) &= mask;
}

static void near_wrap(uint64_t *counter, uint64_t before, uint64_t mask,
		      double steps)
{
	double left = (double)(*counter - before) * steps;

	if (left > 0 && left < (double)mask / 2)
		*counter = mask - (uint64_t)left;
}

void counters_near_wrap(struct plant_port *p, const struct plant_port *before,
			uint64_t mask, double steps)
{
	struct plant_port old = *before;

	for (size_t i = 0; i < SPAN_COUNT; i++)
		for (size_t n = 0; n < spans[i].count; n++)
			near_wrap(counter_of(p, &spans[i], n),
				  *counter_of(&old, &spans[i], n), mask,
				  steps);
}
