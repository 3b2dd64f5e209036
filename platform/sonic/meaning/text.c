#include "platform/sonic/meaning/text.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "agent/base/hash.h"
#include "agent/base/number.h"
#include "petrel/link.h"
#include "petrel/quantity.h"
#include "petrel/sample.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool text_is(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && strncasecmp(text, word, len) == 0;
}

static void text_trim(const char **text, size_t *len)
{
	while (*len > 0 && isspace((unsigned char)**text)) {
		(*text)++;
		(*len)--;
	}
	while (*len > 0 && isspace((unsigned char)(*text)[*len - 1]))
		(*len)--;
}

/* Words for "no reading"; first those of arithmetic. */
static const char *const absent_words[] = {
	"nan", "-nan", "inf", "+inf", "-inf",
	"", "N/A", "none", "never", "unknown", "not available", "updating",
};

#define NOT_FINITE_WORDS 5

static bool text_is_of(const char *text, size_t len, size_t words)
{
	text_trim(&text, &len);
	if (len > 0 && isdigit((unsigned char)text[0]))
		return false;		/* quick exit for the usual case */
	for (size_t i = 0; i < words; i++)
		if (text_is(text, len, absent_words[i]))
			return true;
	return false;
}

bool text_is_not_finite(const char *text, size_t len)
{
	return text_is_of(text, len, NOT_FINITE_WORDS);
}

bool text_is_absent(const char *text, size_t len)
{
	return text_is_of(text, len, COUNT(absent_words));
}

/* Removes a unit from the end, if there is one. */
static size_t unit_strip(const char *text, size_t len)
{
	static const char *const units[] = { "C", "Volts", "V", "dBm", "mA",
					     "%", "RPM" };

	for (size_t i = 0; i < COUNT(units); i++) {
		size_t n = strlen(units[i]);

		if (len > n && memcmp(text + len - n, units[i], n) == 0) {
			len -= n;
			text_trim(&text, &len);
			return len;
		}
	}
	return len;
}

int text_number(const char *text, size_t len, uint64_t scale, int64_t *ret)
{
	int rc;

	text_trim(&text, &len);
	rc = number_parse_scaled(text, len, scale, ret);
	if (rc != -EINVAL)
		return rc;
	if (text_is_absent(text, len))
		return -ENODATA;
	return number_parse_scaled(text, unit_strip(text, len), scale, ret);
}

int text_dbm(const char *text, size_t len, int64_t *ret_pw)
{
	text_trim(&text, &len);
	len = unit_strip(text, len);
	if (!text_is(text, len, "-inf") && text_is_absent(text, len))
		return -ENODATA;
	return number_parse_dbm(text, len, ret_pw);
}

int text_counter(const char *text, size_t len, int64_t *ret)
{
	uint64_t value;
	int rc = number_parse_n(text, len, 0, UINT64_MAX, &value);

	if (rc == -EINVAL) {	/* seldom: it may have blanks around it */
		text_trim(&text, &len);
		rc = number_parse_n(text, len, 0, UINT64_MAX, &value);
	}
	if (rc == -EINVAL && text_is_absent(text, len))
		return -ENODATA;
	if (rc < 0)
		return rc;
	if (value == SAMPLE_COUNTER_ABSENT)
		return -ENODATA;
	*ret = (int64_t)value;
	return 0;
}

int text_bool(const char *text, size_t len, int64_t *ret)
{
	static const struct {
		const char *word;
		int value;
	} words[] = {
		{ "True", 1 },	 { "False", 0 },  { "up", 1 },
		{ "down", 0 },	 { "1", 1 },	  { "0", 0 },
		{ "on", 1 },	 { "off", 0 },	  { "enable", 1 },
		{ "disable", 0 }, { "enabled", 1 }, { "disabled", 0 },
		{ "OK", 1 },	 { "Not OK", 0 }, { "Present", 1 },
		{ "Not Present", 0 }, { "Absent", 0 },
	};

	text_trim(&text, &len);
	for (size_t i = 0; i < COUNT(words); i++) {
		if (!text_is(text, len, words[i].word))
			continue;
		*ret = words[i].value;
		return 0;
	}
	return text_is_absent(text, len) ? -ENODATA : -EINVAL;
}

