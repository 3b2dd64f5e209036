/* A line is the head of a block, octets, or words around them from the tool, a
 * shell or a mail; anything else is an error that names the line.
 *
 * Without a head, addresses count through the whole memory, as in a raw file,
 * except in i2cdump's output for an SFP: the second device begins at 0 again.
 */
#include "platform/module/image_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/module/image_head.h"
#include "platform/module/image_line.h"
#include "platform/module/image_raw.h"
#include "platform/module/view.h"

#define HALF MODULE_PAGE_LEN
#define DEVICE (2 * HALF)
#define LINE_LEN_MAX 2048u
#define PIECE_LEN (2 * IMAGE_LINE_OCTETS_MAX)	/* of a longer one */
/* The size of optoe's file: lower memory, and all pages of each bank. */
#define STRETCH_MAX ((1 + 256 * MODULE_BANKS_MAX) * HALF)
#define BLOCK_NONE 0x10000u
#define HEAD_SHOWN 60
#define DUMP_LINE 16u		/* octets per line of hexdump and xxd */

struct text_reader {
	struct module_image *image;
	struct diag *note;
	struct diag *d;
	unsigned line;
	unsigned block;			/* PLACE, or BLOCK_NONE */
	bool is_whole_device;		/* block of 256 octets: [a0] */
	size_t next;			/* octet of the block or the stretch */
	bool is_repeated;		/* this block came before */
	bool is_command;		/* a command was its head */
	bool is_squeezed;		/* hexdump's *: repeat the last line */
	uint8_t last[DUMP_LINE];	/* … of a block */
	enum { HEX, OCTAL, DECIMAL } radix;	/* of addresses */
	bool is_reversed;		/* words: xxd -e */
	bool is_decimal;		/* pages in sfputil's commands */
	unsigned word;			/* octets of the stretch's first one */
	unsigned unread;		/* octets that were XX */
	unsigned odd_line;		/* may be a head; 0: none */
	char odd_head[HEAD_SHOWN + 1];
	size_t base;			/* offset of address 0 in the stretch */
	bool has_devices;		/* of which the stretch is one more */
	unsigned device_line;		/* where it began */
	size_t stretch_len;
	uint8_t stretch[STRETCH_MAX];
	uint8_t is_hole[STRETCH_MAX / 8];	/* a bit each */
};

/* --- blocks -------------------------------------------------------------- */

static bool page_is_there(const struct module_image *m, unsigned place)
{
	for (unsigned i = 0; i < m->count; i++) {
		if (PLACE(m->page[i].bank, m->page[i].page) == place)
			return true;
	}
	return false;
}

/* Reports if the last block ended early. */
static void block_end(struct text_reader *r)
{
	size_t whole = r->is_whole_device ? 2 * HALF : HALF;
	unsigned page = place_page(r->block);
	char name[16] = "";

	if (r->is_command && !r->next)
		return;		/* it had another output, or a head follows */
	if (r->block == BLOCK_NONE || r->next >= whole || r->note->text[0])
		return;
	if (page != MODULE_LOWER)
		(void)snprintf(name, sizeof(name), ", page %02xh,", page);
	diag_write(r->note, "the block before line %u%s holds %zu octets of "
		   "%zu", r->line, name, r->next, whole);
}

static int head_refuse(const struct text_reader *r, unsigned line,
		       const char *text)
{
	return diag_set(r->d, -EBADMSG, "line %u: '%.60s' is not the head of a "
			"block; expected [lower], [page 11], [page 11 bank 1], "
			"[a0 lower] or [a2 lower]", line, text);
}

static int block_begin(struct text_reader *r, const struct image_head *h,
		       const char *text)
{
	block_end(r);
	r->is_command = false;
	r->odd_line = 0;
	r->next = 0;
	r->is_squeezed = false;
	r->is_whole_device = h->is_whole ||
			     ((h->is_a0 || h->is_a2) && !h->is_lower &&
			      !h->has_page && !h->is_upper);
	r->block = PLACE(h->is_a2 ? 1 : h->bank,
			 h->is_lower || r->is_whole_device ? MODULE_LOWER :
							     h->page);
	if (place_bank(r->block) >= MODULE_BANKS_MAX && !r->note->text[0])
		diag_write(r->note, "line %u: '%.60s': its lanes are not "
			   "shown: Petrel reads banks 0 to %u", r->line, text,
			   MODULE_BANKS_MAX - 1);
	r->is_repeated = page_is_there(r->image, r->block);
	/* sfputil prints these two before each requested page */
	if (r->is_repeated && r->block != LOWER && r->block != PAGE(0))
		return diag_set(r->d, -EBADMSG, "line %u: '%.60s' is there "
						"twice",
				r->line, text);
	return 0;
}

