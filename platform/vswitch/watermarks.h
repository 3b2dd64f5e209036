/* Watermarks: syncd reads and clears the chip's, so COUNTERS shows the peak of
 * the last interval; Lua plug-ins keep the largest of longer times.
 */
#pragma once

struct box;

/* One read-and-clear of queues, priority groups and pools. */
void watermarks_play(struct box *b);
/* The telemetry interval ends: the periodic ones begin anew. */
void watermarks_period_end(struct box *b);
