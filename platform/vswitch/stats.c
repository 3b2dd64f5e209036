#include "platform/vswitch/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "petrel/log.h"
#include "platform/sim/published.h"
#include "platform/vswitch/box.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define FABRIC_PORTS 4		/* of a chip */
#define CELL_OCTETS 256		/* of a frame, per cell */
#define VOQ_OIDS UINT64_C(0x150000f0000000)
#define FABRIC_OIDS UINT64_C(0x100000f0000000)
#define GENERATION_OIDS UINT64_C(0x1000000)
#define NAME_MAX_OCTETS 128

typedef void stats_fn(void *context, const char *name, uint64_t value);

/* What to report, from which state, relative to which. */
struct telling {
	const struct plant_port_facts *facts;
	const void *now, *base;
	stats_fn *told;
	void *context;
};

static void row_tell(const struct telling *t, const struct published *row,
		     unsigned number)
{
	uint64_t value = published_value(row, t->now);
	uint64_t before = published_value(row, t->base);
	char name[64];

	out_numbered(row->sai, number, name, sizeof(name));
	/* A counter that was cleared has no base. */
	t->told(t->context, name, published_is_gauge(row) || value < before ?
				  value : value - before);
}

/* number: of a priority or a queue. */
static void rows_tell(const struct telling *t, enum published_of of,
		      unsigned number)
{
	size_t count;
	const struct published *row = published_rows(of, &count);

	for (const struct published *end = row + count; row < end; row++)
		if (row->sai && published_has(row, t->facts) &&
		    (!published_is_gauge(row) || number == BOX_LOSSLESS))
			row_tell(t, row, number);
}

static struct telling port_telling(const struct box_port *p, stats_fn *told,
				   void *context)
{
	return (struct telling){ &p->facts, &p->shown, &p->base, told,
				 context };
}

/* Calls told for each counter in a port's present row. */
static void port_each(const struct box_port *p, stats_fn *told, void *context)
{
	struct telling t = port_telling(p, told, context);

	rows_tell(&t, PUBLISHED_PORT, 0);
	for (unsigned i = 0; i < PLANT_PRIORITIES; i++) {
		t.now = &p->shown.priority[i];
		t.base = &p->base.priority[i];
		rows_tell(&t, PUBLISHED_PRIORITY, i);
	}
}

static void queue_each(const struct box_port *p, unsigned queue, stats_fn *told,
		       void *context)
{
	struct telling t = { &p->facts, &p->queue_shown[queue],
			     &p->queue_base[queue], told, context };

	rows_tell(&t, PUBLISHED_QUEUE, queue);
}

static void field_tell(void *context, const char *name, uint64_t value)
{
	out_u64(context, name, value);
}

/* The next port that answers this time. */
static struct box_port *next_answered(struct box *b, const struct box_port *p)
{
	struct box_port *next = box_next(b, p);

	while (next && !next->now.counters_readable)
		next = box_next(b, next);
	return next;
}

void stats_ports(struct box *b)
{
	for (struct box_port *p = NULL; (p = next_answered(b, p));) {
		p->shown = p->now;
		out_row_oid(p->out, "COUNTERS", p->oid);
		port_each(p, field_tell, p->out);
		out_row_end(p->out);
	}
}

void stats_port_drops(struct box *b)
{
	for (struct box_port *p = NULL; (p = next_answered(b, p));) {
		struct telling t = port_telling(p, field_tell, p->out);

		out_row_oid(p->out, "COUNTERS", p->oid);
		rows_tell(&t, PUBLISHED_PORT_DROPS, 0);
		out_row_end(p->out);
	}
}

/* Ingress drops of the chip count for the first group. */
static void group_row(const struct box_port *p, unsigned group)
{
	out_row_oid(p->out, "COUNTERS", p->group_oid[group]);
	out_u64(p->out, "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS",
		group == 0 ? p->now.in_discards - p->base.in_discards : 0);
	out_row_end(p->out);
}

