/* Hex as text. A line is a block's head, octets, or one of the words that
 * known tools print around them; all else is an error that names the line.
 *
 *   octets:  [address[:]] octet octet … [|ascii|]
 *
 * Without a head, addresses count through the whole memory, as in a raw file.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "agent/base/number.h"
#include "platform/module/image_file.h"
#include "platform/module/view.h"

#define HALF MODULE_PAGE_LEN
#define LINE_MAX_OCTETS 256u
#define LINE_LEN_MAX 1024u
#define STRETCH_MAX (32u * 1024)	/* one bank, without a head */
#define BLOCK_NONE 0x10000u
#define DUMP_LINE 16u		/* octets of a line of hexdump and xxd */

struct reader {
	struct module_image *image;
	struct diag *note;
	struct diag *d;
	unsigned line;
	unsigned block;			/* PLACE, or BLOCK_NONE */
	bool is_whole_device;		/* block of 256 octets: [a0] */
	size_t next;			/* octet of the block, or the stretch */
	bool is_squeezed;		/* hexdump's *: as the last line */
	size_t stretch_len;
	uint8_t stretch[STRETCH_MAX];
};

/* --- heads --------------------------------------------------------------- */

/* Words that a head is made of, once it is in small letters. */
static const char *word_next(const char *t, char ret[static 16])
{
	size_t n = 0;

	while (*t && !isalnum((unsigned char)*t))
		t++;
	while (isalnum((unsigned char)*t)) {
		if (n < 15)
			ret[n++] = (char)tolower((unsigned char)*t);
		t++;
	}
	ret[n] = '\0';
	return t;
}

/* A page's number: hex, with an h behind or 0x before, or neither. */
static int hex_number(const char *word, unsigned max, unsigned *ret)
{
	size_t len = strlen(word);
	char text[20];
	uint64_t value;

	if (len && word[len - 1] == 'h')
		len--;
	if (len == 0 || len > 8)
		return -EINVAL;
	if (word[0] == '0' && word[1] == 'x')
		(void)snprintf(text, sizeof(text), "%.*s", (int)len, word);
	else
		(void)snprintf(text, sizeof(text), "0x%.*s", (int)len, word);
	if (number_parse(text, 0, max, &value) < 0)
		return -EINVAL;
	*ret = (unsigned)value;
	return 0;
}

struct head {
	bool is_a0, is_a2, is_lower, is_upper, has_page, is_table;
	unsigned page, bank, first;
};

/* One word of a head, and the number behind it. False: no such word. */
static bool head_word(struct head *h, const char *word, const char **t)
{
	char value[16];

	if (strcmp(word, "a0") == 0 || strcmp(word, "a0h") == 0)
		return h->is_a0 = true;
	if (strcmp(word, "a2") == 0 || strcmp(word, "a2h") == 0)
		return h->is_a2 = true;
	if (strcmp(word, "lower") == 0)
		return h->is_lower = true;
	if (strcmp(word, "upper") == 0)
		return h->is_upper = true;
	if (strcmp(word, "page") == 0) {
		*t = word_next(*t, value);
		return h->has_page = hex_number(value, 0xff, &h->page) == 0;
	}
	if (strcmp(word, "bank") == 0) {
		*t = word_next(*t, value);
		return hex_number(value, MODULE_BANKS_MAX - 1, &h->bank) == 0;
	}
	if (strcmp(word, "table") == 0) {	/* 0x0001: page bytes 80 - FF */
		*t = word_next(*t, value);
		*t = word_next(*t, value);
		return h->is_table = hex_number(value, 0xff, &h->page) == 0;
	}
	if (strcmp(word, "bytes") == 0 && h->is_table) {
		*t = word_next(*t, value);
		return hex_number(value, 0xff, &h->first) == 0;
	}
	return strcmp(word, "dump") == 0 || strcmp(word, "ff") == 0 ||
	       strcmp(word, "7f") == 0 || strcmp(word, "128") == 0 ||
	       strcmp(word, "bytes") == 0;
}

static int head_parse(const char *text, struct head *ret)
{
	struct head h = { .page = 0 };
	char word[16];

	for (;;) {
		text = word_next(text, word);
		if (!word[0])
			break;
		if (!head_word(&h, word, &text))
			return -EINVAL;
	}
	if (h.is_table)
		h.is_lower = h.first < HALF;
	if (!h.is_a0 && !h.is_a2 && !h.is_lower && !h.has_page && !h.is_table)
		return -EINVAL;
	*ret = h;
	return 0;
}

