/* One object per file: schema petrel/decode/1. Values have the names of their
 * quantities: exact integers with the unit at the key's end, and the variants
 * for people that all of petrel has (json_out.h).
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "agent/ctl/cell.h"
#include "agent/ctl/decoded.h"
#include "agent/ctl/json_out.h"
#include "agent/query/message.h"
#include "petrel/local.h"
#include "platform/module/application.h"
#include "platform/module/cdb.h"
#include "platform/module/code.h"
#include "platform/module/register_field.h"
#include "platform/module/vdm.h"

/* --- values -------------------------------------------------------------- */

/* The name without its unit, which is added again at the end of each key. */
static void base_of(const struct quantity_info *q, char *ret)
{
	const char *unit = quantity_unit_name((enum quantity_unit)q->unit);
	size_t len = strlen(q->name), unit_len = strlen(unit);

	if (unit_len && len > unit_len + 1 &&
	    strcmp(q->name + len - unit_len, unit) == 0)
		len -= unit_len + 1;
	(void)snprintf(ret, CELL_KEY_MAX, "%.*s", (int)len, q->name);
}

static void exact_put(struct json_out *j, const char *base,
		      const struct decoded_reading *v)
{
	enum quantity_unit unit = (enum quantity_unit)v->quantity->unit;
	const struct cell cell = { .value = v->value, .text = "" };
	const char *word = quantity_word(v->quantity->id, v->value);
	bool has_unit = unit != UNIT_NONE && unit != UNIT_ENUM;
	char key[CELL_KEY_MAX + 24];

	(void)snprintf(key, sizeof(key), "%s%s%s", base, has_unit ? "_" : "",
		       has_unit ? quantity_unit_name(unit) : "");
	json_out_cell(j, key, CELL_INTEGER, &cell);
	(void)snprintf(key, sizeof(key), "%s_word", base);
	if (word)
		json_out_text(j, key, word);
}

/* Of a value whose cell does not write it. */
static void quality_put(struct json_out *j, const char *base,
			const struct decoded_reading *v)
{
	const char *word = cell_quality_word(v->quality);
	char key[CELL_KEY_MAX + 24];

	(void)snprintf(key, sizeof(key), "%s_quality", base);
	if (word)
		json_out_text(j, key, word);
}

/* The exact value, then the one for people; a ratio's cell writes both. */
static void value_put(struct json_out *j, const char *base,
		      const struct decoded_reading *v)
{
	const struct cell cell = { .value = v->value, .text = "",
				   .quality = v->quality };
	uint32_t unit = decoded_cell_unit(v->quantity);

	if (unit != CELL_BOOL && unit != CELL_E18)
		exact_put(j, base, v);
	if (unit == CELL_BOOL)
		json_out_bool(j, base, v->value != 0);
	else if (unit != CELL_INTEGER && unit != CELL_PPM)
		json_out_cell(j, base, unit, &cell);
	if (unit == CELL_BOOL || unit == CELL_INTEGER || unit == CELL_PPM)
		quality_put(j, base, v);
}

/* The key for an index: high_alarm, at_2_5_ghz; "" if it has no name. */
static void index_key(const struct decoded_reading *v, char *ret)
{
	quantity_index_words(v->quantity, v->index, ret, CELL_KEY_MAX);
	if (ret[0] == '[')
		ret[0] = '\0';
	for (char *t = ret; *t; t++)
		*t = isalnum((unsigned char)*t) ?
		     (char)tolower((unsigned char)*t) : '_';
}

/* The values of a lane, a data path, or the module; those with an index form an
 * object. Of indices without names only the last is shown.
 */
static void values_put(struct json_out *j, const struct decoded *d,
		       unsigned lane)
{
	const struct quantity_info *open = NULL;
	char base[CELL_KEY_MAX], index[CELL_KEY_MAX];

	for (size_t i = 0; i < d->value_count; i++) {
		const struct decoded_reading *v = &d->values[i];
		bool is_last = i + 1 == d->value_count ||
			       v[1].quantity != v->quantity ||
			       v[1].lane != lane;

		if (v->lane != lane)
			continue;
		base_of(v->quantity, base);
		index_key(v, index);
		if (index[0] && open != v->quantity)
			json_out_begin(j, base, '{');
		open = index[0] ? v->quantity : NULL;
		if (index[0] || is_last)
			value_put(j, index[0] ? index : base, v);
		if (open && is_last)
			json_out_end(j, '}');
	}
}

/* Lanes, or data paths by their first host lanes; only those with values. */
static void owners_put(struct json_out *j, const struct decoded *d,
		       const char *list, const char *key, unsigned first)
{
	json_out_begin(j, list, '[');
	for (unsigned n = 1; n < MODULE_PATH; n++) {
		if (!decoded_has(d, first + n))
			continue;
		json_out_begin(j, NULL, '{');
		json_out_integer(j, key, n);
		values_put(j, d, first + n);
		json_out_end(j, '}');
	}
	json_out_end(j, ']');
}

/* --- what it is ---------------------------------------------------------- */

/* In the module's own form: 240719. */
static void date_code_put(struct json_out *j, const char *date)
{
	char code[ATTRIBUTE_TEXT_MAX];
	size_t n = 0;

	if (strlen(date) < 10 || date[4] != '-' || date[7] != '-') {
		if (date[0])	/* no day: it stands as it is */
			json_out_text(j, "date_code", date);
		return;
	}
	for (const char *t = date + 2; *t; t++) {
		if (*t != '-' && *t != ' ')
			code[n++] = *t;
	}
	code[n] = '\0';
	json_out_text(j, "date_code", code);
}