void stats_queues(struct box *b)
{
	for (struct box_port *p = NULL; (p = next_answered(b, p));) {
		memcpy(p->queue_shown, p->now.queue, sizeof(p->queue_shown));
		for (unsigned q = 0; q < p->facts.queues; q++) {
			out_row_oid(p->out, "COUNTERS", p->queue_oid[q]);
			queue_each(p, q, field_tell, p->out);
			out_row_end(p->out);
		}
		for (unsigned g = 0; g < BOX_GROUPS; g++)
			group_row(p, g);
	}
}

static void row_forget(struct out *o, uint64_t oid)
{
	static const char *const tables[] = {
		"COUNTERS", "RATES", "PERIODIC_WATERMARKS",
		"PERSISTENT_WATERMARKS", "USER_WATERMARKS", "PORT_PHY_ATTR",
	};
	char text[OUT_OID_MAX];

	out_oid_text(oid, text);
	for (size_t i = 0; i < COUNT(tables); i++)
		out_delete(o, COUNTERS_DB, tables[i], text);
}

void stats_forget(const struct box_port *p)
{
	row_forget(p->out, p->oid);
	for (unsigned q = 0; q < p->facts.queues; q++)
		row_forget(p->out, p->queue_oid[q]);
	for (unsigned g = 0; g < BOX_GROUPS; g++)
		row_forget(p->out, p->group_oid[g]);
}

/* --- watermarks ----------------------------------------------------------- */

static const struct {
	const char *table;
	size_t offset;
} mark_tables[] = {
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
	for (unsigned i = 0; i < 2 && m->peak[i]; i++)
		peak_read(m->peak[i]);
	for (size_t t = 0; t < COUNT(mark_tables); t++) {
		out_row_oid(o, mark_tables[t].table, m->oid);
		for (unsigned i = 0; i < 2 && m->peak[i]; i++)
			out_u64(o, m->name[i],
				peak_at(m->peak[i], mark_tables[t].offset));
		out_row_end(o);
	}
}

static void port_marks(struct box_port *p)
{
	for (unsigned q = 0; q < p->facts.queues; q++)
		marks_play(p->out, &(struct marks){
			.oid = p->queue_oid[q],
			.name = { "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES" },
			.peak = { &p->queue_peak[q] },
		});
	for (unsigned g = 0; g < BOX_GROUPS; g++)
		marks_play(p->out, &(struct marks){
			.oid = p->group_oid[g],
			.name = { "SAI_INGRESS_PRIORITY_GROUP_STAT_"
				  "SHARED_WATERMARK_BYTES",
				  "SAI_INGRESS_PRIORITY_GROUP_STAT_"
				  "XOFF_ROOM_WATERMARK_BYTES" },
			.peak = { &p->group_peak[g], &p->group_xoff[g] },
		});
}

/* The headroom of the pool is the total that its groups use of theirs. */
static void pool_marks(struct box *b, unsigned asic)
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

void stats_watermarks(struct box *b)
{
	for (struct box_port *p = NULL; (p = box_next(b, p));)
		port_marks(p);
	for (unsigned i = 0; i < b->asic_count; i++)
		pool_marks(b, i);
}

void stats_period_end(struct box *b)
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

/* --- virtual output queues ------------------------------------------------ */

static uint64_t voq_oid(const struct box *b, size_t port, unsigned queue)
{
	return VOQ_OIDS + b->generation * GENERATION_OIDS +
	       port * PLANT_QUEUES_MAX + queue;
}

static uint64_t fabric_oid(const struct box *b, unsigned n)
{
	return FABRIC_OIDS + b->generation * GENERATION_OIDS + n;
}

