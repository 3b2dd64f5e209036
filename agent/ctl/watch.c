/* petrel watch: a live screen. Ports, findings, and details of one port, each
 * as its own command prints it, asked again each second; with the agent down,
 * from the rings it left.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/ctl/client.h"
#include "agent/ctl/options.h"
#include "agent/ctl/picture.h"
#include "agent/ctl/runs.h"
#include "agent/ctl/watch_view.h"
#include "petrel/clock.h"
#include "petrel/local.h"

#define PERIOD_NS NS_PER_S
#define PERIOD_DOWN_NS (5 * NS_PER_S)	/* the rings do not change */
#define ANSWER_REST_NS (100 * NS_PER_MS)	/* once an answer has begun */
#define TABLE_WIDTH_MIN 80u	/* Left and Right show the rest */
#define PICTURE_WIDTH_MIN 40u
#define PICTURE_ROWS_LESS 3u	/* for title, head, foot */
#define SCROLL_COLUMNS 8u

struct watcher {
	struct watch_view view;
	struct ask ask;			/* place, and current question */
	struct client *client;		/* NULL: no question is pending */
	enum watch_half half;		/* the current one */
	struct mono asked, next;
	bool is_over;
	int signal_fd;
};

/* --- asking --------------------------------------------------------------- */

/* Makes the question for a half, to print into p. Returns -ENOMEM. */
static int question_make(struct watcher *w, enum watch_half half,
			 struct pane *p)
{
	const struct watch_page *page = w->view.page;
	const char *verb = half == HALF_HEAD ? "overview" :
			   page->other && w->view.is_no_port ? page->other :
							       page->verb;
	struct ask *q = &w->ask;
	Petrel__Request *r = &q->request;

	if (pane_begin(p) < 0)
		return -ENOMEM;
	q->verb = verb_find(verb_table, verb);
	q->screen = terminal_screen(w->view.terminal, p->out);
	if (half == HALF_BODY && q->screen.table_width < TABLE_WIDTH_MIN)
		q->screen.table_width = TABLE_WIDTH_MIN;
	q->how = (struct render_how){ .command = verb,
				      .has_findings = q->verb->has_findings };
	ask_request(r, verb, q->args, 0);
	if (half == HALF_BODY) {
		r->sort = ask_word(watch_view_sort(&w->view));
		/* idle ones too, but not absent ones */
		r->all = page->is_of_port && verb == page->verb;
		if (page->is_of_port)
			r->args[r->n_args++] = w->view.port;
	}
	return 0;
}

/* The head already has what precedes the rings' answer. */
static void body_trim(const struct watch_view *v, struct pane *p)
{
	size_t empty = pane_empty_line(p, 0);

	if (v->is_down && v->page->verb && empty < p->count)
		pane_drop(p, 0, empty + 1);
	if (v->filter[0])
		pane_filter(p, v->page->has_rows ? 1 : 0, v->filter,
			    !v->page->has_rows);
}

static void half_ask(struct watcher *w, enum watch_half half);

/* Shows what was printed; if there is no such port, asks page->other, as it may
 * be something else.
 */
static void half_take(struct watcher *w, enum watch_half half, int code,
		      struct pane *p)
{
	bool is_other = half == HALF_BODY && code == EXIT_NO_SUCH &&
			w->view.page->other && !w->view.is_no_port;

	if (pane_end(p) < 0 || is_other) {
		pane_fini(p);
		w->view.is_no_port |= is_other;
		if (is_other)
			half_ask(w, half);
		return;
	}
	if (half == HALF_BODY)
		body_trim(&w->view, p);
	pane_fini(&w->view.pane[half]);
	w->view.pane[half] = *p;
	if (half == HALF_BODY)
		watch_view_follow(&w->view);
}

static void client_drop(struct watcher *w)
{
	client_close(w->client);
	w->client = NULL;
}

/* Nobody answers: shows what the rings have, or why there is no answer. */
static void half_unanswered(struct watcher *w, enum watch_half half,
			    struct pane *p, int err, const char *why)
{
	client_drop(w);
	w->view.is_down = true;
	half_take(w, half, ask_unanswered(&w->ask, err, why), p);
}

/* Asks nobody: reads the rings directly. */
static void pictures_take(struct watcher *w)
{
	const struct picture_wish wish = { .port = w->view.port };
	struct pane p;
	struct screen s;
	struct diag d = { "" };

	if (pane_begin(&p) < 0)
		return;
	s = terminal_screen(w->view.terminal, p.out);
	if (s.width < PICTURE_WIDTH_MIN)
		s.width = PICTURE_WIDTH_MIN;
	if (picture_draw(&w->ask.place, &wish, terminal_rows(w->view.terminal) -
			 PICTURE_ROWS_LESS, &s, &d) != EXIT_ANSWERED)
		screen_wrap(&s, 0, 0, d.text);
	half_take(w, HALF_BODY, EXIT_ANSWERED, &p);
}

