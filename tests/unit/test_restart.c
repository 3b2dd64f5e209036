/* petrel-test: timeout=240 */
/* petrel-test: no-valgrind IT PLAYS A MILLION READINGS; ASAN RUNS IT TOO */
/* The detectors over a restart: one world is played to two engines, of which
 * one ends in the middle and is followed by another that has its memory. What
 * they say of the faults is the same.
 *
 * usage: test_restart [CASES [HOURS]]: more than make test plays
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "petrel/clock.h"
#include "tests/judge/feed.h"
#include "tests/judge/world.h"

#define HOUR_NS (3600 * NS_PER_S)
#define WORDS_MAX 16384
#define OPEN_MAX 256
#define PORTS 64

static unsigned long cases_n = 1, hours_n = 12;

/* Of each signature: open when the agent ended; an hour later as they were. */
static unsigned open_n[SIGNATURE_COUNT], same_n[SIGNATURE_COUNT];

/* What one of the two said. */
struct said {
	struct finding word[WORDS_MAX];
	int64_t t_ns[WORDS_MAX];
	size_t words;
	int64_t now_ns;
	struct finding open[OPEN_MAX];
	size_t opens;
	struct finding later[OPEN_MAX];	/* open a while after the restart */
	size_t laters;
};

struct pair {
	struct world *world;
	struct feed *feed[2];
	struct said *said[2];		/* without, and with the restart */
	struct world_reading reading[WORLD_PORTS_MAX];
	/* The restart. */
	int64_t at_ns, gap_ns;
	bool reboot, is_over;
	struct finding open[OPEN_MAX];	/* then */
	size_t opens;
};

static void on_finding(void *context, const struct finding *f)
{
	struct said *s = context;
	size_t i = 0;

	assert_true(s->words < WORDS_MAX);
	s->word[s->words] = *f;
	s->t_ns[s->words++] = s->now_ns;
	while (i < s->opens && strcmp(s->open[i].id, f->id) != 0)
		i++;
	if (f->state == FINDING_CLEARED) {
		if (i < s->opens)
			s->open[i] = s->open[--s->opens];
		return;
	}
	assert_true(i < OPEN_MAX);
	s->open[i] = *f;
	s->opens += i == s->opens;
}

static void restart_play(struct pair *p, const struct world_sensor *sensor,
			 size_t sensors)
{
	const struct feed_break b = {
		.now_ns = p->at_ns, .gap_ns = p->gap_ns, .reboot = p->reboot,
		.open = p->said[1]->open, .count = p->said[1]->opens,
		.sensor = sensor, .sensors = sensors };

	memcpy(p->open, p->said[1]->open, sizeof(p->open));
	p->opens = p->said[1]->opens;
	assert_int_equal(feed_restart(p->feed[1], &b), 0);
	p->is_over = true;
}

static void later_note(struct said *s)
{
	memcpy(s->later, s->open, sizeof(s->later));
	s->laters = s->opens;
}

/* One tick of both; in the gap the second one sees nothing. */
static void tick_play(struct pair *p)
{
	const struct world_event *event = NULL;
	const struct world_sensor *sensor = NULL;
	size_t events = plant_a.events(p->world, &event);
	size_t sensors = plant_a.sensors(p->world, &sensor);
	int64_t now_ns = plant_a.now_ns(p->world);
	uint64_t has = 0;

	for (unsigned i = 0; i < PORTS; i++)
		if (plant_a.read(p->world, i, &p->reading[i]))
			has |= UINT64_C(1) << i;
	for (unsigned k = 0; k < 2; k++) {
		if (k == 1 && p->is_over && now_ns <= p->at_ns + p->gap_ns)
			continue;
		p->said[k]->now_ns = now_ns;
		feed_sensors(p->feed[k], now_ns, sensor, sensors);
		feed_tick(p->feed[k], now_ns, p->reading, has, event, events);
	}
	for (unsigned k = 0; k < 2; k++)
		if (p->is_over && !p->said[k]->laters &&
		    now_ns >= p->at_ns + p->gap_ns + HOUR_NS)
			later_note(p->said[k]);
	if (!p->is_over && now_ns >= p->at_ns) {
		p->at_ns = now_ns;
		restart_play(p, sensor, sensors);
	}
}

