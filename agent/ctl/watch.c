/* petrel watch: a live screen. Ports, findings, and what belongs to one port,
 * each as the command of that name prints it, asked anew each second; with the
 * agent down, what it left in its rings.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "agent/ctl/client.h"
#include "agent/ctl/options.h"
#include "agent/ctl/picture.h"
#include "agent/ctl/runs.h"
#include "agent/ctl/terminal.h"
#include "petrel/clock.h"
#include "petrel/entity.h"
#include "petrel/local.h"

#define PERIOD_NS NS_PER_S
#define PERIOD_DOWN_NS (5 * NS_PER_S)	/* the rings do not change */
#define ANSWER_REST_NS (100 * NS_PER_MS)	/* of what has begun to come */
#define FILTER_MAX 32
#define TABLE_WIDTH_MIN 80u	/* Left and Right show the rest */
#define PICTURE_WIDTH_MIN 40u
#define PICTURE_ROWS_LESS 3u	/* title, head, foot */
#define HEAD_ROWS_MIN 10u	/* of the terminal, for more head than a line */
#define SCROLL_COLUMNS 8u

/* What can be looked at; a key each. */
struct page {
	char key;
	const char *title;
	const char *verb;	/* NULL: pictures of the past */
	const char *const *sorts;	/* the s key goes through them */
	bool is_of_port;
	bool has_rows;		/* a heading, and a line a row */
};

static const char *const port_sorts[] = { "margin", "!", "-util", "port",
					  NULL };
static const char *const queue_sorts[] = { "", "-drop_rate", NULL };

static const struct page pages[] = {
	{ 'p', "ports", "ports", port_sorts, false, true },
	{ 'f', "findings", "findings", NULL, false, false },
	{ 'o', "port", "port", NULL, true, false },
	{ 'l', "lanes", "lanes", NULL, true, true },
	{ 'u', "queues", "queues", queue_sorts, true, true },
	{ 'e', "events", "events", NULL, true, false },
	{ 'h', "history", NULL, NULL, true, false },
};

#define PAGE_COUNT (sizeof(pages) / sizeof(pages[0]))

static const char help[] =
	"p  ports, those with the least margin first\n"
	"f  findings\n"
	"o  the chosen port: all that is known of it (Enter, too)\n"
	"l  its lanes\n"
	"u  its queues\n"
	"e  its events\n"
	"h  its errors, light, heat and load of the last minutes\n"
	"\n"
	"s  sort by another column\n"
	"/  show only the lines with a word in them; Esc ends that\n"
	"Up, Down, PgUp, PgDn, Home, End, j, k  move\n"
	"Left, Right  what is wider than the terminal\n"
	"Ctrl-L  draw anew\n"
	"q  leave\n";

/* What is asked for, in turn. */
enum half { HALF_HEAD, HALF_BODY, HALF_COUNT };

struct watcher {
	struct terminal *terminal;
	struct ask ask;			/* place, and the question under way */
	struct client *client;		/* NULL: nothing is asked */
	enum half half;			/* what is under way */
	struct mono asked, next;
	struct pane pane[HALF_COUNT];
	bool is_down;			/* the agent; and the panes are of it */
	const struct page *page;
	unsigned sort;
	bool shows_help, is_typing, is_over;
	char port[ENTITY_NAME_MAX];	/* the chosen one */
	char filter[FILTER_MAX];
	size_t top, chosen;		/* lines of the body */
	unsigned skip;
	int signal_fd;
};

/* --- asking --------------------------------------------------------------- */

static const char *sort_of(const struct watcher *w)
{
	return w->page->sorts ? w->page->sorts[w->sort] : "";
}

/* The question for a half, into memory. Returns -ENOMEM. */
static int question_make(struct watcher *w, enum half half, struct pane *p)
{
	const char *verb = half == HALF_HEAD ? "overview" : w->page->verb;
	struct ask *q = &w->ask;
	Petrel__Request *r = &q->request;

	if (pane_begin(p) < 0)
		return -ENOMEM;
	q->verb = verb_find(verb_table, verb);
	q->screen = terminal_screen(w->terminal, p->out);
	if (half == HALF_BODY && q->screen.table_width < TABLE_WIDTH_MIN)
		q->screen.table_width = TABLE_WIDTH_MIN;
	q->how = (struct render_how){ .command = verb,
				      .has_findings = q->verb->has_findings };
	petrel__request__init(r);
	r->version = LOCAL_VERSION;
	r->verb = ask_word(verb);
	r->args = q->args;
	if (half == HALF_BODY) {
		r->sort = ask_word(sort_of(w));
		r->all = w->page->is_of_port;	/* the idle ones as well */
		if (w->page->is_of_port)
			r->args[r->n_args++] = w->port;
	}
	return 0;
}

