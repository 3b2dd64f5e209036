#include "agent/ctl/picture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/ctl/cell.h"
#include "agent/ctl/client.h"
#include "agent/ctl/look_back.h"
#include "agent/ctl/options.h"
#include "agent/ctl/plot.h"
#include "agent/ctl/scale.h"
#include "agent/ctl/terminal.h"
#include "agent/query/port_choice.h"
#include "agent/signature/fec.h"
#include "petrel/link.h"
#include "petrel/local.h"
#include "petrel/module.h"

#define SINCE_DEFAULT_NS (900 * NS_PER_S)
#define PANELS_MAX 16u
#define CURVES_MAX 32u
#define RULES_MAX 5u
#define MOMENTS_MAX 8u
#define CHILDREN_MAX 20u
#define INDEXES_MAX 16u
#define PANEL_ROWS 10u		/* if the terminal's height is unknown */
#define ROWS_MAX 1000u
#define TITLE_MAX 128
#define SPACINGS_MAX 255u
#define STALE_NS (60 * NS_PER_S)	/* the newest reading of a live agent */

/* --- what is wanted ------------------------------------------------------- */

/* Common words for some quantities of a port. */
struct subject {
	const char *word, *title;
	enum quantity quantity[2];	/* 0: none */
};

static const struct subject subjects[] = {
	{ "ber", "bit error ratio before FEC", { Q_PRE_FEC_BER_E18 } },
	{ "light", "light received, by lane", { Q_LANE_RX_POWER_PW } },
	{ "temperature", "temperature of the module", { Q_MODULE_TEMP_MC } },
	{ "load", "load in and out", { Q_IF_IN_OCTETS, Q_IF_OUT_OCTETS } },
	{ "margin", "margin to the cliff", { Q_MARGIN_MILLI_DB } },
	{ "sent", "light sent, by lane", { Q_LANE_TX_POWER_PW } },
	{ "bias", "laser bias, by lane", { Q_LANE_TX_BIAS_UA } },
	{ "link", "link, 1 is up", { Q_OPER_STATUS } },
	{ "uncorrectable", "uncorrectable codewords",
	  { Q_FEC_UNCORRECTABLE_CODEWORDS } },
	{ "drops", "frames dropped in and out",
	  { Q_IF_IN_DISCARDS, Q_IF_OUT_DISCARDS } },
};

#define SUBJECT_COUNT (sizeof(subjects) / sizeof(subjects[0]))
#define SUBJECTS_DEFAULT 4u	/* the first ones */

/* Panels to add for a finding. */
static const struct {
	enum signature signature;
	const char *word;
} spoken[] = {
	{ SIGNATURE_FEC_UNCORRECTABLE, "uncorrectable" },
	{ SIGNATURE_FLAP_BURST, "link" },
	{ SIGNATURE_LINK_DOWN, "link" },
	{ SIGNATURE_LOOSE_MODULE, "link" },
	{ SIGNATURE_TX_DECAY, "bias" },
	{ SIGNATURE_FAR_LASER, "margin" },
};

/* One picture of the stack. Its curves have the same unit. */
struct panel {
	const char *word;
	char title[TITLE_MAX];
	const struct quantity_info *quantity;	/* the first one */
	struct scale scale;
	unsigned first, count;			/* of the curves */
	struct chart_rule rules[RULES_MAX];
	unsigned rule_count;
};

struct picture {
	const struct picture_wish *wish;
	struct query_context context;
	struct look_back *back;
	uint32_t port;
	char name[ENTITY_NAME_MAX];
	struct panel panels[PANELS_MAX];
	unsigned panel_count;
	struct look_back_series series[LOOK_BACK_SERIES_MAX];
	struct chart_curve curves[LOOK_BACK_SERIES_MAX];
	unsigned series_count;
	struct chart_moment moments[MOMENTS_MAX];
	unsigned moment_count;
	int64_t from_ns, to_ns;
	bool has_sides;
};

