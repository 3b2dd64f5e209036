/* The project's own plant for the judge.
 *
 * open: ports are drawn (a_port), what befalls them is dealt (a_deal), and
 * what is true of that is worked out (a_truth).
 * next: for each port what is under way adds up to a stress (a_kind), which
 * physics (a_link) makes errors and light of; counters (a_count) and monitors
 * (a_dom) follow. read: these, with what a source does to them.
 */
#include "tests/judge/world.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "petrel/clock.h"
#include "tests/judge/a_box.h"
#include "tests/judge/a_count.h"
#include "tests/judge/a_dom.h"
#include "tests/judge/a_noise.h"
#include "tests/judge/a_truth.h"

enum { DRAW_ROOM = 0xd01, DRAW_PLAY, DRAW_BOX_NOISE };

#define EVENTS_MAX 32
#define LATE_MOST 3u		/* ticks that a reading is held back */
#define SHARE_LATE 0.0005
#define SHARE_MISSING 0.002
#define SHARE_MISSING_HARD 0.03
#define DOM_LATE_NS (60 * NS_PER_S)	/* where the case is hard */
#define SHARE_NO_GROUPS 0.15	/* of switches: nobody says what shares what */
#define SHARE_TOLD 0.8		/* of counters cleared */
#define DROP_LOSS 1e-6		/* of codewords: too few for three in a row */
#define RETURN_S 5.0		/* a link that fell is up again after */
#define NOISE_WHITE 0.002	/* of 1/Q^2, from one tick to the next */

/* One port as it is now. */
struct play {
	struct a_count count;
	struct a_dom dom;
	struct a_stress stress;
	struct a_wander light[WORLD_LANES_MAX], noise[WORLD_LANES_MAX];
	double light_sigma_db, noise_sigma;
	struct a_wander heat;
	struct draw draw;
	double ber;
	int64_t poll_ns, down_until_ns;
	bool is_up, is_unread;
	enum down_reason reason;
	char serial[24];
	/* A reading that comes late: given when this has come down to 1. */
	unsigned held_for;
	struct world_reading held;
};

struct world {
	struct world_case c;
	struct a_eye eye;
	struct a_port *port;
	struct world_port *facts;
	struct play *play;
	struct a_room room;
	struct a_hand hand;
	struct truth *truth;
	struct a_box box;
	/* Deeds that are under way, and the first that is not yet. */
	const struct a_deed **active;
	size_t active_count, next_deed;
	int64_t now_ns, tick_ns;
	uint64_t tick;
	double room_now_c;
	unsigned due;
	size_t event_count;
	struct world_event event[EVENTS_MAX];
};

static void serial_set(struct play *p, uint64_t key)
{
	(void)snprintf(p->serial, sizeof(p->serial), "A%010llu",
		       (unsigned long long)(key % 10000000000));
}

static void play_init(struct world *w, unsigned n, int64_t pass_ns)
{
	const struct a_port *port = &w->port[n];
	struct play *p = &w->play[n];
	double drift = w->c.hard ? 2 : 1;
	struct draw *d = &p->draw;

	draw_init(d, draw_key(w->c.seed, DRAW_PLAY, n, w->c.mix));
	a_count_init(&p->count, d);
	a_dom_init(&p->dom, pass_ns, w->c.hard ? DOM_LATE_NS : 0, d);
	p->light_sigma_db = drift * a_log_between(d, 0.015, 0.07);
	p->noise_sigma = drift * a_log_between(d, 0.003, 0.015);
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++) {
		a_wander_init(&p->light[i], d);
		a_wander_init(&p->noise[i], d);
	}
	a_wander_init(&p->heat, d);
	p->is_up = true;
	serial_set(p, draw_key(port->key, 1, 0, 0));
}

