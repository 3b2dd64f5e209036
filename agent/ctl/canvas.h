/* A rectangle of a terminal's cells, for pictures: dots, 2 across and 4 down in
 * a cell, as Braille where the terminal has it, else one mark per cell; and
 * texts. What is outside is clipped.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/ctl/screen.h"

#define CANVAS_DOTS_ACROSS 2
#define CANVAS_DOTS_DOWN 4

struct canvas_cell;

struct canvas {
	unsigned columns, rows;
	bool is_plain;			/* ASCII */
	struct canvas_cell *cells;	/* owned */
};

/* What a dot belongs to: the later layer hides the earlier one where a cell has
 * only one mark or one tint.
 */
enum layer { LAYER_RULE, LAYER_BAND, LAYER_CURVE, LAYER_COUNT };

/* A pen; mark is the character for its dots in ASCII. */
struct pen {
	enum layer layer;
	enum tint tint;
	char mark;
};

/* Returns -ENOMEM. */
int canvas_init(struct canvas *c, unsigned columns, unsigned rows,
		bool is_plain);
/* Also for one that is all 0. */
void canvas_fini(struct canvas *c);

/* x and y in dots, from the top left. */
void canvas_dot(struct canvas *c, int x, int y, const struct pen *pen);
/* A straight line, both ends included. */
void canvas_line(struct canvas *c, int x0, int y0, int x1, int y1,
		 const struct pen *pen);
/* UTF-8 over all dots, from a cell on, one character per cell. In ASCII mode
 * other characters are replaced.
 */
void canvas_text(struct canvas *c, unsigned column, unsigned row,
		 enum tint tint, const char *text);

/* Prints it as lines without trailing blanks. */
void canvas_print(const struct canvas *c, const struct screen *s);

/* --- characters of UTF-8 -------------------------------------------------- */

#define GLYPH_OCTETS 5		/* of one, with its NUL */
#define GLYPH_BRAILLE 0x2800u	/* the blank one */
#define GLYPH_BLOCK 0x2581u	/* an eighth of the height; 7 more follow */
#define GLYPH_BLOCKS 8u

/* The character at *text, and moves *text past it; '?' if not UTF-8. */
uint32_t glyph_next(const char **text);
/* As UTF-8. */
void glyph_put(uint32_t glyph, char ret[static GLYPH_OCTETS]);
/* The nearest character of ASCII. */
uint32_t glyph_plain(uint32_t glyph);