/* --- octets -------------------------------------------------------------- */

static bool line_lacks(const struct image_line *l, unsigned octet)
{
	return l->unread[octet / 64] >> octet % 64 & 1;
}

static void hole_set(struct text_reader *r, size_t at, bool is_hole)
{
	if (is_hole)
		r->is_hole[at / 8] |= (uint8_t)(1u << at % 8);
}

/* hexdump leaves out lines that repeat the last one. */
static void stretch_fill(struct text_reader *r, size_t address)
{
	while (r->is_squeezed && r->stretch_len >= DUMP_LINE &&
	       r->stretch_len < address &&
	       r->stretch_len + DUMP_LINE <= STRETCH_MAX) {
		memcpy(r->stretch + r->stretch_len,
		       r->stretch + r->stretch_len - DUMP_LINE, DUMP_LINE);
		r->stretch_len += DUMP_LINE;
	}
	r->is_squeezed = false;
}

/* As xxd -b prints them: a word of eight digits would be four octets. */
static bool is_binary(const struct image_line *l)
{
	for (unsigned i = 0; i < l->count; i++) {
		if (l->octets[i] & 0xeeu)
			return false;
	}
	return l->word == 4;
}

/* An address again that came before: nothing says which page it is. */
static int stretch_refuse(const struct text_reader *r, size_t address,
			  const struct image_line *l)
{
	bool is_page = l->address % HALF == 0 && r->stretch_len % HALF == 0;

	if (is_binary(l))
		return diag_set(r->d, -EBADMSG, "line %u: has octets in base "
				"2; expected xxd without -b", r->line);
	return diag_set(r->d, -EBADMSG, "line %u: its address is 0x%zx, but "
			"0x%zx comes next%s%s", r->line, address,
			r->stretch_len, is_page ? "; another page? expected "
			"a line before each page that names it, as [page 11]" :
			"", l->address ? "" :
			"; another module? a file holds one");
}

static int stretch_put(struct text_reader *r, size_t address,
		       const struct image_line *l)
{
	stretch_fill(r, address);
	if (address && !r->stretch_len)
		return diag_set(r->d, -EBADMSG, "line %u: the dump begins at "
				"address 0x%zx; expected 0, or a line before "
				"it that names the page, as [page 11]",
				r->line, address);
	if (address != r->stretch_len)
		return stretch_refuse(r, address, l);
	if (l->count > STRETCH_MAX - r->stretch_len)
		return diag_set(r->d, -E2BIG, "line %u: more than %u octets",
				r->line, STRETCH_MAX);
	r->word = r->stretch_len ? r->word : l->word;
	memcpy(r->stretch + r->stretch_len, l->octets, l->count);
	for (unsigned i = 0; i < l->count; i++)
		hole_set(r, r->stretch_len + i, line_lacks(l, i));
	r->stretch_len += l->count;
	return 0;
}

static bool is_of_sfp(const struct text_reader *r)
{
	return module_standard_by(r->stretch[0]) == MODULE_SFF8472;
}

/* The offset of a line in the stretch. Lines without an address follow on. */
static size_t stretch_address(struct text_reader *r, const struct image_line *l)
{
	if (!l->has_address)
		return r->stretch_len;
	/* octal if the second line is 0000020; in hex it would be 0000010 */
	if (l->address != r->stretch_len &&
	    r->stretch_len == DUMP_LINE && !r->is_squeezed)
		r->radix = l->octal == DUMP_LINE ? OCTAL :
			   l->decimal == DUMP_LINE ? DECIMAL : HEX;
	/* i2cdump of 0x50, then of 0x51 */
	if (!l->address && r->stretch_len == DEVICE && is_of_sfp(r))
		r->base = DEVICE;
	return r->base + (r->radix == OCTAL ? l->octal :
			  r->radix == DECIMAL ? l->decimal : l->address);
}

/* One octet of a block; in a block of 256 octets the upper half is page 00h. */
static int block_octet_put(struct text_reader *r, size_t to, uint8_t octet)
{
	bool is_upper = place_page(r->block) != MODULE_LOWER || to >= HALF;
	unsigned bank = place_bank(r->block);
	unsigned page = place_page(r->block) == MODULE_LOWER &&
			is_upper ? 0 : place_page(r->block);
	unsigned offset = (unsigned)(to % HALF) + (is_upper ? HALF : 0);
	uint8_t before;

	if (!image_page_is_known(bank, page))
		return 0;
	if (r->is_repeated &&
	    module_image_get(r->image, bank, page, offset, &before, 1) == 0) {
		if (before == octet || (!is_upper && offset))
			return 0;
		return diag_set(r->d, -EBADMSG, "line %u: octet %u of page 00h "
				"differs from before; another module? a file "
				"holds one", r->line, offset);
	}
	if (module_image_put(r->image, bank, page, offset, &octet, 1) < 0)
		return diag_set(r->d, -E2BIG, "line %u: more than %u pages",
				r->line, MODULE_PAGES_MAX);
	return 0;
}