static int64_t pass_draw(const struct world_case *c, struct draw *d)
{
	double slow = a_log_between(d, 0.4, 2.5);

	if (c->pace == PACE_SLOW)
		return (int64_t)(fmax(slow, 1) * 60 * (double)NS_PER_S);
	return (int64_t)(fmax(slow, 1) * 10 * (double)NS_PER_S);
}

static int world_make(struct world *w)
{
	struct draw d;
	int64_t pass_ns;
	bool no_groups;
	int rc;

	draw_init(&d, draw_key(w->c.seed, DRAW_ROOM, 0, 0));
	w->room = (struct a_room){ draw_between(&d, 20, 30),
				   draw_between(&d, 0.5, 2.5) *
				   (w->c.hard ? 2 : 1), draw_unit(&d) };
	pass_ns = pass_draw(&w->c, &d);
	no_groups = draw_unit(&d) < SHARE_NO_GROUPS;
	a_eye_init(&w->eye);
	a_ports_draw(&w->c, &w->eye, w->port);
	rc = a_deal(&w->c, w->port, &w->hand);
	if (rc < 0)
		return rc;
	w->active = calloc(w->hand.count + 1, sizeof(const struct a_deed *));
	if (!w->active)
		return -ENOMEM;
	for (unsigned i = 0; i < w->c.ports; i++) {
		w->facts[i] = w->port[i].facts;
		if (no_groups)
			w->facts[i].group[0] = '\0';
		play_init(w, i, pass_ns);
	}
	a_box_init(&w->box, &w->c, w->port, &w->hand);
	return a_truths_make(&w->c, w->port, &w->room, &w->hand, &w->truth);
}

static void a_close(struct world *w)
{
	if (!w)
		return;
	a_hand_fini(&w->hand);
	free(w->truth);
	free(w->active);
	free(w->port);
	free(w->facts);
	free(w->play);
	free(w);
}

static int a_open(const struct world_case *c, struct world **ret)
{
	struct world *w;
	int rc = -ENOMEM;

	if (c->ports == 0 || c->ports > WORLD_PORTS_MAX || c->length_ns <= 0 ||
	    c->pace >= PACE_COUNT || c->mix >= MIX_COUNT)
		return -EINVAL;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->c = *c;
	w->tick_ns = c->pace == PACE_SLOW ? 60 * NS_PER_S : NS_PER_S;
	w->port = calloc(c->ports, sizeof(*w->port));
	w->facts = calloc(c->ports, sizeof(*w->facts));
	w->play = calloc(c->ports, sizeof(*w->play));
	if (w->port && w->facts && w->play)
		rc = world_make(w);
	if (rc < 0) {
		a_close(w);
		return rc;
	}
	*ret = w;
	return 0;
}

static const struct world_port *a_ports(const struct world *w)
{
	return w->facts;
}

static size_t a_truths(const struct world *w, const struct truth **ret)
{
	*ret = w->truth;
	return w->hand.count;
}

/* What the agent is told of a deed, at its begin or its end. */
struct told {
	const char *what;
	enum world_event_kind begin, end;
	bool at_begin, at_end;
};

static const struct told tolds[] = {
	{ "counters_cleared", WORLD_COUNTERS_CLEARED, 0, true, false },
	{ "reboot", 0, WORLD_RELOAD, false, true },
	{ "restart", 0, WORLD_RELOAD, false, true },
	{ "traffic_away", WORLD_TSA, WORLD_TSB, true, true },
};

static void event_add(struct world *w, const struct a_deed *d,
		      enum world_event_kind kind, int64_t t_ns)
{
	if (w->event_count == EVENTS_MAX)
		return;
	w->event[w->event_count++] = (struct world_event){
		.t_ns = t_ns,
		.kind = kind,
		.port = d->kind->scope == A_SWITCH ? WORLD_ALL_PORTS :
			(uint32_t)__builtin_ctzll(d->ports),
	};
}

static bool is_between(int64_t t_ns, const struct a_stretch *t)
{
	return t_ns > t->before_ns && t_ns <= t->now_ns;
}