/* The port that the chosen line is of stays the chosen one. */
static void chosen_find(struct watcher *w)
{
	struct pane *p = &w->pane[HALF_BODY];
	char word[ENTITY_NAME_MAX];

	if (w->page->is_of_port || !w->page->has_rows || !w->port[0])
		return;
	for (size_t i = 1; i < p->count; i++) {
		pane_word(p, i, word, sizeof(word));
		if (strcmp(word, w->port) == 0) {
			w->top += i > w->chosen && w->top ? i - w->chosen : 0;
			w->chosen = i;
			return;
		}
	}
}

/* What stands above the answer of the rings is in the head already. */
static void body_trim(struct watcher *w, struct pane *p)
{
	size_t empty = pane_empty_line(p, 0);

	if (w->is_down && w->page->verb && empty < p->count)
		pane_drop(p, 0, empty + 1);
	if (w->filter[0])
		pane_filter(p, w->page->has_rows ? 1 : 0, w->filter,
			    !w->page->has_rows);
}

/* What was printed takes the place of what was shown. */
static void half_take(struct watcher *w, enum half half, struct pane *p)
{
	if (pane_end(p) < 0) {
		pane_fini(p);
		return;
	}
	if (half == HALF_BODY)
		body_trim(w, p);
	pane_fini(&w->pane[half]);
	w->pane[half] = *p;
	if (half == HALF_BODY)
		chosen_find(w);
}

static void client_drop(struct watcher *w)
{
	client_close(w->client);
	w->client = NULL;
}

/* Nobody answers: what the rings have, or why not. */
static void half_unanswered(struct watcher *w, enum half half, struct pane *p,
			    int err, const char *why)
{
	client_drop(w);
	w->is_down = true;
	(void)ask_unanswered(&w->ask, err, why);
	half_take(w, half, p);
}

/* No question: the rings are read here. */
static void pictures_take(struct watcher *w)
{
	const struct picture_wish wish = { .port = w->port };
	struct pane p;
	struct screen s;
	struct diag d = { "" };

	if (pane_begin(&p) < 0)
		return;
	s = terminal_screen(w->terminal, p.out);
	if (s.width < PICTURE_WIDTH_MIN)
		s.width = PICTURE_WIDTH_MIN;
	if (picture_draw(&w->ask.place, &wish, terminal_rows(w->terminal) -
			 PICTURE_ROWS_LESS, &s, &d) != EXIT_ANSWERED)
		screen_wrap(&s, 0, 0, d.text);
	half_take(w, HALF_BODY, &p);
}

/* Sends the question for a half; what cannot be asked is answered here. */
static void half_ask(struct watcher *w, enum half half)
{
	struct pane p;
	struct diag d;
	int rc;

	client_drop(w);
	if (half == HALF_BODY && !w->page->verb) {
		pictures_take(w);
		return;
	}
	if (question_make(w, half, &p) < 0)
		return;
	w->half = half;
	w->asked = clock_mono_now();
	rc = client_open(&w->ask.place, &w->ask.request, &w->client, &d);
	if (rc < 0)
		half_unanswered(w, half, &p, rc, d.text);
	else
		pane_fini(&p);
}

/* What came for the half under way; its question is made again, for the
 * terminal may have another size by now.
 */
static void half_answered(struct watcher *w, int64_t timeout_ns)
{
	enum half half = w->half;
	int code = EXIT_ANSWERED, rc;
	struct pane p;
	bool more;
	struct diag d;

	if (question_make(w, half, &p) < 0)
		return;
	rc = ask_answer(&w->ask, w->client, timeout_ns, &code, &more, &d);
	if (rc < 0) {
		half_unanswered(w, half, &p, rc, d.text);
	} else {
		client_drop(w);
		w->is_down = false;
		half_take(w, half, &p);
	}
	if (half == HALF_HEAD)
		half_ask(w, HALF_BODY);
}

