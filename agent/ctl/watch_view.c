#include "agent/ctl/watch_view.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/joined.h"
#include "agent/ctl/cell.h"
#include "petrel/clock.h"
#include "petrel/finding.h"

#define HEAD_ROWS_MIN 10u	/* in total, for a head of several lines */

static const char *const port_sorts[] = { "margin", "!", "-util", "port",
					  NULL };
static const char *const queue_sorts[] = { "", "-drop_rate", NULL };

const struct watch_page watch_pages[] = {
	{ 'p', "ports", "ports", NULL, port_sorts, false, true, false },
	{ 'f', "findings", "findings", NULL, NULL, false, false, true },
	{ 'o', "port", "port", "show", NULL, true, false, false },
	{ 'l', "lanes", "lanes", NULL, NULL, true, true, false },
	{ 'u', "queues", "queues", NULL, queue_sorts, true, true, false },
	{ 'e', "events", "events", NULL, NULL, true, false, false },
	{ 'h', "history", NULL, NULL, NULL, true, false, false },
	{ .title = NULL },
};

static const char help[] =
	"p  ports, those with the least margin first\n"
	"f  findings; the port of the marked one becomes the chosen port\n"
	"o  everything about the chosen port, or a finding's sensor (Enter)\n"
	"l  its lanes\n"
	"u  its queues\n"
	"e  its events\n"
	"h  its errors, light, heat and load of the last minutes\n"
	"\n"
	"s  sort by another column\n"
	"/  show only the lines that contain a word; Esc shows all again\n"
	"Up, Down, PgUp, PgDn, Home, End, j, k  move\n"
	"Left, Right  scroll sideways\n"
	"Ctrl-L  redraw\n"
	"q  quit\n";

const char *watch_view_sort(const struct watch_view *v)
{
	return v->page->sorts ? v->page->sorts[v->sort] : "";
}

void watch_view_follow(struct watch_view *v)
{
	struct pane *p = &v->pane[HALF_BODY];
	char word[ENTITY_NAME_MAX];

	if (v->page->is_of_port || !v->page->has_rows || !v->port[0])
		return;
	for (size_t i = 1; i < p->count; i++) {
		pane_word(p, i, 0, word, sizeof(word));
		if (strcmp(word, v->port) == 0) {
			v->top += i > v->chosen && v->top ? i - v->chosen : 0;
			v->chosen = i;
			return;
		}
	}
}

/* The port of the finding on this line: the first one it lists, else its
 * subject. Empty after the last finding.
 */
static void finding_port_word(const struct pane *p, size_t line, char *ret,
			      size_t cap)
{
	static const char ports[] = "  ports ";
	size_t head = line, at;
	char *lanes;

	while (head > 0 && p->lines[head - 1].octets > 0)
		head--;
	pane_word(p, head, 0, ret, cap);
	if (strlen(ret) != FINDING_ID_LEN) {
		ret[0] = '\0';
		return;
	}
	pane_words(p, head, 2, ret, cap);
	lanes = strstr(ret, " lane");
	if (lanes)
		*lanes = '\0';
	for (at = head; at < p->count && p->lines[at].octets > 0; at++)
		if (strncmp(p->lines[at].text, ports, sizeof(ports) - 1) == 0)
			pane_word(p, at, 2, ret, cap);
}

void watch_view_choose(struct watch_view *v)
{
	const struct pane *p = &v->pane[HALF_BODY];
	size_t line = v->chosen < p->count ? v->chosen : p->count - 1;
	char word[ENTITY_NAME_MAX] = "";

	if (v->page->has_rows && !v->page->is_of_port && p->count > 1)
		pane_word(p, line ? line : 1, 0, word, sizeof(word));
	else if (v->page->has_findings && p->count)
		finding_port_word(p, line, word, sizeof(word));
	if (!word[0] || strcmp(word, v->port) == 0)
		return;
	memcpy(v->port, word, sizeof(word));
	v->is_no_port = false;	/* until an answer says so */
}

/* --- drawing -------------------------------------------------------------- */

static void text_draw(struct watch_view *v, unsigned row, enum tint tint,
		      const char *text)
{
	terminal_line(v->terminal, row, &(struct pane_line){
		      text, strlen(text), tint }, 0, false);
}

static void pane_draw(struct watch_view *v, unsigned row, const struct pane *p,
		      size_t line, unsigned skip, bool is_marked)
{
	if (line < p->count)
		terminal_line(v->terminal, row, &p->lines[line], skip,
			      is_marked);
}