static void deed_tell(struct world *w, const struct a_deed *d,
		      const struct a_stretch *t)
{
	for (size_t i = 0; i < sizeof(tolds) / sizeof(tolds[0]); i++) {
		const struct told *told = &tolds[i];

		if (strcmp(d->kind->name, told->what) != 0)
			continue;
		if (told->begin == WORLD_COUNTERS_CLEARED &&
		    key_unit(d->key) > SHARE_TOLD)
			continue;
		if (told->at_begin && is_between(d->onset_ns, t))
			event_add(w, d, told->begin, d->onset_ns);
		if (told->at_end && is_between(d->end_ns, t))
			event_add(w, d, told->end, d->end_ns);
	}
}

static void active_update(struct world *w, const struct a_stretch *t)
{
	size_t kept = 0;

	while (w->next_deed < w->hand.count &&
	       w->hand.deed[w->next_deed].onset_ns <= t->now_ns)
		w->active[w->active_count++] = &w->hand.deed[w->next_deed++];
	for (size_t i = 0; i < w->active_count; i++)
		if (w->active[i]->end_ns > t->before_ns)
			w->active[kept++] = w->active[i];
	w->active_count = kept;
	w->event_count = 0;
	for (size_t i = 0; i < kept; i++)
		deed_tell(w, w->active[i], t);
}

static void stress_add_up(const struct world *w, unsigned n,
			  const struct a_stretch *t, struct a_stress *s)
{
	uint64_t bit = UINT64_C(1) << n;

	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < w->active_count; i++)
		if (w->active[i]->ports & bit)
			w->active[i]->kind->strike(w->active[i], &w->port[n],
						   t, s);
}

static void drift_step(struct play *p, const struct a_link *l, unsigned due,
		       struct a_drift *ret)
{
	double shake = p->stress.shake_db;

	for (unsigned i = 0; i < l->lanes; i++) {
		ret->noise[i] = p->noise_sigma *
			a_wander_step(&p->noise[i], due, &p->draw) +
			NOISE_WHITE * a_heavy(&p->draw);
		ret->light_db[i] = 0;
		if (!l->media->optical)
			continue;
		ret->light_db[i] = p->light_sigma_db *
			a_wander_step(&p->light[i], due, &p->draw);
		if (shake > 0)
			ret->light_db[i] += shake * draw_normal(&p->draw);
	}
}

/* Three codewords in a row that cannot be mended take the link down. */
static unsigned drops_draw(struct play *p, const struct a_link *l, double dt_s)
{
	double loss = a_link_loss_now(l, &p->stress, p->ber), mean;

	if (!l->code || loss < DROP_LOSS)
		return 0;
	if (p->stress.spike_s > 0)
		dt_s = fmin(dt_s, p->stress.spike_s);
	mean = l->code_hz * loss * loss * loss * dt_s;
	return (unsigned)draw_poisson(&p->draw, fmin(mean, dt_s / RETURN_S));
}

static enum down_reason reason_of(const struct play *p, bool is_lost,
				  const struct a_port *port)
{
	const struct a_stress *s = &p->stress;

	if (s->admin_down)
		return DOWN_ADMIN;
	if (!port->has_reason)
		return DOWN_UNKNOWN;
	if (s->absent)
		return DOWN_NO_MODULE;
	if (s->reason != DOWN_UNKNOWN)
		return s->reason;
	if (!is_lost)
		return DOWN_FEC_ALIGNMENT_LOSS;
	return port->link.media->optical ? DOWN_RX_LOS : DOWN_HIGH_BER;
}

