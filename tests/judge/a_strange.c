/* Faults that have no name: what a detector has not been told of. */
#include "tests/judge/a_kind.h"

#include <math.h>
#include "tests/judge/a_noise.h"

/* Up and down evenly, 0 to 1. */
static double tone(const struct a_deed *d, const struct a_stretch *t)
{
	double at = a_deed_since_s(d, t->now_ns) / d->more;

	return 0.5 - 0.5 * cos(2 * M_PI * at);
}

static void tone_draw(struct a_deed *d, const struct a_port *p,
		      const struct a_setting *s, struct draw *r)
{
	(void)p;
	d->size = draw_between(r, 0.8, 2) * (s->c->hard ? 0.6 : 1);
	d->more = s->tick_s * a_log_between(r, 20, 300);
}

static void tone_strike(const struct a_deed *d, const struct a_port *p,
			const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	s->decades += d->size * tone(d, t);
}

static void breath_strike(const struct a_deed *d, const struct a_port *p,
			  const struct a_stretch *t, struct a_stress *s)
{
	for (unsigned i = 0; i < p->link.lanes; i++)
		s->loss_db[i] += d->size * tone(d, t);
}

static void plain_draw(struct a_deed *d, const struct a_port *p,
		       const struct a_setting *s, struct draw *r)
{
	(void)p;
	d->size = draw_between(r, 0.7, 1.6) * (s->c->hard ? 0.6 : 1);
	d->growth.ramp_s = s->length_s * a_log_between(r, 0.1, 0.6);
	d->growth.course = A_COURSE_PLAIN;
}

static void stuck_strike(const struct a_deed *d, const struct a_port *p,
			 const struct a_stretch *t, struct a_stress *s)
{
	(void)d;
	(void)p;
	(void)t;
	s->counters_stuck = true;
}

static void lost_strike(const struct a_deed *d, const struct a_port *p,
			const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	(void)t;
	s->lost_frames_hz += d->size;
}

static void lie_strike(const struct a_deed *d, const struct a_port *p,
		       const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	s->temp_lie_k += 15 * d->size *
		a_growth_way(&d->growth, a_deed_since_s(d, t->now_ns));
}

static void sag_strike(const struct a_deed *d, const struct a_port *p,
		       const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	s->droop_v += 0.12 * d->size *
		a_growth_way(&d->growth, a_deed_since_s(d, t->now_ns));
}

static void by_load_strike(const struct a_deed *d, const struct a_port *p,
			   const struct a_stretch *t, struct a_stress *s)
{
	double load = a_heat_load(&p->heat, (double)t->now_ns / 1e9);

	s->decades += 2 * d->size * load;
}

static void two_modes_draw(struct a_deed *d, const struct a_port *p,
			   const struct a_setting *s, struct draw *r)
{
	plain_draw(d, p, s, r);
	d->train = (struct a_train){
		.every_s = s->tick_s * a_log_between(r, 60, 400),
		.key = draw_u64(r),
	};
	d->train.last_s = d->train.every_s * draw_between(r, 0.2, 0.6);
}

static void two_modes_strike(const struct a_deed *d, const struct a_port *p,
			     const struct a_stretch *t, struct a_stress *s)
{
	struct a_passed at = a_train_pass(&d->train,
		a_deed_since_s(d, t->before_ns), a_deed_since_s(d, t->now_ns));

	if (!at.is_inside)
		return;
	s->decades += d->size;
	for (unsigned i = 0; i < p->link.lanes; i++)
		s->bias_share[i] += 0.06;
}

static const struct a_kind rows[] = {
	/* name signature end action needs scope grows detail draw strike */
	{ "errors_swing", 0, 0, 0, A_FEC, A_PORT, false, 0, tone_draw,
	  tone_strike },
	{ "light_breathes", 0, END_PATH, 0, A_CONNECTOR, A_PORT, false, 0,
	  tone_draw, breath_strike },
	{ "counters_stand_still", 0, END_NEAR, 0, A_FEC, A_PORT, false, 0,
	  plain_draw, stuck_strike },
	{ "frames_lost_behind_code", 0, 0, 0, 0, A_PORT, false, 0, plain_draw,
	  lost_strike },
	{ "thermometer_drifts", 0, END_NEAR, 0, A_MODULE, A_PORT, false, 0,
	  plain_draw, lie_strike },
	{ "supply_of_module_sags", 0, END_NEAR, 0, A_MODULE, A_PORT, false, 0,
	  plain_draw, sag_strike },
	{ "errors_follow_load", 0, END_NEAR, 0, A_FEC, A_PORT, false, 0,
	  plain_draw, by_load_strike },
	{ "laser_hops_modes", 0, END_FAR, 0, A_HOST_CODE_LIGHT, A_PORT, false,
	  0, two_modes_draw, two_modes_strike },
};

const struct a_kind *a_stranges(size_t *ret_count)
{
	*ret_count = sizeof(rows) / sizeof(rows[0]);
	return rows;
}
