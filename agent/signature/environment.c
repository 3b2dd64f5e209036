#include "agent/signature/environment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/signature/site.h"
#include "agent/signature/switch_sensor.h"
#include "agent/signature/together.h"
#include "agent/signature/wide.h"

#define PORTS_LEAST 4		/* that warm together … */
#define ZONE_LEAST 3		/* … or all of a zone with so few */
#define WARM_K 4.5f		/* median of the zone over the others' … */
#define REST_TIMES 1.5f		/* … times this: where a job or the room warms
				 * all, the others may draw less power */
#define WARM_WARN_K 7.0f
#define HOT_K 8.0f		/* modules, where no zone is known */
#define REST_K 2.0f		/* while the others are no warmer */
#define ALL_K 12.0f		/* most modules of the switch: more than load
				 * and seasons make; learned for long … */
#define INLET_K 8.0f		/* … or so warm, with the air that comes in */
#define LONG_S 21600.0f
#define STILL_SHARE 0.5f
#define HEATED_K 3.0f		/* a module that is part of it, at least … */
#define HEATED_TIMES 2.5f	/* … and at most that, and so many times as much
				 * as the middle one: it may draw more power */
#define REST_NS (3600 * NS_PER_S)	/* until what was warm is forgotten */
#define TOGETHER_NS (3600 * NS_PER_S)	/* air warms modules within: chosen */
#define LOOKS 6			/* in a row, without a sensor */
#define ALONG_NS (120 * NS_PER_S)
#define HOLD_NS (300 * NS_PER_S)
#define POWER_PORTS 3u		/* whose errors begin with bad power: by that */

struct wide *environment_find(const struct engine *e, const char *subject)
{
	const char *zone = strcmp(subject, e->life.switch_name) == 0 ? "" :
			   subject;

	for (size_t i = 0; i < e->sensor_count; i++)
		if (strcmp(e->sensors[i]->facts.name, subject) == 0)
			return e->sensors[i]->air;
	for (size_t i = 0; i < e->airs.count; i++)
		if (strcmp(e->airs.at[i]->name, zone) == 0)
			return e->airs.at[i];
	return NULL;
}

/* Air of all zones is the switch's. */
int environment_join(struct engine *e, struct engine_port *p)
{
	struct wide *whole;
	int rc = wide_get(&e->airs, "", &whole);

	return rc < 0 ? rc : wide_get(&e->airs, p->facts.zone, &p->air);
}

void environment_free(struct engine *e)
{
	for (size_t i = 0; i < e->sensor_count; i++)
		free(e->sensors[i]);
	free(e->sensors);
	wides_free(&e->airs);
}

void environment_reading(struct engine *e, uint32_t sensor,
			 const struct sensor_reading *r, struct mono now)
{
	sensor_take(e, e->sensors[sensor], r, now);
}

/* A power supply that fails makes other sensors fail. */
static bool is_of_supply(const struct engine *e, const struct sensor *s)
{
	for (size_t i = 0; i < e->sensor_count; i++) {
		const struct sensor *o = e->sensors[i];
		int64_t apart = mono_diff_ns(s->since, o->since);

		if (o->facts.kind == SENSOR_SUPPLY && o->air != s->air &&
		    sensor_is_bad(e, o) &&
		    apart > -ALONG_NS && apart < ALONG_NS)
			return true;
	}
	return false;
}

/* The sensor that went bad first: place plus 1, or 0. */
static size_t first_bad(const struct engine *e, const struct wide *air)
{
	size_t first = 0;

	for (size_t i = 0; i < e->sensor_count; i++)
		if (e->sensors[i]->air == air &&
		    sensor_is_bad(e, e->sensors[i]) &&
		    !is_of_supply(e, e->sensors[i]) &&
		    (!first || e->sensors[i]->since.ns <
		     e->sensors[first - 1]->since.ns))
			first = i + 1;
	return first;
}

static bool is_in(const struct engine_port *p, const struct wide *air)
{
	return p->air == air || air->whole;
}

/* How warm a module in this air is, or one elsewhere. */
static float heat_here(const struct engine_port *p, const struct site_asks *a)
{
	return is_in(p, a->air) ? heat_above(&p->heat, &p->front) : NAN;
}