int text_utc(const char *text, size_t len, int64_t *ret_s)
{
	static const struct {
		size_t len;
		const char *form;
	} forms[] = {
		{ 24, "%a %b %d %H:%M:%S %Y" },
		{ 19, "%Y-%m-%d %H:%M:%S" },
	};

	text_trim(&text, &len);
	for (size_t i = 0; i < COUNT(forms); i++) {
		struct tm tm = { .tm_sec = 0 };
		char copy[32];

		if (len != forms[i].len)
			continue;
		memcpy(copy, text, len);
		copy[len] = '\0';
		if (strptime(copy, forms[i].form, &tm) != copy + len ||
		    tm.tm_year < 70)
			continue;
		*ret_s = timegm(&tm);
		return 0;
	}
	return text_is_absent(text, len) ? -ENODATA : -EINVAL;
}

void text_copy(char *to, size_t cap, const char *text, size_t len)
{
	text_trim(&text, &len);
	if (text_is(text, len, "N/A"))
		len = 0;
	if (len >= cap)
		len = cap - 1;
	memcpy(to, text, len);
	to[len] = '\0';
}

/* --- words ---------------------------------------------------------------- */

#define WORD_MAX 48

/* Words that only this driver reads. */
static const struct {
	uint8_t which;		/* enum words */
	uint8_t value;
	const char *word;
} own_words[] = {
	{ WORDS_STORM, 0, "operational" },
	{ WORDS_STORM, 1, "stormed" },
	{ WORDS_OPER, OPER_UP, "up" },
	{ WORDS_OPER, OPER_DOWN, "down" },
	{ WORDS_LINK, OPER_UP, "up" },
	{ WORDS_LINK, OPER_DOWN, "down" },
	{ WORDS_LEAK, 0, "No" },
	{ WORDS_LEAK, 1, "Yes" },
	{ WORDS_LEAK_SENSOR, 0, "Fault" },
	{ WORDS_LEAK_SENSOR, 1, "Good" },
};

static int own_word_parse(enum words which, const char *word)
{
	for (size_t i = 0; i < COUNT(own_words); i++)
		if (own_words[i].which == which &&
		    strcmp(own_words[i].word, word) == 0)
			return own_words[i].value;
	return which == WORDS_LINK ? OPER_UNKNOWN : -EINVAL;
}

/* ecn_none, ecn_all, or colours in a row: ecn_green_red. */
static int ecn_parse(const char *word)
{
	static const char *const colours[] = { "green", "yellow", "red" };
	int set = 0;

	if (strncmp(word, "ecn_", 4) != 0)
		return -EINVAL;
	for (size_t i = 0; i < COUNT(colours); i++)
		if (strstr(word, colours[i]))
			set |= 1 << i;
	if (strcmp(word, "ecn_all") == 0)
		set = 7;
	return set == 0 && strcmp(word, "ecn_none") != 0 ? -EINVAL : set;
}

int words_parse(enum words which, const char *text, size_t len, int64_t *ret)
{
	static const enum quantity quantities[WORDS_COUNT] = {
		[WORDS_MODULE_STATE] = Q_MODULE_STATE,
		[WORDS_MODULE_FAULT] = Q_MODULE_FAULT_CAUSE,
		[WORDS_DATA_PATH] = Q_LANE_DATA_PATH_STATE,
		[WORDS_LANE_CONFIG] = Q_LANE_CONFIG_STATUS,
		[WORDS_XCVR_STATE] = Q_MODULE_XCVR_STATE,
		[WORDS_CARD] = Q_CARD_STATE,
	};
	char word[WORD_MAX];
	int value;

	assert(which < WORDS_COUNT);
	text_copy(word, sizeof(word), text, len);
	value = !word[0] ? -EINVAL :
		quantities[which] ?
			quantity_word_value(quantities[which], word) :
		which == WORDS_ECN ? ecn_parse(word) :
				     own_word_parse(which, word);
	if (value < 0)
		return text_is_absent(text, len) ? -ENODATA : value;
	*ret = value;
	return 0;
}

