/* Ports: SAI's statistics, APPL_DB, STATE_DB, neighbours, gearboxes. */
#include "platform/sonic/meaning/fields.h"

#include "platform/sonic/meaning/lanes.h"
#include "platform/sonic/meaning/tables.h"
#include "platform/sonic/meaning/words.h"

#define PORT(name, quantity, index)					\
	{ "SAI_PORT_STAT_" name, quantity, index, 0, FIELD_COUNTER, 1 }
#define FEC_BIN(n)							\
	PORT("IF_IN_FEC_CODEWORD_ERRORS_S" #n, Q_FEC_CODEWORD_ERRORS, n)
#define SIZE_BIN(range, n)						\
	PORT("ETHER_IN_PKTS_" range "_OCTETS", Q_ETHER_IN_SIZE_FRAMES, n), \
	PORT("ETHER_OUT_PKTS_" range "_OCTETS", Q_ETHER_OUT_SIZE_FRAMES, n)
#define PRIORITY(n)							\
	PFC(n, "RX_PKTS", Q_PFC_RX_FRAMES),				\
	PFC(n, "TX_PKTS", Q_PFC_TX_FRAMES),				\
	PFC(n, "RX_PAUSE_DURATION_US", Q_PFC_RX_PAUSE_US),		\
	PFC(n, "TX_PAUSE_DURATION_US", Q_PFC_TX_PAUSE_US),		\
	PFC(n, "RX_PAUSE_DURATION", Q_PFC_RX_PAUSE_QUANTA),		\
	PFC(n, "TX_PAUSE_DURATION", Q_PFC_TX_PAUSE_QUANTA),		\
	PFC(n, "ON2OFF_RX_PKTS", Q_PFC_RX_ON_TO_OFF_FRAMES),		\
	HISTORY(n, "RX_PAUSE_DURATION_US",				\
		Q_PFC_RX_PAUSE_ESTIMATED_US),				\
	HISTORY(n, "RECENT_PAUSE_TIME_US", Q_PFC_RX_RECENT_PAUSE_US),	\
	HISTORY(n, "RECENT_PAUSE_TIMESTAMP",				\
		Q_PFC_RX_RECENT_PAUSE_EPOCH_US),			\
	HISTORY(n, "ON2OFF_RX_PKTS", Q_PFC_RX_ON_TO_OFF_ESTIMATED_FRAMES)
#define PFC(n, name, quantity)						\
	{ "SAI_PORT_STAT_PFC_" #n "_" name, quantity, 0, (n) + 1,	\
	  FIELD_COUNTER, 1 }
/* PFC watchdog's own estimate, by a script of SONiC's. */
#define HISTORY(n, name, quantity)					\
	{ "EST_PORT_STAT_PFC_" #n "_" name, quantity, 0, (n) + 1,	\
	  FIELD_COUNTER, 1 }
#define CHOSEN(n)							\
	PORT("IN_CONFIGURED_DROP_REASONS_" #n "_DROPPED_PKTS",		\
	     Q_IN_CONFIGURED_DROPS, n),					\
	PORT("OUT_CONFIGURED_DROP_REASONS_" #n "_DROPPED_PKTS",		\
	     Q_OUT_CONFIGURED_DROPS, n)
#define LLR(name) PORT("LLR_" #name, Q_LLR_##name, 0)
#define CAUSE(name, n)							\
	{ name "_count", Q_DOWN_CAUSE_COUNT, n, 0, FIELD_COUNTER, 1 }
/* What SONiC's scripts make of the counters: to compare with, no more. */
#define E18 UINT64_C(1000000000000000000)
/* A list fills the nameless fields behind it. */
#define LANE(quantity, n) { "", quantity, n, 0, FIELD_LANES, 0 }
#define MORE_LANES(quantity)						\
	LANE(quantity, 1), LANE(quantity, 2), LANE(quantity, 3),	\
	LANE(quantity, 4), LANE(quantity, 5), LANE(quantity, 6),	\
	LANE(quantity, 7), LANE(quantity, 8), LANE(quantity, 9),	\
	LANE(quantity, 10), LANE(quantity, 11), LANE(quantity, 12),	\
	LANE(quantity, 13), LANE(quantity, 14), LANE(quantity, 15)
#define LANE_LIST(name, quantity, kind)					\
	{ name, quantity, 0, 0, FIELD_LANES, kind }, MORE_LANES(quantity)
#define GEARBOX_BIN(n)							\
	PORT("IF_IN_FEC_CODEWORD_ERRORS_S" #n,				\
	     Q_GEARBOX_SYSTEM_FEC_CODEWORD_ERRORS, n)

_Static_assert(PORT_PRIORITIES_MAX == 8 && LANES_MAX == 16,
	       "as many as are written out below");

/* --- COUNTERS_DB, COUNTERS:oid:* ------------------------------------------ */

static const struct field port_counters[] = {
	PORT("IF_IN_OCTETS", Q_IF_IN_OCTETS, 0),
	PORT("IF_IN_UCAST_PKTS", Q_IF_IN_UCAST_FRAMES, 0),
	PORT("IF_IN_NON_UCAST_PKTS", Q_IF_IN_NON_UCAST_FRAMES, 0),
	PORT("IF_IN_MULTICAST_PKTS", Q_IF_IN_MULTICAST_FRAMES, 0),
	PORT("IF_IN_BROADCAST_PKTS", Q_IF_IN_BROADCAST_FRAMES, 0),
	PORT("IF_IN_DISCARDS", Q_IF_IN_DISCARDS, 0),
	PORT("IF_IN_ERRORS", Q_IF_IN_ERRORS, 0),
	PORT("IF_IN_UNKNOWN_PROTOS", Q_IF_IN_UNKNOWN_PROTOS, 0),
	PORT("IF_OUT_OCTETS", Q_IF_OUT_OCTETS, 0),
	PORT("IF_OUT_UCAST_PKTS", Q_IF_OUT_UCAST_FRAMES, 0),
	PORT("IF_OUT_NON_UCAST_PKTS", Q_IF_OUT_NON_UCAST_FRAMES, 0),
	PORT("IF_OUT_MULTICAST_PKTS", Q_IF_OUT_MULTICAST_FRAMES, 0),
	PORT("IF_OUT_BROADCAST_PKTS", Q_IF_OUT_BROADCAST_FRAMES, 0),
	PORT("IF_OUT_DISCARDS", Q_IF_OUT_DISCARDS, 0),
	PORT("IF_OUT_ERRORS", Q_IF_OUT_ERRORS, 0),
	PORT("IF_OUT_QLEN", Q_IF_OUT_QLEN_FRAMES, 0),
	PORT("IP_IN_RECEIVES", Q_IP_IN_RECEIVES, 0),
	PORT("IP_IN_UCAST_PKTS", Q_IP_IN_UCAST_FRAMES, 0),
	PORT("ETHER_RX_OVERSIZE_PKTS", Q_ETHER_RX_OVERSIZE_FRAMES, 0),
	PORT("ETHER_TX_OVERSIZE_PKTS", Q_ETHER_TX_OVERSIZE_FRAMES, 0),
	PORT("ETHER_STATS_JABBERS", Q_ETHER_STATS_JABBERS, 0),
	PORT("ETHER_STATS_FRAGMENTS", Q_ETHER_STATS_FRAGMENTS, 0),
	PORT("ETHER_STATS_UNDERSIZE_PKTS", Q_ETHER_STATS_UNDERSIZE_FRAMES, 0),
	PORT("ETHER_STATS_TX_NO_ERRORS", Q_ETHER_STATS_TX_NO_ERRORS, 0),
	SIZE_BIN("64", 0), SIZE_BIN("65_TO_127", 1),
	SIZE_BIN("128_TO_255", 2), SIZE_BIN("256_TO_511", 3),
	SIZE_BIN("512_TO_1023", 4), SIZE_BIN("1024_TO_1518", 5),
	SIZE_BIN("1519_TO_2047", 6), SIZE_BIN("2048_TO_4095", 7),
	SIZE_BIN("4096_TO_9216", 8), SIZE_BIN("9217_TO_16383", 9),
	PORT("PAUSE_RX_PKTS", Q_PAUSE_RX_FRAMES, 0),
	PORT("PAUSE_TX_PKTS", Q_PAUSE_TX_FRAMES, 0),
	PORT("TRIM_PACKETS", Q_TRIM_FRAMES, 0),
	PORT("DROPPED_TRIM_PACKETS", Q_DROPPED_TRIM_FRAMES, 0),
	PORT("TX_TRIM_PACKETS", Q_TX_TRIM_FRAMES, 0),
	PORT("ECN_MARKED_PACKETS", Q_ECN_MARKED_FRAMES, 0),
	PORT("DOT3_STATS_ALIGNMENT_ERRORS", Q_DOT3_ALIGNMENT_ERRORS, 0),
	PORT("DOT3_STATS_FCS_ERRORS", Q_DOT3_FCS_ERRORS, 0),
	PORT("DOT3_STATS_SINGLE_COLLISION_FRAMES",
	     Q_DOT3_SINGLE_COLLISION_FRAMES, 0),
	PORT("DOT3_STATS_MULTIPLE_COLLISION_FRAMES",
	     Q_DOT3_MULTIPLE_COLLISION_FRAMES, 0),
	PORT("DOT3_STATS_SQE_TEST_ERRORS", Q_DOT3_SQE_TEST_ERRORS, 0),
	PORT("DOT3_STATS_DEFERRED_TRANSMISSIONS",
	     Q_DOT3_DEFERRED_TRANSMISSIONS, 0),
	PORT("DOT3_STATS_LATE_COLLISIONS", Q_DOT3_LATE_COLLISIONS, 0),
	PORT("DOT3_STATS_EXCESSIVE_COLLISIONS", Q_DOT3_EXCESSIVE_COLLISIONS, 0),
	PORT("DOT3_STATS_INTERNAL_MAC_TRANSMIT_ERRORS",
	     Q_DOT3_INTERNAL_MAC_TRANSMIT_ERRORS, 0),
	PORT("DOT3_STATS_INTERNAL_MAC_RECEIVE_ERRORS",
	     Q_DOT3_INTERNAL_MAC_RECEIVE_ERRORS, 0),
	PORT("DOT3_STATS_CARRIER_SENSE_ERRORS", Q_DOT3_CARRIER_SENSE_ERRORS, 0),
	PORT("DOT3_STATS_FRAME_TOO_LONGS", Q_DOT3_FRAME_TOO_LONGS, 0),
	PORT("DOT3_STATS_SYMBOL_ERRORS", Q_DOT3_SYMBOL_ERRORS, 0),
	PORT("IF_IN_FEC_CORRECTABLE_FRAMES", Q_FEC_CORRECTED_CODEWORDS, 0),
	PORT("IF_IN_FEC_NOT_CORRECTABLE_FRAMES",
	     Q_FEC_UNCORRECTABLE_CODEWORDS, 0),
	PORT("IF_IN_FEC_SYMBOL_ERRORS", Q_FEC_SYMBOL_ERRORS, 0),
	PORT("IF_IN_FEC_CORRECTED_BITS", Q_FEC_CORRECTED_BITS, 0),
	FEC_BIN(0), FEC_BIN(1), FEC_BIN(2), FEC_BIN(3), FEC_BIN(4), FEC_BIN(5),
	FEC_BIN(6), FEC_BIN(7), FEC_BIN(8), FEC_BIN(9), FEC_BIN(10),
	FEC_BIN(11), FEC_BIN(12), FEC_BIN(13), FEC_BIN(14), FEC_BIN(15),
	FEC_BIN(16),
	PORT("IN_CURR_OCCUPANCY_BYTES", Q_IN_OCCUPANCY_OCTETS, 0),
	PORT("IN_WATERMARK_BYTES", Q_IN_WATERMARK_OCTETS, 0),
	PORT("IN_SHARED_CURR_OCCUPANCY_BYTES", Q_IN_SHARED_OCCUPANCY_OCTETS, 0),
	PORT("IN_SHARED_WATERMARK_BYTES", Q_IN_SHARED_WATERMARK_OCTETS, 0),
	PORT("OUT_CURR_OCCUPANCY_BYTES", Q_OUT_OCCUPANCY_OCTETS, 0),
	PORT("OUT_WATERMARK_BYTES", Q_OUT_WATERMARK_OCTETS, 0),
	PORT("OUT_SHARED_CURR_OCCUPANCY_BYTES",
	     Q_OUT_SHARED_OCCUPANCY_OCTETS, 0),
	PORT("OUT_SHARED_WATERMARK_BYTES", Q_OUT_SHARED_WATERMARK_OCTETS, 0),
	PORT("GREEN_WRED_DROPPED_PACKETS", Q_WRED_GREEN_DROPPED_FRAMES, 0),
	PORT("YELLOW_WRED_DROPPED_PACKETS", Q_WRED_YELLOW_DROPPED_FRAMES, 0),
	PORT("RED_WRED_DROPPED_PACKETS", Q_WRED_RED_DROPPED_FRAMES, 0),
	PORT("WRED_DROPPED_PACKETS", Q_WRED_DROPPED_FRAMES, 0),
	/* SAI gives the first of each row two names. */
	PORT("IN_DROP_REASON_RANGE_BASE", Q_IN_CONFIGURED_DROPS, 0),
	PORT("OUT_DROP_REASON_RANGE_BASE", Q_OUT_CONFIGURED_DROPS, 0),
	CHOSEN(0), CHOSEN(1), CHOSEN(2), CHOSEN(3), CHOSEN(4), CHOSEN(5),
	CHOSEN(6), CHOSEN(7),
	LLR(TX_INIT_CTL_OS), LLR(TX_INIT_ECHO_CTL_OS), LLR(TX_ACK_CTL_OS),
	LLR(TX_NACK_CTL_OS), LLR(TX_DISCARD), LLR(TX_OK), LLR(TX_POISONED),
	LLR(TX_REPLAY), LLR(RX_INIT_CTL_OS), LLR(RX_INIT_ECHO_CTL_OS),
	LLR(RX_ACK_CTL_OS), LLR(RX_NACK_CTL_OS), LLR(RX_ACK_NACK_SEQ_ERROR),
	LLR(RX_OK), LLR(RX_POISONED), LLR(RX_BAD), LLR(RX_EXPECTED_SEQ_GOOD),
	LLR(RX_EXPECTED_SEQ_POISONED), LLR(RX_EXPECTED_SEQ_BAD),
	LLR(RX_MISSING_SEQ), LLR(RX_DUPLICATE_SEQ), LLR(RX_REPLAY),
	PRIORITY(0), PRIORITY(1), PRIORITY(2), PRIORITY(3), PRIORITY(4),
	PRIORITY(5), PRIORITY(6), PRIORITY(7),
};

static const struct field port_drops[] = {
	PORT("IN_DROPPED_PKTS", Q_IN_DROPPED_FRAMES, 0),
	PORT("OUT_DROPPED_PKTS", Q_OUT_DROPPED_FRAMES, 0),
};

/* --- ports ---------------------------------------------------------------- */

static const struct field port_appl[] = {
	FIELD_AS_TEXT("alias", PORT_TEXT_ALIAS),
	FIELD_AS_TEXT("description", PORT_TEXT_DESCRIPTION),
	FIELD_AS_TEXT("role", PORT_TEXT_ROLE),
	FIELD_AS_TEXT("index", PORT_TEXT_INDEX),
	FIELD_AS_TEXT("subport", PORT_TEXT_SUBPORT),
	FIELD_AS_TEXT("lanes", PORT_TEXT_LANES),
	FIELD_AS_TEXT("speed", PORT_TEXT_SPEED),
	FIELD_AS_TEXT("mtu", PORT_TEXT_MTU),
	FIELD_AS_TEXT("fec", PORT_TEXT_FEC),
	FIELD_AS_TEXT("admin_status", PORT_TEXT_ADMIN),
	FIELD_AS_TEXT("oper_status", PORT_TEXT_OPER),
	FIELD_AS_TEXT("flap_count", PORT_TEXT_FLAPS),
	FIELD_AS_TEXT("last_down_time", PORT_TEXT_LAST_DOWN),
	FIELD_AS_TEXT("autoneg", PORT_TEXT_AUTONEG),
	FIELD_AS_TEXT("link_training", PORT_TEXT_TRAINING),
	FIELD_AS_TEXT("pfc_asym", PORT_TEXT_PFC_ASYMMETRIC),
	FIELD_AS_TEXT("system_oper_status", PORT_TEXT_GEARBOX_SYSTEM),
	FIELD_AS_TEXT("line_oper_status", PORT_TEXT_GEARBOX_LINE),
	FIELD_AS_TEXT("interface_type", PORT_TEXT_INTERFACE_TYPE),
	FIELD_AS_TEXT("core_id", PORT_TEXT_CORE),
};

static const struct field port_state[] = {
	FIELD_AS_TEXT("link_training_status", STATE_TEXT_TRAINING),
	FIELD_AS_TEXT("fec", STATE_TEXT_FEC),
	FIELD_AS_TEXT("host_tx_ready", STATE_TEXT_TX_READY),
	FIELD_AS_TEXT("netdev_oper_status", STATE_TEXT_NETDEV),
	FIELD_AS_TEXT("speed", STATE_TEXT_SPEED),
	FIELD_AS_TEXT("rmt_adv_speeds", STATE_TEXT_REMOTE_SPEEDS),
};

/* teamsyncd's word, and teamd's. */
static const struct field lag_appl[] = {
	{ "status", Q_LAG_ENABLED, 0, 0, FIELD_BOOL, 1 },
};

static const struct field lag_state[] = {
	{ "runner.selected", Q_LAG_SELECTED, 0, 0, FIELD_BOOL, 1 },
};

static const struct field port_pfcwd[] = {
	{ "detection_time", Q_PFCWD_DETECTION_MS, 0, 0, FIELD_SCALED, 1 },
	{ "restoration_time", Q_PFCWD_RESTORATION_MS, 0, 0, FIELD_SCALED, 1 },
	{ "pfc_stat_history", Q_PFCWD_HISTORY, 0, 0, FIELD_BOOL, 1 },
	FIELD_AS_TEXT("action", 0),
};

/* The order is that of SAI's sai_port_error_status_t. */
static const struct field port_errors[] = {
	FIELD_AS_TEXT("mac_local_fault_time", 0),
	FIELD_AS_TEXT("mac_remote_fault_time", 1),
	FIELD_AS_TEXT("fec_sync_loss_time", 2),
	FIELD_AS_TEXT("fec_alignment_loss_time", 3),
	FIELD_AS_TEXT("high_ser_error_time", 4),
	FIELD_AS_TEXT("high_ber_error_time", 5),
	FIELD_AS_TEXT("crc_rate_time", 6),
	FIELD_AS_TEXT("data_unit_crc_error_time", 7),
	FIELD_AS_TEXT("data_unit_size_time", 8),
	FIELD_AS_TEXT("data_unit_misalignment_error_time", 9),
	FIELD_AS_TEXT("code_group_error_time", 10),
	FIELD_AS_TEXT("signal_local_error_time", 11),
	FIELD_AS_TEXT("no_rx_reachability_time", 12),
};

/* The same order. */
static const struct field port_causes[] = {
	{ "oper_error_status", Q_DOWN_CAUSE_BITS, 0, 0, FIELD_COUNTER, 1 },
	CAUSE("mac_local_fault", 0),
	CAUSE("mac_remote_fault", 1),
	CAUSE("fec_sync_loss", 2),
	CAUSE("fec_alignment_loss", 3),
	CAUSE("high_ser_error", 4),
	CAUSE("high_ber_error", 5),
	CAUSE("crc_rate", 6),
	CAUSE("data_unit_crc_error", 7),
	CAUSE("data_unit_size", 8),
	CAUSE("data_unit_misalignment_error", 9),
	CAUSE("code_group_error", 10),
	CAUSE("signal_local_error", 11),
	CAUSE("no_rx_reachability", 12),
};

static const struct field port_rates[] = {
	{ "RX_BPS", Q_SOURCE_RX_OCTETS_PER_S, 0, 0, FIELD_SCALED, 1 },
	{ "TX_BPS", Q_SOURCE_TX_OCTETS_PER_S, 0, 0, FIELD_SCALED, 1 },
	{ "RX_PPS", Q_SOURCE_RX_FRAMES_PER_S, 0, 0, FIELD_SCALED, 1 },
	{ "TX_PPS", Q_SOURCE_TX_FRAMES_PER_S, 0, 0, FIELD_SCALED, 1 },
	{ "FEC_PRE_BER", Q_SOURCE_PRE_FEC_BER_E18, 0, 0, FIELD_RATIO, E18 },
	{ "FEC_POST_BER", Q_SOURCE_POST_FEC_BER_E18, 0, 0, FIELD_RATIO, E18 },
	{ "FEC_PRE_BER_MAX", Q_SOURCE_PRE_FEC_BER_MAX_E18, 0, 0, FIELD_RATIO,
	  E18 },
	{ "FEC_FLR", Q_SOURCE_FRAME_LOSS_RATIO_E18, 0, 0, FIELD_SHARE, E18 },
	{ "FEC_FLR_PREDICTED", Q_SOURCE_FRAME_LOSS_RATIO_PREDICTED_E18, 0, 0,
	  FIELD_SHARE, E18 },
	{ "FEC_MAX_T", Q_SOURCE_FEC_MAX_SYMBOL_ERRORS, 0, 0, FIELD_SCALED, 1 },
	{ "FEC_FLR_R_SQUARED", Q_SOURCE_FRAME_LOSS_FIT_PPM, 0, 0, FIELD_SCALED,
	  1000000 },
};

static const struct field port_phy[] = {
	LANE_LIST("phy_rx_signal_detect", Q_PHY_RX_SIGNAL, LANES_STATE),
	LANE(Q_PHY_RX_SIGNAL_CHANGES, 0), MORE_LANES(Q_PHY_RX_SIGNAL_CHANGES),
	LANE_LIST("pcs_fec_lane_alignment_lock", Q_PHY_FEC_LANE_LOCK,
		  LANES_STATE),
	LANE(Q_PHY_FEC_LANE_LOCK_CHANGES, 0),
	MORE_LANES(Q_PHY_FEC_LANE_LOCK_CHANGES),
	LANE_LIST("rx_snr", Q_PHY_RX_SNR_MDB, LANES_SNR),
	LANE_LIST("rx_vga", Q_PHY_RX_VGA, LANES_NUMBER),
};

/* TRANSCEIVER_STATUS_SW has a row for each sub-port. */
static const struct field port_xcvr[] = {
	{ "cmis_state", Q_MODULE_XCVR_STATE, 0, 0, FIELD_WORD,
	  WORDS_XCVR_STATE },
	{ "error", Q_MODULE_XCVR_ERROR, 0, 0, FIELD_SENTENCE, 0 },
};

static const struct field port_lldp[] = {
	FIELD_AS_TEXT("lldp_rem_sys_name", LLDP_TEXT_SWITCH),
	FIELD_AS_TEXT("lldp_rem_port_id", LLDP_TEXT_PORT),
	FIELD_AS_TEXT("lldp_rem_port_id_subtype", LLDP_TEXT_PORT_KIND),
	FIELD_AS_TEXT("lldp_rem_port_desc", LLDP_TEXT_PORT_DESCRIPTION),
	FIELD_AS_TEXT("lldp_rem_chassis_id", LLDP_TEXT_CHASSIS),
};

static const struct field port_neighbor[] = {
	FIELD_AS_TEXT("name", NEIGHBOR_TEXT_SWITCH),
	FIELD_AS_TEXT("port", NEIGHBOR_TEXT_PORT),
};

static const struct field port_qos[] = {
	FIELD_AS_TEXT("pfc_enable", 0),
};

/* Which of the gearboxes a port runs through. */
static const struct field port_gearbox[] = {
	FIELD_AS_TEXT("name", GEARBOX_TEXT_NAME),
	FIELD_AS_TEXT("phy_id", GEARBOX_TEXT_PHY),
};

/* --- GB_COUNTERS_DB: a gearbox's two sides -------------------------------- */

static const struct field gearbox[] = {
	PORT("IF_IN_FEC_CORRECTABLE_FRAMES",
	     Q_GEARBOX_SYSTEM_FEC_CORRECTED_CODEWORDS, 0),
	PORT("IF_IN_FEC_NOT_CORRECTABLE_FRAMES",
	     Q_GEARBOX_SYSTEM_FEC_UNCORRECTABLE_CODEWORDS, 0),
	PORT("IF_IN_FEC_SYMBOL_ERRORS", Q_GEARBOX_SYSTEM_FEC_SYMBOL_ERRORS, 0),
	PORT("IF_IN_ERRORS", Q_GEARBOX_SYSTEM_IN_ERRORS, 0),
	GEARBOX_BIN(0), GEARBOX_BIN(1), GEARBOX_BIN(2), GEARBOX_BIN(3),
	GEARBOX_BIN(4), GEARBOX_BIN(5), GEARBOX_BIN(6), GEARBOX_BIN(7),
	GEARBOX_BIN(8), GEARBOX_BIN(9), GEARBOX_BIN(10), GEARBOX_BIN(11),
	GEARBOX_BIN(12), GEARBOX_BIN(13), GEARBOX_BIN(14), GEARBOX_BIN(15),
	GEARBOX_BIN(16),
};

const struct fields fields_port_counters = FIELDS(port_counters);
const struct fields fields_port_drops = FIELDS(port_drops);
const struct fields fields_port_appl = FIELDS(port_appl);
const struct fields fields_port_state = FIELDS(port_state);
const struct fields fields_lag_appl = FIELDS(lag_appl);
const struct fields fields_lag_state = FIELDS(lag_state);
const struct fields fields_port_pfcwd = FIELDS(port_pfcwd);
const struct fields fields_port_errors = FIELDS(port_errors);
const struct fields fields_port_causes = FIELDS(port_causes);
const struct fields fields_port_rates = FIELDS(port_rates);
const struct fields fields_port_phy = FIELDS(port_phy);
const struct fields fields_port_xcvr = FIELDS(port_xcvr);
const struct fields fields_port_lldp = FIELDS(port_lldp);
const struct fields fields_port_neighbor = FIELDS(port_neighbor);
const struct fields fields_port_qos = FIELDS(port_qos);
const struct fields fields_port_gearbox = FIELDS(port_gearbox);
const struct fields fields_gearbox = FIELDS(gearbox);
