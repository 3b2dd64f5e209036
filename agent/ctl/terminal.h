/* The whole terminal, drawn with ncurses, which is loaded on use to keep
 * petrel's start fast. Unchanged parts are not sent again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "agent/ctl/screen.h"
#include "petrel/diag.h"

struct terminal;

/* A line of text. */
struct pane_line {
	const char *text;
	size_t octets;		/* without the newline */
	enum tint tint;		/* in force at its beginning */
};

/* Keys that are not characters. */
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
/* Restores the terminal; t may be NULL. */
void terminal_close(struct terminal *t);

/* Rows of the terminal on standard output, not opened; 0: there is none. */
unsigned terminal_height(void);

unsigned terminal_columns(const struct terminal *t);
unsigned terminal_rows(const struct terminal *t);
/* A screen that prints to out what terminal_line() can show. */
struct screen terminal_screen(const struct terminal *t, FILE *out);

/* Clears the picture, before its lines are drawn and shown. */
void terminal_begin(struct terminal *t);
/* Draws a line, which may have tint codes, from column skip on; cuts what does
 * not fit.
 */
void terminal_line(struct terminal *t, unsigned row, const struct pane_line *l,
		   unsigned skip, bool is_marked);
/* cursor_row: the cursor's row, for those who cannot see the mark. */
void terminal_show(struct terminal *t, unsigned cursor_row);
/* Sends all of it again. */
void terminal_redraw(struct terminal *t);
/* A character, or an enum terminal_key; never waits. */
int terminal_key(struct terminal *t);

/* --- text that was printed into memory, as lines -------------------------- */

struct pane {
	FILE *out;		/* printed text, until pane_end() */
	char *text;		/* owned, as are the lines */
	size_t octets;
	struct pane_line *lines;
	size_t count;
};

/* Begins an empty pane. Returns -ENOMEM. */
int pane_begin(struct pane *p);
/* Splits the printed text into lines. Returns -ENOMEM; then there are none. */
int pane_end(struct pane *p);
/* Also for one that is all 0. */
void pane_fini(struct pane *p);

/* The first empty line at or after from, or the count. */
size_t pane_empty_line(const struct pane *p, size_t from);
/* Removes n lines from from on. */
void pane_drop(struct pane *p, size_t from, size_t n);
/* Removes lines, from from on, that don't have the word, in any case; if they
 * are blocks with empty lines between them, removes blocks.
 */
void pane_filter(struct pane *p, size_t from, const char *word,
		 bool are_blocks);
/* The n-th word of a line, counted from 0, up to a blank or comma; word 0 is
 * empty if the line begins with a blank.
 */
void pane_word(const struct pane *p, size_t line, unsigned n, char *ret,
	       size_t cap);
/* From the n-th word up to two blanks: for a name with blanks in it. */
void pane_words(const struct pane *p, size_t line, unsigned n, char *ret,
		size_t cap);
