#include "agent/signature/wide.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/signature/kept.h"
#include "agent/signature/words.h"

#define POWER_NS (300 * NS_PER_S)	/* sensors are read each minute */
#define HOT_K 15.0f		/* above usual: a module may give up */
#define BY_HEAT_DECADES 0.3	/* more than by its slope, plus … */
#define BY_HEAT_A_K 0.1f	/* … as errors bend upwards with heat */
#define BEFORE_NS (3600 * NS_PER_S)	/* it warms the first modules for so
					 * long, and shows: chosen */

struct wide *wide_find(const struct wides *w, const char *name)
{
	for (size_t i = 0; i < w->count; i++)
		if (strcmp(w->at[i]->name, name) == 0)
			return w->at[i];
	return NULL;
}

int wide_get(struct wides *w, const char *name, struct wide **ret)
{
	struct wide **grown;

	*ret = wide_find(w, name);
	if (*ret)
		return 0;
	grown = realloc(w->at, (w->count + 1) * sizeof(struct wide *));
	if (!grown)
		return -ENOMEM;
	w->at = grown;
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	(void)snprintf((*ret)->name, sizeof((*ret)->name), "%s", name);
	life_slot_start(&(*ret)->slot);
	w->at[w->count++] = *ret;
	return 0;
}

void wides_free(struct wides *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->at[i]);
	free(w->at);
}

void wide_say(struct engine *e, struct wide *w, const struct wide_word *word,
	      struct mono now, struct wall wall)
{
	const struct life_subject s = { .port = CHANGES_EVERYWHERE,
					.slots = &w->slot };
	const struct verdict v = {
		.name = word->subject, .kind = word->kind,
		.entity = word->entity,
		.signature = word->signature, .severity = word->severity,
		.hold_ns = word->hold_ns, .now = now, .wall = wall,
		.changes = &e->changes, .describe = word->describe,
		.mine = w, .view = word->view };

	life_take(&e->life, &s, 0, &v);
}

void wide_end(struct engine *e, struct wide *w, const char *why,
	      struct mono now, struct wall wall)
{
	const struct life_subject s = { .port = CHANGES_EVERYWHERE,
					.slots = &w->slot };

	life_end(&e->life, &s, 0, now, wall, why);
}

void wide_forget(const struct engine *e, const struct wide *w)
{
	for (size_t i = 0; i < e->count; i++)
		if (e->ports[i]->part_of == w)
			e->ports[i]->part_of = NULL;
}

void wide_ports(const struct engine *e, const struct wide *w,
		struct finding *f)
{
	size_t first = w->first < e->count &&
		       e->ports[w->first]->part_of == w ? w->first : e->count;

	if (first < e->count)
		finding_port_add(f, e->ports[first]->facts.name);
	for (size_t i = 0; i < e->count; i++)
		if (i != first && e->ports[i]->part_of == w)
			finding_port_add(f, e->ports[i]->facts.name);
}

static const struct finding *finding_of(const struct engine *e,
					const struct life_slot *s)
{
	return life_is_open(s) ? &e->life.pool[s->open - 1] : NULL;
}

/* Does the cause take precedence over the symptom, where both fit? */
static bool is_part(enum signature symptom, enum signature cause)
{
	const struct signature_words *words = signature_words(cause);

	for (size_t i = 0; i < WORDS_OVER_MAX && words->over[i]; i++)
		if (words->over[i] == symptom)
			return true;
	return false;
}

/* The oldest finding of the ports that are part of it and have none yet. */
static struct life_slot *oldest(struct engine *e, const struct wide *w,
				enum signature cause)
{
	struct life_slot *best = NULL;

	for (size_t i = 0; i < e->count; i++) {
		struct engine_port *p = e->ports[i];

		for (size_t n = 0; p->part_of == w && n < e->detectors; n++) {
			const struct finding *f = finding_of(e, &p->slots[n]);

			if (f && is_part(f->signature, cause) &&
			    (!best || f->onset.ns <
			     finding_of(e, best)->onset.ns))
				best = &p->slots[n];
		}
	}
	return best;
}

void wide_adopt(struct engine *e, struct wide *w, const struct wide_word *word,
		struct mono now)
{
	const struct verdict v = { .hold_ns = word->hold_ns, .now = now };
	struct life_slot *from = oldest(e, w, word->signature);

	if (from && !life_is_open(&w->slot))
		life_adopt(&e->life, from, &w->slot, &v);
}

bool wide_power_hits(const struct engine_port *p, struct mono bad)
{
	int64_t apart = mono_diff_ns(p->ber.since, bad);

	return (p->ber.loud || p->ber.stepped) && apart > -POWER_NS &&
	       apart < POWER_NS;
}

/* Its trouble n began long before the air was bad. */
static bool began_before(const struct engine *e, const struct engine_port *p,
			 size_t n)
{
	const struct finding *f = finding_of(e, &p->slots[n]);
	struct mono since = f ? f->onset :
			    n == e->errors && p->ber.cusum.sum > 0 ?
			    p->ber.since : p->front.t;

	return mono_diff_ns(p->part_of->warmed, since) > BEFORE_NS;
}

