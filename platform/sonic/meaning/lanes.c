#include "platform/sonic/meaning/lanes.h"

#include <errno.h>
#include <string.h>

#include "agent/base/number.h"
#include "petrel/cursor.h"

#define TOKEN_MAX 24	/* digits of a 64-bit number, or a state */

/* The next octet without taking it; 0 at the end. */
static uint8_t scan_peek(const struct cursor *c)
{
	struct cursor next = *c;

	return cursor_left(&next) ? cursor_u8(&next) : 0;
}

static void scan_blanks(struct cursor *c)
{
	while (scan_peek(c) == ' ' || scan_peek(c) == '\n' ||
	       scan_peek(c) == '\t')
		(void)cursor_u8(c);	/* a blank */
}

/* Takes one octet, if it is the next. */
static bool scan_take(struct cursor *c, char want)
{
	scan_blanks(c);
	if (scan_peek(c) != (uint8_t)want)
		return false;
	(void)cursor_u8(c);		/* it is want */
	return true;
}

static void scan_want(struct cursor *c, char want)
{
	if (!scan_take(c, want))
		cursor_fail(c);
}

/* Octets up to one of the ends, without blanks before it. */
static size_t scan_token(struct cursor *c, const char *ends,
			 char token[static TOKEN_MAX])
{
	size_t n = 0;

	scan_blanks(c);
	while (scan_peek(c) && !strchr(ends, scan_peek(c)) &&
	       n < TOKEN_MAX - 1)
		token[n++] = (char)cursor_u8(c);
	token[n] = '\0';
	return n;
}

static int64_t scan_number(struct cursor *c)
{
	char token[TOKEN_MAX];
	size_t n = scan_token(c, " ,]}\n\t", token);
	int64_t value = 0;

	if (number_parse_scaled(token, n, 1, &value) < 0)
		cursor_fail(c);
	return value;
}

/* "T" or "F", a star behind it or not. */
static int64_t scan_state(struct cursor *c)
{
	char token[TOKEN_MAX];
	size_t n;

	scan_want(c, '"');
	n = scan_token(c, "\"", token);
	scan_want(c, '"');
	if (n == 0 || n > 2 || (n == 2 && token[1] != '*') ||
	    (token[0] != 'T' && token[0] != 'F'))
		cursor_fail(c);
	return token[0] == 'T';
}

/* A number, or the list of a state. */
static void scan_lane(struct cursor *c, enum lanes_kind kind, int64_t *value,
		      int64_t *count)
{
	if (kind != LANES_STATE) {
		*value = scan_number(c);
		return;
	}
	scan_want(c, '[');
	*value = scan_state(c);
	scan_want(c, ',');
	(void)scan_number(c);	/* when: the time of the row is enough */
	scan_want(c, ',');
	*count = scan_number(c);
	scan_want(c, ']');
}

static unsigned scan_lane_number(struct cursor *c)
{
	char token[TOKEN_MAX];
	uint64_t lane = 0;

	scan_want(c, '"');
	(void)scan_token(c, "\"", token);
	scan_want(c, '"');
	if (number_parse(token, 0, UINT16_MAX, &lane) < 0)
		cursor_fail(c);
	return (unsigned)lane;
}

static void lane_keep(struct lanes *l, enum lanes_kind kind, unsigned lane,
		      int64_t value, int64_t count)
{
	if (lane >= LANES_MAX)
		return;
	if (kind == LANES_SNR)
		value = (value * 1000 + 128) / 256;
	l->present |= 1u << lane;
	l->value[lane] = value;
	l->count[lane] = count;
}

int lanes_parse(enum lanes_kind kind, const char *text, size_t len,
		struct lanes *ret)
{
	struct cursor c = cursor_of(text, len);
	struct lanes l = { .counts = kind == LANES_STATE };
	bool more = true;

	scan_want(&c, '{');
	for (scan_blanks(&c); more && cursor_ok(&c) && scan_peek(&c) != '}';
	     scan_blanks(&c)) {
		int64_t value = 0, count = 0;
		unsigned lane = scan_lane_number(&c);

		scan_want(&c, ':');
		scan_lane(&c, kind, &value, &count);
		if (value < 0 || value > UINT32_MAX || count < 0)
			cursor_fail(&c);
		if (cursor_ok(&c))
			lane_keep(&l, kind, lane, value, count);
		more = scan_take(&c, ',');
	}
	scan_want(&c, '}');
	scan_blanks(&c);
	if (!cursor_ok(&c) || cursor_left(&c))
		return -EINVAL;
	if (l.present == 0)
		return -ENODATA;
	*ret = l;
	return 0;
}
