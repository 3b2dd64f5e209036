/* Lines and texts are placed in per cent of the width. Curves are in an SVG of
 * their own, PARTS wide and high, which is stretched below them; the width of
 * their strokes is not.
 */
#include "agent/ctl/svg.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "agent/ctl/chart.h"
#include "agent/ctl/html.h"
#include "petrel/clock.h"

#define HEIGHT 130		/* of the plot area, in pixels */
#define PARTS 1000		/* of the area's width and height */
#define TICKS_MOST 5.0
#define TIMES_MOST 6.0
#define TINTS 8u		/* of curves; html.c defines them */
#define TEXT_DOWN 4		/* from the middle of a text to its base line */
#define TURN 0.5		/* from here on labels are on the left */

static double percent(const struct chart *p, int64_t wall_ns)
{
	return 100 * chart_time_part(p, wall_ns);
}

static const char *tint_word(enum tint tint)
{
	return tint == TINT_CRITICAL ? " critical" : tint == TINT_WARN ?
	       " warn" : "";
}

/* --- curves --------------------------------------------------------------- */

/* A line being drawn. A stretch of equal values becomes one stroke. */
struct trail {
	FILE *out;
	long x, y;		/* where it is drawn up to */
	long held;		/* same height up to here, not drawn yet */
	bool has;
};

static void trail_end(struct trail *t)
{
	if (t->has && t->held != t->x)
		(void)fprintf(t->out, "H%ld", t->held);
	t->x = t->held;
}

static void trail_to(struct trail *t, long x, long y, bool is_joined)
{
	if (t->has && is_joined && y == t->y) {
		t->held = x;
		return;
	}
	trail_end(t);
	(void)fprintf(t->out, t->has && is_joined ? "L%ld %ld" : "M%ld %ldh0",
		      x, y);
	*t = (struct trail){ t->out, x, y, x, true };
}

static long across(const struct chart *p, int64_t wall_ns)
{
	return lround(PARTS * chart_time_part(p, wall_ns));
}

static long down(const struct axis *a, double value)
{
	return lround(PARTS * chart_part(a, value));
}

static void curve_put(FILE *out, const struct chart *p, const struct axis *a,
		      unsigned n)
{
	const struct chart_curve *c = &p->curves[n];
	const struct chart_point *before = NULL;
	struct trail t = { .out = out };

	(void)fprintf(out, "<path class=\"c%u curve\" d=\"", n % TINTS);
	for (size_t i = 0; i < c->count; i++) {
		const struct chart_point *at = &c->points[i];

		if (!chart_has_point(p, at))
			continue;
		if (!isnan(at->value))
			trail_to(&t, across(p, at->wall_ns),
				 down(a, at->value),
				 before && chart_is_joined(before, at));
		before = isnan(at->value) ? NULL : at;
	}
	trail_end(&t);
	(void)fputs("\"/>\n", out);
}

/* From the lowest to the highest value of each point's span. */
static void bands_put(FILE *out, const struct chart *p, const struct axis *a,
		      unsigned n)
{
	const struct chart_curve *c = &p->curves[n];
	bool any = false;

	for (size_t i = 0; i < c->count; i++) {
		const struct chart_point *at = &c->points[i];
		long x = across(p, at->wall_ns), y = down(a, at->high);

		if (!chart_has_point(p, at) || !(at->low < at->high))
			continue;
		if (!any)
			(void)fprintf(out, "<path class=\"c%u band\" d=\"",
				      n % TINTS);
		any = true;
		(void)fprintf(out, "M%ld %ldH%ldV%ldH%ldz", x, y,
			      across(p, at->wall_ns + at->span_ns),
			      down(a, at->low), x);
	}
	if (any)
		(void)fputs("\"/>\n", out);
}

static void curves_put(FILE *out, const struct chart *p, const struct axis *a)
{
	(void)fprintf(out, "<svg viewBox=\"0 0 %d %d\" width=\"100%%\" "
		      "height=\"%d\" preserveAspectRatio=\"none\">\n", PARTS,
		      PARTS, HEIGHT);
	for (unsigned i = 0; i < p->curve_count; i++)
		if (p->curves[i].count) {
			bands_put(out, p, a, i);
			curve_put(out, p, a, i);
		}
	(void)fputs("</svg>\n", out);
}

/* --- axes, rules, moments ------------------------------------------------- */

static void line_across(FILE *out, const char *class, const char *tint,
			double y)
{
	(void)fprintf(out, "<line class=\"%s%s\" x1=\"0\" x2=\"100%%\" "
		      "y1=\"%.1f\" y2=\"%.1f\"/>\n", class, tint, y, y);
}

static void line_down(FILE *out, const char *class, const char *tint, double x)
{
	(void)fprintf(out, "<line class=\"%s%s\" x1=\"%.2f%%\" x2=\"%.2f%%\" "
		      "y1=\"0\" y2=\"%d\"/>\n", class, tint, x, x, HEIGHT);
}