/* … of those known for long: a switch that just started warms up. */
static float heat_of_old(const struct engine_port *p,
			 const struct site_asks *a)
{
	return p->heat.learned_s > LONG_S ? heat_here(p, a) : NAN;
}

/* Is the module in that air, and warmer than usual by least or more? */
static bool is_warm_in(const struct engine_port *p, const struct wide *air,
		       float least)
{
	return !p->gone && is_in(p, air) &&
	       heat_above(&p->heat, &p->front) >= least;
}

/* In the middle; three have none: the one that says least for bad air. */
static float heat_middle(struct engine *e, size_t n, bool inside)
{
	float k;

	if (n != ZONE_LEAST)
		return n == e->heats ? e->heat_middle_k : site_middle_of(e, n);
	k = e->values[0];
	for (size_t i = 1; i < n; i++)
		k = inside ? fminf(k, e->values[i]) : fmaxf(k, e->values[i]);
	return k;
}

/* Counts the modules in the air that are warmer by least or more. Returns how
 * warm those in the air are, in the middle.
 */
static float heated_note(struct engine *e, struct wide *air, float least)
{
	size_t n = 0;

	air->hit = 0;
	air->most = 0;
	for (size_t i = 0; i < e->count; i++) {
		float k = e->heat_k[i];

		if (isnan(k) || !is_in(e->ports[i], air))
			continue;
		e->values[n++] = k;
		if (k < least)
			continue;
		if (air->hit++ == 0)
			air->first = (uint32_t)i;
		air->most = fmaxf(air->most, k);
	}
	air->watched = (unsigned)n;
	return heat_middle(e, n, true);
}

/* A module that is far warmer than those in the middle has a fault of its own.
 * The most is of the others.
 */
static void own_note(const struct engine *e, struct wide *air, float middle)
{
	air->own_k = middle > HEATED_K ? HEATED_TIMES * middle + HEATED_K :
					 INFINITY;
	if (air->most <= air->own_k)
		return;
	air->most = 0;
	for (size_t i = 0; i < e->count; i++)
		if (is_in(e->ports[i], air) && e->heat_k[i] <= air->own_k)
			air->most = fmaxf(air->most, e->heat_k[i]);
}

/* Is its module that of an earlier port, too? Both show the same then. */
static bool is_counted(const struct engine *e, size_t i)
{
	const struct engine_port *p = e->ports[i];

	for (size_t k = 0; p->facts.cage[0] && k < i; k++)
		if (!e->ports[k]->gone &&
		    e->ports[k]->front.link == LINK_IS_UP &&
		    !is_other(e->ports[k]->facts.cage, p->facts.cage))
			return true;
	return false;
}

/* Modules that are so warm; ports of one cage have one. */
static unsigned modules_of(const struct engine *e, const struct wide *air,
			   float least)
{
	unsigned n = 0;

	for (size_t i = 0; i < e->count && air->hit >= ZONE_LEAST; i++)
		n += is_warm_in(e->ports[i], air, least) && !is_counted(e, i);
	return n;
}

/* Of the modules that are so warm, those that became warm together: most that
 * did so within TOGETHER_NS. Returns how many.
 */
static unsigned together_note(const struct engine *e, struct wide *air,
			      float least)
{
	unsigned all = air->hit, most = 0;

	for (size_t i = 0; i < e->count && most < all; i++) {
		struct mono first = e->ports[i]->heat.warm_since;
		unsigned n = 0;

		if (!is_warm_in(e->ports[i], air, least))
			continue;
		for (size_t k = 0; k < e->count; k++) {
			const struct engine_port *p = e->ports[k];
			int64_t after = mono_diff_ns(p->heat.warm_since, first);

			n += is_warm_in(p, air, least) && after >= 0 &&
			     after < TOGETHER_NS;
		}
		if (n <= most)
			continue;
		most = n;
		air->first = (uint32_t)i;
		air->warmed = first;
	}
	return most;
}

/* How warm the other modules are, or were of late: the air of a zone is not bad
 * when only the others cool, or when their warmth becomes usual.
 */
