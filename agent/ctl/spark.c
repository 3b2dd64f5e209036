#include "agent/ctl/spark.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/ctl/look_back.h"
#include "agent/ctl/scale.h"
#include "agent/ctl/text_table.h"
#include "agent/query/answer.h"
#include "agent/query/message.h"
#include "agent/record/capsule.h"

#define SPAN_NS (900 * NS_PER_S)
#define BINS PLOT_SPARK_COLUMNS
#define ANSWER_OCTETS (1u << 20)
#define ERRORS_LEAST 1e-12	/* lower ones are as good */
#define RANGE_TEXT_MAX 24
#define MOMENT_NS (NS_PER_S / 2)	/* a round of lanes is shorter */
#define KEY_PORT "port"
#define KEY_COURSE "course"

/* For each kind: its quantity, whether a bin keeps the least value (else the
 * most), and the smallest height that is not noise.
 */
static const struct {
	enum quantity quantity;
	bool is_least, is_log;
	double least_span;
	const char *key, *heading, *words;
} kinds[SPARK_KIND_COUNT] = {
	{ Q_PRE_FEC_BER_E18, false, true, 1, "errors", "BER 15 min",
	  "errors before FEC" },
	{ Q_LANE_RX_POWER_PW, true, false, 2, "light", "RXmin 15 min",
	  "light, weakest lane" },
	{ Q_MODULE_TEMP_MC, false, false, 5, "temperature", "°C 15 min",
	  "temperature" },
};

/* The readings of one kind for a port, or for a module. Least and most are of
 * all rounds, not of bins, which keep only one end; of the lanes of a round the
 * weakest counts.
 */
struct spark_series {
	int64_t bin[BINS];
	bool has[BINS];
	bool any;			/* reading */
	int64_t round_ns, round;	/* when the present one began */
	uint32_t rounds;		/* before it, and of these: */
	int64_t least, most;
};

/* The series of a port; 0: none. */
struct spark_port {
	const char *name;		/* borrowed from the past */
	uint32_t series[SPARK_KIND_COUNT];
};

struct sparks {
	struct look_back *back;
	struct spark_port *ports;	/* owned */
	size_t port_count;
	struct spark_series *series;	/* owned; number 0 is unused */
	uint32_t count;
	uint32_t *of_entity;		/* owned; by the state's entities */
	uint32_t *of_id;		/* owned; by ids of the records */
	struct mono from;
};

/* --- which series a reading belongs to ------------------------------------ */

/* The series of an entity; adds one if it has none. */
static uint32_t series_of(struct sparks *s, uint32_t entity)
{
	if (entity == ENTITY_NONE)
		return 0;
	if (!s->of_entity[entity])
		s->of_entity[entity] = ++s->count;
	return s->of_entity[entity];
}

static void port_add(struct sparks *s, const struct state *state, uint32_t port)
{
	struct spark_port *p = &s->ports[s->port_count++];

	p->name = inventory_shown(state_entity(state, port));
	p->series[SPARK_ERRORS] = series_of(s, port);
	p->series[SPARK_TEMPERATURE] =
		series_of(s, state_port_module(state, port));
	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		uint32_t lane = state_port_lane(state, port, i);

		if (lane == ENTITY_NONE)
			continue;
		if (!p->series[SPARK_LIGHT])
			p->series[SPARK_LIGHT] = ++s->count;
		s->of_entity[lane] = p->series[SPARK_LIGHT];
	}
}

static int maps_make(struct sparks *s)
{
	const struct past *past = look_back_past(s->back);
	size_t n = past->state ? state_port_count(past->state) : 0;

	if (!past->state)
		return -ENOENT;
	s->ports = calloc(n + 1, sizeof(*s->ports));
	s->of_entity = calloc(state_next_entity(past->state),
			      sizeof(*s->of_entity));
	s->of_id = calloc((size_t)past->ids + 1, sizeof(*s->of_id));
	s->series = calloc(n * SPARK_KIND_COUNT + 1, sizeof(*s->series));
	if (!s->ports || !s->of_entity || !s->of_id || !s->series)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		port_add(s, past->state, state_port(past->state, i));
	for (uint32_t id = 0; id < past->ids; id++)
		s->of_id[id] = s->of_entity[past_entity(past, id)];
	return 0;
}