static void curve_add(struct picture *p, struct panel *panel, uint32_t entity,
		      enum quantity quantity, unsigned index,
		      const char *label)
{
	unsigned n = p->series_count;

	if (entity == ENTITY_NONE || n == LOOK_BACK_SERIES_MAX ||
	    panel->count == CURVES_MAX)
		return;
	p->series[n] = (struct look_back_series){ .entity = entity,
						  .quantity = quantity,
						  .index = (uint16_t)index };
	(void)snprintf(p->curves[n].label, sizeof(p->curves[n].label), "%s",
		       label);
	p->series_count++;
	panel->count++;
}

/* Adds an entity's readings, a curve for each index. */
static void indexes_add(struct picture *p, struct panel *panel,
			const struct quantity_info *q, uint32_t entity,
			const char *label)
{
	char text[CHART_LABEL_MAX];

	if (!quantity_is_indexed(q)) {
		curve_add(p, panel, entity, (enum quantity)q->id, 0, label);
		return;
	}
	for (unsigned i = 0; i < INDEXES_MAX; i++) {
		(void)snprintf(text, sizeof(text), "%u", i);
		curve_add(p, panel, entity, (enum quantity)q->id, i, text);
	}
}

/* Adds a quantity of the port, of its module, or of each lane or queue. */
static void quantity_add(struct picture *p, struct panel *panel,
			 const struct quantity_info *q, const char *label)
{
	const struct state *s = p->context.state;
	char text[CHART_LABEL_MAX];

	switch (q->scope) {
	case ENTITY_PORT:
		indexes_add(p, panel, q, p->port, label);
		return;
	case ENTITY_MODULE:
		indexes_add(p, panel, q, state_port_module(s, p->port), label);
		return;
	default:
		break;
	}
	for (unsigned i = 0; i < CHILDREN_MAX; i++) {
		bool is_lane = q->scope == ENTITY_LANE;
		uint32_t entity = !is_lane ?
			state_child(s, p->port, (enum entity_kind)q->scope,
				    i) :
			i < PORT_LANES_MAX ? state_port_lane(s, p->port, i) :
					     ENTITY_NONE;

		(void)snprintf(text, sizeof(text), "%u",
			       is_lane ? i + 1 : i);
		curve_add(p, panel, entity, (enum quantity)q->id, 0, text);
	}
}

/* Returns -EINVAL with d for a word that is not a quantity. */
static int panel_add(struct picture *p, const char *word, struct diag *d)
{
	struct panel *panel = &p->panels[p->panel_count];
	const struct subject *s = subjects;
	const char *title;

	if (p->panel_count == PANELS_MAX)
		return 0;
	for (unsigned i = 0; i < p->panel_count; i++)
		if (strcmp(p->panels[i].word, word) == 0)
			return 0;
	while (s < subjects + SUBJECT_COUNT && strcmp(s->word, word) != 0)
		s++;
	*panel = (struct panel){ .word = word, .first = p->series_count };
	if (s < subjects + SUBJECT_COUNT) {
		panel->quantity = quantity_find((uint16_t)s->quantity[0]);
		title = s->title;
		quantity_add(p, panel, panel->quantity, "in");
		if (s->quantity[1])
			quantity_add(p, panel, quantity_find((uint16_t)
				     s->quantity[1]), "out");
	} else {
		if (quantity_parse(word, &panel->quantity, d) < 0)
			return -EINVAL;
		title = word;
		quantity_add(p, panel, panel->quantity, "");
	}
	panel->scale = scale_of(panel->quantity);
	(void)snprintf(panel->title, sizeof(panel->title), "%s%s%s", title,
		       panel->scale.unit[0] ? ", " : "", panel->scale.unit);
	p->panel_count++;
	p->has_sides = p->has_sides || panel->count > 1;
	return 0;
}

static int panels_make(struct picture *p, struct diag *d)
{
	const struct picture_wish *wish = p->wish;

	for (unsigned i = 0; i < wish->word_count; i++)
		if (panel_add(p, wish->words[i], d) < 0)
			return diag_prefix(d, -EINVAL, "expected ber, light, "
					   "temperature, load, margin, sent, "
					   "bias, link, uncorrectable, drops "
					   "or a quantity");
	for (unsigned i = 0; i < SUBJECTS_DEFAULT && !wish->word_count; i++)
		(void)panel_add(p, subjects[i].word, NULL);
	return 0;
}

