#include "agent/ctl/json_out.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "agent/base/clean.h"
#include "agent/base/number.h"
#include "agent/ctl/cell.h"
#include "agent/query/message.h"
#include "petrel/clock.h"
#include "petrel/local.h"

#define DIGITS 12		/* of a decimal */
#define EXACT_MAX (INT64_C(1) << 53)
#define TEXT_MAX 640

/* --- numbers ------------------------------------------------------------- */

/* As printf and json-c write it: 5.0, 0.25, 1.2e-09. JSON has no infinity. */
static char *double_text(double value, char *ret)
{
	if (!isfinite(value))
		return stpcpy(ret, "null");
	(void)snprintf(ret, JSON_NUMBER_MAX, "%.*g", DIGITS, value);
	return stpcpy(ret + strlen(ret), strpbrk(ret, ".e") ? "" : ".0");
}

/* Writes the digits as they are, without zeros at the end but the first, unless
 * "%.12g" would round or use an exponent.
 */
static char *scaled_text(int64_t value, unsigned digits, char *ret)
{
	uint64_t scale = 1, size = value < 0 ? -(uint64_t)value :
					       (uint64_t)value;

	for (unsigned i = 0; i < digits; i++)
		scale *= 10;
	if (size >= UINT64_C(1000000000000) ||
	    (size > 0 && size < scale / 10000))
		return double_text((double)value / (double)scale, ret);
	if (value < 0)
		*ret++ = '-';
	ret = number_digits(ret, size / scale, 1);
	*ret++ = '.';
	ret = number_digits(ret, size % scale, digits);
	while (ret[-1] == '0' && ret[-2] != '.')
		ret--;
	*ret = '\0';
	return ret;
}

char *json_number_text(const struct json_value *v,
		       char ret[static JSON_NUMBER_MAX])
{
	bool is_negative = v->kind == JSON_SIGNED && v->whole < 0;
	uint64_t whole = (uint64_t)v->whole;

	if (v->kind == JSON_DOUBLE)
		return double_text(v->real, ret);
	if (v->kind == JSON_SCALED)
		return scaled_text(v->whole, v->digits, ret);
	*ret = '-';
	ret = number_digits(ret + is_negative, is_negative ? -whole : whole, 1);
	*ret = '\0';
	return ret;
}

/* --- text ---------------------------------------------------------------- */

static void text_put(struct json_out *j, const char *text, size_t len)
{
	out_buffer_put(&j->buffer, text, len);
}

/* The escape for an octet that may not be in a string as it is. */
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

/* The first octet that may not be in a string, or the end. */
static const char *plain_end(const char *text)
{
	static const bool is_special[256] = { [0 ... 0x1f] = true,
					      ['"'] = true, ['\\'] = true };

	while (!is_special[(unsigned char)*text])
		text++;
	return text;
}

static void escaped_put(struct json_out *j, const char *text)
{
	const char *end = plain_end(text);
	char room[8];

	for (; *end; text = end + 1, end = plain_end(text)) {
		const char *escape = escape_of((unsigned char)*end, room);

		text_put(j, text, (size_t)(end - text));
		text_put(j, escape, strlen(escape));
	}
	text_put(j, text, (size_t)(end - text));
}

/* What precedes a value; key is NULL in a list. */
static void key_put(struct json_out *j, const char *key, const char *suffix)
{
	if (j->has_before)
		text_put(j, ",", 1);
	j->has_before = true;
	if (!key)
		return;
	text_put(j, "\"", 1);
	escaped_put(j, key);
	text_put(j, suffix, strlen(suffix));
	text_put(j, "\":", 2);
}

void json_out_begin(struct json_out *j, const char *key, char bracket)
{
	key_put(j, key, "");
	text_put(j, &bracket, 1);
	j->has_before = false;
}

void json_out_end(struct json_out *j, char bracket)
{
	text_put(j, &bracket, 1);
	j->has_before = true;
}

