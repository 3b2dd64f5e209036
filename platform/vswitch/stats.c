#include "platform/vswitch/stats.h"

#include <stdio.h>
#include <string.h>

#include "platform/vswitch/box.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NONE UINT16_MAX		/* a statistic that is 0 on this switch */

/* Which ports have a statistic: a row has no field that the chip lacks. */
enum stat_when {
	STAT_ALWAYS,
	STAT_RS,		/* Reed-Solomon FEC */
	STAT_RS544,		/* its longer histogram */
	STAT_LOSSLESS,		/* queues that the PFC watchdog looks at */
};

/* value = one counter of the plant, less another. */
struct stat {
	const char *name;
	uint16_t of, less;
	uint8_t when;
};

#define AT(field) offsetof(struct plant_port, field)
#define PORT(name, field) { "SAI_PORT_STAT_" name, AT(field), NONE, 0 }
#define LESS(name, field, other)					\
	{ "SAI_PORT_STAT_" name, AT(field), AT(other), 0 }
#define ZERO(name) { "SAI_PORT_STAT_" name, NONE, NONE, 0 }
#define FEC(name, field)						\
	{ "SAI_PORT_STAT_IF_IN_FEC_" name, AT(field), NONE, STAT_RS }
#define BIN(n, when)							\
	{ "SAI_PORT_STAT_IF_IN_FEC_CODEWORD_ERRORS_S" #n,		\
	  AT(fec_bins[n]), NONE, when }
#define SIZE(range, n)							\
	PORT("ETHER_IN_PKTS_" range "_OCTETS", in_size_frames[n]),	\
	PORT("ETHER_OUT_PKTS_" range "_OCTETS", out_size_frames[n])