/* A round: the head, then the body. */
static void round_begin(struct watcher *w)
{
	struct mono now = clock_mono_now();

	w->next.ns = now.ns + (w->is_down ? PERIOD_DOWN_NS : PERIOD_NS);
	half_ask(w, HALF_HEAD);
	if (!w->client)		/* the rings answered at once */
		half_ask(w, HALF_BODY);
}

/* --- drawing -------------------------------------------------------------- */

static void text_draw(struct watcher *w, unsigned row, enum tint tint,
		      const char *text)
{
	(void)terminal_line(w->terminal, row, text, strlen(text), 0, tint,
			    false);
}

static void pane_draw(struct watcher *w, unsigned row, const struct pane *p,
		      size_t line, unsigned skip, bool is_marked)
{
	const struct pane_line *l = &p->lines[line];

	if (line < p->count)
		(void)terminal_line(w->terminal, row, l->text, l->octets, skip,
				    l->tint, is_marked);
}

/* What is looked at, and at the right where and when. */
static void title_draw(struct watcher *w)
{
	unsigned columns = terminal_columns(w->terminal);
	time_t now = (time_t)(clock_wall_now().ns / NS_PER_S);
	const char *sort = sort_of(w);
	char left[160], line[512];
	struct tm tm;

	if (w->shows_help)
		(void)snprintf(left, sizeof(left), "petrel: keys");
	else
		(void)snprintf(left, sizeof(left), "petrel: %s%s%s%s%s%s%s",
			       w->page->title,
			       w->page->is_of_port ? " of " : "",
			       w->page->is_of_port ? w->port : "",
			       sort[0] ? " by " : "",
			       sort[0] == '-' ? sort + 1 : sort,
			       w->filter[0] ? ", only with " : "", w->filter);
	if (localtime_r(&now, &tm) && strlen(left) + 10 <= columns)
		(void)snprintf(line, sizeof(line), "%-*s%02d:%02d:%02d",
			       (int)columns - 8, left, tm.tm_hour, tm.tm_min,
			       tm.tm_sec);
	else
		(void)snprintf(line, sizeof(line), "%s", left);
	text_draw(w, 0, TINT_HEAD, line);
}

/* How many lines of a paragraph there are; those that only go on a row of a
 * table are none where they are left out.
 */
static unsigned lines_of(const struct pane *p, size_t from, bool is_short)
{
	size_t end = pane_empty_line(p, from);
	unsigned n = 0;

	for (; from < end; from++)
		n += !is_short || p->lines[from].text[0] != ' ';
	return n;
}

/* Its first line, and the findings below it where there is room: with all words
 * if they fit. Returns the first row behind.
 */
static unsigned head_draw(struct watcher *w, unsigned row)
{
	const struct pane *p = &w->pane[HALF_HEAD];
	unsigned rows = terminal_rows(w->terminal), last = row + rows / 3;
	size_t wrong = pane_empty_line(p, 0) + 1;
	bool is_short;

	pane_draw(w, row++, p, 0, 0, false);
	if (rows < HEAD_ROWS_MIN || w->page != &pages[0])
		return row;
	if (w->is_down)		/* behind the agent's own paragraph */
		wrong = pane_empty_line(p, wrong) + 1;
	is_short = lines_of(p, wrong, false) > last - row;
	for (; row < last && wrong < p->count && p->lines[wrong].octets > 0;
	     wrong++)
		if (!is_short || p->lines[wrong].text[0] != ' ')
			pane_draw(w, row++, p, wrong, 0, false);
	return row + 1;
}

/* Keeps the chosen line in the body, and in sight below its heading; a text
 * scrolls by it.
 */
static void body_scroll(struct watcher *w, size_t pinned, size_t room)
{
	size_t count = w->pane[HALF_BODY].count;
	size_t last_top = count > room + pinned ? count - room : pinned;

	if (w->chosen >= count)
		w->chosen = count ? count - 1 : 0;
	if (!w->page->has_rows && w->chosen > last_top)
		w->chosen = last_top;
	if (w->chosen < pinned)
		w->chosen = pinned;
	if (w->top > w->chosen || !w->page->has_rows)
		w->top = w->chosen;
	if (w->chosen >= w->top + room)
		w->top = w->chosen - room + 1;
	if (w->top > last_top)
		w->top = last_top;
	if (w->top < pinned)
		w->top = pinned;
}

