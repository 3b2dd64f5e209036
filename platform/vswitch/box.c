#include "platform/vswitch/box.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOUR_LEVELS_FROM_BPS UINT64_C(30000000000)	/* a lane */
#define FIRST_OID 0x1000
#define DEFAULT_SCENARIO "switch\n"

enum { SAI_PORT = 0x1, SAI_QUEUE = 0x15, SAI_POOL = 0x18, SAI_GROUP = 0x1a };

static int plant_read(const char *path, struct plant **ret, struct diag *d)
{
	int rc;

	if (!path)
		return plant_open(DEFAULT_SCENARIO, strlen(DEFAULT_SCENARIO),
				  "scenario", ret, d);
	rc = plant_open_file(path, ret, d);
	return rc < 0 ? diag_prefix(d, rc, "--scenario") : 0;
}

static enum module_form form_of(const struct box_port *p)
{
	bool four_levels = p->facts.coherent ||
		p->facts.speed_bps / p->facts.lanes > FOUR_LEVELS_FROM_BPS;

	if (four_levels)
		return p->facts.monitored ? FORM_CMIS : FORM_CMIS_COPPER;
	if (p->cage_lanes == 1)
		return FORM_SFP;
	return p->facts.monitored ? FORM_QSFP28 : FORM_QSFP28_COPPER;
}

static unsigned cage_ports(const struct box *b, const struct box_port *p)
{
	unsigned count = 0;

	for (size_t i = 0; i < b->port_count; i++)
		count += b->port[i].facts.module == p->facts.module;
	return count;
}

static void ports_make(struct box *b)
{
	size_t per_asic = (b->port_count + b->asic_count - 1) / b->asic_count;

	for (size_t i = 0; i < b->port_count; i++) {
		struct box_port *p = &b->port[i];

		plant_port_facts(b->plant, i, &p->facts);
		p->asic = (unsigned)(i / per_asic);
		p->out = &b->asic[p->asic].out;
		p->flags = &b->flags[i];
	}
	for (size_t i = 0; i < b->port_count; i++) {
		struct box_port *p = &b->port[i];
		unsigned sharing = cage_ports(b, p);

		p->cage_ports = sharing;
		p->cage_lanes = p->facts.lanes * sharing;
		p->subport = sharing == 1 ? 0 :
			     (p->facts.first_lane - 1) / p->facts.lanes + 1;
		p->serdes = (p->facts.module - 1) * p->cage_lanes +
			    p->facts.first_lane;
		p->form = form_of(p);
	}
}

int box_open(struct box *b, const char *scenario, unsigned asic_count,
	     struct diag *d)
{
	int rc;

	memset(b, 0, sizeof(*b));
	b->speed = 1;
	b->root_fd = -1;
	b->host = asic_count > 1 ? &b->host_out : &b->asic[0].out;
	b->asic_count = asic_count;
	rc = plant_read(scenario, &b->plant, d);
	if (rc < 0)
		return rc;
	b->port_count = plant_port_count(b->plant);
	if (b->port_count < asic_count) {
		rc = diag_set(d, -EINVAL, "--asics %u: the scenario has %zu "
			      "ports", asic_count, b->port_count);
		goto fail;
	}
	b->port = calloc(b->port_count, sizeof(*b->port));
	b->flags = calloc(b->port_count, sizeof(*b->flags));
	if (!b->port || !b->flags) {
		rc = diag_set(d, -ENOMEM, "no memory for %zu ports",
			      b->port_count);
		goto fail;
	}
	ports_make(b);
	b->start = clock_mono_now();
	box_renumber(b);
	box_advance(b, b->start);
	return 0;
fail:
	box_close(b);
	return rc;
}

void box_close(struct box *b)
{
	if (b->root_fd >= 0)
		(void)close(b->root_fd);	/* nothing was written to it */
	for (unsigned i = 0; i < b->asic_count; i++)
		out_fini(&b->asic[i].out);
	if (b->asic_count > 1)
		out_fini(&b->host_out);
	free(b->port);
	free(b->flags);
	plant_close(b->plant);
	memset(b, 0, sizeof(*b));
	b->root_fd = -1;
}

static void peak_raise(struct peak *p, uint64_t value)
{
	if (value > p->running)
		p->running = value;
}

/* The plant has no ingress buffers: a priority group is assumed to hold as much
 * as the queue of the same number, and its headroom what exceeds half of the
 * buffer.
 */
static void port_peaks(struct box_port *p)
{
	uint64_t half = p->facts.queue_buffer_octets / 2;

	for (unsigned i = 0; i < p->facts.queues; i++)
		peak_raise(&p->queue_peak[i], p->now.queue[i].peak_octets);
	for (unsigned i = 0; i < BOX_GROUPS && i < p->facts.queues; i++) {
		uint64_t octets = p->now.queue[i].peak_octets;

		peak_raise(&p->group_peak[i], octets < half ? octets : half);
		peak_raise(&p->group_xoff[i], octets < half ? 0 :
						octets - half);
	}
}

