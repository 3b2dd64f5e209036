#include "platform/sonic/meaning/counters.h"

#include <string.h>

#include "agent/base/number.h"
#include "platform/sonic/meaning/text.h"
#include "platform/sonic/poll/age.h"
#include "platform/sonic/poll/run.h"
#include "platform/sonic/switchdb/namespace.h"

uint32_t counters_entity_of(struct namespace *s, uint32_t handle,
			    struct port *port, unsigned part)
{
	struct entity_key key = { .kind = ENTITY_PRIORITY, .parent = handle,
				  .number = part - 1 };
	uint32_t *priority;

	if (part == 0)
		return handle;
	if (!port || part > PORT_PRIORITIES_MAX)
		return ENTITY_NONE;
	priority = &port->priority[part - 1];
	if (*priority == ENTITY_NONE &&
	    s->host->entity(s->host->context, &key, priority) < 0)
		*priority = ENTITY_NONE;
	return *priority;
}

/* The delay of a queue, from its row. */
static void delay_row(struct namespace *s, const struct object *o,
		      const struct run *r, const struct row *row)
{
	const struct field_index *x = &r->index;
	struct delay_reading reading = { .taken = r->age.taken,
					 .delay_ns = -1,
					 .occupancy_octets = -1,
					 .watermark_octets = -1,
					 .sent_octets = -1,
					 .speed_mbps = o->port ?
						o->port->link.speed_mbps : -1 };
	struct delay *d;

	(void)row_value(row, x, Q_QUEUE_DELAY_NS, &reading.delay_ns);
	(void)row_value(row, x, Q_QUEUE_OCCUPANCY_OCTETS,
			&reading.occupancy_octets);
	(void)row_value(row, x, Q_QUEUE_WATERMARK_OCTETS,
			&reading.watermark_octets);
	(void)row_value(row, x, Q_QUEUE_OCTETS, &reading.sent_octets);
	if (!delay_reading_is_any(&reading))
		return;
	d = delays_get(&s->delays, o->handle, r->age.taken);
	if (!d)
		return;
	delay_take(d, &reading);
	delay_tell(d, s->host);
}

/* The age of a run's rows: one for all, unless Redis stalls in between. */
static void row_age(struct run *r, const struct poll *p)
{
	int64_t late_ns = age_late_ns(r, p);

	if (r->age_known && late_ns == r->age_late_ns)
		return;
	r->age_late_ns = late_ns;
	r->age_known = true;
	r->repeated = r->table->age == AGE_FLEX &&
		      age_of_flex(r, p, &r->age);
	if (r->table->age != AGE_FLEX)
		r->age = (struct read_group){
			.taken = { p->asked.ns + late_ns / 2 },
			.uncertainty_ns = late_ns / 2 };
}

/* An object's row, in the namespace of its run. */
struct object_row {
	const struct run *run;
	const struct object *object;
};

static uint32_t counters_entity(void *context, unsigned part)
{
	const struct object_row *of = context;

	return counters_entity_of(of->run->namespace, of->object->handle,
				  of->object->port, part);
}

unsigned counters_row_aged(struct poll *p, const struct run *r,
			   struct object *o, const struct row *row,
			   const struct read_group *age)
{
	struct object_row of = { r, o };
	struct row_target to = {
		.host = r->namespace->host,
		.source = p->source,
		.quality = QUALITY_GOOD,
		.entity = counters_entity,
		.context = &of,
		.age = *age,
	};

	to.age.part = r->number;
	return row_emit(row, &r->index, &to);
}

void counters_row(struct poll *p, struct run *r, struct object *o,
		  const struct row *row)
{
	row_age(r, p);
	if (!r->repeated && counters_row_aged(p, r, o, row, &r->age) > 0 &&
	    r->table->object == OBJECT_QUEUE)
		delay_row(r->namespace, o, r, row);
}

/* --- without syncd's stamps ----------------------------------------------- */

#define LATE_INTERVALS 3	/* unchanged for longer: idle objects */
#define SPACING_INTERVALS 7	/* changes further apart are of few frames */

/* How long syncd may be late before unchanged rows mean idle objects. */
static int64_t patience_ns(const struct run *r)
{
	int64_t interval_ns = r->namespace->flex[r->table->group].interval_ns;
	int64_t seen_ns = 2 * r->spacing_ns;

	if (r->spacing_ns > SPACING_INTERVALS * interval_ns ||
	    seen_ns < LATE_INTERVALS * interval_ns)
		return LATE_INTERVALS * interval_ns;
	return seen_ns;
}

