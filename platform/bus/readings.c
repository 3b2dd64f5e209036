#include "platform/bus/readings.h"

#include <stdio.h>
#include <string.h>

static void on_text(void *context, enum attribute which, const char *text)
{
	struct readings *r = context;

	if ((unsigned)which < ATTRIBUTE_COUNT)
		(void)snprintf(r->text[which], sizeof(r->text[0]), "%s", text);
}

static enum entity_kind kind_of(unsigned lane)
{
	if (lane > MODULE_PATH)
		return ENTITY_DATA_PATH;
	return lane ? ENTITY_LANE : ENTITY_MODULE;
}

static void on_value(void *context, enum quantity quantity, unsigned lane,
		     unsigned index, int64_t value, enum sample_quality quality)
{
	struct readings *r = context;
	const struct quantity_info *q = quantity_find((uint16_t)quantity);

	if (r->count == READINGS_MAX - READINGS_JUDGED_MAX ||
	    lane % MODULE_PATH > READINGS_LANES_MAX || !q ||
	    !quantity_fits(q, kind_of(lane)))
		return;
	r->value[r->count++] = (struct module_value){
		.quantity = (uint16_t)quantity, .lane = (uint8_t)lane,
		.index = (uint8_t)index, .quality = (uint8_t)quality,
		.value = value };
}

/* The parts of the memory that an index of the faults covers. */
static const unsigned reading_parts[READING_OF_COUNT] = {
	[READING_OF_IDENTITY] = MODULE_IDENTITY,
	[READING_OF_THRESHOLDS] = MODULE_THRESHOLDS | MODULE_VDM_THRESHOLDS,
	[READING_OF_MONITORS] = MODULE_MONITORS,
	[READING_OF_CONTROLS] = MODULE_CONTROLS,
	[READING_OF_VDM] = MODULE_VDM | MODULE_PM,
	[READING_OF_FLAGS] = MODULE_FLAGS,
	[READING_OF_STATES] = MODULE_STATUS,
};

static void on_implausible(void *context, const struct module_doubt *doubt)
{
	struct readings *r = context;
	uint16_t bit = (uint16_t)(1u << doubt->fault);

	for (unsigned i = 0; i < READING_OF_COUNT; i++) {
		if (!(doubt->parts & reading_parts[i]))
			continue;
		r->fault[i][0] |= bit;
		if (doubt->lane <= READINGS_LANES_MAX)
			r->fault[i][doubt->lane] |= bit;
	}
	if (r->doubts++ == 0)
		(void)snprintf(r->doubt, sizeof(r->doubt), "%s: %s",
			       doubt->where, doubt->what);
}

struct module_sink readings_begin(struct readings *r)
{
	r->count = r->doubts = 0;
	r->doubt[0] = '\0';
	memset(r->fault, 0, sizeof(r->fault));
	for (unsigned i = 0; i < ATTRIBUTE_COUNT; i++)
		r->text[i][0] = '\0';
	return (struct module_sink){ r, on_text, on_value, on_implausible };
}

static void fault_add(struct readings *r, enum quantity quantity,
		      unsigned lane, unsigned index)
{
	if (r->count < READINGS_MAX)
		r->value[r->count++] = (struct module_value){
			.quantity = (uint16_t)quantity, .lane = (uint8_t)lane,
			.index = (uint8_t)index, .quality = QUALITY_GOOD,
			.value = r->fault[index][lane] };
}

/* Lanes with a value or a fault. */
static uint64_t lanes_of(const struct readings *r, unsigned index)
{
	uint64_t lanes = 0;

	for (unsigned i = 0; i < r->count; i++)
		if (r->value[i].lane < MODULE_PATH)
			lanes |= UINT64_C(1) << r->value[i].lane;
	for (unsigned lane = 0; lane <= READINGS_LANES_MAX; lane++)
		if (r->fault[index][lane])
			lanes |= UINT64_C(1) << lane;
	return lanes & ~UINT64_C(1);
}

void readings_judge(struct readings *r, unsigned parts)
{
	for (unsigned i = 0; i < READING_OF_COUNT; i++) {
		bool has_lanes = i == READING_OF_MONITORS ||
				 i == READING_OF_VDM || i == READING_OF_STATES;
		uint64_t lanes = has_lanes ? lanes_of(r, i) : 0;

		if (!(parts & reading_parts[i]))
			continue;
		fault_add(r, Q_MODULE_READING_FAULTS, 0, i);
		for (unsigned lane = 1; lanes >> lane; lane++)
			if (lanes >> lane & 1)
				fault_add(r, Q_LANE_READING_FAULTS, lane, i);
	}
}

static void lane_give(const struct readings *r, const struct platform_host *h,
		      unsigned lane)
{
	for (unsigned i = 0; i < r->count; i++) {
		const struct module_value *v = &r->value[i];

		if (v->lane == lane)
			h->sample(h->context, (enum quantity)v->quantity,
				  v->index, v->value,
				  (enum sample_quality)v->quality);
	}
}

void readings_give(const struct readings *r, const struct platform_host *host,
		   unsigned source, readings_entity_fn *entity, void *context,
		   const struct read_group *age, struct readings_given *given)
{
	const struct readings_given before = *given;

	memset(given, 0, sizeof(*given));
	for (unsigned i = 0; i < r->count; i++)
		given->lanes[r->value[i].lane / 8] |=
			(uint8_t)(1u << r->value[i].lane % 8);
	for (unsigned lane = 0; lane < 8 * sizeof(given->lanes); lane++) {
		unsigned told = before.lanes[lane / 8] | given->lanes[lane / 8];
		uint32_t handle = told >> lane % 8 & 1 ? entity(context, lane) :
							 ENTITY_NONE;

		if (handle == ENTITY_NONE)
			continue;
		host->group(host->context, source, handle, age);
		lane_give(r, host, lane);
	}
}

void readings_give_texts(const struct readings *r,
			 const struct platform_host *host, uint32_t module)
{
	/* firmware images without a text are outdated: remove them */
	for (unsigned i = 1; i < ATTRIBUTE_COUNT; i++)
		if (r->text[i][0] || i == ATTRIBUTE_FIRMWARE_IMAGES)
			host->attribute(host->context, module,
					(enum attribute)i, r->text[i]);
}