/* The same within a block: up to the next line's octet, 0 for its end. */
static int block_fill(struct text_reader *r, size_t until)
{
	int rc = 0;

	for (; rc == 0 && r->is_squeezed && r->next >= DUMP_LINE &&
	       r->next < until; r->next++)
		rc = block_octet_put(r, r->next, r->last[r->next % DUMP_LINE]);
	r->is_squeezed = false;
	return rc;
}

/* Addresses count from 0 or from 128 within a page, or through the file. */
static int block_put(struct text_reader *r, const struct image_line *l)
{
	size_t whole = r->is_whole_device ? DEVICE : HALF;
	size_t at = l->has_address ? l->address % whole : r->next;
	int rc = block_fill(r, at ? at : whole);

	if (rc < 0)
		return rc;
	if (at != r->next % whole || l->count > whole - r->next)
		return diag_set(r->d, -EBADMSG, "line %u: octet %zu of the "
				"block with %u octets; expected octet %zu, and "
				"at most %zu in all", r->line,
				at, l->count, r->next, whole);
	for (unsigned i = 0; rc == 0 && i < l->count; i++, r->next++) {
		r->last[r->next % DUMP_LINE] = l->octets[i];
		if (!line_lacks(l, i))
			rc = block_octet_put(r, r->next, l->octets[i]);
	}
	return rc;
}

/* --- one device, page by page -------------------------------------------- */

static int half_take(struct text_reader *r, unsigned place, size_t from)
{
	int rc = 0;

	r->block = place;
	r->is_repeated = page_is_there(r->image, place);
	if (r->is_repeated && place != LOWER && place != PAGE(0))
		rc = diag_set(r->d, -EBADMSG, "line %u: page %02xh is there "
			      "twice; another module? a file holds one",
			      r->line, place_page(place));
	for (size_t i = 0; rc == 0 && i < HALF && from + i < r->stretch_len;
	     i++) {
		if (!(r->is_hole[(from + i) / 8] >> (from + i) % 8 & 1))
			rc = block_octet_put(r, i, r->stretch[from + i]);
	}
	r->block = BLOCK_NONE;
	return rc;
}

/* i2cdump, once for each page that somebody selected. */
static int device_take(struct text_reader *r)
{
	unsigned line = r->line, bank = 0, page = 0;
	int rc;

	r->line = r->device_line;
	if (r->stretch_len < DEVICE)
		diag_write(r->note, "the dump that begins at line %u holds "
			   "%zu octets of %u", r->line, r->stretch_len, DEVICE);
	if (r->stretch_len > HALF)
		image_raw_selected(r->stretch, &bank, &page);
	rc = half_take(r, LOWER, 0);
	if (rc == 0 && r->stretch_len > HALF)
		rc = half_take(r, PLACE(bank, page), HALF);
	r->has_devices = true;
	r->line = r->device_line = line;
	r->stretch_len = 0;
	memset(r->is_hole, 0, DEVICE / 8);
	return rc;
}

static bool device_begins(const struct text_reader *r,
			  const struct image_line *l)
{
	return l->has_address && !l->address && l->count &&
	       r->stretch_len == DEVICE && r->base == 0 && !is_of_sfp(r);
}

/* --- lines --------------------------------------------------------------- */

static bool is_decoration(const char *t)
{
	static const char *const words[] = {
		"Offset", "------", "EEPROM hexdump", "0  1  2  3", "*/", "}",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strncmp(t, words[i], strlen(words[i])) == 0)
			return true;
	}
	return false;
}

/* Skips the marks of a quoted mail and of a comment, and the kernel's time: > >
 * * [12345.678901]
 */
static const char *marks_skip(const char *t)
{
	size_t n;

	t += strspn(t, "> \t\r");
	n = *t == '*' ? strspn(t, "* \t\r") : 0;
	t += n > 1 && t[n] ? n : 0;
	n = *t == '[' ? strspn(t + 1, " .0123456789") : 0;
	if (n && t[1 + n] == ']' && memchr(t + 1, '.', n))
		t += n + 2 + strspn(t + n + 2, " \t");
	return t;
}

