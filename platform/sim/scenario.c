#include "platform/sim/scenario.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "agent/base/number.h"
#include "petrel/clock.h"
#include "platform/sim/optics.h"

#define G UINT64_C(1000000000)

/* One key of "switch" or "port": where its value goes, and the valid values. */
struct key {
	struct scenario_key_info info;
	int (*set)(const struct key *k, void *field, const char *text,
		   struct diag *d);
	size_t offset;
	double min, max;
	enum value_unit unit;
};

/* A count becomes an unsigned, a time int64_t nanoseconds, others a double. */
static int set_number(const struct key *k, void *field, const char *text,
		      struct diag *d)
{
	double value;
	int rc = value_parse(k->info.name, k->unit, text, k->min, k->max,
			     &value, d);

	if (rc < 0)
		return rc;
	if (k->unit == VALUE_COUNT)
		*(unsigned *)field = (unsigned)value;
	else if (k->unit == VALUE_DURATION)
		*(int64_t *)field = llround(value * (double)NS_PER_S);
	else
		*(double *)field = value;
	return 0;
}

static int set_seed(const struct key *k, void *field, const char *text,
		    struct diag *d)
{
	uint64_t *ret = field;

	if (number_parse(text, 0, UINT64_MAX, ret) < 0)
		return diag_set(d, -EINVAL, "%s is '%s'; expected a whole "
				"number below 2^64", k->info.name, text);
	return 0;
}

/* 400G */
static int set_speed(const struct key *k, void *field, const char *text,
		     struct diag *d)
{
	uint64_t *ret = field, gigabits;
	size_t len = strlen(text);

	if (len < 2 || text[len - 1] != 'G' ||
	    number_parse_n(text, len - 1, (uint64_t)k->min, (uint64_t)k->max,
			   &gigabits) < 0)
		return diag_set(d, -EINVAL, "%s is '%s'; expected %.0fG to "
				"%.0fG", k->info.name, text, k->min, k->max);
	*ret = gigabits * G;
	return 0;
}

static int set_media(const struct key *k, void *field, const char *text,
		     struct diag *d)
{
	const struct media **ret = field, *found = media_find(text), *rows;
	struct value_nearest nearest = { .word = text };
	size_t count;

	rows = media_table(&count);
	for (size_t i = 0; i < count; i++)
		value_offer(&nearest, rows[i].name);
	if (!found)
		return diag_set(d, -EINVAL, "%s is '%s'; did you mean %s?",
				k->info.name, text, nearest.best);
	*ret = found;
	return 0;
}

static int set_fec(const struct key *k, void *field, const char *text,
		   struct diag *d)
{
	double place;
	int rc = value_parse_word(k->info.name, "none|fc|rs528|rs544", text,
				  &place, d);

	if (rc == 0)	/* a valid word fits */
		memcpy(field, text, strlen(text) + 1);
	return rc;
}

static int set_text(const struct key *k, void *field, const char *text,
		    struct diag *d)
{
	if (strlen(text) >= (size_t)k->max)
		return diag_set(d, -EINVAL, "%s is '%s'; expected at most %d "
				"characters", k->info.name, text,
				(int)k->max - 1);
	memcpy(field, text, strlen(text) + 1);
	return 0;
}

/* LOW..HIGH, of per cent or of a BER, which is kept as a logarithm. */
static int set_range(const struct key *k, void *field, const char *text,
		     struct diag *d)
{
	const char *dots = strstr(text, "..");
	struct range *ret = field, r = { 0, 0 };
	char low[24];
	int rc;

	if (!dots || (size_t)(dots - text) >= sizeof(low))
		return diag_set(d, -EINVAL, "%s is '%s'; expected %s",
				k->info.name, text, k->info.written);
	memcpy(low, text, (size_t)(dots - text));
	low[dots - text] = '\0';
	rc = value_parse(k->info.name, k->unit, low, k->min, k->max, &r.low, d);
	if (rc == 0)
		rc = value_parse(k->info.name, k->unit, dots + 2, k->min,
				 k->max, &r.high, d);
	if (rc < 0)
		return rc;
	if (r.high < r.low)
		return diag_set(d, -EINVAL, "%s is '%s'; the second number "
				"must not be below the first", k->info.name,
				text);
	*ret = k->unit == VALUE_BER ?
		(struct range){ log10(r.low), log10(r.high) } :
		(struct range){ r.low / 100, r.high / 100 };
	return 0;
}

#define AT(field) offsetof(struct scenario, field)
#define PORT_AT(field) offsetof(struct scenario_port, field)
#define BASE_AT(field) (AT(base) + PORT_AT(field))

