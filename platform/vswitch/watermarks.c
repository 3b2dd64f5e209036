#include "platform/vswitch/watermarks.h"

#include "platform/vswitch/box.h"

static const struct {
	const char *table;
	size_t offset;
} tables[] = {
	{ "COUNTERS", offsetof(struct peak, last) },
	{ "PERIODIC_WATERMARKS", offsetof(struct peak, periodic) },
	{ "PERSISTENT_WATERMARKS", offsetof(struct peak, persistent) },
	{ "USER_WATERMARKS", offsetof(struct peak, user) },
};

static void raise(uint64_t *to, uint64_t value)
{
	if (value > *to)
		*to = value;
}

static void peak_read(struct peak *p)
{
	p->last = p->running;
	p->running = 0;
	raise(&p->periodic, p->last);
	raise(&p->persistent, p->last);
	raise(&p->user, p->last);
}

/* An object has one watermark or two. */
struct marks {
	uint64_t oid;
	const char *name[2];
	struct peak *peak[2];
};

static uint64_t peak_at(const struct peak *p, size_t offset)
{
	return *(const uint64_t *)((const char *)p + offset);
}

static void marks_play(struct out *o, const struct marks *m)
{
	char oid[BOX_OID_MAX];

	box_oid_text(m->oid, oid);
	for (unsigned i = 0; i < 2 && m->peak[i]; i++)
		peak_read(m->peak[i]);
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		out_row(o, COUNTERS_DB, tables[t].table, oid);
		for (unsigned i = 0; i < 2 && m->peak[i]; i++)
			out_u64(o, m->name[i],
				peak_at(m->peak[i], tables[t].offset));
		out_row_end(o);
	}
}

static void port_play(struct out *o, struct box_port *p)
{
	for (unsigned q = 0; q < p->facts.queues; q++)
		marks_play(o, &(struct marks){
			.oid = p->queue_oid[q],
			.name = { "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES" },
			.peak = { &p->queue_peak[q] },
		});
	for (unsigned g = 0; g < BOX_GROUPS; g++)
		marks_play(o, &(struct marks){
			.oid = p->group_oid[g],
			.name = { "SAI_INGRESS_PRIORITY_GROUP_STAT_"
				  "SHARED_WATERMARK_BYTES",
				  "SAI_INGRESS_PRIORITY_GROUP_STAT_"
				  "XOFF_ROOM_WATERMARK_BYTES" },
			.peak = { &p->group_peak[g], &p->group_xoff[g] },
		});
}

/* The headroom of the pool is what its groups use of theirs. */
static void pools_play(struct box *b, unsigned asic)
{
	struct box_asic *a = &b->asic[asic];
	struct peak headroom = { 0 };

	for (size_t i = 0; i < b->port_count; i++)
		if (b->port[i].asic == asic)
			headroom.running += b->port[i].group_xoff[
				BOX_LOSSLESS].last;
	for (unsigned i = 0; i < POOL_COUNT; i++)
		marks_play(&a->out, &(struct marks){
			.oid = a->pool_oid[i],
			.name = { "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES",
				  "SAI_BUFFER_POOL_STAT_"
				  "XOFF_ROOM_WATERMARK_BYTES" },
			.peak = { &a->pool_peak[i],
				  i == POOL_INGRESS_LOSSLESS ? &headroom :
							       NULL },
		});
}

void watermarks_play(struct box *b)
{
	for (size_t i = 0; i < b->port_count; i++)
		if (!b->port[i].stopped)
			port_play(box_out(b, &b->port[i]), &b->port[i]);
	for (unsigned i = 0; i < b->asic_count; i++)
		pools_play(b, i);
}

void watermarks_period_end(struct box *b)
{
	for (size_t i = 0; i < b->port_count; i++) {
		struct box_port *p = &b->port[i];

		for (unsigned q = 0; q < PLANT_QUEUES_MAX; q++)
			p->queue_peak[q].periodic = 0;
		for (unsigned g = 0; g < BOX_GROUPS; g++)
			p->group_peak[g].periodic =
				p->group_xoff[g].periodic = 0;
	}
	for (unsigned i = 0; i < b->asic_count; i++)
		for (unsigned n = 0; n < POOL_COUNT; n++)
			b->asic[i].pool_peak[n].periodic = 0;
}
