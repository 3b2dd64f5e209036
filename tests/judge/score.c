/* make score: how well faults are found, named and foretold, on plants.
 *
 *   score [--plant a|b|c|d|e|f|g|tiny]... [--seeds N]
 *         [--first N | --seed-from HEX] [--pace fast|slow]
 *         [--mix faults|healthy|two|strange]
 *         [--hard | --standard] [--ports N] [--length SECONDS] [--law N]
 *         [--ablate histogram,temperature,light] [--jobs N] [--json]
 *         [--show] [--no-peers] [--no-engine]
 *         [--head REVISION] [--log FILE]
 *
 * Each case runs in a worker; what it found comes back as rows. The exit status
 * is 0 when all cases ran.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/base/number.h"
#include "petrel/clock.h"
#include "tests/judge/feed.h"
#include "tests/judge/ledger.h"
#include "tests/judge/plants.h"
#include "tests/judge/tables.h"
#include "tests/judge/workers.h"

#define DAY_S 86400
#define POOLED_RUNS 3
#define SHOWN 200
#define GREAT_PLANTS 7		/* the first ones of plants.c */

struct options {
	bool plant[PLANTS_MAX], any_plant;
	int pace, mix, hard;		/* -1: all */
	int law;			/* -1: all together */
	uint64_t first, ports, length_s, jobs, seeds;
	struct trial_options trial;
	bool json, show;
	const char *head, *log;
};

static unsigned laws_of(const struct plant_model *m)
{
	unsigned n = 0;

	while (m->laws[n])
		n++;
	return n;
}

/* All together, or one alone and then the others without it. */
static void laws_add(const struct options *o, struct tasks *t, unsigned plant,
		     struct world_case at)
{
	uint32_t all = (uint32_t)(UINT64_MAX >> (64 - laws_of(plants_get(
								plant))));

	if (o->law >= 0) {
		at.laws = UINT32_C(1) << o->law;
		tasks_add(t, plant, &at);
		at.laws = all & ~at.laws;
		if (!at.laws)
			return;
	}
	tasks_add(t, plant, &at);
}

static void seeds_add(const struct options *o, struct tasks *t, unsigned plant,
		      struct world_case at)
{
	static const int64_t length_s[PACE_COUNT] = { 3600, 4 * DAY_S };

	at.ports = (unsigned)o->ports;
	at.length_ns = NS_PER_S * (o->length_s ? (int64_t)o->length_s
					       : length_s[at.pace]);
	for (uint64_t i = 0; i < o->seeds; i++) {
		at.seed = o->first + i;
		laws_add(o, t, plant, at);
	}
}

static bool is_wanted(int wanted, int value)
{
	return wanted < 0 || wanted == value;
}

static void conditions_add(const struct options *o, struct tasks *t,
			   unsigned plant)
{
	struct world_case at = { 0 };

	for (int i = 0; i < 2 * PACE_COUNT * MIX_COUNT; i++) {
		at.hard = i % 2;
		at.pace = (enum world_pace)(i / 2 % PACE_COUNT);
		at.mix = (enum world_mix)(i / 2 / PACE_COUNT);
		if (is_wanted(o->hard, at.hard) &&
		    is_wanted(o->pace, (int)at.pace) &&
		    is_wanted(o->mix, (int)at.mix))
			seeds_add(o, t, plant, at);
	}
}

static void tasks_make(const struct options *o, struct tasks *t)
{
	for (unsigned i = 0; i < PLANTS_MAX; i++) {
		if (o->plant[i])
			conditions_add(o, t, i);
	}
}

/* --- options ------------------------------------------------------------- */

static int word_find(const char *word, const char *const *list, int count)
{
	for (int i = 0; i < count; i++)
		if (list[i] && strcmp(word, list[i]) == 0)
			return i;
	return -EINVAL;
}

static int plant_want(struct options *o, const char *word)
{
	for (unsigned i = 0; i < PLANTS_MAX; i++) {
		if (!plants_word(i) || strcmp(plants_word(i), word) != 0)
			continue;
		if (!plants_get(i)) {
			(void)fprintf(stderr, "score: this build has no plant "
				      "%s\n", word);
			return -ENOENT;
		}
		o->plant[i] = o->any_plant = true;
		return 0;
	}
	return -EINVAL;
}

