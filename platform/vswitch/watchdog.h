/* SONiC's PFC watchdog: what it has seen of the lossless queues, in their rows
 * of COUNTERS_DB. It looks as often as the counters are played.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct box;

#define WATCHDOG_DETECTION_MS 200
#define WATCHDOG_RESTORATION_MS 200

/* What it remembers of one queue. */
struct watchdog_past {
	bool is_known, is_stormed;
	uint64_t paused_us, frames, dropped_frames;	/* at the last look */
	uint64_t detected, restored;
	/* Frames since the storm that is, or that was last, began; of all
	 * storms.
	 */
	uint64_t last_sent, last_dropped, sent, dropped;
	int64_t looked_ns;		/* in the plant's time */
};

/* What it is set to: CONFIG_DB. */
void watchdog_settings(struct box *b);
/* Its rows, as far as they changed. */
void watchdog_play(struct box *b);
/* After a restart of orchagent it begins anew. */
void watchdog_restart(struct box *b);
