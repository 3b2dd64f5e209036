/* Where text goes: how wide it is, and whether it may be coloured. Colour is
 * never the only carrier of meaning.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#define SCREEN_WIDTH_DEFAULT 80u

#define SCREEN_UNBOUNDED 100000u

struct screen {
	FILE *out;
	FILE *err;		/* for errors */
	unsigned width;		/* for sentences */
	unsigned table_width;	/* for tables: unbounded for programs */
	bool is_wide;		/* JSON-only columns with a heading, too */
	bool colour;
	bool is_plain;		/* pictures in ASCII */
};

enum tint { TINT_NONE, TINT_HEAD, TINT_FAINT, TINT_WATCH, TINT_WARN,
	    TINT_CRITICAL, TINT_COUNT };

/* The terminal's width, else $COLUMNS (watch(1) sets it), else, on a pipe, that
 * of the terminal on standard error, for someone who reads the output of
 * head(1), say; else 80, with tables uncut for programs that read them. Colour
 * on a terminal, unless $NO_COLOR is set. Pictures are plain where the locale
 * is not UTF-8, and on the kernel's console, whose font has no Braille.
 */
struct screen screen_of(FILE *out);

/* The escape code for a tint. */
const char *screen_tint_code(enum tint tint);
#define SCREEN_PLAIN_CODE "\033[0m"

/* Sets the tint of what is printed from here on; no effect without colour. */
void screen_tint(const struct screen *s, enum tint tint);
/* Ends that tint. */
void screen_plain(const struct screen *s, enum tint tint);

/* Prints text on lines of the screen's width, broken at blanks, from column
 * indent on; at: the cursor's column. Ends the line.
 */
void screen_wrap(const struct screen *s, unsigned at, unsigned indent,
		 const char *text);