/* Adds the onsets of the port's open findings, and panels for the findings. */
static void findings_take(struct picture *p)
{
	for (size_t i = 0; i < p->context.finding_count; i++) {
		const struct finding *f = &p->context.findings[i];
		struct chart_moment *m = &p->moments[p->moment_count];

		if (f->state == FINDING_CLEARED ||
		    p->moment_count == MOMENTS_MAX ||
		    !query_is_part(&p->context, f, p->port, p->name))
			continue;
		*m = (struct chart_moment){ .wall_ns = f->onset_wall.ns,
			.tint = f->severity == SEVERITY_CRITICAL ?
				TINT_CRITICAL : TINT_WARN };
		(void)snprintf(m->label, sizeof(m->label), "%.4s %s", f->id,
			       signature_name(f->signature));
		p->moment_count++;
		for (size_t n = 0; n < sizeof(spoken) / sizeof(spoken[0]) &&
		     !p->wish->word_count; n++)
			if (spoken[n].signature == f->signature)
				(void)panel_add(p, spoken[n].word, NULL);
	}
}

static void rule_add(struct panel *panel, double value, enum tint tint,
		     const char *words)
{
	struct chart_rule *r = &panel->rules[panel->rule_count];
	char text[16];

	if (panel->rule_count == RULES_MAX)
		return;
	scale_text(&panel->scale, value, text, sizeof(text));
	*r = (struct chart_rule){ .tint = tint, .value = value };
	(void)snprintf(r->label, sizeof(r->label), "%s %s", words, text);
	panel->rule_count++;
}

/* The module's thresholds, and the cliff where FEC fails. */
static void rules_make(const struct picture *p, struct panel *panel)
{
	const struct state *s = p->context.state;
	enum quantity of = module_thresholds_of(panel->quantity->id);
	const struct fec_code *code;
	struct state_value v;
	char words[24];

	for (unsigned n = 0; of && n < MODULE_EDGES; n++) {
		if (!state_value(s, state_port_module(s, p->port), of, n, &v))
			continue;
		quantity_index_words(quantity_find((uint16_t)of), n, words,
				     sizeof(words));
		rule_add(panel, scale_value(panel->quantity, v.value),
			 n < 2 ? TINT_CRITICAL : TINT_WARN, words);
	}
	if (panel->quantity->id != Q_PRE_FEC_BER_E18 ||
	    !state_value(s, p->port, Q_FEC_MODE, 0, &v))
		return;
	code = fec_code_find((enum fec_mode)v.value);
	if (code)
		rule_add(panel, pow(10, (double)code->cliff_log_ber),
			 TINT_CRITICAL, "cliff");
}

/* --- what there is -------------------------------------------------------- */

static int spacing_compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The median time between the readings of a series. */
static int64_t spacing_of(const struct look_back_series *s)
{
	int64_t apart[SPACINGS_MAX];
	size_t n = 0, step = s->count / SPACINGS_MAX + 1;

	for (size_t i = step; i < s->count && n < SPACINGS_MAX; i += step)
		if (s->reading[i].span_ns == 0)
			apart[n++] = s->reading[i].wall.ns -
				     s->reading[i - 1].wall.ns;
	qsort(apart, n, sizeof(apart[0]), spacing_compare);
	return n ? apart[n / 2] : STALE_NS;
}