/* Errors bend with the heat above that in which their normal level was learned.
 * Passive copper is as hot as its air.
 */
static bool heat_explains(const struct engine_port *p, enum signature symptom,
			  float heat_k)
{
	const struct residual *r = &p->ber.residual;

	if (p->ber.baseline.temp_s > 0)
		heat_k = fminf(heat_k, (float)r->heat_k);
	if (ber_denies_heat(&p->ber))
		return false;
	return symptom == SIGNATURE_THERMAL_FEC || r->excess - r->slack <
	       BY_HEAT_DECADES + (double)(BY_HEAT_A_K * heat_k);
}

/* Bad power explains errors that began with it. Warm air explains errors by
 * heat, and a link down only where its module was hot; the rest is another
 * fault.
 */
static bool air_explains(const struct engine *e, const struct engine_port *p,
			 size_t n, enum signature symptom)
{
	float heat_k = isnan(p->heat.now_c) ? p->part_of->most :
		       p->heat.now_c - p->heat.usual_c;

	if (p->part_of->power.ns && symptom != SIGNATURE_LINK_DOWN &&
	    wide_power_hits(p, p->part_of->power))
		return true;
	if (began_before(e, p, n))
		return false;
	if (n != e->errors)
		return symptom == SIGNATURE_THERMAL_FEC || heat_k > HOT_K;
	return heat_explains(p, symptom, heat_k);
}

/* Errors that ports make do not put out the light that comes to one of them. */
static bool group_explains(const struct engine_port *p, enum signature symptom)
{
	return symptom != SIGNATURE_LINK_DOWN || p->part_of->of_falls ||
	       p->front.far_light != FAR_LIGHT_NONE;
}

/* Errors of ports that errors are told of, or their falls: that is no news. */
static bool is_made_of(const struct engine *e, const struct wide *w,
		       const struct finding *whole, size_t n)
{
	return whole->signature == SIGNATURE_SHARED_COMPONENT &&
	       e->table[n]->of_falls == w->of_falls;
}

bool wide_folds(struct engine *e, const struct life_subject *s, size_t n,
		enum signature name, enum severity severity, struct mono now,
		struct wall wall)
{
	const struct engine_port *p = e->ports[s->port];
	struct life_slot *own = &s->slots[n];
	const struct finding *whole;
	bool is_air;

	if (!wide_is_over(p) || (life_is_open(own) && own->apart))
		return false;
	whole = finding_of(e, &p->part_of->slot);
	is_air = whole->signature == SIGNATURE_ENVIRONMENT;
	if (!is_part(name, whole->signature))
		return false;
	if (!(is_air ? air_explains(e, p, n, name) : group_explains(p, name))) {
		own->apart |= is_air && p->heat.t.ns == now.ns;
		return false;
	}
	if (is_air)
		life_fold(&e->life, &p->part_of->slot, name, severity, now,
			  wall);
	if (life_is_open(own))
		life_into(&e->life, s, n, now, wall, whole);
	else if (is_made_of(e, p->part_of, whole, n))
		p->part_of->slot.folded |= 1u << name;
	else if (!is_air)
		life_fold(&e->life, &p->part_of->slot, name, SEVERITY_NONE,
			  now, wall);
	return true;
}

int wide_restore(struct engine *e, struct wide *w, const struct finding *f)
{
	struct life_subject s = { .port = CHANGES_EVERYWHERE };

	if (!w)
		return -ENOENT;
	s.slots = &w->slot;
	return life_restore(&e->life, &s, 0, f);
}

static const struct kept_field wide_fields[] = {
	KEEP_NOT(struct wide, name, "it is found by it"),
	KEEP_PART(struct wide, slot, life_slot_kept),
	KEEP(struct wide, onset),
	KEEP(struct wide, last),
	KEEP(struct wide, blind_ns),
	KEEP_NOT(struct wide, first,
		"a number of this run; found at the next look"),
	KEEP(struct wide, hit),
	KEEP(struct wide, watched),
	KEEP_TO(struct wide, severity, SEVERITY_COUNT - 1),
	KEEP(struct wide, speaking),
	KEEP(struct wide, of_falls),
	KEEP(struct wide, tight),
	KEEP(struct wide, of_limits),
	KEEP(struct wide, most),
	KEEP_NOT(struct wide, own_k, "the next look says it anew"),
	KEEP(struct wide, begun),
	KEEP(struct wide, most_told),
	KEEP(struct wide, hit_told),
	KEEP(struct wide, inlet_told),
	KEEP_NOT(struct wide, whole, "the next look says it anew"),
	KEEP(struct wide, rest_k),
	KEEP(struct wide, rested),
	KEEP(struct wide, fell),
	KEEP(struct wide, falls),
	KEEP(struct wide, dark),
	KEEP(struct wide, looks),
	KEEP(struct wide, warmed),
	KEEP(struct wide, power),
	KEEP(struct wide, unpowered),
	KEEP_NOT(struct wide, sensor,
		"a number of this run; found at the next look"),
};

const struct kept wide_kept =
	KEPT_TABLE(struct wide, "wide", wide_fields);
