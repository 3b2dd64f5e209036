/* The whole of a terminal, by ncurses, which is loaded on use: petrel starts as
 * fast without. What did not change is not sent again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "agent/ctl/screen.h"
#include "petrel/diag.h"

struct terminal;

/* Keys that are no character. */
enum terminal_key {
	TERMINAL_NONE = -1,
	TERMINAL_UP = 0x1000, TERMINAL_DOWN, TERMINAL_LEFT, TERMINAL_RIGHT,
	TERMINAL_PAGE_UP, TERMINAL_PAGE_DOWN, TERMINAL_HOME, TERMINAL_END,
	TERMINAL_BACKSPACE, TERMINAL_RESIZED, TERMINAL_OTHER,
};

/* Takes the terminal on standard output and input. Returns -ENOENT (no such
 * library), -ENOTTY (no terminal, or one that ncurses does not know), with d.
 */
int terminal_open(struct terminal **ret, struct diag *d);
/* Leaves it as it was; t may be NULL. */
void terminal_close(struct terminal *t);

/* Rows of the terminal on standard output, which nobody took; 0: there is none.
 */
unsigned terminal_height(void);

unsigned terminal_columns(const struct terminal *t);
unsigned terminal_rows(const struct terminal *t);
/* A screen that prints to out what terminal_line() takes. */
struct screen terminal_screen(const struct terminal *t, FILE *out);

/* Empties the picture; lines follow, and then it is shown. */
void terminal_begin(struct terminal *t);
/* Octets of a line, with the codes of tints in them, from column skip on. What
 * is too long is cut. Returns the tint in force at its end.
 */
enum tint terminal_line(struct terminal *t, unsigned row, const char *text,
			size_t octets, unsigned skip, enum tint tint,
			bool is_marked);
/* cursor_row: where the cursor stands, for those who see no mark. */
void terminal_show(struct terminal *t, unsigned cursor_row);
/* Sends all of it again. */
void terminal_redraw(struct terminal *t);
/* A character, an enum terminal_key; never waits. */
int terminal_key(struct terminal *t);

/* --- text that was printed into memory, as lines -------------------------- */

struct pane_line {
	const char *text;
	size_t octets;		/* without its end */
	enum tint tint;		/* in force where it begins */
};

struct pane {
	FILE *out;		/* what is printed here, until pane_end() */
	char *text;		/* its own, as the lines */
	size_t octets;
	struct pane_line *lines;
	size_t count;
};

/* Begins an empty one. Returns -ENOMEM. */
int pane_begin(struct pane *p);
/* Makes lines of what was printed. Returns -ENOMEM; then there are none. */
int pane_end(struct pane *p);
/* Also of one that is all 0. */
void pane_fini(struct pane *p);

/* The first line from from on that is empty, or the count. */
size_t pane_empty_line(const struct pane *p, size_t from);
/* Leaves out n lines from from on. */
void pane_drop(struct pane *p, size_t from, size_t n);
/* Leaves out the lines from from on without the word in any case; where they
 * are blocks with empty lines between, the blocks.
 */
void pane_filter(struct pane *p, size_t from, const char *word,
		 bool are_blocks);
/* The n-th word of a line, from 0, up to a blank or comma; that at 0 is empty
 * where the line begins with a blank.
 */
void pane_word(const struct pane *p, size_t line, unsigned n, char *ret,
	       size_t cap);
/* From the n-th word on, up to two blanks: a name that has some. */
void pane_words(const struct pane *p, size_t line, unsigned n, char *ret,
		size_t cap);
