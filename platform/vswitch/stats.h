/* What syncd and its Lua plug-ins write into COUNTERS_DB, except RATES: the
 * statistics of objects, their watermarks, and those of a VOQ switch. And the
 * totals that were played, for a test or a person to compare with.
 */
#pragma once

struct box;
struct box_port;
struct diag;
struct _IO_FILE;

/* Writes the ports' counters (group PORT_STAT_COUNTER) and notes them as shown;
 * a port that does not answer this time keeps its old row.
 */
void stats_ports(struct box *b);
/* The ports' drops (group PORT_BUFFER_DROP_STAT). */
void stats_port_drops(struct box *b);
/* The queues' counters and the priority groups' drops. */
void stats_queues(struct box *b);
/* Deletes the rows of a removed port. */
void stats_forget(const struct box_port *p);

/* One read-and-clear of the watermarks of queues, priority groups and pools:
 * COUNTERS shows the peak of the last interval, the plug-ins keep the maximum
 * over longer times.
 */
void stats_watermarks(struct box *b);
/* The telemetry interval ends: the periodic ones restart. */
void stats_period_end(struct box *b);

/* A VOQ switch: names and ids of its virtual output queues and fabric ports,
 * with the states of the latter; and their counters.
 */
void stats_voq_maps(struct box *b);
void stats_voqs(struct box *b);

/* The totals, and the counters of each port and queue as in the databases: one
 * JSON object on one line. Returns 0 or -EIO.
 */
int stats_totals(struct _IO_FILE *out, const struct box *b);
/* The same into a file; path NULL: nowhere. */
int stats_save(const char *path, const struct box *b, struct diag *d);
/* Logs the cost: for simulations of many ports. */
void stats_cost(const struct box *b);
