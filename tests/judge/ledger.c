#include "tests/judge/ledger.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "agent/base/number.h"
#include "tests/judge/tally.h"

#define LINE_MAX_OCTETS 1024
#define KEYS_MAX 32
#define WORDS 7			/* before the fields */
#define RUNS_MAX 8
#define SCALE 1000000

/* What a line holds, in this order, behind its words. */
enum { N, FOUND, WARN, FIRST, LAST, CLIFFS, BEFORE, FORETOLD, ANSWERED,
       COVERED, ALARMS, PORT_YEARS, FIELDS };
static const char *const field_name[FIELDS] = {
	"faults", "found", "warn", "first", "dx1", "cliffs", "before", "told",
	"answered", "covered", "alarms", "port_years",
};

/* One plant and condition, with its newest runs in a ring. */
struct key {
	char name[REPORT_NAME_MAX];
	double field[RUNS_MAX][FIELDS];
	unsigned lines;
};

int ledger_append(const struct ledger_run *run, const struct rows *rows,
		  unsigned plant, const char *plant_name, bool hard,
		  unsigned without)
{
	struct tally_filter f = TALLY_ALL;
	struct tally_findings g;
	struct tally_faults t;
	FILE *out = fopen(run->path, "ae");
	time_t now = time(NULL);
	char when[32] = "?";
	struct tm tm;

	if (!out)
		return -errno;
	if (gmtime_r(&now, &tm))
		(void)strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	f.plant = (int)plant;
	f.hard = hard;
	f.teller = TELLER_ENGINE;
	tally_findings(rows, &f, &g);
	f.mix = 0;			/* MIX_FAULTS */
	tally_faults(rows, &f, &t);
	(void)fprintf(out, "%s %.12s %llu+%u %s %s %s %u", when, run->head,
		      (unsigned long long)run->first_seed, run->seeds,
		      plant_name, hard ? "hard" : "standard", run->scope,
		      without);
	for (unsigned i = 0; i < FIELDS; i++)
		(void)fprintf(out, " %s=%.6g", field_name[i], (double []){
			t.n, t.found, t.found_warn, t.first_right,
			t.last_right, t.cliffs, t.warned_before, t.foretold,
			t.answered, t.covered, g.alarms, g.port_years,
		}[i]);
	(void)fputc('\n', out);
	return fclose(out) == 0 ? 0 : -EIO;
}

static struct key *key_find(struct key *list, unsigned *count,
			    const char *name)
{
	for (unsigned i = 0; i < *count; i++)
		if (strcmp(list[i].name, name) == 0)
			return &list[i];
	if (*count == KEYS_MAX)
		return NULL;
	memset(&list[*count], 0, sizeof(*list));
	(void)snprintf(list[*count].name, REPORT_NAME_MAX, "%s", name);
	return &list[(*count)++];
}

/* Fields of one line into a key's ring; a line that is none is left out. */
static void line_take(char *line, struct key *list, unsigned *count,
		      unsigned runs)
{
	char *word[WORDS + FIELDS], *save = NULL, name[REPORT_NAME_MAX];
	struct key *key;
	unsigned n = 0, at;

	for (char *w = strtok_r(line, " \n", &save);
	     w && n < WORDS + FIELDS; w = strtok_r(NULL, " \n", &save))
		word[n++] = w;
	if (n < WORDS + FIELDS || line[0] == '#')
		return;
	(void)snprintf(name, sizeof(name), "%.5s %.8s %.4s%s%.2s", word[3],
		       word[4], word[5], strcmp(word[6], "0") ? " less " : "",
		       strcmp(word[6], "0") ? word[6] : "");
	key = key_find(list, count, name);
	if (!key)
		return;
	at = key->lines++ % runs;
	for (unsigned i = 0; i < FIELDS; i++) {
		const char *value = strchr(word[WORDS + i], '=');
		int64_t scaled = 0;

		if (value)
			(void)number_parse_scaled(value + 1, strlen(value + 1),
						  SCALE, &scaled);
		key->field[at][i] = (double)scaled / SCALE;
	}
}

static void key_row(struct report_table *t, const struct key *key,
		    unsigned runs)
{
	double sum[FIELDS] = { 0 };
	unsigned at = report_row(t, key->name);

	for (unsigned i = 0; i < runs && i < key->lines; i++)
		for (unsigned k = 0; k < FIELDS; k++)
			sum[k] += key->field[i][k];
	memcpy(t->row[at].value, (double []){
		key->lines < runs ? key->lines : runs, sum[N],
		tally_share(sum[FOUND], sum[N]),
		tally_share(sum[WARN], sum[N]),
		tally_share(sum[FIRST], sum[N]),
		tally_share(sum[LAST], sum[N]),
		tally_share(sum[BEFORE], sum[CLIFFS]),
		tally_share(sum[COVERED], sum[ANSWERED]),
		sum[ALARMS], tally_share(sum[ALARMS], sum[PORT_YEARS]),
	}, 10 * sizeof(double));
}

int ledger_pooled(const char *path, unsigned runs, struct report *r)
{
	static const struct report_column column[] = {
		{ "runs", 4, 0, 0 }, { "n", 6, 0, 0 }, { "recall", 6, 3, -1 },
		{ "warn", 6, 3, -1 }, { "first", 6, 3, -1 },
		{ "dx1", 6, 3, -1 }, { "before", 6, 3, -1 },
		{ "cover", 5, 2, -1 }, { "alarms", 6, 0, 1 },
		{ "a_year", 9, 3, 1 },
	};
	struct key list[KEYS_MAX];
	char line[LINE_MAX_OCTETS];
	struct report_table t;
	unsigned count = 0;
	FILE *in = fopen(path, "re");

	if (!in)
		return -errno;
	runs = runs < RUNS_MAX ? runs : RUNS_MAX;
	while (fgets(line, sizeof(line), in))
		line_take(line, list, &count, runs);
	(void)fclose(in);		/* it was only read */
	report_start(&t, "the last runs, pooled", "all", column,
		     sizeof(column) / sizeof(column[0]));
	for (unsigned i = 0; i < count; i++)
		key_row(&t, &list[i], runs);
	report_write(r, &t);
	return 0;
}
