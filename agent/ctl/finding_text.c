#include "agent/ctl/finding_text.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/clean.h"
#include "agent/base/joined.h"
#include "agent/ctl/cell.h"

#define INDENT 2u
#define LABEL_WIDTH 10u		/* "evidence: " */
#define TEXT_LINE_MAX 640
#define SURE_LEAST 50.0	/* percent; below, another cause is likelier */

static enum tint severity_tint(enum severity severity)
{
	static const enum tint tints[SEVERITY_COUNT] = {
		[SEVERITY_WATCH] = TINT_WATCH,
		[SEVERITY_WARN] = TINT_WARN,
		[SEVERITY_CRITICAL] = TINT_CRITICAL,
	};

	return tints[severity];
}

/* "3 h", in the largest unit with about two of it or more. */
static void seconds_text(int64_t s, char *ret, size_t cap)
{
	static const struct {
		int64_t from, seconds;
		const char *unit;
	} steps[] = {
		{ 172800, 86400, "days" }, { 5400, 3600, "h" },
		{ 100, 60, "min" },	   { 0, 1, "s" },
	};
	size_t i = 0;

	while (i < 3 && s < steps[i].from)
		i++;
	(void)snprintf(ret, cap, "%.0f %s",
		       (double)s / (double)steps[i].seconds, steps[i].unit);
}

void cliff_text(const struct cliff *c, char *ret, size_t cap)
{
	char low[32], mid[32], high[32];

	ret[0] = '\0';
	if (!c->foreseeable)
		return;
	if (c->high_s <= 0) {
		(void)snprintf(ret, cap, "uncorrectable now");
		return;
	}
	seconds_text(c->low_s, low, sizeof(low));
	seconds_text(c->mid_s, mid, sizeof(mid));
	seconds_text(c->high_s, high, sizeof(high));
	if (c->high_s == FINDING_NO_UPPER_BOUND)
		(void)snprintf(ret, cap, "uncorrectable in about %s (%s or "
			       "later)", mid, low);
	else
		(void)snprintf(ret, cap, "uncorrectable in about %s (%s to "
			       "%s)", mid, low, high);
}

void finding_where(const struct finding *f, char *ret, size_t cap)
{
	clean_text(ret, cap, f->subject);
	for (unsigned i = 0, n = 0; i < 8; i++)
		if (f->lanes >> i & 1)
			joined_add(ret, cap, "", "%s%u",
				   n++ ? "," :
				   f->lanes & (f->lanes - 1) ? " lanes " :
							       " lane ",
				   i + 1);
}

/* --- its lines ------------------------------------------------------------ */

/* Takes the lines. */
struct line_sink {
	finding_line_fn *fn;
	void *context;
};

/* Gives nothing if there is no text. */
static void line_give(const struct line_sink *to, const char *label,
		      const char *text)
{
	char clean[TEXT_LINE_MAX];

	clean_text(clean, sizeof(clean), text);
	if (clean[0])
		to->fn(to->context, label, clean);
}

static void since_give(const struct line_sink *to, const struct finding *f,
		       int64_t now_wall_ns)
{
	int64_t ago_s = (now_wall_ns - f->onset_wall.ns) / NS_PER_S;
	char since[40], ago[24], text[80];

	wall_text(f->onset_wall.ns, since, sizeof(since));
	seconds_text(ago_s, ago, sizeof(ago));
	(void)snprintf(text, sizeof(text), "%s (%s%s)", since,
		       ago_s < 0 ? "by a clock that was ahead" : ago,
		       ago_s < 0 ? "" : " ago");
	line_give(to, "since", text);
}

/* The ports other than the subject itself: of a group, of a cage, a peer. */
static void ports_give(const struct line_sink *to, const struct finding *f)
{
	char text[TEXT_LINE_MAX] = "";
	const char *port = finding_port(f, NULL);
	unsigned shown = 0;

	if (f->port_count == 1 && strcmp(port ? port : "", f->subject) == 0)
		return;
	for (; port && strlen(text) + ENTITY_NAME_MAX + 32 < sizeof(text);
	     port = finding_port(f, port), shown++)
		joined_add(text, sizeof(text), ", ", "%s", port);
	if (shown < f->port_count)
		joined_add(text, sizeof(text), "", " and %u more",
			   f->port_count - shown);
	line_give(to, "ports", text);
}

/* The next actions if the first one did not help. */
static void next_give(const struct line_sink *to, const struct finding *f)
{
	char text[TEXT_LINE_MAX] = "";

	for (unsigned i = 1; i < f->action_count; i++)
		joined_add(text, sizeof(text), ", ", "%s",
			   action_words(f, f->actions[i]));
	line_give(to, "then", text);
}

