/* The switch: its air and sensors, and what is done to all or to a port at a
 * moment.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/judge/e_world.h"

#define DAY_S 86400.0
#define AIR_C 25.0
#define FAN_RPM 9500.0
#define FAN_LOW_RPM 4000.0

double e_air_c(const struct world *w, unsigned port)
{
	double t_s = (double)w->now_ns / 1e9;
	unsigned zone = port * E_ZONES / w->at.ports;
	double air = AIR_C + 1.2 * zone;

	air += w->day_k * sin(2 * M_PI * (t_s / DAY_S + w->day_phase));
	return air + 0.4 * (w->at.hard ? 2 : 1) *
	       key_wander(draw_key(w->at.seed, 31, 0, 0), t_s);
}

void e_house_make(struct world *w)
{
	for (unsigned i = 0; i < E_SENSORS; i++) {
		struct world_sensor *s = &w->sensor[i];
		unsigned zone = i % E_ZONES;

		s->has_value = s->ok = true;
		if (i < 2 * E_ZONES)
			(void)snprintf(s->zone, sizeof(s->zone), "zone%u",
				       zone);
		s->kind = i < E_ZONES ? WORLD_FAN :
			  i < 2 * E_ZONES ? WORLD_TEMP : WORLD_SUPPLY;
		s->low = s->kind == WORLD_FAN ? FAN_LOW_RPM :
			 s->kind == WORLD_TEMP ? (double)NAN : 11.4;
		s->high = s->kind == WORLD_FAN ? (double)NAN :
			  s->kind == WORLD_TEMP ? 65 : 12.6;
		(void)snprintf(s->name, sizeof(s->name), "%s%u",
			       s->kind == WORLD_FAN ? "fan" : s->kind ==
			       WORLD_TEMP ? "inlet" : "psu", zone + 1);
	}
}

static void sensors_step(struct world *w)
{
	double shared = 9 * (e_air_c(w, 0) - AIR_C);

	for (unsigned i = 0; i < E_SENSORS; i++) {
		struct world_sensor *s = &w->sensor[i];
		unsigned zone = i % E_ZONES;
		bool fails = w->zone_fan_fails[zone];

		if (s->kind == WORLD_TEMP) {
			s->value = 5 + w->zone_heat_k[zone] + e_air_c(w,
					zone * w->at.ports / E_ZONES);
			s->value += 0.2 * draw_rough(&w->chance);
		} else if (s->kind == WORLD_FAN) {
			s->ok = !fails;
			s->value = fails ? 900 + 80 * draw_rough(&w->chance) :
				   FAN_RPM + 20 * shared +
				   60 * draw_rough(&w->chance);
		} else {
			s->value = 12.05 + 0.02 * draw_rough(&w->chance);
		}
	}
}

static void event_add(struct world *w, enum world_event_kind kind,
		      uint32_t port)
{
	if (w->events < sizeof(w->event) / sizeof(w->event[0]))
		w->event[w->events++] = (struct world_event){
			.t_ns = w->now_ns, .kind = kind, .port = port };
}

/* All that is counted, from 0 on; 32-bit counters do the same by themselves. */
static void count_anew(struct world_reading *r, bool is_reboot)
{
	struct world_reading old = *r;

	memset(r, 0, sizeof(*r));
	r->admin_up = old.admin_up;
	r->oper_up = old.oper_up;
	r->present = old.present;
	memcpy(r->serial, old.serial, sizeof(r->serial));
	r->link_down_count = is_reboot ? 0 : old.link_down_count;
}

static void begin(struct world *w, const struct e_happening *h)
{
	unsigned acts = h->kind->acts;

	if (acts & E_CLOCK)
		w->clock_ns += (int64_t)(h->size[E_AMOUNT] * 1e9);
	if (acts & E_AWAY)
		event_add(w, WORLD_TSA, WORLD_ALL_PORTS);
	if (acts & E_TELLS && !(acts & E_ANEW))	/* a configuration was loaded */
		event_add(w, WORLD_RELOAD, h->first);
}

static void end(struct world *w, const struct e_happening *h)
{
	unsigned acts = h->kind->acts;
	bool is_wide = h->kind->scope == E_SWITCH;

	if (acts & E_AWAY)
		event_add(w, WORLD_TSB, WORLD_ALL_PORTS);
	for (unsigned i = 0; i < w->at.ports; i++) {
		if (!(h->ports >> i & 1))
			continue;
		if (acts & E_SWAP) {
			w->state[i].modules++;
			e_module_make(w, i);
			w->state[i].has_dom = false;
		}
		if (acts & E_ANEW)
			count_anew(&w->state[i].now, acts & E_SILENT);
	}
	if (acts & E_TELLS && acts & E_ANEW)
		event_add(w, acts & E_SILENT ? WORLD_RELOAD :
			  WORLD_COUNTERS_CLEARED,
			  is_wide ? WORLD_ALL_PORTS : h->first);
}

static void zone_note(struct world *w, const struct e_happening *h)
{
	double heat = h->size[E_HEAT] * e_level(h, w->now_ns, 0);
	unsigned zone = h->first * E_ZONES / w->at.ports;

	if (h->kind->scope != E_ZONE && h->kind->scope != E_SWITCH)
		return;
	for (unsigned i = 0; i < E_ZONES; i++) {
		bool here = h->kind->scope == E_SWITCH || i == zone;

		w->zone_heat_k[i] += here && heat > 0 ? heat : 0;
		if (h->kind->acts & E_FAN && here && w->now_ns < h->end_ns)
			w->zone_fan_fails[i] = true;
	}
}

/* A while after its end a happening may still hold a link down. */
void e_house_step(struct world *w)
{
	int64_t past_ns = w->now_ns - 3600 * E_NS;

	w->actives = w->events = 0;
	memset(w->zone_heat_k, 0, sizeof(w->zone_heat_k));
	memset(w->zone_fan_fails, 0, sizeof(w->zone_fan_fails));
	for (size_t i = 0; i < w->happenings; i++) {
		struct e_happening *h = &w->happening[i];

		if (w->now_ns < h->onset_ns)
			continue;
		if (!h->has_begun)
			begin(w, h);
		h->has_begun = true;
		if (w->now_ns >= h->end_ns && !h->has_ended) {
			end(w, h);
			h->has_ended = true;
		}
		if (h->end_ns < past_ns)
			continue;
		w->active[w->actives++] = i;
		zone_note(w, h);
	}
	sensors_step(w);
}
