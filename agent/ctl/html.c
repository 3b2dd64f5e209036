#include "agent/ctl/html.h"

#include <stdlib.h>
#include <string.h>

#include "agent/base/clean.h"
#include "agent/ctl/cell.h"
#include "agent/ctl/redact.h"

#define TEXT_MAX 4096
#define COLUMNS_FEW 8u		/* tables with more need a wide page */
#define LABEL_MAX 64

static const char style[] =
	":root{color-scheme:light dark;--back:#fff;--fore:#1b1f23;--dim:#57606a;"
	"--line:#d5dae0;--card:#f6f8fa;--critical:#b3001b;--warn:#8f5400;"
	"--watch:#00639c;--c0:#0060a8;--c1:#c2410c;--c2:#15803d;--c3:#7e22ce;"
	"--c4:#0f766e;--c5:#be185d;--c6:#854d0e;--c7:#475569}\n"
	"@media(prefers-color-scheme:dark){:root{--back:#14171a;--fore:#e6e8ea;"
	"--dim:#9aa4ae;--line:#3a424a;--card:#1d2226;--critical:#ff7b86;"
	"--warn:#e8a33d;--watch:#62b6ef;--c0:#5aaef0;--c1:#f5924f;--c2:#5fc77f;"
	"--c3:#c084fc;--c4:#4fd1c1;--c5:#f472b6;--c6:#e0b24f;--c7:#a3b1c2}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0 auto;padding:16px;max-width:1280px;background:"
	"var(--back);color:var(--fore);font:15px/1.45 system-ui,sans-serif;"
	"overflow-wrap:anywhere}\n"
	"h1{font-size:1.5em;margin:.2em 0}h2{font-size:1.2em;margin:1.6em 0 .4em;"
	"border-bottom:1px solid var(--line)}h3{font-size:1.05em;margin:1em 0 "
	".3em}\n"
	"p{margin:.3em 0}.dim,caption,figcaption,dt{color:var(--dim)}\n"
	"article{border:1px solid var(--line);border-left:6px solid var(--dim);"
	"border-radius:4px;padding:.2em 12px 12px;margin:12px 0;background:"
	"var(--card)}\n"
	"article.critical{border-left-color:var(--critical)}"
	"article.warn{border-left-color:var(--warn)}"
	"article.watch{border-left-color:var(--watch)}\n"
	"b.critical{color:var(--critical)}b.warn{color:var(--warn)}"
	"b.watch{color:var(--watch)}\n"
	"dl{display:grid;grid-template-columns:minmax(7em,max-content) 1fr;"
	"gap:.1em 1em;margin:.4em 0}dd{margin:0}\n"
	"table{border-collapse:collapse;width:100%;font-size:.86em;"
	"font-variant-numeric:tabular-nums}\n"
	"th,td{padding:.15em .5em;text-align:left;vertical-align:top;"
	"border-bottom:1px solid var(--line)}th{color:var(--dim)}"
	".right{text-align:right}\n"
	"figure{margin:12px 0}figcaption b{color:var(--fore)}\n"
	".frame{padding:4px 8px 20px 60px}\n"
	".plot{display:block;width:100%;overflow:visible}\n"
	".plot text{font:11px system-ui,sans-serif;fill:var(--dim);"
	"stroke:var(--back);stroke-width:3px;paint-order:stroke}\n"
	".grid{stroke:var(--line)}.edge{stroke:var(--dim)}\n"
	".curve{fill:none;stroke-width:1.6;stroke-linecap:round;"
	"stroke-linejoin:round;vector-effect:non-scaling-stroke}\n"
	".band{stroke:none;opacity:.25}\n"
	".rule{stroke-dasharray:6 4;stroke:var(--dim)}"
	".rule.critical,.moment.critical{stroke:var(--critical)}"
	".rule.warn,.moment.warn{stroke:var(--warn)}"
	".moment{stroke-dasharray:2 3;stroke:var(--dim)}\n"
	".plot .critical{fill:var(--critical)}.plot .warn{fill:var(--warn)}\n"
	".key{display:inline-block;margin-left:1em;white-space:nowrap}"
	".key svg{width:24px;height:8px;vertical-align:middle;"
	"margin-right:4px}\n"
	".c0{stroke:var(--c0);fill:var(--c0)}.c1{stroke:var(--c1);"
	"fill:var(--c1);stroke-dasharray:7 3}.c2{stroke:var(--c2);"
	"fill:var(--c2);stroke-dasharray:2 3}.c3{stroke:var(--c3);"
	"fill:var(--c3);stroke-dasharray:8 3 2 3}.c4{stroke:var(--c4);"
	"fill:var(--c4)}.c5{stroke:var(--c5);fill:var(--c5);"
	"stroke-dasharray:7 3}.c6{stroke:var(--c6);fill:var(--c6);"
	"stroke-dasharray:2 3}.c7{stroke:var(--c7);fill:var(--c7);"
	"stroke-dasharray:8 3 2 3}.curve{fill:none}\n"
	"@media(max-width:640px){table,tbody,tr,td{display:block}"
	"thead{display:none}tr{border-bottom:1px solid var(--line);"
	"padding:.3em 0}td,td.right{border:0;text-align:left;padding:0}"
	"td::before{content:attr(data-of);color:var(--dim);display:inline-block;"
	"width:9em}dl{grid-template-columns:minmax(5em,36%) 1fr;gap:.1em .6em}"
	".frame{padding-left:52px}}\n"
	"@media(max-width:1000px){table.wide,.wide tbody,.wide tr,.wide td"
	"{display:block}.wide thead{display:none}.wide td,.wide td.right"
	"{border:0;text-align:left;padding:0}.wide td::before"
	"{content:attr(data-of);color:var(--dim);display:inline-block;width:9em}"
	"}\n"
	"@media print{:root{--back:#fff;--fore:#000;--dim:#444;--line:#bbb;"
	"--card:#fff;--critical:#b3001b;--warn:#8f5400;--watch:#00639c;"
	"--c0:#0060a8;--c1:#c2410c;--c2:#15803d;--c3:#7e22ce;--c4:#0f766e;"
	"--c5:#be185d;--c6:#854d0e;--c7:#475569}body{font-size:10pt;padding:0;"
	"max-width:none}figure,tr,dl{break-inside:avoid}h2,h3"
	"{break-after:avoid}}\n";

