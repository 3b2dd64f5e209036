#include "agent/ctl/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/ctl/canvas.h"
#include "agent/ctl/cell.h"
#include "petrel/clock.h"

#define TIME_COLUMNS 7.0		/* of a label of the time axis */
#define SIDE_COLUMNS_MAX 9u	/* of the curves' labels */
#define SIDE_PART 8u		/* or this part of the width, if less */
#define RULE_DASH 4		/* one dot in this many */
#define MOMENT_DASH 2

/* Where things are on the canvas. */
struct frame {
	const struct chart *plot;
	struct canvas canvas;
	struct axis axis;
	unsigned left, columns;		/* of the plot area, in cells */
	unsigned top, rows;
};

/* --- places --------------------------------------------------------------- */

static int dot_of_value(const struct frame *f, double value)
{
	int dots = (int)(f->rows * CANVAS_DOTS_DOWN);

	return (int)(f->top * CANVAS_DOTS_DOWN) +
	       (int)lround(chart_part(&f->axis, value) * (dots - 1));
}

static int dot_of_time(const struct frame *f, int64_t wall_ns)
{
	double part = chart_time_part(f->plot, wall_ns);

	return (int)(f->left * CANVAS_DOTS_ACROSS) +
	       (int)lround(part * (f->columns * CANVAS_DOTS_ACROSS - 1));
}

static unsigned row_of_value(const struct frame *f, double value)
{
	return (unsigned)dot_of_value(f, value) / CANVAS_DOTS_DOWN;
}

/* --- what is drawn -------------------------------------------------------- */

/* Every other dot from the lowest to the highest value of a point's span. */
static void band_draw(struct frame *f, const struct chart_point *at)
{
	static const struct pen pen = { LAYER_BAND, TINT_FAINT, '.' };
	int x = dot_of_time(f, at->wall_ns), y = dot_of_value(f, at->high);
	int low = dot_of_value(f, at->low);
	int end = dot_of_time(f, at->wall_ns + at->span_ns);

	for (; x <= end && at->low < at->high; x++)
		for (int i = y + (x + y) % 2; i <= low; i += 2)
			canvas_dot(&f->canvas, x, i, &pen);
}

static void curve_draw(struct frame *f, const struct chart_curve *c)
{
	const struct pen pen = { LAYER_CURVE, TINT_NONE,
				 f->plot->curve_count > 1 ? c->label[0] :
							    '*' };
	const struct chart_point *before = NULL;

	for (size_t i = 0; i < c->count; i++) {
		const struct chart_point *at = &c->points[i];
		int x = dot_of_time(f, at->wall_ns), y;

		if (!chart_has_point(f->plot, at))
			continue;
		if (isnan(at->value)) {
			before = NULL;
			continue;
		}
		band_draw(f, at);
		y = dot_of_value(f, at->value);
		if (before && chart_is_joined(before, at))
			canvas_line(&f->canvas,
				    dot_of_time(f, before->wall_ns),
				    dot_of_value(f, before->value), x, y,
				    &pen);
		else
			canvas_dot(&f->canvas, x, y, &pen);
		before = at;
	}
}

static void rules_draw(struct frame *f)
{
	int from = (int)(f->left * CANVAS_DOTS_ACROSS);
	int dots = (int)(f->columns * CANVAS_DOTS_ACROSS);

	for (size_t i = 0; i < f->plot->rule_count; i++) {
		const struct chart_rule *r = &f->plot->rules[i];
		const struct pen pen = { LAYER_RULE, r->tint, '-' };

		if (chart_beyond(&f->axis, r->value))
			continue;
		for (int x = 0; x < dots; x += RULE_DASH)
			canvas_dot(&f->canvas, from + x,
				   dot_of_value(f, r->value), &pen);
	}
}

static bool moment_is_in(const struct chart *p, const struct chart_moment *m)
{
	return m->wall_ns >= p->from_ns && m->wall_ns <= p->to_ns;
}

static void moments_draw(struct frame *f)
{
	int top = (int)(f->top * CANVAS_DOTS_DOWN);
	int dots = (int)(f->rows * CANVAS_DOTS_DOWN);

	for (size_t i = 0; i < f->plot->moment_count; i++) {
		const struct chart_moment *m = &f->plot->moments[i];
		const struct pen pen = { LAYER_RULE, m->tint, ':' };

		for (int y = 0; y < dots && moment_is_in(f->plot, m);
		     y += MOMENT_DASH)
			canvas_dot(&f->canvas, dot_of_time(f, m->wall_ns),
				   top + y, &pen);
	}
}