/* A prompt, a command, or prose: its first word is not hex. */
static bool is_prose(const char *t)
{
	size_t hex = strspn(t, "0123456789abcdefABCDEF");

	return (isalpha((unsigned char)*t) || (*t && strchr("$%~/(", *t))) &&
	       t[hex] && !isspace((unsigned char)t[hex]);
}

/* A line that does not begin with octets. */
static int words_parse(struct text_reader *r, const char *t,
		       struct image_line *l, bool is_last)
{
	const char *found = image_line_find(t);
	char bad[24];
	struct image_head h;

	(void)snprintf(bad, sizeof(bad), "%.20s", l->bad);
	l->count = 0;
	if (image_head_parse(t, &h) == 0)
		return block_begin(r, &h, t);
	if (found && image_line_parse(found, is_last, r->is_reversed, l) == 0)
		return 0;
	l->count = 0;
	if (is_prose(t)) {
		if (image_head_is_like(t)) {
			r->odd_line = r->line;
			(void)snprintf(r->odd_head, sizeof(r->odd_head),
				       "%.*s", HEAD_SHOWN, t);
		}
		return 0;
	}
	return diag_set(r->d, -EBADMSG, "line %u: '%s' is not an octet; "
			"expected two hexadecimal digits", r->line, bad);
}

/* What came before may be the output of the same command without a page. */
static int command_begin(struct text_reader *r, const struct image_head *h,
			 const char *text)
{
	bool is_device = r->stretch_len && r->stretch_len <= DEVICE &&
			 !is_of_sfp(r);
	int rc = is_device ? device_take(r) : 0;

	if (rc == 0)
		rc = block_begin(r, h, text);
	r->is_command = true;
	return rc;
}

static int line_parse(struct text_reader *r, const char *text, bool is_last)
{
	const char *t = marks_skip(text);
	struct image_head h;
	struct image_line l;
	int rc;

	if (image_head_of_command(t, r->is_decimal, &h) == 0)
		return command_begin(r, &h, t);
	if (!*t || *t == '#' || is_decoration(t))
		return 0;
	if (*t == '[')
		return image_head_parse(t, &h) < 0 ?
		       head_refuse(r, r->line, t) : block_begin(r, &h, t);
	if (*t == '*' && !t[1 + strspn(t + 1, " \t\r")]) {
		r->is_squeezed = true;
		return 0;
	}
	if (image_line_parse(t, is_last, r->is_reversed, &l) < 0) {
		rc = words_parse(r, t, &l, is_last);
		if (rc < 0 || !l.count)
			return rc;
	}
	if (l.count && r->odd_line)	/* octets of an unknown block */
		return head_refuse(r, r->odd_line, r->odd_head);
	if (l.count && r->is_squeezed && !l.has_address)
		return diag_set(r->d, -EBADMSG, "line %u: without addresses the "
				"* before it can stand for any number of "
				"lines; expected addresses, or a dump with "
				"-v", r->line);
	for (unsigned i = 0; i < l.count; i++)
		r->unread += line_lacks(&l, i);
	if (r->block != BLOCK_NONE)
		return block_put(r, &l);
	if (!r->stretch_len)
		r->device_line = r->line;
	if (device_begins(r, &l)) {
		rc = device_take(r);
		if (rc < 0)
			return rc;
	}
	return stretch_put(r, stretch_address(r, &l), &l);
}

/* A whole memory may stand on one line: what of it to read at a time, up to a
 * blank or a comma if it has any. The line's length if it is short, or not a
 * list of octets.
 */
static size_t piece_len(const char *text, size_t len)
{
	size_t n = 0;

	if (len <= PIECE_LEN)
		return len;
	while (n < PIECE_LEN && strchr("0123456789abcdefABCDEFxX, \t", text[n]))
		n++;
	if (n < PIECE_LEN)
		return len;
	while (n && !strchr(", \t", text[n - 1]))
		n--;
	return n ? n : PIECE_LEN;
}

static int line_split(struct text_reader *r, const char *text, size_t len,
		      bool is_last)
{
	char line[LINE_LEN_MAX];
	int rc = 0;

	for (size_t at = 0, n; rc == 0 && (at < len || !at); at += n) {
		n = piece_len(text + at, len - at);
		if (n >= sizeof(line))
			return diag_set(r->d, -EBADMSG, "line %u is longer "
					"than %zu octets", r->line,
					sizeof(line) - 1);
		memcpy(line, text + at, n);
		line[n] = '\0';
		line[strcspn(line, "\r")] = '\0';
		rc = line_parse(r, line, is_last && at + n == len);
		if (!len)
			break;
	}
	return rc;
}