static bool page_is_there(const struct module_image *m, unsigned place)
{
	for (unsigned i = 0; i < m->count; i++) {
		if (PLACE(m->page[i].bank, m->page[i].page) == place)
			return true;
	}
	return false;
}

/* Says so when the block before ended early. */
static void block_end(struct reader *r)
{
	size_t whole = r->is_whole_device ? 2 * HALF : HALF;

	if (r->block != BLOCK_NONE && r->next < whole && !r->note->text[0])
		diag_write(r->note, "the block before line %u holds %zu "
			   "octets of %zu", r->line, r->next, whole);
}

static int block_begin(struct reader *r, const char *text)
{
	struct head h;

	if (head_parse(text, &h) < 0)
		return diag_set(r->d, -EBADMSG, "line %u: '%.60s' is no head "
				"of a block; expected [lower], [page 11], "
				"[page 11 bank 1], [a0 lower] or [a2 lower]",
				r->line, text);
	block_end(r);
	r->next = 0;
	r->is_whole_device = (h.is_a0 || h.is_a2) && !h.is_lower &&
			     !h.has_page && !h.is_upper;
	r->block = PLACE(h.is_a2 ? 1 : h.bank,
			 h.is_lower || r->is_whole_device ? MODULE_LOWER :
							    h.page);
	if (page_is_there(r->image, r->block))
		return diag_set(r->d, -EBADMSG, "line %u: '%.60s' comes twice",
				r->line, text);
	return 0;
}

/* --- octets -------------------------------------------------------------- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static size_t hex_run(const char *t)
{
	size_t n = 0;

	while (hex_digit(t[n]) >= 0)
		n++;
	return n;
}

static bool is_end(const char *t)
{
	return !*t || isspace((unsigned char)*t);
}

/* An address at the line's begin: digits with a colon, or more than four. */
static const char *address_skip(const char *t, size_t *ret_address,
				bool *ret_has)
{
	const char *digits = t[0] == '0' && t[1] == 'x' ? t + 2 : t;
	size_t n = hex_run(digits), value = 0;

	*ret_has = n && n <= 8 && (digits[n] == ':' ||
				   (n >= 6 && is_end(digits + n)));
	if (!*ret_has)
		return t;
	for (size_t i = 0; i < n; i++)
		value = value << 4 | (size_t)hex_digit(digits[i]);
	*ret_address = value;
	return digits + n + (digits[n] == ':');
}

/* Octets in groups of two digits or four; what comes behind | or, after groups
 * of four, behind two blanks, is the same as text. Returns how many, or
 * -EBADMSG with the offending word in ret_bad.
 */
static int octets_read(const char *t, uint8_t ret[static LINE_MAX_OCTETS],
		       const char **ret_bad)
{
	bool is_pairs = false;
	unsigned n = 0;

	for (;;) {
		size_t blanks = strspn(t, " \t\r"), digits;

		if (is_pairs && blanks >= 2)
			return (int)n;
		t += blanks;
		if (!*t || *t == '|')
			return (int)n;
		digits = hex_run(t);
		if ((digits != 2 && digits != 4) || !is_end(t + digits) ||
		    n + digits / 2 > LINE_MAX_OCTETS) {
			*ret_bad = t;
			return -EBADMSG;
		}
		is_pairs = digits == 4;
		for (size_t i = 0; i < digits; i += 2)
			ret[n++] = (uint8_t)((unsigned)hex_digit(t[i]) << 4 |
					     (unsigned)hex_digit(t[i + 1]));
		t += digits;
	}
}

/* hexdump leaves out lines that are the same as the one before. */
static void stretch_fill(struct reader *r, size_t address)
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

static int stretch_put(struct reader *r, size_t address, const uint8_t *octets,
		       size_t n)
{
	stretch_fill(r, address);
	if (address != r->stretch_len)
		return diag_set(r->d, -EBADMSG, "line %u: its address is "
				"0x%zx, but 0x%zx comes next", r->line,
				address, r->stretch_len);
	if (n > STRETCH_MAX - r->stretch_len)
		return diag_set(r->d, -E2BIG, "line %u: more than %u octets",
				r->line, STRETCH_MAX);
	memcpy(r->stretch + r->stretch_len, octets, n);
	r->stretch_len += n;
	return 0;
}

