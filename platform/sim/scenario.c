#include "platform/sim/scenario.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agent/base/number.h"
#include "petrel/clock.h"
#include "platform/sim/where.h"
#include "platform/sim/words.h"

#define WORDS_MAX 32u
#define FAULTS_AT_FIRST 16u
#define G UINT64_C(1000000000)

/* One key of "switch" or "port": where it goes and what it may be. */
struct key {
	struct scenario_key_info info;
	int (*set)(const struct key *k, void *field, const char *text,
		   struct diag *d);
	size_t offset;
	double min, max;
	enum value_unit unit;
};

static int set_unsigned(const struct key *k, void *field, const char *text,
			struct diag *d)
{
	unsigned *ret = field;
	double value;
	int rc = value_parse(k->info.name, VALUE_COUNT, text, k->min, k->max,
			     &value, d);

	if (rc == 0)
		*ret = (unsigned)value;
	return rc;
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

static int set_ns(const struct key *k, void *field, const char *text,
		  struct diag *d)
{
	int64_t *ret = field;
	double seconds;
	int rc = value_parse(k->info.name, VALUE_DURATION, text, k->min,
			     k->max, &seconds, d);

	if (rc == 0)
		*ret = llround(seconds * (double)NS_PER_S);
	return rc;
}

static int set_value(const struct key *k, void *field, const char *text,
		     struct diag *d)
{
	double *ret = field;

	return value_parse(k->info.name, k->unit, text, k->min, k->max, ret,
			   d);
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
	struct words_nearest nearest;
	size_t count;

	rows = media_table(&count);
	words_nearest_init(&nearest, text);
	for (size_t i = 0; i < count; i++)
		words_offer(&nearest, rows[i].name);
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

	if (rc == 0)
		(void)strcpy(field, text);
	return rc;
}

static int set_text(const struct key *k, void *field, const char *text,
		    struct diag *d)
{
	if (strlen(text) >= (size_t)k->max)
		return diag_set(d, -EINVAL, "%s is '%s'; expected at most %d "
				"characters", k->info.name, text,
				(int)k->max - 1);
	(void)strcpy(field, text);
	return 0;
}

/* LOW..HIGH */
static int range_parse(const struct key *k, const char *text,
		       struct range *ret, struct diag *d)
{
	const char *dots = strstr(text, "..");
	char low[24];
	struct range r;
	int rc;

	if (!dots || (size_t)(dots - text) >= sizeof(low))
		return diag_set(d, -EINVAL, "%s is '%s'; expected %s",
				k->info.name, text, k->info.written);
	memcpy(low, text, (size_t)(dots - text));
	low[dots - text] = '\0';
	rc = value_parse(k->info.name, k->unit, low, k->min, k->max, &r.low,
			 d);
	if (rc == 0)
		rc = value_parse(k->info.name, k->unit, dots + 2, k->min,
				 k->max, &r.high, d);
	if (rc < 0)
		return rc;
	if (r.high < r.low)
		return diag_set(d, -EINVAL, "%s is '%s'; the second number "
				"must not be below the first", k->info.name,
				text);
	*ret = r;
	return 0;
}

static int set_load(const struct key *k, void *field, const char *text,
		    struct diag *d)
{
	struct range *ret = field, percent;
	int rc = range_parse(k, text, &percent, d);

	if (rc == 0)
		*ret = (struct range){ percent.low / 100, percent.high / 100 };
	return rc;
}

static int set_ber(const struct key *k, void *field, const char *text,
		   struct diag *d)
{
	struct range *ret = field, ber;
	int rc = range_parse(k, text, &ber, d);

