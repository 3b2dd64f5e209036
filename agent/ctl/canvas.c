#include "agent/ctl/canvas.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/ctl/out_buffer.h"

#define BLOCKS_PLAIN "__..--##"	/* for the eighths */

struct canvas_cell {
	uint32_t glyph;		/* 0: dots */
	uint8_t dots;		/* bits as in Braille */
	uint8_t layer, tint;	/* of the topmost dots, or of the glyph */
	char mark;
};

int canvas_init(struct canvas *c, unsigned columns, unsigned rows,
		bool is_plain)
{
	struct canvas_cell *cells = calloc((size_t)columns * rows,
					   sizeof(*cells));

	if (!cells)
		return -ENOMEM;
	*c = (struct canvas){ columns, rows, is_plain, cells };
	return 0;
}

void canvas_fini(struct canvas *c)
{
	free(c->cells);
	c->cells = NULL;
}

void canvas_dot(struct canvas *c, int x, int y, const struct pen *pen)
{
	/* Added to U+2800; Braille got its lowest row later. */
	static const uint8_t bits[CANVAS_DOTS_DOWN][CANVAS_DOTS_ACROSS] = {
		{ 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 },
	};
	unsigned column = (unsigned)x / CANVAS_DOTS_ACROSS;
	unsigned row = (unsigned)y / CANVAS_DOTS_DOWN;
	struct canvas_cell *cell;

	if (x < 0 || y < 0 || column >= c->columns || row >= c->rows)
		return;
	cell = &c->cells[(size_t)row * c->columns + column];
	cell->dots |= bits[y % CANVAS_DOTS_DOWN][x % CANVAS_DOTS_ACROSS];
	if (pen->layer < cell->layer)
		return;
	cell->layer = (uint8_t)pen->layer;
	cell->tint = (uint8_t)pen->tint;
	cell->mark = pen->mark;
}

void canvas_line(struct canvas *c, int x0, int y0, int x1, int y1,
		 const struct pen *pen)
{
	int dx = abs(x1 - x0), dy = abs(y1 - y0);
	int steps = dx > dy ? dx : dy;

	for (int i = 0; i <= steps; i++) {	/* rounded to the nearest */
		int half = steps / 2;

		canvas_dot(c, x0 + ((x1 > x0 ? dx * i + half :
					       -dx * i - half) /
				    (steps ? steps : 1)),
			   y0 + ((y1 > y0 ? dy * i + half : -dy * i - half) /
				 (steps ? steps : 1)), pen);
	}
}

void canvas_text(struct canvas *c, unsigned column, unsigned row,
		 enum tint tint, const char *text)
{
	for (; *text && column < c->columns && row < c->rows; column++) {
		struct canvas_cell *cell =
			&c->cells[(size_t)row * c->columns + column];
		uint32_t glyph = glyph_next(&text);

		*cell = (struct canvas_cell){
			.glyph = c->is_plain ? glyph_plain(glyph) : glyph,
			.tint = (uint8_t)tint,
		};
	}
}

static uint32_t cell_glyph(const struct canvas *c,
			   const struct canvas_cell *cell)
{
	if (cell->glyph)
		return cell->glyph;
	if (!cell->dots)
		return ' ';
	return c->is_plain ? (unsigned char)cell->mark :
			     GLYPH_BRAILLE + cell->dots;
}

/* The column after the last cell that is not blank. */
static unsigned row_end(const struct canvas *c, const struct canvas_cell *row)
{
	unsigned n = c->columns;

	while (n > 0 && cell_glyph(c, &row[n - 1]) == ' ')
		n--;
	return n;
}

static void row_print(const struct canvas *c, const struct canvas_cell *row,
		      const struct screen *s, struct out_buffer *line)
{
	enum tint tint = TINT_NONE;
	unsigned end = row_end(c, row);
	char text[GLYPH_OCTETS];

	for (unsigned i = 0; i < end; i++) {
		uint32_t glyph = cell_glyph(c, &row[i]);
		enum tint next = glyph == ' ' ? tint :
						(enum tint)row[i].tint;

		if (next != tint) {
			out_buffer_flush(line);
			screen_plain(s, tint);
			screen_tint(s, next);
			tint = next;
		}
		glyph_put(glyph, text);
		out_buffer_put(line, text, strlen(text));
	}
	out_buffer_flush(line);
	screen_plain(s, tint);
	out_buffer_fill(line, '\n', 1);
}

void canvas_print(const struct canvas *c, const struct screen *s)
{
	struct out_buffer line;

	line.out = s->out;
	line.used = 0;
	for (unsigned i = 0; i < c->rows; i++)
		row_print(c, c->cells + (size_t)i * c->columns, s, &line);
	out_buffer_flush(&line);
}

/* --- characters of UTF-8 -------------------------------------------------- */

uint32_t glyph_next(const char **text)
{
	const unsigned char *t = (const unsigned char *)*text;
	unsigned more = t[0] < 0x80 ? 0 : t[0] < 0xc2 ? 4 : t[0] < 0xe0 ? 1 :
			t[0] < 0xf0 ? 2 : t[0] < 0xf5 ? 3 : 4;
	uint32_t glyph = more == 0 ? t[0] : t[0] & (0x3fu >> more);

	for (unsigned i = 1; i <= more && more < 4; i++) {
		if ((t[i] & 0xc0) != 0x80) {
			more = 4;
			break;
		}
		glyph = glyph << 6 | (t[i] & 0x3f);
	}
	*text += more < 4 ? more + 1 : 1;
	return more < 4 ? glyph : '?';
}

void glyph_put(uint32_t glyph, char ret[static GLYPH_OCTETS])
{
	static const struct {
		uint32_t below;
		uint8_t head;
	} forms[] = { { 0x80, 0 }, { 0x800, 0xc0 }, { 0x10000, 0xe0 },
		      { UINT32_MAX, 0xf0 } };
	unsigned more = 0;

	while (glyph >= forms[more].below)
		more++;
	ret[more + 1] = '\0';
	for (unsigned i = more; i > 0; i--, glyph >>= 6)
		ret[i] = (char)(0x80 | (glyph & 0x3f));
	ret[0] = (char)(forms[more].head | glyph);
}

uint32_t glyph_plain(uint32_t glyph)
{
	static const struct {
		uint32_t glyph;
		char plain;
	} others[] = {
		{ 0xb0, 'o' },	  { 0x2026, '~' }, { 0x2013, '-' },
		{ 0x2500, '-' },  { 0x2502, '|' }, { 0x2514, '+' },
		{ 0x252c, '+' },  { 0x2524, '+' }, { 0x253c, '+' },
		{ 0x2506, ':' },  { 0x2504, '-' }, { 0x25b6, '>' },
		{ 0x2260, '#' },
	};

	if (glyph < 0x80)
		return glyph;
	if (glyph - GLYPH_BLOCK < GLYPH_BLOCKS)
		return (unsigned char)BLOCKS_PLAIN[glyph - GLYPH_BLOCK];
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].glyph == glyph)
			return (unsigned char)others[i].plain;
	return '?';
}
