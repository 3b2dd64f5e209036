#include "agent/ctl/plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "agent/ctl/canvas.h"
#include "agent/ctl/cell.h"
#include "petrel/clock.h"

#define TICKS_MAX 64
#define TICK_TEXT_MAX 16
#define GAP_SPANS 2.5		/* points further apart are not joined */
#define SIDE_COLUMNS_MAX 9u	/* of the curves' labels */
#define SIDE_PART 8u		/* or so little of the width */
#define RULE_DASH 4		/* a dot of so many */
#define MOMENT_DASH 2
#define DIGITS_MAX 6
#define PAD 0.05		/* above and below the data */

/* The value axis, in decades where it is logarithmic. */
struct axis {
	double low, high, step;
};

/* Where things are on the canvas. */
struct frame {
	const struct plot *plot;
	struct canvas canvas;
	struct axis axis;
	unsigned left, columns;		/* of the area, in cells */
	unsigned top, rows;
	bool has_zero;			/* a value that has no logarithm */
};

/* --- the value axis ------------------------------------------------------- */

static double axis_value(const struct plot *p, double value)
{
	return p->is_log ? log10(value) : value;
}

/* Widens the axis to a value; one without a logarithm only counts. */
static void axis_take(struct frame *f, double value)
{
	double v;

	if (isnan(value))
		return;
	if (f->plot->is_log && value <= 0) {
		f->has_zero = true;
		return;
	}
	v = axis_value(f->plot, value);
	f->axis.low = fmin(f->axis.low, v);
	f->axis.high = fmax(f->axis.high, v);
}

static bool point_is_in(const struct plot *p, const struct plot_point *at)
{
	return at->wall_ns >= p->from_ns && at->wall_ns <= p->to_ns;
}

static void axis_of_curves(struct frame *f)
{
	const struct plot *p = f->plot;

	f->axis = (struct axis){ .low = INFINITY, .high = -INFINITY };
	for (size_t c = 0; c < p->curve_count; c++)
		for (size_t i = 0; i < p->curves[c].count; i++) {
			const struct plot_point *at = &p->curves[c].points[i];

			if (!point_is_in(p, at))
				continue;
			axis_take(f, at->low);
			axis_take(f, at->high);
		}
}

/* A rule no further from the data than the data is high is shown. */
static void axis_of_rules(struct frame *f)
{
	const struct axis data = f->axis;
	double reach = fmax(data.high - data.low, f->plot->least_span);

	for (size_t i = 0; i < f->plot->rule_count; i++) {
		double v = axis_value(f->plot, f->plot->rules[i].value);

		if (v >= data.low - reach && v <= data.high + reach)
			axis_take(f, f->plot->rules[i].value);
	}
}

/* The next of 1, 2, 5, 10, ... */
static double step_next(double step)
{
	double head = step / pow(10, floor(log10(step) + 1e-9));

	return head < 1.5 || head > 3 ? step * 2 : step * 2.5;
}

/* The finest round step whose ticks are two rows apart; one, in a low area. */
static void axis_step(struct frame *f)
{
	struct axis *a = &f->axis;
	double apart = f->rows >= 6 ? 2 : 1;
	double least = (a->high - a->low) * apart / fmax(f->rows, 1);

	a->step = f->plot->is_log ? 1 : pow(10, floor(log10(least)));
	while (a->step < least)
		a->step = f->plot->is_log ? a->step + 1 : step_next(a->step);
}

/* Room around the data; decades are whole. */
static void axis_fit(struct frame *f)
{
	struct axis *a = &f->axis;
	double lack, pad;

	if (f->plot->is_log) {
		a->low = floor(a->low) - (f->has_zero ? 1 : 0);
		a->high = fmax(ceil(a->high), a->low + 1);
	} else {
		lack = f->plot->least_span - (a->high - a->low);
		pad = lack > 0 ? lack / 2 : (a->high - a->low) * PAD;
		a->low -= pad;
		a->high += pad;
		if (f->plot->is_from_zero) {
			a->low = fmin(a->low + pad, 0);
			a->high = fmax(a->high, a->low + f->plot->least_span);
		}
	}
	axis_step(f);
}

void plot_value_text(double value, double step, char *ret, size_t cap)
{
	static const char units[] = "\0KMGTPE";
	unsigned i = 0;
	int digits;

	for (; fabs(value) >= 999.5 && i < sizeof(units) - 2; i++) {
		value /= 1000;
		step /= 1000;
	}
	digits = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
	digits = digits > DIGITS_MAX ? DIGITS_MAX : digits;
	if (fabs(value) < 0.5 * pow(10, -digits))
		value = 0;	/* no -0 */
	(void)snprintf(ret, cap, "%.*f%.1s", digits, value, units + i);
}

