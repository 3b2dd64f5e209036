/* The delay of octets in a queue, and its distribution: queue_delay_*.
 *
 * It is the delay of one queue on this switch, not an end-to-end delay. From
 * the best that a source has:
 *
 *   the chip's own delay watermark    good
 *   occupancy over drain rate         estimated
 *   octets' watermark over drain rate estimated
 *
 * The drain rate is the port's speed, so the estimate is a lower bound. If
 * fewer octets left the queue than were in it at the previous reading, it was
 * never empty in between: then the rate at which they left is its drain rate,
 * and if none left (a pause), the time itself is added.
 *
 * The distribution is over readings of the last one to two minutes; longer if a
 * source gives few, until there are 128 or half an hour is over. It restarts
 * when a better source appears; a worse one waits 2 minutes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/base/sketch.h"
#include "petrel/platform.h"

#define DELAYS_MAX 4096u		/* queues; others are not reported */
#define DELAY_IDLE_NS (1800 * NS_PER_S)	/* unread for this long: makes room */
#define DELAY_HALF_NS (60 * NS_PER_S)
#define DELAY_HALF_COUNT 64u
#define DELAY_HALF_MAX_NS (900 * NS_PER_S)
#define DELAY_HOLD_NS (120 * NS_PER_S)

/* One reading of a queue; below 0: absent. */
struct delay_reading {
	struct mono taken;
	int64_t delay_ns;		/* the chip's own watermark */
	int64_t occupancy_octets;
	int64_t watermark_octets;
	int64_t sent_octets;		/* cumulative */
	int64_t speed_mbps;		/* of the port */
};

enum delay_from { DELAY_NOTHING, DELAY_WATERMARK, DELAY_OCCUPANCY, DELAY_CHIP };

/* One queue. */
struct delay {
	uint32_t handle;
	enum delay_from from;
	struct mono taken;		/* newest reading used */
	struct mono half_began;
	unsigned untold;		/* readings since delay_tell() */
	int64_t peak_ns;		/* of the untold readings */
	int64_t before_octets, before_sent;	/* at the last reading; -1 */
	struct mono before_taken;
	struct sketch_few few[2];	/* now, and before */
	struct sketch *half;		/* two of them, owned: once a half has
					 * more than a few; else NULL */
};

/* Releases its contents; d itself stays. */
void delay_fini(struct delay *d);

/* All queues, sorted by handle. */
struct delays {
	struct delay **list;
	size_t count, cap;
	uint64_t drops;			/* grows when borrowed ones may go */
};

/* Releases everything. */
void delays_fini(struct delays *all);
/* The queue's delay, added if new; NULL: no room. Borrowed until drops grows.
 */
struct delay *delays_get(struct delays *all, uint32_t handle, struct mono now);

/* True if a delay can be computed. */
bool delay_reading_is_any(const struct delay_reading *r);

/* Takes a reading; ignores one that no delay can be computed from. */
void delay_take(struct delay *d, const struct delay_reading *r);

/* True if there is a reading that was not reported. */
static inline bool delay_is_untold(const struct delay *d)
{
	return d->untold > 0;
}

/* Gives the queue's values to the open group, if there was a reading. */
void delay_tell(struct delay *d, const struct platform_host *host);
