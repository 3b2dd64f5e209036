/* make soak: what is told of healthy switches, on which all sorts of benign
 * things befall.
 *
 *   soak [--years PORT_YEARS] [--plant a|b|c|d|e|f|g|tiny]... [--hard]
 *        [--jobs N] [--first N | --seed-from HEX] [--head REVISION]
 *
 * Of the years, which the plants share, a third goes in cases of four weeks, in
 * which what is normal grows old, and the rest in cases of a day and a half, so
 * that more befalls; a reading comes each minute. To these come a thirtieth as
 * many years with a reading a second, in cases of four hours. Each finding that
 * was at warn or above counts, whatever else is told of its port.
 *
 * The exit status is 1 when there were more findings, or fewer benign things,
 * than the goals allow in so many years.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/base/number.h"
#include "petrel/clock.h"
#include "petrel/finding.h"
#include "tests/judge/plants.h"
#include "tests/judge/report.h"
#include "tests/judge/workers.h"

#define YEAR_S (365.25 * 86400)
#define YEARS 300.0			/* of the goals */
#define GOAL_SLOW 3.0			/* findings in them */
#define GOAL_BENIGN 1000.0		/* benign things of each class */
#define FAST_PART 30.0
#define SAME_S 180.0

struct options {
	uint64_t years, first, jobs;
	bool hard, plant[PLANTS_MAX];
	const char *head;
};

/* Cases of a length, till so much of the years is filled by them and those
 * before of that pace, to the nearest.
 */
static const struct stretch {
	enum world_pace pace;
	int64_t length_s;
	double part;
} stretches[] = {
	{ PACE_SLOW, 28 * 86400, 1 / 3. },
	{ PACE_SLOW, 36 * 3600, 1 },
	{ PACE_FAST, 4 * 3600, 1 / FAST_PART },
};