/* syncd may need longer than its interval, which may also be unknown. Taken for
 * a reading, a row that it has not written again has rates of 0, and the next
 * one rates that are too high. While no row of the table has changed since this
 * one did, syncd has written none of them.
 */
static bool is_unwritten(struct run *r, const struct poll *p,
			 struct last_row *last, const struct row *row)
{
	uint64_t stamp = row_hash(row, &r->index);

	if (stamp != last->stamp) {
		if (last->stamp != 0 && !r->wrote)
			run_guess_write(r, p->asked);
		r->wrote |= last->stamp != 0;
		*last = (struct last_row){ stamp, p->asked };
		return false;
	}
	return r->written.ns <= last->read.ns &&
	       p->asked.ns - r->written.ns < patience_ns(r);
}

void counters_late_row(struct poll *p, struct run *r, struct object *o,
		       const struct row *row)
{
	bool repeats = is_unwritten(r, p, r->table->group == FLEX_PORT_DROP ?
				    &o->port->drops : &o->last, row);
	bool is_stamped = r->namespace->flex[r->table->group].stamp_ns > 0;

	if (!is_stamped && repeats)
		return;
	row_age(r, p);
	if (!is_stamped && r->wrote)
		r->age.taken = r->write;
	counters_row(p, r, o, row);
}

/* --- ports and gearboxes -------------------------------------------------- */

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
/* PFC watchdog's own estimate, by a script of SONiC. */
#define HISTORY(n, name, quantity)					\
	{ "EST_PORT_STAT_PFC_" #n "_" name, quantity, 0, (n) + 1,	\
	  FIELD_COUNTER, 1 }
#define CHOSEN(n)							\
	PORT("IN_CONFIGURED_DROP_REASONS_" #n "_DROPPED_PKTS",		\
	     Q_IN_CONFIGURED_DROPS, n),					\
	PORT("OUT_CONFIGURED_DROP_REASONS_" #n "_DROPPED_PKTS",		\
	     Q_OUT_CONFIGURED_DROPS, n)
#define LLR(name) PORT("LLR_" #name, Q_LLR_##name, 0)
/* Values that SONiC's scripts derive from the counters: to compare only. */
#define E18 UINT64_C(1000000000000000000)
/* A list fills the nameless fields after it. */
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
	/* SAI has two names for the first of each range. */
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

/* GB_COUNTERS_DB: a gearbox's two sides. */
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

/* True if a lane has the state 0 of this quantity. */
static bool lane_lacks(const struct run *r, const struct row *row,
		       enum quantity what)
{
	const struct fields *fields = &r->table->fields;

	for (unsigned i = 0; i < fields->count; i++)
		if (fields->list[i].quantity == what && row_has(row, i) &&
		    row->value[i] == 0)
			return true;
	return false;
}

/* Signal and lock of the chip's lanes; kept for the cause of a down link. */
static void phy_row(struct poll *p, struct run *r, struct object *o,
		    const struct row *row)
{
	struct port_link *l = &o->port->link;

	l->phy_dark = lane_lacks(r, row, Q_PHY_RX_SIGNAL);
	l->phy_unlocked = lane_lacks(r, row, Q_PHY_FEC_LANE_LOCK);
	l->phy_at = p->asked;
	counters_row(p, r, o, row);
}

/* --- fabric --------------------------------------------------------------- */

#define FABRIC_PERIOD_NS (30 * NS_PER_S)	/* fabricportsorch's */

#define FLAG(name, quantity) { name, quantity, 0, 0, FIELD_BOOL, 1 }

/* As polled for fabricportsorch. */
static const struct field fabric_counters[] = {
	PORT("IF_IN_OCTETS", Q_FABRIC_IN_OCTETS, 0),
	PORT("IF_OUT_OCTETS", Q_FABRIC_OUT_OCTETS, 0),
	PORT("IF_IN_ERRORS", Q_FABRIC_IN_ERRORS, 0),
	PORT("IF_IN_FABRIC_DATA_UNITS", Q_FABRIC_IN_CELLS, 0),
	PORT("IF_OUT_FABRIC_DATA_UNITS", Q_FABRIC_OUT_CELLS, 0),
	PORT("IF_IN_FEC_CORRECTABLE_FRAMES", Q_FABRIC_CORRECTED_CODEWORDS, 0),
	PORT("IF_IN_FEC_NOT_CORRECTABLE_FRAMES",
	     Q_FABRIC_UNCORRECTABLE_CODEWORDS, 0),
	PORT("IF_IN_FEC_SYMBOL_ERRORS", Q_FABRIC_SYMBOL_ERRORS, 0),
};