/* In words first, then the name that scripts use. */
static void action_give(const struct line_sink *to, const struct finding *f)
{
	char text[TEXT_LINE_MAX];

	(void)snprintf(text, sizeof(text), "%s (%s)%s%s",
		       action_words(f, f->action), action_name(f->action),
		       f->drain == DRAIN_NONE ? "" : "; drain: ",
		       f->drain == DRAIN_NONE ? "" : drain_name(f->drain));
	line_give(to, "do", text);
}

static void evidence_give(const struct line_sink *to, const struct finding *f)
{
	char text[TEXT_LINE_MAX] = "";

	for (unsigned i = 0; i < f->evidence_count; i++)
		joined_add(text, sizeof(text), " ", "%s=%.4g",
			   f->evidence[i].name, f->evidence[i].value);
	line_give(to, "evidence", text);
}

/* Omits a confidence below SURE_LEAST: the cause then says what is likelier. */
static void cause_give(const struct line_sink *to, const struct finding *f)
{
	double percent = 100.0 * (double)f->confidence;
	char text[TEXT_LINE_MAX], sure[32] = "";

	if (percent >= SURE_LEAST)
		(void)snprintf(sure, sizeof(sure), ", confidence %.0f %%",
			       percent);
	(void)snprintf(text, sizeof(text), "%s (%s end%s)", f->cause,
		       fault_end_name(f->end), sure);
	line_give(to, "cause", text);
}

void finding_lines(const struct finding *f, int64_t now_wall_ns,
		   finding_line_fn *fn, void *context)
{
	const struct line_sink to = { fn, context };
	char text[TEXT_LINE_MAX];

	since_give(&to, f, now_wall_ns);
	cause_give(&to, f);
	cliff_text(&f->cliff, text, sizeof(text));
	line_give(&to, "cliff", text);
	ports_give(&to, f);
	action_give(&to, f);
	next_give(&to, f);
	evidence_give(&to, f);
	for (unsigned i = 0; i < f->change_count; i++)
		line_give(&to, i ? "" : "before", f->change[i]);
}

/* --- on a screen ---------------------------------------------------------- */

/* "  label     text", with further lines indented to the text. */
static void line_print(void *context, const char *label, const char *text)
{
	const struct screen *s = context;
	int at = fprintf(s->out, "%*s%-*s", (int)INDENT, "", (int)LABEL_WIDTH,
			 label);

	screen_wrap(s, (unsigned)at, INDENT + LABEL_WIDTH, text);
}

/* Id, severity, where and what, on one line. */
static void head_print(const struct screen *s, const struct finding *f,
		       const char *of)
{
	char where[FINDING_WHERE_MAX];
	enum tint tint = severity_tint(f->severity);

	finding_where(f, where, sizeof(where));
	(void)fprintf(s->out, "%s  ", f->id);
	screen_tint(s, tint);
	(void)fprintf(s->out, "%-8s", severity_name(f->severity));
	screen_plain(s, tint);
	(void)fprintf(s->out, "  ");
	screen_tint(s, TINT_HEAD);
	if (of[0] && strcmp(of, f->subject) != 0)
		(void)fprintf(s->out, "%s ", of);
	(void)fprintf(s->out, "%s", where);
	screen_plain(s, TINT_HEAD);
	(void)fprintf(s->out, "  %s", signature_name(f->signature));
	if (f->was)
		(void)fprintf(s->out, ", was %s", signature_name(f->was));
	(void)fprintf(s->out, "\n");
}

void finding_print(const struct screen *s, const struct finding *f,
		   const char *of, int64_t now_wall_ns)
{
	struct screen to = *s;

	head_print(s, f, of);
	finding_lines(f, now_wall_ns, line_print, &to);
}

void finding_print_line(const struct screen *s, const struct finding *f)
{
	char when[40], where[FINDING_WHERE_MAX], cause[2 * 160];
	enum tint tint = severity_tint(f->severity);

	wall_text(f->when_wall.ns, when, sizeof(when));
	clean_text(cause, sizeof(cause), f->cause);
	finding_where(f, where, sizeof(where));
	(void)fprintf(s->out, "%s  %s  %-7s  ", when, f->id,
		      finding_state_name(f->state));
	screen_tint(s, tint);
	(void)fprintf(s->out, "%-8s", severity_name(f->severity));
	screen_plain(s, tint);
	(void)fprintf(s->out, "  %s  %s  %s%s%s\n", where,
		      signature_name(f->signature), cause,
		      f->into[0] ? "" : "; ",
		      f->into[0] ? "" : action_words(f, f->action));
}