/* The next line that is not too long; false: no more. */
static bool line_next(const char *text, size_t n, size_t *at,
		      char ret[static LINE_LEN_MAX])
{
	while (*at < n) {
		const char *line = text + *at;
		const char *end = memchr(line, '\n', n - *at);
		size_t len = end ? (size_t)(end - line) : n - *at;

		*at += len + 1;
		if (len >= LINE_LEN_MAX)
			continue;
		memcpy(ret, line, len);
		ret[len] = '\0';
		ret[strcspn(ret, "\r")] = '\0';
		return true;
	}
	return false;
}

/* The first line that shows it stands for all. */
static bool words_are_reversed(const char *text, size_t n)
{
	enum image_order order = ORDER_UNTOLD;
	char line[LINE_LEN_MAX];

	for (size_t at = 0; order == ORDER_UNTOLD &&
			    line_next(text, n, &at, line);)
		order = image_line_order(marks_skip(line));
	return order == ORDER_REVERSED;
}

/* All commands are of one sfputil: some make sense in one way alone. */
static bool pages_are_decimal(const char *text, size_t n)
{
	bool is_told[RADIX_DECIMAL + 1] = { false };
	char line[LINE_LEN_MAX];

	for (size_t at = 0; line_next(text, n, &at, line);)
		is_told[image_head_radix(line)] = true;
	return is_told[RADIX_DECIMAL] && !is_told[RADIX_HEX];
}

static int lines_parse(struct text_reader *r, const char *text, size_t n)
{
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < n; at++) {
		const char *end = memchr(text + at, '\n', n - at);
		size_t len = end ? (size_t)(end - text) - at : n - at;

		r->line++;
		rc = line_split(r, text + at, len, !end);
		at += len;
	}
	return rc;
}

/* Is it a type only at the other end of the first word? */
static bool is_type_reversed(const struct text_reader *r)
{
	return r->word > 1 && r->stretch_len >= r->word &&
	       module_standard_by(r->stretch[0]) == MODULE_UNKNOWN &&
	       module_standard_by(r->stretch[r->word - 1]) != MODULE_UNKNOWN;
}

static int stretch_end(struct text_reader *r)
{
	int rc;

	if (is_type_reversed(r))
		return diag_set(r->d, -EBADMSG, "octet 0 is 0x%02x, which is no "
				"type, but the last octet of the first word "
				"is one: 0x%02x; expected xxd without -e, or "
				"with the text behind the octets",
				r->stretch[0], r->stretch[r->word - 1]);
	if (r->has_devices || (r->stretch_len == DEVICE && !is_of_sfp(r)))
		return device_take(r);
	rc = image_raw_parse(r->stretch, r->stretch_len, r->image, r->note,
			     r->d);
	for (size_t i = 0; rc == 0 && r->unread && i < r->stretch_len; i++) {
		if (r->is_hole[i / 8] >> i % 8 & 1)
			image_raw_forget(r->image, i);
	}
	return rc;
}

/* What sfputil prints of a port instead of octets. */
static int without_octets(const char *text, size_t n, struct diag *d)
{
	static const struct {
		const char *words, *meaning;
	} absences[] = {
		{ "SFP EEPROM not detected", "no module is plugged in" },
		{ "not applicable for RJ45 port", "it has no module: RJ45" },
	};

	for (size_t i = 0; i < sizeof(absences) / sizeof(absences[0]); i++)
		if (memmem(text, n, absences[i].words,
			   strlen(absences[i].words)))
			return diag_set(d, -EBADMSG, "%s",
					absences[i].meaning);
	return diag_set(d, -EBADMSG, "holds no octets; expected hex in "
			"blocks, a hex dump, or a module's memory");
}

int image_text_parse(const char *text, size_t n, struct module_image *ret,
		     struct diag *ret_note, struct diag *d)
{
	struct text_reader r = { .image = ret, .note = ret_note, .d = d,
				 .block = BLOCK_NONE,
				 .is_reversed = words_are_reversed(text, n),
				 .is_decimal = pages_are_decimal(text, n) };
	int rc;

	ret_note->text[0] = '\0';
	ret->count = 0;
	rc = lines_parse(&r, text, n);
	if (rc < 0)
		return rc;
	block_end(&r);
	if (r.stretch_len && ret->count && !r.has_devices)
		return diag_set(d, -EBADMSG, "there are octets before the "
				"first head of a block");
	if (r.stretch_len)
		rc = stretch_end(&r);
	else if (!ret->count)
		return without_octets(text, n, d);
	if (rc == 0 && r.unread && !ret_note->text[0])
		diag_write(ret_note, "%u octets are XX: they were not "
			   "read", r.unread);
	return rc;
}
