#include "platform/vswitch/voq.h"

#include <stdio.h>

#include "platform/vswitch/box.h"

#define FABRIC_PORTS 4		/* of a chip */
#define CELL_OCTETS 256		/* of a frame in one */
#define VOQ_OIDS UINT64_C(0x150000f0000000)
#define FABRIC_OIDS UINT64_C(0x100000f0000000)
#define GENERATION_OIDS UINT64_C(0x1000000)
#define NAME_MAX_OCTETS 128

static void voq_oid(const struct box *b, size_t port, unsigned queue,
		    char ret[BOX_OID_MAX])
{
	box_oid_text(VOQ_OIDS + b->generation * GENERATION_OIDS +
		     port * PLANT_QUEUES_MAX + queue, ret);
}

static void fabric_oid(const struct box *b, unsigned n, char ret[BOX_OID_MAX])
{
	box_oid_text(FABRIC_OIDS + b->generation * GENERATION_OIDS + n, ret);
}

/* "sim-leaf01|Asic0|Ethernet8:3": each chip has one towards each port. */
static void voq_name(const struct box *b, const struct box_port *p,
		     unsigned queue, char ret[NAME_MAX_OCTETS])
{
	(void)snprintf(ret, NAME_MAX_OCTETS, "%s|Asic%u|%s:%u",
		       plant_switch_name(b->plant), p->asic, p->facts.name,
		       queue);
}

void voq_settings(struct box *b)
{
	for (unsigned a = 0; a < b->asic_count; a++)
		out_pairs(&b->asic[a].out, CONFIG_DB, "DEVICE_METADATA",
			  "localhost", (const struct out_pair[]){
				  { "switch_type", "voq" }, { NULL, NULL } });
}

static void voq_rows(struct box *b, const char *table, bool by_oid)
{
	char name[NAME_MAX_OCTETS], oid[BOX_OID_MAX];

	for (unsigned a = 0; a < b->asic_count; a++) {
		struct out *o = &b->asic[a].out;

		out_row(o, COUNTERS_DB, table, NULL);
		for (size_t i = 0; i < b->port_count; i++)
			for (unsigned q = 0; q < BOX_UNICAST; q++) {
				voq_oid(b, i, q, oid);
				voq_name(b, &b->port[i], q, name);
				out_text(o, by_oid ? oid : name, by_oid ?
					 "SAI_QUEUE_TYPE_UNICAST_VOQ" : oid);
			}
		out_row_end(o);
	}
}

void voq_maps(struct box *b)
{
	char name[NAME_MAX_OCTETS], oid[BOX_OID_MAX];

	voq_rows(b, "COUNTERS_VOQ_NAME_MAP", false);
	voq_rows(b, "COUNTERS_QUEUE_TYPE_MAP", true);
	for (unsigned a = 0; a < b->asic_count; a++) {
		struct out *o = &b->asic[a].out;

		out_row(o, COUNTERS_DB, "COUNTERS_FABRIC_PORT_NAME_MAP", NULL);
		for (unsigned n = 0; n < FABRIC_PORTS; n++) {
			(void)snprintf(name, sizeof(name), "PORT%u", n);
			fabric_oid(b, n, oid);
			out_text(o, name, oid);
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

/* What goes to a port of a chip waits on that chip. */
static void voq_row(struct box *b, size_t i, unsigned queue)
{
	const struct box_port *p = &b->port[i];
	const struct plant_queue *q = &p->now.queue[queue];
	struct out *o = &b->asic[p->asic].out;
	char oid[BOX_OID_MAX];

	voq_oid(b, i, queue, oid);
	out_row(o, COUNTERS_DB, "COUNTERS", oid);
	out_u64(o, "SAI_QUEUE_STAT_PACKETS", q->frames);
	out_u64(o, "SAI_QUEUE_STAT_BYTES", q->octets);
	out_u64(o, "SAI_QUEUE_STAT_DROPPED_PACKETS", q->dropped_frames);
	out_u64(o, "SAI_QUEUE_STAT_CREDIT_WD_DELETED_PACKETS", 0);
	out_row_end(o);
}

static void fabric_play(struct box *b, unsigned asic)
{
	struct out *o = &b->asic[asic].out;
	char oid[BOX_OID_MAX];
	uint64_t octets = 0;

	for (size_t i = 0; i < b->port_count; i++)
		for (unsigned q = 0; q < BOX_UNICAST; q++)
			if (b->port[i].asic == asic)
				octets += b->port[i].now.queue[q].octets;
	for (unsigned n = 0; n < FABRIC_PORTS; n++) {
		uint64_t share = octets / FABRIC_PORTS;

		fabric_oid(b, n, oid);
		out_row(o, COUNTERS_DB, "COUNTERS", oid);
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

void voq_play(struct box *b)
{
	for (size_t i = 0; i < b->port_count; i++)
		for (unsigned q = 0; q < BOX_UNICAST; q++)
			if (!b->port[i].stopped)
				voq_row(b, i, q);
	for (unsigned a = 0; a < b->asic_count; a++)
		fabric_play(b, a);
}
