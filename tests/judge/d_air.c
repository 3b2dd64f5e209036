/* The switch: its sensors, and what is done to all of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/judge/d_world.h"

#define FAN_RPM 9000.0
#define DAY_S 86400.0

static void event_add(struct world *w, enum world_event_kind kind,
		      int64_t t_ns)
{
	w->event[w->events++] = (struct world_event){ t_ns, kind,
						      WORLD_ALL_PORTS };
}

static int earlier(const void *a, const void *b)
{
	const struct world_event *x = a, *y = b;

	return (x->t_ns > y->t_ns) - (x->t_ns < y->t_ns);
}

void d_air_make(struct world *w)
{
	bool limits = draw_unit(&w->chance) < 0.8;

	for (size_t i = 0; i < w->faults; i++) {
		const struct d_fault *f = &w->fault[i];

		if (f->kind->acts & D_CLEAR)
			event_add(w, WORLD_COUNTERS_CLEARED, f->onset_ns);
		if (f->kind->acts & D_RELOAD)
			event_add(w, WORLD_RELOAD, f->onset_ns);
		if (f->kind->acts & D_DRAIN) {
			event_add(w, WORLD_TSA, f->onset_ns);
			event_add(w, WORLD_TSB, f->end_ns);
		}
	}
	qsort(w->event, w->events, sizeof(w->event[0]), earlier);
	for (unsigned i = 0; i < D_SENSORS; i++) {
		static const char *const name[] = { "fan", "air", "psu" };
		struct world_sensor *s = &w->sensor[i];
		unsigned port = i / 2 * w->zone_ports;

		s->kind = i == 2 * D_ZONES ? WORLD_SUPPLY : i % 2 ? WORLD_TEMP
								 : WORLD_FAN;
		(void)snprintf(s->name, sizeof(s->name), "%s%u", name[s->kind
			== WORLD_SUPPLY ? 2 : i % 2], i / 2 + 1);
		if (s->kind != WORLD_SUPPLY && port < w->at.ports)
			memcpy(s->zone, w->port[port].zone, sizeof(s->zone));
		s->has_value = true;
		s->low = s->high = NAN;
		if (limits && s->kind == WORLD_TEMP)
			s->high = 55;
		else if (limits)
			s->low = s->kind == WORLD_FAN ? 4000 : 11.4;
	}
}

/* Clears what a switch counts; what is known of its modules stays. */
static void counters_clear(struct world *w, bool flaps)
{
	for (unsigned i = 0; i < w->at.ports; i++) {
		struct world_reading *r = &w->state[i].now;

		memset(&r->fec_corrected_codewords, 0,
		       (size_t)((char *)&r->queue_peak_octets -
				(char *)&r->fec_corrected_codewords));
		if (flaps)
			r->link_down_count = 0;
	}
}

static bool passes(const struct world *w, int64_t t_ns)
{
	return w->before_ns < t_ns && t_ns <= w->now_ns;
}

static void act(struct world *w, const struct d_fault *f)
{
	unsigned acts = f->kind->acts, port;

	if (acts & D_CLEAR && passes(w, f->onset_ns))
		counters_clear(w, false);
	if (acts & (D_REBOOT | D_RELOAD) && passes(w, f->end_ns))
		counters_clear(w, true);
	/* NTP comes back, or somebody sets the clock. */
	if (acts & D_CLOCK && passes(w, f->onset_ns))
		w->clock_ns += (int64_t)(90e9 * (key_unit(f->key) - 0.5));
	w->silent |= acts & D_REBOOT && w->now_ns < f->end_ns;
	w->stalled |= acts & D_STALL && w->now_ns < f->end_ns;
	if (acts & D_SWAP && passes(w, f->end_ns)) {
		port = (unsigned)__builtin_ctzll(f->ports);
		w->state[port].modules++;
		d_module_make(w, port);
	}
}

static void sensors_strike(struct world *w, const struct d_fault *f)
{
	unsigned zone = (unsigned)__builtin_ctzll(f->ports) / w->zone_ports;
	struct world_sensor *fan = &w->sensor[2 * zone];
	double level = d_level(f, w->now_ns, 1);
	bool all = f->kind->scope == D_SWITCH;

	if (f->kind->acts & D_FAN) {
		bool stops = f->kind->course != D_GROW;

		fan->value *= 1 - (stops ? 1 : 0.65) * fmin(level, 1);
		fan->ok &= !stops || level < 0.9;
	}
	if (f->kind->acts & D_SUPPLY && level > 0) {
		w->sensor[2 * D_ZONES].value = 0.2;
		w->sensor[2 * D_ZONES].ok = false;
	}
	for (unsigned i = 0; i < D_ZONES; i++)
		if (all || (f->kind->scope == D_ZONE && i == zone))
			w->sensor[2 * i + 1].value += level * f->size[D_HEAT];
}

void d_air_step(struct world *w)
{
	double turn = 2e-9 * M_PI / DAY_S;

	w->air_c += w->air_day_c * (sin(turn * (double)w->now_ns) -
				    sin(turn * (double)w->before_ns));
	for (unsigned i = 0; i < D_SENSORS; i++) {
		struct world_sensor *s = &w->sensor[i];

		s->ok = true;
		s->value = (s->kind == WORLD_FAN ? FAN_RPM + 80 * w->air_c :
			    s->kind == WORLD_TEMP ? w->air_c + 3 : 12.05) *
			   (1 + 0.004 * draw_rough(&w->chance));
	}
	w->silent = w->stalled = false;
	w->actives = 0;
	for (size_t i = 0; i < w->faults; i++) {
		const struct d_fault *f = &w->fault[i];

		if (f->onset_ns > w->now_ns || f->end_ns < w->before_ns)
			continue;
		w->active[w->actives++] = i;
		act(w, f);
		sensors_strike(w, f);
	}
	w->event_first += w->event_count;
	w->event_count = 0;
	while (w->event_first + w->event_count < w->events &&
	       w->event[w->event_first + w->event_count].t_ns <= w->now_ns)
		w->event_count++;
}
