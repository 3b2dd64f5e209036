#include "tests/judge/a_box.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DRAW_BOX = 0xc01 };

#define SHARE_WITHOUT 0.15
#define FANS_PER_ZONE 2
#define SUPPLIES 2
#define FAN_RPM 9000.0
#define FAN_RPM_PER_K 130.0
#define FAN_SLOW 0.28
#define ROOM_C 25.0
#define SUPPLY_V 12.0
#define SUPPLY_SAGS_V 1.3

static const struct world_sensor kinds[WORLD_SENSOR_KIND_COUNT] = {
	[WORLD_FAN] = { .kind = WORLD_FAN, .low = 3000, .high = 22000 },
	[WORLD_TEMP] = { .kind = WORLD_TEMP, .low = 0, .high = 40 },
	[WORLD_SUPPLY] = { .kind = WORLD_SUPPLY, .low = 11.4, .high = 12.6 },
};

static void sensor_add(struct a_box *b, enum world_sensor_kind kind,
		       const char *word, const char *zone)
{
	struct world_sensor *s = &b->sensor[b->count];

	if (b->count == A_SENSORS_MAX)
		return;
	*s = kinds[kind];
	(void)snprintf(s->name, sizeof(s->name), "%s%zu", word, b->count);
	(void)snprintf(s->zone, sizeof(s->zone), "%s", zone);
	b->count++;
}

/* The supply's own sensor is all that shows its fault. */
static bool must_have(const struct a_hand *hand)
{
	for (size_t i = 0; i < hand->count; i++)
		if (hand->deed[i].kind->signature == SIGNATURE_ENVIRONMENT &&
		    hand->deed[i].kind->detail == A_BOX_SUPPLY)
			return true;
	return false;
}

void a_box_init(struct a_box *b, const struct world_case *c,
		const struct a_port *port, const struct a_hand *hand)
{
	const char *zone = "";

	memset(b, 0, sizeof(*b));
	if (key_unit(draw_key(c->seed, DRAW_BOX, 0, 0)) < SHARE_WITHOUT &&
	    !must_have(hand))
		return;
	for (unsigned i = 0; i < c->ports; i++) {
		if (strcmp(port[i].facts.zone, zone) == 0)
			continue;
		zone = port[i].facts.zone;
		for (unsigned n = 0; n < FANS_PER_ZONE; n++)
			sensor_add(b, WORLD_FAN, "fan", zone);
		sensor_add(b, WORLD_TEMP, "inlet", zone);
	}
	for (unsigned n = 0; n < SUPPLIES; n++)
		sensor_add(b, WORLD_SUPPLY, "psu", "");
}

/* What befalls the air and the fans of a zone, or a supply. */
struct state {
	double warm_k;
	bool fan_dead, fan_slow, supply_sags;
};

static struct state state_of(const char *zone, const struct a_port *port,
			     const struct a_deed *const *active, size_t count,
			     int64_t now_ns)
{
	struct state st = { 0 };
	struct a_stretch t = { now_ns - 1, now_ns };

	for (size_t i = 0; i < count; i++) {
		const struct a_deed *d = active[i];
		const struct a_port *p = &port[__builtin_ctzll(d->ports)];
		struct a_stress s = { 0 };

		if (d->kind->signature != SIGNATURE_ENVIRONMENT ||
		    !a_deed_is_in(d, &t))
			continue;
		st.supply_sags |= d->kind->detail == A_BOX_SUPPLY;
		if (strcmp(p->facts.zone, zone) != 0)
			continue;
		d->kind->strike(d, p, &t, &s);
		st.warm_k += s.heat_k;
		st.fan_dead |= d->kind->detail == A_BOX_FAN_DEAD;
		st.fan_slow |= d->kind->detail == A_BOX_FAN_SLOW;
	}
	return st;
}

static double value_of(const struct world_sensor *s, const struct state *st,
		       bool is_first, double room_c, struct draw *d)
{
	double rpm = FAN_RPM + FAN_RPM_PER_K *
		(room_c + st->warm_k - ROOM_C) + 30 * draw_rough(d);

	if (s->kind == WORLD_TEMP)
		return room_c + st->warm_k + 0.15 * draw_rough(d);
	if (s->kind == WORLD_SUPPLY)
		return SUPPLY_V + 0.02 * draw_rough(d) -
			(is_first && st->supply_sags ? SUPPLY_SAGS_V : 0);
	if (is_first && st->fan_dead)
		return 0;
	return is_first && st->fan_slow ? FAN_SLOW * rpm : rpm;
}

void a_box_read(struct a_box *b, const struct a_port *port,
		const struct a_deed *const *active, size_t count,
		const struct a_box_moment *now)
{
	struct state st = { 0 };

	for (size_t i = 0; i < b->count; i++) {
		struct world_sensor *s = &b->sensor[i];
		bool is_first = i == 0 || b->sensor[i - 1].kind != s->kind;

		if (is_first && s->kind != WORLD_TEMP)
			st = state_of(s->zone, port, active, count,
				      now->now_ns);
		s->value = value_of(s, &st, is_first, now->room_c, now->draw);
		s->has_value = true;
		s->ok = !(is_first && (s->kind == WORLD_FAN ? st.fan_dead :
				       s->kind == WORLD_SUPPLY &&
				       st.supply_sags));
	}
}