/* Returns the row of the chosen line, else end. */
static unsigned body_draw(struct watcher *w, unsigned row, unsigned end)
{
	const struct pane *p = &w->pane[HALF_BODY];
	size_t pinned = w->page->has_rows && p->count ? 1 : 0;
	unsigned cursor = end;

	if (pinned)
		pane_draw(w, row++, p, 0, w->skip, false);
	body_scroll(w, pinned, end > row ? end - row : 1);
	for (size_t line = w->top; line < p->count && row < end;
	     line++, row++) {
		bool is_marked = line == w->chosen && w->page->has_rows;

		pane_draw(w, row, p, line, w->skip, is_marked);
		if (is_marked)
			cursor = row;
	}
	return cursor;
}

static unsigned help_draw(struct watcher *w, unsigned row, unsigned end)
{
	const char *at = help;

	for (; *at && row < end; row++) {
		size_t len = strcspn(at, "\n");

		(void)terminal_line(w->terminal, row, at, len, 0, TINT_NONE,
				    false);
		at += len + (at[len] == '\n');
	}
	return end;
}

/* The keys, as many as there is room for; or what is typed. */
static void foot_draw(struct watcher *w, unsigned row)
{
	static const char *const keys[] = {
		"q leave", "? help", "p ports", "f findings", "l lanes",
		"u queues", "h history", "/ filter", "o port", "e events",
		"s sort",
	};
	unsigned columns = terminal_columns(w->terminal);
	char text[160] = "";
	size_t len = 0;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) &&
	     len + 2 + strlen(keys[i]) <= columns; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%s%s", len ? "  " : "", keys[i]);
	if (w->is_typing)
		(void)snprintf(text, sizeof(text), "/%s", w->filter);
	text_draw(w, row, TINT_FAINT, text);
}

static void draw(struct watcher *w)
{
	unsigned rows = terminal_rows(w->terminal), row = 1, cursor;
	unsigned end = rows ? rows - 1 : 0;

	terminal_begin(w->terminal);
	title_draw(w);
	if (rows > 3)
		row = head_draw(w, row);
	cursor = w->shows_help ? help_draw(w, row, end) :
				 body_draw(w, row, end);
	foot_draw(w, end);
	terminal_show(w->terminal, w->is_typing ? end : cursor);
}

/* --- keys ----------------------------------------------------------------- */

/* The port of the chosen line; the one before while an answer is to come. */
static void port_choose(struct watcher *w)
{
	const struct pane *p = &w->pane[HALF_BODY];
	size_t line = w->chosen < p->count ? w->chosen : p->count - 1;
	char word[ENTITY_NAME_MAX] = "";

	if (w->page->has_rows && !w->page->is_of_port && p->count > 1)
		pane_word(p, line ? line : 1, word, sizeof(word));
	if (word[0])
		memcpy(w->port, word, sizeof(word));
}

static void page_show(struct watcher *w, const struct page *v)
{
	port_choose(w);
	if (v->is_of_port && !w->port[0])
		return;
	if (v != w->page) {
		w->sort = 0;
		w->top = w->chosen = 0;
		w->skip = 0;
		pane_fini(&w->pane[HALF_BODY]);
	}
	w->page = v;
	w->shows_help = false;
	round_begin(w);
}

/* What is typed behind a '/'. */
static void filter_key(struct watcher *w, int key)
{
	size_t len = strlen(w->filter);

	if (key == '\n' || key == '\033')
		w->is_typing = false;
	if (key == '\033')
		w->filter[0] = '\0';
	else if (key == TERMINAL_BACKSPACE && len)
		w->filter[len - 1] = '\0';
	else if (key >= ' ' && key < 0x7f && len + 1 < FILTER_MAX)
		(void)snprintf(w->filter + len, FILTER_MAX - len, "%c", key);
	round_begin(w);
}

static void move_key(struct watcher *w, int key)
{
	size_t page = terminal_rows(w->terminal) / 2;
	size_t step = key == TERMINAL_PAGE_UP || key == TERMINAL_PAGE_DOWN ?
		      page : 1;

	switch (key) {
	case TERMINAL_UP:
	case TERMINAL_PAGE_UP:
	case 'k':
		w->chosen -= step < w->chosen ? step : w->chosen;
		break;
	case TERMINAL_DOWN:
	case TERMINAL_PAGE_DOWN:
	case 'j':
		w->chosen += step;
		break;
	case TERMINAL_HOME:
		w->chosen = 0;
		break;
	case TERMINAL_END:
		w->chosen = w->pane[HALF_BODY].count;
		break;
	case TERMINAL_LEFT:
		w->skip -= w->skip < SCROLL_COLUMNS ? w->skip : SCROLL_COLUMNS;
		break;
	case TERMINAL_RIGHT:
		w->skip += SCROLL_COLUMNS;
		break;
	default:
		return;
	}
	port_choose(w);
}

