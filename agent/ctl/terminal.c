#include "agent/ctl/terminal.h"

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "agent/ctl/canvas.h"

#define LIBRARY "libncursesw.so.6"
#define LIBRARY_PACKAGE "libncursesw6"
#define ESCAPE_WAIT_MS 100	/* slow lines split what a key sends */

/* The library's functions that are used. */
#define CALLS(X)                                                              \
	X(newterm) X(delscreen) X(newwin) X(delwin) X(endwin) X(cbreak)       \
	X(noecho) X(set_escdelay) X(keypad) X(nodelay) X(wgetch) X(werase)    \
	X(wmove) X(waddnwstr) X(wattr_set) X(wrefresh) X(clearok) X(getmaxx)  \
	X(getmaxy) X(has_colors) X(start_color) X(use_default_colors)         \
	X(init_pair) X(tigetstr)

struct curses {
#define CALL_MEMBER(name) __typeof__(name) *name;
	CALLS(CALL_MEMBER)
};

struct terminal {
	void *library;
	struct curses call;
	SCREEN *screen;
	WINDOW *window;
	bool is_plain, has_colour;
};

static int library_open(struct terminal *t, struct diag *d)
{
	t->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!t->library)
		return diag_set(d, -ENOENT, "%s: install " LIBRARY_PACKAGE,
				dlerror());
#define CALL_LOAD(name)                                                       \
	*(void **)&t->call.name = dlsym(t->library, #name);                   \
	if (!t->call.name)                                                    \
		return diag_set(d, -ENOENT, "%s", dlerror());
	CALLS(CALL_LOAD)
	return 0;
}

/* Whether the terminal can move the cursor; a "dumb" one cannot. */
static bool has_cursor(const struct terminal *t)
{
	const char *move = t->call.tigetstr("cup");

	return move && (intptr_t)move != -1;
}

/* Sets the colours of the tints, on the terminal's own background. */
static void colours_set(struct terminal *t)
{
	t->has_colour = t->call.has_colors() && t->call.start_color() == OK &&
			t->call.use_default_colors() == OK;
	if (!t->has_colour)
		return;
	(void)t->call.init_pair(TINT_WATCH, COLOR_CYAN, -1);
	(void)t->call.init_pair(TINT_WARN, COLOR_YELLOW, -1);
	(void)t->call.init_pair(TINT_CRITICAL, COLOR_RED, -1);
}

int terminal_open(struct terminal **ret, struct diag *d)
{
	struct screen s = screen_of(stdout);
	const char *type = getenv("TERM");
	struct terminal *t;
	int rc;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return diag_set(d, -ENOTTY, "needs a terminal");
	t = calloc(1, sizeof(*t));
	if (!t)
		return diag_set(d, -ENOMEM, "no memory");
	rc = library_open(t, d);
	if (rc < 0)
		goto fail;
	/* If the locale is not installed here, any UTF-8 locale will do. */
	if (!setlocale(LC_CTYPE, "") && !s.is_plain)
		(void)setlocale(LC_CTYPE, "C.UTF-8");
	t->is_plain = s.is_plain;
	t->screen = t->call.newterm(NULL, stdout, stdin);
	if (!t->screen || !has_cursor(t)) {
		rc = diag_set(d, -ENOTTY, "ncurses cannot draw on TERM=%s; try "
			      "TERM=vt100, or watch petrel ports",
			      type ? type : "");
		goto fail;
	}
	(void)t->call.set_escdelay(ESCAPE_WAIT_MS);
	(void)t->call.cbreak();
	(void)t->call.noecho();
	t->window = t->call.newwin(0, 0, 0, 0);
	if (!t->window) {
		rc = diag_set(d, -ENOMEM, "no memory");
		goto fail;
	}
	(void)t->call.keypad(t->window, TRUE);
	(void)t->call.nodelay(t->window, TRUE);
	if (s.colour)
		colours_set(t);
	*ret = t;
	return 0;
fail:
	terminal_close(t);
	return rc;
}

void terminal_close(struct terminal *t)
{
	if (!t)
		return;
	if (t->window)
		(void)t->call.delwin(t->window);
	if (t->screen) {
		(void)t->call.endwin();
		t->call.delscreen(t->screen);
	}
	free(t);	/* not unloaded: the process ends */
}

