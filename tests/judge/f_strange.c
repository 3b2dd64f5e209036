#include "tests/judge/f_strange.h"

#include <math.h>

#include "tests/judge/f_dice.h"
#include "tests/judge/f_link.h"
#include "tests/judge/f_wear.h"

#define MOST_DB 8.0

static bool is_counted(const struct f_port *p)
{
	return !p->kind->coherent;
}

static bool is_light(const struct f_port *p)
{
	return p->kind->optical;
}

/* Noise that brings a port a share of the way to its cliff. */
static void noise_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	const struct f_port *p = &w->state[__builtin_ctzll(e->ports)];
	double way = p->cliff_log_ber - p->base_log_ber;
	double share = f_between(dice, 0.45, 0.9) * (w->at.hard ? 0.7 : 1);

	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		e->part[i] = 1;
	e->size = f_link_db_for(w, p, e->part, false,
				p->base_log_ber + way * share, MOST_DB);
	e->period_s = w->at.pace == PACE_FAST ? f_log_between(dice, 120, 900)
					      : f_log_between(dice, 3600,
							      40000);
}

/* Two clocks that are nearly alike: errors swell and ebb, ever more. */
static void beat_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	noise_make(w, e, dice);
	if (f_chance(dice, 0.5))
		f_wear_grows(w, e, dice, 0);
}

static void beat_act(const struct f_event *e, const struct f_moment *m,
		     struct f_effect *x)
{
	double since_s = m->t_s - e->onset_s;
	double wave = 0.5 - 0.5 * cos(2 * M_PI * since_s / e->period_s);

	x->snr_db += e->size * wave * f_growth_at(&e->growth, since_s);
}

/* A supply that the traffic pulls down. */
static void load_act(const struct f_event *e, const struct f_moment *m,
		     struct f_effect *x)
{
	double load = f_link_load(m->world, &m->world->state[m->port], m->t_s,
				  x);

	x->snr_db += e->size * fmin(1, 0.25 + 1.5 * load);
}

/* A memory on the chip's way in: frames are bad whose codewords were good. */
static void frames_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	(void)w;
	e->size = f_log_between(dice, 0.01, 30);
}

static void frames_act(const struct f_event *e, const struct f_moment *m,
		       struct f_effect *x)
{
	x->bad_frames += e->size * m->tick_s;
}

/* An attenuator was taken out: the receiver is overdriven. */
static void glare_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	noise_make(w, e, dice);
	e->more = f_between(dice, 2, 4.5);
}

static void glare_act(const struct f_event *e, const struct f_moment *m,
		      struct f_effect *x)
{
	(void)m;
	x->snr_db += e->size;
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		x->loss_db[i] -= e->more;
}

/* Light that breathes: a filter's temperature hunts. */
static void breath_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	noise_make(w, e, dice);
	e->size = f_between(dice, 0.8, 2.5) * (w->at.hard ? 0.7 : 1);
}

static void breath_act(const struct f_event *e, const struct f_moment *m,
		       struct f_effect *x)
{
	double since_s = m->t_s - e->onset_s;
	double wave = 0.5 - 0.5 * cos(2 * M_PI * since_s / e->period_s);

	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		x->loss_db[i] += e->size * wave;
}

static void stuck_act(const struct f_event *e, const struct f_moment *m,
		      struct f_effect *x)
{
	(void)e;
	(void)m;
	x->counters_stuck = true;
}

const struct f_row f_strange_rows[] = {
	{ .what = "beat", .weight = 1, .suits = is_counted,
	  .make = beat_make, .act = beat_act },
	{ .what = "load_noise", .weight = 1, .suits = is_counted,
	  .make = noise_make, .act = load_act },
	{ .what = "bad_frames", .weight = 1, .suits = is_counted,
	  .make = frames_make, .act = frames_act },
	{ .what = "glare", .weight = 1, .suits = is_light,
	  .make = glare_make, .act = glare_act },
	{ .what = "breathing_light", .weight = 1, .suits = is_light,
	  .make = breath_make, .act = breath_act },
	{ .what = "counters_stuck", .weight = 0.6, .suits = is_counted,
	  .make = frames_make, .act = stuck_act },
	{ 0 },
};
