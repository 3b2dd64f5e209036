#include "platform/sim/published.h"

#include <string.h>
#include "petrel/quantity.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NONE UINT16_MAX		/* 0 on this switch */

enum published_fec { ANY_FEC, REED_SOLOMON, RS544, PUBLISHED_FECS };

#define AT(field) offsetof(struct plant_port, field)
#define PORT(name, q, field)						\
	{ q, 0, ANY_FEC, AT(field), NONE, "SAI_PORT_STAT_" name }
#define LESS(name, q, field, other)					\
	{ q, 0, ANY_FEC, AT(field), AT(other), "SAI_PORT_STAT_" name }
#define ZERO(name) { 0, 0, ANY_FEC, NONE, NONE, "SAI_PORT_STAT_" name }
#define FEC(name, q, field)						\
	{ q, 0, REED_SOLOMON, AT(field), NONE, "SAI_PORT_STAT_IF_IN_FEC_" name }
#define BIN(n, fec)							\
	{ Q_FEC_CODEWORD_ERRORS, n, fec, AT(fec_bins[n]), NONE,		\
	  "SAI_PORT_STAT_IF_IN_FEC_CODEWORD_ERRORS_S" #n }
#define SIZE(n, range)							\
	{ Q_ETHER_IN_SIZE_FRAMES, n, ANY_FEC, AT(in_size_frames[n]), NONE, \
	  "SAI_PORT_STAT_ETHER_IN_PKTS_" range "_OCTETS" },		\
	{ Q_ETHER_OUT_SIZE_FRAMES, n, ANY_FEC, AT(out_size_frames[n]), NONE, \
	  "SAI_PORT_STAT_ETHER_OUT_PKTS_" range "_OCTETS" }

/* portsorch.cpp, port_stat_ids. It does not poll the last bin of RS(544). */
static const struct published port_rows[] = {
	PORT("IF_IN_OCTETS", Q_IF_IN_OCTETS, in_octets),
	LESS("IF_IN_UCAST_PKTS", Q_IF_IN_UCAST_FRAMES, in_frames,
	     in_non_ucast_frames),
	PORT("IF_IN_NON_UCAST_PKTS", Q_IF_IN_NON_UCAST_FRAMES,
	     in_non_ucast_frames),
	PORT("IF_IN_MULTICAST_PKTS", 0, in_non_ucast_frames),
	ZERO("IF_IN_BROADCAST_PKTS"),
	PORT("IF_IN_DISCARDS", Q_IF_IN_DISCARDS, in_discards),
	PORT("IF_IN_ERRORS", Q_IF_IN_ERRORS, in_errors),
	ZERO("IF_IN_UNKNOWN_PROTOS"),
	PORT("IF_OUT_OCTETS", Q_IF_OUT_OCTETS, out_octets),
	LESS("IF_OUT_UCAST_PKTS", Q_IF_OUT_UCAST_FRAMES, out_frames,
	     out_non_ucast_frames),
	PORT("IF_OUT_NON_UCAST_PKTS", Q_IF_OUT_NON_UCAST_FRAMES,
	     out_non_ucast_frames),
	PORT("IF_OUT_MULTICAST_PKTS", 0, out_non_ucast_frames),
	ZERO("IF_OUT_BROADCAST_PKTS"),
	PORT("IF_OUT_DISCARDS", Q_IF_OUT_DISCARDS, out_discards),
	ZERO("IF_OUT_ERRORS"),
	ZERO("IF_OUT_QLEN"),
	LESS("IP_IN_RECEIVES", 0, in_frames, in_non_ucast_frames),
	LESS("IP_IN_UCAST_PKTS", 0, in_frames, in_non_ucast_frames),
	ZERO("ETHER_RX_OVERSIZE_PKTS"),
	ZERO("ETHER_TX_OVERSIZE_PKTS"),
	ZERO("ETHER_STATS_JABBERS"),
	ZERO("ETHER_STATS_FRAGMENTS"),
	ZERO("ETHER_STATS_UNDERSIZE_PKTS"),
	PORT("ETHER_STATS_TX_NO_ERRORS", 0, out_frames),
	SIZE(0, "64"), SIZE(1, "65_TO_127"), SIZE(2, "128_TO_255"),
	SIZE(3, "256_TO_511"), SIZE(4, "512_TO_1023"), SIZE(5, "1024_TO_1518"),
	SIZE(6, "1519_TO_2047"), SIZE(7, "2048_TO_4095"),
	SIZE(8, "4096_TO_9216"), SIZE(9, "9217_TO_16383"),
	ZERO("PAUSE_RX_PKTS"),
	ZERO("PAUSE_TX_PKTS"),
	ZERO("TRIM_PACKETS"),
	ZERO("DROPPED_TRIM_PACKETS"),
	ZERO("TX_TRIM_PACKETS"),
	ZERO("DOT3_STATS_ALIGNMENT_ERRORS"),
	PORT("DOT3_STATS_FCS_ERRORS", 0, in_errors),
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
	FEC("CORRECTABLE_FRAMES", Q_FEC_CORRECTED_CODEWORDS,
	    fec_corrected_codewords),
	FEC("NOT_CORRECTABLE_FRAMES", Q_FEC_UNCORRECTABLE_CODEWORDS,
	    fec_uncorrectable_codewords),
	FEC("SYMBOL_ERRORS", Q_FEC_SYMBOL_ERRORS, fec_symbol_errors),
	FEC("CORRECTED_BITS", Q_FEC_CORRECTED_BITS, fec_corrected_bits),
	BIN(0, REED_SOLOMON), BIN(1, REED_SOLOMON), BIN(2, REED_SOLOMON),
	BIN(3, REED_SOLOMON), BIN(4, REED_SOLOMON), BIN(5, REED_SOLOMON),
	BIN(6, REED_SOLOMON), BIN(7, REED_SOLOMON), BIN(8, REED_SOLOMON),
	BIN(9, RS544), BIN(10, RS544), BIN(11, RS544), BIN(12, RS544),
	BIN(13, RS544), BIN(14, RS544), BIN(15, RS544),
	{ Q_FEC_CODEWORD_ERRORS, 16, RS544, AT(fec_bins[16]), NONE, NULL },
};

static const struct published drop_rows[] = {
	PORT("IN_DROPPED_PKTS", 0, in_discards),
	PORT("OUT_DROPPED_PKTS", 0, out_discards),
};

#define PRIORITY(name, q, field)					\
	{ q, 0, ANY_FEC, offsetof(struct plant_priority, field), NONE, name }

/* Added by the PFC watchdog to those of the port. */
static const struct published priority_rows[] = {
	PRIORITY("SAI_PORT_STAT_PFC_#_RX_PKTS", Q_PFC_RX_FRAMES, pfc_rx_frames),
	PRIORITY("SAI_PORT_STAT_PFC_#_TX_PKTS", Q_PFC_TX_FRAMES, pfc_tx_frames),
	PRIORITY("SAI_PORT_STAT_PFC_#_RX_PAUSE_DURATION_US", Q_PFC_RX_PAUSE_US,
		 pfc_rx_pause_us),
	PRIORITY(NULL, Q_PFC_TX_PAUSE_US, pfc_tx_pause_us),
};

#define QUEUE(name, q, field)						\
	{ q, 0, ANY_FEC, offsetof(struct plant_queue, field), NONE,	\
	  "SAI_QUEUE_STAT_" name }
#define QUEUE_ZERO(name) { 0, 0, ANY_FEC, NONE, NONE, "SAI_QUEUE_STAT_" name }

static const struct published queue_rows[] = {
	QUEUE("PACKETS", Q_QUEUE_FRAMES, frames),
	QUEUE("BYTES", Q_QUEUE_OCTETS, octets),
	QUEUE("DROPPED_PACKETS", Q_QUEUE_DROPPED_FRAMES, dropped_frames),
	QUEUE("DROPPED_BYTES", Q_QUEUE_DROPPED_OCTETS, dropped_octets),
	QUEUE_ZERO("TRIM_PACKETS"),
	QUEUE_ZERO("DROPPED_TRIM_PACKETS"),
	QUEUE_ZERO("TX_TRIM_PACKETS"),
	QUEUE("WRED_ECN_MARKED_PACKETS", Q_QUEUE_ECN_MARKED_FRAMES,
	      ecn_marked_frames),
	QUEUE_ZERO("WRED_DROPPED_PACKETS"),
	QUEUE_ZERO("WRED_DROPPED_BYTES"),
	QUEUE("CURR_OCCUPANCY_BYTES", Q_QUEUE_OCCUPANCY_OCTETS,
	      occupancy_octets),
};

static const struct {
	const struct published *rows;
	size_t count;
} tables[PUBLISHED_TABLES] = {
	[PUBLISHED_PORT] = { port_rows, COUNT(port_rows) },
	[PUBLISHED_PORT_DROPS] = { drop_rows, COUNT(drop_rows) },
	[PUBLISHED_PRIORITY] = { priority_rows, COUNT(priority_rows) },
	[PUBLISHED_QUEUE] = { queue_rows, COUNT(queue_rows) },
};

const struct published *published_rows(enum published_of of, size_t *ret_count)
{
	*ret_count = tables[of].count;
	return tables[of].rows;
}

bool published_has(const struct published *row,
		   const struct plant_port_facts *facts)
{
	static const char *const fecs[PUBLISHED_FECS] = {
		[ANY_FEC] = "", [REED_SOLOMON] = "rs", [RS544] = "rs544",
	};

	return strncmp(facts->fec, fecs[row->fec], strlen(fecs[row->fec])) == 0;
}

bool published_is_gauge(const struct published *row)
{
	return row->quantity == Q_QUEUE_OCCUPANCY_OCTETS;
}

static uint64_t number_at(const void *state, uint16_t offset)
{
	uint64_t value = 0;

	if (offset != NONE)
		memcpy(&value, (const char *)state + offset, sizeof(value));
	return value;
}

uint64_t published_value(const struct published *row, const void *state)
{
	return number_at(state, row->at) - number_at(state, row->less);
}