/* --- words ---------------------------------------------------------------- */

/* Labels of rules at the left, on their row; of moments on the top row. */
static void labels_draw(struct frame *f)
{
	for (size_t i = 0; i < f->plot->rule_count; i++) {
		const struct chart_rule *r = &f->plot->rules[i];

		if (!chart_beyond(&f->axis, r->value))
			canvas_text(&f->canvas, f->left + 1,
				    row_of_value(f, r->value), r->tint,
				    r->label);
	}
	for (size_t i = 0; i < f->plot->moment_count; i++) {
		const struct chart_moment *m = &f->plot->moments[i];
		unsigned len = (unsigned)text_columns(m->label), at;

		if (!moment_is_in(f->plot, m))
			continue;
		at = (unsigned)dot_of_time(f, m->wall_ns) / CANVAS_DOTS_ACROSS;
		if (at + 1 + len <= f->left + f->columns)
			at += 1;
		else if (at >= len + f->left)
			at -= len;
		else
			continue;
		canvas_text(&f->canvas, at, f->top, m->tint, m->label);
	}
}

/* Labels beside the newest value of each curve; side by side if on one row. */
static void sides_draw(struct frame *f)
{
	unsigned used[CHART_TICKS_MAX] = { 0 };

	for (size_t c = 0; c < f->plot->curve_count; c++) {
		const struct chart_curve *curve = &f->plot->curves[c];
		size_t n = curve->count;
		unsigned row;

		while (n > 0 && (isnan(curve->points[n - 1].value) ||
				 !chart_has_point(f->plot,
						  &curve->points[n - 1])))
			n--;
		if (n == 0 || f->plot->curve_count < 2)
			continue;
		row = row_of_value(f, curve->points[n - 1].value);
		if (row >= CHART_TICKS_MAX)
			continue;
		canvas_text(&f->canvas, f->left + f->columns + 1 + used[row],
			    row, TINT_HEAD, curve->label);
		used[row] += (unsigned)text_columns(curve->label) + 1;
	}
}

static void value_axis_draw(struct frame *f)
{
	double ticks[CHART_TICKS_MAX];
	unsigned n = chart_ticks(&f->axis, ticks);
	char text[CHART_TEXT_MAX];

	for (unsigned i = 0; i < f->rows; i++)
		canvas_text(&f->canvas, f->left - 1, f->top + i, TINT_FAINT,
			    "│");
	for (unsigned i = 0; i < n; i++) {
		unsigned row = row_of_value(f, ticks[i]);

		chart_tick_text(&f->axis, ticks[i], text, sizeof(text));
		canvas_text(&f->canvas,
			    f->left - 1 - (unsigned)strlen(text), row,
			    TINT_NONE, text);
		canvas_text(&f->canvas, f->left - 1, row, TINT_FAINT, "┤");
	}
}

/* --- the time axis -------------------------------------------------------- */

static void time_axis_draw(struct frame *f)
{
	int64_t step_s = chart_time_step(f->plot, f->columns / TIME_COLUMNS);
	int64_t s = (f->plot->from_ns + NS_PER_S - 1) / NS_PER_S;
	unsigned row = f->top + f->rows;
	char text[CHART_TEXT_MAX], zone[WALL_ZONE_MAX];

	wall_zone(f->plot->to_ns, zone);
	canvas_text(&f->canvas, f->left - 1 - (unsigned)strlen(zone), row,
		    TINT_FAINT, zone);
	canvas_text(&f->canvas, f->left - 1, row, TINT_FAINT, "└");
	for (unsigned i = 0; i < f->columns; i++)
		canvas_text(&f->canvas, f->left + i, row, TINT_FAINT, "─");
	for (; chart_time_tick(step_s, s, &s, text) &&
	       s <= f->plot->to_ns / NS_PER_S; s++) {
		unsigned half = (unsigned)strlen(text) / 2;
		unsigned column = (unsigned)dot_of_time(f, s * NS_PER_S) /
				  CANVAS_DOTS_ACROSS;

		canvas_text(&f->canvas, column, row, TINT_FAINT, "┬");
		if (column + half < f->canvas.columns && column >= half)
			canvas_text(&f->canvas, column - half, row + 1,
				    TINT_NONE, text);
	}
}

/* --- all ------------------------------------------------------------------ */