static void tick_text(const struct frame *f, double at, char *ret, size_t cap)
{
	bool is_lowest = at < f->axis.low + 0.5;

	if (!f->plot->is_log)
		plot_value_text(at, f->axis.step, ret, cap);
	else if (f->has_zero && is_lowest)
		(void)snprintf(ret, cap, "0");
	else
		(void)snprintf(ret, cap, "1e%.0f", at);
}

/* The ticks from the lowest on. */
static unsigned ticks_of(const struct frame *f, double ret[static TICKS_MAX])
{
	double first = ceil(f->axis.low / f->axis.step - 1e-6);
	unsigned n = 0;

	while (n < TICKS_MAX &&
	       (first + n) * f->axis.step <= f->axis.high +
					     1e-6 * f->axis.step) {
		ret[n] = (first + n) * f->axis.step;
		n++;
	}
	return n;
}

/* --- places --------------------------------------------------------------- */

static int dot_of_value(const struct frame *f, double value)
{
	int dots = (int)(f->rows * CANVAS_DOTS_DOWN);
	double v = f->plot->is_log && value <= 0 ? f->axis.low :
						   axis_value(f->plot, value);
	double part = (f->axis.high - v) / (f->axis.high - f->axis.low);

	return (int)(f->top * CANVAS_DOTS_DOWN) +
	       (int)lround(fmin(fmax(part, 0), 1) * (dots - 1));
}

static int dot_of_time(const struct frame *f, int64_t wall_ns)
{
	double span = (double)(f->plot->to_ns - f->plot->from_ns);
	double part = (double)(wall_ns - f->plot->from_ns) / fmax(span, 1);

	return (int)(f->left * CANVAS_DOTS_ACROSS) +
	       (int)lround(part * (f->columns * CANVAS_DOTS_ACROSS - 1));
}

static unsigned row_of_value(const struct frame *f, double value)
{
	return (unsigned)dot_of_value(f, value) / CANVAS_DOTS_DOWN;
}

static double value_of_axis(const struct plot *p, double at)
{
	return p->is_log ? pow(10, at) : at;
}

/* --- what is drawn -------------------------------------------------------- */

static bool is_joined(const struct plot_point *before,
		      const struct plot_point *at)
{
	int64_t span = before->span_ns > at->span_ns ? before->span_ns :
						       at->span_ns;

	return !isnan(before->value) &&
	       (double)(at->wall_ns - before->wall_ns) <=
		       GAP_SPANS * (double)span;
}

/* Every other dot from the lowest to the highest of a coarse point. */
static void band_draw(struct frame *f, const struct plot_point *at)
{
	static const struct pen pen = { LAYER_BAND, TINT_FAINT, '.' };
	int x = dot_of_time(f, at->wall_ns), y = dot_of_value(f, at->high);
	int low = dot_of_value(f, at->low);
	int end = dot_of_time(f, at->wall_ns + at->span_ns);

	for (; x <= end && at->low < at->high; x++)
		for (int i = y + (x + y) % 2; i <= low; i += 2)
			canvas_dot(&f->canvas, x, i, &pen);
}

static void curve_draw(struct frame *f, const struct plot_curve *c)
{
	const struct pen pen = { LAYER_CURVE, TINT_NONE,
				 f->plot->curve_count > 1 ? c->label[0] :
							    '*' };
	const struct plot_point *before = NULL;

	for (size_t i = 0; i < c->count; i++) {
		const struct plot_point *at = &c->points[i];
		int x = dot_of_time(f, at->wall_ns), y;

		if (!point_is_in(f->plot, at))
			continue;
		if (isnan(at->value)) {
			before = NULL;
			continue;
		}
		band_draw(f, at);
		y = dot_of_value(f, at->value);
		if (before && is_joined(before, at))
			canvas_line(&f->canvas,
				    dot_of_time(f, before->wall_ns),
				    dot_of_value(f, before->value), x, y,
				    &pen);
		else
			canvas_dot(&f->canvas, x, y, &pen);
		before = at;
	}
}

static bool rule_is_in(const struct frame *f, const struct plot_rule *r)
{
	double v = axis_value(f->plot, r->value);

	return v >= f->axis.low && v <= f->axis.high;
}

