#include "tests/judge/told.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAP 256
#define OPEN_MAX (sizeof(((struct told *)NULL)->open) / sizeof(uint32_t))

void told_init(struct told *t)
{
	memset(t, 0, sizeof(*t));
}

void told_fini(struct told *t)
{
	free(t->finding);
	free(t->word);
}

void told_start(struct told *t, const struct world_port *ports, unsigned count)
{
	t->findings = t->words = t->opens = 0;
	t->port = ports;
	t->ports = count;
	t->now_ns = 0;
	for (unsigned i = 0; i < TELLERS_MAX; i++)
		for (unsigned k = 0; k < WORLD_PORTS_MAX; k++)
			t->alarm[i][k].finding = TOLD_NONE;
}

/* Room for one more; memory is taken when something is said, and kept. */
static void *grown(void *list, size_t count, size_t *cap, size_t size)
{
	if (count < *cap)
		return list;
	*cap = *cap ? *cap * 2 : FIRST_CAP;
	list = realloc(list, *cap * size);
	if (!list) {
		(void)fputs("score: out of memory\n", stderr);
		exit(1);
	}
	return list;
}

static struct told_word *word_add(struct told *t, struct told_finding *f)
{
	uint32_t at = (uint32_t)t->words;
	struct told_word *w;

	t->word = grown(t->word, t->words, &t->words_cap, sizeof(*t->word));
	w = &t->word[t->words++];
	memset(w, 0, sizeof(*w));
	w->t_ns = t->now_ns;
	w->next = TOLD_NONE;
	if (f->first == TOLD_NONE)
		f->first = at;
	else
		t->word[f->last].next = at;
	f->last = at;
	return w;
}

static uint32_t finding_add(struct told *t, unsigned teller, uint64_t ports)
{
	struct told_finding *f;

	t->finding = grown(t->finding, t->findings, &t->findings_cap,
			   sizeof(*t->finding));
	f = &t->finding[t->findings++];
	memset(f, 0, sizeof(*f));
	f->teller = teller;
	f->ports = ports;
	f->first = f->last = TOLD_NONE;
	f->is_open = true;
	return (uint32_t)t->findings - 1;
}

/* A sensor stands for its zone. */
static const char *zone_of(const struct told *t, const char *subject)
{
	for (size_t i = 0; i < t->sensors; i++)
		if (strcmp(t->sensor[i].name, subject) == 0)
			return t->sensor[i].zone;
	return subject;
}

/* The bit of a port; 0: there is none of that name. */
static uint64_t port_bit(const struct told *t, const char *name)
{
	for (unsigned i = 0; i < t->ports; i++)
		if (strcmp(t->port[i].name, name) == 0)
			return UINT64_C(1) << i;
	return 0;
}

uint64_t told_ports(const struct told *t, const char *subject)
{
	const char *zone = zone_of(t, subject);
	uint64_t shared = port_bit(t, subject);

	if (shared)
		return shared;
	for (unsigned i = 0; i < t->ports; i++) {
		const struct world_port *p = &t->port[i];

		if (strcmp(p->cage, subject) == 0 ||
		    strcmp(p->group, subject) == 0 ||
		    strcmp(p->zone, zone) == 0)
			shared |= UINT64_C(1) << i;
	}
	if (shared || t->ports == 0)
		return shared;
	return UINT64_MAX >> (WORLD_PORTS_MAX - t->ports);
}

/* Of a port, it may list others: links that fell at once are one finding. */
static uint64_t ports_listed(const struct told *t, const struct finding *f)
{
	uint64_t ports = port_bit(t, f->subject);

	if (!ports)
		return 0;
	for (const char *name = finding_port(f, NULL); name;
	     name = finding_port(f, name))
		ports |= port_bit(t, name);
	return ports;
}

/* Place of an open finding in t->open, or t->opens. */
static unsigned open_find(const struct told *t, const char *id)
{
	unsigned i = 0;

	while (i < t->opens && strcmp(t->finding[t->open[i]].id, id) != 0)
		i++;
	return i;
}

void told_say(struct told *t, const struct finding *f)
{
	unsigned place = open_find(t, f->id);
	struct told_finding *mine;
	struct told_word *w;

	if (place == OPEN_MAX)
		return;			/* far beyond what ports allow */
	if (place == t->opens) {
		t->open[t->opens++] = finding_add(t, TELLER_ENGINE,
						  told_ports(t, f->subject));
		(void)snprintf(t->finding[t->open[place]].id,
			       sizeof(mine->id), "%s", f->id);
	}
	mine = &t->finding[t->open[place]];
	mine->ports |= ports_listed(t, f);
	w = word_add(t, mine);
	w->signature = f->signature;
	w->state = f->state;
	w->severity = f->severity;
	w->end = f->end;
	w->action = f->action;
	w->confidence = f->confidence;
	w->cliff = f->cliff;
	(void)snprintf(w->cause, sizeof(w->cause), "%.*s",
		       (int)sizeof(w->cause) - 1, f->cause);
	if (f->state != FINDING_CLEARED)
		return;
	mine->is_open = false;
	t->open[place] = t->open[--t->opens];
}

static void alarm_word(struct told *t, uint32_t finding,
		       enum finding_state state, enum severity severity)
{
	struct told_word *w = word_add(t, &t->finding[finding]);

	w->state = state;
	w->severity = severity;
	t->finding[finding].is_open = state != FINDING_CLEARED;
}

void told_alarm(struct told *t, unsigned teller, unsigned port,
		enum severity severity)
{
	uint32_t at = t->alarm[teller][port].finding;

	if (severity)
		t->alarm[teller][port].last_ns = t->now_ns;
	if (at == TOLD_NONE && severity) {
		at = finding_add(t, teller, UINT64_C(1) << port);
		t->alarm[teller][port].finding = at;
		alarm_word(t, at, FINDING_RAISED, severity);
	} else if (at == TOLD_NONE) {
		return;
	} else if (severity > t->word[t->finding[at].last].severity) {
		alarm_word(t, at, FINDING_UPDATED, severity);
	} else if (t->now_ns - t->alarm[teller][port].last_ns >
		   TOLD_QUIET_NS) {
		alarm_word(t, at, FINDING_CLEARED,
			   t->word[t->finding[at].last].severity);
		t->alarm[teller][port].finding = TOLD_NONE;
	}
}

const struct told_word *told_next(const struct told *t,
				  const struct told_finding *f,
				  const struct told_word *w)
{
	uint32_t at = w ? w->next : f->first;

	return at == TOLD_NONE ? NULL : &t->word[at];
}
