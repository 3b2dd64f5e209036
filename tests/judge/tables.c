#include "tests/judge/tables.h"

#include <math.h>
#include <string.h>

#include "petrel/finding.h"
#include "tests/judge/interval.h"
#include "tests/judge/peers.h"
#include "tests/judge/tally.h"
#include "tests/judge/world.h"

#define WORDS_MAX 24
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* What a filter comes to. */
struct figures {
	struct tally_faults t;
	struct tally_findings f;
	struct tally_guess o;
};

struct figure_column {
	struct report_column column;
	double (*get)(const struct figures *x);
};

#define GET(name, expression) \
	static double name(const struct figures *x) { return expression; }

GET(get_n, x->t.n)
GET(get_recall, tally_share(x->t.found, x->t.n))
GET(get_warn, tally_share(x->t.found_warn, x->t.n))
GET(get_precision, tally_share(x->f.name_right, x->f.at_warn))
GET(get_first, tally_share(x->t.first_right, x->t.n))
GET(get_last, tally_share(x->t.last_right, x->t.n))
GET(get_end, tally_share(x->t.end_right, x->t.end_asked))
GET(get_action, tally_share(x->t.action_right, x->t.action_asked))
GET(get_delay, x->t.delay_s)
GET(get_delay_p90, x->t.delay_p90_s)
GET(get_cliffs, x->t.cliffs)
GET(get_before, tally_share(x->t.warned_before, x->t.cliffs))
GET(get_foretold, tally_share(x->t.foretold, x->t.cliffs))
GET(get_lead, x->t.lead_share)
GET(get_answered, tally_share(x->t.answered, x->t.cliffs))
GET(get_error, x->t.error)
GET(get_covered, tally_share(x->t.covered, x->t.answered))
GET(get_width, x->t.width)
GET(get_could, tally_share(x->o.foreseen, x->o.n))
GET(get_could_error, x->o.error)
GET(get_could_width, x->o.width)

static const struct figure_column fault_columns[] = {
	{ { "n", 4, 0, 0 }, get_n },
	{ { "recall", 6, 3, -1 }, get_recall },
	{ { "warn", 5, 3, -1 }, get_warn },
	{ { "prec", 5, 3, -1 }, get_precision },
	{ { "first", 5, 3, -1 }, get_first },
	{ { "dx1", 5, 3, -1 }, get_last },
	{ { "end", 4, 2, -1 }, get_end },
	{ { "act", 4, 2, -1 }, get_action },
	{ { "delay_s", 7, 0, 1 }, get_delay },
	{ { "p90_s", 7, 0, 1 }, get_delay_p90 },
};

static const struct figure_column cliff_columns[] = {
	{ { "n", 4, 0, 0 }, get_cliffs },
	{ { "before", 6, 3, -1 }, get_before },
	{ { "told", 5, 3, -1 }, get_foretold },
	{ { "left", 4, 2, -1 }, get_lead },
	{ { "answ", 4, 2, -1 }, get_answered },
	{ { "err", 4, 2, 1 }, get_error },
	{ { "cover", 5, 2, -1 }, get_covered },
	{ { "hi/lo", 5, 1, 1 }, get_width },
	{ { "could", 5, 2, 0 }, get_could },
	{ { "o.err", 5, 2, 0 }, get_could_error },
	{ { "o.h/l", 5, 1, 0 }, get_could_width },
};

struct family_table {
	const char *name;
	const struct figure_column *column;
	unsigned columns;
	bool cliffs;			/* rows without one are left out */
};

static const struct family_table family_tables[] = {
	{ "faults", fault_columns, COUNT(fault_columns), false },
	{ "cliffs", cliff_columns, COUNT(cliff_columns), true },
};

static void figures_make(const struct rows *rows, const struct tally_filter *f,
			 struct figures *ret)
{
	tally_faults(rows, f, &ret->t);
	tally_findings(rows, f, &ret->f);
	tally_oracle(rows, f, &ret->o);
	if (f->law)			/* a finding has no law */
		ret->f.name_right = ret->f.at_warn = 0;
}

