/* One object a file: schema petrel/decode/1. Values stand under the names of
 * their quantities: exact integers with the unit at the key's end, and the
 * twins for people that all of petrel has (cell.h).
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/clean.h"
#include "agent/ctl/cell.h"
#include "agent/ctl/cell_json.h"
#include "agent/ctl/decoded.h"
#include "agent/record/json.h"
#include "petrel/clock.h"
#include "petrel/local.h"
#include "platform/module/application.h"
#include "platform/module/cdb.h"
#include "platform/module/code.h"
#include "platform/module/field.h"

#define SCHEMA "petrel/decode/1"
#define KEY_MAX 96

/* A member under a key; takes the value. NULL is JSON's null. */
static void put(struct json_object *o, const char *key,
		struct json_object *value)
{
	(void)json_object_object_add(o, key, value);
}

static struct json_object *text_new(const char *text)
{
	char clean[CELL_TEXT_MAX];

	clean_text(clean, sizeof(clean), text);
	return json_object_new_string(clean);
}

/* --- values -------------------------------------------------------------- */

static const uint8_t cells[UNIT_COUNT] = {
	[UNIT_PW] = CELL_PW, [UNIT_MC] = CELL_MC, [UNIT_UV] = CELL_UV,
	[UNIT_UA] = CELL_UA, [UNIT_MDB] = CELL_MDB, [UNIT_E18] = CELL_E18,
};

/* The name without its unit, which comes back at the end of each key. */
static void base_of(const struct quantity_info *q, char *ret)
{
	const char *unit = quantity_unit_name((enum quantity_unit)q->unit);
	size_t len = strlen(q->name), unit_len = strlen(unit);

	if (unit_len && len > unit_len + 1 &&
	    strcmp(q->name + len - unit_len, unit) == 0)
		len -= unit_len + 1;
	(void)snprintf(ret, KEY_MAX, "%.*s", (int)len, q->name);
}

static void value_exact(struct json_object *o, const char *base,
			const struct quantity_info *q, int64_t value)
{
	const char *unit = quantity_unit_name((enum quantity_unit)q->unit);
	const char *word = quantity_word(q->id, value);
	char key[KEY_MAX + 24];
	bool has_unit = q->unit != UNIT_NONE && q->unit != UNIT_ENUM &&
			q->unit != UNIT_BOOL;

	(void)snprintf(key, sizeof(key), "%s%s%s", base, has_unit ? "_" : "",
		       has_unit ? unit : "");
	if (q->unit == UNIT_BOOL)
		put(o, key, json_object_new_boolean(value != 0));
	else
		(void)json_add_integer(o, key, value);
	if (word) {
		(void)snprintf(key, sizeof(key), "%s_word", base);
		put(o, key, json_object_new_string(word));
	}
}

/* Exact first, then what people read; the same key is the same value. */
static void value_put(struct json_object *o, const char *base,
		      const struct decoded_value *v)
{
	const struct cell cell = { .value = v->value, .text = "",
				   .quality = v->quality };
	uint32_t unit = cells[v->quantity->unit];
	char key[KEY_MAX];

	value_exact(o, base, v->quantity, v->value);
	if (unit)
		cell_json(base, unit, &cell, o);
	else if (v->quality == QUALITY_IMPLAUSIBLE ||
		 v->quality == QUALITY_STALE) {
		(void)snprintf(key, sizeof(key), "%.80s_quality", base);
		put(o, key, json_object_new_string(
			    v->quality == QUALITY_STALE ? "stale" :
							  "implausible"));
	}
}

/* The object of a name within another, made when it is not there. */
static struct json_object *object_in(struct json_object *o, const char *key)
{
	struct json_object *found = NULL;

	if (!json_object_object_get_ex(o, key, &found)) {
		found = json_object_new_object();
		put(o, key, found);
	}
	return found;
}

static void value_add(struct json_object *o, const struct decoded_value *v)
{
	const char *index = decoded_index_name(v->quantity, v->index);
	char base[KEY_MAX];

	base_of(v->quantity, base);
	if (index)
		value_put(object_in(o, base), index, v);
	else
		value_put(o, base, v);
}

