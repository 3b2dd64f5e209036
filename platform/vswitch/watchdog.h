/* SONiC's PFC watchdog: what it has seen of the lossless queues, in their rows
 * of COUNTERS_DB. It looks as often as the counters are played.
 */
#pragma once

struct box;

#define WATCHDOG_DETECTION_MS 200
#define WATCHDOG_RESTORATION_MS 200

/* What it is set to: CONFIG_DB. */
void watchdog_settings(struct box *b);
/* Its rows, as far as they changed. */
void watchdog_play(struct box *b);
/* After a restart of orchagent it begins anew. */
void watchdog_restart(struct box *b);