	if (rc == 0)
		*ret = (struct range){ log10(ber.low), log10(ber.high) };
	return rc;
}

#define AT(field) offsetof(struct scenario, field)
#define PORT_AT(field) offsetof(struct scenario_port, field)
#define BASE_AT(field) (AT(base) + PORT_AT(field))

static const struct key switch_keys[] = {
	{ { "ports", "COUNT", "ports (64)" }, set_unsigned, AT(ports),
	  1, FAULT_PORTS_MAX, VALUE_COUNT },
	{ { "speed", "400G", "speed of each port (400G)" }, set_speed,
	  AT(speed_bps), 1, 1600, VALUE_COUNT },
	{ { "lanes", "COUNT", "media lanes of each port (4)" }, set_unsigned,
	  AT(lanes), 1, PLANT_LANES_MAX, VALUE_COUNT },
	{ { "media", "DR4", "medium of each port (DR4)" }, set_media,
	  BASE_AT(media), 0, 0, VALUE_WORD },
	{ { "fec", "rs544", "none, fc, rs528 or rs544 (rs544)" }, set_fec,
	  BASE_AT(fec), 0, 0, VALUE_WORD },
	{ { "seed", "NUMBER", "of all that is drawn by chance (1)" }, set_seed,
	  AT(seed), 0, 0, VALUE_COUNT },
	{ { "name", "TEXT", "name of the switch (sim)" }, set_text, AT(name),
	  0, sizeof(((struct scenario *)0)->name), VALUE_WORD },
	{ { "load", "30..90", "range of load in per cent (30..90)" }, set_load,
	  BASE_AT(load), 0, 98, VALUE_COUNT },
	{ { "ber", "1e-9..1e-7", "pre-FEC BER of healthy lanes (by medium)" },
	  set_ber, BASE_AT(ber_log10), 1e-15, 1e-2, VALUE_BER },
	{ { "tick", "TIME", "step of the physics (1s)" }, set_ns, AT(tick_ns),
	  0.01, 3600, VALUE_DURATION },
	{ { "dom", "TIME", "how often modules take readings (10s)" }, set_ns,
	  AT(dom_ns), 0.01, 3600, VALUE_DURATION },
	{ { "phase", "TIME", "length of a phase of load (10m)" }, set_ns,
	  AT(phase_ns), 1, 86400, VALUE_DURATION },
	{ { "breakout", "COUNT", "ports that share a module (1)" },
	  set_unsigned, AT(breakout), 1, PLANT_LANES_MAX, VALUE_COUNT },
	{ { "step", "COUNT", "from one port's number to the next "
	    "(8 / breakout)" }, set_unsigned, AT(step), 1, 8, VALUE_COUNT },
	{ { "queues", "COUNT", "queues of each port (8)" }, set_unsigned,
	  AT(queues), 1, PLANT_QUEUES_MAX, VALUE_COUNT },
	{ { "group", "COUNT", "ports that share a component (8)" },
	  set_unsigned, AT(group_size), 1, FAULT_PORTS_MAX, VALUE_COUNT },
	{ { "ambient", "25C", "mean temperature of the room (25C)" },
	  set_value, AT(ambient_c), -20, 60, VALUE_CELSIUS },
	{ { "swing", "1.5K", "its daily swing to either side (1.5K)" },
	  set_value, AT(swing_k), 0, 20, VALUE_KELVIN },
	{ { "drift", "NUMBER", "slow drift of healthy lanes (1)" }, set_value,
	  AT(drift), 0, 10, VALUE_NUMBER },
};

static const struct key port_keys[] = {
	{ { "media", "DR4", "its medium" }, set_media, PORT_AT(media), 0, 0,
	  VALUE_WORD },
	{ { "fec", "rs544", "its FEC" }, set_fec, PORT_AT(fec), 0, 0,
	  VALUE_WORD },
	{ { "group", "TEXT", "name of the component that it shares" },
	  set_text, PORT_AT(group), 0,
	  sizeof(((struct scenario_port *)0)->group), VALUE_WORD },
	{ { "load", "30..90", "its range of load in per cent" }, set_load,
	  PORT_AT(load), 0, 98, VALUE_COUNT },
	{ { "ber", "1e-9..1e-7", "pre-FEC BER of its healthy lanes" }, set_ber,
	  PORT_AT(ber_log10), 1e-15, 1e-2, VALUE_BER },
};

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

static int key_set(const struct key *keys, size_t count, void *object,
		   const char *word, struct diag *d)
{
	size_t len = strcspn(word, "=");
	struct words_nearest nearest;
	char name[24];

	if (word[len] == '\0' || len == 0 || len >= sizeof(name))
		return diag_set(d, -EINVAL, "'%s' is no key=value", word);
	memcpy(name, word, len);
	name[len] = '\0';
	words_nearest_init(&nearest, name);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(keys[i].info.name, name) == 0)
			return keys[i].set(&keys[i],
					   (char *)object + keys[i].offset,
					   word + len + 1, d);
		words_offer(&nearest, keys[i].info.name);
	}
	return diag_set(d, -EINVAL, "there is no key '%s'; did you mean '%s'?",
			name, nearest.best);
}