static void value_put(struct json_out *j, const struct json_value *v)
{
	char *at;

	if (v->kind == JSON_TEXT) {
		text_put(j, "\"", 1);
		escaped_put(j, v->text);
		text_put(j, "\"", 1);
	} else if (v->kind == JSON_NULL) {
		text_put(j, "null", 4);
	} else if (v->kind == JSON_BOOL) {
		text_put(j, v->whole ? "true" : "false", v->whole ? 4 : 5);
	} else {
		at = out_buffer_room(&j->buffer, JSON_NUMBER_MAX);
		out_buffer_ends(&j->buffer, json_number_text(v, at));
	}
}

void json_out_put(struct json_out *j, const char *key,
		  const struct json_value *v)
{
	key_put(j, key, "");
	value_put(j, v);
}

void json_out_object(struct json_out *j, const char *key,
		     struct json_object *value)
{
	const char *text = json_object_to_json_string_ext(
		value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);

	key_put(j, key, "");
	text_put(j, text ? text : "null", text ? strlen(text) : 4);
}

void json_out_integer(struct json_out *j, const char *key, int64_t value)
{
	json_out_put(j, key, &(struct json_value){ .kind = JSON_SIGNED,
						   .whole = value });
}

void json_out_bool(struct json_out *j, const char *key, bool value)
{
	json_out_put(j, key, &(struct json_value){ .kind = JSON_BOOL,
						   .whole = value });
}

void json_out_text(struct json_out *j, const char *key, const char *text)
{
	char clean[TEXT_MAX];

	if (text)
		clean_text(clean, sizeof(clean), text);
	json_out_put(j, key, &(struct json_value){
		     .kind = text ? JSON_TEXT : JSON_NULL, .text = clean });
}

/* --- answers ------------------------------------------------------------- */

void json_out_open(struct json_out *j, FILE *out, const struct json_head *h)
{
	bool has_error = h->error && h->error[0];
	char schema[64], when[48];

	j->buffer.out = out;
	j->buffer.used = 0;
	j->has_before = false;
	json_out_begin(j, NULL, '{');
	(void)snprintf(schema, sizeof(schema), "petrel/%s/1", h->command);
	wall_rfc3339(h->wall_ns, when, sizeof(when));
	json_out_text(j, "schema", schema);
	json_out_text(j, "switch", h->switch_name);
	json_out_text(j, "time", when);
	json_out_bool(j, "complete", h->complete && !has_error);
	json_out_integer(j, "code", h->code);
	if (has_error)
		json_out_text(j, "error", h->error);
}

void json_out_own(struct json_out *j, const char *command, int code,
		  const char *error)
{
	json_out_open(j, stdout, &(struct json_head){
		      .command = command, .wall_ns = clock_wall_now().ns,
		      .complete = code == EXIT_ANSWERED, .code = code,
		      .error = error });
}

void json_out_failed(const char *command, int code, const char *error)
{
	struct json_out j;

	json_out_own(&j, command, code, error);
	(void)json_out_close(&j);	/* main() checks standard output */
}

int json_out_close(struct json_out *j)
{
	json_out_end(j, '}');
	text_put(j, "\n", 1);
	out_buffer_flush(&j->buffer);
	return ferror(j->buffer.out) ? -EIO : 0;
}

/* --- cells --------------------------------------------------------------- */

/* The current cell. */
struct member {
	struct json_out *j;
	const char *key;
	const struct cell *cell;
};

/* <key><suffix>; null where the cell is absent. */
static void member_put(const struct member *m, const char *suffix,
		       const struct json_value *value)
{
	static const struct json_value null = { .kind = JSON_NULL };

	key_put(m->j, m->key, suffix);
	value_put(m->j, m->cell->absent ? &null : value);
}

static void member_number(const struct member *m, const char *suffix,
			  enum json_kind kind, int64_t whole, unsigned digits)
{
	member_put(m, suffix, &(struct json_value){ .kind = kind,
						    .whole = whole,
						    .digits = digits });
}

/* Text from outside is cleaned for JSON, too: it must be UTF-8. */
static void member_text(const struct member *m, const char *suffix,
			const char *text)
{
	char clean[CELL_TEXT_MAX];

	clean_text(clean, sizeof(clean), text);
	member_put(m, suffix, &(struct json_value){ .kind = JSON_TEXT,
						    .text = clean });
}