/* One row; false when there was nothing to count. */
static bool figure_row(struct report_table *t, const struct family_table *k,
		       const struct rows *rows, const struct tally_filter *f,
		       const char *name)
{
	struct figures x;
	unsigned at;

	figures_make(rows, f, &x);
	if (!(k->cliffs ? x.t.cliffs > 0 : x.t.n > 0))
		return false;
	at = report_row(t, name);
	for (unsigned i = 0; i < k->columns; i++)
		t->row[at].value[i] = k->column[i].get(&x);
	return true;
}

/* --- families: signatures, laws, media, cadences ------------------------- */

static void word_add(char word[][ROW_WORD_MAX], unsigned *count,
		     const char *text)
{
	unsigned i = 0;

	while (i < *count && strcmp(word[i], text) != 0)
		i++;
	if (i == *count && i < WORDS_MAX && text[0])
		rows_word(word[(*count)++], text);
}

static const char *const pace_word[PACE_COUNT] = { "fast", "slow" };

static void signatures_rows(struct report_table *t,
			    const struct family_table *k,
			    const struct rows *rows, struct tally_filter f)
{
	unsigned from = t->rows;

	for (f.signature = 1; f.signature < SIGNATURE_COUNT; f.signature++)
		(void)figure_row(t, k, rows, &f, signature_name(
				 (enum signature)f.signature));
	report_worst(t, from, "worst signature");
}

static void laws_rows(struct report_table *t, const struct family_table *k,
		      const struct rows *rows, struct tally_filter f)
{
	char word[WORDS_MAX][ROW_WORD_MAX], name[REPORT_NAME_MAX];
	const struct fault_row *row;
	unsigned count = 0, from = t->rows;

	for (size_t i = 0; (row = rows_get(rows, ROW_FAULT, i)); i++)
		if (row->at.plant == f.plant)
			word_add(word, &count, row->law);
	for (unsigned i = 0; i < count; i++) {
		f.law = word[i];
		(void)snprintf(name, sizeof(name), "law %.*s", ROW_WORD_MAX - 1,
			       word[i]);
		(void)figure_row(t, k, rows, &f, name);
	}
	report_worst(t, from, "worst law");
}

static void media_rows(struct report_table *t, const struct family_table *k,
		       const struct rows *rows, struct tally_filter f)
{
	char word[WORDS_MAX][ROW_WORD_MAX];
	const struct fault_row *row;
	unsigned count = 0, from = t->rows;

	for (size_t i = 0; (row = rows_get(rows, ROW_FAULT, i)); i++)
		if (row->at.plant == f.plant)
			word_add(word, &count, row->media);
	for (unsigned i = 0; i < count; i++) {
		f.media = word[i];
		(void)figure_row(t, k, rows, &f, word[i]);
	}
	report_worst(t, from, "worst medium");
}

static void cadences_rows(struct report_table *t, const struct family_table *k,
			  const struct rows *rows, struct tally_filter f)
{
	char name[REPORT_NAME_MAX];

	for (f.pace = 0; f.pace < PACE_COUNT; f.pace++)
		(void)figure_row(t, k, rows, &f, pace_word[f.pace]);
	report_worst(t, 0, "worst cadence");
	f.no_queues = true;
	for (f.pace = 0; f.pace < PACE_COUNT && !k->cliffs; f.pace++) {
		(void)snprintf(name, sizeof(name), "%s, links",
			       pace_word[f.pace]);
		(void)figure_row(t, k, rows, &f, name);
	}
}

/* Cadences apart: a delay of an hour and one of a second have no middle. */
static void family_write(struct report *r, const struct rows *rows,
			 const struct family_table *k, struct tally_filter f,
			 const char *about)
{
	struct report_column column[REPORT_COLUMNS_MAX];
	struct report_table t;
	char words[96];

	for (unsigned i = 0; i < k->columns; i++)
		column[i] = k->column[i].column;
	report_start(&t, k->name, about, column, k->columns);
	cadences_rows(&t, k, rows, f);
	report_write(r, &t);
	for (f.pace = 0; f.pace < PACE_COUNT; f.pace++) {
		(void)snprintf(words, sizeof(words), "%s, %s", about,
			       pace_word[f.pace]);
		report_start(&t, k->name, words, column, k->columns);
		signatures_rows(&t, k, rows, f);
		laws_rows(&t, k, rows, f);
		media_rows(&t, k, rows, f);
		report_write(r, &t);
	}
}

