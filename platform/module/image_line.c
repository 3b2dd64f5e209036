#include "platform/module/image_line.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#define DUMP_OCTETS 16u		/* per line, in all these tools */
#define ADDRESS_DIGITS_MAX 8u
#define SEVEN 7u		/* digits in an address of hexdump and od */
#define EIGHT 8u		/* … of xxd, with -d in base 10 */
#define SIX 6u			/* … of od -Ax */
#define COLUMN 3u		/* blanks for a missing octet */

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

static bool has_prefix(const char *t)
{
	return t[0] == '0' && (t[1] == 'x' || t[1] == 'X');
}

/* Reads the digits in base 16, and in bases 8 and 10 if they can be that. */
static void address_read(struct image_line *l, const char *digits, size_t n)
{
	bool is_octal = n == SEVEN, is_decimal = n == SEVEN || n == EIGHT;

	for (size_t i = 0; i < n; i++) {
		size_t digit = (size_t)hex_digit(digits[i]);

		l->address = l->address << 4 | digit;
		l->octal = l->octal << 3 | digit;
		l->decimal = l->decimal * 10 + digit;
		is_octal = is_octal && digit < 8;
		is_decimal = is_decimal && digit < 10;
	}
	if (!is_octal)
		l->octal = l->address;
	if (!is_decimal)
		l->decimal = l->address;
}

/* An address at the start of the line: digits followed by a colon, or with 0x
 * before them, or more than four.
 */
static const char *address_skip(const char *t, struct image_line *l)
{
	bool is_marked = has_prefix(t);
	const char *digits = is_marked ? t + 2 : t;
	size_t n = hex_run(digits), least = is_marked ? 4 : 6;

	l->has_address = n && n <= ADDRESS_DIGITS_MAX &&
			 (digits[n] == ':' ||
			  (n >= least && is_end(digits + n)));
	if (!l->has_address)
		return t;
	address_read(l, digits, n);
	return digits + n + (digits[n] == ':');
}

/* hexdump and od have no colon, and swap the octets of a word. */
static bool words_are_swapped(const char *t, const struct image_line *l,
			      bool is_reversed)
{
	size_t n = hex_run(t);

	return l->has_address && (t[n] == ':' ? is_reversed :
						n == SEVEN || n == SIX);
}

/* The word at t and its length: octets, or XX for one that could not be read.
 * False if it is neither.
 */
static bool word_take(const char *t, struct image_line *l, bool swapped,
		      size_t *ret_len)
{
	const char *digits = has_prefix(t) && hex_run(t + 2) == 2 ? t + 2 : t;
	size_t n = hex_run(digits), swap;
	bool is_unread = strncasecmp(t, "XX", 2) == 0, is_listed;

	n = is_unread ? 2 : n;
	*ret_len = (size_t)(digits - t) + n;
	is_listed = digits[n] == ',' && n == 2;	/* 0x18,0x40 */
	*ret_len += is_listed;
	if (n < 2 || n % 2 ||
	    !(is_end(t + *ret_len) || (is_listed && digits > t)) ||
	    n / 2 > IMAGE_LINE_OCTETS_MAX - l->count)
		return false;
	swap = swapped && (n == 4 || n == 8 || n == 16) ? n - 2 : 0;
	for (size_t i = 0; i < n; i += 2) {
		const char *octet = digits + (i ^ swap);

		if (is_unread)
			l->unread[l->count / 64] |= UINT64_C(1)
						    << l->count % 64;
		l->octets[l->count++] = is_unread ? 0 :
			(uint8_t)((unsigned)hex_digit(octet[0]) << 4 |
				  (unsigned)hex_digit(octet[1]));
	}
	return true;
}

/* The rest is text if there are an address and sixteen octets before it. */
static bool tail_is_text(struct image_line *l)
{
	if (!l->has_address || l->count < DUMP_OCTETS)
		return false;
	l->count -= l->count % DUMP_OCTETS;
	return true;
}

int image_line_parse(const char *text, bool is_last, bool is_reversed,
		     struct image_line *ret)
{
	bool is_long = false, swapped;
	const char *t;

	memset(ret, 0, offsetof(struct image_line, octets));
	memset(ret->unread, 0, sizeof(ret->unread));
	ret->bad = ret->behind = NULL;
	t = address_skip(text, ret);
	swapped = words_are_swapped(text, ret, is_reversed);
	for (;;) {
		size_t blanks = strspn(t, " \t\r"), len;
		bool is_full = ret->has_address && ret->count &&
			       ret->count % DUMP_OCTETS == 0;

		if ((blanks >= 2 && (is_long || is_full)) ||
		    (blanks >= COLUMN && ret->has_address && ret->count)) {
			ret->behind = t + 2;
			return 0;
		}
		t += blanks;
		if (!*t || *t == '|')
			return 0;
		if (!word_take(t, ret, swapped, &len)) {
			ret->bad = t;
			if (is_last && ret->count && hex_run(t) == 1 && !t[1])
				return 0;
			return tail_is_text(ret) ? 0 : -EBADMSG;
		}
		is_long = is_long || len >= 4 + 2u * has_prefix(t);
		ret->word = ret->word ? ret->word : ret->count;
		t += len;
	}
}

static bool is_text_of(const char *text, const struct image_line *l)
{
	for (unsigned i = 0; i < l->count; i++) {
		uint8_t c = l->octets[i];

		if (text[i] != (c >= ' ' && c < 0x7f ? (char)c : '.'))
			return false;
	}
	return true;
}

enum image_order image_line_order(const char *text)
{
	struct image_line written, reversed;
	bool is_written, is_reversed;

	if (image_line_parse(text, false, false, &written) < 0 ||
	    image_line_parse(text, false, true, &reversed) < 0 ||
	    !written.behind)
		return ORDER_UNTOLD;
	is_written = is_text_of(written.behind, &written);
	is_reversed = is_text_of(written.behind, &reversed);
	if (is_written == is_reversed)
		return ORDER_UNTOLD;
	return is_written ? ORDER_AS_WRITTEN : ORDER_REVERSED;
}

const char *image_line_find(const char *text)
{
	for (const char *t = text; *t; t++) {
		const char *digits = has_prefix(t) ? t + 2 : t;
		size_t n = hex_run(digits);

		if ((t > text && !isspace((unsigned char)t[-1])) || n < 2 ||
		    n > ADDRESS_DIGITS_MAX || digits[n] != ':')
			continue;
		digits += n + 1;
		n = strspn(digits, " \t");
		if (n && hex_run(digits + n) >= 2 &&
		    is_end(digits + n + hex_run(digits + n)))
			return t;
	}
	return NULL;
}
