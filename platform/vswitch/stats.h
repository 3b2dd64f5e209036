/* COUNTERS:oid:* : which SAI statistic shows what of the plant. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct box;
struct box_port;
struct moment_of_play;

/* Writes the ports' counters (group PORT_STAT_COUNTER) and notes them as
 * shown; a port that gives no answer this time keeps its old row.
 */
void stats_ports(struct box *b);
/* The ports' drops (group PORT_BUFFER_DROP_STAT). */
void stats_port_drops(struct box *b);
/* The queues' counters and the priority groups' drops. */
void stats_queues(struct box *b);
/* Deletes the rows of a port that is taken out. */
void stats_forget(struct box *b, const struct box_port *p);

/* Calls told for each counter that a port's row shows now. */
typedef void stats_fn(void *context, const char *name, uint64_t value);
void stats_port_each(const struct box_port *p, stats_fn *told, void *context);
/* The same of a queue. */
void stats_queue_each(const struct box_port *p, unsigned queue, stats_fn *told,
		      void *context);
