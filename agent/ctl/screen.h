/* Where text goes: how wide it is, and whether it may be coloured. Meaning is
 * never in colour alone.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#define SCREEN_WIDTH_DEFAULT 80u

#define SCREEN_UNBOUNDED 100000u

struct screen {
	FILE *out;
	FILE *err;		/* why there is no answer */
	unsigned width;		/* of sentences */
	unsigned table_width;	/* of tables: unbounded for programs */
	bool is_wide;		/* columns that are JSON's but have a heading */
	bool colour;
	bool is_plain;		/* pictures in ASCII */
};

enum tint { TINT_NONE, TINT_HEAD, TINT_FAINT, TINT_WATCH, TINT_WARN,
	    TINT_CRITICAL, TINT_COUNT };

/* The terminal's width, else $COLUMNS (watch(1) sets it), else, on a pipe, that
 * of the terminal on standard error, where somebody reads what head(1) leaves;
 * else 80, where tables are not cut: a program reads them. Colour on a
 * terminal, unless $NO_COLOR is set. Pictures are plain where the locale is not
 * UTF-8, and on the kernel's console, whose font has no Braille.
 */
struct screen screen_of(FILE *out);

/* What a terminal is told for a tint. */
const char *screen_tint_code(enum tint tint);
#define SCREEN_PLAIN_CODE "\033[0m"

/* What is printed from here on has that tint; nothing where no colour is. */
void screen_tint(const struct screen *s, enum tint tint);
/* Ends that tint. */
void screen_plain(const struct screen *s, enum tint tint);

/* Text on lines of the screen's width, broken at blanks, from column indent
 * on; at: the column where the cursor stands. Ends the line.
 */
void screen_wrap(const struct screen *s, unsigned at, unsigned indent,
		 const char *text);