/* One line taken apart, with what the statements share. */
struct line {
	struct scenario *scenario;
	unsigned number;
	const char *text;	/* whole, without comment */
	unsigned count;
	char *word[WORDS_MAX];
};

static struct where_switch where_of(const struct scenario *s)
{
	return (struct where_switch){ s->ports, s->step, s->lanes };
}

/* The switch line is over: gives each port what the line said. */
static int ports_make(struct scenario *s, struct diag *d)
{
	if (s->port)
		return 0;
	if (s->breakout * s->lanes > PLANT_LANES_MAX)
		return diag_set(d, -EINVAL, "breakout=%u with lanes=%u makes "
				"%u lanes; a module has at most %d",
				s->breakout, s->lanes, s->breakout * s->lanes,
				PLANT_LANES_MAX);
	if (s->step == 0)
		s->step = 8 / s->breakout;
	s->port = calloc(s->ports, sizeof(*s->port));
	if (!s->port)
		return diag_set(d, -ENOMEM, "no memory for %u ports", s->ports);
	for (unsigned i = 0; i < s->ports; i++) {
		s->port[i] = s->base;
		(void)snprintf(s->port[i].group, sizeof(s->port[i].group),
			       "core%u", i / s->group_size);
	}
	return 0;
}

static int statement_switch(struct line *l, struct diag *d)
{
	int rc = 0;

	if (l->scenario->port)
		return diag_set(d, -EINVAL, "'switch' stands once, before "
				"all other statements");
	for (unsigned i = 1; i < l->count && rc == 0; i++)
		rc = key_set(switch_keys, COUNT_OF(switch_keys), l->scenario,
			     l->word[i], d);
	return rc == 0 ? ports_make(l->scenario, d) : rc;
}

static int statement_port(struct line *l, struct diag *d)
{
	struct scenario *s = l->scenario;
	struct where_switch w = where_of(s);
	uint64_t ports[FAULT_PORTS_MAX / 64];
	unsigned lane;
	int rc;

	if (l->count < 3)
		return diag_set(d, -EINVAL, "expected: port WHERE key=value");
	rc = where_parse(l->word[1], &w, ports, &lane, d);
	if (rc == 0 && lane != 0)
		rc = diag_set(d, -EINVAL, "'%s' names a lane; 'port' is about "
			      "whole ports", l->word[1]);
	for (unsigned p = 0; p < s->ports && rc == 0; p++) {
		if (!(ports[p / 64] >> (p % 64) & 1))
			continue;
		for (unsigned i = 2; i < l->count && rc == 0; i++)
			rc = key_set(port_keys, COUNT_OF(port_keys),
				     &s->port[p], l->word[i], d);
	}
	return rc;
}

/* Strikes the module's other ports as well. */
static void ports_spread(const struct scenario *s, struct planted *f)
{
	for (unsigned p = 0; p < s->ports; p++) {
		unsigned first = p / s->breakout * s->breakout;

		if (!planted_on(f, p))
			continue;
		for (unsigned i = first;
		     i < first + s->breakout && i < s->ports; i++)
			f->ports[i / 64] |= UINT64_C(1) << (i % 64);
	}
}