static void command_key(struct watcher *w, int key)
{
	for (size_t i = 0; i < PAGE_COUNT; i++)
		if (pages[i].key == (key == '\n' ? 'o' : key)) {
			page_show(w, &pages[i]);
			return;
		}
	switch (key) {
	case 'q':
		w->is_over = true;
		break;
	case '?':
		w->shows_help = !w->shows_help;
		break;
	case '/':
		w->is_typing = true;
		break;
	case '\033':	/* back: without a filter, then to the ports */
		if (w->filter[0])
			w->filter[0] = '\0';
		else
			page_show(w, &pages[0]);
		round_begin(w);
		break;
	case 's':
		if (w->page->sorts && !w->page->sorts[++w->sort])
			w->sort = 0;
		round_begin(w);
		break;
	case '\f':
		terminal_redraw(w->terminal);
		break;
	case TERMINAL_RESIZED:
		round_begin(w);
		break;
	default:
		move_key(w, key);
	}
}

static void keys_take(struct watcher *w)
{
	int key;

	while (!w->is_over &&
	       (key = terminal_key(w->terminal)) != TERMINAL_NONE)
		if (w->is_typing && key != TERMINAL_RESIZED)
			filter_key(w, key);
		else
			command_key(w, key);
}

/* --- the loop ------------------------------------------------------------- */

/* Until a key, an answer, the next round, or the end of waiting for an answer.
 */
static int wait_ms(const struct watcher *w)
{
	int64_t until_ns = w->client ? w->asked.ns + CLIENT_TIMEOUT_NS :
				       w->next.ns;
	int64_t left = until_ns - clock_mono_now().ns;

	return left <= 0 ? 0 : (int)(left / NS_PER_MS) + 1;
}

static void turn(struct watcher *w)
{
	struct pollfd p[] = { { .fd = STDIN_FILENO, .events = POLLIN },
			      { .fd = w->signal_fd, .events = POLLIN },
			      { .fd = w->client ? client_fd(w->client) : -1,
				.events = POLLIN } };
	int64_t waited;

	(void)poll(p, 3, wait_ms(w));
	if (p[0].revents & (POLLHUP | POLLERR | POLLNVAL) || p[1].revents)
		w->is_over = true;
	keys_take(w);	/* a change of size is one, and comes by a signal */
	if (w->is_over)
		return;
	waited = mono_diff_ns(clock_mono_now(), w->asked);
	if (w->client && (p[2].revents || waited >= CLIENT_TIMEOUT_NS))
		half_answered(w, ANSWER_REST_NS);
	else if (!w->client &&
		 mono_diff_ns(w->next, clock_mono_now()) <= 0)
		round_begin(w);
	draw(w);
}

/* A descriptor that is readable when somebody wants an end of it. */
static int end_fd(void)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static int failed(int code, const char *why)
{
	(void)fprintf(stderr, "petrel: watch: %s\n", why);
	return code;
}

int watch_run(const struct invocation *inv)
{
	struct watcher w = { .page = &pages[0], .signal_fd = -1 };
	struct diag d;

	if (option_given(inv, OPTION_JSON))
		return failed(EXIT_USAGE, "it is a screen, and has no JSON");
	if (ask_place(inv, &w.ask.place, &d) < 0)
		return failed(EXIT_USAGE, d.text);
	w.signal_fd = end_fd();
	if (w.signal_fd < 0)
		return failed(EXIT_INCOMPLETE, strerror(errno));
	if (terminal_open(&w.terminal, &d) < 0) {
		(void)close(w.signal_fd);
		return failed(EXIT_USAGE, d.text);
	}
	round_begin(&w);
	while (!w.is_over)
		turn(&w);
	client_drop(&w);
	terminal_close(w.terminal);
	for (int i = 0; i < HALF_COUNT; i++)
		pane_fini(&w.pane[i]);
	(void)close(w.signal_fd);
	return EXIT_ANSWERED;
}