static const struct key switch_keys[] = {
	{ { "ports", "COUNT", "ports (64)" }, set_number, AT(ports),
	  1, FAULT_PORTS_MAX, VALUE_COUNT },
	{ { "speed", "400G", "speed of each port (400G)" }, set_speed,
	  AT(speed_bps), 1, 1600, VALUE_COUNT },
	{ { "lanes", "COUNT", "media lanes of each port (4)" }, set_number,
	  AT(lanes), 1, PLANT_LANES_MAX, VALUE_COUNT },
	{ { "media", "DR4", "medium of each port (DR4)" }, set_media,
	  BASE_AT(media), 0, 0, VALUE_WORD },
	{ { "fec", "rs544", "none, fc, rs528 or rs544 (rs544)" }, set_fec,
	  BASE_AT(fec), 0, 0, VALUE_WORD },
	{ { "seed", "NUMBER", "seed of all random values (1)" }, set_seed,
	  AT(seed), 0, 0, VALUE_COUNT },
	{ { "name", "TEXT", "name of the switch (sim)" }, set_text, AT(name),
	  0, sizeof(((struct scenario *)0)->name), VALUE_WORD },
	{ { "load", "30..90", "range of load in per cent (30..90)" }, set_range,
	  BASE_AT(load), 0, 98, VALUE_COUNT },
	{ { "ber", "1e-9..1e-7", "pre-FEC BER of healthy lanes (by medium)" },
	  set_range, BASE_AT(ber_log10), 1e-15, 1e-2, VALUE_BER },
	{ { "tick", "TIME", "step of the physics (1s)" }, set_number,
	  AT(tick_ns), 0.01, 3600, VALUE_DURATION },
	{ { "dom", "TIME", "how often modules take readings (10s)" },
	  set_number, AT(dom_ns), 0.01, 3600, VALUE_DURATION },
	{ { "phase", "TIME", "length of a phase of load (10m)" }, set_number,
	  AT(phase_ns), 1, 86400, VALUE_DURATION },
	{ { "breakout", "COUNT", "ports that share a module (1)" },
	  set_number, AT(breakout), 1, PLANT_LANES_MAX, VALUE_COUNT },
	{ { "step", "COUNT", "distance between port numbers (8 / breakout)" },
	  set_number, AT(step), 1, 8, VALUE_COUNT },
	{ { "queues", "COUNT", "queues of each port (8)" }, set_number,
	  AT(queues), 1, PLANT_QUEUES_MAX, VALUE_COUNT },
	{ { "group", "COUNT", "ports that share a component (8)" },
	  set_number, AT(group_size), 1, FAULT_PORTS_MAX, VALUE_COUNT },
	{ { "ambient", "25C", "mean temperature of the room (25C)" },
	  set_number, AT(ambient_c), -20, 60, VALUE_CELSIUS },
	{ { "swing", "1.5K", "its daily swing to either side (1.5K)" },
	  set_number, AT(swing_k), 0, 20, VALUE_KELVIN },
	{ { "drift", "NUMBER", "slow drift of healthy lanes (1)" }, set_number,
	  AT(drift), 0, 10, VALUE_NUMBER },
};

static const struct key port_keys[] = {
	{ { "media", "DR4", "medium" }, set_media, PORT_AT(media), 0, 0,
	  VALUE_WORD },
	{ { "fec", "rs544", "FEC" }, set_fec, PORT_AT(fec), 0, 0,
	  VALUE_WORD },
	{ { "group", "TEXT", "name of the component that it shares" },
	  set_text, PORT_AT(group), 0,
	  sizeof(((struct scenario_port *)0)->group), VALUE_WORD },
	{ { "load", "30..90", "its range of load in per cent" }, set_range,
	  PORT_AT(load), 0, 98, VALUE_COUNT },
	{ { "ber", "1e-9..1e-7", "pre-FEC BER of its healthy lanes" },
	  set_range, PORT_AT(ber_log10), 1e-15, 1e-2, VALUE_BER },
};

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

static int key_set(const struct key *keys, size_t count, void *object,
		   const char *word, struct diag *d)
{
	size_t len = strcspn(word, "=");
	char name[24];
	struct value_nearest nearest = { .word = name };

	if (word[len] == '\0' || len == 0 || len >= sizeof(name))
		return diag_set(d, -EINVAL, "'%s' is not key=value", word);
	memcpy(name, word, len);
	name[len] = '\0';
	for (size_t i = 0; i < count; i++) {
		if (strcmp(keys[i].info.name, name) == 0)
			return keys[i].set(&keys[i],
					   (char *)object + keys[i].offset,
					   word + len + 1, d);
		value_offer(&nearest, keys[i].info.name);
	}
	return diag_set(d, -EINVAL, "'%s' is not a key; did you mean '%s'?",
			name, nearest.best);
}

static const struct {
	const struct key *key;
	size_t count;
} tables[SCENARIO_STATEMENTS] = {
	[SCENARIO_SWITCH] = { switch_keys, COUNT_OF(switch_keys) },
	[SCENARIO_PORT] = { port_keys, COUNT_OF(port_keys) },
};

const struct scenario_key_info *scenario_key(enum scenario_statement statement,
					     size_t n)
{
	return n < tables[statement].count ? &tables[statement].key[n].info :
		NULL;
}

int scenario_key_set(enum scenario_statement statement, void *object,
		     const char *word, struct diag *d)
{
	return key_set(tables[statement].key, tables[statement].count, object,
		       word, d);
}

struct scenario *scenario_new(void)
{
	struct scenario *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	memcpy(s->name, "sim", sizeof("sim"));
	memcpy(s->base.fec, "rs544", sizeof("rs544"));
	s->ports = 64;
	s->lanes = 4;
	s->breakout = 1;
	s->queues = 8;
	s->group_size = 8;
	s->seed = 1;
	s->speed_bps = 400 * G;
	s->tick_ns = NS_PER_S;
	s->dom_ns = 10 * NS_PER_S;
	s->phase_ns = 600 * NS_PER_S;
	s->ambient_c = 25;
	s->swing_k = 1.5;
	s->drift = 1;
	s->base.media = media_find("DR4");
	s->base.load = (struct range){ 0.3, 0.9 };
	s->base.ber_log10 = (struct range){ NAN, NAN };
	return s;
}

void scenario_free(struct scenario *s)
{
	if (!s)
		return;
	free(s->fault);
	free(s);
}