/* A reading's time ends its span, a point's begins it. Returns -ENOMEM. */
static int curve_fill(struct picture *p, unsigned n)
{
	const struct look_back_series *s = &p->series[n];
	const struct quantity_info *q = quantity_find(s->quantity);
	struct chart_point *points = calloc(s->count + 1, sizeof(*points));
	int64_t spacing = spacing_of(s);

	if (!points)
		return -ENOMEM;
	for (size_t i = 0; i < s->count; i++) {
		const struct history_value *r = &s->reading[i];

		points[i] = (struct chart_point){
			.wall_ns = r->wall.ns - r->span_ns,
			.span_ns = r->span_ns ? r->span_ns : spacing,
			.value = r->quality == QUALITY_IMPLAUSIBLE ? NAN :
				 scale_value(q, r->value),
			.low = scale_value(q, r->min),
			.high = scale_value(q, r->max),
		};
	}
	p->curves[n].points = points;
	p->curves[n].count = s->count;
	return 0;
}

/* Reads the curves from the capsule of a finding, over its time. */
static int capsule_curves_read(struct picture *p, struct diag *d)
{
	struct look_back_capsule capsule;
	int rc = look_back_capsule(p->back, p->wish->capsule_of, p->series,
				   p->series_count, &capsule, d);

	p->from_ns = capsule.from.ns;
	p->to_ns = capsule.to.ns;
	for (unsigned i = 0; i < p->series_count && rc == 0; i++)
		rc = curve_fill(p, i);
	return rc;
}

/* Sets the time to show, and reads all curves in it. */
static int curves_read(struct picture *p, struct diag *d)
{
	const struct past *past = look_back_past(p->back);
	int64_t since_ns = p->wish->since_ns, last_ns;
	int rc;

	if (p->wish->capsule_of)
		return capsule_curves_read(p, d);
	p->to_ns = clock_wall_now().ns;
	last_ns = past_wall(past, past->last).ns;
	if (last_ns && last_ns < p->to_ns - STALE_NS)
		p->to_ns = last_ns;	/* the agent died then */
	p->from_ns = p->to_ns - (since_ns ? since_ns : SINCE_DEFAULT_NS);
	rc = look_back_read(p->back, (struct wall){ p->from_ns },
			    (struct wall){ p->to_ns }, p->series,
			    p->series_count, d);
	for (unsigned i = 0; i < p->series_count && rc == 0; i++)
		rc = curve_fill(p, i);
	if (!since_ns && rc == 0 &&
	    look_back_reach(p->back)->full.ns > p->from_ns &&
	    look_back_reach(p->back)->full.ns < p->to_ns)
		p->from_ns = look_back_reach(p->back)->full.ns;
	return rc;
}

/* --- all ------------------------------------------------------------------ */

static void picture_close(struct picture *p)
{
	for (unsigned i = 0; i < p->series_count; i++)
		free((void *)(uintptr_t)p->curves[i].points);
	look_back_close(p->back);
}

static int picture_open(struct picture *p, const struct agent_place *place,
			struct diag *d)
{
	const struct past *past;
	int rc = look_back_open(place->run_dir, true, &p->back, d);

	if (rc < 0)
		return rc;
	past = look_back_past(p->back);
	p->context = (struct query_context){
		.state = past->state, .findings = past->findings,
		.finding_count = past->finding_count };
	p->port = choice_port(&p->context, p->wish->port);
	if (p->port == ENTITY_NONE)
		return choice_unknown_say(&p->context, p->wish->port, d);
	(void)snprintf(p->name, sizeof(p->name), "%s",
		       query_name(&p->context, p->port));
	return 0;
}

/* Adds the newest value if there is one curve. */
static void title_finish(const struct picture *p, struct panel *panel)
{
	const struct chart_curve *c = &p->curves[panel->first];
	size_t len = strlen(panel->title);
	char text[16], when[40] = "now";
	int64_t at_ns;

	if (p->wish->capsule_of || panel->count != 1 || c->count == 0 ||
	    isnan(c->points[c->count - 1].value))
		return;
	at_ns = c->points[c->count - 1].wall_ns;
	if (at_ns < p->to_ns - STALE_NS)
		return;
	scale_text(&panel->scale, c->points[c->count - 1].value, text,
		   sizeof(text));
	if (at_ns < clock_wall_now().ns - STALE_NS)
		wall_text(at_ns, when, sizeof(when));
	(void)snprintf(panel->title + len, sizeof(panel->title) - len,
		       ": %s %s", text, when);
}