static bool has_needed(enum fault_needs needs, const struct media *m)
{
	switch (needs) {
	case NEEDS_LIGHT:
		return m->optical;
	case NEEDS_COPPER:
		return !m->optical;
	case NEEDS_MODULE:
		return m->monitored;
	case NEEDS_NOTHING:
		break;
	}
	return true;
}

static int planted_check(const struct scenario *s, const struct planted *f,
			 const char *fault, struct diag *d)
{
	static const char *const needed[] = {
		[NEEDS_LIGHT] = "an optical one",
		[NEEDS_COPPER] = "a copper one",
		[NEEDS_MODULE] = "one with a module that has monitors",
	};
	enum fault_needs needs = fault_nature(f->kind)->needs;

	if (f->lane != 0 && f->value[KEY_LANES] < 1)
		return diag_set(d, -EINVAL, "'%s' names a lane, but '%s' "
				"strikes a whole port", f->where, fault);
	for (unsigned p = 0; p < s->ports; p++)
		if (planted_on(f, p) &&
		    !has_needed(needs, s->port[p].media))
			return diag_set(d, -EINVAL, "'%s' needs %s; "
					WHERE_PREFIX "%u is %s", fault,
					needed[needs], p * s->step,
					s->port[p].media->name);
	return 0;
}

static double seconds_of(const struct planted *f)
{
	const double *v = f->value;

	if (fault_nature(f->kind)->at_once)
		return 0;
	if (v[KEY_COUNT] >= 1)
		return (v[KEY_COUNT] - 1) * v[KEY_EVERY] + v[KEY_LAST];
	return v[KEY_GAP] > 0 ? v[KEY_GAP] : v[KEY_FOR];
}

static void planted_end(struct planted *f)
{
	double end = (double)f->start_ns + seconds_of(f) * (double)NS_PER_S;

	f->end_ns = end < (double)(INT64_MAX / 2) ? llround(end) : INT64_MAX;
}

static int fault_add(struct scenario *s, const struct planted *f,
		     struct diag *d)
{
	size_t n = s->fault_count;
	struct planted *more;

	if (n >= SCENARIO_FAULTS_MAX)
		return diag_set(d, -EINVAL, "more than %u faults",
				SCENARIO_FAULTS_MAX);
	/* Room doubles: it is full whenever the count is a power of two. */
	if (n == 0 || (n >= FAULTS_AT_FIRST && (n & (n - 1)) == 0)) {
		more = reallocarray(s->fault, n ? 2 * n : FAULTS_AT_FIRST,
				    sizeof(*f));
		if (!more)
			return diag_set(d, -ENOMEM, "no memory for %zu faults",
					n + 1);
		s->fault = more;
	}
	s->fault[s->fault_count++] = *f;
	return 0;
}

static int statement_at(struct line *l, struct diag *d)
{
	struct scenario *s = l->scenario;
	struct where_switch w = where_of(s);
	struct planted f = { .line = l->number };
	int rc;

	if (l->count < 4)
		return diag_set(d, -EINVAL, "expected: at TIME WHERE FAULT "
				"key=value …");
	if (number_parse_duration(l->word[1], &f.start_ns) < 0)
		return diag_set(d, -EINVAL, "'%s' is no time; expected a "
				"number with ms, s, m, h or d", l->word[1]);
	rc = where_parse(l->word[2], &w, f.ports, &f.lane, d);
	if (rc < 0)
		return rc;
	rc = fault_find(l->word[3], d);
	if (rc < 0)
		return rc;
	f.kind = (enum fault_kind)rc;
	fault_defaults(f.kind, f.value);
	for (unsigned i = 4; i < l->count; i++) {
		rc = fault_key_parse(f.kind, l->word[i], f.value, d);
		if (rc < 0)
			return rc;
	}
	(void)snprintf(f.where, sizeof(f.where), "%s", l->word[2]);
	(void)snprintf(f.text, sizeof(f.text), "%s", l->text);
	planted_end(&f);
	if (fault_nature(f.kind)->of_module)
		ports_spread(s, &f);
	rc = planted_check(s, &f, l->word[3], d);
	return rc < 0 ? rc : fault_add(s, &f, d);
}

