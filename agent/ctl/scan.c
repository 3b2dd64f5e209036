#include "agent/ctl/scan.h"

#include <string.h>

#include "agent/base/clean.h"

struct scan scan_of(const char *line, size_t len)
{
	return (struct scan){ .c = cursor_of(line, len) };
}

/* The next octet without taking it; 0 at the end. */
static uint8_t peek(struct scan *s)
{
	return cursor_left(&s->c) ? s->c.data[s->c.pos] : 0;
}

static void blanks_skip(struct scan *s)
{
	for (uint8_t c = peek(s); c == ' ' || c == '\t' || c == '\r' ||
				  c == '\n'; c = peek(s))
		(void)cursor_u8(&s->c);	/* it was peeked at */
}

static bool take(struct scan *s, char c)
{
	blanks_skip(s);
	if (peek(s) != (uint8_t)c)
		return false;
	(void)cursor_u8(&s->c);
	return true;
}

static void expect(struct scan *s, char c)
{
	if (!take(s, c))
		cursor_fail(&s->c);
}

static bool open_level(struct scan *s)
{
	s->first = true;
	if (++s->depth > SCAN_DEPTH_MAX)
		cursor_fail(&s->c);
	return scan_ok(s);
}

/* After the opening quote. */
static void string_take(struct scan *s, const char **ret, size_t *ret_len)
{
	size_t from = s->c.pos;
	uint8_t c;

	for (c = cursor_u8(&s->c); c != '"'; c = cursor_u8(&s->c)) {
		if (c == '\\')
			(void)cursor_u8(&s->c);	/* whatever it escapes */
		else if (c < ' ')
			cursor_fail(&s->c);
		if (!scan_ok(s))
			break;
	}
	*ret = (const char *)s->c.data + from;
	*ret_len = scan_ok(s) ? s->c.pos - from - 1 : 0;
}

bool scan_object(struct scan *s)
{
	expect(s, '{');
	return open_level(s);
}

/* Steps over the comma, or to the end, of an object or array. */
static bool next_of(struct scan *s, char end)
{
	if (!scan_ok(s))
		return false;
	if (take(s, end)) {
		s->depth--;
		s->first = false;
		return false;
	}
	if (!s->first)
		expect(s, ',');
	s->first = false;
	return scan_ok(s);
}

bool scan_key(struct scan *s, const char **ret_key, size_t *ret_len)
{
	if (!next_of(s, '}'))
		return false;
	expect(s, '"');
	string_take(s, ret_key, ret_len);
	expect(s, ':');
	return scan_ok(s);
}

static bool is_word(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.';
}

/* What is not quoted: a number, or one of the words. */
static enum scan_type word_type(const char *text, size_t len)
{
	static const struct {
		const char *word;
		enum scan_type type;
	} words[] = {
		{ "null", SCAN_NULL }, { "true", SCAN_TRUE },
		{ "false", SCAN_FALSE }, { "NaN", SCAN_NULL },
		{ "Infinity", SCAN_NULL }, { "-Infinity", SCAN_NULL },
	};
	char first = len > 1 && text[0] == '-' ? text[1] : text[0];

	if (len > 0 && first >= '0' && first <= '9')
		return SCAN_NUMBER;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].word) == len &&
		    memcmp(words[i].word, text, len) == 0)
			return words[i].type;
	return SCAN_END;
}

static struct scan_value word_take(struct scan *s)
{
	size_t from = s->c.pos;
	struct scan_value v;

	while (is_word(peek(s)))
		(void)cursor_u8(&s->c);
	v.text = (const char *)s->c.data + from;
	v.len = s->c.pos - from;
	v.type = v.len ? word_type(v.text, v.len) : SCAN_END;
	if (v.type == SCAN_END)
		cursor_fail(&s->c);
	return v;
}

struct scan_value scan_value(struct scan *s)
{
	struct scan_value v = { .type = SCAN_END };

	blanks_skip(s);
	switch (peek(s)) {
	case '"':
		(void)cursor_u8(&s->c);
		v.type = SCAN_STRING;
		string_take(s, &v.text, &v.len);
		break;
	case '[':
	case '{':
		v.type = cursor_u8(&s->c) == '[' ? SCAN_ARRAY : SCAN_OBJECT;
		(void)open_level(s);
		break;
	default:
		v = word_take(s);
	}
	if (!scan_ok(s))
		v.type = SCAN_END;
	return v;
}

struct scan_value scan_element(struct scan *s)
{
	if (!next_of(s, ']'))
		return (struct scan_value){ .type = SCAN_END };
	return scan_value(s);
}

void scan_skip(struct scan *s, const struct scan_value *v)
{
	struct scan_value inner;
	const char *key;
	size_t len;

	if (v->type == SCAN_ARRAY)
		for (inner = scan_element(s); inner.type != SCAN_END;
		     inner = scan_element(s))
			scan_skip(s, &inner);
	if (v->type != SCAN_OBJECT)
		return;
	while (scan_key(s, &key, &len)) {
		inner = scan_value(s);
		scan_skip(s, &inner);
	}
}

bool scan_done(struct scan *s)
{
	blanks_skip(s);
	return scan_ok(s) && s->depth == 0 && cursor_left(&s->c) == 0;
}

static char unescape(char c)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *at = strchr(from, c);

	return at && c ? to[at - from] : c;
}

void scan_text(const struct scan_value *v, char *ret, size_t cap)
{
	size_t n = 0;

	for (size_t i = 0; i < v->len && n + 1 < cap; i++) {
		char c = v->text[i];

		if (c == '\\' && i + 1 < v->len) {
			c = unescape(v->text[++i]);
			if (c == 'u') {		/* above ASCII, or silly */
				c = '?';
				i += 4;
			}
		}
		ret[n++] = c;
	}
	ret[n] = '\0';
	clean_in_place(ret);
}