/* --- the pass ------------------------------------------------------------- */

static int64_t worse(int64_t a, int64_t b, bool is_least)
{
	return (a < b) == is_least ? a : b;
}

/* Puts the present round into the range. */
static void round_end(struct spark_series *s)
{
	bool first = !s->rounds++;

	s->least = first || s->round < s->least ? s->round : s->least;
	s->most = first || s->round > s->most ? s->round : s->most;
}

static void reading_take(struct spark_series *s, int64_t at_ns, int64_t value,
			 bool is_least)
{
	unsigned bin = (unsigned)(at_ns * BINS / SPAN_NS);
	bool same = s->any && at_ns - s->round_ns < MOMENT_NS &&
		    s->round_ns - at_ns < MOMENT_NS;

	s->bin[bin] = s->has[bin] ? worse(value, s->bin[bin], is_least) : value;
	s->has[bin] = true;
	if (s->any && !same)
		round_end(s);
	s->round = same ? worse(value, s->round, is_least) : value;
	s->round_ns = same ? s->round_ns : at_ns;
	s->any = true;
}

/* A decoded_fn of struct sparks. */
static int column_take(void *context, const struct decoded_column *c)
{
	struct sparks *s = context;
	const struct past *past = look_back_past(s->back);
	bool is_least = false;

	for (unsigned k = 0; k < SPARK_KIND_COUNT; k++)
		if (kinds[k].quantity == c->quantity)
			is_least = kinds[k].is_least;
	for (uint32_t i = 0; i < c->count; i++) {
		int64_t at_ns = c->taken_ns[i] - s->from.ns;
		uint32_t n = c->entity[i] < past->ids ?
			     s->of_id[c->entity[i]] : 0;

		if (n && at_ns >= 0 && at_ns < SPAN_NS &&
		    c->quality[i] != QUALITY_IMPLAUSIBLE)
			reading_take(&s->series[n], at_ns, c->value[i],
				     is_least);
	}
	return 0;
}

int sparks_read(const char *run_dir, struct sparks **ret)
{
	struct sparks *s = calloc(1, sizeof(*s));
	uint16_t wanted[SPARK_KIND_COUNT];
	struct diag d;
	int rc;

	if (!s)
		return -ENOMEM;
	for (unsigned k = 0; k < SPARK_KIND_COUNT; k++)
		wanted[k] = (uint16_t)kinds[k].quantity;
	rc = look_back_open(run_dir, false, &s->back, &d);
	if (rc == 0)
		rc = maps_make(s);
	if (rc == 0) {
		s->from.ns = look_back_past(s->back)->last.ns - SPAN_NS + 1;
		rc = look_back_columns(s->back, s->from, wanted,
				       SPARK_KIND_COUNT, column_take, s);
	}
	if (rc < 0) {
		sparks_free(s);
		return rc;
	}
	*ret = s;
	return 0;
}

void sparks_free(struct sparks *s)
{
	if (!s)
		return;
	look_back_close(s->back);
	free(s->ports);
	free(s->series);
	free(s->of_entity);
	free(s->of_id);
	free(s);
}

/* --- lines ---------------------------------------------------------------- */

/* The readings of a port; NULL: it has none. */
static const struct spark_series *readings_of(const struct sparks *s,
					      const char *port,
					      enum spark_kind kind)
{
	const struct spark_series *of;

	for (size_t i = 0; i < s->port_count; i++) {
		if (strcmp(s->ports[i].name, port) != 0)
			continue;
		of = &s->series[s->ports[i].series[kind]];
		return of->any ? of : NULL;
	}
	return NULL;
}

/* The bins, scaled for people. One without a reading repeats the one before:
 * slow sources read once a minute.
 */
