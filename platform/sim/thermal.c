#include "platform/sim/thermal.h"

#include <math.h>
#include <stdio.h>

#define DAY_S 86400.0
#define ROOM_WANDER_K 0.25	/* doors, neighbours, the plant's own swing */

double room_c(const struct room *r, double t_s)
{
	return r->mean_c +
		r->swing_k * sin(2 * M_PI * (t_s / DAY_S + r->phase)) +
		ROOM_WANDER_K * key_wander(r->wander, t_s);
}

void warmth_draw(struct warmth *w, double load, uint64_t key)
{
	struct draw d;

	draw_init(&d, key);
	w->base_k = 16 + 1.5 * draw_rough(&d);
	w->load_k = draw_between(&d, 4, 9);
	w->delay_s = draw_between(&d, 150, 420);
	w->settled = load;
}

void warmth_step(struct warmth *w, double load, double dt_s)
{
	w->settled += (load - w->settled) * -expm1(-dt_s / w->delay_s);
}

double warmth_k(const struct warmth *w)
{
	return w->base_k + w->load_k * w->settled;
}

/* How a sensor follows the air and the load of the box. */
struct box_sensor {
	const char *name;
	double above_k, load_k;		/* a temperature */
	double rpm, rpm_per_k;		/* a fan: at 25 C, and with heat */
};

static const struct box_sensor sensors[SENSOR_COUNT] = {
	{ "inlet", 0, 0, 0, 0 },
	{ "outlet", 11, 6, 0, 0 },
	{ "asic", 34, 18, 0, 0 },
	{ "cpu", 22, 3, 0, 0 },
	{ "psu1", 14, 5, 0, 0 },
	{ "psu2", 13, 5, 0, 0 },
	{ "fan1", 0, 0, 9200, 130 },
	{ "fan2", 0, 0, 9150, 130 },
	{ "fan3", 0, 0, 9240, 130 },
	{ "fan4", 0, 0, 9180, 130 },
};

#define FAN_THAT_DIES 6u	/* the first */
#define FANS_REFERENCE_C 25.0

void sensor_state(unsigned n, double air_c, double load, bool fan_dead,
		  uint64_t key, char name[static 32], double *ret_temp_c,
		  double *ret_rpm)
{
	const struct box_sensor *s = &sensors[n];
	struct draw d;

	draw_init(&d, key);
	(void)snprintf(name, 32, "%s", s->name);
	*ret_temp_c = NAN;
	*ret_rpm = NAN;
	if (s->rpm <= 0) {
		*ret_temp_c = air_c + s->above_k + s->load_k * load +
			0.1 * draw_rough(&d);
		return;
	}
	*ret_rpm = s->rpm + s->rpm_per_k * (air_c - FANS_REFERENCE_C) +
		25 * draw_rough(&d);
	if (fan_dead && n == FAN_THAT_DIES)
		*ret_rpm = 0;
}
