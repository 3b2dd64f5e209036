#include "agent/ctl/cell_json.h"

#include <json-c/json.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/clean.h"
#include "agent/base/number.h"
#include "agent/ctl/cell.h"
#include "agent/ctl/json_out.h"
#include "agent/query/message.h"
#include "petrel/local.h"

#define JSON_EXACT_MAX (INT64_C(1) << 53)

/* A cell on its way to a taker. */
struct member {
	const struct json_taker *to;
	const char *key;
	const struct cell *cell;
};

/* Gives <key><suffix>; null where the cell is absent. */
static void member_put(const struct member *m, const char *suffix,
		       const struct json_value *value)
{
	static const struct json_value null = { .kind = JSON_NULL };
	size_t len = strlen(suffix), room = CELL_KEY_MAX - 1 - len;
	char key[CELL_KEY_MAX];

	memcpy(mempcpy(key, m->key, strnlen(m->key, room)), suffix, len + 1);
	m->to->put(m->to->context, key, m->cell->absent ? &null : value);
}

static void member_whole(const struct member *m, const char *suffix,
			 enum json_kind kind, int64_t whole)
{
	member_put(m, suffix, &(struct json_value){ .kind = kind,
						    .whole = whole });
}

static void member_scaled(const struct member *m, const char *suffix,
			  int64_t whole, unsigned digits)
{
	member_put(m, suffix, &(struct json_value){ .kind = JSON_SCALED,
						    .whole = whole,
						    .digits = digits });
}

/* Foreign text is cleaned for JSON, too: it must be UTF-8. */
static void member_text(const struct member *m, const char *suffix,
			const char *text)
{
	char clean[CELL_TEXT_MAX];

	clean_text(clean, sizeof(clean), text);
	member_put(m, suffix, &(struct json_value){ .kind = JSON_TEXT,
						    .text = clean });
}

/* Exact, with a twin as text where a double would not be. */
static void member_integer(const struct member *m, const char *suffix,
			   bool is_signed)
{
	int64_t value = m->cell->value;
	bool is_large = is_signed ? value >= JSON_EXACT_MAX ||
				    value <= -JSON_EXACT_MAX :
				    (uint64_t)value >= (uint64_t)JSON_EXACT_MAX;
	char text[24], key[40];

	member_whole(m, suffix, is_signed ? JSON_SIGNED : JSON_UNSIGNED,
		     value);
	if (!is_large || m->cell->absent)
		return;
	(void)snprintf(text, sizeof(text), is_signed ? "%lld" : "%llu",
		       (long long)value);
	(void)snprintf(key, sizeof(key), "%s_str", suffix);
	member_text(m, key, text);
}

/* Both, because nobody adds in dBm and nobody thinks in mW. No light has no
 * dBm.
 */
static void member_power(const struct member *m)
{
	int64_t pw = m->cell->value;
	struct json_value dbm = { .kind = JSON_NULL };

	if (pw > 0)
		dbm = (struct json_value){ .kind = JSON_DOUBLE,
					   .real = number_dbm(pw) };
	member_put(m, "_dbm", &dbm);
	member_scaled(m, "_mw", pw, 9);
}

static void member_wall(const struct member *m)
{
	char text[48];

	wall_rfc3339(m->cell->value, text, sizeof(text));
	member_text(m, "", text);
	member_integer(m, "_ns", true);
}

/* How the units are written that are one number; row of each. */
static const struct form {
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

/* The unit is the end of the key. */
static void member_value(const struct member *m, uint32_t unit)
{
	const struct form *f = unit < CELL_UNIT_COUNT ? &forms[unit] :
							&forms[CELL_TEXT];
	int64_t value = m->cell->value;

	if (f->suffix && f->kind == JSON_SCALED) {
		member_scaled(m, f->suffix, value, f->digits);
	} else if (f->suffix) {
		member_integer(m, f->suffix, f->kind == JSON_SIGNED);
	} else if (unit == CELL_BOOL) {
		member_whole(m, "", JSON_BOOL, value != 0);
	} else if (unit == CELL_PW) {
		member_power(m);
	} else if (unit == CELL_E18) {
		member_scaled(m, "", value, 18);
		member_integer(m, "_e18", true);
	} else if (unit == CELL_WALL_NS) {
		member_wall(m);
	} else {	/* text, and units of a later agent */
		member_text(m, "", m->cell->text);
	}
}

void cell_json_give(const char *key, uint32_t unit, const struct cell *cell,
		    const struct json_taker *to)
{
	struct member m = { .to = to, .key = key, .cell = cell };
	const char *quality = cell_quality_word(cell->quality);

	if (unit == CELL_MW)
		return;
	member_value(&m, unit);
	if (cell->absent)
		return;
	if (cell->age_ns)
		member_scaled(&m, "_age_s", cell->age_ns, 9);
	if (quality)
		member_text(&m, "_quality", quality);
}

/* --- as an object -------------------------------------------------------- */

/* json-c keeps the text beside the number. */
static struct json_object *number_new(const struct json_value *v)
{
	double value = v->kind == JSON_DOUBLE ? v->real :
			(double)v->whole / pow(10, v->digits);
	char text[JSON_NUMBER_MAX];

	json_number_text(v, text);
	return json_object_new_double_s(value, text);
}

static struct json_object *value_new(const struct json_value *v)
{
	switch (v->kind) {
	case JSON_BOOL:
		return json_object_new_boolean(v->whole != 0);
	case JSON_SIGNED:
		return json_object_new_int64(v->whole);
	case JSON_UNSIGNED:
		return json_object_new_uint64((uint64_t)v->whole);
	case JSON_SCALED:
	case JSON_DOUBLE:
		return number_new(v);
	case JSON_TEXT:
		return json_object_new_string(v->text);
	case JSON_NULL:
		break;
	}
	return NULL;
}

static void object_put(void *context, const char *key,
		       const struct json_value *value)
{
	struct json_object *o = context;

	(void)json_object_object_add(o, key, value_new(value));
}

void cell_json(const char *key, uint32_t unit, const struct cell *cell,
	       struct json_object *object)
{
	struct json_taker to = { object, object_put };

	cell_json_give(key, unit, cell, &to);
}