static void bins_scale(const struct spark_series *of, enum spark_kind kind,
		       double ret[static BINS])
{
	const struct quantity_info *q =
		quantity_find((uint16_t)kinds[kind].quantity);

	for (unsigned n = 0; n < BINS; n++) {
		bool is_held = !of->has[n] && n && of->has[n - 1];

		ret[n] = of->has[n] ? scale_value(q, of->bin[n]) :
			 is_held ? ret[n - 1] : NAN;
	}
}

static void series_line(const struct spark_series *of,
			const struct screen *screen, enum spark_kind kind,
			char ret[static PLOT_SPARK_MAX])
{
	double value[BINS];

	bins_scale(of, kind, value);
	for (unsigned i = 0; i < BINS && kinds[kind].is_log; i++)
		if (!isnan(value[i]))
			value[i] = log10(fmax(value[i], ERRORS_LEAST));
	plot_spark(screen, value, BINS, kinds[kind].least_span, ret);
}

bool sparks_line(const struct sparks *s, const struct screen *screen,
		 const char *port, enum spark_kind kind,
		 char ret[static PLOT_SPARK_MAX])
{
	const struct spark_series *of = readings_of(s, port, kind);

	if (of)
		series_line(of, screen, kind, ret);
	return of != NULL;
}

/* --- tables --------------------------------------------------------------- */

/* A table with the sparklines of each row's port. */
static void lines_make(const struct sparks *s, const struct screen *screen,
		       const Petrel__Table *ports, size_t port_column,
		       struct answer *a)
{
	struct answer_column columns[SPARK_KIND_COUNT + 1] = { { NULL } };
	char line[PLOT_SPARK_MAX];

	for (unsigned k = 0; k < SPARK_KIND_COUNT; k++)
		columns[k] = (struct answer_column){
			.key = kinds[k].key, .heading = kinds[k].heading,
			.unit = CELL_TEXT };
	answer_columns(a, "sparks", columns, false);
	for (size_t row = 0; row < ports->rows; row++) {
		struct cell cell = table_cell(ports, row, port_column);

		answer_row(a);
		for (unsigned k = 0; k < SPARK_KIND_COUNT; k++)
			answer_text(a, !cell.absent &&
				    sparks_line(s, screen, cell.text,
						(enum spark_kind)k, line) ?
				    line : NULL);
	}
}

/* The place of a column; t->n_columns: there is none. */
static size_t column_at(const Petrel__Table *t, const char *key)
{
	size_t at = 0;

	while (at < t->n_columns && strcmp(t->columns[at]->key, key) != 0)
		at++;
	return at;
}

bool sparks_table_print(const struct sparks *s, const struct screen *screen,
			const Petrel__Table *ports, bool apart)
{
	Petrel__TableColumn *columns[TABLE_COLUMNS_MAX];
	Petrel__Table wide = *ports;
	const Petrel__Answer *lines;
	size_t at = column_at(ports, KEY_PORT);
	struct answer *a;
	bool any;

	if (at == ports->n_columns || !unit_is_text(ports->columns[at]->unit) ||
	    ports->n_columns + SPARK_KIND_COUNT > TABLE_COLUMNS_MAX ||
	    answer_new(ANSWER_OCTETS, &a) < 0)
		return table_print(screen, ports, apart);
	lines_make(s, screen, ports, at, a);
	lines = answer_message(a);
	memcpy(columns, ports->columns, ports->n_columns * sizeof(*columns));
	if (lines->n_tables && lines->tables[0]->rows == ports->rows) {
		memcpy(columns + ports->n_columns, lines->tables[0]->columns,
		       SPARK_KIND_COUNT * sizeof(*columns));
		wide.columns = columns;
		wide.n_columns += SPARK_KIND_COUNT;
	}
	any = table_print(screen, &wide, apart);
	answer_free(a);
	return any;
}