static float rest_of_late(struct wide *air, float rest, struct mono now)
{
	float past = (float)mono_diff_ns(now, air->rested) / (float)REST_NS;

	rest = fmaxf(rest, 0);
	if (air->rested.ns == 0 || past >= 1 || rest > air->rest_k)
		air->rest_k = rest;
	else
		air->rest_k += past * (rest - air->rest_k);
	air->rested = now;
	return air->rest_k;
}

static float heat_of_rest(struct engine *e, const struct wide *air)
{
	size_t n = 0;

	for (size_t i = 0; i < e->count; i++) {
		e->values[n] = e->heat_k[i];
		n += e->ports[i]->air != air && !isnan(e->heat_k[i]);
	}
	return heat_middle(e, n, false);
}

/* A few modules may be ports of one cage: that is no air. */
static bool are_enough(const struct engine *e, const struct wide *air)
{
	return air->watched > ZONE_LEAST ||
	       modules_of(e, air, HEATED_K) == ZONE_LEAST;
}

static const struct sensor *inlet_of(const struct engine *e,
				     const struct wide *air)
{
	return sensor_of_inlet(e, air->name[0] ? air : NULL);
}

/* Most modules of the switch are warm, and no load makes them so hot: where the
 * air that comes in is as warm, it made the most of it.
 */
static bool all_are_warm(struct engine *e, const struct wide *air, float share)
{
	const struct site_asks asks = { .air = air };
	const struct sensor *inlet = inlet_of(e, air);
	float least = inlet && sensor_above(inlet) > share * INLET_K ?
		      INLET_K : ALL_K;

	return site_middle(e, heat_of_old, &asks) > share * least;
}

/* Bad air shows in a zone that is warmer than the others: in most of its
 * modules, as air warms all; two of four may be warm by chance. Where zones are
 * not known, or there is one, it shows in some modules that are hot while the
 * rest is not, or in most modules when no load makes them so hot; air of all
 * zones in the latter.
 */
static bool modules_show(struct engine *e, struct wide *air, struct mono now)
{
	float share = air->speaking ? STILL_SHARE : 1;
	float rest = air->name[0] ? heat_of_rest(e, air) : NAN;
	bool apart = !isnan(rest);
	float zone = heated_note(e, air, apart ? HEATED_K : share * HOT_K);

	own_note(e, air, zone);
	rest = rest_of_late(air, apart ? rest : zone, now);
	if (apart)
		return zone - REST_TIMES * rest > share * WARM_K &&
		       (air->speaking || (2 * air->hit > air->watched &&
					  are_enough(e, air)));
	if (modules_of(e, air, share * HOT_K) < PORTS_LEAST ||
	    ((rest >= REST_K || air->whole) && !all_are_warm(e, air, share)))
		return false;
	air->hit = together_note(e, air, share * HOT_K);
	return air->hit >= PORTS_LEAST;
}

/* Is the module in that air, and above its own limit? */
static bool is_over_in(const struct engine_port *p, const struct wide *air)
{
	float near_c = air->speaking ? HEAT_NEAR_C : 0;

	return !p->gone && p->air == air && p->front.link == LINK_IS_UP &&
	       p->front.temp_c >= heat_limit_c(&p->facts) - near_c;
}

/* Where most modules are above their own limits it is the air, however usual
 * that is. Ports are counted only when some are.
 */
static bool limits_show(const struct engine *e, struct wide *air)
{
	unsigned over = 0, known = 0;

	for (size_t i = 0; i < e->count && over < PORTS_LEAST; i++)
		over += is_over_in(e->ports[i], air);
	if (over < PORTS_LEAST)
		return false;
	over = 0;
	for (size_t i = 0; i < e->count; i++) {
		const struct engine_port *p = e->ports[i];

		if (p->gone || p->air != air || p->front.link != LINK_IS_UP ||
		    isnan(p->front.temp_c) ||
		    isinf(heat_limit_c(&p->facts)) || is_counted(e, i))
			continue;
		known++;
		if (is_over_in(p, air) && over++ == 0)
			air->first = (uint32_t)i;
	}
	if (over < PORTS_LEAST || 2 * over <= known)
		return false;
	air->hit = over;
	air->watched = known;
	return true;
}

