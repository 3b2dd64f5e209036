#include "platform/sim/sim_publish.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "petrel/link.h"
#include "platform/driver.h"
#include "platform/sim/published.h"

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
		return ENTITY_NONE;	/* no room: the host reported it */
	return handle;
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
	driver_number(h, to->handle, ATTRIBUTE_MODULE, f->module);
	driver_number(h, to->handle, ATTRIBUTE_FIRST_LANE, f->first_lane);
	driver_number(h, to->handle, ATTRIBUTE_LANE_COUNT, f->lanes);
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
		    unsigned lanes)
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
	h->attribute(h->context, to->module, ATTRIBUTE_SERIAL, to->serial);
	h->attribute(h->context, to->module, ATTRIBUTE_MEDIA, f->media);
	h->attribute(h->context, to->module, ATTRIBUTE_FORM_FACTOR, "QSFP-DD");
	driver_number(h, to->module, ATTRIBUTE_LANE_COUNT, lanes);
}

void publish_module_gone(const struct platform_host *h, struct publish_port *to)
{
	/* A module of several ports is one entity, and is removed once. */
	if (to->first && to->module != ENTITY_NONE)
		h->gone(h->context, to->module);
	to->module = ENTITY_NONE;
	memset(to->lane, 0, sizeof(to->lane));
}

/* Opens a group, if the host had room for its entity. */
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

/* A counter of all ones would read as absent: it is left out until it moves on.
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
	uint64_t mbps = f->speed_bps / BPS_PER_MBPS;

	if (!group_open(h, SOURCE_PORTS, to->handle, age))
		return;
	give(h, Q_OPER_STATUS, 0, p->oper_up ? OPER_UP : OPER_DOWN);
	give(h, Q_ADMIN_STATUS, 0, p->admin_up);
	give(h, Q_SPEED_MBPS, 0, (int64_t)mbps);
	give(h, Q_MTU_OCTETS, 0, MTU_OCTETS);
	give(h, Q_FEC_MODE, 0, fec_mode_parse(f->fec, mbps, f->lanes));
	give(h, Q_LANE_COUNT, 0, f->lanes);
	give(h, Q_MODULE_PRESENT, 0, p->present);
	give(h, Q_DOWN_REASON, 0, reason_of(to, p->down));
	give_count(h, Q_LINK_DOWN_COUNT, 0, p->link_down_count);
}

/* Gives the rows of a table that have a quantity. */
static void rows_give(const struct platform_host *h,
		      const struct plant_port_facts *facts,
		      enum published_of of, const void *state)
{
	size_t count;
	const struct published *row = published_rows(of, &count);

	for (const struct published *end = row + count; row < end; row++)
		if (row->quantity && published_has(row, facts))
			give_count(h, (enum quantity)row->quantity, row->index,
				   published_value(row, state));
}

void publish_counters(const struct platform_host *h,
		      const struct publish_port *to,
		      const struct plant_port *p, const struct read_group *age)
{
	uint64_t marked = 0;

	if (!group_open(h, SOURCE_COUNTERS, to->handle, age))
		return;
	rows_give(h, &to->facts, PUBLISHED_PORT, p);
	for (unsigned i = 0; i < to->facts.queues; i++)
		marked += p->queue[i].ecn_marked_frames;
	give_count(h, Q_ECN_MARKED_FRAMES, 0, marked);
	for (unsigned i = 0; i < PLANT_PRIORITIES; i++)
		if (group_open(h, SOURCE_COUNTERS, to->priority[i], age))
			rows_give(h, &to->facts, PUBLISHED_PRIORITY,
				  &p->priority[i]);
}

void publish_queues(const struct platform_host *h,
		    const struct publish_port *to, const struct plant_port *p,
		    const struct read_group *age)
{
	for (unsigned i = 0; i < to->facts.queues; i++) {
		if (!group_open(h, SOURCE_QUEUES, to->queue[i], age))
			continue;
		rows_give(h, &to->facts, PUBLISHED_QUEUE, &p->queue[i]);
		/* A peak over no time has no meaning. */
		if (age->window_ns > 0)
			give(h, Q_QUEUE_WATERMARK_OCTETS, 0,
			     (int64_t)to->peak[i]);
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