static int ablate_read(struct options *o, char *words)
{
	static const char *const list[] = { "histogram", "temperature",
					    "light" };
	char *save = NULL;

	for (char *w = strtok_r(words, ",", &save); w;
	     w = strtok_r(NULL, ",", &save)) {
		int i = word_find(w, list, 3);

		if (i < 0)
			return i;
		o->trial.without |= 1u << i;
	}
	return 0;
}

/* The first eight digits of a revision's hash. */
static int seed_from(struct options *o, const char *hash)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "0x%.8s", hash);
	return number_parse(text, 0, UINT32_MAX, &o->first);
}

static int flag_read(struct options *o, int c)
{
	switch (c) {
	case 'H':
		o->hard = 1;
		return 0;
	case 'S':
		o->hard = 0;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case 'w':
		o->show = true;
		return 0;
	case 'E':
		o->trial.engine = false;
		return 0;
	case 'P':
		o->trial.peers = false;
		return 0;
	default:
		return -EINVAL;
	}
}

static int word_read(struct options *o, int c, char *arg)
{
	static const char *const paces[] = { "fast", "slow" };
	static const char *const mixes[] = { "faults", "healthy", "two",
					     "strange" };

	switch (c) {
	case 'p':
		return plant_want(o, arg);
	case 'a':
		return ablate_read(o, arg);
	case 'f':
		return seed_from(o, arg);
	case 'c':
		o->pace = word_find(arg, paces, PACE_COUNT);
		return o->pace < 0 ? o->pace : 0;
	case 'm':
		o->mix = word_find(arg, mixes, MIX_COUNT);
		return o->mix < 0 ? o->mix : 0;
	case 'r':
		o->head = arg;
		return 0;
	case 'l':
		o->log = arg;
		return 0;
	default:
		return flag_read(o, c);
	}
}

static int number_read(struct options *o, int c, char *arg)
{
	struct { int c; uint64_t most, *ret; } rows[] = {
		{ 'n', 100000, &o->seeds }, { '1', UINT32_MAX, &o->first },
		{ 'k', WORLD_PORTS_MAX, &o->ports },
		{ 't', 400 * DAY_S, &o->length_s },
		{ 'J', WORKERS_MAX, &o->jobs },
	};
	uint64_t law;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].c == c)
			return number_parse(arg, 1, rows[i].most, rows[i].ret);
	if (c != 'L')
		return word_read(o, c, arg);
	if (number_parse(arg, 0, 31, &law) < 0)
		return -EINVAL;
	o->law = (int)law;
	return 0;
}

static int options_read(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "plant", required_argument, NULL, 'p' },
		{ "seeds", required_argument, NULL, 'n' },
		{ "first", required_argument, NULL, '1' },
		{ "seed-from", required_argument, NULL, 'f' },
		{ "pace", required_argument, NULL, 'c' },
		{ "mix", required_argument, NULL, 'm' },
		{ "hard", no_argument, NULL, 'H' },
		{ "standard", no_argument, NULL, 'S' },
		{ "ports", required_argument, NULL, 'k' },
		{ "length", required_argument, NULL, 't' },
		{ "law", required_argument, NULL, 'L' },
		{ "ablate", required_argument, NULL, 'a' },
		{ "jobs", required_argument, NULL, 'J' },
		{ "json", no_argument, NULL, 'j' },
		{ "show", no_argument, NULL, 'w' },
		{ "no-peers", no_argument, NULL, 'P' },
		{ "no-engine", no_argument, NULL, 'E' },
		{ "head", required_argument, NULL, 'r' },
		{ "log", required_argument, NULL, 'l' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		int rc = c == '?' ? -EINVAL : number_read(o, c, optarg);

		if (rc < 0) {
			if (c != '?' && rc != -ENOENT)
				(void)fprintf(stderr, "score: '%s' will not "
					      "do\n", optarg ? optarg : "");
			return rc;
		}
	}
	return optind == argc ? 0 : -EINVAL;
}