/* Sends the question for a half; answers it from the rings if that fails. */
static void half_ask(struct watcher *w, enum watch_half half)
{
	struct pane p;
	struct diag d;
	int rc;

	client_drop(w);
	if (half == HALF_BODY && !w->view.page->verb) {
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

/* Takes the answer for the current half; makes its question anew, as the
 * terminal's size may have changed.
 */
static void half_answered(struct watcher *w)
{
	enum watch_half half = w->half;
	int code = EXIT_ANSWERED, rc;
	struct pane p;
	bool more;
	struct diag d;

	if (question_make(w, half, &p) < 0)
		return;
	rc = ask_answer(&w->ask, w->client, ANSWER_REST_NS, &code, &more, &d);
	if (rc < 0) {
		half_unanswered(w, half, &p, rc, d.text);
	} else {
		client_drop(w);
		w->view.is_down = false;
		half_take(w, half, code, &p);
	}
	if (half == HALF_HEAD)
		half_ask(w, HALF_BODY);
}

/* A round: the head, then the body. */
static void round_begin(struct watcher *w)
{
	struct mono now = clock_mono_now();

	w->next.ns = now.ns + (w->view.is_down ? PERIOD_DOWN_NS : PERIOD_NS);
	half_ask(w, HALF_HEAD);
	if (!w->client)		/* the rings answered at once */
		half_ask(w, HALF_BODY);
}

/* --- keys ----------------------------------------------------------------- */

static void page_show(struct watcher *w, const struct watch_page *page)
{
	struct watch_view *v = &w->view;

	watch_view_choose(v);
	if (page->is_of_port && !v->port[0])
		return;
	if (page != v->page) {
		v->sort = 0;
		v->top = v->chosen = 0;
		v->skip = 0;
		pane_fini(&v->pane[HALF_BODY]);
	}
	v->page = page;
	v->shows_help = false;
	round_begin(w);
}

/* A key typed after '/'. */
static void filter_key(struct watcher *w, int key)
{
	struct watch_view *v = &w->view;
	size_t len = strlen(v->filter);

	if (key == '\n' || key == '\033')
		v->is_typing = false;
	if (key == '\033')
		v->filter[0] = '\0';
	else if (key == TERMINAL_BACKSPACE && len)
		v->filter[len - 1] = '\0';
	else if (key >= ' ' && key < 0x7f && len + 1 < WATCH_FILTER_MAX)
		(void)snprintf(v->filter + len, WATCH_FILTER_MAX - len, "%c",
			       key);
	round_begin(w);
}

static void move_key(struct watch_view *v, int key)
{
	size_t page = terminal_rows(v->terminal) / 2;
	size_t step = key == TERMINAL_PAGE_UP || key == TERMINAL_PAGE_DOWN ?
		      page : 1;

	switch (key) {
	case TERMINAL_UP:
	case TERMINAL_PAGE_UP:
	case 'k':
		v->chosen -= step < v->chosen ? step : v->chosen;
		break;
	case TERMINAL_DOWN:
	case TERMINAL_PAGE_DOWN:
	case 'j':
		v->chosen += step;
		break;
	case TERMINAL_HOME:
		v->chosen = 0;
		break;
	case TERMINAL_END:
		v->chosen = v->pane[HALF_BODY].count;
		break;
	case TERMINAL_LEFT:
		v->skip -= v->skip < SCROLL_COLUMNS ? v->skip : SCROLL_COLUMNS;
		break;
	case TERMINAL_RIGHT:
		v->skip += SCROLL_COLUMNS;
		break;
	default:
		return;
	}
	watch_view_choose(v);
}

static void command_key(struct watcher *w, int key)
{
	for (const struct watch_page *p = watch_pages; p->title; p++)
		if (p->key == (key == '\n' ? 'o' : key)) {
			page_show(w, p);
			return;
		}
	switch (key) {
	case 'q':
		w->is_over = true;
		break;
	case '?':
		w->view.shows_help = !w->view.shows_help;
		break;
	case '/':
		w->view.is_typing = true;
		break;
	case '\033':	/* clear the filter, else go to the ports */
		if (w->view.filter[0])
			w->view.filter[0] = '\0';
		else
			page_show(w, &watch_pages[0]);
		round_begin(w);
		break;
	case 's':
		if (w->view.page->sorts && !w->view.page->sorts[++w->view.sort])
			w->view.sort = 0;
		round_begin(w);
		break;
	case '\f':
		terminal_redraw(w->view.terminal);
		break;
	case TERMINAL_RESIZED:
		round_begin(w);
		break;
	default:
		move_key(&w->view, key);
	}
}

static void keys_take(struct watcher *w)
{
	int key;

	while (!w->is_over &&
	       (key = terminal_key(w->view.terminal)) != TERMINAL_NONE)
		if (w->view.is_typing && key != TERMINAL_RESIZED)
			filter_key(w, key);
		else
			command_key(w, key);
}

/* --- the loop ------------------------------------------------------------- */

/* Time until the next round, or until waiting for an answer times out. */
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
	keys_take(w);	/* a resize is a key, and comes by a signal */
	if (w->is_over)
		return;
	waited = mono_diff_ns(clock_mono_now(), w->asked);
	if (w->client && (p[2].revents || waited >= CLIENT_TIMEOUT_NS))
		half_answered(w);
	else if (!w->client &&
		 mono_diff_ns(w->next, clock_mono_now()) <= 0)
		round_begin(w);
	watch_view_draw(&w->view);
}

int watch_run(const struct invocation *inv)
{
	struct watcher w = { .view.page = &watch_pages[0], .signal_fd = -1 };
	struct diag d;

	if (ask_place(inv, &w.ask.place, &d) < 0)
		return command_failed(EXIT_USAGE, "watch: %s", d.text);
	w.signal_fd = ask_end_fd(true);
	if (w.signal_fd < 0)
		return command_failed(EXIT_INCOMPLETE, "watch: %s",
				      strerror(errno));
	if (terminal_open(&w.view.terminal, &d) < 0) {
		(void)close(w.signal_fd);
		return command_failed(EXIT_USAGE, "watch: %s", d.text);
	}
	round_begin(&w);
	while (!w.is_over)
		turn(&w);
	client_drop(&w);
	terminal_close(w.view.terminal);
	for (int i = 0; i < HALF_COUNT; i++)
		pane_fini(&w.view.pane[i]);
	(void)close(w.signal_fd);
	return EXIT_ANSWERED;
}