/* Each law less all others: what was fitted to the others alone. */
static void gaps_write(struct report *r, const struct rows *rows,
		       struct tally_filter f, const char *about)
{
	static const struct report_column column[] = {
		{ "n", 5, 0, 0 }, { "recall", 7, 3, -1 }, { "dx1", 7, 3, -1 },
		{ "told", 7, 3, -1 }, { "cover", 7, 3, -1 },
		{ "err", 7, 3, 1 },
	};
	static double (*const get[])(const struct figures *) = {
		get_n, get_recall, get_last, get_foretold, get_covered,
		get_error,
	};
	char word[WORDS_MAX][ROW_WORD_MAX];
	const struct fault_row *row;
	struct report_table t;
	struct figures one, others;
	unsigned count = 0, at;

	report_start(&t, "laws less the others", about, column, COUNT(column));
	for (size_t i = 0; (row = rows_get(rows, ROW_FAULT, i)); i++)
		if (row->at.plant == f.plant)
			word_add(word, &count, row->law);
	for (unsigned i = 0; i < count && count > 1; i++) {
		f.law = word[i];
		f.law_other = false;
		figures_make(rows, &f, &one);
		f.law_other = true;
		figures_make(rows, &f, &others);
		at = report_row(&t, word[i]);
		t.row[at].value[0] = one.t.n;
		for (unsigned c = 1; c < COUNT(get); c++)
			t.row[at].value[c] = get[c](&one) - get[c](&others);
	}
	report_worst(&t, 0, "worst law");
	report_write(r, &t);
}

/* What could be foreseen at all: by cadence, and by law. */
static void oracle_write(struct report *r, const struct rows *rows,
			 struct tally_filter f, const char *about)
{
	static const struct report_column column[] = {
		{ "n", 5, 0, 0 }, { "could", 6, 3, -1 },
		{ "left_first", 10, 2, -1 }, { "err", 6, 2, 1 },
		{ "cover", 6, 2, -1 }, { "hi/lo", 6, 1, 1 },
	};
	char word[WORDS_MAX][ROW_WORD_MAX];
	const struct oracle_row *row;
	struct report_table t;
	struct tally_guess g;
	unsigned count = 0;

	for (size_t i = 0; (row = rows_get(rows, ROW_ORACLE, i)); i++)
		if (row->at.plant == f.plant)
			word_add(word, &count, row->law);
	report_start(&t, "what the oracle could foresee", about, column,
		     COUNT(column));
	for (unsigned i = 0; i < PACE_COUNT + count; i++) {
		unsigned at;

		f.pace = i < PACE_COUNT ? (int)i : TALLY_ANY;
		f.law = i < PACE_COUNT ? NULL : word[i - PACE_COUNT];
		tally_oracle(rows, &f, &g);
		if (g.n <= 0)
			continue;
		at = report_row(&t, f.law ? f.law : pace_word[i]);
		memcpy(t.row[at].value, (double []){ g.n,
		       tally_share(g.foreseen, g.n), g.foreseen_share, g.error,
		       tally_share(g.covered, g.n), g.width },
		       sizeof(double) * COUNT(column));
	}
	report_write(r, &t);
}

/* --- tables of their own ------------------------------------------------- */