unsigned terminal_height(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

unsigned terminal_columns(const struct terminal *t)
{
	return (unsigned)t->call.getmaxx(t->window);
}

unsigned terminal_rows(const struct terminal *t)
{
	return (unsigned)t->call.getmaxy(t->window);
}

struct screen terminal_screen(const struct terminal *t, FILE *out)
{
	unsigned columns = terminal_columns(t);

	return (struct screen){ .out = out, .err = out, .width = columns,
				.table_width = columns, .colour = true,
				.is_plain = t->is_plain };
}

void terminal_begin(struct terminal *t)
{
	(void)t->call.werase(t->window);
}

/* Finds a code of screen_tint() or screen_plain() at text: its tint, and its
 * length; 0: none.
 */
static size_t tint_code(const char *text, size_t octets, enum tint *ret)
{
	for (int i = TINT_NONE; i < TINT_COUNT; i++) {
		const char *code = i ? screen_tint_code((enum tint)i) :
				       SCREEN_PLAIN_CODE;
		size_t len = strlen(code);

		if (octets < len || memcmp(text, code, len) != 0)
			continue;
		*ret = (enum tint)i;
		return len;
	}
	return 0;
}

static void tint_set(struct terminal *t, enum tint tint, bool is_marked)
{
	static const attr_t attributes[TINT_COUNT] = {
		[TINT_HEAD] = A_BOLD, [TINT_FAINT] = A_DIM,
		[TINT_CRITICAL] = A_BOLD,
	};
	short pair = t->has_colour && tint >= TINT_WATCH ? (short)tint : 0;

	(void)t->call.wattr_set(t->window, attributes[tint] |
				(is_marked ? A_REVERSE : 0), pair, NULL);
}

void terminal_line(struct terminal *t, unsigned row, const struct pane_line *l,
		   unsigned skip, bool is_marked)
{
	unsigned columns = terminal_columns(t), at = 0;
	const char *text = l->text, *end = text + l->octets;
	enum tint tint = l->tint;

	(void)t->call.wmove(t->window, (int)row, 0);
	tint_set(t, tint, is_marked);
	while (text < end) {
		size_t code = tint_code(text, (size_t)(end - text), &tint);
		uint32_t glyph;
		wchar_t c;

		if (code) {
			text += code;
			tint_set(t, tint, is_marked);
			continue;
		}
		glyph = glyph_next(&text);
		c = (wchar_t)(t->is_plain ? glyph_plain(glyph) : glyph);
		if (at >= skip && at - skip < columns)
			(void)t->call.waddnwstr(t->window, &c, 1);
		at++;
	}
}

void terminal_show(struct terminal *t, unsigned cursor_row)
{
	tint_set(t, TINT_NONE, false);
	(void)t->call.wmove(t->window, (int)cursor_row, 0);
	(void)t->call.wrefresh(t->window);
}

void terminal_redraw(struct terminal *t)
{
	(void)t->call.clearok(t->window, TRUE);
}

int terminal_key(struct terminal *t)
{
	static const struct {
		int key;
		enum terminal_key means;
	} keys[] = {
		{ KEY_UP, TERMINAL_UP },
		{ KEY_DOWN, TERMINAL_DOWN },
		{ KEY_LEFT, TERMINAL_LEFT },
		{ KEY_RIGHT, TERMINAL_RIGHT },
		{ KEY_PPAGE, TERMINAL_PAGE_UP },
		{ KEY_NPAGE, TERMINAL_PAGE_DOWN },
		{ KEY_HOME, TERMINAL_HOME },
		{ KEY_END, TERMINAL_END },
		{ KEY_BACKSPACE, TERMINAL_BACKSPACE },
		{ 0x7f, TERMINAL_BACKSPACE },
		{ '\b', TERMINAL_BACKSPACE },
		{ KEY_RESIZE, TERMINAL_RESIZED },
		{ KEY_ENTER, '\n' },
		{ '\r', '\n' },
		{ ERR, TERMINAL_NONE },
	};
	int key = t->call.wgetch(t->window);

	if (key == KEY_RESIZE)	/* the old picture may be garbled */
		terminal_redraw(t);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].key == key)
			return keys[i].means;
	return key < 0x80 ? key : TERMINAL_OTHER;
}