/* Warm air is told once: of all zones, unless one of them shows it. */
static bool is_told_elsewhere(const struct engine *e, const struct wide *air)
{
	for (size_t i = 0; i < e->airs.count; i++) {
		const struct wide *o = e->airs.at[i];

		if (o->whole != air->whole && !o->sensor &&
		    (life_is_open(&o->slot) || (air->whole && o->looks)))
			return !life_is_open(&air->slot);
	}
	return false;
}

/* of_limits stays with the words of an open finding. */
static bool air_shows(struct engine *e, struct wide *air, struct mono now)
{
	bool warm = modules_show(e, air, now) && !is_told_elsewhere(e, air);

	if (warm || !life_is_open(&air->slot))
		air->of_limits = !warm && limits_show(e, air);
	else if (air->of_limits)
		return limits_show(e, air);
	return warm || air->of_limits;
}

static const struct {
	const char *words;
	enum cause_id cause_id;
} kinds[SENSOR_KIND_COUNT] = {
	[SENSOR_FAN] = { "fan", CAUSE_FAN },
	[SENSOR_TEMP] = { "temperature sensor", CAUSE_SENSOR_TEMPERATURE },
	[SENSOR_SUPPLY] = { "power supply", CAUSE_SUPPLY },
	[SENSOR_VOLTAGE] = { "voltage sensor", CAUSE_SENSOR_VOLTAGE },
	[SENSOR_CURRENT] = { "current sensor", CAUSE_SENSOR_CURRENT },
};

/* Other bad sensors of the air: how many, and the name of the last. */
static void others_tell(const struct engine *e, const struct wide *air,
			char *ret, size_t cap, struct finding *f)
{
	const struct sensor *last = NULL;
	unsigned n = 0;

	for (size_t i = 0; i < e->sensor_count; i++) {
		const struct sensor *s = e->sensors[i];

		if (s->air != air || i + 1 == air->sensor ||
		    !sensor_is_bad(e, s))
			continue;
		n++;
		if (!last || s->since.ns > last->since.ns)
			last = s;
	}
	if (!last)
		return;
	if (n == 1)
		(void)snprintf(ret, cap, "; %s %.24s %s too",
			       kinds[last->facts.kind].words, last->facts.name,
			       sensor_wrong_words(last->wrong));
	else
		(void)snprintf(ret, cap, "; %u other sensors are bad too, the "
			       "last of them %.24s", n, last->facts.name);
	evidence_add(f, "sensors_wrong", n + 1);
}

static void sensor_tell(const struct engine *e, const struct wide *air,
			struct finding *f)
{
	const struct sensor *s = e->sensors[air->sensor - 1];
	char others[80] = "", warm[64] = "";
	bool power = s->facts.kind >= SENSOR_SUPPLY;

	if (air->power.ns)
		(void)snprintf(warm, sizeof(warm), "; errors of %u ports grew "
			       "with it", air->unpowered);
	others_tell(e, air, others, sizeof(others), f);
	if (air->hit_told && !air->power.ns)
		(void)snprintf(warm, sizeof(warm), "; %u module%s up to "
			       "%.1f K warmer than usual", air->hit_told,
			       air->hit_told == 1 ? " is" : "s are",
			       (double)air->most_told);
	(void)snprintf(f->cause, sizeof(f->cause), "%s %.24s %s%s%s%s",
		       kinds[s->facts.kind].words, s->facts.name,
		       sensor_wrong_words(s->wrong),
		       sensor_is_bad(e, s) ? "" : ", or was until lately",
		       others, warm);
	f->action = power ? ACTION_REPLACE_NEAR : ACTION_FIX_AIRFLOW;
	f->cause_id = kinds[s->facts.kind].cause_id;
	f->confidence = 0.97f;
	f->onset = s->since;
	if (!isnan(s->value))
		evidence_add(f, "sensor_value", s->value);
}

/* A sensor may show the heat without being above its limit. */
static void inlet_tell(const struct engine *e, const struct wide *air,
		       struct finding *f)
{
	const struct sensor *s = inlet_of(e, air);
	size_t at = strlen(f->cause), room = sizeof(f->cause) - at;

	if (air->inlet_told < HEATED_K)
		(void)snprintf(f->cause + at, room, "; no sensor shows it");
	else
		(void)snprintf(f->cause + at, room, "; %.24s showed up to %.1f "
			       "K more than usual", s ? s->facts.name :
			       "a sensor", (double)air->inlet_told);
}

