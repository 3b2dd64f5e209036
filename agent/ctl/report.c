/* petrel report: what is known of a finding, a port or the switch as one page
 * of HTML, to attach to a ticket; from a running agent, or from the rings and
 * tiers that an agent left.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/ctl/cell.h"
#include "agent/ctl/client.h"
#include "agent/ctl/finding_text.h"
#include "agent/ctl/offline.h"
#include "agent/ctl/options.h"
#include "agent/ctl/html.h"
#include "agent/ctl/past.h"
#include "agent/ctl/picture.h"
#include "agent/ctl/redact.h"
#include "agent/ctl/runs.h"
#include "agent/ctl/svg.h"
#include "agent/query/message.h"
#include "agent/query/server.h"
#include "agent/record/decode.h"
#include "petrel/local.h"

#define PICTURED_MAX 8u		/* findings with pictures: the worst */
#define FINDINGS_MAX 256u
#define ALL 1u			/* for a section: JSON's columns, too */

/* A growing text. */
struct scroll {
	char *text;			/* owned */
	size_t len;
	FILE *out;
};

struct report_page {
	const struct invocation *inv;
	struct agent_place place;
	struct html page;		/* writes the body */
	struct scroll body, lacks;
	struct diag why;		/* why asking the agent failed */
	bool is_down;			/* the agent; the rings answer */
	bool has_past;
	struct past past;		/* of the rings */
	struct answer *own;		/* an answer from the rings */
	Petrel__Answer *got;		/* the current answer */
	char switch_name[SWITCH_NAME_MAX];
	struct finding *findings;	/* owned; the worst first */
	size_t finding_count;
};

/* --- what is not there ---------------------------------------------------- */