static void tellers_write(struct report *r, const struct rows *rows,
			  struct tally_filter f, const char *about)
{
	static const struct report_column column[] = {
		{ "names", 5, 0, 0 }, { "recall", 6, 3, -1 },
		{ "fits", 5, 3, -1 }, { "warn_s", 7, 0, 1 },
		{ "before", 6, 3, -1 }, { "left", 4, 2, -1 },
		{ "alarms", 6, 0, 1 }, { "a_year", 7, 2, 1 },
		{ "low", 7, 2, 0 }, { "high", 7, 2, 0 },
	};
	const struct peer *const *list;
	struct report_table t;
	struct figures x, all;
	size_t peers = peers_list(&list);

	report_start(&t, "at warn, beside peers' rules", about, column,
		     COUNT(column));
	for (unsigned i = 0; i <= peers; i++) {
		unsigned at = report_row(&t, i ? list[i - 1]->name : "petrel");
		bool names = i == 0 || list[i - 1]->names_cause;

		f.teller = (int)i;
		f.mix = MIX_FAULTS;
		figures_make(rows, &f, &x);
		f.mix = TALLY_ANY;
		figures_make(rows, &f, &all);
		if (i && all.t.n <= 0 && all.f.n <= 0) {
			t.rows--;	/* it was not asked */
			continue;
		}
		memcpy(t.row[at].value, (double []){
			names, get_warn(&x),
			tally_share(x.f.fits, x.f.at_warn), x.t.delay_warn_s,
			get_before(&x), get_lead(&x), all.f.alarms,
			all.f.rate, all.f.low, all.f.high,
		}, sizeof(double) * COUNT(column));
	}
	report_write(r, &t);
}

/* False alarms by the benign thing that was nearby. */
static void alarms_write(struct report *r, const struct rows *rows,
			 struct tally_filter f, const char *about)
{
	static const struct report_column column[] = {
		{ "alarms", 8, 0, 1 }, { "a_year", 9, 3, 1 },
		{ "low", 9, 3, 0 }, { "high", 9, 3, 0 },
		{ "port_years", 10, 2, 0 }, { "words_a_day", 11, 4, 1 },
	};
	char word[WORDS_MAX][ROW_WORD_MAX];
	double n[WORDS_MAX] = { 0 }, low, high;
	const struct finding_row *row;
	struct tally_findings all;
	struct report_table t;
	unsigned count = 0, at;

	f.teller = TELLER_ENGINE;
	tally_findings(rows, &f, &all);
	report_start(&t, "false alarms, by what was nearby", about, column,
		     COUNT(column));
	for (size_t i = 0; (row = rows_get(rows, ROW_FINDING, i)); i++) {
		if (!row->is_false || row->teller != TELLER_ENGINE ||
		    row->at.plant != f.plant || row->at.hard != f.hard)
			continue;
		word_add(word, &count, row->nearby);
		for (unsigned k = 0; k < count; k++)
			n[k] += strcmp(word[k], row->nearby) == 0;
	}
	at = report_row(&t, "all");
	memcpy(t.row[at].value, (double []){ all.alarms, all.rate, all.low,
	       all.high, all.port_years, all.words }, 6 * sizeof(double));
	for (unsigned k = 0; k < count; k++) {
		interval_poisson(n[k], &low, &high);
		at = report_row(&t, word[k]);
		memcpy(t.row[at].value, (double []){ n[k],
		       tally_share(n[k], all.port_years),
		       tally_share(low, all.port_years),
		       tally_share(high, all.port_years) }, 4 * sizeof(double));
	}
	report_write(r, &t);
}

static void trust_write(struct report *r, const struct rows *rows,
			struct tally_filter f, const char *about)
{
	static const struct report_column column[] = {
		{ "n", 6, 0, 0 }, { "right", 6, 3, -1 },
		{ "log_loss", 8, 3, 1 }, { "base", 6, 3, 0 },
		{ "brier", 6, 3, 1 }, { "base_b", 6, 3, 0 },
		{ "cal_err", 7, 3, 1 }, { "renames", 7, 2, 1 },
	};
	struct tally_findings g;
	struct report_table t;
	struct tally_trust x;
	unsigned at;