static void value_axis_put(FILE *out, const struct axis *a)
{
	double ticks[CHART_TICKS_MAX];
	unsigned n = chart_ticks(a, ticks);
	char text[CHART_TEXT_MAX];

	for (unsigned i = 0; i < n; i++) {
		double y = HEIGHT * chart_part(a, ticks[i]);

		line_across(out, "grid", "", y);
		chart_tick_text(a, ticks[i], text, sizeof(text));
		(void)fprintf(out, "<text x=\"-6\" y=\"%.1f\" "
			      "text-anchor=\"end\">%s</text>\n", y + TEXT_DOWN,
			      text);
	}
}

static void time_axis_put(FILE *out, const struct chart *p)
{
	int64_t step_s = chart_time_step(p, TIMES_MOST);
	int64_t s = (p->from_ns + NS_PER_S - 1) / NS_PER_S;
	char text[CHART_TEXT_MAX];

	line_across(out, "edge", "", HEIGHT);
	for (; chart_time_tick(step_s, s, &s, text) &&
	       s <= p->to_ns / NS_PER_S; s++) {
		double x = percent(p, s * NS_PER_S);

		line_down(out, "grid", "", x);
		(void)fprintf(out, "<text x=\"%.2f%%\" y=\"%d\" "
			      "text-anchor=\"middle\">%s</text>\n", x,
			      HEIGHT + 14, text);
	}
}

/* Labels alarms at the right; warnings, which are near, at the left. */
static void rules_put(const struct html *page, const struct chart *p,
		      const struct axis *a)
{
	for (size_t i = 0; i < p->rule_count; i++) {
		const struct chart_rule *r = &p->rules[i];
		double y = HEIGHT * chart_part(a, r->value);
		bool is_warn = r->tint == TINT_WARN;

		if (chart_beyond(a, r->value))
			continue;
		line_across(page->out, "rule", tint_word(r->tint), y);
		(void)fprintf(page->out, "<text class=\"%s\" x=\"%s\" "
			      "y=\"%.1f\" text-anchor=\"%s\">",
			      tint_word(r->tint), is_warn ? "0" : "100%",
			      y - TEXT_DOWN, is_warn ? "start" : "end");
		html_text(page, r->label);
		(void)fputs("</text>\n", page->out);
	}
}

static void moments_put(const struct html *page, const struct chart *p)
{
	unsigned row = 1;

	for (size_t i = 0; i < p->moment_count; i++) {
		const struct chart_moment *m = &p->moments[i];
		double x = percent(p, m->wall_ns);

		if (x < 0 || x > 100)
			continue;
		line_down(page->out, "moment", tint_word(m->tint), x);
		(void)fprintf(page->out, "<text class=\"%s\" x=\"%.2f%%\" "
			      "dx=\"%d\" y=\"%u\" text-anchor=\"%s\">",
			      tint_word(m->tint), x, x < 100 * TURN ? 4 : -4,
			      12 * row++, x < 100 * TURN ? "start" : "end");
		html_text(page, m->label);
		(void)fputs("</text>\n", page->out);
	}
}

/* --- all ------------------------------------------------------------------ */

/* The title, the curves' labels, and the rules that the axis does not reach. */
static void caption_put(const struct html *page, const struct chart *p,
			const struct axis *a)
{
	(void)fputs("<figcaption>", page->out);
	html_element(page, "b", NULL, p->title);
	for (unsigned i = 0; a && p->curve_count > 1 && i < p->curve_count;
	     i++) {
		if (!p->curves[i].count)
			continue;
		(void)fprintf(page->out, "<span class=\"key\"><svg><line "
			      "class=\"c%u\" x2=\"24\" y1=\"4\" y2=\"4\" "
			      "stroke-width=\"2\"/></svg>", i % TINTS);
		html_text(page, p->curves[i].label);
		(void)fputs("</span>", page->out);
	}
	for (size_t i = 0; a && i < p->rule_count; i++) {
		const struct chart_rule *r = &p->rules[i];
		const char *beyond = chart_beyond(a, r->value);

		if (!beyond)
			continue;
		(void)fputs("<span class=\"key\">", page->out);
		html_text(page, r->label);
		(void)fprintf(page->out, " is %s</span>", beyond);
	}
	(void)fputs("</figcaption>\n", page->out);
}

void svg_plot(const struct html *page, const struct chart *p)
{
	struct axis a;
	bool has_axis = chart_axis(p, TICKS_MOST, &a);

	(void)fputs("<figure>", page->out);
	caption_put(page, p, has_axis ? &a : NULL);
	if (!has_axis) {
		(void)fputs("<p class=\"dim\">no value in this time</p>"
			    "</figure>\n", page->out);
		return;
	}
	(void)fprintf(page->out, "<div class=\"frame\"><svg class=\"plot\" "
		      "height=\"%d\" role=\"img\" aria-label=\"", HEIGHT);
	html_text(page, p->title);
	(void)fputs("\">\n", page->out);
	value_axis_put(page->out, &a);
	time_axis_put(page->out, p);
	curves_put(page->out, p, &a);
	rules_put(page, p, &a);
	moments_put(page, p);
	(void)fputs("</svg></div></figure>\n", page->out);
}
