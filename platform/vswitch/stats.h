/* What syncd and its Lua plug-ins write into COUNTERS_DB but for RATES: the
 * statistics of objects, their watermarks, and those of a VOQ switch.
 */
#pragma once

#include <stdint.h>

struct box;
struct box_port;

/* Writes the ports' counters (group PORT_STAT_COUNTER) and notes them as
 * shown; a port that gives no answer this time keeps its old row.
 */
void stats_ports(struct box *b);
/* The ports' drops (group PORT_BUFFER_DROP_STAT). */
void stats_port_drops(struct box *b);
/* The queues' counters and the priority groups' drops. */
void stats_queues(struct box *b);
/* Deletes the rows of a port that is taken out. */
void stats_forget(const struct box_port *p);

/* Calls told for each counter that a port's row shows now. */
typedef void stats_fn(void *context, const char *name, uint64_t value);
void stats_port_each(const struct box_port *p, stats_fn *told, void *context);
/* The same of a queue. */
void stats_queue_each(const struct box_port *p, unsigned queue, stats_fn *told,
		      void *context);

/* One read-and-clear of the watermarks of queues, priority groups and pools:
 * COUNTERS shows the peak of the last interval, the plug-ins keep the largest
 * of longer times.
 */
void stats_watermarks(struct box *b);
/* The telemetry interval ends: the periodic ones begin anew. */
void stats_period_end(struct box *b);

/* A VOQ switch: names and ids of its virtual output queues and fabric ports,
 * with the states of the latter; and their counters.
 */
void stats_voq_maps(struct box *b);
void stats_voqs(struct box *b);