static void identity_put(struct json_out *j, const struct decoded *d)
{
	json_out_begin(j, "identity", '{');
	json_out_integer(j, "identifier", view_octet(&d->view, LOWER, 0));
	for (unsigned i = 1; i < ATTRIBUTE_COUNT; i++) {
		if (d->text[i][0])
			json_out_text(j, attribute_name((enum attribute)i),
				      d->text[i]);
	}
	date_code_put(j, d->text[ATTRIBUTE_DATE]);
	json_out_end(j, '}');
}

static void applications_put(struct json_out *j, const struct decoded *d)
{
	int media = view_octet(&d->view, LOWER, 85);
	char word[CODE_TEXT_MAX];
	struct application a;

	json_out_begin(j, "applications", '[');
	for (unsigned n = 0; application_next(&d->view, &n, &a);) {
		json_out_begin(j, NULL, '{');
		json_out_integer(j, "number", n);
		code_text(CODE_HOST, a.host_id, word);
		json_out_text(j, "host", word);
		json_out_integer(j, "host_id", a.host_id);
		code_text(code_media(media), a.media_id, word);
		json_out_text(j, "media", word);
		json_out_integer(j, "media_id", a.media_id);
		json_out_integer(j, "host_lanes", a.host_lanes);
		json_out_integer(j, "media_lanes", a.media_lanes);
		json_out_integer(j, "host_first_lanes", a.host_first);
		json_out_integer(j, "media_first_lanes", a.media_first);
		json_out_end(j, '}');
	}
	json_out_end(j, ']');
}

/* As read by CDB; empty where CDB was not used. */
static void firmware_images_put(struct json_out *j, const struct decoded *d)
{
	struct cdb_image images[CDB_SLOT_COUNT];
	bool is_there = cdb_images(&d->view, images);
	char version[16];

	json_out_begin(j, "firmware_images", '[');
	for (unsigned i = 0; is_there && i < CDB_SLOT_COUNT; i++) {
		if (!images[i].is_told)
			continue;
		cdb_version(&images[i], version);
		json_out_begin(j, NULL, '{');
		json_out_text(j, "image", cdb_slot_name((enum cdb_slot)i));
		json_out_text(j, "version", version[0] ? version : NULL);
		json_out_bool(j, "running", images[i].is_running);
		json_out_bool(j, "committed", images[i].is_committed);
		json_out_bool(j, "empty", images[i].is_empty);
		json_out_end(j, '}');
	}
	json_out_end(j, ']');
}

/* --- what is odd, and what is missing ------------------------------------ */

static void notices_put(struct json_out *j, const struct decoded *d)
{
	char what[DECODED_WHAT_MAX];
	unsigned at = 0, lane;

	json_out_begin(j, "noticed", '[');
	while (decoded_noticed(d, &at, &lane, what, sizeof(what))) {
		json_out_begin(j, NULL, '{');
		json_out_integer(j, "lane", lane);
		json_out_text(j, "what", what);
		json_out_end(j, '}');
	}
	json_out_end(j, ']');
}

static void faults_put(struct json_out *j, const struct decoded *d)
{
	json_out_begin(j, "implausible", '[');
	for (size_t i = 0; i < d->fault_count; i++) {
		const struct decoded_fault *f = &d->faults[i];
		const struct cell lane = {
			.value = f->lane,
			.absent = f->lane == 0 || f->lane >= MODULE_PATH,
		};

		json_out_begin(j, NULL, '{');
		json_out_text(j, "where", f->where);
		json_out_text(j, "what", f->what);
		json_out_text(j, "kind", reading_fault_name(f->kind));
		json_out_cell(j, "lane", CELL_INTEGER, &lane);
		json_out_end(j, '}');
	}
	json_out_end(j, ']');
}

static void missing_put(struct json_out *j, const struct decoded *d,
			const char *key, unsigned presence)
{
	const struct quantity_info *q;
	size_t at = 0;

	json_out_begin(j, key, '[');
	while ((q = decoded_missing(d, MODULE_MONITORS | MODULE_THRESHOLDS |
				    MODULE_STATUS, presence, &at)))
		json_out_text(j, NULL, q->name);
	if (presence == FIELD_UNREAD && cdb_is_silent(&d->view))
		json_out_text(j, NULL,
			      attribute_name(ATTRIBUTE_FIRMWARE_IMAGES));
	if (presence == FIELD_UNREAD && vdm_is_unread(&d->view))
		json_out_text(j, NULL, "vdm");
	json_out_end(j, ']');
}

static void answer_open(struct json_out *j, const char *file, int code,
			const char *error)
{
	json_out_own(j, "decode", code, error);
	json_out_text(j, "file", file);
}

int decoded_print_json_error(const char *file, int code, const char *why)
{
	struct json_out j;

	answer_open(&j, file, code, why);
	return json_out_close(&j);
}

int decoded_print_json(const struct decoded *d)
{
	struct json_out j;

	answer_open(&j, d->file, d->note.text[0] ? EXIT_INCOMPLETE :
						   EXIT_ANSWERED, d->note.text);
	identity_put(&j, d);
	if (d->view.standard == MODULE_CMIS) {
		applications_put(&j, d);
		firmware_images_put(&j, d);
	}
	json_out_begin(&j, "module", '{');
	values_put(&j, d, 0);
	json_out_end(&j, '}');
	owners_put(&j, d, "lanes", "lane", 0);
	owners_put(&j, d, "data_paths", "data_path", MODULE_PATH);
	notices_put(&j, d);
	faults_put(&j, d);
	missing_put(&j, d, "unsupported", FIELD_UNSUPPORTED);
	missing_put(&j, d, "unread", FIELD_UNREAD);
	missing_put(&j, d, "untold", FIELD_UNTOLD);
	return json_out_close(&j);
}