static struct json_object *lane_new(const struct decoded *d, unsigned lane)
{
	struct json_object *o = json_object_new_object();

	if (lane > MODULE_PATH)
		put(o, "data_path", json_object_new_int64(lane - MODULE_PATH));
	else if (lane)
		put(o, "lane", json_object_new_int64(lane));
	for (size_t i = 0; i < d->value_count; i++) {
		if (d->values[i].lane == lane)
			value_add(o, &d->values[i]);
	}
	return o;
}

/* By its first host lane; what it says, a lane of it does not. */
static struct json_object *paths_new(const struct decoded *d)
{
	struct json_object *paths = json_object_new_array();

	for (unsigned n = 1; n <= MODULE_BANKS_MAX * MODULE_BANK_LANES; n++) {
		struct json_object *o = lane_new(d, MODULE_PATH + n);

		if (json_object_object_length(o) > 1)
			(void)json_object_array_add(paths, o);
		else
			json_object_put(o);
	}
	return paths;
}

static struct json_object *lanes_new(const struct decoded *d)
{
	struct json_object *lanes = json_object_new_array();

	for (unsigned lane = 1; lane <= d->lanes; lane++) {
		struct json_object *o = lane_new(d, lane);

		if (json_object_object_length(o) > 1)
			(void)json_object_array_add(lanes, o);
		else	/* nothing is known of it */
			json_object_put(o);
	}
	return lanes;
}

/* --- what it is ---------------------------------------------------------- */

/* As the module has it: 240719. */
static void date_code_put(struct json_object *o, const char *date)
{
	char code[ATTRIBUTE_TEXT_MAX];
	size_t n = 0;

	if (strlen(date) < 10 || date[4] != '-' || date[7] != '-')
		return;
	for (const char *t = date + 2; *t; t++) {
		if (*t != '-' && *t != ' ')
			code[n++] = *t;
	}
	code[n] = '\0';
	put(o, "date_code", text_new(code));
}

static struct json_object *identity_new(const struct decoded *d)
{
	struct json_object *o = json_object_new_object();
	int identifier = view_octet(&d->view, LOWER, 0);

	put(o, "identifier", json_object_new_int64(identifier));
	for (unsigned i = 1; i < ATTRIBUTE_COUNT; i++) {
		if (d->text[i][0])
			put(o, attribute_name((enum attribute)i),
			    text_new(d->text[i]));
	}
	date_code_put(o, d->text[ATTRIBUTE_DATE]);
	return o;
}

static struct json_object *application_new(const struct decoded *d,
					   unsigned number,
					   const struct application *a)
{
	struct json_object *o = json_object_new_object();
	char word[CODE_TEXT_MAX];

	put(o, "number", json_object_new_int64(number));
	code_text(CODE_HOST, a->host_id, word);
	put(o, "host", text_new(word));
	put(o, "host_id", json_object_new_int64(a->host_id));
	code_text(code_media(view_octet(&d->view, LOWER, 85)), a->media_id,
		  word);
	put(o, "media", text_new(word));
	put(o, "media_id", json_object_new_int64(a->media_id));
	put(o, "host_lanes", json_object_new_int64(a->host_lanes));
	put(o, "media_lanes", json_object_new_int64(a->media_lanes));
	put(o, "host_first_lanes", json_object_new_int64(a->host_first));
	put(o, "media_first_lanes", json_object_new_int64(a->media_first));
	return o;
}

static struct json_object *applications_new(const struct decoded *d)
{
	struct json_object *list = json_object_new_array();
	struct application a;

	for (unsigned n = 0; application_next(&d->view, &n, &a);)
		(void)json_object_array_add(list, application_new(d, n, &a));
	return list;
}

/* As CDB has them; empty where nobody asked by it. */
static struct json_object *firmware_images_new(const struct decoded *d)
{
	struct json_object *list = json_object_new_array();
	struct cdb_image images[CDB_SLOT_COUNT];
	bool is_there = cdb_images(&d->view, images);