static void lacks(const struct report_page *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void lacks(const struct report_page *r, const char *format, ...)
{
	const struct html page = { r->lacks.out, r->page.redact };
	char text[2 * DIAG_MAX];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	html_element(&page, "li", NULL, text);
}

/* --- asking --------------------------------------------------------------- */

static void got_free(struct report_page *r)
{
	if (r->got && !r->is_down)
		answer_unpacked_free(r->got);
	r->got = NULL;
}

/* Opens the rings, for names or for answers. Returns a negative errno. */
static int past_take(struct report_page *r, struct diag *d)
{
	int rc = past_open(r->place.run_dir, &r->past, d);

	r->has_past = rc == 0;
	return rc;
}

/* If nobody answers, uses the rings from here on. Returns an exit code. */
static int rings_take(struct report_page *r, int err)
{
	struct diag d = { "" }, why;
	int code = ask_failed(err);

	if (code == EXIT_NOT_PERMITTED)
		return code;
	if (offline_last_words(r->place.run_dir, d.text, sizeof(d.text)))
		r->why = d;
	why = r->why;
	if (!r->has_past && past_take(r, &d) < 0)
		return diag_set(&r->why, code, "%s; and %s", why.text, d.text);
	if (answer_new(QUERY_ANSWER_OCTETS, &r->own) < 0)
		return EXIT_INCOMPLETE;
	r->is_down = true;
	return EXIT_ANSWERED;
}

/* Sets r->got to a verb's answer to a word (NULL: none), valid until the next
 * call. Returns its exit code.
 */
static int ask_word_of(struct report_page *r, const char *name,
		       const char *word)
{
	const struct verb *verb = verb_find(verb_table, name);
	char *args[1] = { ask_word(word) };
	Petrel__Request request;
	int rc;

	got_free(r);
	ask_request(&request, name, args, word ? 1 : 0);
	if (!r->is_down) {
		rc = ask_once(&r->place, &request, &r->got, &r->why);
		if (rc == 0 && r->got)
			return (int)r->got->code;
		r->got = NULL;
		rc = rings_take(r, rc);
		if (rc != EXIT_ANSWERED)
			return rc;
	}
	answer_clear(r->own);
	r->got = answer_message(r->own);
	return offline_ask(&r->past, verb, &request, r->own);
}

/* --- pictures ------------------------------------------------------------- */

/* Pictures below a title. */
struct gallery {
	const struct html *page;
	const char *title;
	bool has_title;			/* it is written */
};

static int plot_put(void *context, const struct chart *p, unsigned count)
{
	struct gallery *g = context;

	(void)count;
	if (!g->has_title)
		html_element(g->page, "h3", NULL, g->title);
	g->has_title = true;
	svg_plot(g->page, p);
	return 0;
}

/* For the time of a finding's capsule; id NULL: for the last minutes. Returns
 * false if there are none.
 */
static bool pictures_put(struct report_page *r, const char *port,
			 const char *id)
{
	const struct picture_wish wish = { .port = port, .capsule_of = id };
	struct gallery g = { .page = &r->page, .title = id ?
			     "From 60 s before it was raised to 30 s after" :
			     "The last minutes" };
	struct diag d = { "" };
	int rc = picture_each(&r->place, &wish, plot_put, &g, &d);

	if (rc < 0)
		lacks(r, "plots of %s%s%s: %s", port, id ? " around the "
		      "finding " : "", id ? id : "", d.text);
	else if (d.text[0])
		lacks(r, "history: %s", d.text);
	return rc == 0;
}

/* --- findings ------------------------------------------------------------- */

static void line_put(void *context, const char *label, const char *text)
{
	html_term(context, label, text);
}

static void finding_put(struct report_page *r, const struct finding *f)
{
	const char *severity = severity_name(f->severity);
	char where[FINDING_WHERE_MAX + 80];
	size_t len;

	(void)fprintf(r->page.out, "<article class=\"%s\">\n<h3><b class=\"%s"
		      "\">%s</b> ", severity, severity, severity);
	finding_where(f, where, FINDING_WHERE_MAX);
	len = strlen(where);
	(void)snprintf(where + len, sizeof(where) - len, ": %s%s%s",
		       signature_name(f->signature), f->was ? ", was " : "",
		       f->was ? signature_name(f->was) : "");
	html_text(&r->page, where);
	(void)fputs("</h3>\n<dl>\n", r->page.out);
	html_term(&r->page, "id", f->id);
	finding_lines(f, clock_wall_now().ns, line_put, &r->page);
	(void)fputs("</dl>\n</article>\n", r->page.out);
}

/* Keeps the findings of the current answer. Returns -ENOMEM. */
static int findings_keep(struct report_page *r)
{
	size_t n = r->got->n_findings;

	n = n > FINDINGS_MAX ? FINDINGS_MAX : n;
	r->findings = calloc(n + 1, sizeof(*r->findings));
	if (!r->findings)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (finding_of_message(r->got->findings[i],
				       &r->findings[r->finding_count]) == 0)
			r->finding_count++;
	if (n < r->got->n_findings)
		lacks(r, "%zu more findings", r->got->n_findings - n);
	return 0;
}

/* The port to draw; NULL: there is none. */
static const char *port_of(const struct finding *f)
{
	const char *port = finding_port(f, NULL);

	return port ? port : f->kind == SUBJECT_PORT ? f->subject : NULL;
}

/* When to show the last minutes of a finding's port beside its capsule. */
enum beside { BESIDE_NEVER, BESIDE_INSTEAD, BESIDE_ALWAYS };

static void findings_put(struct report_page *r, enum beside how)
{
	html_element(&r->page, "h2", NULL, "Findings");
	if (!r->finding_count)
		html_element(&r->page, "p", NULL, "No finding is open.");
	for (size_t i = 0; i < r->finding_count; i++) {
		const struct finding *f = &r->findings[i];
		const char *port = port_of(f);

		finding_put(r, f);
		if (!port || i >= PICTURED_MAX)
			continue;
		if ((!pictures_put(r, port, f->id) && how != BESIDE_NEVER) ||
		    how == BESIDE_ALWAYS)
			(void)pictures_put(r, port, NULL);
	}
	if (r->finding_count > PICTURED_MAX)
		lacks(r, "plots of all but the worst %u findings",
		      PICTURED_MAX);
}

/* --- tables --------------------------------------------------------------- */

/* The verb that a section asks, and the tables that it shows. */
struct section {
	const char *title, *verb;
	const char *tables[4];		/* their names, then NULL */
	unsigned how;			/* ALL */
};

static const struct section of_switch[] = {
	{ "Ports", "ports", { "ports" }, 0 },
	{ "Modules", "modules", { "modules" }, 0 },
	{ "Changes", "changes", { "changes" }, 0 },
	{ "What is watched", "coverage", { "coverage", "reasons", "limits" },
	  0 },
};

static const struct section of_port[] = {
	{ "Port", "port", { "port", "fec", "history" }, 0 },
	{ "Link", "links", { "links" }, ALL },
	{ "Module", "modules", { "modules" }, ALL },
	{ "Lanes", "lanes", { "lanes", "flags" }, 0 },
	{ "Counters", "port", { "counters" }, 0 },
	{ "Changes", "changes", { "changes" }, 0 },
};

static void tables_put(const struct report_page *r, const struct section *s)
{
	for (size_t i = 0; i < r->got->n_tables; i++)
		for (unsigned n = 0; n < 4 && s->tables[n]; n++)
			if (strcmp(r->got->tables[i]->name, s->tables[n]) == 0)
				html_table(&r->page, r->got->tables[i],
					   s->how & ALL);
}

static void sections_put(struct report_page *r, const struct section *s,
			 size_t n, const char *word)
{
	for (; n > 0; n--, s++) {
		int code = ask_word_of(r, s->verb, word);

		if (code != EXIT_ANSWERED) {
			lacks(r, "%s: %s", s->title, r->got && r->got->error[0]
			      ? r->got->error : "no agent answers");
			continue;
		}
		html_element(&r->page, "h2", NULL, s->title);
		tables_put(r, s);
		if (!r->got->complete)
			lacks(r, "%s: incomplete", s->title);
	}
}

static void port_put(struct report_page *r, const char *port)
{
	sections_put(r, of_port, sizeof(of_port) / sizeof(of_port[0]), port);
}

/* --- the page ------------------------------------------------------------- */

static int switch_report(struct report_page *r)
{
	int code = ask_word_of(r, "overview", NULL);

	if (code != EXIT_ANSWERED)
		return code;
	if (r->got->n_tables)
		html_table(&r->page, r->got->tables[0], false);
	code = ask_word_of(r, "findings", NULL);
	if (code != EXIT_ANSWERED || findings_keep(r) < 0)
		return code ? code : EXIT_INCOMPLETE;
	findings_put(r, BESIDE_INSTEAD);
	sections_put(r, of_switch, sizeof(of_switch) / sizeof(of_switch[0]),
		     NULL);
	return EXIT_ANSWERED;
}

static int finding_report(struct report_page *r, const char *id)
{
	int code = ask_word_of(r, "findings", id);
	const char *port;

	if (code != EXIT_ANSWERED || findings_keep(r) < 0)
		return code ? code : EXIT_INCOMPLETE;
	findings_put(r, BESIDE_ALWAYS);
	port = r->finding_count ? port_of(&r->findings[0]) : NULL;
	if (port)
		port_put(r, port);
	return EXIT_ANSWERED;
}

static int port_report(struct report_page *r, const char *port)
{
	if (findings_keep(r) < 0)
		return EXIT_INCOMPLETE;
	findings_put(r, BESIDE_NEVER);
	(void)pictures_put(r, port, NULL);
	port_put(r, port);
	return EXIT_ANSWERED;
}

/* word: a port by its name, else a finding. */
static int body_make(struct report_page *r, const char *word)
{
	int code;

	if (!word)
		return switch_report(r);
	code = ask_word_of(r, "port", word);
	return code == EXIT_ANSWERED ? port_report(r, word) :
	       code == EXIT_NO_SUCH ? finding_report(r, word) : code;
}

static void head_put(const struct report_page *r, const struct html *page,
		     const char *word)
{
	char title[SWITCH_NAME_MAX + ENTITY_NAME_MAX + 32], when[48],
	     zone[WALL_ZONE_MAX];
	struct wall since = { 0 };

	(void)snprintf(title, sizeof(title), "Petrel report: %s%s%.64s",
		       r->switch_name, word ? ", " : "", word ? word : "");
	html_begin(page, title);
	(void)fputs("<dl>\n", page->out);
	html_term(page, "switch", r->switch_name);
	wall_rfc3339(clock_wall_now().ns, when, sizeof(when));
	html_term(page, "made", when);
	wall_zone(clock_wall_now().ns, zone);
	html_term(page, "times of day", zone);
	html_term(page, "by", "petrel " PETREL_VERSION);
	if (r->is_down)
		since = past_wall(&r->past, r->past.last);
	wall_rfc3339(since.ns, when, sizeof(when));
	html_term(page, "agent", !r->is_down ? "runs" : since.ns ?
		  "is down; this page is from its rings" :
		  "is down, and its rings have no readings");
	if (since.ns)
		html_term(page, "down since", when);
	(void)fputs("</dl>\n", page->out);
}

/* Writes it all at once: no half page if something fails. */
static void page_write(const struct report_page *r, const char *word)
{
	const struct html page = { stdout, r->page.redact };

	head_put(r, &page, word);
	if (r->lacks.len) {
		html_element(&page, "h2", NULL, "Missing from this page");
		(void)printf("<ul>\n%.*s</ul>\n", (int)r->lacks.len,
			     r->lacks.text);
	}
	(void)fwrite(r->body.text, 1, r->body.len, stdout);
	html_end(&page);
}

/* Learns names from the rings, which have all of them. */
static int redact_open(struct report_page *r, struct diag *d)
{
	int rc = past_take(r, d);

	if (rc == 0)
		rc = redact_new(true, &r->page.redact);
	if (rc == 0)
		redact_inventory(r->page.redact, r->past.switch_name,
				 r->past.state, r->past.history);
	return rc < 0 ? diag_prefix(d, ask_failed(rc), "--redact takes names "
				    "from the rings") : EXIT_ANSWERED;
}

static int failed(const struct report_page *r, int code, const char *why)
{
	const char *said = r->got && r->got->error[0] ? r->got->error : why;

	return command_failed(code, "report: %s", said);
}

static int report_make(struct report_page *r)
{
	const char *word = r->inv->argument_count ? r->inv->argument[0] : NULL;
	int code = EXIT_ANSWERED;

	if (option_given(r->inv, OPTION_REDACT))
		code = redact_open(r, &r->why);
	if (code == EXIT_ANSWERED)
		code = body_make(r, word);
	if (code == EXIT_NO_SUCH) {
		(void)diag_set(&r->why, 0, "no port or open finding "
			       "'%.64s'", word);
		got_free(r);
	}
	if (code != EXIT_ANSWERED)
		return failed(r, code, r->why.text);
	(void)snprintf(r->switch_name, sizeof(r->switch_name), "%s",
		       r->got->switch_name);
	if (r->is_down)
		lacks(r, "what only a running agent knows: %s",
		      r->why.text);
	if (fflush(r->lacks.out) != 0 || fflush(r->body.out) != 0)
		return failed(r, EXIT_INCOMPLETE, "no memory");
	page_write(r, word);
	return r->is_down ? EXIT_AGENT_DOWN : EXIT_ANSWERED;
}

static void report_close(struct report_page *r)
{
	got_free(r);
	answer_free(r->own);
	if (r->has_past)
		past_fini(&r->past);
	redact_free(r->page.redact);
	free(r->findings);
	if (r->body.out)
		(void)fclose(r->body.out);
	if (r->lacks.out)
		(void)fclose(r->lacks.out);
	free(r->body.text);
	free(r->lacks.text);
}

int report_run(const struct invocation *inv)
{
	struct report_page r = { .inv = inv };
	int code;

	if (ask_place(inv, &r.place, &r.why) < 0)
		return failed(&r, EXIT_USAGE, r.why.text);
	r.body.out = open_memstream(&r.body.text, &r.body.len);
	r.lacks.out = open_memstream(&r.lacks.text, &r.lacks.len);
	r.page.out = r.body.out;
	code = r.body.out && r.lacks.out ? report_make(&r) :
	       failed(&r, EXIT_INCOMPLETE, "no memory");
	report_close(&r);
	return code;
}