/* --- lists of lanes ------------------------------------------------------- */

/* What is left of a list. */
struct rest {
	const char *at, *end;
};

static void blanks_skip(struct rest *r)
{
	while (r->at < r->end &&
	       (isblank((unsigned char)*r->at) || *r->at == '\n'))
		r->at++;
}

/* Octets up to one of the ends, after blanks; they remain. */
static size_t rest_word(struct rest *r, const char *ends)
{
	size_t n = 0;

	blanks_skip(r);
	while (r->at + n < r->end && !strchr(ends, r->at[n]))
		n++;
	return n;
}

static bool rest_take(struct rest *r, char want)
{
	blanks_skip(r);
	if (r->at == r->end || *r->at != want)
		return false;
	r->at++;
	return true;
}

static bool number_take(struct rest *r, int64_t *ret)
{
	size_t n = rest_word(r, " ,]}\n\t");
	bool valid = number_parse_scaled(r->at, n, 1, ret) == 0;

	r->at += n;
	return valid;
}

static bool lane_number_take(struct rest *r, uint64_t *ret)
{
	size_t n = rest_take(r, '"') ? rest_word(r, "\"") : 0;
	bool valid = number_parse_n(r->at, n, 0, UINT16_MAX, ret) == 0;

	r->at += n;
	return valid && rest_take(r, '"') && rest_take(r, ':');
}

/* "T" or "F", with or without a star after it. */
static bool state_take(struct rest *r, int64_t *ret)
{
	size_t n = rest_take(r, '"') ? rest_word(r, "\"") : 0;

	if (n == 0 || n > 2 || (n == 2 && r->at[1] != '*') ||
	    (r->at[0] != 'T' && r->at[0] != 'F'))
		return false;
	*ret = r->at[0] == 'T';
	r->at += n;
	return rest_take(r, '"');
}

/* A number, or the list for a state: its time is that of the row, too. */
static bool lane_take(struct rest *r, enum lanes_kind kind, int64_t *value,
		      int64_t *count)
{
	int64_t when;

	*count = 0;
	if (kind != LANES_STATE)
		return number_take(r, value);
	return rest_take(r, '[') && state_take(r, value) &&
	       rest_take(r, ',') && number_take(r, &when) &&
	       rest_take(r, ',') && number_take(r, count) &&
	       rest_take(r, ']');
}

int lanes_parse(enum lanes_kind kind, const char *text, size_t len,
		struct lanes *ret)
{
	struct rest r = { text, text + len };
	struct lanes l = { .counts = kind == LANES_STATE };
	bool more = true;

	if (!rest_take(&r, '{'))
		return -EINVAL;
	while (!rest_take(&r, '}')) {
		int64_t value, count;
		uint64_t lane;

		if (!more || !lane_number_take(&r, &lane) ||
		    !lane_take(&r, kind, &value, &count) || value < 0 ||
		    value > UINT32_MAX || count < 0)
			return -EINVAL;
		more = rest_take(&r, ',');
		if (lane >= LANES_MAX)
			continue;
		l.present |= 1u << lane;
		l.value[lane] = kind == LANES_SNR ? (value * 1000 + 128) / 256 :
						    value;
		l.count[lane] = count;
	}
	blanks_skip(&r);
	if (r.at < r.end)
		return -EINVAL;
	if (l.present == 0)
		return -ENODATA;
	*ret = l;
	return 0;
}
