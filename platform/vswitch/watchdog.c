/* SONiC's PFC watchdog: its counts for the lossless queues, in their rows of
 * COUNTERS_DB. It looks as often as the counters are played.
 */
#include "platform/vswitch/rows.h"

#include <stdio.h>
#include <string.h>

#include "platform/vswitch/box.h"

#define US_PER_MS 1000
/* Shares of the time between two looks: from the first on the queue could
 * hardly send, below the second it hardly ever had to wait.
 */
#define STORM_PERCENT 80
#define CALM_PERCENT 20

void watchdog_settings(struct box *b)
{
	for (unsigned a = 0; a < b->asic_count; a++) {
		struct out *o = &b->asic[a].out;

		out_row(o, CONFIG_DB, "PFC_WD", "GLOBAL");
		out_u64(o, "POLL_INTERVAL", WATCHDOG_DETECTION_MS);
		out_row_end(o);
	}
	for (struct box_port *p = NULL; (p = box_next(b, p));) {
		struct out *o = p->out;

		out_row(o, CONFIG_DB, "PFC_WD", p->facts.name);
		out_text(o, "action", "drop");
		out_u64(o, "detection_time", WATCHDOG_DETECTION_MS);
		out_u64(o, "restoration_time", WATCHDOG_RESTORATION_MS);
		out_row_end(o);
	}
}

/* Share of the time since the last look that the peer paused the queue. */
static unsigned paused_percent(const struct watchdog_past *w,
			       const struct plant_priority *now,
			       int64_t now_ns)
{
	int64_t gone_us = (now_ns - w->looked_ns) / NS_PER_US;

	if (gone_us <= 0 || now->pfc_rx_pause_us < w->paused_us)
		return 0;
	return (unsigned)((now->pfc_rx_pause_us - w->paused_us) * 100 /
			  (uint64_t)gone_us);
}

static uint64_t grown(uint64_t now, uint64_t before)
{
	return now >= before ? now - before : 0;	/* or it was cleared */
}

/* Returns true if there is something to write. */
static bool look(struct watchdog_past *w, const struct plant_port *p,
		 int64_t now_ns)
{
	const struct plant_queue *q = &p->queue[BOX_LOSSLESS];
	unsigned percent = paused_percent(w, &p->priority[BOX_LOSSLESS],
					  now_ns);
	bool was_stormed = w->is_stormed, is_news = !w->is_known;

	if (w->is_stormed) {
		uint64_t sent = grown(q->frames, w->frames);
		uint64_t dropped = grown(q->dropped_frames, w->dropped_frames);

		w->last_sent += sent;
		w->last_dropped += dropped;
		w->sent += sent;
		w->dropped += dropped;
	}
	if (w->is_known && !w->is_stormed && percent >= STORM_PERCENT) {
		w->is_stormed = true;
		w->detected++;
		w->last_sent = w->last_dropped = 0;
	} else if (w->is_stormed && percent < CALM_PERCENT) {
		w->is_stormed = false;
		w->restored++;
	}
	w->is_known = true;
	w->paused_us = p->priority[BOX_LOSSLESS].pfc_rx_pause_us;
	w->frames = q->frames;
	w->dropped_frames = q->dropped_frames;
	w->looked_ns = now_ns;
	return is_news || was_stormed || w->is_stormed;
}

static void count_put(struct out *o, const char *name, uint64_t value,
		      uint64_t last)
{
	char field[64];

	(void)snprintf(field, sizeof(field), "PFC_WD_QUEUE_STATS_%s", name);
	out_u64(o, field, value);
	(void)snprintf(field, sizeof(field), "PFC_WD_QUEUE_STATS_%s_LAST",
		       name);
	out_u64(o, field, last);
}

/* As written by PfcWdActionHandler and pfcwdorch; times in microseconds. */
static void queue_row(struct out *o, const struct watchdog_past *w,
		      uint64_t queue)
{
	out_row_oid(o, "COUNTERS", queue);
	out_text(o, "PFC_WD_STATUS", w->is_stormed ? "stormed" :
						     "operational");
	out_text(o, "PFC_WD_ACTION", "drop");
	out_u64(o, "PFC_WD_DETECTION_TIME", WATCHDOG_DETECTION_MS * US_PER_MS);
	out_u64(o, "PFC_WD_RESTORATION_TIME",
		WATCHDOG_RESTORATION_MS * US_PER_MS);
	out_u64(o, "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", w->detected);
	out_u64(o, "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", w->restored);
	count_put(o, "TX_PACKETS", w->sent, w->last_sent);
	count_put(o, "TX_DROPPED_PACKETS", w->dropped, w->last_dropped);
	count_put(o, "RX_PACKETS", 0, 0);
	count_put(o, "RX_DROPPED_PACKETS", 0, 0);
	out_row_end(o);
}

void watchdog_play(struct box *b)
{
	int64_t now_ns = plant_now_ns(b->plant);

	for (struct box_port *p = NULL; (p = box_next(b, p));)
		if (now_ns != p->watchdog.looked_ns &&
		    look(&p->watchdog, &p->now, now_ns))
			queue_row(p->out, &p->watchdog,
				  p->queue_oid[BOX_LOSSLESS]);
}

void watchdog_restart(struct box *b)
{
	for (size_t i = 0; i < b->port_count; i++)
		memset(&b->port[i].watchdog, 0, sizeof(b->port[i].watchdog));
}