static void rules_draw(struct frame *f)
{
	int from = (int)(f->left * CANVAS_DOTS_ACROSS);
	int dots = (int)(f->columns * CANVAS_DOTS_ACROSS);

	for (size_t i = 0; i < f->plot->rule_count; i++) {
		const struct plot_rule *r = &f->plot->rules[i];
		const struct pen pen = { LAYER_RULE, r->tint, '-' };

		for (int x = 0; x < dots && rule_is_in(f, r); x += RULE_DASH)
			canvas_dot(&f->canvas, from + x,
				   dot_of_value(f, r->value), &pen);
	}
}

static bool moment_is_in(const struct plot *p, const struct plot_moment *m)
{
	return m->wall_ns >= p->from_ns && m->wall_ns <= p->to_ns;
}

static void moments_draw(struct frame *f)
{
	int top = (int)(f->top * CANVAS_DOTS_DOWN);
	int dots = (int)(f->rows * CANVAS_DOTS_DOWN);

	for (size_t i = 0; i < f->plot->moment_count; i++) {
		const struct plot_moment *m = &f->plot->moments[i];
		const struct pen pen = { LAYER_RULE, m->tint, ':' };

		for (int y = 0; y < dots && moment_is_in(f->plot, m);
		     y += MOMENT_DASH)
			canvas_dot(&f->canvas, dot_of_time(f, m->wall_ns),
				   top + y, &pen);
	}
}

/* --- words ---------------------------------------------------------------- */