static const struct field fabric_state[] = {
	{ "STATUS", Q_FABRIC_OPER_STATUS, 0, 0, FIELD_WORD, WORDS_OPER },
	FLAG("ISOLATED", Q_FABRIC_ISOLATED),
	FLAG("AUTO_ISOLATED", Q_FABRIC_AUTO_ISOLATED),
	FLAG("CONFIG_ISOLATED", Q_FABRIC_CONFIG_ISOLATED),
	{ "PORT_DOWN_COUNT", Q_FABRIC_DOWN_COUNT, 0, 0, FIELD_COUNTER, 1 },
	FIELD_ATTRIBUTE("REMOTE_MOD", 0, ATTRIBUTE_PEER_SWITCH),
	FIELD_ATTRIBUTE("REMOTE_PORT", 1, ATTRIBUTE_PEER_PORT),
};

static const struct field switch_drops[] = {
	{ "SAI_SWITCH_STAT_PACKET_INTEGRITY_DROP", Q_SWITCH_INTEGRITY_DROPS, 0,
	  0, FIELD_COUNTER, 1 },
};

/* A link between chips: whether it is up or isolated, and its peer. */
static void state_row(struct poll *p, struct run *r, struct object *o,
		      const struct row *row)
{
	const struct read_group age = {
		.taken = { p->asked.ns - FABRIC_PERIOD_NS / 2 },
		.uncertainty_ns = FABRIC_PERIOD_NS / 2 };

	row_attributes(row, &r->index, r->namespace->host, o->handle, true);
	(void)counters_row_aged(p, r, o, row, &age);
}

/* For the switch; the index is the chip. */
static void drops_row(struct poll *p, struct run *r, struct object *o,
		      const struct row *row)
{
	static const struct entity_key self = { .kind = ENTITY_SWITCH };
	const struct platform_host *host = r->namespace->host;
	struct read_group age = { .part = r->number };
	uint64_t chip = 0;
	uint32_t handle;

	(void)o;
	if (row->values == 0 || age_of_flex(r, p, &age) ||
	    host->entity(host->context, &self, &handle) < 0)
		return;
	if (strncmp(r->namespace->name, "asic", 4) == 0 &&
	    number_parse(r->namespace->name + 4, 0, UINT8_MAX, &chip) < 0)
		return;
	host->group(host->context, p->source, handle, &age);
	host->sample(host->context, Q_SWITCH_INTEGRITY_DROPS, (unsigned)chip,
		     row->value[0], QUALITY_GOOD);
	r->age_known = true;
}

/* --- tables --------------------------------------------------------------- */

static const struct table tables[] = {
	{ SYNCD("COUNTERS", SONIC_COUNTERS, OBJECT_PORT, FLEX_PORT),
	  FIELDS(port_counters), .whole = true, .take = counters_late_row },
	{ SYNCD("RATES", SONIC_RATES, OBJECT_PORT, FLEX_PORT),
	  FIELDS(port_rates), .sparse = true, .take = counters_row },
	{ SYNCD("PORT_PHY_ATTR", SONIC_PHY, OBJECT_PORT, FLEX_PHY),
	  FIELDS(port_phy), .whole = true, .sparse = true, .take = phy_row },
	{ ROW("COUNTERS", SONIC_GEARBOX, DATABASE_GB_COUNTERS,
	      OBJECT_GEARBOX_SYSTEM),
	  FIELDS(gearbox), .key = KEY_OID, .whole = true, .optional = true,
	  .take = counters_row },
	{ ROW("COUNTERS", SONIC_GEARBOX, DATABASE_GB_COUNTERS,
	      OBJECT_GEARBOX_LINE),
	  FIELDS(gearbox, .shift = Q_GEARBOX_LINE_IN_ERRORS -
				   Q_GEARBOX_SYSTEM_IN_ERRORS),
	  .key = KEY_OID, .whole = true, .optional = true,
	  .take = counters_row },
	{ SYNCD("COUNTERS", SONIC_FABRIC, OBJECT_FABRIC_PORT, FLEX_FABRIC),
	  FIELDS(fabric_counters), .take = counters_late_row },
	{ ROW("FABRIC_PORT_TABLE", SONIC_FABRIC, DATABASE_STATE,
	      OBJECT_FABRIC_PORT),
	  FIELDS(fabric_state), .optional = true, .take = state_row },
	{ SYNCD("COUNTERS", SONIC_FABRIC, OBJECT_CHIP, FLEX_SWITCH),
	  FIELDS(switch_drops), .optional = true, .take = drops_row },
};

const struct table_list counters_tables = TABLE_LIST(tables);