static const struct {
	const char *name;
	int (*read)(struct line *l, struct diag *d);
} statements[] = {
	{ "switch", statement_switch },
	{ "port", statement_port },
	{ "at", statement_at },
};

static int statement_read(struct line *l, struct diag *d)
{
	struct words_nearest nearest;
	int rc;

	words_nearest_init(&nearest, l->word[0]);
	for (size_t i = 0; i < COUNT_OF(statements); i++) {
		words_offer(&nearest, statements[i].name);
		if (strcmp(l->word[0], statements[i].name) != 0)
			continue;
		if (i > 0) {
			rc = ports_make(l->scenario, d);
			if (rc < 0)
				return rc;
		}
		return statements[i].read(l, d);
	}
	return diag_set(d, -EINVAL, "'%s' begins no statement; did you mean "
			"'%s'?", l->word[0], nearest.best);
}

static int line_split(struct line *l, char *text, struct diag *d)
{
	char *word;

	l->count = 0;
	while ((word = strsep(&text, " \t\r"))) {
		if (*word == '\0')
			continue;
		if (l->count == WORDS_MAX)
			return diag_set(d, -EINVAL, "more than %u words",
					WORDS_MAX);
		l->word[l->count++] = word;
	}
	return 0;
}

static int line_read(struct line *l, const char *text, size_t len,
		     struct diag *d)
{
	char whole[FAULT_LINE_MAX], words[FAULT_LINE_MAX];
	const char *comment = memchr(text, '#', len);
	int rc;

	if (comment)
		len = (size_t)(comment - text);
	while (len > 0 && strchr(" \t\r", text[len - 1]))
		len--;
	if (len >= sizeof(whole))
		return diag_set(d, -EINVAL, "the line has %zu characters; "
				"expected at most %zu", len, sizeof(whole) - 1);
	if (memchr(text, '\0', len))
		return diag_set(d, -EINVAL, "the line holds a NUL");
	memcpy(whole, text, len);
	whole[len] = '\0';
	memcpy(words, whole, len + 1);
	l->text = whole + strspn(whole, " \t");
	rc = line_split(l, words, d);
	if (rc < 0 || l->count == 0)
		return rc;
	return statement_read(l, d);
}

static void scenario_default(struct scenario *s)
{
	(void)strcpy(s->name, "sim");
	(void)strcpy(s->base.fec, "rs544");
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
}

static int lines_read(struct scenario *s, const char *text, size_t len,
		      const char *file, struct diag *d)
{
	struct line l = { .scenario = s };
	int rc;

	while (len > 0) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		l.number++;
		rc = line_read(&l, text, n, d);
		if (rc < 0)
			return diag_prefix(d, rc, "%s:%u", file, l.number);
		n += end ? 1 : 0;
		text += n;
		len -= n;
	}
	rc = ports_make(s, d);
	return rc < 0 ? diag_prefix(d, rc, "%s", file) : 0;
}

int scenario_read(const char *text, size_t len, const char *file,
		  struct scenario **ret, struct diag *d)
{
	struct scenario *s;
	int rc;

	if (len > SCENARIO_OCTETS_MAX)
		return diag_set(d, -EFBIG, "%s has %zu octets; expected at "
				"most %u", file, len, SCENARIO_OCTETS_MAX);
	s = calloc(1, sizeof(*s));
	if (!s)
		return diag_set(d, -ENOMEM, "%s: no memory", file);
	scenario_default(s);
	rc = lines_read(s, text, len, file, d);
	if (rc < 0) {
		scenario_free(s);
		return rc;
	}
	*ret = s;
	return 0;
}

void scenario_free(struct scenario *s)
{
	if (!s)
		return;
	free(s->port);
	free(s->fault);
	free(s);
}
