#include "agent/signature/switch_sensor.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/signature/kept.h"
#include "agent/signature/wide.h"

#define SENSORS_MAX 512
#define BAD_READINGS 2		/* in a row: it is bad */
#define GOOD_READINGS 3		/* in a row: it is good again */
#define MEMORY_S 86400.0f
#define GAP_MOST_S 600.0f
#define LEARNED_LEAST_S 900.0f
#define INLET_LEARNED_S 21600.0f	/* a switch that just started warms */
#define INLET_MOST_C 35.0f	/* of class A2 (ASHRAE): no air comes in warmer,
				 * and no chip is as cool */
#define UNREAD_NS (900 * NS_PER_S)
#define WARM_K 3.0f		/* above, it hardly learns */
#define WARM_LESS 16.0f
#define SLOW_SHARE 0.5f		/* of what is usual, and of the others' */
#define LIKE_TIMES 1.5f		/* fans of one kind turn alike */
#define LIKE_LEAST 3u		/* others, so that one shows by itself */

static const char *const wrong_words[SENSOR_WRONG_COUNT] = {
	[SENSOR_FINE] = "is not read yet",
	[SENSOR_MISSING] = "is missing",
	[SENSOR_LOW] = "is below its limit",
	[SENSOR_HIGH] = "is above its limit",
	[SENSOR_STANDS] = "has stopped",
	[SENSOR_FAILED] = "reports a fault",
	[SENSOR_WARNS] = "is beyond its limit",
	[SENSOR_SLOW] = "turns far slower than usual and than the others",
};

int sensor_add(struct engine *e, const struct sensor_facts *facts,
		       uint32_t *ret_sensor)
{
	struct sensor **grown, *s;

	for (size_t i = 0; i < e->sensor_count; i++)
		if (strcmp(e->sensors[i]->facts.name, facts->name) == 0) {
			*ret_sensor = (uint32_t)i;
			return 0;
		}
	if (e->sensor_count == SENSORS_MAX)
		return -ENOSPC;
	grown = realloc(e->sensors, (e->sensor_count + 1) *
				    sizeof(struct sensor *));
	if (!grown)
		return -ENOMEM;
	e->sensors = grown;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->facts = *facts;
	if (wide_get(&e->airs, facts->zone, &s->air) < 0) {
		free(s);
		return -ENOMEM;
	}
	*ret_sensor = (uint32_t)e->sensor_count;
	e->sensors[e->sensor_count++] = s;
	return 0;
}

const char *sensor_wrong_words(enum sensor_wrong wrong)
{
	return wrong_words[wrong];
}

static void learn(struct sensor *s, const struct sensor_reading *r,
		  struct mono now)
{
	float past_s, memory_s, value = (float)r->value, over;

	if (r->absent || isnan(value))
		return;
	if (s->learned_s <= 0) {
		s->usual = value;
		s->learned_s = 1;
		return;
	}
	past_s = fminf((float)mono_diff_ns(now, s->read) / (float)NS_PER_S,
		       GAP_MOST_S);
	s->learned_s = fminf(s->learned_s + past_s, 2 * MEMORY_S);
	memory_s = fmaxf(s->learned_s / 2, past_s);
	over = value - s->usual;
	if (s->facts.kind == SENSOR_TEMP && over > WARM_K &&
	    s->learned_s > LEARNED_LEAST_S)
		memory_s *= WARM_LESS;
	s->usual += past_s / memory_s * over;
}

static bool is_like(const struct sensor *o, const struct sensor *s)
{
	return o != s && o->facts.kind == SENSOR_FAN && o->turned &&
	       o->learned_s > LEARNED_LEAST_S &&
	       mono_diff_ns(s->read, o->read) < UNREAD_NS &&
	       o->usual < LIKE_TIMES * s->usual &&
	       s->usual < LIKE_TIMES * o->usual;
}

/* A fan that turns with less than half of its usual speed, while fans that are
 * like it do not.
 */
static bool is_slow(const struct engine *e, const struct sensor *s,
		    const struct sensor_reading *r)
{
	float share = (float)r->value / s->usual;
	unsigned like = 0, fast = 0;

	if (s->facts.kind != SENSOR_FAN || s->learned_s < LEARNED_LEAST_S ||
	    !(share < SLOW_SHARE))
		return false;
	for (size_t i = 0; i < e->sensor_count; i++) {
		const struct sensor *o = e->sensors[i];

		if (!is_like(o, s))
			continue;
		like++;
		fast += share < SLOW_SHARE * (float)o->value / o->usual;
	}
	return like >= LIKE_LEAST && fast == like;
}

static enum sensor_wrong wrong_of(const struct engine *e,
				  const struct sensor *s,
				  const struct sensor_reading *r)
{
	if (r->absent)
		return s->was_there ? SENSOR_MISSING : SENSOR_FINE;
	if (r->value < r->low)
		return SENSOR_LOW;
	if (r->value > r->high)
		return SENSOR_HIGH;
	if (s->facts.kind == SENSOR_FAN && s->turned && r->value <= 0)
		return SENSOR_STANDS;
	if (r->failed)
		return SENSOR_FAILED;
	if (r->warns)
		return SENSOR_WARNS;
	return is_slow(e, s, r) ? SENSOR_SLOW : SENSOR_FINE;
}

void sensor_take(struct engine *e, struct sensor *s,
		 const struct sensor_reading *r, struct mono now)
{
	enum sensor_wrong wrong = wrong_of(e, s, r);

	if (wrong == SENSOR_FINE)
		learn(s, r, now);
	s->read = now;
	s->was_there |= !r->absent;
	s->turned |= r->value > 0;
	s->value = r->value;
	if (wrong == SENSOR_FINE) {
		s->good += s->good < UINT16_MAX;
		if (s->good >= GOOD_READINGS || s->bad < BAD_READINGS)
			s->bad = 0;
		return;
	}
	s->good = 0;
	s->wrong = wrong;
	if (s->bad == 0)
		s->since = now;
	s->bad += s->bad < UINT16_MAX;
}

bool sensor_is_bad(const struct engine *e, const struct sensor *s)
{
	return s->bad >= BAD_READINGS &&
	       mono_diff_ns(e->looked, s->read) < UNREAD_NS;
}

const struct sensor *sensor_of_inlet(const struct engine *e,
				     const struct wide *air)
{
	const struct sensor *inlet = NULL;

	for (size_t i = 0; i < e->sensor_count; i++) {
		const struct sensor *s = e->sensors[i];

		if (s->facts.kind == SENSOR_TEMP && (!air || s->air == air) &&
		    s->learned_s > INLET_LEARNED_S &&
		    s->usual < INLET_MOST_C &&
		    mono_diff_ns(e->looked, s->read) < UNREAD_NS &&
		    (!inlet || s->usual < inlet->usual))
			inlet = s;
	}
	return inlet;
}

static const struct kept_field sensor_fields[] = {
	KEEP_NOT(struct sensor, facts, "they come with the sensor"),
	KEEP_NOT(struct sensor, air, "the facts name it"),
	KEEP(struct sensor, bad),
	KEEP(struct sensor, good),
	KEEP(struct sensor, was_there),
	KEEP(struct sensor, turned),
	KEEP(struct sensor, since),
	KEEP(struct sensor, read),
	KEEP_OPT(struct sensor, value),
	KEEP_OPT(struct sensor, usual),
	KEEP_TO(struct sensor, learned_s, 1e6),
	KEEP_TO(struct sensor, wrong, SENSOR_WRONG_COUNT - 1),
};

const struct kept sensor_kept =
	KEPT_TABLE(struct sensor, "sensor", sensor_fields);
