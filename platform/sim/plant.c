#include "petrel/plant.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "petrel/clock.h"
#include "platform/sim/plant_cage.h"
#include "platform/sim/draw.h"
#include "platform/sim/scenario.h"
#include "platform/sim/scenario_text.h"

enum { DRAW_ROOM = 0x91, DRAW_SENSOR };

struct plant {
	struct scenario *scenario;
	struct room room;
	int64_t now_ns;			/* of the last step */
	double pace;			/* its seconds per clock second */
	size_t cage_count;
	struct plant_cage *cage;
	struct cage_port *port;
	const struct planted **active;	/* room for all faults */
};

static bool is_active(const struct planted *f, int64_t before_ns,
		      int64_t now_ns)
{
	if (f->start_ns > now_ns)
		return false;
	return f->end_ns > now_ns || f->start_ns > before_ns ||
		(fault_nature(f->kind)->counts && f->end_ns > before_ns);
}

/* The faults that have an effect in the step from before_ns to now_ns. */
static size_t active_find(struct plant *p, int64_t before_ns, int64_t now_ns)
{
	const struct scenario *s = p->scenario;
	size_t n = 0;

	for (size_t i = 0; i < s->fault_count; i++)
		if (is_active(&s->fault[i], before_ns, now_ns))
			p->active[n++] = &s->fault[i];
	return n;
}

static void plant_step(struct plant *p, int64_t before_ns, int64_t now_ns)
{
	struct step st = {
		.now_ns = now_ns,
		.before_ns = before_ns,
		.pace = p->pace,
		.room_c = room_c(&p->room, (double)now_ns / (double)NS_PER_S),
		.fault = p->active,
		.fault_count = active_find(p, before_ns, now_ns),
	};

	for (size_t i = 0; i < p->cage_count; i++)
		plant_cage_step(&p->cage[i], &st);
	p->now_ns = now_ns;
}

/* Cages first: a port uses the physics of its module. */
static int plant_make(struct plant *p)
{
	const struct scenario *s = p->scenario;
	size_t ports = s->ports;

	p->cage_count = (ports + s->breakout - 1) / s->breakout;
	p->cage = calloc(p->cage_count, sizeof(*p->cage));
	p->port = calloc(ports, sizeof(*p->port));
	p->active = calloc(s->fault_count + 1, sizeof(const struct planted *));
	if (!p->cage || !p->port || !p->active)
		return -ENOMEM;
	for (size_t i = 0; i < p->cage_count; i++) {
		size_t first = i * s->breakout, left = ports - first;

		plant_cage_init(&p->cage[i], s, i, &p->port[first],
				left < s->breakout ? left : s->breakout);
	}
	p->room = (struct room){
		.mean_c = s->ambient_c,
		.swing_k = s->swing_k,
		.phase = key_unit(draw_key(s->seed, DRAW_ROOM, 0, 0)),
		.wander = draw_key(s->seed, DRAW_ROOM, 1, 0),
	};
	return 0;
}

int plant_open(const char *text, size_t len, const char *file,
	       struct plant **ret, struct diag *d)
{
	struct plant *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return diag_set(d, -ENOMEM, "%s: no memory", file);
	rc = scenario_read(text, len, file, &p->scenario, d);
	if (rc < 0)
		goto fail;
	rc = plant_make(p);
	if (rc < 0) {
		diag_set(d, rc, "%s: no memory for %u ports", file,
			 p->scenario->ports);
		goto fail;
	}
	p->pace = 1;
	plant_step(p, -1, 0);
	*ret = p;
	return 0;
fail:
	plant_close(p);
	return rc;
}

int plant_open_file(const char *path, struct plant **ret, struct diag *d)
{
	/* One octet more than the limit shows that a file is too long. */
	char *text = malloc(SCENARIO_OCTETS_MAX + 1);
	FILE *in = fopen(path, "re");
	size_t len = 0;
	int rc = in ? 0 : -errno;

	if (in && text)
		len = fread(text, 1, SCENARIO_OCTETS_MAX + 1, in);
	if (in && ferror(in))
		rc = -errno;
	if (in)
		(void)fclose(in);	/* only read */
	if (rc < 0 || !text)
		rc = diag_set(d, rc < 0 ? rc : -ENOMEM, "%s: %s", path,
			      rc < 0 ? strerror(-rc) : "no memory");
	else
		rc = plant_open(text, len, path, ret, d);
	free(text);
	return rc;
}

void plant_close(struct plant *p)
{
	if (!p)
		return;
	free(p->cage);
	free(p->port);
	free(p->active);
	scenario_free(p->scenario);
	free(p);
}

void plant_pace(struct plant *p, double speed)
{
	p->pace = speed;
}

const char *plant_switch_name(const struct plant *p)
{
	return p->scenario->name;
}

int64_t plant_tick_ns(const struct plant *p)
{
	return p->scenario->tick_ns;
}

int64_t plant_dom_period_ns(const struct plant *p)
{
	return p->scenario->dom_ns;
}

int64_t plant_now_ns(const struct plant *p)
{
	return p->now_ns;
}

size_t plant_port_count(const struct plant *p)
{
	return p->scenario->ports;
}

