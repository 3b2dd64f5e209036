#include "platform/bus/readings.h"

#include <stdio.h>
#include <string.h>

static void on_text(void *context, enum attribute which, const char *text)
{
	struct readings *r = context;

	if ((unsigned)which < ATTRIBUTE_COUNT)
		(void)snprintf(r->text[which], sizeof(r->text[0]), "%s", text);
}

static void on_value(void *context, enum quantity quantity, unsigned lane,
		     unsigned index, int64_t value, enum sample_quality quality)
{
	struct readings *r = context;
	const struct quantity_info *q = quantity_find((uint16_t)quantity);

	/* Each quantity belongs to one kind of entity. */
	if (r->count == READINGS_MAX || lane > READINGS_LANES_MAX || !q ||
	    q->scope != (lane == 0 ? ENTITY_MODULE : ENTITY_LANE))
		return;
	r->value[r->count++] = (struct reading){
		.quantity = (uint16_t)quantity, .lane = (uint8_t)lane,
		.index = (uint8_t)index, .quality = (uint8_t)quality,
		.value = value };
}

static void on_implausible(void *context, const char *where, const char *what)
{
	struct readings *r = context;

	if (r->doubts++ == 0)
		(void)snprintf(r->doubt, sizeof(r->doubt), "%s: %s", where,
			       what);
}

struct module_sink readings_begin(struct readings *r)
{
	r->count = r->doubts = 0;
	r->doubt[0] = '\0';
	for (unsigned i = 0; i < ATTRIBUTE_COUNT; i++)
		r->text[i][0] = '\0';
	return (struct module_sink){ r, on_text, on_value, on_implausible };
}

static void lane_give(const struct readings *r, const struct platform_host *h,
		      unsigned lane)
{
	for (unsigned i = 0; i < r->count; i++) {
		const struct reading *v = &r->value[i];

		if (v->lane == lane)
			h->sample(h->context, (enum quantity)v->quantity,
				  v->index, v->value,
				  (enum sample_quality)v->quality);
	}
}

void readings_give(const struct readings *r, const struct platform_host *host,
		   unsigned source, readings_entity_fn *entity, void *context,
		   const struct read_group *age)
{
	uint64_t lanes = 0;

	for (unsigned i = 0; i < r->count; i++)
		lanes |= UINT64_C(1) << r->value[i].lane;
	for (unsigned lane = 0; lanes >> lane; lane++) {
		uint32_t handle = lanes >> lane & 1 ? entity(context, lane) :
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
	for (unsigned i = 1; i < ATTRIBUTE_COUNT; i++)
		if (r->text[i][0])
			host->attribute(host->context, module,
					(enum attribute)i, r->text[i]);
}