	f.teller = TELLER_ENGINE;
	tally_trust(rows, &f, &x);
	tally_findings(rows, &f, &g);
	report_start(&t, "confidence against the truth", about, column,
		     COUNT(column));
	at = report_row(&t, "findings");
	memcpy(t.row[at].value, (double []){ x.n, x.base_rate, x.log_loss,
	       x.base_log_loss, x.brier, x.base_brier, x.error, g.renames },
	       sizeof(double) * COUNT(column));
	report_write(r, &t);
}

static void pairs_row(struct report_table *t, const struct rows *rows,
		      const struct tally_filter *f, const char *name)
{
	unsigned at = report_row(t, name);
	struct tally_faults x;

	tally_faults(rows, f, &x);
	memcpy(t->row[at].value, (double []){ x.pairs,
	       tally_share(x.found, x.n), tally_share(x.both_named, x.pairs),
	       tally_share(x.third_named, x.pairs) }, 4 * sizeof(double));
}

static void mixes_write(struct report *r, const struct rows *rows,
			struct tally_filter f, const char *about)
{
	static const struct report_column column[] = {
		{ "n", 6, 0, 0 }, { "recall", 6, 3, -1 },
		{ "both", 6, 3, -1 }, { "third", 6, 3, 1 },
		{ "no_wrong", 8, 3, -1 },
	};
	struct report_table t;
	struct tally_faults x;
	unsigned at;

	f.teller = TELLER_ENGINE;
	report_start(&t, "two faults, and those without a name", about, column,
		     COUNT(column));
	f.mix = MIX_TWO;
	pairs_row(&t, rows, &f, "two of a port");
	f.no_queues = true;
	pairs_row(&t, rows, &f, "two of a link");
	f.no_queues = false;
	f.mix = MIX_STRANGE;
	tally_faults(rows, &f, &x);
	at = report_row(&t, "without a name");
	t.row[at].value[0] = x.strange;
	t.row[at].value[1] = tally_share(x.strange_found, x.strange);
	t.row[at].value[4] = tally_share(x.strange_right, x.strange);
	report_write(r, &t);
}

static void losses_write(struct report *r, const struct rows *rows,
			 struct tally_filter f, const char *about)
{
	static const struct report_column column[] = {
		{ "n", 6, 0, 0 }, { "decades", 8, 2, 1 },
		{ "within_3", 8, 2, -1 },
	};
	const struct peer *const *list;
	struct report_table t;
	struct tally_loss x;
	size_t peers = peers_list(&list);

	report_start(&t, "frame loss foretold, true one 1e-10 or more", about,
		     column, COUNT(column));
	for (unsigned i = 0; i <= peers; i++) {
		unsigned at;

		f.teller = (int)i;
		tally_loss(rows, &f, &x);
		if (i && x.n <= 0)
			continue;
		at = report_row(&t, i ? list[i - 1]->name : "petrel");
		memcpy(t.row[at].value, (double []){ x.n, x.error_decades,
		       tally_share(x.within_3, x.n) }, 3 * sizeof(double));
	}
	report_write(r, &t);
}

static void never_write(struct report *r, const struct rows *rows,
			struct tally_filter f, const char *about)
{
	static const struct report_column column[] = {
		{ "cliffs", 6, 0, 0 }, { "sudden", 6, 0, 0 },
		{ "foretelling", 11, 0, 0 }, { "missed", 6, 0, 1 },
		{ "missed_in_twice", 15, 0, 1 },
	};
	struct tally_findings g;
	struct tally_faults x;
	struct report_table t;
	unsigned at;

	f.teller = TELLER_ENGINE;
	tally_findings(rows, &f, &g);
	tally_faults(rows, &f, &x);
	report_start(&t, "cliffs, and those that were foretold and never came",
		     about, column, COUNT(column));
	at = report_row(&t, "all mixes");
	memcpy(t.row[at].value, (double []){ x.cliffs, x.sudden, g.foretold,
	       g.due_missed, g.later_missed }, 5 * sizeof(double));
	report_write(r, &t);
}

