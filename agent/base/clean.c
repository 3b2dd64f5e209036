#include "agent/base/clean.h"

#include <stdint.h>
#include <string.h>

/* What replaces a character: itself, a blank, or a question mark. */
enum fate { STAYS, BLANK, MARK };

static const struct character_span {
	uint32_t first, last;
	enum fate fate;
} spans[] = {
	{ 0x00, 0x08, MARK },
	{ 0x09, 0x0d, BLANK },
	{ 0x0e, 0x1f, MARK },
	{ 0x7f, 0x84, MARK },
	{ 0x85, 0x85, BLANK },		/* next line */
	{ 0x86, 0x9f, MARK },
	{ 0x61c, 0x61c, MARK },
	{ 0x200e, 0x200f, MARK },
	{ 0x2028, 0x2029, BLANK },
	{ 0x202a, 0x202e, MARK },
	{ 0x2066, 0x2069, MARK },
};

static enum fate fate_of(uint32_t character)
{
	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++)
		if (character >= spans[i].first && character <= spans[i].last)
			return spans[i].fate;
	return STAYS;
}

/* Length of the sequence that this octet begins, and its own value bits. */
static size_t lead_read(uint8_t octet, uint32_t *ret)
{
	static const struct {
		uint8_t mask, is, bits;
	} leads[] = { { 0x80, 0x00, 0x7f }, { 0xe0, 0xc0, 0x1f },
		      { 0xf0, 0xe0, 0x0f }, { 0xf8, 0xf0, 0x07 } };

	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++)
		if ((octet & leads[i].mask) == leads[i].is) {
			*ret = octet & leads[i].bits;
			return i + 1;
		}
	return 0;
}

/* Octets of the character that begins here; 0: not UTF-8. */
static size_t character_read(const uint8_t *t, size_t left, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t value = 0;
	size_t len = lead_read(t[0], &value);

	if (len == 0 || len > left)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((t[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (t[i] & 0x3f);
	}
	if (value < least[len] || value > 0x10ffff ||
	    (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*ret = value;
	return len;
}

void clean_octets(char *to, size_t cap, const char *octets, size_t len)
{
	const uint8_t *t = (const uint8_t *)octets;
	size_t n = 0, at = 0;

	if (cap == 0)
		return;
	while (at < len && t[at]) {
		uint32_t value = 0;
		size_t used = character_read(t + at, len - at, &value);
		enum fate fate = used ? fate_of(value) : MARK;
		size_t put = fate == STAYS ? used : 1;

		if (n + put >= cap)
			break;
		if (fate == STAYS)
			memmove(to + n, t + at, used);
		else
			to[n] = fate == BLANK ? ' ' : '?';
		n += put;
		at += used ? used : 1;
	}
	to[n] = '\0';
}

void clean_text(char *to, size_t cap, const char *text)
{
	clean_octets(to, cap, text ? text : "", text ? strlen(text) : 0);
}

size_t clean_len(const char *text)
{
	uint32_t value = 0;
	size_t len = character_read((const uint8_t *)text, strnlen(text, 4),
				    &value);

	return len && fate_of(value) == STAYS ? len : 0;
}

void clean_in_place(char *text)
{
	clean_text(text, strlen(text) + 1, text);
}