/* Addresses count from 0 or from 128 within a page, or through the file. */
static int block_put(struct reader *r, size_t address, bool has_address,
		     const uint8_t *octets, size_t n)
{
	size_t whole = r->is_whole_device ? 2 * HALF : HALF;
	size_t at = has_address ? address % whole : r->next;

	if (at != r->next % whole || n > whole - r->next)
		return diag_set(r->d, -EBADMSG, "line %u: octet %zu of its "
				"block begins here with %zu octets; expected "
				"octet %zu, and at most %zu in all", r->line,
				at, n, r->next, whole);
	for (size_t i = 0; i < n; i++) {
		size_t to = r->next++;
		bool is_upper = (r->block & 0xff) != MODULE_LOWER || to >= HALF;
		unsigned page = (r->block & 0xff) == MODULE_LOWER && is_upper ?
				0 : r->block & 0xff;

		if (module_image_put(r->image, r->block >> 8, page,
				     (unsigned)(to % HALF) +
				     (is_upper ? HALF : 0), octets + i, 1) < 0)
			return diag_set(r->d, -E2BIG, "line %u: more than %u "
					"pages", r->line, MODULE_PAGES_MAX);
	}
	return 0;
}

static bool is_decoration(const char *t)
{
	static const char *const words[] = {
		"Offset", "------", "EEPROM hexdump",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strncmp(t, words[i], strlen(words[i])) == 0)
			return true;
	}
	return false;
}

static int line_parse(struct reader *r, const char *t)
{
	uint8_t octets[LINE_MAX_OCTETS];
	const char *bad = "", *at;
	size_t address = 0;
	bool has_address;
	struct head h;
	int n;

	t += strspn(t, " \t\r");
	if (!*t || *t == '#' || is_decoration(t))
		return 0;
	if (*t == '[')
		return block_begin(r, t);
	if (strcmp(t, "*") == 0) {
		r->is_squeezed = true;
		return 0;
	}
	at = address_skip(t, &address, &has_address);
	n = octets_read(at, octets, &bad);
	if (n < 0 && head_parse(t, &h) == 0)
		return block_begin(r, t);
	if (n < 0)
		return diag_set(r->d, -EBADMSG, "line %u: '%.20s' is no octet; "
				"expected two hexadecimal digits", r->line,
				bad);
	if (r->block != BLOCK_NONE)
		return block_put(r, address, has_address, octets, (size_t)n);
	return stretch_put(r, has_address ? address : r->stretch_len, octets,
			   (size_t)n);
}

static int lines_parse(struct reader *r, const char *text, size_t n)
{
	char line[LINE_LEN_MAX];
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < n; at++) {
		const char *end = memchr(text + at, '\n', n - at);
		size_t len = end ? (size_t)(end - text) - at : n - at;

		r->line++;
		if (len >= sizeof(line))
			return diag_set(r->d, -EBADMSG, "line %u is longer "
					"than %zu octets", r->line,
					sizeof(line) - 1);
		memcpy(line, text + at, len);
		line[len] = '\0';
		line[strcspn(line, "\r")] = '\0';
		rc = line_parse(r, line);
		at += len;
	}
	return rc;
}

int image_text_parse(const char *text, size_t n, struct module_image *ret,
		     struct diag *ret_note, struct diag *d)
{
	struct reader r = { .image = ret, .note = ret_note, .d = d,
			    .block = BLOCK_NONE };
	int rc;

	ret_note->text[0] = '\0';
	ret->count = 0;
	rc = lines_parse(&r, text, n);
	if (rc < 0)
		return rc;
	block_end(&r);
	if (r.stretch_len && ret->count)
		return diag_set(d, -EBADMSG, "some octets stand before the "
				"first head of a block");
	if (r.stretch_len)
		return image_raw_parse(r.stretch, r.stretch_len, ret, ret_note,
				       d);
	if (!ret->count)
		return diag_set(d, -EBADMSG, "holds no octets; expected hex in "
				"blocks, a hex dump, or a module's memory");
	return 0;
}