static void warm_tell(const struct engine *e, const struct wide *air,
		      struct finding *f)
{
	unsigned hit = air->hit_told;	/* some may be down now */
	unsigned all = hit > air->watched ? hit : air->watched;

	if (air->of_limits)
		(void)snprintf(f->cause, sizeof(f->cause), "%u of %u modules "
			       "got above their own alarm limits: the air",
			       hit, all);
	else
		(void)snprintf(f->cause, sizeof(f->cause), "%u of %u modules "
			       "warmed together, by up to %.1f K, %s first: "
			       "the air", hit, all, (double)air->most_told,
			       e->ports[air->first]->facts.name);
	inlet_tell(e, air, f);
}

static void describe(const struct verdict *w, struct finding *f)
{
	const struct wide *air = w->mine;
	const struct engine *e = w->view;

	f->end = END_NEAR;
	wide_ports(e, air, f);
	if (air->sensor) {
		sensor_tell(e, air, f);
	} else {
		warm_tell(e, air, f);
		f->action = ACTION_FIX_AIRFLOW;
		f->cause_id = CAUSE_WARM_AIR;
		f->confidence = 0.85f;
		f->onset = air->onset;
	}
	if (air->of_limits)
		evidence_add(f, "modules_over_alarm", air->hit_told);
	if (!air->hit_told || air->of_limits)
		return;
	evidence_add(f, "modules_warm", air->hit_told);
	evidence_add(f, "module_heat_k", air->most_told);
}

/* A port without a thermometer, whose errors grow in air that heats others. */
static bool is_heated_unread(const struct engine_port *p,
			     const struct wide *air)
{
	return p->front.seen[NEED_TEMP].ns == INT64_MIN &&
	       air->most > HEATED_K && p->ber.cusum.sum > 0 &&
	       p->ber.since.ns >= air->onset.ns;
}

/* Where zones are not known, a module that was warm before has a fault of its
 * own.
 */
static bool is_of_air(const struct engine_port *p, const struct wide *air)
{
	return heat_above(&p->heat, &p->front) <= air->own_k &&
	       (air->sensor || air->name[0] ||
		p->heat.warm_since.ns >= air->warmed.ns);
}

/* Marks the ports that it heats: their trouble by heat is part of it. */
static void air_hits(const struct engine *e, struct wide *air)
{
	for (size_t i = 0; i < e->count; i++) {
		struct engine_port *p = e->ports[i];

		if (is_in(p, air) && !wide_is_over(p) &&
		    ((heat_above(&p->heat, &p->front) > HEATED_K &&
		      is_of_air(p, air)) ||
		     (air->of_limits && is_over_in(p, air)) ||
		     is_heated_unread(p, air)))
			p->part_of = air;
	}
}

/* Findings of what ports share become part of the bad power's. */
static void groups_end(struct engine *e, const struct wide *air,
		       struct mono now, struct wall wall)
{
	const struct finding *whole = &e->life.pool[air->slot.open - 1];

	for (size_t i = 0; i < e->groups.count; i++) {
		struct wide *g = e->groups.at[i];
		struct life_subject s = { .port = CHANGES_EVERYWHERE,
					  .slots = &g->slot };

		if (life_is_open(&g->slot) && !g->of_falls &&
		    e->ports[g->first]->part_of == air)
			life_into(&e->life, &s, 0, now, wall, whole);
	}
}

/* Marks the ports whose errors began when the power of their zone went bad. */
static void power_hits(struct engine *e, struct wide *air, struct mono now,
		       struct wall wall)
{
	const struct sensor *s = air->sensor ? e->sensors[air->sensor - 1]
					     : NULL;
	unsigned hit = 0;

	if (!s || s->facts.kind < SENSOR_SUPPLY || !air->name[0])
		return;
	for (size_t i = 0; i < e->count; i++)
		hit += e->ports[i]->air == air && !e->ports[i]->gone &&
		       wide_power_hits(e->ports[i], s->since);
	if (hit < POWER_PORTS)
		return;
	air->power = s->since;
	air->unpowered = hit > air->unpowered ? hit : air->unpowered;
	for (size_t i = 0; i < e->count; i++)
		if (e->ports[i]->air == air &&
		    wide_power_hits(e->ports[i], s->since))
			e->ports[i]->part_of = air;
	if (life_is_open(&air->slot))
		groups_end(e, air, now, wall);
}