#define PFC(n)								\
	PORT("PFC_" #n "_RX_PKTS", priority[n].pfc_rx_frames),		\
	PORT("PFC_" #n "_TX_PKTS", priority[n].pfc_tx_frames),		\
	PORT("PFC_" #n "_RX_PAUSE_DURATION_US",				\
	     priority[n].pfc_rx_pause_us)

/* portsorch.cpp, port_stat_ids, and what the PFC watchdog adds. */
static const struct stat port_stats[] = {
	PORT("IF_IN_OCTETS", in_octets),
	LESS("IF_IN_UCAST_PKTS", in_frames, in_non_ucast_frames),
	PORT("IF_IN_NON_UCAST_PKTS", in_non_ucast_frames),
	PORT("IF_IN_MULTICAST_PKTS", in_non_ucast_frames),
	ZERO("IF_IN_BROADCAST_PKTS"),
	PORT("IF_IN_DISCARDS", in_discards),
	PORT("IF_IN_ERRORS", in_errors),
	ZERO("IF_IN_UNKNOWN_PROTOS"),
	PORT("IF_OUT_OCTETS", out_octets),
	LESS("IF_OUT_UCAST_PKTS", out_frames, out_non_ucast_frames),
	PORT("IF_OUT_NON_UCAST_PKTS", out_non_ucast_frames),
	PORT("IF_OUT_MULTICAST_PKTS", out_non_ucast_frames),
	ZERO("IF_OUT_BROADCAST_PKTS"),
	PORT("IF_OUT_DISCARDS", out_discards),
	ZERO("IF_OUT_ERRORS"),
	ZERO("IF_OUT_QLEN"),
	LESS("IP_IN_RECEIVES", in_frames, in_non_ucast_frames),
	LESS("IP_IN_UCAST_PKTS", in_frames, in_non_ucast_frames),
	ZERO("ETHER_RX_OVERSIZE_PKTS"),
	ZERO("ETHER_TX_OVERSIZE_PKTS"),
	ZERO("ETHER_STATS_JABBERS"),
	ZERO("ETHER_STATS_FRAGMENTS"),
	ZERO("ETHER_STATS_UNDERSIZE_PKTS"),
	PORT("ETHER_STATS_TX_NO_ERRORS", out_frames),
	SIZE("64", 0), SIZE("65_TO_127", 1), SIZE("128_TO_255", 2),
	SIZE("256_TO_511", 3), SIZE("512_TO_1023", 4), SIZE("1024_TO_1518", 5),
	SIZE("1519_TO_2047", 6), SIZE("2048_TO_4095", 7),
	SIZE("4096_TO_9216", 8), SIZE("9217_TO_16383", 9),
	PFC(0), PFC(1), PFC(2), PFC(3), PFC(4), PFC(5), PFC(6), PFC(7),
	ZERO("PAUSE_RX_PKTS"),
	ZERO("PAUSE_TX_PKTS"),
	ZERO("TRIM_PACKETS"),
	ZERO("DROPPED_TRIM_PACKETS"),
	ZERO("TX_TRIM_PACKETS"),
	ZERO("DOT3_STATS_ALIGNMENT_ERRORS"),
	PORT("DOT3_STATS_FCS_ERRORS", in_errors),
	ZERO("DOT3_STATS_SINGLE_COLLISION_FRAMES"),
	ZERO("DOT3_STATS_MULTIPLE_COLLISION_FRAMES"),
	ZERO("DOT3_STATS_SQE_TEST_ERRORS"),
	ZERO("DOT3_STATS_DEFERRED_TRANSMISSIONS"),
	ZERO("DOT3_STATS_LATE_COLLISIONS"),
	ZERO("DOT3_STATS_EXCESSIVE_COLLISIONS"),
	ZERO("DOT3_STATS_INTERNAL_MAC_TRANSMIT_ERRORS"),
	ZERO("DOT3_STATS_INTERNAL_MAC_RECEIVE_ERRORS"),
	ZERO("DOT3_STATS_CARRIER_SENSE_ERRORS"),
	ZERO("DOT3_STATS_FRAME_TOO_LONGS"),
	ZERO("DOT3_STATS_SYMBOL_ERRORS"),
	FEC("CORRECTABLE_FRAMES", fec_corrected_codewords),
	FEC("NOT_CORRECTABLE_FRAMES", fec_uncorrectable_codewords),
	FEC("SYMBOL_ERRORS", fec_symbol_errors),
	FEC("CORRECTED_BITS", fec_corrected_bits),
	BIN(0, STAT_RS), BIN(1, STAT_RS), BIN(2, STAT_RS), BIN(3, STAT_RS),
	BIN(4, STAT_RS), BIN(5, STAT_RS), BIN(6, STAT_RS), BIN(7, STAT_RS),
	BIN(8, STAT_RS), BIN(9, STAT_RS544), BIN(10, STAT_RS544),
	BIN(11, STAT_RS544), BIN(12, STAT_RS544), BIN(13, STAT_RS544),
	BIN(14, STAT_RS544), BIN(15, STAT_RS544),
};

static const struct stat drop_stats[] = {
	PORT("IN_DROPPED_PKTS", in_discards),
	PORT("OUT_DROPPED_PKTS", out_discards),
};

#define QUEUE(name, field)						\
	{ "SAI_QUEUE_STAT_" name, offsetof(struct plant_queue, field),	\
	  NONE, 0 }
#define QUEUE_ZERO(name) { "SAI_QUEUE_STAT_" name, NONE, NONE, 0 }

static const struct stat queue_stats[] = {
	QUEUE("PACKETS", frames),
	QUEUE("BYTES", octets),
	QUEUE("DROPPED_PACKETS", dropped_frames),
	QUEUE("DROPPED_BYTES", dropped_octets),
	QUEUE_ZERO("TRIM_PACKETS"),
	QUEUE_ZERO("DROPPED_TRIM_PACKETS"),
	QUEUE_ZERO("TX_TRIM_PACKETS"),
	QUEUE("WRED_ECN_MARKED_PACKETS", ecn_marked_frames),
	QUEUE_ZERO("WRED_DROPPED_PACKETS"),
	QUEUE_ZERO("WRED_DROPPED_BYTES"),
	{ "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES",
	  offsetof(struct plant_queue, occupancy_octets), NONE,
	  STAT_LOSSLESS },
};

static uint64_t counter_at(const void *of, uint16_t offset)
{
	uint64_t value = 0;

	if (offset != NONE)
		memcpy(&value, (const char *)of + offset, sizeof(value));
	return value;
}

static uint64_t stat_value(const struct stat *s, const void *now,
			   const void *base)
{
	uint64_t value = counter_at(now, s->of) - counter_at(now, s->less);
	uint64_t before = counter_at(base, s->of) - counter_at(base, s->less);

	/* A gauge has no past, and one that was cleared has none any more. */
	return s->when == STAT_LOSSLESS || value < before ? value :
							    value - before;
}

static bool port_has(const struct box_port *p, uint8_t when)
{
	return when == STAT_ALWAYS ||
	       (when == STAT_RS && p->facts.fec[0] == 'r') ||
	       (when == STAT_RS544 && strcmp(p->facts.fec, "rs544") == 0);
}

static void row_tell(void *context, const char *name, uint64_t value)
{
	out_u64(context, name, value);
}

static void port_tell(const struct box_port *p, const struct stat *stats,
		      size_t count, stats_fn *told, void *context)
{
	for (size_t i = 0; i < count; i++)
		if (port_has(p, stats[i].when))
			told(context, stats[i].name,
			     stat_value(&stats[i], &p->shown, &p->base));
}

void stats_port_each(const struct box_port *p, stats_fn *told, void *context)
{
	port_tell(p, port_stats, COUNT(port_stats), told, context);
}

void stats_queue_each(const struct box_port *p, unsigned queue, stats_fn *told,
		      void *context)
{
	for (size_t i = 0; i < COUNT(queue_stats); i++)
		if (queue_stats[i].when == STAT_ALWAYS ||
		    queue == BOX_LOSSLESS)
			told(context, queue_stats[i].name,
			     stat_value(&queue_stats[i],
					&p->queue_shown[queue],
					&p->queue_base[queue]));
}

static void row_begin(struct out *o, uint64_t oid)
{
	char text[BOX_OID_MAX];

	box_oid_text(oid, text);
	out_row(o, COUNTERS_DB, "COUNTERS", text);
}

static bool is_answered(const struct box_port *p)
{
	return p->now.counters_readable && !p->stopped;
}

void stats_ports(struct box *b)
{
	for (size_t i = 0; i < b->port_count; i++) {
		struct box_port *p = &b->port[i];
		struct out *o = box_out(b, p);

		if (!is_answered(p))
			continue;
		p->shown = p->now;
		row_begin(o, p->oid);
		stats_port_each(p, row_tell, o);
		out_row_end(o);
	}
}

void stats_port_drops(struct box *b)
{
	for (size_t i = 0; i < b->port_count; i++) {
		struct box_port *p = &b->port[i];
		struct out *o = box_out(b, p);

		if (!is_answered(p))
			continue;
		row_begin(o, p->oid);
		port_tell(p, drop_stats, COUNT(drop_stats), row_tell, o);
		out_row_end(o);
	}
}

static void queue_row(struct out *o, const struct box_port *p, unsigned queue)
{
	row_begin(o, p->queue_oid[queue]);
	stats_queue_each(p, queue, row_tell, o);
	out_row_end(o);
}

/* What the chip refused at ingress it refused to the first group. */
static void group_row(struct out *o, const struct box_port *p, unsigned group)
{
	row_begin(o, p->group_oid[group]);
	out_u64(o, "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS",
		group == 0 ? p->now.in_discards - p->base.in_discards : 0);
	out_row_end(o);
}

void stats_queues(struct box *b)
{
	for (size_t i = 0; i < b->port_count; i++) {
		struct box_port *p = &b->port[i];
		struct out *o = box_out(b, p);

		if (!is_answered(p))
			continue;
		memcpy(p->queue_shown, p->now.queue, sizeof(p->queue_shown));
		for (unsigned q = 0; q < p->facts.queues; q++)
			queue_row(o, p, q);
		for (unsigned g = 0; g < BOX_GROUPS; g++)
			group_row(o, p, g);
	}
}

static void row_forget(struct out *o, uint64_t oid)
{
	static const char *const tables[] = {
		"COUNTERS", "RATES", "PERIODIC_WATERMARKS",
		"PERSISTENT_WATERMARKS", "USER_WATERMARKS", "PORT_PHY_ATTR",
	};
	char text[BOX_OID_MAX];

	box_oid_text(oid, text);
	for (size_t i = 0; i < COUNT(tables); i++)
		out_delete(o, COUNTERS_DB, tables[i], text);
}

void stats_forget(struct box *b, const struct box_port *p)
{
	struct out *o = box_out(b, p);

	row_forget(o, p->oid);
	for (unsigned q = 0; q < p->facts.queues; q++)
		row_forget(o, p->queue_oid[q]);
	for (unsigned g = 0; g < BOX_GROUPS; g++)
		row_forget(o, p->group_oid[g]);
}