static int panel_give(const struct picture *p, unsigned n, picture_fn *fn,
		      void *context)
{
	struct panel panel = p->panels[n];
	struct chart plot = {
		.title = panel.title, .is_log = panel.scale.is_log,
		.is_from_zero = panel.scale.is_from_zero,
		.least_span = panel.scale.least_span,
		.from_ns = p->from_ns, .to_ns = p->to_ns,
		.has_time_axis = n + 1 == p->panel_count,
		.has_sides = p->has_sides,
		.curves = &p->curves[panel.first], .rules = panel.rules,
		.moments = p->moments, .curve_count = panel.count,
		.moment_count = p->moment_count,
	};

	title_finish(p, &panel);
	rules_make(p, &panel);
	plot.rule_count = panel.rule_count;
	return fn(context, &plot, p->panel_count);
}

int picture_each(const struct agent_place *place,
		 const struct picture_wish *wish, picture_fn *fn, void *context,
		 struct diag *d)
{
	struct picture *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return diag_set(d, -ENOMEM, "no memory");
	p->wish = wish;
	rc = picture_open(p, place, d);
	if (rc == 0)
		rc = panels_make(p, d);
	if (rc == 0)
		findings_take(p);
	if (rc == 0)
		rc = curves_read(p, d);
	for (unsigned i = 0; rc == 0 && i < p->panel_count; i++)
		rc = panel_give(p, i, fn, context);
	if (rc == 0)
		(void)diag_set(d, 0, "%s", look_back_reach(p->back)->why);
	picture_close(p);
	free(p);
	return rc;
}

/* --- on a terminal -------------------------------------------------------- */

/* Pictures, one below the other. */
struct stack {
	const struct screen *screen;
	unsigned rows;			/* of all; 0: unknown */
};

/* Uses the height there is; the bottom one has the time axis below it. */
static int plot_stack(void *context, const struct chart *p, unsigned count)
{
	const struct stack *s = context;
	unsigned each = PANEL_ROWS;

	if (s->rows > PLOT_AXIS_ROWS && s->rows < ROWS_MAX)
		each = (s->rows - PLOT_AXIS_ROWS) / count;
	if (each < PLOT_ROWS_MIN)
		each = PLOT_ROWS_MIN;
	return plot_print(p, s->screen, p->has_time_axis ?
			  each + PLOT_AXIS_ROWS : each);
}

static int picture_code(int err)
{
	switch (err) {
	case 0:
		return EXIT_ANSWERED;
	case -ENODEV:
		return EXIT_NO_SUCH;
	case -EINVAL:
		return EXIT_USAGE;
	default:
		return ask_failed(err);
	}
}

int picture_draw(const struct agent_place *place,
		 const struct picture_wish *wish, unsigned rows,
		 const struct screen *s, struct diag *d)
{
	struct stack stack = { s, rows };
	int rc = picture_each(place, wish, plot_stack, &stack, d);

	if (rc == 0 && d->text[0])
		(void)fprintf(s->err, "petrel: %s\n", d->text);
	return picture_code(rc);
}

int picture_run(const struct invocation *inv)
{
	struct picture_wish wish = { .port = inv->argument[0],
				     .words = inv->argument + 1,
				     .word_count = inv->argument_count - 1 };
	struct screen s = screen_of(stdout);
	struct agent_place place;
	struct diag d = { "" };
	unsigned rows;
	int code;

	if (option_duration(inv, OPTION_SINCE, &wish.since_ns, &d) < 0 ||
	    ask_place(inv, &place, &d) < 0)
		return command_failed(EXIT_USAGE, "plot: %s", d.text);
	rows = terminal_height();
	code = picture_draw(&place, &wish, rows > 1 ? rows - 1 : 0, &s,
			    &d);	/* one row is for the prompt */
	if (code != EXIT_ANSWERED)
		return command_failed(code, "plot: %s", d.text);
	return ask_runs(&place, &d) ? code :
	       command_failed(EXIT_AGENT_DOWN, "plot: %s", d.text);
}
