/* The hall's day with its second harmonic, coolers that switch on and off
 * (a sawtooth), and the heat of jobs, which lags behind their load by minutes.
 * Jobs work and stop by turns, as training with checkpoints does. Fans turn
 * faster by steps. All figures are chosen within what ASHRAE's TC 9.9 allows.
 */
#include "tests/judge/c_world.h"

#include <math.h>
#include <stdio.h>

#define DAY_S 86400.0
#define HEAT_LAG_S 420.0
#define FAN_RPM 7800.0
#define FAN_STEP 0.05
#define INLET_C 24.0

void c_air_build(struct world *w)
{
	struct c_chance *c = &w->chance;
	double benign = w->c.hard ? 2 : 1;

	w->day_k = benign * c_chance_log(c, (struct c_range){ 0.4, 2 });
	w->day_phase = c_chance_unit(c);
	w->crac_k = benign * c_chance_log(c, (struct c_range){ 0.1, 0.7 });
	w->crac_s = c_chance_log(c, (struct c_range){ 500, 2400 });
	w->job_s = c_chance_log(c, (struct c_range){ 600, 20000 });
	w->job_k = benign * c_chance_log(c, (struct c_range){ 0.5, 3 });
	w->idle_share = c_chance_unit(c) * 0.3;
}

/* Work, then a pause at the end of each turn, now and then a long one. */
double c_air_load(const struct world *w, int64_t t_ns)
{
	double turns = (double)t_ns / 1e9 / w->job_s;
	int64_t turn = (int64_t)floor(turns);
	double pause = 0.04 + 0.1 * c_mark_unit(w->c.seed, (uint64_t)turn);

	if (c_mark_unit(w->c.seed + 1, (uint64_t)turn) < w->idle_share)
		return 0.03;
	return turns - floor(turns) < 1 - pause ? 1 : 0.08;
}

static double common_k(const struct world *w, int64_t t_ns)
{
	double days = (double)t_ns / 1e9 / DAY_S + w->day_phase;
	double cooler = (double)t_ns / 1e9 / w->crac_s;

	return w->day_k * (sin(2 * M_PI * days) +
			   0.3 * sin(4 * M_PI * days + 1)) +
	       w->crac_k * (cooler - floor(cooler) - 0.5);
}

double c_air_k(const struct world *w, unsigned zone, int64_t t_ns)
{
	double k = common_k(w, t_ns);

	for (unsigned i = 0; i < w->plans; i++) {
		const struct c_happening *h = &w->plan[i];
		struct c_stress e = { 0 };

		if (h->kind->scope != C_ZONE || t_ns < h->onset_ns ||
		    w->port[__builtin_ctzll(h->ports)].zone != zone)
			continue;
		c_kind_add(&e, h, t_ns, w->load, w->is_slow);
		k += e.air_k;
	}
	return k;
}

/* The far end stands elsewhere: a day of its own. */
double c_air_far_k(const struct world *w, const struct c_port *p, int64_t t_ns)
{
	double days = (double)t_ns / 1e9 / DAY_S + p->far_phase;

	(void)w;
	return p->far_swing_k * sin(2 * M_PI * days);
}

void c_air_step(struct world *w)
{
	double goal;

	w->load = c_air_load(w, w->now_ns);
	goal = w->job_k * (w->load - 0.85);
	w->job_heat = goal + (w->job_heat - goal) *
			     exp(-w->tick_s / HEAT_LAG_S);
	for (unsigned i = 0; i < w->zones; i++)
		w->air_k[i] = c_air_k(w, i, w->now_ns) + w->job_heat;
}

static struct world_sensor *sensor(struct world *w, unsigned at,
				   enum world_sensor_kind kind,
				   const char *name, unsigned number)
{
	struct world_sensor *s = &w->sensor[at];

	s->kind = kind;
	(void)snprintf(s->name, sizeof(s->name), "%s%u", name, number + 1);
	s->has_value = s->ok = true;
	s->low = s->high = NAN;
	return s;
}

/* What a fan, a supply or the air is struck by; NULL: nothing. */
static const struct c_happening *struck(const struct world *w, unsigned zone,
					const char *what)
{
	for (unsigned i = 0; i < w->plans; i++) {
		const struct c_happening *h = &w->plan[i];

		if (h->kind->scope == C_ZONE && h->onset_ns <= w->now_ns &&
		    w->now_ns < h->end_ns &&
		    w->port[__builtin_ctzll(h->ports)].zone == zone &&
		    __builtin_strcmp(h->kind->what, what) == 0)
			return h;
	}
	return NULL;
}

static void zone_sensors(struct world *w, unsigned zone, unsigned *at)
{
	double warm = w->air_k[zone];
	double share = 0.6 + FAN_STEP * floor(fmax(warm, 0));
	struct world_sensor *s;

	for (unsigned i = 0; i < 2; i++) {
		bool is_dead = !i && struck(w, zone, "rotor_stops");

		s = sensor(w, (*at)++, WORLD_FAN, "fan", 2 * zone + i);
		(void)snprintf(s->zone, sizeof(s->zone), "air%u", zone + 1);
		s->value = is_dead ? 0 : FAN_RPM * fmin(share, 1.2) *
			   (1 + 0.004 * c_chance_normal(&w->chance));
		s->low = 2000;
		s->ok = !is_dead;
	}
	s = sensor(w, (*at)++, WORLD_TEMP, "board_temp", zone);
	(void)snprintf(s->zone, sizeof(s->zone), "air%u", zone + 1);
	s->value = INLET_C + 12 + warm + 0.1 * c_chance_normal(&w->chance);
	s->high = INLET_C + 12 + 9;	/* TC 9.9's recommended range, and 4 */
	s->ok = s->value <= s->high;
}

void c_air_sensors(struct world *w)
{
	unsigned at = 0;

	for (unsigned i = 0; i < w->zones; i++)
		zone_sensors(w, i, &at);
	for (unsigned i = 0; i < 2; i++) {
		struct world_sensor *s = sensor(w, at++, WORLD_SUPPLY, "psu",
						i);
		bool is_bad = false;

		for (unsigned k = 0; !i && k < w->zones; k++)
			is_bad |= struck(w, k, "supply_fails") != NULL;
		s->value = (is_bad ? 9.4 : 12.05) +
			   0.02 * c_chance_normal(&w->chance);
		s->low = 11.2;
		s->high = 12.8;
		s->ok = !is_bad;
	}
	w->sensors = at;
}
