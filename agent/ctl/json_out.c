#include "agent/ctl/json_out.h"

#include <json-c/json.h>
#include <math.h>
#include <string.h>

#define DIGITS 12		/* of a decimal */

/* --- numbers ------------------------------------------------------------- */

/* As printf and json-c write it: 5.0, 0.25, 1.2e-09. JSON has no infinity. */
static void double_text(double value, char *ret)
{
	if (!isfinite(value)) {
		strcpy(ret, "null");
		return;
	}
	(void)snprintf(ret, JSON_NUMBER_MAX, "%.*g", DIGITS, value);
	if (!strpbrk(ret, ".e"))
		strcat(ret, ".0");
}

static char *whole_text(uint64_t value, char *ret)
{
	char reversed[24];
	size_t n = 0;

	do {
		reversed[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (n)
		*ret++ = reversed[--n];
	*ret = '\0';
	return ret;
}

/* value / scale with the digits that it has, and one at least. */
static void fraction_text(uint64_t value, uint64_t scale, char *ret)
{
	uint64_t rest = value % scale;
	char *at = whole_text(value / scale, ret);

	*at++ = '.';
	do {
		rest *= 10;	/* scale has 18 zeros at most */
		*at++ = (char)('0' + rest / scale);
		rest %= scale;
	} while (rest);
	*at = '\0';
}

/* Where "%.12g" would neither round nor use an exponent the digits are taken
 * as they are.
 */
static void scaled_text(int64_t value, unsigned digits, char *ret)
{
	uint64_t scale = 1, size = value < 0 ? -(uint64_t)value :
					       (uint64_t)value;

	for (unsigned i = 0; i < digits; i++)
		scale *= 10;
	if (size >= UINT64_C(1000000000000) ||
	    (size > 0 && size < scale / 10000)) {
		double_text((double)value / (double)scale, ret);
		return;
	}
	if (value < 0)
		*ret++ = '-';
	fraction_text(size, scale, ret);
}

void json_number_text(const struct json_value *v,
		      char ret[static JSON_NUMBER_MAX])
{
	if (v->kind == JSON_DOUBLE)
		double_text(v->real, ret);
	else if (v->kind == JSON_SCALED)
		scaled_text(v->whole, v->digits, ret);
	else if (v->kind == JSON_SIGNED && v->whole < 0)
		(void)whole_text(-(uint64_t)v->whole, strcpy(ret, "-") + 1);
	else
		(void)whole_text((uint64_t)v->whole, ret);
}

/* --- text ---------------------------------------------------------------- */

static void text_put(struct json_out *j, const char *text, size_t len)
{
	spout_put(&j->spout, text, len);
}

/* How an octet is written that may not stand in a string as it is. */
static const char *escape_of(unsigned char octet, char ret[static 8])
{
	static const char *const short_ones[] = {
		['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n",
		['\f'] = "\\f", ['\r'] = "\\r", [0x1f] = NULL };

	if (octet == '"')
		return "\\\"";
	if (octet == '\\')
		return "\\\\";
	if (short_ones[octet])
		return short_ones[octet];
	(void)snprintf(ret, 8, "\\u%04x", octet);
	return ret;
}

/* The first octet that may not stand in a string, or the end. */
static const char *plain_end(const char *text)
{
	static const bool is_special[256] = { [0 ... 0x1f] = true,
					      ['"'] = true, ['\\'] = true };

	while (!is_special[(unsigned char)*text])
		text++;
	return text;
}

static void string_put(struct json_out *j, const char *text)
{
	const char *end = plain_end(text);
	char room[8];

	spout_fill(&j->spout, '"', 1);
	for (; *end; text = end + 1, end = plain_end(text)) {
		const char *escape = escape_of((unsigned char)*end, room);

		text_put(j, text, (size_t)(end - text));
		text_put(j, escape, strlen(escape));
	}
	text_put(j, text, (size_t)(end - text));
	spout_fill(&j->spout, '"', 1);
}

static void key_put(struct json_out *j, const char *key)
{
	if (j->has_before)
		spout_fill(&j->spout, ',', 1);
	j->has_before = true;
	if (!key)
		return;
	string_put(j, key);
	spout_fill(&j->spout, ':', 1);
}

void json_out_begin(struct json_out *j, const char *key, char bracket)
{
	key_put(j, key);
	spout_fill(&j->spout, bracket, 1);
	j->has_before = false;
}

void json_out_end(struct json_out *j, char bracket)
{
	spout_fill(&j->spout, bracket, 1);
	j->has_before = true;
}

void json_out_flush(struct json_out *j)
{
	spout_flush(&j->spout);
}

void json_out_put(struct json_out *j, const char *key,
		  const struct json_value *v)
{
	char number[JSON_NUMBER_MAX];

	key_put(j, key);
	if (v->kind == JSON_TEXT) {
		string_put(j, v->text);
	} else if (v->kind == JSON_NULL) {
		text_put(j, "null", 4);
	} else if (v->kind == JSON_BOOL) {
		text_put(j, v->whole ? "true" : "false", v->whole ? 4 : 5);
	} else {
		json_number_text(v, number);
		text_put(j, number, strlen(number));
	}
}

void json_out_object(struct json_out *j, const char *key,
		     struct json_object *value)
{
	const char *text = json_object_to_json_string_ext(
		value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);

	key_put(j, key);
	text_put(j, text ? text : "null", text ? strlen(text) : 4);
}
