#include "platform/sim/publish.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "petrel/link.h"
#include "platform/sim/fec.h"

#define MTU_OCTETS 9216
#define BPS_PER_MBPS 1000000

static uint32_t entity(const struct platform_host *h, enum entity_kind kind,
		       uint32_t parent, uint32_t number, const char *name)
{
	struct entity_key key = { .kind = kind, .parent = parent,
				  .number = number };
	uint32_t handle;

	(void)snprintf(key.name, sizeof(key.name), "%s", name);
	if (h->entity(h->context, &key, &handle) < 0)
		return ENTITY_NONE;	/* no room: the host told it */
	return handle;
}

static void attribute_number(const struct platform_host *h, uint32_t handle,
			     enum attribute which, unsigned number)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%u", number);
	h->attribute(h->context, handle, which, text);
}

void publish_switch(const struct platform_host *h, const struct plant *p)
{
	uint32_t handle = entity(h, ENTITY_SWITCH, ENTITY_NONE, 0,
				 plant_switch_name(p));

	if (handle == ENTITY_NONE)
		return;
	h->attribute(h->context, handle, ATTRIBUTE_PLATFORM, "petrel-sim");
	h->attribute(h->context, handle, ATTRIBUTE_SERIAL,
		     plant_switch_name(p));
	h->attribute(h->context, handle, ATTRIBUTE_HWSKU, "Petrel-Sim");
}