/* What nobody asked for: the great plants, or else the tiny one. */
static int options_fill(struct options *o)
{
	if (!o->any_plant)
		for (unsigned i = 0; i < GREAT_PLANTS; i++)
			o->any_plant |= o->plant[i] = plants_get(i) != NULL;
	if (!o->any_plant)
		o->plant[GREAT_PLANTS] = true;
	for (unsigned i = 0; o->law >= 0 && i < PLANTS_MAX; i++)
		if (o->plant[i] &&
		    (unsigned)o->law >= laws_of(plants_get(i))) {
			(void)fprintf(stderr, "score: plant %s has %u laws, "
				      "from 0 on\n", plants_word(i),
				      laws_of(plants_get(i)));
			return -EINVAL;
		}
	return 0;
}

/* --- what comes of it ---------------------------------------------------- */

static int plant_tell(const struct options *o, const struct rows *rows,
		      unsigned plant, struct report *r)
{
	bool is_part = o->pace >= 0 || o->mix >= 0 || o->law >= 0 ||
		       o->length_s || o->ports != WORLD_PORTS_MAX;
	struct ledger_run run = { o->log, o->head, is_part ? "part" :
				  "all", o->first, (unsigned)o->seeds };
	int rc = 0;

	for (int hard = 0; hard < 2; hard++) {
		if (!is_wanted(o->hard, hard))
			continue;
		tables_write(r, rows, plant, plants_word(plant), hard);
		if (o->log && rc == 0)
			rc = ledger_append(&run, rows, plant,
					   plants_word(plant), hard,
					   o->trial.without);
	}
	if (o->show)
		tables_show(r, rows, plant, plants_word(plant), SHOWN);
	return rc;
}

static void tell_cost(const struct rows *rows, double s, uint64_t jobs)
{
	const struct exposure_row *row;
	double readings = 0;

	for (size_t i = 0; (row = rows_get(rows, ROW_EXPOSURE, i)); i++)
		readings += row->readings;
	(void)fprintf(stderr, "score: %.3g readings in %.1f s, %.0f ns each\n",
		      readings, s, readings > 0 ? s * (double)jobs * 1e9 /
		      readings : 0);
}

static int tell(const struct options *o, const struct rows *rows)
{
	struct report r = { .out = stdout, .json = o->json };
	char text[96];
	int rc = 0;

	(void)snprintf(text, sizeof(text), "revision %.12s, seeds %llu to %llu",
		       o->head, (unsigned long long)o->first,
		       (unsigned long long)(o->first + o->seeds - 1));
	report_text(&r, "run", text);
	for (unsigned i = 0; i < PLANTS_MAX; i++)
		if (o->plant[i] && rc == 0)
			rc = plant_tell(o, rows, i, &r);
	if (rc == 0 && o->log)
		rc = ledger_pooled(o->log, POOLED_RUNS, &r);
	if (rc < 0)
		(void)fprintf(stderr, "score: %s: %s\n", o->log, strerror(-rc));
	report_end(&r);
	return rc;
}

int main(int argc, char **argv)
{
	struct options o = { .pace = -1, .mix = -1, .hard = -1, .law = -1,
			     .first = 1, .seeds = 8, .ports = WORLD_PORTS_MAX,
			     .jobs = 2, .head = "unknown",
			     .trial = { 0, true, true, true } };
	struct tasks tasks = { 0 };
	struct timespec begin, end;
	struct rows rows;
	int rc;

	if (options_read(argc, argv, &o) < 0 || options_fill(&o) < 0) {
		(void)fputs("usage: see the head of tests/judge/score.c\n",
			    stderr);
		return 2;
	}
	tasks_make(&o, &tasks);
	rows_init(&rows);
	(void)clock_gettime(CLOCK_MONOTONIC, &begin);
	rc = tasks_run(&tasks, &o.trial, (unsigned)o.jobs, &rows);
	(void)clock_gettime(CLOCK_MONOTONIC, &end);
	if (rc == 0) {
		tell_cost(&rows, (double)(end.tv_sec - begin.tv_sec) +
			  (double)(end.tv_nsec - begin.tv_nsec) * 1e-9,
			  o.jobs);
		rc = tell(&o, &rows);
	}
	rows_fini(&rows);
	tasks_fini(&tasks);
	return rc ? 1 : 0;
}
