#include "platform/module/image_head.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"
#include "platform/module/view.h"

#define HALF MODULE_PAGE_LEN

/* The next word of a head, in lower case. */
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

/* A page number in hex, with h after it, 0x before it, or neither. */
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

/* Words that some tools add to a head. */
static bool is_filler(const char *word)
{
	static const char *const words[] = {
		"dump", "ff", "7f", "128", "bytes", "sfp", "qsfp", "qsfp28",
		"dd", "osfp", "cmis",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(word, words[i]) == 0)
			return true;
	}
	return false;
}

/* One word of a head, and the number after it. False if it is no such word. */
static bool head_word(struct image_head *h, const char *word, const char **t)
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
		if (strcmp(value, "lower") == 0 || (h->is_lower && !value[0]))
			return h->is_lower = true;
		return h->has_page = hex_number(value, 0xff, &h->page) == 0;
	}
	if (strcmp(word, "offset") == 0 || strcmp(word, "length") == 0) {
		*t = word_next(*t, value);
		return value[0];
	}
	if (strcmp(word, "bank") == 0) {
		*t = word_next(*t, value);
		return hex_number(value, MODULE_BANKS_TOLD_MAX - 1, &h->bank) ==
		       0;
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
	return is_filler(word);
}

int image_head_parse(const char *text, struct image_head *ret)
{
	struct image_head h = { .page = 0 };
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

bool image_head_is_like(const char *t)
{
	static const char *const words[] = {
		"a0", "a0h", "a2", "a2h", "lower", "upper", "page", "table",
	};
	char word[16];

	for (t = word_next(t, word); word[0]; t = word_next(t, word)) {
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			if (strcmp(word, words[i]) == 0)
				return true;
		}
	}
	return false;
}

/* --- commands ------------------------------------------------------------ */

#define OFFSET_NONE 0x10000u

struct options {
	bool is_hex;		/* its page is hex without 0x */
	bool has_page;
	unsigned page, bank, offset, length;
	bool is_a2;
};

static bool command_number(const char *word, unsigned max, unsigned *ret)
{
	uint64_t value;

	if (number_parse(word, 0, max, &value) < 0)
		return false;
	*ret = (unsigned)value;
	return true;
}

static bool option_page(struct options *o, const char *value)
{
	o->has_page = o->is_hex ? hex_number(value, 0xff, &o->page) == 0 :
				  command_number(value, 0xff, &o->page);
	return o->has_page;
}

static bool option_bank(struct options *o, const char *value)
{
	return command_number(value, MODULE_BANKS_TOLD_MAX - 1, &o->bank);
}

static bool option_offset(struct options *o, const char *value)
{
	return command_number(value, 2 * HALF - 1, &o->offset);
}

static bool option_length(struct options *o, const char *value)
{
	return command_number(value, 2 * HALF, &o->length);
}

/* ethtool: i2c 0x51; sfputil: --wire-addr A2h. */
static bool option_device(struct options *o, const char *value)
{
	o->is_a2 = strcmp(value, "0x51") == 0 || strcmp(value, "81") == 0 ||
		   strcmp(value, "a2h") == 0 || strcmp(value, "a2") == 0;
	return true;
}

static bool option_take(struct options *o, const char *word, const char **t)
{
	static const struct {
		const char *word;
		bool (*take)(struct options *o, const char *value);
	} options[] = {
		{ "page", option_page }, { "n", option_page },
		{ "bank", option_bank },
		{ "offset", option_offset }, { "o", option_offset },
		{ "length", option_length }, { "size", option_length },
		{ "s", option_length },
		{ "i2c", option_device }, { "addr", option_device },
	};
	char value[16];

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (strcmp(word, options[i].word) == 0) {
			*t = word_next(*t, value);
			return options[i].take(o, value);
		}
	}
	return true;
}

static const char *command_find(const char *t, bool *ret_is_hex)
{
	static const struct {
		const char *name;
		bool is_hex;
	} commands[] = {
		{ "ethtool -m ", false }, { "ethtool --module-info ", false },
		{ "ethtool --dump-module-eeprom ", false },
		{ "sfputil read-eeprom ", true },
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		const char *at = strstr(t, commands[i].name);

		*ret_is_hex = commands[i].is_hex;
		if (at)
			return at + strlen(commands[i].name);
	}
	return NULL;
}

/* ethtool's is the first word; sfputil's is after -p or --port. */
int image_head_port(const char *text, char *ret, size_t cap)
{
	bool is_sfputil;
	const char *t = command_find(text, &is_sfputil), *at;
	size_t n;

	if (!t)
		return -EINVAL;
	t += strspn(t, " ");
	at = is_sfputil ? strstr(t, "-p") : t;
	if (!at)
		return -EINVAL;
	if (is_sfputil) {
		at += strcspn(at, " =");
		at += strspn(at, " =");
	}
	n = strcspn(at, " \t\r\n");
	if (!n || n >= cap)
		return -EINVAL;
	memcpy(ret, at, n);
	ret[n] = '\0';
	return 0;
}

/* Pages that modules have and people look at. */
static bool page_is_usual(unsigned page)
{
	static const uint8_t ranges[][2] = {
		{ 0x00, 0x04 }, { 0x10, 0x14 }, { 0x1a, 0x1b }, { 0x20, 0x2f },
		{ 0x33, 0x35 }, { 0x3a, 0x3a }, { 0x42, 0x42 }, { 0x9f, 0x9f },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		if (page >= ranges[i][0] && page <= ranges[i][1])
			return true;
	}
	return false;
}

enum image_radix image_head_radix(const char *text)
{
	bool is_sfputil;
	const char *t = command_find(text, &is_sfputil);
	unsigned hex, decimal;
	char word[16];

	if (!t || !is_sfputil)
		return RADIX_UNTOLD;
	do {
		t = word_next(t, word);
	} while (word[0] && strcmp(word, "n") != 0 &&
		 strcmp(word, "page") != 0);
	(void)word_next(t, word);
	if (word[1] == 'x' || hex_number(word, 0xff, &hex) < 0)
		return RADIX_UNTOLD;
	if (!command_number(word, 0xff, &decimal))
		return RADIX_HEX;
	if (page_is_usual(hex) == page_is_usual(decimal))
		return RADIX_UNTOLD;
	return page_is_usual(hex) ? RADIX_HEX : RADIX_DECIMAL;
}

int image_head_of_command(const char *text, bool is_decimal,
			  struct image_head *ret)
{
	struct options o = { .offset = OFFSET_NONE, .length = HALF };
	const char *t = command_find(text, &o.is_hex);
	char word[16];

	if (!t)
		return -EINVAL;
	o.is_hex = o.is_hex && !is_decimal;
	for (t = word_next(t, word); word[0]; t = word_next(t, word)) {
		if (!option_take(&o, word, &t))
			return -EINVAL;
	}
	if (o.offset == OFFSET_NONE && !o.has_page)
		return -EINVAL;
	if (o.offset == OFFSET_NONE)
		o.offset = o.page ? HALF : 0;
	*ret = (struct image_head){
		.is_a2 = o.is_a2,
		.is_lower = o.offset < HALF,
		.is_whole = !o.offset && o.length > HALF && !o.page,
		.has_page = o.offset >= HALF,
		.page = o.page,
		.bank = o.bank,
	};
	return 0;
}