/* "sim-leaf01|Asic0|Ethernet8:3": each chip has one towards each port. */
static void voq_name(const struct box *b, const struct box_port *p,
		     unsigned queue, char ret[NAME_MAX_OCTETS])
{
	(void)snprintf(ret, NAME_MAX_OCTETS, "%s|Asic%u|%s:%u",
		       plant_switch_name(b->plant), p->asic, p->facts.name,
		       queue);
}

static void voq_rows(struct box *b, const char *table, bool by_oid)
{
	char name[NAME_MAX_OCTETS], oid[OUT_OID_MAX];

	for (unsigned a = 0; a < b->asic_count; a++) {
		struct out *o = &b->asic[a].out;

		out_row(o, COUNTERS_DB, table, NULL);
		for (size_t i = 0; i < b->port_count; i++)
			for (unsigned q = 0; q < BOX_UNICAST; q++) {
				out_oid_text(voq_oid(b, i, q), oid);
				voq_name(b, &b->port[i], q, name);
				out_text(o, by_oid ? oid : name, by_oid ?
					 "SAI_QUEUE_TYPE_UNICAST_VOQ" : oid);
			}
		out_row_end(o);
	}
}

void stats_voq_maps(struct box *b)
{
	char name[NAME_MAX_OCTETS];

	voq_rows(b, "COUNTERS_VOQ_NAME_MAP", false);
	voq_rows(b, "COUNTERS_QUEUE_TYPE_MAP", true);
	for (unsigned a = 0; a < b->asic_count; a++) {
		struct out *o = &b->asic[a].out;

		out_row(o, COUNTERS_DB, "COUNTERS_FABRIC_PORT_NAME_MAP", NULL);
		for (unsigned n = 0; n < FABRIC_PORTS; n++) {
			(void)snprintf(name, sizeof(name), "PORT%u", n);
			out_oid(o, name, fabric_oid(b, n));
		}
		out_row_end(o);
		for (unsigned n = 0; n < FABRIC_PORTS; n++) {
			(void)snprintf(name, sizeof(name), "PORT%u", n);
			out_row(o, STATE_DB, "FABRIC_PORT_TABLE", name);
			out_text(o, "STATUS", "up");
			out_u64(o, "REMOTE_MOD", 4);
			out_u64(o, "REMOTE_PORT", 8 * a + n);
			out_text(o, "ISOLATED", "0");
			out_row_end(o);
		}
	}
}

/* Traffic to a port of a chip waits on that chip. */
static void voq_row(struct box *b, size_t i, unsigned queue)
{
	const struct box_port *p = &b->port[i];
	const struct plant_queue *q = &p->now.queue[queue];
	struct out *o = p->out;

	out_row_oid(o, "COUNTERS", voq_oid(b, i, queue));
	out_u64(o, "SAI_QUEUE_STAT_PACKETS", q->frames);
	out_u64(o, "SAI_QUEUE_STAT_BYTES", q->octets);
	out_u64(o, "SAI_QUEUE_STAT_DROPPED_PACKETS", q->dropped_frames);
	out_u64(o, "SAI_QUEUE_STAT_CREDIT_WD_DELETED_PACKETS", 0);
	out_row_end(o);
}

static void fabric_play(struct box *b, unsigned asic)
{
	struct out *o = &b->asic[asic].out;
	uint64_t octets = 0;

	for (size_t i = 0; i < b->port_count; i++)
		for (unsigned q = 0; q < BOX_UNICAST; q++)
			if (b->port[i].asic == asic)
				octets += b->port[i].now.queue[q].octets;
	for (unsigned n = 0; n < FABRIC_PORTS; n++) {
		uint64_t share = octets / FABRIC_PORTS;

		out_row_oid(o, "COUNTERS", fabric_oid(b, n));
		out_u64(o, "SAI_PORT_STAT_IF_IN_OCTETS", share);
		out_u64(o, "SAI_PORT_STAT_IF_OUT_OCTETS", share);
		out_u64(o, "SAI_PORT_STAT_IF_IN_ERRORS", 0);
		out_u64(o, "SAI_PORT_STAT_IF_IN_FABRIC_DATA_UNITS",
			share / CELL_OCTETS);
		out_u64(o, "SAI_PORT_STAT_IF_OUT_FABRIC_DATA_UNITS",
			share / CELL_OCTETS);
		out_u64(o, "SAI_PORT_STAT_IF_IN_FEC_NOT_CORRECTABLE_FRAMES",
			0);
		out_row_end(o);
	}
}