/* What is shown, and the time at the right. */
static void title_draw(struct watch_view *v)
{
	unsigned columns = terminal_columns(v->terminal);
	const char *sort = watch_view_sort(v), *day;
	char left[160], line[512], when[48];

	if (v->shows_help)
		(void)snprintf(left, sizeof(left), "petrel: keys");
	else if (v->is_no_port && v->page->other)
		(void)snprintf(left, sizeof(left), "petrel: %s", v->port);
	else
		(void)snprintf(left, sizeof(left), "petrel: %s%s%s%s%s%s%s",
			       v->page->title,
			       v->page->is_of_port ? " of " : "",
			       v->page->is_of_port ? v->port : "",
			       sort[0] ? " by " : "",
			       sort[0] == '-' ? sort + 1 : sort,
			       v->filter[0] ? ", only with " : "", v->filter);
	wall_text(clock_wall_now().ns, when, sizeof(when));
	day = strlen(when) > WALL_DAY_AT ? when + WALL_DAY_AT : "";
	if (strlen(left) + strlen(day) + 2 <= columns)
		(void)snprintf(line, sizeof(line), "%-*s%s",
			       (int)(columns - strlen(day)), left, day);
	else
		(void)snprintf(line, sizeof(line), "%s", left);
	text_draw(v, 0, TINT_HEAD, line);
}

/* The head's first line, and the findings below it if there is room: in full if
 * they fit. Returns the first row after it.
 */
static unsigned head_draw(struct watch_view *v, unsigned row)
{
	const struct pane *p = &v->pane[HALF_HEAD];
	unsigned rows = terminal_rows(v->terminal), last = row + rows / 3;
	size_t wrong = pane_empty_line(p, 0) + 1;
	bool is_short;

	pane_draw(v, row++, p, 0, 0, false);
	if (rows < HEAD_ROWS_MIN || v->page != &watch_pages[0])
		return row;
	if (v->is_down)		/* after the agent's own paragraph */
		wrong = pane_empty_line(p, wrong) + 1;
	is_short = pane_empty_line(p, wrong) - wrong > last - row;
	for (; row < last && wrong < p->count && p->lines[wrong].octets > 0;
	     wrong++)
		if (!is_short || p->lines[wrong].text[0] != ' ')
			pane_draw(v, row++, p, wrong, 0, false);
	return row + 1;
}

/* Whether the page marks a chosen line; else it only scrolls. */
static bool has_mark(const struct watch_page *page)
{
	return page->has_rows || page->has_findings;
}

/* Keeps the chosen line in the body, and visible below the heading; a page
 * without a mark scrolls by it.
 */
static void body_scroll(struct watch_view *v, size_t pinned, size_t room)
{
	size_t count = v->pane[HALF_BODY].count;
	size_t last_top = count > room + pinned ? count - room : pinned;

	if (v->chosen >= count)
		v->chosen = count ? count - 1 : 0;
	if (!has_mark(v->page) && v->chosen > last_top)
		v->chosen = last_top;
	if (v->chosen < pinned)
		v->chosen = pinned;
	if (v->top > v->chosen || !has_mark(v->page))
		v->top = v->chosen;
	if (v->chosen >= v->top + room)
		v->top = v->chosen - room + 1;
	if (v->top > last_top)
		v->top = last_top;
	if (v->top < pinned)
		v->top = pinned;
}

/* Returns the row of the chosen line, else end. */
static unsigned body_draw(struct watch_view *v, unsigned row, unsigned end)
{
	const struct pane *p = &v->pane[HALF_BODY];
	size_t pinned = v->page->has_rows && p->count ? 1 : 0;
	unsigned cursor = end;

	if (pinned)
		pane_draw(v, row++, p, 0, v->skip, false);
	body_scroll(v, pinned, end > row ? end - row : 1);
	for (size_t line = v->top; line < p->count && row < end;
	     line++, row++) {
		bool is_marked = line == v->chosen && has_mark(v->page);

		pane_draw(v, row, p, line, v->skip, is_marked);
		if (is_marked)
			cursor = row;
	}
	return cursor;
}

static unsigned help_draw(struct watch_view *v, unsigned row, unsigned end)
{
	const char *at = help;

	for (; *at && row < end; row++) {
		size_t len = strcspn(at, "\n");

		terminal_line(v->terminal, row, &(struct pane_line){ at, len },
			      0, false);
		at += len + (at[len] == '\n');
	}
	return end;
}

/* The keys, as many as fit; or the filter being typed. */
static void foot_draw(struct watch_view *v, unsigned row)
{
	static const char *const keys[] = {
		"q quit", "? help", "p ports", "f findings", "l lanes",
		"u queues", "h history", "/ filter", "o port", "e events",
		"s sort",
	};
	unsigned columns = terminal_columns(v->terminal);
	char text[160] = "";

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) &&
			   strlen(text) + 2 + strlen(keys[i]) <= columns; i++)
		joined_add(text, sizeof(text), "  ", "%s", keys[i]);
	if (v->is_typing)
		(void)snprintf(text, sizeof(text), "/%s", v->filter);
	text_draw(v, row, TINT_FAINT, text);
}

void watch_view_draw(struct watch_view *v)
{
	unsigned rows = terminal_rows(v->terminal), row = 1, cursor;
	unsigned end = rows ? rows - 1 : 0;

	terminal_begin(v->terminal);
	title_draw(v);
	if (rows > 3)
		row = head_draw(v, row);
	cursor = v->shows_help ? help_draw(v, row, end) :
				 body_draw(v, row, end);
	foot_draw(v, end);
	terminal_show(v->terminal, v->is_typing ? end : cursor);
}