/* An exact integer, also as text if a double cannot hold it exactly. */
static void member_integer(const struct member *m, const char *suffix,
			   bool is_signed)
{
	int64_t value = m->cell->value;
	bool is_large = is_signed ? value >= EXACT_MAX || value <= -EXACT_MAX :
				    (uint64_t)value >= (uint64_t)EXACT_MAX;
	char text[24], key[40];

	member_number(m, suffix, is_signed ? JSON_SIGNED : JSON_UNSIGNED,
		      value, 0);
	if (!is_large || m->cell->absent)
		return;
	(void)snprintf(text, sizeof(text), is_signed ? "%lld" : "%llu",
		       (long long)value);
	(void)snprintf(key, sizeof(key), "%s_str", suffix);
	member_text(m, key, text);
}

/* Both, because nobody adds in dBm and nobody thinks in mW. No light has no
 * value in dBm.
 */
static void member_power(const struct member *m)
{
	int64_t pw = m->cell->value;
	struct json_value dbm = { .kind = JSON_NULL };

	if (pw > 0)
		dbm = (struct json_value){ .kind = JSON_DOUBLE,
					   .real = number_dbm(pw) };
	member_put(m, "_dbm", &dbm);
	member_number(m, "_mw", JSON_SCALED, pw, 9);
}

static void member_wall(const struct member *m)
{
	char text[48];

	wall_rfc3339(m->cell->value, text, sizeof(text));
	member_text(m, "", text);
	member_integer(m, "_ns", true);
}

/* How units that are a single number are written, by unit. */
static const struct json_form {
	const char *suffix;		/* NULL: not one number */
	enum json_kind kind;
	unsigned digits;
} forms[CELL_UNIT_COUNT] = {
	[CELL_INTEGER] = { "", JSON_SIGNED, 0 },
	[CELL_UNSIGNED] = { "", JSON_UNSIGNED, 0 },
	[CELL_MBPS] = { "_mbps", JSON_SIGNED, 0 },
	[CELL_PPM] = { "_ppm", JSON_SIGNED, 0 },
	[CELL_OCTETS] = { "_octets", JSON_SIGNED, 0 },
	[CELL_BPS] = { "_bps", JSON_SIGNED, 0 },
	[CELL_NS] = { "_ns", JSON_SIGNED, 0 },
	[CELL_MILLI] = { "_milli", JSON_SIGNED, 0 },
	[CELL_AGE_NS] = { "_s", JSON_SCALED, 9 },
	[CELL_MC] = { "_c", JSON_SCALED, 3 },
	[CELL_UV] = { "_v", JSON_SCALED, 6 },
	[CELL_UA] = { "_ma", JSON_SCALED, 3 },
	[CELL_MDB] = { "_db", JSON_SCALED, 3 },
	[CELL_UW] = { "_w", JSON_SCALED, 6 },
};

/* The unit is appended to the key. */
static void member_value(const struct member *m, uint32_t unit)
{
	const struct json_form *f = unit < CELL_UNIT_COUNT ? &forms[unit] :
							&forms[CELL_TEXT];
	int64_t value = m->cell->value;

	if (f->suffix && f->kind == JSON_SCALED) {
		member_number(m, f->suffix, JSON_SCALED, value, f->digits);
	} else if (f->suffix) {
		member_integer(m, f->suffix, f->kind == JSON_SIGNED &&
			       !m->cell->is_pattern);
	} else if (unit == CELL_BOOL) {
		member_number(m, "", JSON_BOOL, value != 0, 0);
	} else if (unit == CELL_PW) {
		member_power(m);
	} else if (unit == CELL_E18) {
		member_number(m, "", JSON_SCALED, value, 18);
		member_integer(m, "_e18", true);
	} else if (unit == CELL_WALL_NS) {
		member_wall(m);
	} else {	/* text, and units of a newer agent */
		member_text(m, "", m->cell->text);
	}
}

void json_out_cell(struct json_out *j, const char *key, uint32_t unit,
		   const struct cell *cell)
{
	struct member m = { .j = j, .key = key, .cell = cell };
	const char *quality = cell_quality_word(cell->quality);

	if (unit == CELL_MW)
		return;
	member_value(&m, unit);
	if (cell->absent)
		return;
	if (cell->age_ns)
		member_number(&m, "_age_s", JSON_SCALED, cell->age_ns, 9);
	if (quality)
		member_text(&m, "_quality", quality);
}