static void pair_play(struct pair *p, const struct world_case *c)
{
	const struct world_port *ports;

	assert_int_equal(plant_a.open(c, &p->world), 0);
	ports = plant_a.ports(p->world);
	for (unsigned k = 0; k < 2; k++) {
		p->said[k] = calloc(1, sizeof(*p->said[k]));
		assert_non_null(p->said[k]);
		assert_int_equal(feed_open(ports, PORTS, c->pace, on_finding,
					   p->said[k], &p->feed[k]), 0);
	}
	while (plant_a.next(p->world))
		tick_play(p);
	for (unsigned k = 0; k < 2; k++)
		feed_close(p->feed[k]);
	plant_a.close(p->world);
}

static void pair_fini(struct pair *p)
{
	free(p->said[0]);
	free(p->said[1]);
}

static struct world_case case_of(uint64_t seed, enum world_pace pace,
				 int64_t hours)
{
	return (struct world_case){ .seed = seed, .pace = pace,
				    .mix = MIX_FAULTS, .ports = PORTS,
				    .length_ns = hours * HOUR_NS };
}

/* Not always at the same time. */
static int64_t moment_of(const struct world_case *c, unsigned long n)
{
	return c->length_ns * (6 + (int64_t)n % 3) / 10;
}

static void word_print(const struct said *s, size_t n)
{
	const struct finding *f = &s->word[n];

	printf("# %.0f s %s %s %s %s %s %s: %s\n", (double)s->t_ns[n] / 1e9,
	       f->id, f->subject, signature_name(f->signature),
	       finding_state_name(f->state), severity_name(f->severity),
	       fault_end_name(f->end), f->cause);
}

static bool word_is_same(const struct said *a, const struct said *b, size_t n)
{
	const struct finding *f = &a->word[n], *g = &b->word[n];

	return a->t_ns[n] == b->t_ns[n] && strcmp(f->id, g->id) == 0 &&
	       f->signature == g->signature && f->state == g->state &&
	       f->severity == g->severity && f->end == g->end &&
	       f->onset_wall.ns == g->onset_wall.ns;
}

/* Word for word the same; what is a view's alone is of the last reading. */
static void same_stream(const struct pair *p)
{
	const struct said *a = p->said[0], *b = p->said[1];

	for (size_t i = 0; i < a->words || i < b->words; i++) {
		if (i < a->words && i < b->words && word_is_same(a, b, i))
			continue;
		if (i < a->words)
			word_print(a, i);
		if (i < b->words)
			word_print(b, i);
		fail();
	}
}

static void test_nothing_shows_of_a_restart(void **state)
{
	(void)state;
	for (unsigned long n = 0; n < cases_n; n++) {
		struct world_case c = case_of(70 + n, PACE_SLOW,
					      (int64_t)hours_n);
		struct pair p = { .at_ns = moment_of(&c, n) };

		pair_play(&p, &c);
		printf("# seed %lu: %zu findings open then, %zu words\n",
		       70 + n, p.opens, p.said[0]->words);
		same_stream(&p);
		pair_fini(&p);
	}
}

static const struct finding *find(const struct finding *all, size_t n,
				  const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(all[i].id, id) == 0)
			return &all[i];
	return NULL;
}

/* What has one id in one, and another one in the other. */
static bool is_twin(const struct finding *f, const struct finding *g)
{
	return strcmp(f->subject, g->subject) == 0 &&
	       f->signature == g->signature;
}

static bool goes_on(const struct finding *f, const struct finding *g)
{
	return g && f->signature == g->signature && f->end == g->end &&
	       f->severity == g->severity &&
	       f->onset_wall.ns == g->onset_wall.ns;
}

/* It was found to be part of a finding of more than one port, as it may be
 * whenever readings fail to come.
 */