size_t plant_sensor_count(const struct plant *p)
{
	(void)p;	/* all simulated boxes have the same */
	return SENSOR_COUNT;
}

size_t plant_fault_count(const struct plant *p)
{
	return p->scenario->fault_count;
}

static void peaks_forget(struct plant *p)
{
	for (size_t i = 0; i < p->scenario->ports; i++)
		for (unsigned q = 0; q < PLANT_QUEUES_MAX; q++)
			p->port[i].shown.queue[q].peak_octets = 0;
}

void plant_advance(struct plant *p, int64_t t_ns)
{
	int64_t tick = p->scenario->tick_ns;

	if (t_ns - p->now_ns < tick)
		return;
	peaks_forget(p);
	while (t_ns - p->now_ns >= tick)
		plant_step(p, p->now_ns, p->now_ns + tick);
}

void plant_port_facts(const struct plant *p, size_t port,
		      struct plant_port_facts *ret)
{
	const struct scenario *s = p->scenario;
	const struct cage_port *c = &p->port[port];
	const struct media *m = c->facts->media;
	unsigned number = (unsigned)port * s->step;

	memset(ret, 0, sizeof(*ret));
	(void)snprintf(ret->name, sizeof(ret->name), SCENARIO_PREFIX "%u",
		       number);
	(void)snprintf(ret->alias, sizeof(ret->alias), "etp%zu", port + 1);
	(void)snprintf(ret->media, sizeof(ret->media), "%s", m->name);
	(void)snprintf(ret->fec, sizeof(ret->fec), "%s", c->facts->fec);
	(void)snprintf(ret->group, sizeof(ret->group), "%s", c->facts->group);
	(void)snprintf(ret->peer_switch, sizeof(ret->peer_switch), "peer%02zu",
		       port / 4 + 1);
	(void)snprintf(ret->peer_port, sizeof(ret->peer_port),
		       SCENARIO_PREFIX "%zu", port % 4 * 8);
	(void)snprintf(ret->vendor, sizeof(ret->vendor), "Petrel Sim");
	(void)snprintf(ret->part, sizeof(ret->part), "%s", m->part);
	ret->module = (unsigned)(port / s->breakout) + 1;
	ret->first_lane = (unsigned)(port % s->breakout) * s->lanes + 1;
	ret->lanes = s->lanes;
	ret->media_lanes = m->coherent ? 1 : s->lanes;
	ret->speed_bps = s->speed_bps;
	ret->queues = s->queues;
	ret->optical = m->optical;
	ret->monitored = m->monitored;
	ret->coherent = m->coherent;
	ret->queue_buffer_octets = c->traffic.buffer_octets;
	optic_limits(m, &ret->limits);
}

void plant_fault(const struct plant *p, size_t n, struct plant_fault *ret)
{
	const struct planted *f = &p->scenario->fault[n];
	size_t count;

	memset(ret, 0, sizeof(*ret));
	ret->start_ns = f->start_ns;
	ret->end_ns = f->end_ns;
	ret->line_number = f->line;
	(void)snprintf(ret->where, sizeof(ret->where), "%s", f->where);
	(void)snprintf(ret->fault, sizeof(ret->fault), "%s",
		       plant_faults(&count)[f->kind].name);
	(void)snprintf(ret->line, sizeof(ret->line), "%s", f->text);
}

uint8_t plant_fault_lanes(const struct plant *p, size_t n, size_t port)
{
	const struct planted *f = &p->scenario->fault[n];
	struct moment m = {
		.port = port,
		.lanes = p->port[port].facts->media->coherent ? 1 :
			p->scenario->lanes,
		.seed = p->scenario->seed,
	};

	return planted_on(f, port) ? stress_lanes(f, &m) : 0;
}

void plant_port(const struct plant *p, size_t port, struct plant_port *ret)
{
	*ret = p->port[port].shown;
}

bool plant_coherent(const struct plant *p, size_t port,
		    struct plant_coherent *ret)
{
	const struct cage_port *c = &p->port[port];

	if (!c->facts->media->coherent || !c->shown.present)
		return false;
	*ret = p->cage[port / p->scenario->breakout].coherent.shown;
	return true;
}

void plant_sensor(const struct plant *p, size_t n, struct plant_sensor *ret)
{
	const struct scenario *s = p->scenario;
	double t_s = (double)p->now_ns / (double)NS_PER_S, load = 0;
	bool fan_dead = false;

	for (size_t i = 0; i < s->fault_count; i++)
		if (s->fault[i].kind == FAULT_FAN &&
		    s->fault[i].start_ns <= p->now_ns &&
		    s->fault[i].end_ns > p->now_ns)
			fan_dead = true;
	for (size_t i = 0; i < s->ports; i++)
		load += traffic_load(&p->port[i].traffic, DIRECTION_OUT,
				     &p->port[i].stress, t_s);
	sensor_state((unsigned)n, room_c(&p->room, t_s) +
		     p->port[0].stress.air_k, load / s->ports, fan_dead,
		     draw_key(s->seed, DRAW_SENSOR, n, (uint64_t)p->now_ns),
		     ret->name, &ret->temp_c, &ret->fan_rpm);
}