void tables_write(struct report *r, const struct rows *rows, unsigned plant,
		  const char *plant_name, bool hard)
{
	struct tally_filter f = TALLY_ALL;
	char about[64], words[96];

	f.plant = (int)plant;
	f.hard = hard;
	f.teller = TELLER_ENGINE;
	(void)snprintf(about, sizeof(about), "%s, %s", plant_name,
		       hard ? "hard" : "standard");
	f.mix = MIX_FAULTS;
	for (unsigned i = 0; i < COUNT(family_tables); i++)
		family_write(r, rows, &family_tables[i], f, about);
	gaps_write(r, rows, f, about);
	f.mix = TALLY_ANY;
	oracle_write(r, rows, f, about);
	for (f.pace = 0; f.pace < PACE_COUNT; f.pace++) {
		(void)snprintf(words, sizeof(words), "%s, %s", about,
			       pace_word[f.pace]);
		tellers_write(r, rows, f, words);
	}
	f.pace = TALLY_ANY;
	alarms_write(r, rows, f, about);
	trust_write(r, rows, f, about);
	mixes_write(r, rows, f, about);
	losses_write(r, rows, f, about);
	never_write(r, rows, f, about);
}

static const char *const mix_word[MIX_COUNT] = { "faults", "healthy", "two",
						 "strange" };

/* A fault whose cause was not told right, and what was. */
static void fault_show(struct report *r, const struct fault_row *row,
		       const char *plant_name)
{
	char line[512], names[256] = "";

	for (unsigned n = 1; n < SIGNATURE_COUNT; n++)
		if (row->names >> n & 1)
			(void)snprintf(names + strlen(names),
				       sizeof(names) - strlen(names), " %s",
				       signature_name((enum signature)n));
	(void)snprintf(line, sizeof(line),
		       "%s%s seed %llu %s %s, %s (%s): %s%s%s, a %s, %s after "
		       "%.0f s; last %s; named%s", plant_name,
		       row->at.hard ? " hard" : "",
		       (unsigned long long)row->at.seed,
		       pace_word[row->at.pace % PACE_COUNT],
		       mix_word[row->at.mix % MIX_COUNT], row->port_name,
		       row->media, row->what, row->law[0] ? " " : "", row->law,
		       row->signature ?
		       signature_name((enum signature)row->signature) :
		       "fault without a name",
		       row->found ? "found" : "missed", (double)row->delay_s,
		       row->last_name ?
		       signature_name((enum signature)row->last_name) : "none",
		       names[0] ? names : " nothing");
	report_text(r, "fault", line);
}

static void faults_show(struct report *r, const struct rows *rows,
			unsigned plant, const char *plant_name, unsigned most)
{
	const struct fault_row *row;

	for (size_t i = 0; (row = rows_get(rows, ROW_FAULT, i)); i++)
		if (row->teller == TELLER_ENGINE && row->at.plant == plant &&
		    (row->signature ? row->last_name != row->signature :
				      !tally_names_are_right(row)) &&
		    most > 0 && most--)
			fault_show(r, row, plant_name);
}

void tables_show(struct report *r, const struct rows *rows, unsigned plant,
		 const char *plant_name, unsigned most)
{
	const struct finding_row *row;
	char line[512];
	unsigned shown = 0;

	faults_show(r, rows, plant, plant_name, most);
	for (size_t i = 0; (row = rows_get(rows, ROW_FINDING, i)); i++) {
		if (!row->is_false || row->teller != TELLER_ENGINE ||
		    row->at.plant != plant || shown++ >= most)
			continue;
		(void)snprintf(line, sizeof(line), "%s%s seed %llu %s %s, "
			       "%s (%s) at %.0f s: %s, \"%s\"; nearby: %s",
			       plant_name, row->at.hard ? " hard" : "",
			       (unsigned long long)row->at.seed,
			       pace_word[row->at.pace % PACE_COUNT],
			       mix_word[row->at.mix % MIX_COUNT],
			       row->port_name, row->media, row->begin_s,
			       row->last_name ? signature_name(
			       (enum signature)row->last_name) : "no name",
			       row->cause, row->nearby);
		report_text(r, "alarm", line);
	}
}