static bool has_joined(const struct said *s, const char *id)
{
	size_t i = s->words;

	while (i > 0 && strcmp(s->word[i - 1].id, id) != 0)
		i--;
	return i > 0 && (s->word[i - 1].signature ==
			 SIGNATURE_SHARED_COMPONENT ||
			 strncmp(s->word[i - 1].cause,
				 "part of shared_component", 24) == 0);
}

/* What was open then and is so an hour later without the restart is so with
 * it, and nothing else is said of the same. Returns how many.
 */
static unsigned same_later(const struct pair *p, unsigned *ret_joined,
			   unsigned *ret_other)
{
	const struct said *a = p->said[0], *b = p->said[1];
	unsigned n = 0;

	for (size_t i = 0; i < a->laters; i++) {
		const struct finding *f = &a->later[i];
		const struct finding *g = find(b->later, b->laters, f->id);

		if (!find(p->open, p->opens, f->id))
			continue;
		n++;
		open_n[f->signature]++;
		if (goes_on(f, g)) {
			same_n[f->signature]++;
			continue;
		}
		if (p->gap_ns && has_joined(b, f->id)) {
			++*ret_joined;
			continue;
		}
		++*ret_other;
		printf("# %s %s %s %s %s; after the restart %s %s %s\n", f->id,
		       f->subject, signature_name(f->signature),
		       severity_name(f->severity), fault_end_name(f->end),
		       g ? signature_name(g->signature) : "gone",
		       g ? severity_name(g->severity) : "",
		       g ? fault_end_name(g->end) : "");
	}
	return n;
}

/* Findings that begin only because of it. */
static unsigned only_after(const struct pair *p)
{
	const struct said *a = p->said[0], *b = p->said[1];
	unsigned n = 0;

	for (size_t i = 0; i < b->words; i++) {
		const struct finding *f = &b->word[i];
		bool is_there = false;

		if (f->state != FINDING_RAISED || b->t_ns[i] < p->at_ns ||
		    b->t_ns[i] > p->at_ns + p->gap_ns + HOUR_NS)
			continue;
		for (size_t k = 0; k < a->words; k++)
			is_there |= is_twin(f, &a->word[k]);
		if (!is_there) {
			n++;
			word_print(b, i);
		}
	}
	return n;
}

static void restarts_play(int64_t gap_ns, bool reboot, uint64_t seed)
{
	unsigned same = 0, joined = 0, other = 0, more = 0;

	for (unsigned long n = 0; n < cases_n; n++) {
		struct world_case c = case_of(seed + n, PACE_SLOW,
					      (int64_t)hours_n);
		struct pair p = { .at_ns = moment_of(&c, n),
				  .gap_ns = gap_ns, .reboot = reboot };

		pair_play(&p, &c);
		same += same_later(&p, &joined, &other);
		more += only_after(&p);
		pair_fini(&p);
	}
	printf("# gap %.0f s%s: %u open, %u of them now part of another, %u "
	       "not as they were, %u more\n", (double)gap_ns / 1e9,
	       reboot ? ", reboot" : "", same, joined, other, more);
	assert_int_equal(other, 0);
	assert_int_equal(more, 0);
}

/* Behind all others. */
static void test_each_signature_that_was_seen(void **state)
{
	(void)state;
	for (unsigned i = 1; i < SIGNATURE_COUNT; i++)
		if (open_n[i])
			printf("# %-20s %u open, %u go on\n",
			       signature_name((enum signature)i), open_n[i],
			       same_n[i]);
}

static void test_ten_minutes_without_an_agent(void **state)
{
	(void)state;
	restarts_play(600 * NS_PER_S, false, 70);
}

static void test_reboot(void **state)
{
	(void)state;
	restarts_play(300 * NS_PER_S, true, 70);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_shows_of_a_restart),
		cmocka_unit_test(test_ten_minutes_without_an_agent),
		cmocka_unit_test(test_reboot),
		cmocka_unit_test(test_each_signature_that_was_seen),
	};

	if (argc > 1)
		cases_n = strtoul(argv[1], NULL, 10);
	if (argc > 2)
		hours_n = strtoul(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