/* The title, and on its right the rules that the axis does not reach. */
static void title_draw(struct frame *f, bool has_axis)
{
	const struct chart *p = f->plot;
	unsigned at = (unsigned)text_columns(p->title) + 2;

	canvas_text(&f->canvas, 0, 0, TINT_HEAD, p->title);
	for (size_t i = 0; i < p->rule_count && has_axis; i++) {
		const struct chart_rule *r = &p->rules[i];
		const char *beyond = chart_beyond(&f->axis, r->value);
		char text[CHART_LABEL_MAX + 16];

		if (!beyond)
			continue;
		(void)snprintf(text, sizeof(text), "%s is %s", r->label,
			       beyond);
		if (at + text_columns(text) > f->canvas.columns)
			return;
		canvas_text(&f->canvas, at, 0, TINT_FAINT, text);
		at += (unsigned)text_columns(text) + 2;
	}
}

/* Leaves room at the left for the longest tick, at the right for labels. */
static void frame_fit(struct frame *f)
{
	unsigned right = f->canvas.columns / SIDE_PART;
	double ticks[CHART_TICKS_MAX];
	char text[CHART_TEXT_MAX];
	unsigned n, longest = 0;

	n = chart_ticks(&f->axis, ticks);
	for (unsigned i = 0; i < n; i++) {
		chart_tick_text(&f->axis, ticks[i], text, sizeof(text));
		longest = strlen(text) > longest ? (unsigned)strlen(text) :
						   longest;
	}
	if (right > SIDE_COLUMNS_MAX || !f->plot->has_sides)
		right = f->plot->has_sides ? SIDE_COLUMNS_MAX : 0;
	f->left = (longest < 6 ? 6 : longest) + 1;
	f->columns = f->canvas.columns - f->left - right;
}

static void frame_draw(struct frame *f)
{
	double ticks_max = f->rows >= 6 ? f->rows / 2.0 : f->rows;

	if (!chart_axis(f->plot, ticks_max, &f->axis)) {
		title_draw(f, false);
		canvas_text(&f->canvas, 2, f->top, TINT_NONE,
			    "no value in this time");
		f->canvas.rows = f->top + 1;	/* leaves out the empty area */
		return;
	}
	frame_fit(f);
	title_draw(f, true);
	rules_draw(f);
	moments_draw(f);
	for (size_t i = 0; i < f->plot->curve_count; i++)
		curve_draw(f, &f->plot->curves[i]);
	labels_draw(f);
	value_axis_draw(f);
	sides_draw(f);
	if (f->plot->has_time_axis)
		time_axis_draw(f);
}

int plot_print(const struct chart *p, const struct screen *s, unsigned rows)
{
	struct frame f = { .plot = p, .top = 1 };
	unsigned around = 1 + (p->has_time_axis ? PLOT_AXIS_ROWS : 0);
	int rc;

	if (rows < around + PLOT_ROWS_MIN - 1)
		rows = around + PLOT_ROWS_MIN - 1;
	rc = canvas_init(&f.canvas, s->width, rows, s->is_plain);
	if (rc < 0)
		return rc;
	f.rows = rows - around;
	frame_draw(&f);
	canvas_print(&f.canvas, s);
	canvas_fini(&f.canvas);
	return 0;
}

/* --- sparklines ----------------------------------------------------------- */

/* The highest value of one column; NAN if there is none. */
static double column_high(const double *values, size_t from, size_t to)
{
	double high = NAN;

	for (size_t i = from; i < to; i++)
		high = fmax(high, values[i]);	/* ignores NAN */
	return high;
}

void plot_spark(const struct screen *s, const double *values, size_t n,
		double least_span, char ret[static PLOT_SPARK_MAX])
{
	double low = INFINITY, high = -INFINITY;
	char *at = ret;

	for (size_t i = 0; i < n; i++) {
		low = fmin(low, values[i]);	/* both ignore NAN */
		high = fmax(high, values[i]);
	}
	for (unsigned i = 0; i < PLOT_SPARK_COLUMNS; i++) {
		double v = column_high(values, n * i / PLOT_SPARK_COLUMNS,
				       n * (i + 1) / PLOT_SPARK_COLUMNS);
		double part = (v - low) / fmax(high - low, least_span);
		uint32_t glyph = isnan(v) ? ' ' : GLYPH_BLOCK +
				 (uint32_t)lround(part * (GLYPH_BLOCKS - 1));

		glyph_put(s->is_plain ? glyph_plain(glyph) : glyph, at);
		at += strlen(at);
	}
	*at = '\0';
}
