#include "platform/sim/scenario_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agent/base/number.h"
#include "petrel/clock.h"
#include "platform/sim/optics.h"
#include "platform/sim/scenario.h"

#define WORDS_MAX 32u
#define FAULTS_AT_FIRST 16u
#define NUMBER_LIMIT 1000000u

/* One line, split, and the context of the statements. */
struct statement {
	struct scenario *scenario;
	unsigned number;
	char text[FAULT_LINE_MAX];	/* whole, without comment */
	char cut[FAULT_LINE_MAX];	/* into words */
	unsigned count;
	char *word[WORDS_MAX];
};

/* --- WHERE: Ethernet8, Ethernet0-28/4, all; .LANE for one lane ------------ */

static int number_take(const char **text, uint64_t *ret)
{
	size_t len = strspn(*text, "0123456789");
	int rc = number_parse_n(*text, len, 0, NUMBER_LIMIT, ret);

	*text += len;
	return rc;
}

static int no_pattern(const char *item, struct diag *d)
{
	return diag_set(d, -EINVAL, "'%s' is not a port; expected "
			SCENARIO_PREFIX "8, " SCENARIO_PREFIX "0-28/4, a list "
			"of these with commas, or all", item);
}

static int port_set(uint64_t number, const struct scenario *s,
		    uint64_t ports[FAULT_PORTS_MAX / 64], struct diag *d)
{
	uint64_t port = number / s->step;

	if (number % s->step != 0 || port >= s->ports)
		return diag_set(d, -EINVAL, SCENARIO_PREFIX "%u is not a port "
				"of this switch, which has " SCENARIO_PREFIX "0 "
				"to " SCENARIO_PREFIX "%u in steps of %u",
				(unsigned)number, (s->ports - 1) * s->step,
				s->step);
	ports[port / 64] |= UINT64_C(1) << (port % 64);
	return 0;
}

/* Ethernet0-28/4: from, to, by. */
static int item_parse(const char *item, const struct scenario *s,
		      uint64_t ports[FAULT_PORTS_MAX / 64], struct diag *d)
{
	const char *p = item + strlen(SCENARIO_PREFIX);
	uint64_t first, last, by = s->step;
	int rc = 0;

	if (strncmp(item, SCENARIO_PREFIX, strlen(SCENARIO_PREFIX)) != 0 ||
	    number_take(&p, &first) < 0)
		return no_pattern(item, d);
	last = first;
	if (*p == '-') {
		p++;
		if (number_take(&p, &last) < 0 || last < first)
			return no_pattern(item, d);
		if (*p == '/') {
			p++;
			if (number_take(&p, &by) < 0 || by == 0)
				return no_pattern(item, d);
		}
	}
	if (*p != '\0')
		return no_pattern(item, d);
	for (uint64_t n = first; n <= last && rc == 0; n += by)
		rc = port_set(n, s, ports, d);
	return rc;
}

/* Cuts ".LANE" off the text. */
static int lane_take(char *text, const struct scenario *s,
		     unsigned *ret_lane, struct diag *d)
{
	char *dot = strrchr(text, '.');
	uint64_t lane;

	*ret_lane = 0;
	if (!dot)
		return 0;
	if (number_parse(dot + 1, 1, s->lanes, &lane) < 0)
		return diag_set(d, -EINVAL, "'%s' is not a lane; expected .1 "
				"to .%u", text, s->lanes);
	*ret_lane = (unsigned)lane;
	*dot = '\0';
	return 0;
}

/* Sets a bit in ports for each port in text, and *ret_lane from 1, or 0 without
 * a lane.
 */
static int where_parse(const char *text, const struct scenario *s,
		uint64_t ports[FAULT_PORTS_MAX / 64], unsigned *ret_lane,
		struct diag *d)
{
	char copy[FAULT_WHERE_MAX], *rest = copy, *item;
	int rc;

	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return diag_set(d, -EINVAL, "'%s' is too long; a port pattern "
				"has at most %zu characters", text,
				sizeof(copy) - 1);
	memset(ports, 0, FAULT_PORTS_MAX / 8);
	rc = lane_take(copy, s, ret_lane, d);
	if (rc < 0)
		return rc;
	if (strcmp(copy, "all") == 0) {
		for (unsigned n = 0; n < s->ports && rc == 0; n++)
			rc = port_set((uint64_t)n * s->step, s, ports, d);
		return rc;
	}
	while (rc == 0 && (item = strsep(&rest, ",")))
		rc = item_parse(item, s, ports, d);
	return rc;
}

/* --- statements ----------------------------------------------------------- */

/* Completes the switch line: gives each port its values. */
static int ports_make(struct scenario *s, struct diag *d)
{
	if (s->ports_made)
		return 0;
	if (s->breakout * s->lanes > PLANT_LANES_MAX)
		return diag_set(d, -EINVAL, "breakout=%u with lanes=%u makes "
				"%u lanes; a module has at most %d",
				s->breakout, s->lanes, s->breakout * s->lanes,
				PLANT_LANES_MAX);
	if (s->step == 0)
		s->step = 8 / s->breakout;
	for (unsigned i = 0; i < s->ports; i++) {
		s->port[i] = s->base;
		(void)snprintf(s->port[i].group, sizeof(s->port[i].group),
			       "core%u", i / s->group_size);
	}
	s->ports_made = true;
	return 0;
}