/* "-4.5 dBm". */
static void range_cell(struct answer *a, enum spark_kind kind, int64_t value)
{
	const struct quantity_info *q =
		quantity_find((uint16_t)kinds[kind].quantity);
	char text[RANGE_TEXT_MAX], whole[2 * RANGE_TEXT_MAX];
	struct scale scale = scale_of(q);

	scale_text(&scale, scale_value(q, value), text, sizeof(text));
	(void)snprintf(whole, sizeof(whole), "%s%s%s", text,
		       scale.unit[0] ? " " : "", scale.unit);
	answer_text(a, q->unit == UNIT_PW && value == 0 ? "dark" : whole);
}

bool sparks_port_print(const struct sparks *s, const struct screen *screen,
		       const char *port, bool apart)
{
	static const struct answer_column columns[] = {
		{ "what", "LAST 15 MIN", CELL_TEXT },
		{ "line", "", CELL_TEXT },
		{ "least", "LEAST", CELL_TEXT, .right = true },
		{ "most", "MOST", CELL_TEXT, .right = true },
		{ .key = NULL },
	};
	char line[PLOT_SPARK_MAX];
	bool any = false;
	struct answer *a;

	if (answer_new(ANSWER_OCTETS, &a) < 0)
		return false;
	answer_columns(a, "sparks", columns, false);
	answer_message(a)->tables[0]->columns[1]->json_only = false;
	for (unsigned k = 0; k < SPARK_KIND_COUNT; k++) {
		enum spark_kind kind = (enum spark_kind)k;
		const struct spark_series *of = readings_of(s, port, kind);
		struct spark_series ended;

		if (!of)
			continue;
		any = true;
		ended = *of;
		round_end(&ended);
		series_line(of, screen, kind, line);
		answer_row(a);
		answer_text(a, kinds[k].words);
		answer_text(a, line);
		range_cell(a, kind, ended.least);
		range_cell(a, kind, ended.most);
	}
	if (any)
		(void)table_print(screen, answer_message(a)->tables[0], apart);
	answer_free(a);
	return any;
}

/* --- courses -------------------------------------------------------------- */

/* Draws a course as blocks with its heights. */
static void course_draw(const struct screen *screen, const char *course,
			char ret[static PLOT_SPARK_MAX])
{
	double value[CAPSULE_COURSE_COLUMNS];
	size_t n = strnlen(course, CAPSULE_COURSE_COLUMNS);

	for (size_t i = 0; i < CAPSULE_COURSE_COLUMNS; i++)
		value[i] = i < n && course[i] >= '0' &&
			   course[i] < '0' + (char)CAPSULE_COURSE_HEIGHTS ?
			   course[i] - '0' : NAN;
	plot_spark(screen, value, CAPSULE_COURSE_COLUMNS,
		   CAPSULE_COURSE_HEIGHTS - 1, ret);
}

bool sparks_capsule_print(const struct screen *screen,
			  const Petrel__Table *capsule, bool apart)
{
	struct answer_column columns[2] = { { NULL } };
	Petrel__TableColumn *shown[TABLE_COLUMNS_MAX];
	size_t at = column_at(capsule, KEY_COURSE);
	Petrel__Table drawn = *capsule;
	char line[PLOT_SPARK_MAX];
	struct answer *a;
	bool any;

	if (at == capsule->n_columns ||
	    !unit_is_text(capsule->columns[at]->unit) ||
	    answer_new(ANSWER_OCTETS, &a) < 0)
		return table_print(screen, capsule, apart);
	columns[0] = (struct answer_column){
		.key = KEY_COURSE, .heading = capsule->columns[at]->heading,
		.unit = CELL_TEXT, .right = true };	/* never cut */
	answer_columns(a, "courses", columns, false);
	for (size_t row = 0; row < capsule->rows; row++) {
		struct cell cell = table_cell(capsule, row, at);

		course_draw(screen, cell.absent ? "" : cell.text, line);
		answer_row(a);
		answer_text(a, line);
	}
	memcpy(shown, capsule->columns, capsule->n_columns * sizeof(*shown));
	if (answer_message(a)->tables[0]->rows == capsule->rows)
		shown[at] = answer_message(a)->tables[0]->columns[0];
	drawn.columns = shown;
	any = table_print(screen, &drawn, apart);
	answer_free(a);
	return any;
}
