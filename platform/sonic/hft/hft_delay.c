#include "platform/sonic/hft/hft_delay.h"

static const enum quantity place_quantities[HFT_DELAY_PLACES] = {
	[HFT_PLACE_DELAY] = Q_QUEUE_DELAY_NS,
	[HFT_PLACE_OCCUPANCY] = Q_QUEUE_OCCUPANCY_OCTETS,
	[HFT_PLACE_WATERMARK] = Q_QUEUE_WATERMARK_OCTETS,
	[HFT_PLACE_SENT] = Q_QUEUE_OCTETS,
};

static int place_of(const struct hft_template *t, const struct hft_object *o,
		    enum quantity quantity)
{
	for (unsigned i = o->first; i < o->first + o->count; i++)
		if (t->values[i].field->quantity == quantity)
			return (int)i;
	return -1;
}

void hft_delay_resolve(struct hft_template *t, struct delays *all,
		       struct mono now)
{
	for (unsigned i = 0; i < t->object_count; i++) {
		struct hft_object *o = &t->objects[i];

		if (o->kind != OBJECT_QUEUE || o->handle == ENTITY_NONE)
			continue;
		for (unsigned p = 0; p < HFT_DELAY_PLACES; p++)
			o->place[p] = place_of(t, o, place_quantities[p]);
		if (o->place[HFT_PLACE_DELAY] >= 0 ||
		    o->place[HFT_PLACE_OCCUPANCY] >= 0 ||
		    o->place[HFT_PLACE_WATERMARK] >= 0)
			o->delay = delays_get(all, o->handle, now);
	}
}

static int64_t value_of(const struct hft_template *t,
			const struct hft_object *o, enum hft_delay_place which)
{
	int64_t value;

	if (o->place[which] < 0 ||
	    !hft_template_last(t, (unsigned)o->place[which], &value))
		return -1;
	return value;
}

void hft_delay_record(void *context, const struct hft_template *t)
{
	(void)context;	/* all that it needs hangs on the objects */
	for (unsigned i = 0; i < t->object_count; i++) {
		const struct hft_object *o = &t->objects[i];
		struct delay_reading r = { .taken = t->taken };

		if (!o->delay)
			continue;
		r.delay_ns = value_of(t, o, HFT_PLACE_DELAY);
		r.occupancy_octets = value_of(t, o, HFT_PLACE_OCCUPANCY);
		r.watermark_octets = value_of(t, o, HFT_PLACE_WATERMARK);
		r.sent_octets = value_of(t, o, HFT_PLACE_SENT);
		r.speed_mbps = o->port ? o->port->link.speed_mbps : -1;
		delay_take(o->delay, &r);
	}
}
