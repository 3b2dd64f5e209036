/* How long octets wait in a queue, and the distribution of that: queue_delay_*.
 *
 * It is one queue's wait on this switch, never an end-to-end delay. From the
 * best of what a source has:
 *
 *   the chip's own delay watermark    good
 *   occupancy over drain rate         estimated
 *   octets' watermark over drain rate estimated
 *
 * The drain rate is the port's speed, so the estimate is the least that the
 * wait can be. Where fewer octets left the queue than stood in it a reading
 * before, it was never empty in between: then the rate at which they left is
 * its drain rate, and when none left (a pause), the time itself is added.
 *
 * The distribution is over readings of the last one to two minutes; longer
 * where a source brings few, until there are 128 or half an hour is over. It
 * begins anew when a better source appears; a lesser one waits 2 minutes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/base/sketch.h"
#include "petrel/platform.h"

#define DELAYS_MAX 4096u		/* queues; beyond, none is told */
#define DELAY_IDLE_NS (1800 * NS_PER_S)	/* unread for so long: makes room */
#define DELAY_HALF_NS (60 * NS_PER_S)
#define DELAY_HALF_COUNT 64u
#define DELAY_HALF_MAX_NS (900 * NS_PER_S)
#define DELAY_HOLD_NS (120 * NS_PER_S)

/* What one reading of a queue brought; below 0: absent. */
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
	struct mono taken;		/* newest reading that counted */
	struct mono half_began;
	unsigned untold;		/* readings since delay_tell() */
	int64_t peak_ns;		/* of these */
	int64_t before_octets, before_sent;	/* of the reading before; -1 */
	struct mono before_taken;
	struct sketch_few few[2];	/* now, and before */
	struct sketch *half;		/* two of them, owned: since a half had
					 * more than a few; else NULL */
};

/* Releases what it holds; d itself stays. */
void delay_fini(struct delay *d);

/* All queues, in order of their handles. */
struct delays {
	struct delay **list;
	size_t count, cap;
	uint64_t drops;			/* grows when a borrowed one may die */
};

/* Releases everything. */
void delays_fini(struct delays *all);
/* The queue's, made when it is new; NULL: no room. Borrowed until drops grows.
 */
struct delay *delays_get(struct delays *all, uint32_t handle, struct mono now);

/* There is something to go by. */
bool delay_reading_is_any(const struct delay_reading *r);

/* Takes a reading; one without anything to go by is left out. */
void delay_take(struct delay *d, const struct delay_reading *r);

/* There is a reading that was not told. */
static inline bool delay_is_untold(const struct delay *d)
{
	return d->untold > 0;
}

/* Gives the queue's values to the open group, if there was a reading. */
void delay_tell(struct delay *d, const struct platform_host *host);