/* --- texts ---------------------------------------------------------------- */

static void escaped_put(FILE *out, const char *text, size_t len)
{
	static const struct {
		char octet;
		const char *entity;
	} entities[] = { { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" },
			 { '"', "&quot;" }, { '\'', "&#39;" } };

	for (size_t i = 0; i < len; i++) {
		unsigned e = 0;

		while (e < 5 && entities[e].octet != text[i])
			e++;
		if (e < 5)
			(void)fputs(entities[e].entity, out);
		else
			(void)fputc(text[i], out);
	}
}

void html_text(const struct html *p, const char *text)
{
	char clean[TEXT_MAX], *replaced = NULL;
	size_t len = 0;
	FILE *f;
	int rc;

	clean_text(clean, sizeof(clean), text);
	if (!p->redact) {
		escaped_put(p->out, clean, strlen(clean));
		return;
	}
	f = open_memstream(&replaced, &len);
	rc = f ? redact_text(p->redact, clean, strlen(clean), f) : -1;
	if (f && fclose(f) == 0 && rc == 0)
		escaped_put(p->out, replaced, len);
	else
		(void)fputs("(out of memory for this text)", p->out);
	free(replaced);
}

void html_element(const struct html *p, const char *tag, const char *name,
		  const char *text)
{
	(void)fprintf(p->out, name ? "<%s class=\"%s\">" : "<%s>", tag, name);
	html_text(p, text);
	(void)fprintf(p->out, "</%s>\n", tag);
}

void html_term(const struct html *p, const char *term, const char *text)
{
	html_element(p, "dt", NULL, term);
	html_element(p, "dd", NULL, text);
}

/* --- tables --------------------------------------------------------------- */

/* The column's heading; by_key: its key, as some columns have no heading. */
static void label_make(const Petrel__TableColumn *c, bool by_key,
		       char ret[static LABEL_MAX])
{
	clean_text(ret, LABEL_MAX, by_key ? c->key : c->heading);
	for (char *at = ret; by_key && *at; at++)
		if (*at == '_')
			*at = ' ';
}

static void terms_put(const struct html *p, const Petrel__Table *t,
		      bool with_all)
{
	char label[LABEL_MAX], text[CELL_TEXT_MAX];

	(void)fputs("<dl>\n", p->out);
	for (size_t i = 0; i < t->n_columns; i++) {
		const Petrel__TableColumn *c = t->columns[i];
		struct cell cell = table_cell(t, 0, i);

		if (cell.absent || (c->json_only && !with_all))
			continue;
		label_make(c, with_all, label);
		cell_text(c->unit, &cell, FORM_LONG, text);
		html_term(p, label, text);
	}
	(void)fputs("</dl>\n", p->out);
}

static void row_put(const struct html *p, const Petrel__Table *t, size_t row)
{
	char label[LABEL_MAX], text[CELL_TEXT_MAX];

	(void)fputs("<tr>", p->out);
	for (size_t i = 0; i < t->n_columns; i++) {
		const Petrel__TableColumn *c = t->columns[i];
		struct cell cell = table_cell(t, row, i);

		if (c->json_only)
			continue;
		label_make(c, false, label);
		cell_text(c->unit, &cell, FORM_TABLE, text);
		(void)fprintf(p->out, "<td%s data-of=\"",
			      c->right ? " class=\"right\"" : "");
		html_text(p, label);
		(void)fputs("\">", p->out);
		html_text(p, text);
		(void)fputs("</td>", p->out);
	}
	(void)fputs("</tr>\n", p->out);
}

static void rows_put(const struct html *p, const Petrel__Table *t)
{
	char label[LABEL_MAX];
	unsigned shown = 0;

	for (size_t i = 0; i < t->n_columns; i++)
		shown += !t->columns[i]->json_only;
	(void)fprintf(p->out, "<table%s><thead><tr>",
		      shown > COLUMNS_FEW ? " class=\"wide\"" : "");
	for (size_t i = 0; i < t->n_columns; i++) {
		const Petrel__TableColumn *c = t->columns[i];

		if (c->json_only)
			continue;
		label_make(c, false, label);
		html_element(p, "th", c->right ? "right" : NULL, label);
	}
	(void)fputs("</tr></thead><tbody>\n", p->out);
	for (size_t r = 0; r < t->rows; r++)
		if (!table_row_is_json_only(t, r))
			row_put(p, t, r);
	(void)fputs("</tbody></table>\n", p->out);
}

void html_table(const struct html *p, const Petrel__Table *t, bool with_all)
{
	const char *notes = t->note;
	char line[CELL_TEXT_MAX];

	if (t->rows && (t->single || (with_all && t->rows == 1)))
		terms_put(p, t, with_all);
	else if (t->rows)
		rows_put(p, t);
	while (*notes) {
		size_t len = strcspn(notes, "\n");

		(void)snprintf(line, sizeof(line), "%.*s", (int)len, notes);
		html_element(p, "p", "dim", line);
		notes += len + (notes[len] == '\n');
	}
}

/* --- all ------------------------------------------------------------------ */

void html_begin(const struct html *p, const char *title)
{
	(void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		    "<meta charset=\"utf-8\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width, "
		    "initial-scale=1\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\""
		    "default-src 'none'; style-src 'unsafe-inline'\">\n",
		    p->out);
	html_element(p, "title", NULL, title);
	(void)fprintf(p->out, "<style>\n%s</style>\n</head>\n<body>\n", style);
	html_element(p, "h1", NULL, title);
}

void html_end(const struct html *p)
{
	(void)fputs("</body>\n</html>\n", p->out);
}