static void link_step(struct world *w, unsigned n, double dt_s)
{
	struct play *p = &w->play[n];
	const struct a_stress *s = &p->stress;
	const struct a_link *l = &w->port[n].link;
	bool lost = a_link_is_lost(l, s, p->ber), up;
	unsigned falls = s->falls, drops;

	up = !s->admin_down && !s->absent && !s->down && !lost;
	drops = p->is_up && up ? drops_draw(p, l, dt_s) : 0;
	if (drops > 0 && draw_unit(&p->draw) < RETURN_S / dt_s)
		p->down_until_ns = w->now_ns +
			(int64_t)(RETURN_S * (double)NS_PER_S);
	up = up && w->now_ns >= p->down_until_ns;
	falls += drops;
	if (p->is_up && !up && falls == 0)
		falls = 1;
	if (p->is_up || up)
		p->count.link_downs += falls;
	p->is_up = up;
	p->reason = up ? DOWN_UNKNOWN : reason_of(p, lost, &w->port[n]);
}

static double load_of(const struct world *w, unsigned n)
{
	const struct a_stress *s = &w->play[n].stress;
	double load = a_heat_load(&w->port[n].heat,
				  (double)w->now_ns / (double)NS_PER_S);

	if (s->load_gone)
		return 0.001;
	return fmin(fmax(load + s->load_shift, 0.01), 0.97);
}

static void module_change(struct world *w, unsigned n)
{
	struct play *p = &w->play[n];
	uint64_t key = draw_key(p->stress.new_module, n, 0, 0);

	if (!w->port[n].link.media->monitored)
		return;
	a_link_plug(&w->port[n].link, key);
	serial_set(p, draw_key(p->stress.new_module, 1, 0, 0));
	a_dom_forget(&p->dom);
}

static void counters_befall(struct world *w, unsigned n)
{
	struct play *p = &w->play[n];

	if (p->stress.counters_clear)
		a_count_clear(&p->count);
	if (p->stress.near_wrap)
		a_count_near_wrap(&p->count, &w->port[n]);
}

static void compose(const struct world *w, unsigned n,
		    struct world_reading *ret)
{
	const struct play *p = &w->play[n];

	memset(ret, 0, sizeof(*ret));
	ret->t_ns = p->poll_ns + p->stress.clock_shift_ns;
	ret->admin_up = !p->stress.admin_down;
	ret->oper_up = p->is_up;
	ret->present = !p->stress.absent;
	ret->down = p->reason;
	if (ret->present)
		memcpy(ret->serial, p->serial, sizeof(ret->serial));
	a_count_tell(&p->count, &w->port[n], ret);
	a_dom_tell(&p->dom, &w->port[n], ret);
}

/* Whether there is a reading of this tick, and which. */
static void source_step(struct world *w, unsigned n)
{
	struct play *p = &w->play[n];
	double missing = w->c.hard ? SHARE_MISSING_HARD : SHARE_MISSING;
	double at = draw_unit(&p->draw);

	p->is_unread = p->stress.unread || at < missing;
	if (p->held_for > 0) {
		p->held_for--;
		return;
	}
	if (at <= 1 - SHARE_LATE || p->is_unread)
		return;
	p->held_for = 2 + (unsigned)(draw_u64(&p->draw) % LATE_MOST);
	p->is_unread = true;
	compose(w, n, &p->held);
}