static int statement_switch(struct statement *l, struct diag *d)
{
	int rc = 0;

	if (l->scenario->ports_made)
		return diag_set(d, -EINVAL, "'switch' must be given once, "
				"before all other statements");
	for (unsigned i = 1; i < l->count && rc == 0; i++)
		rc = scenario_key_set(SCENARIO_SWITCH, l->scenario, l->word[i],
				      d);
	return rc == 0 ? ports_make(l->scenario, d) : rc;
}

static int statement_port(struct statement *l, struct diag *d)
{
	struct scenario *s = l->scenario;
	uint64_t ports[FAULT_PORTS_MAX / 64];
	unsigned lane;
	int rc;

	if (l->count < 3)
		return diag_set(d, -EINVAL, "expected: port WHERE key=value");
	rc = where_parse(l->word[1], s, ports, &lane, d);
	if (rc == 0 && lane != 0)
		rc = diag_set(d, -EINVAL, "'%s' names a lane; 'port' takes "
			      "whole ports", l->word[1]);
	for (unsigned p = 0; p < s->ports && rc == 0; p++) {
		if (!(ports[p / 64] >> (p % 64) & 1))
			continue;
		for (unsigned i = 2; i < l->count && rc == 0; i++)
			rc = scenario_key_set(SCENARIO_PORT, &s->port[p],
					      l->word[i], d);
	}
	return rc;
}

/* Extends a fault to the module's other ports. */
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

/* A coherent module has one optical lane, and one port. */
static int coherent_check(const struct scenario *s, struct diag *d)
{
	for (unsigned p = 0; p < s->ports && s->breakout > 1; p++)
		if (s->port[p].media->coherent)
			return diag_set(d, -EINVAL, SCENARIO_PREFIX "%u is %s, "
					"which is coherent, but breakout=%u; "
					"expected breakout=1", p * s->step,
					s->port[p].media->name, s->breakout);
	return 0;
}

static bool has_lane(const struct scenario *s, const struct planted *f,
		     unsigned port)
{
	return f->lane <= (s->port[port].media->coherent ? 1 : s->lanes);
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
				"affects a whole port", f->where, fault);
	for (unsigned p = 0; p < s->ports; p++)
		if (planted_on(f, p) &&
		    !has_needed(needs, s->port[p].media))
			return diag_set(d, -EINVAL, "'%s' needs %s; "
					SCENARIO_PREFIX "%u is %s", fault,
					needed[needs], p * s->step,
					s->port[p].media->name);
	for (unsigned p = 0; p < s->ports; p++)
		if (planted_on(f, p) && !has_lane(s, f, p))
			return diag_set(d, -EINVAL, "'%s' names lane %u; "
					SCENARIO_PREFIX "%u is %s, whose light "
					"has one", f->where, f->lane,
					p * s->step, s->port[p].media->name);
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

static int statement_at(struct statement *l, struct diag *d)
{
	struct scenario *s = l->scenario;
	struct planted f = { .line = l->number };
	int rc;

	if (l->count < 4)
		return diag_set(d, -EINVAL, "expected: at TIME WHERE FAULT "
				"key=value …");
	if (number_parse_duration(l->word[1], &f.start_ns) < 0)
		return diag_set(d, -EINVAL, "'%s' is not a time; expected a "
				"number with ms, s, m, h or d", l->word[1]);
	rc = where_parse(l->word[2], s, f.ports, &f.lane, d);
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
	int (*read)(struct statement *l, struct diag *d);
} statements[] = {
	{ "switch", statement_switch },
	{ "port", statement_port },
	{ "at", statement_at },
};

#define STATEMENTS (sizeof(statements) / sizeof(statements[0]))

static int statement_read(struct statement *l, struct diag *d)
{
	struct value_nearest nearest = { .word = l->word[0] };
	int rc;

	for (size_t i = 0; i < STATEMENTS; i++) {
		value_offer(&nearest, statements[i].name);
		if (strcmp(l->word[0], statements[i].name) != 0)
			continue;
		if (i > 0) {
			rc = ports_make(l->scenario, d);
			if (rc < 0)
				return rc;
		}
		return statements[i].read(l, d);
	}
	return diag_set(d, -EINVAL, "'%s' is not a statement; did you mean "
			"'%s'?", l->word[0], nearest.best);
}

static int line_split(struct statement *l, struct diag *d)
{
	char *text = l->cut, *word;

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

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static int line_read(struct statement *l, const char *text, size_t len,
		     struct diag *d)
{
	const char *comment = memchr(text, '#', len);
	int rc;

	if (comment)
		len = (size_t)(comment - text);
	while (len > 0 && is_blank(text[len - 1]))
		len--;
	for (; len > 0 && is_blank(text[0]); len--)
		text++;
	if (len >= sizeof(l->text))
		return diag_set(d, -EINVAL, "the line has %zu characters; "
				"expected at most %zu", len,
				sizeof(l->text) - 1);
	if (memchr(text, '\0', len))
		return diag_set(d, -EINVAL, "the line contains a NUL");
	memcpy(l->text, text, len);
	l->text[len] = '\0';
	memcpy(l->cut, l->text, len + 1);
	rc = line_split(l, d);
	if (rc < 0 || l->count == 0)
		return rc;
	return statement_read(l, d);
}

static int lines_read(struct scenario *s, const char *text, size_t len,
		      const char *file, struct diag *d)
{
	struct statement l = { .scenario = s };
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
	if (rc == 0)
		rc = coherent_check(s, d);
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
	s = scenario_new();
	if (!s)
		return diag_set(d, -ENOMEM, "%s: no memory", file);
	rc = lines_read(s, text, len, file, d);
	if (rc < 0) {
		scenario_free(s);
		return rc;
	}
	*ret = s;
	return 0;
}