static void air_say(struct engine *e, struct wide *air, struct mono now,
		    struct wall wall)
{
	const struct sensor *s = air->sensor ? e->sensors[air->sensor - 1]
					     : NULL;
	const struct wide_word word = {
		.subject = s ? s->facts.name : air->name[0] ? air->name :
			   e->life.switch_name,
		.kind = s ? SUBJECT_SENSOR : air->name[0] ? SUBJECT_ZONE :
							    SUBJECT_SWITCH,
		.entity = s ? s->facts.entity : 0,
		.signature = SIGNATURE_ENVIRONMENT,
		.severity = air->speaking ? air->severity : SEVERITY_NONE,
		.hold_ns = HOLD_NS, .describe = describe, .view = e };

	wide_say(e, air, &word, now, wall);
}

/* The worst since the finding began: its words stay true once it cools. */
static void worst_note(const struct engine *e, struct wide *air)
{
	const struct sensor *inlet = inlet_of(e, air);

	if (!life_is_open(&air->slot)) {
		air->hit_told = 0;
		air->most_told = air->inlet_told = 0;
	}
	if (inlet)
		air->inlet_told = fmaxf(air->inlet_told, sensor_above(inlet));
	if (air->hit > air->hit_told)
		air->hit_told = air->hit;
	air->most_told = fmaxf(air->most_told, air->most);
}

/* A sensor of no zone is a subject of its own, whatever the modules show. One
 * zone that has all ports is no part of a whole.
 */
static bool is_whole(const struct engine *e, const struct wide *air)
{
	const struct wide *one = NULL;
	bool more = false, is = !air->name[0] &&
				!(air->sensor && life_is_open(&air->slot));

	for (size_t i = 0; is && i < e->count; i++) {
		if (e->ports[i]->gone)
			continue;
		is = e->ports[i]->air != air;
		more |= one && e->ports[i]->air != one;
		one = e->ports[i]->air;
	}
	return is && more;
}

/* When it began to warm modules: a sensor may show it late. */
static void begin_note(const struct engine *e, struct wide *air)
{
	uint32_t first = air->first;

	air->warmed = air->sensor ? e->sensors[air->sensor - 1]->since :
				    air->onset;
	if (2 * air->hit > air->watched)
		(void)together_note(e, air, HEATED_K);
	air->first = first;
}

static void air_look(struct engine *e, struct wide *air, struct mono now,
		     struct wall wall)
{
	size_t bad = first_bad(e, air);
	bool shows;

	air->whole = !bad && is_whole(e, air);
	shows = air_shows(e, air, now);
	/* A sensor that is good again warmed the air all the same. */
	if (bad || !life_is_open(&air->slot))
		air->sensor = bad;
	worst_note(e, air);
	air->looks = shows ? air->looks + (air->looks < UINT16_MAX) : 0;
	if (air->looks == 1 && !life_is_open(&air->slot))
		air->onset = now;
	air->speaking = bad || air->looks >= LOOKS;
	air->severity = bad || air->most > WARM_WARN_K ? SEVERITY_WARN
						       : SEVERITY_WATCH;
	if (!life_is_open(&air->slot)) {
		wide_forget(e, air);
		air->power.ns = 0;
		air->unpowered = 0;
	}
	if (!air->speaking && !life_is_open(&air->slot))
		return;
	if (!life_is_open(&air->slot) && (air->sensor || air->name[0]))
		begin_note(e, air);
	if (air->speaking) {
		air_hits(e, air);
		power_hits(e, air, now, wall);
	}
	air_say(e, air, now, wall);
}

void environment_look(struct engine *e, struct mono now, struct wall wall)
{
	for (size_t i = 0; i < e->airs.count; i++)
		air_look(e, e->airs.at[i], now, wall);
}

static const struct need_row needs[] = {
	{ NEED_TEMP, false, "the module's temperature is not read: heat cannot "
	  "be seen", "a module with DOM" },
};

const struct watched environment_watched = {
	needs, sizeof(needs) / sizeof(needs[0]), NULL };