	for (unsigned i = 0; is_there && i < CDB_SLOT_COUNT; i++) {
		const struct cdb_image *image = &images[i];
		struct json_object *o;
		char version[16];

		if (!image->is_told)
			continue;
		o = json_object_new_object();
		cdb_version(image, version);
		put(o, "image", json_object_new_string(
			    cdb_slot_name((enum cdb_slot)i)));
		put(o, "version", version[0] ?
		    json_object_new_string(version) : NULL);
		put(o, "running", json_object_new_boolean(image->is_running));
		put(o, "committed",
		    json_object_new_boolean(image->is_committed));
		put(o, "empty", json_object_new_boolean(image->is_empty));
		(void)json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *notices_new(const struct decoded *d)
{
	struct json_object *list = json_object_new_array();
	char what[DECODED_WHAT_MAX];
	unsigned at = 0, lane;

	while (decoded_noticed(d, &at, &lane, what, sizeof(what))) {
		struct json_object *o = json_object_new_object();

		put(o, "lane", json_object_new_int64(lane));
		put(o, "what", json_object_new_string(what));
		(void)json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *faults_new(const struct decoded *d)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < d->fault_count; i++) {
		struct json_object *o = json_object_new_object();

		put(o, "where", json_object_new_string(d->faults[i].where));
		put(o, "what", json_object_new_string(d->faults[i].what));
		put(o, "kind", json_object_new_string(
			    reading_fault_name(d->faults[i].kind)));
		put(o, "lane", d->faults[i].lane && d->faults[i].lane <
		    MODULE_PATH ? json_object_new_int64(d->faults[i].lane) :
		    NULL);
		(void)json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *missing_new(const struct decoded *d,
				       unsigned presence)
{
	struct json_object *list = json_object_new_array();
	const struct quantity_info *q;
	size_t at = 0;

	while ((q = decoded_missing(d, MODULE_MONITORS | MODULE_THRESHOLDS |
				    MODULE_STATUS, presence, &at)))
		(void)json_object_array_add(list,
					    json_object_new_string(q->name));
	if (presence == FIELD_UNREAD && cdb_is_silent(&d->view))
		(void)json_object_array_add(list, json_object_new_string(
			attribute_name(ATTRIBUTE_FIRMWARE_IMAGES)));
	return list;
}

/* What each answer of petrel begins with. */
static struct json_object *answer_new(const char *file, int code,
				      const char *error)
{
	struct json_object *o = json_object_new_object();
	char time[40];

	if (!o)
		return NULL;
	wall_rfc3339(clock_wall_now().ns, time, sizeof(time));
	put(o, "schema", json_object_new_string(SCHEMA));
	put(o, "switch", NULL);
	put(o, "time", json_object_new_string(time));
	put(o, "complete", json_object_new_boolean(code == EXIT_ANSWERED));
	put(o, "code", json_object_new_int64(code));
	if (error[0])
		put(o, "error", text_new(error));
	put(o, "file", text_new(file));
	return o;
}

int decoded_print_json_error(const char *file, int code, const char *why)
{
	struct json_object *o = answer_new(file, code, why);
	int rc = o ? json_line(stdout, o) : -ENOMEM;

	json_object_put(o);
	return rc;
}

int decoded_print_json(const struct decoded *d)
{
	struct json_object *o = answer_new(d->file, d->note.text[0] ?
					   EXIT_INCOMPLETE : EXIT_ANSWERED,
					   d->note.text);
	int rc;

	if (!o)
		return -ENOMEM;
	put(o, "identity", identity_new(d));
	if (d->view.standard == MODULE_CMIS) {
		put(o, "applications", applications_new(d));
		put(o, "firmware_images", firmware_images_new(d));
	}
	put(o, "module", lane_new(d, 0));
	put(o, "lanes", lanes_new(d));
	put(o, "data_paths", paths_new(d));
	put(o, "noticed", notices_new(d));
	put(o, "implausible", faults_new(d));
	put(o, "unsupported", missing_new(d, FIELD_UNSUPPORTED));
	put(o, "unread", missing_new(d, FIELD_UNREAD));
	put(o, "untold", missing_new(d, FIELD_UNTOLD));
	rc = json_line(stdout, o);
	json_object_put(o);
	return rc;
}