/* --- text as lines -------------------------------------------------------- */

int pane_begin(struct pane *p)
{
	*p = (struct pane){ .out = NULL };
	p->out = open_memstream(&p->text, &p->octets);
	return p->out ? 0 : -ENOMEM;
}

/* The tint in force after a line: codes begin with an escape and end with m;
 * nothing else that is printed has an escape in it.
 */
static enum tint tint_behind(const struct pane_line *l)
{
	const char *end = l->text + l->octets;
	enum tint tint = l->tint;

	for (const char *at = l->text;
	     (at = memchr(at, '\033', (size_t)(end - at))); at++)
		(void)tint_code(at, (size_t)(end - at), &tint);
	return tint;
}

int pane_end(struct pane *p)
{
	size_t count = 0;
	const char *at;
	int rc = fclose(p->out) == 0 ? 0 : -ENOMEM;

	p->out = NULL;
	for (at = p->text; rc == 0 && (at = strchr(at, '\n')); at++)
		count++;
	p->lines = calloc(count + 1, sizeof(*p->lines));
	if (!p->lines || rc < 0)
		return -ENOMEM;
	at = p->text;
	for (size_t i = 0; i < count; i++) {
		struct pane_line *l = &p->lines[i];

		l->text = at;
		l->octets = strcspn(at, "\n");
		l->tint = i ? tint_behind(l - 1) : TINT_NONE;
		at += l->octets + 1;
	}
	p->count = count;
	return 0;
}

void pane_fini(struct pane *p)
{
	if (p->out)
		(void)fclose(p->out);
	free(p->text);
	free(p->lines);
	*p = (struct pane){ .out = NULL };
}

size_t pane_empty_line(const struct pane *p, size_t from)
{
	while (from < p->count && p->lines[from].octets > 0)
		from++;
	return from;
}

void pane_drop(struct pane *p, size_t from, size_t n)
{
	n = from + n <= p->count ? n : p->count - from;
	memmove(p->lines + from, p->lines + from + n,
		(p->count - from - n) * sizeof(*p->lines));
	p->count -= n;
}

static bool line_has(const struct pane_line *l, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= l->octets; i++)
		if (strncasecmp(l->text + i, word, len) == 0)
			return true;
	return false;
}

void pane_filter(struct pane *p, size_t from, const char *word,
		 bool are_blocks)
{
	size_t at = from;

	while (at < p->count) {
		size_t end = are_blocks ? pane_empty_line(p, at) : at;
		bool has = false;

		end = end < p->count ? end + 1 : end;
		for (size_t i = at; i < end; i++)
			has = has || line_has(&p->lines[i], word);
		if (has)
			at = end;
		else
			pane_drop(p, at, end - at);
	}
}

/* Skips blanks and tint codes. */
static const char *word_begin(const char *at)
{
	while (*at == ' ' || *at == ',' || *at == '\033') {
		at += *at == '\033' ? strcspn(at, "m\n") : 0;
		at += *at != '\n';
	}
	return at;
}

static const char word_ends[] = " ,\n\033";

static const char *word_at(const struct pane *p, size_t line, unsigned n)
{
	const char *at = line < p->count ? p->lines[line].text : "";

	for (; n > 0; n--)
		at = word_begin(at + strcspn(at, word_ends));
	return at;
}

void pane_word(const struct pane *p, size_t line, unsigned n, char *ret,
	       size_t cap)
{
	const char *at = word_at(p, line, n);

	(void)snprintf(ret, cap, "%.*s", (int)strcspn(at, word_ends), at);
}

void pane_words(const struct pane *p, size_t line, unsigned n, char *ret,
		size_t cap)
{
	const char *at = word_at(p, line, n), *gap = strstr(at, "  ");
	size_t len = strcspn(at, "\n\033");

	if (gap && (size_t)(gap - at) < len)
		len = (size_t)(gap - at);
	(void)snprintf(ret, cap, "%.*s", (int)len, at);
}