void stats_voqs(struct box *b)
{
	for (size_t i = 0; i < b->port_count; i++)
		for (unsigned q = 0; q < BOX_UNICAST; q++)
			if (!b->port[i].stopped)
				voq_row(b, i, q);
	for (unsigned a = 0; a < b->asic_count; a++)
		fabric_play(b, a);
}

/* --- totals --------------------------------------------------------------- */

struct counters_out {
	FILE *out;
	bool any;
};

static void counter_tell(void *context, const char *name, uint64_t value)
{
	struct counters_out *o = context;

	(void)fprintf(o->out, "%s\"%s\":%" PRIu64, o->any ? "," : "", name,
		      value);
	o->any = true;
}

static void ports_write(FILE *out, const struct box *b)
{
	for (size_t i = 0; i < b->port_count; i++) {
		const struct box_port *p = &b->port[i];
		struct counters_out o = { .out = out };

		(void)fprintf(out, "%s\"%s\":{", i ? "," : "", p->facts.name);
		port_each(p, counter_tell, &o);
		(void)fputc('}', out);
	}
}

static void queues_write(FILE *out, const struct box *b)
{
	const char *comma = "";

	for (size_t i = 0; i < b->port_count; i++) {
		const struct box_port *p = &b->port[i];

		for (unsigned q = 0; q < p->facts.queues; q++) {
			struct counters_out o = { .out = out };

			(void)fprintf(out, "%s\"%s:%u\":{", comma,
				      p->facts.name, q);
			queue_each(p, q, counter_tell, &o);
			(void)fputc('}', out);
			comma = ",";
		}
	}
}

int stats_totals(FILE *out, const struct box *b)
{
	const struct totals *t = &b->totals;

	(void)fprintf(out, "{\"schema\":\"petrel-vswitch-totals/1\","
		      "\"switch\":\"%s\",\"played_ns\":%" PRId64
		      ",\"plays\":%llu,\"connects\":%u,\"renumbered\":%u,"
		      "\"flushed\":%u,\"reloads\":%u,\"ports\":{",
		      plant_switch_name(b->plant), plant_now_ns(b->plant),
		      t->plays, t->connects, t->renumbered, t->flushed,
		      t->reloads);
	ports_write(out, b);
	(void)fputs("},\"queues\":{", out);
	queues_write(out, b);
	(void)fputs("}}\n", out);
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}

int stats_save(const char *path, const struct box *b, struct diag *d)
{
	FILE *out;
	int rc;

	if (!path)
		return 0;
	out = fopen(path, "we");
	if (!out)
		return diag_set(d, -errno, "--json-totals %s: %s", path,
				strerror(errno));
	rc = stats_totals(out, b);
	if (fclose(out) != 0 || rc < 0)
		return diag_set(d, -EIO, "--json-totals %s: cannot be written",
				path);
	return 0;
}

void stats_cost(const struct box *b)
{
	struct timespec cpu;
	double cpu_s, run_s = (double)mono_diff_ns(clock_mono_now(),
						   b->start) /
			      (double)NS_PER_S;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	cpu_s = (double)cpu.tv_sec + (double)cpu.tv_nsec / (double)NS_PER_S;
	log_notice("vswitch", "ends: ports=%zu plays=%llu seconds=%.1f "
		   "cpu=%.1f%%", b->port_count, b->totals.plays,
		   run_s, cpu_s / run_s * 100);
}