/* Which of the plants' words mean the same, beside the class's own. */
static const struct class {
	const char *name, *word[5];
} classes[] = {
	{ "peer reboot", { "peer_maintenance", "peer_reboot", "peer_reboots",
			   "maintenance of a peer" } },
	{ "PRBS", { "prbs" } },
	{ "recabling", { "recabled", "plugged anew" } },
	{ "rack power", { "rack_event", "rack", "rack_dark",
			  "a rack without power" } },
	{ "hot day", { "hot_day", "diurnal_heat", "a hot day",
		       "day_and_coolers" } },
	{ "load phases", { "load_phase", "load_phases", "jobs_pause",
			   "a job begins" } },
	{ "counters cleared", { "counters_cleared", "counter_reset",
				"counters_reset" } },
	{ "clock step", { "clock_step", "clock_steps", "clock steps" } },
	{ "gap", { "gap", "pause", "readings_miss", "source_pauses",
		   "rows_miss" } },
	{ "32-bit wrap", { "wrap" } },
	{ "late DOM", { "slow_dom", "dom_stale", "readings_late",
			"rows_late" } },
	{ "frozen DOM", { "frozen_dom", "dom_still", "dom_freezes",
			  "monitors stand still" } },
	{ "garbage readings", { "stray_garbage", "dom_garbage" } },
	{ "warm-up", { "warm_up" } },
	{ "shut port", { "admin_shut", "shut", "cold_port", "port shut" } },
	{ "module swap", { "healthy_swap", "module_swap", "swapped_alike",
			   "another module" } },
	{ "reboot", { "reboot", "restart", "switch_boots" } },
	{ "traffic away", { "traffic_away", "maintenance", "traffic drained",
			    "neighbour_drained" } },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *class_of(const char *word)
{
	for (size_t i = 0; i < COUNT(classes); i++)
		for (size_t k = 0; k < COUNT(classes[i].word); k++)
			if (classes[i].word[k] &&
			    strcmp(classes[i].word[k], word) == 0)
				return classes[i].name;
	return word;
}

/* --- cases --------------------------------------------------------------- */

/* Each has a seed of its own. */
static void plant_add(const struct options *o, unsigned plant, double years,
		      struct tasks *t)
{
	struct world_case at = { .pace = PACE_SLOW, .mix = MIX_HEALTHY,
				 .hard = o->hard, .ports = WORLD_PORTS_MAX,
				 .seed = o->first };
	double done = 0;

	for (size_t i = 0; i < COUNT(stretches); i++) {
		const struct stretch *s = &stretches[i];
		double each = at.ports * (double)s->length_s / YEAR_S;

		if (at.pace != s->pace)
			done = 0;
		at.pace = s->pace;
		at.length_ns = s->length_s * NS_PER_S;
		for (; done + each / 2 < years * s->part; done += each) {
			tasks_add(t, plant, &at);
			at.seed++;
		}
	}
}

static void tasks_make(const struct options *o, struct tasks *t)
{
	unsigned plants = 0;

	for (unsigned i = 0; i < PLANTS_MAX; i++)
		plants += o->plant[i];
	for (unsigned i = 0; i < PLANTS_MAX; i++)
		if (o->plant[i])
			plant_add(o, i, (double)o->years / plants, t);
}

/* --- what comes of them -------------------------------------------------- */

static bool is_loud(const struct finding_row *row)
{
	return row->severity >= SEVERITY_WARN;
}

static double years_of(const struct rows *rows, enum world_pace pace)
{
	const struct exposure_row *row;
	double s = 0;

	for (size_t i = 0; (row = rows_get(rows, ROW_EXPOSURE, i)); i++)
		s += row->at.pace == pace ? row->port_s : 0;
	return s / YEAR_S;
}

static double loud_of(const struct rows *rows, enum world_pace pace)
{
	const struct finding_row *row;
	double n = 0;

	for (size_t i = 0; (row = rows_get(rows, ROW_FINDING, i)); i++)
		n += is_loud(row) && row->at.pace == pace;
	return n;
}

/* The row of that name, which begins with zeros; the last one is for all that
 * would be too many.
 */
static double *row_of(struct report_table *t, const char *name)
{
	unsigned at = 0;

	while (at < t->rows && strcmp(t->row[at].name, name) != 0)
		at++;
	if (at == REPORT_ROWS_MAX)
		return t->row[at - 1].value;
	if (at == t->rows) {
		at = report_row(t, at + 1 < REPORT_ROWS_MAX ? name : "others");
		memset(t->row[at].value, 0, sizeof(t->row[at].value));
	}
	return t->row[at].value;
}

static const char *name_of(const struct finding_row *row)
{
	return row->last_name ? signature_name((enum signature)row->last_name)
			      : "no name";
}

static void loud_count(double value[static 4], const struct finding_row *row)
{
	value[0] += is_loud(row) && row->at.pace == PACE_SLOW;
	value[1] += is_loud(row) && row->at.pace == PACE_FAST;
	value[2] += row->severity >= SEVERITY_CRITICAL;
	value[3] += !is_loud(row);
}

static void signatures_write(struct report *r, const struct rows *rows)
{
	static const struct report_column column[] = {
		{ "each_60_s", 9, 0, 1 }, { "each_1_s", 8, 0, 1 },
		{ "critical", 8, 0, 1 }, { "only_watch", 10, 0, 0 },
	};
	const struct finding_row *row;
	struct report_table names, near;
	char words[REPORT_NAME_MAX];

	report_start(&names, "findings at warn or above, by what they are "
		     "called", "healthy", column, COUNT(column));
	report_start(&near, "... and by what befell there last", "healthy",
		     column, COUNT(column) - 1);
	(void)row_of(&names, "all");
	for (size_t i = 0; (row = rows_get(rows, ROW_FINDING, i)); i++) {
		loud_count(row_of(&names, "all"), row);
		loud_count(row_of(&names, name_of(row)), row);
		if (!is_loud(row))
			continue;
		(void)snprintf(words, sizeof(words), "%s: %s", name_of(row),
			       class_of(row->nearby));
		loud_count(row_of(&near, words), row);
	}
	report_write(r, &names);
	report_write(r, &near);
}

/* Whether there were enough of each class that the table begins with. */
static bool benigns_write(struct report *r, const struct rows *rows,
			  double enough)
{
	static const struct report_column column[] = {
		{ "befell", 7, 0, -1 }, { "ports", 8, 0, 0 },
		{ "findings", 8, 0, 1 },
	};
	const struct finding_row *finding;
	const struct benign_row *row;
	struct report_table t;
	bool is_enough = true;

	report_start(&t, "benign things, and findings at warn near them",
		     "healthy", column, COUNT(column));
	for (size_t i = 0; i < COUNT(classes); i++)
		(void)row_of(&t, classes[i].name);
	for (size_t i = 0; (row = rows_get(rows, ROW_BENIGN, i)); i++) {
		double *value = row_of(&t, class_of(row->what));

		value[0]++;
		value[1] += row->ports;
	}
	for (size_t i = 0; (finding = rows_get(rows, ROW_FINDING, i)); i++)
		if (is_loud(finding))
			row_of(&t, class_of(finding->nearby))[2]++;
	for (size_t i = 0; i < COUNT(classes); i++)
		is_enough &= t.row[i].value[0] >= enough;
	report_write(r, &t);
	return is_enough;
}

/* One thing that befell many ports is told once. */
static bool is_same(const struct finding_row *a, const struct finding_row *b)
{
	return a->at.seed == b->at.seed && a->at.plant == b->at.plant &&
	       a->at.pace == b->at.pace && a->last_name == b->last_name &&
	       fabs(a->begin_s - b->begin_s) < SAME_S;
}

static const struct finding_row *loud_next(const struct rows *rows, size_t *at)
{
	const struct finding_row *row;

	while ((row = rows_get(rows, ROW_FINDING, (*at)++)))
		if (is_loud(row))
			return row;
	return NULL;
}

static void finding_write(struct report *r, const struct finding_row *row,
			  unsigned more)
{
	char line[512], near[64], others[32] = "";

	(void)snprintf(near, sizeof(near), row->nearby_s > 0 ?
		       "%s, begun %.0f s before" : "%s", row->nearby,
		       (double)row->nearby_s);
	if (more)
		(void)snprintf(others, sizeof(others), " and %u more", more);
	(void)snprintf(line, sizeof(line), "%s, seed %llu, each %s, %s (%s)%s "
		       "at %.0f s: %s, %s, \"%s\"; nearby: %s",
		       plants_word(row->at.plant),
		       (unsigned long long)row->at.seed,
		       row->at.pace == PACE_SLOW ? "60 s" : "1 s",
		       row->port_name, row->media, others, row->begin_s,
		       severity_name((enum severity)row->severity),
		       name_of(row), row->cause, near);
	report_text(r, "finding", line);
}

static void findings_write(struct report *r, const struct rows *rows)
{
	size_t at = 0;
	const struct finding_row *row = loud_next(rows, &at), *next;

	while (row) {
		unsigned more = 0;

		while ((next = loud_next(rows, &at)) && is_same(row, next))
			more++;
		finding_write(r, row, more);
		row = next;
	}
}

static void text_write(struct report *r, const char *key, const char *format,
		       ...) __attribute__((format(printf, 3, 4)));

static void text_write(struct report *r, const char *key, const char *format,
		       ...)
{
	char text[192];
	va_list list;

	va_start(list, format);
	(void)vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	report_text(r, key, text);
}

/* Whether the goals are met. */
static bool tell(const struct options *o, const struct rows *rows, double s)
{
	struct report r = { .out = stdout };
	double part = (double)o->years / YEARS;
	double slow = loud_of(rows, PACE_SLOW), fast = loud_of(rows, PACE_FAST);
	bool is_quiet = slow <= GOAL_SLOW * part && fast <= 0, is_enough;

	text_write(&r, "run", "revision %.12s, seeds from %llu on%s", o->head,
		   (unsigned long long)o->first, o->hard ? ", hard" : "");
	signatures_write(&r, rows);
	is_enough = benigns_write(&r, rows, GOAL_BENIGN * part);
	findings_write(&r, rows);
	text_write(&r, "findings", "%.0f in %.1f port-years with a reading "
		   "each 60 s, %.0f in %.2f with one each second: %s", slow,
		   years_of(rows, PACE_SLOW), fast, years_of(rows, PACE_FAST),
		   is_quiet ? "as few as asked for" : "more than asked for");
	text_write(&r, "befell", "%s %.0f of each benign thing",
		   is_enough ? "at least" : "not", GOAL_BENIGN * part);
	text_write(&r, "took", "%.0f s in %llu processes", s,
		   (unsigned long long)o->jobs);
	report_end(&r);
	return is_quiet && is_enough;
}

/* --- options ------------------------------------------------------------- */

static int plant_want(struct options *o, const char *word)
{
	for (unsigned i = 0; i < PLANTS_MAX; i++)
		if (plants_get(i) && strcmp(plants_word(i), word) == 0) {
			o->plant[i] = true;
			return 0;
		}
	return -EINVAL;
}

static int option_read(struct options *o, int c, const char *arg)
{
	char text[16];

	switch (c) {
	case 'y':
		return number_parse(arg, 1, 100000, &o->years);
	case '1':
		return number_parse(arg, 1, UINT32_MAX, &o->first);
	case 'J':
		return number_parse(arg, 1, WORKERS_MAX, &o->jobs);
	case 'f':	/* the first eight digits of a revision's hash */
		(void)snprintf(text, sizeof(text), "0x%.8s", arg);
		return number_parse(text, 0, UINT32_MAX, &o->first);
	case 'p':
		return plant_want(o, arg);
	case 'H':
		o->hard = true;
		return 0;
	case 'r':
		o->head = arg;
		return 0;
	default:
		return -EINVAL;
	}
}

static int options_read(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "years", required_argument, NULL, 'y' },
		{ "first", required_argument, NULL, '1' },
		{ "seed-from", required_argument, NULL, 'f' },
		{ "plant", required_argument, NULL, 'p' },
		{ "hard", no_argument, NULL, 'H' },
		{ "jobs", required_argument, NULL, 'J' },
		{ "head", required_argument, NULL, 'r' },
		{ NULL, 0, NULL, 0 },
	};
	bool any = false;
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1)
		if (option_read(o, c, optarg) < 0)
			return -EINVAL;
	for (unsigned i = 0; i < PLANTS_MAX; i++)
		any |= o->plant[i];
	for (unsigned i = 0; i < PLANTS_MAX && !any; i++)
		o->plant[i] = plants_get(i) && plants_get(i) != &plant_tiny;
	return optind == argc ? 0 : -EINVAL;
}

int main(int argc, char **argv)
{
	struct options o = { .years = (uint64_t)YEARS, .first = 1, .jobs = 2,
			     .head = "unknown" };
	const struct trial_options trial = { .engine = true };
	struct tasks tasks = { 0 };
	struct timespec begin, end;
	bool is_met = false;
	struct rows rows;

	if (options_read(argc, argv, &o) < 0) {
		(void)fputs("usage: see the head of tests/judge/soak.c\n",
			    stderr);
		return 2;
	}
	tasks_make(&o, &tasks);
	rows_init(&rows);
	(void)clock_gettime(CLOCK_MONOTONIC, &begin);
	if (tasks_run(&tasks, &trial, (unsigned)o.jobs, &rows) == 0) {
		(void)clock_gettime(CLOCK_MONOTONIC, &end);
		is_met = tell(&o, &rows, (double)(end.tv_sec - begin.tv_sec));
	}
	rows_fini(&rows);
	tasks_fini(&tasks);
	return is_met ? 0 : 1;
}