/* Rules at the left, on their row; moments on the uppermost. */
static void labels_draw(struct frame *f)
{
	for (size_t i = 0; i < f->plot->rule_count; i++) {
		const struct plot_rule *r = &f->plot->rules[i];

		if (rule_is_in(f, r))
			canvas_text(&f->canvas, f->left + 1,
				    row_of_value(f, r->value), r->tint,
				    r->label);
	}
	for (size_t i = 0; i < f->plot->moment_count; i++) {
		const struct plot_moment *m = &f->plot->moments[i];
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

/* Beside the newest value of each curve; those of one row share it. */
static void sides_draw(struct frame *f)
{
	unsigned used[TICKS_MAX] = { 0 };

	for (size_t c = 0; c < f->plot->curve_count; c++) {
		const struct plot_curve *curve = &f->plot->curves[c];
		size_t n = curve->count;
		unsigned row;

		while (n > 0 && (isnan(curve->points[n - 1].value) ||
				 !point_is_in(f->plot, &curve->points[n - 1])))
			n--;
		if (n == 0 || f->plot->curve_count < 2)
			continue;
		row = row_of_value(f, curve->points[n - 1].value);
		if (row >= TICKS_MAX)
			continue;
		canvas_text(&f->canvas, f->left + f->columns + 1 + used[row],
			    row, TINT_HEAD, curve->label);
		used[row] += (unsigned)text_columns(curve->label) + 1;
	}
}

static void value_axis_draw(struct frame *f)
{
	double ticks[TICKS_MAX];
	unsigned n = ticks_of(f, ticks);
	char text[TICK_TEXT_MAX];

	for (unsigned i = 0; i < f->rows; i++)
		canvas_text(&f->canvas, f->left - 1, f->top + i, TINT_FAINT,
			    "│");
	for (unsigned i = 0; i < n; i++) {
		unsigned row = row_of_value(f, value_of_axis(f->plot,
							     ticks[i]));

		tick_text(f, ticks[i], text, sizeof(text));
		canvas_text(&f->canvas,
			    f->left - 1 - (unsigned)strlen(text), row,
			    TINT_NONE, text);
		canvas_text(&f->canvas, f->left - 1, row, TINT_FAINT, "┤");
	}
}

/* --- the time axis -------------------------------------------------------- */

/* As far as the step needs. */
static void time_text(const struct tm *t, int64_t step_s, char *ret,
		      size_t cap)
{
	if (step_s < 60)
		(void)snprintf(ret, cap, "%02d:%02d:%02d", t->tm_hour,
			       t->tm_min, t->tm_sec);
	else if (step_s < 43200)
		(void)snprintf(ret, cap, "%02d:%02d", t->tm_hour, t->tm_min);
	else
		(void)snprintf(ret, cap, "%02d-%02d", t->tm_mon + 1,
			       t->tm_mday);
}

/* The finest step, in seconds, whose labels do not touch. */
static int64_t time_step_of(const struct frame *f)
{
	static const int64_t steps[] = {
		1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
		10800, 21600, 86400, 172800, 604800,
	};
	double span_s = (double)(f->plot->to_ns - f->plot->from_ns) / NS_PER_S;
	size_t i = 0;

	while (i + 1 < sizeof(steps) / sizeof(steps[0]) &&
	       (double)steps[i] * f->columns / fmax(span_s, 1) <
		       (steps[i] < 60 ? 10 : 7))
		i++;
	return steps[i];
}

static void time_axis_draw(struct frame *f)
{
	int64_t step_s = time_step_of(f);
	int64_t from_s = f->plot->from_ns / NS_PER_S;
	int64_t to_s = f->plot->to_ns / NS_PER_S;
	unsigned row = f->top + f->rows;
	time_t first = (time_t)from_s;
	struct tm tm;
	int64_t s;

	canvas_text(&f->canvas, f->left - 1, row, TINT_FAINT, "└");
	for (unsigned i = 0; i < f->columns; i++)
		canvas_text(&f->canvas, f->left + i, row, TINT_FAINT, "─");
	if (!localtime_r(&first, &tm))
		return;
	s = from_s + tm.tm_gmtoff + step_s - 1;
	for (s -= s % step_s; s - tm.tm_gmtoff <= to_s; s += step_s) {
		time_t at = (time_t)(s - tm.tm_gmtoff);
		unsigned column = (unsigned)dot_of_time(f, at * NS_PER_S) /
				  CANVAS_DOTS_ACROSS;
		char text[TICK_TEXT_MAX];
		struct tm here;

		if (!localtime_r(&at, &here))
			return;
		time_text(&here, step_s, text, sizeof(text));
		canvas_text(&f->canvas, column, row, TINT_FAINT, "┬");
		if (column + strlen(text) / 2 < f->canvas.columns &&
		    column >= strlen(text) / 2)
			canvas_text(&f->canvas, column -
				    (unsigned)strlen(text) / 2, row + 1,
				    TINT_NONE, text);
	}
}

/* --- all ------------------------------------------------------------------ */

/* The title, and on its right the rules that the axis does not reach. */
static void title_draw(struct frame *f)
{
	const struct plot *p = f->plot;
	unsigned at = (unsigned)text_columns(p->title) + 2;

	canvas_text(&f->canvas, 0, 0, TINT_HEAD, p->title);
	for (size_t i = 0; i < p->rule_count && isfinite(f->axis.low); i++) {
		const struct plot_rule *r = &p->rules[i];
		char text[PLOT_LABEL_MAX + 16];

		if (rule_is_in(f, r))
			continue;
		(void)snprintf(text, sizeof(text), "%s is %s", r->label,
			       axis_value(p, r->value) > f->axis.high ?
			       "above" : "below");
		if (at + text_columns(text) > f->canvas.columns)
			return;
		canvas_text(&f->canvas, at, 0, TINT_FAINT, text);
		at += (unsigned)text_columns(text) + 2;
	}
}

/* Room at the left for the longest tick, at the right for curves' labels. */
static void frame_fit(struct frame *f)
{
	unsigned right = f->canvas.columns / SIDE_PART;
	double ticks[TICKS_MAX];
	char text[TICK_TEXT_MAX];
	unsigned n, longest = 0;

	axis_fit(f);
	n = ticks_of(f, ticks);
	for (unsigned i = 0; i < n; i++) {
		tick_text(f, ticks[i], text, sizeof(text));
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
	axis_of_curves(f);
	if (!isfinite(f->axis.low) && f->has_zero)	/* nothing but zeros */
		f->axis.low = f->axis.high = -18;
	if (!isfinite(f->axis.low)) {
		title_draw(f);
		canvas_text(&f->canvas, 2, f->top, TINT_NONE,
			    "no value in this time");
		f->canvas.rows = f->top + 1;	/* no empty picture */
		return;
	}
	axis_of_rules(f);
	frame_fit(f);
	title_draw(f);
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

int plot_print(const struct plot *p, const struct screen *s, unsigned rows)
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

/* The highest of the values of one column; NAN where none is. */
static double column_high(const double *values, size_t from, size_t to)
{
	double high = NAN;

	for (size_t i = from; i < to; i++)
		high = fmax(high, values[i]);	/* a number, if there is one */
	return high;
}

void plot_spark(const struct screen *s, const double *values, size_t n,
		double least_span, char ret[static PLOT_SPARK_MAX])
{
	double low = INFINITY, high = -INFINITY;
	char *at = ret;

	for (size_t i = 0; i < n; i++) {
		low = fmin(low, values[i]);	/* of which NAN is none */
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