static void port_step(struct world *w, unsigned n, const struct a_stretch *t)
{
	struct play *p = &w->play[n];
	const struct a_port *port = &w->port[n];
	double z[WORLD_LANES_MAX], t_s = (double)t->now_ns / (double)NS_PER_S;
	int64_t before_ns = p->poll_ns;
	struct a_drift drift;
	struct a_ran ran;
	double heat_k;

	stress_add_up(w, n, t, &p->stress);
	if (p->stress.new_module)
		module_change(w, n);
	drift_step(p, &port->link, w->due, &drift);
	heat_k = a_port_heat_k(port, &w->room, w->room_now_c, &p->stress,
			       t_s) + 0.3 * a_wander_step(&p->heat, w->due,
							  &p->draw);
	p->ber = a_link_ber(&port->link, &p->stress, heat_k, &drift, z);
	p->poll_ns = w->now_ns + (int64_t)(0.04 * draw_unit(&p->draw) *
					   (double)w->tick_ns);
	ran.dt_s = (double)(p->poll_ns - before_ns) / (double)NS_PER_S;
	link_step(w, n, ran.dt_s);
	ran.ber = p->ber;
	ran.load = load_of(w, n);
	ran.is_up = p->is_up;
	counters_befall(w, n);
	a_count_step(&p->count, port, &p->stress, &ran, &p->draw);
	if (p->stress.absent)
		a_dom_forget(&p->dom);
	if (port->link.media->monitored && !p->stress.absent) {
		struct a_module_state at = {
			port, &p->stress, &drift, z, p->ber,
			w->room.mean_c + heat_k, ran.load, p->is_up,
			t->before_ns, t->now_ns,
		};

		a_dom_step(&p->dom, &at, &p->draw);
	}
	source_step(w, n);
}

static void box_step(struct world *w)
{
	struct draw d;
	struct a_box_moment now = { w->now_ns, w->room_now_c, &d };

	draw_init(&d, draw_key(w->c.seed, DRAW_BOX_NOISE, w->tick, 0));
	a_box_read(&w->box, w->port, w->active, w->active_count, &now);
}

static bool a_next(struct world *w)
{
	struct a_stretch t = { w->now_ns, w->now_ns + w->tick_ns };

	if (t.now_ns > w->c.length_ns)
		return false;
	w->now_ns = t.now_ns;
	w->due = a_wander_due(++w->tick);
	w->room_now_c = a_room_c(&w->room, (double)t.now_ns /
				 (double)NS_PER_S);
	active_update(w, &t);
	box_step(w);
	for (unsigned i = 0; i < w->c.ports; i++)
		port_step(w, i, &t);
	return true;
}

static bool a_read(struct world *w, unsigned port, struct world_reading *ret)
{
	struct play *p = &w->play[port];

	if (p->held_for == 1 && !p->stress.unread) {
		*ret = p->held;
		return true;
	}
	if (p->is_unread)
		return false;
	compose(w, port, ret);
	return true;
}

static size_t a_sensors(const struct world *w, const struct world_sensor **ret)
{
	*ret = w->box.sensor;
	return w->box.count;
}

static size_t a_events(const struct world *w, const struct world_event **ret)
{
	*ret = w->event;
	return w->event_count;
}

/* Spikes by their share of the time since the reading before. */
static double a_true_log_ber(const struct world *w, unsigned port)
{
	const struct play *p = &w->play[port];
	double share = fmin(p->stress.spike_s * (double)NS_PER_S /
			    (double)w->tick_ns, 1);
	double spike = p->ber * pow(10, p->stress.spike_decades);

	return log10(p->ber + share * (fmin(spike, 0.3) - p->ber));
}

static double a_true_codeword_loss(const struct world *w, unsigned port)
{
	const struct play *p = &w->play[port];
	const struct a_link *l = &w->port[port].link;
	double share = fmin(p->stress.spike_s * (double)NS_PER_S /
			    (double)w->tick_ns, 1);
	struct a_stress quiet = p->stress;

	quiet.spike_s = 0;
	return (1 - share) * a_link_loss_now(l, &quiet, p->ber) +
		share * a_link_loss_now(l, &p->stress, p->ber);
}

static int64_t a_now_ns(const struct world *w)
{
	return w->now_ns;
}

const struct plant_model plant_a = {
	.name = "A",
	.laws = a_law_names,
	.open = a_open,
	.close = a_close,
	.ports = a_ports,
	.truths = a_truths,
	.next = a_next,
	.read = a_read,
	.sensors = a_sensors,
	.events = a_events,
	.true_log_ber = a_true_log_ber,
	.true_codeword_loss = a_true_codeword_loss,
	.now_ns = a_now_ns,
};