/* Total of all queues: their occupancies, plus the largest single burst, as
 * bursts of two queues seldom coincide.
 */
struct held {
	uint64_t standing, burst;
};

static void held_add(struct held *h, const struct plant_queue *q)
{
	h->standing += q->occupancy_octets;
	if (q->peak_octets > q->occupancy_octets &&
	    q->peak_octets - q->occupancy_octets > h->burst)
		h->burst = q->peak_octets - q->occupancy_octets;
}

static void pool_peaks(struct box *b, unsigned asic)
{
	struct peak *peaks = b->asic[asic].pool_peak;
	struct held lossless = { 0 }, lossy = { 0 };

	for (size_t i = 0; i < b->port_count; i++) {
		const struct box_port *p = &b->port[i];

		for (unsigned q = 0; p->asic == asic && q < p->facts.queues;
		     q++)
			held_add(q == BOX_LOSSLESS ? &lossless : &lossy,
				 &p->now.queue[q]);
	}
	peak_raise(&peaks[POOL_EGRESS_LOSSLESS],
		   lossless.standing + lossless.burst);
	peak_raise(&peaks[POOL_INGRESS_LOSSLESS],
		   lossless.standing + lossless.burst);
	peak_raise(&peaks[POOL_EGRESS_LOSSY], lossy.standing + lossy.burst);
}

void box_advance(struct box *b, struct mono now)
{
	int64_t before = plant_now_ns(b->plant);
	size_t booting = 0;

	b->now = now;
	plant_advance(b->plant, (int64_t)((double)mono_diff_ns(now, b->start) *
					  b->speed));
	for (size_t i = 0; i < b->port_count; i++) {
		plant_port(b->plant, i, &b->port[i].now);
		booting += b->port[i].now.down == PLANT_DOWN_STARTING;
	}
	b->booting = booting == b->port_count;
	if (plant_now_ns(b->plant) == before)
		return;		/* the peaks are the same as before */
	for (size_t i = 0; i < b->port_count; i++)
		port_peaks(&b->port[i]);
	for (unsigned i = 0; i < b->asic_count; i++)
		pool_peaks(b, i);
}

void box_set_second(struct box *b, int64_t unix_s)
{
	b->host->now_s = unix_s;
	for (unsigned i = 0; i < b->asic_count; i++)
		b->asic[i].out.now_s = unix_s;
}

void box_look(struct box *b)
{
	box_set_second(b, clock_wall_now().ns / NS_PER_S);
	box_advance(b, clock_mono_now());
}

static uint64_t oid_next(struct box_asic *a, unsigned type)
{
	return (uint64_t)type << 48 | ++a->next_oid;
}

void box_renumber_port(struct box *b, struct box_port *p)
{
	struct box_asic *a = &b->asic[p->asic];

	p->oid = oid_next(a, SAI_PORT);
	for (unsigned q = 0; q < p->facts.queues; q++)
		p->queue_oid[q] = oid_next(a, SAI_QUEUE);
	for (unsigned g = 0; g < BOX_GROUPS; g++)
		p->group_oid[g] = oid_next(a, SAI_GROUP);
	memset(&p->rates, 0, sizeof(p->rates));
	p->watchdog.is_known = false;	/* its queue has a new row */
}

void box_renumber(struct box *b)
{
	for (unsigned i = 0; i < b->asic_count; i++) {
		struct box_asic *a = &b->asic[i];

		a->next_oid = FIRST_OID;
		a->cpu_oid = oid_next(a, SAI_PORT);
		for (unsigned p = 0; p < POOL_COUNT; p++)
			a->pool_oid[p] = oid_next(a, SAI_POOL);
	}
	/* The same ids as before, but nearly each for another object. */
	for (size_t i = 0; i < b->port_count; i++)
		box_renumber_port(b, &b->port[(i + b->generation) %
					      b->port_count]);
	b->generation++;
}

static void counters_base(struct box *b, bool restart)
{
	static const struct plant_port zero;

	for (size_t i = 0; i < b->port_count; i++) {
		struct box_port *p = &b->port[i];

		p->base = restart ? p->now : zero;
		memcpy(p->queue_base, p->base.queue, sizeof(p->queue_base));
		memset(&p->link, 0, sizeof(p->link));
	}
}

void box_counters_restart(struct box *b)
{
	counters_base(b, true);
}

void box_counters_keep(struct box *b)
{
	counters_base(b, false);
}

struct box_port *box_next(const struct box *b, const struct box_port *p)
{
	struct box_port *end = b->port + b->port_count;

	for (struct box_port *at = p ? b->port + (p - b->port) + 1 : b->port;
	     at < end; at++)
		if (!at->stopped)
			return at;
	return NULL;
}

bool box_is_first(const struct box_port *p)
{
	return p->subport <= 1;
}

struct box_port *box_find(const struct box *b, const char *name)
{
	for (size_t i = 0; i < b->port_count; i++)
		if (strcmp(b->port[i].facts.name, name) == 0)
			return &b->port[i];
	return NULL;
}