static void port_attributes(const struct platform_host *h,
			    const struct publish_port *to)
{
	const struct plant_port_facts *f = &to->facts;
	const struct {
		enum attribute which;
		const char *text;
	} texts[] = {
		{ ATTRIBUTE_ALIAS, f->alias },
		{ ATTRIBUTE_MEDIA, f->media },
		{ ATTRIBUTE_FEC, f->fec },
		{ ATTRIBUTE_GROUP, f->group },
		{ ATTRIBUTE_PEER_SWITCH, f->peer_switch },
		{ ATTRIBUTE_PEER_PORT, f->peer_port },
		{ ATTRIBUTE_ROLE, "Ext" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		h->attribute(h->context, to->handle, texts[i].which,
			     texts[i].text);
	attribute_number(h, to->handle, ATTRIBUTE_MODULE, f->module);
	attribute_number(h, to->handle, ATTRIBUTE_FIRST_LANE, f->first_lane);
	attribute_number(h, to->handle, ATTRIBUTE_LANE_COUNT, f->lanes);
}

void publish_port(const struct platform_host *h, struct publish_port *to)
{
	to->dom_ns = -1;
	to->handle = entity(h, ENTITY_PORT, ENTITY_NONE, 0, to->facts.name);
	if (to->handle == ENTITY_NONE)
		return;
	port_attributes(h, to);
	for (unsigned i = 0; i < to->facts.queues; i++)
		to->queue[i] = entity(h, ENTITY_QUEUE, to->handle, i, "");
	for (unsigned i = 0; i < PLANT_PRIORITIES; i++)
		to->priority[i] = entity(h, ENTITY_PRIORITY, to->handle, i,
					 "");
}

static void lanes_make(const struct platform_host *h, struct publish_port *to)
{
	const struct plant_port_facts *f = &to->facts;

	for (unsigned i = 0; i < f->media_lanes; i++)
		to->lane[i] = f->optical && to->module != ENTITY_NONE ?
			entity(h, ENTITY_LANE, to->module, f->first_lane + i,
			       "") : ENTITY_NONE;
}

void publish_module(const struct platform_host *h, struct publish_port *to,
		    const char *serial, unsigned lanes)
{
	const struct plant_port_facts *f = &to->facts;

	to->module = entity(h, ENTITY_MODULE, ENTITY_NONE, f->module, "");
	to->dom_ns = -1;
	memset(to->given, 0, sizeof(to->given));
	lanes_make(h, to);
	if (to->module == ENTITY_NONE || !to->first)
		return;
	h->attribute(h->context, to->module, ATTRIBUTE_VENDOR, f->vendor);
	h->attribute(h->context, to->module, ATTRIBUTE_PART, f->part);
	h->attribute(h->context, to->module, ATTRIBUTE_SERIAL, serial);
	h->attribute(h->context, to->module, ATTRIBUTE_MEDIA, f->media);
	h->attribute(h->context, to->module, ATTRIBUTE_FORM_FACTOR, "QSFP-DD");
	attribute_number(h, to->module, ATTRIBUTE_LANE_COUNT, lanes);
}

void publish_module_gone(const struct platform_host *h,
			 struct publish_port *to)
{
	/* A module of several ports is one entity, and goes once. */
	if (to->first && to->module != ENTITY_NONE)
		h->gone(h->context, to->module);
	to->module = ENTITY_NONE;
	memset(to->lane, 0, sizeof(to->lane));
}

/* Opens a group, unless the host had no room for its entity. */
static bool group_open(const struct platform_host *h, unsigned source,
		       uint32_t handle, const struct read_group *age)
{
	if (handle == ENTITY_NONE)
		return false;
	h->group(h->context, source, handle, age);
	return true;
}

static void give(const struct platform_host *h, enum quantity q,
		 unsigned index, int64_t value)
{
	h->sample(h->context, q, index, value, QUALITY_GOOD);
}

/* A counter that stands at all ones would read as absent: it is left out
 * until it moved on.
 */
static void give_count(const struct platform_host *h, enum quantity q,
		       unsigned index, uint64_t value)
{
	if (value != SAMPLE_COUNTER_ABSENT)
		give(h, q, index, (int64_t)value);
}

static enum down_reason reason_of(const struct publish_port *to,
				  enum plant_down down)
{
	static const enum down_reason reasons[PLANT_DOWN_COUNT] = {
		[PLANT_IS_UP] = DOWN_UNKNOWN,
		[PLANT_DOWN_ADMIN] = DOWN_ADMIN,
		[PLANT_DOWN_NO_MODULE] = DOWN_NO_MODULE,
		[PLANT_DOWN_NO_LIGHT] = DOWN_RX_LOS,
		[PLANT_DOWN_REMOTE] = DOWN_MAC_REMOTE_FAULT,
		[PLANT_DOWN_HIGH_BER] = DOWN_HIGH_BER,
		[PLANT_DOWN_STARTING] = DOWN_UNKNOWN,
	};

	if (down == PLANT_DOWN_NO_LIGHT && !to->facts.optical)
		return DOWN_NO_CARRIER;
	return reasons[down];
}

void publish_status(const struct platform_host *h,
		    const struct publish_port *to, const struct plant_port *p,
		    const struct read_group *age)
{
	const struct plant_port_facts *f = &to->facts;
	uint64_t lane_mbps = f->speed_bps / BPS_PER_MBPS / f->lanes;

	if (!group_open(h, SOURCE_PORTS, to->handle, age))
		return;
	give(h, Q_OPER_STATUS, 0, p->oper_up ? OPER_UP : OPER_DOWN);
	give(h, Q_ADMIN_STATUS, 0, p->admin_up);
	give(h, Q_SPEED_MBPS, 0, (int64_t)(f->speed_bps / BPS_PER_MBPS));
	give(h, Q_MTU_OCTETS, 0, MTU_OCTETS);
	give(h, Q_FEC_MODE, 0, fec_mode_parse(f->fec, (unsigned)lane_mbps));
	give(h, Q_LANE_COUNT, 0, f->lanes);
	give(h, Q_MODULE_PRESENT, 0, p->present);
	give(h, Q_DOWN_REASON, 0, reason_of(to, p->down));
	give_count(h, Q_LINK_DOWN_COUNT, 0, p->link_down_count);
}

/* Where a counter lies in the state of a port, a queue or a priority. */
struct counter_row {
	size_t offset;
	enum quantity quantity;
	unsigned count;		/* consecutive, by index */
};

#define PORT_ROW(q, field, n) { offsetof(struct plant_port, field), q, n }
#define QUEUE_ROW(q, field) { offsetof(struct plant_queue, field), q, 1 }
#define PRIORITY_ROW(q, field) \
	{ offsetof(struct plant_priority, field), q, 1 }

static const struct counter_row port_rows[] = {
	PORT_ROW(Q_IF_IN_OCTETS, in_octets, 1),
	PORT_ROW(Q_IF_OUT_OCTETS, out_octets, 1),
	PORT_ROW(Q_IF_IN_NON_UCAST_FRAMES, in_non_ucast_frames, 1),
	PORT_ROW(Q_IF_OUT_NON_UCAST_FRAMES, out_non_ucast_frames, 1),
	PORT_ROW(Q_IF_IN_ERRORS, in_errors, 1),
	PORT_ROW(Q_IF_IN_DISCARDS, in_discards, 1),
	PORT_ROW(Q_IF_OUT_DISCARDS, out_discards, 1),
	PORT_ROW(Q_ETHER_IN_SIZE_FRAMES, in_size_frames, PLANT_SIZE_BINS),
	PORT_ROW(Q_ETHER_OUT_SIZE_FRAMES, out_size_frames, PLANT_SIZE_BINS),
};

static const struct counter_row fec_rows[] = {
	PORT_ROW(Q_FEC_CORRECTED_CODEWORDS, fec_corrected_codewords, 1),
	PORT_ROW(Q_FEC_UNCORRECTABLE_CODEWORDS, fec_uncorrectable_codewords,
		 1),
	PORT_ROW(Q_FEC_SYMBOL_ERRORS, fec_symbol_errors, 1),
	PORT_ROW(Q_FEC_CORRECTED_BITS, fec_corrected_bits, 1),
};

static const struct counter_row queue_rows[] = {
	QUEUE_ROW(Q_QUEUE_FRAMES, frames),
	QUEUE_ROW(Q_QUEUE_OCTETS, octets),
	QUEUE_ROW(Q_QUEUE_DROPPED_FRAMES, dropped_frames),
	QUEUE_ROW(Q_QUEUE_DROPPED_OCTETS, dropped_octets),
	QUEUE_ROW(Q_QUEUE_ECN_MARKED_FRAMES, ecn_marked_frames),
};

static const struct counter_row priority_rows[] = {
	PRIORITY_ROW(Q_PFC_RX_FRAMES, pfc_rx_frames),
	PRIORITY_ROW(Q_PFC_TX_FRAMES, pfc_tx_frames),
	PRIORITY_ROW(Q_PFC_RX_PAUSE_US, pfc_rx_pause_us),
	PRIORITY_ROW(Q_PFC_TX_PAUSE_US, pfc_tx_pause_us),
};

static void rows_give(const struct platform_host *h,
		      const struct counter_row *rows, size_t count,
		      const void *from)
{
	for (size_t i = 0; i < count; i++) {
		const uint64_t *value = (const uint64_t *)
			((const char *)from + rows[i].offset);

		for (unsigned n = 0; n < rows[i].count; n++)
			give_count(h, rows[i].quantity, n, value[n]);
	}
}

#define ROWS_GIVE(h, rows, from) \
	rows_give(h, rows, sizeof(rows) / sizeof((rows)[0]), from)

static void fec_give(const struct platform_host *h,
		     const struct publish_port *to, const struct plant_port *p)
{
	const struct code *code = code_find(to->facts.fec);

	if (!code)
		return;
	ROWS_GIVE(h, fec_rows, p);
	for (unsigned i = 0; i < code->bins; i++)
		give_count(h, Q_FEC_CODEWORD_ERRORS, i, p->fec_bins[i]);
}

void publish_counters(const struct platform_host *h,
		      const struct publish_port *to,
		      const struct plant_port *p, const struct read_group *age)
{
	uint64_t marked = 0;

	if (!group_open(h, SOURCE_COUNTERS, to->handle, age))
		return;
	ROWS_GIVE(h, port_rows, p);
	give_count(h, Q_IF_IN_UCAST_FRAMES, 0,
		   p->in_frames - p->in_non_ucast_frames);
	give_count(h, Q_IF_OUT_UCAST_FRAMES, 0,
		   p->out_frames - p->out_non_ucast_frames);
	for (unsigned i = 0; i < to->facts.queues; i++)
		marked += p->queue[i].ecn_marked_frames;
	give_count(h, Q_ECN_MARKED_FRAMES, 0, marked);
	fec_give(h, to, p);
	for (unsigned i = 0; i < PLANT_PRIORITIES; i++)
		if (group_open(h, SOURCE_COUNTERS, to->priority[i], age))
			ROWS_GIVE(h, priority_rows, &p->priority[i]);
}

void publish_queues(const struct platform_host *h,
		    const struct publish_port *to, const struct plant_port *p,
		    const uint64_t *peak, const struct read_group *age)
{
	for (unsigned i = 0; i < to->facts.queues; i++) {
		if (!group_open(h, SOURCE_QUEUES, to->queue[i], age))
			continue;
		ROWS_GIVE(h, queue_rows, &p->queue[i]);
		give(h, Q_QUEUE_OCCUPANCY_OCTETS, 0,
		     (int64_t)p->queue[i].occupancy_octets);
		/* A peak over no time is none. */
		if (age->window_ns > 0)
			give(h, Q_QUEUE_WATERMARK_OCTETS, 0, (int64_t)peak[i]);
	}
}

void publish_sensor(const struct platform_host *h,
		    const struct plant_sensor *s, const struct read_group *age)
{
	uint32_t handle = entity(h, ENTITY_SENSOR, ENTITY_NONE, 0, s->name);

	if (!group_open(h, SOURCE_SENSORS, handle, age))
		return;
	if (!isnan(s->temp_c))
		give(h, Q_SENSOR_TEMP_MC, 0, llround(s->temp_c * 10) * 100);
	if (!isnan(s->fan_rpm))
		give(h, Q_SENSOR_FAN_RPM, 0, llround(s->fan_rpm));
}
