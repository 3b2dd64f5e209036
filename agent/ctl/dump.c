#include "agent/ctl/dump.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/ring.h"
#include "agent/collect/follow.h"
#include "agent/collect/print.h"
#include "agent/ctl/file_octets.h"
#include "agent/ctl/options.h"
#include "agent/record/json.h"
#include "agent/spool/segment.h"
#include "petrel/local.h"
#include "petrel/quantity.h"

#define FILE_MAX (2u << 30)	/* twice the largest ring */
#define TEXT_DEPTH_MAX 4
#define WANTED "a ring, a segment of a spool, or records"
#define RING_STEP 8u		/* a record begins at a multiple of it */

/* The walk in progress. */
struct file_walk {
	const uint8_t *octets;
	const struct record_file_reader *reader;
	size_t records;
};

static void damage_tell(struct file_walk *w, size_t at, size_t end,
			const char *why)
{
	if (at < end)
		w->reader->damaged(w->reader->context, at, end, why);
}

/* The length of the record there, or 0: there is none. */
static size_t record_at(struct file_walk *w, size_t at, size_t end,
			struct record_header *h, const uint8_t **payload)
{
	struct cursor c = cursor_of(w->octets + at, end - at);

	return record_read(&c, h, payload) < 0 ? 0 : end - at - cursor_left(&c);
}

/* The unused rest of a ring's lap. */
static bool is_lap_end(const struct file_walk *w, size_t at, size_t end)
{
	return end - at < RECORD_HEADER_LEN ||
	       memcmp(w->octets + at, "\xff\xff\xff\xff", 4) == 0;
}

/* Walks records, which begin at multiples of step from at on. */
static void records_walk(struct file_walk *w, size_t at, size_t end,
			 size_t step)
{
	size_t bad = at;	/* nothing could be read from here on */

	while (at < end) {
		const uint8_t *payload;
		struct record_header h;
		size_t len = record_at(w, at, end, &h, &payload);

		if (len == 0 && step == RING_STEP && is_lap_end(w, at, end)) {
			damage_tell(w, bad, at, "no record");
			return;
		}
		if (len > 0) {
			damage_tell(w, bad, at, "no record");
			w->reader->record(w->reader->context, &h, payload);
			w->records++;
		}
		at += len ? (len + step - 1) / step * step : step;
		bad = len ? at : bad;
	}
	damage_tell(w, bad, end, "no record");
}

/* Reports the run of all that follows. */
static void run_tell(struct file_walk *w, uint64_t run)
{
	struct entry e = { .kind = ENTRY_RECORDS, .run = run };

	w->reader->from(w->reader->context, &e);
}

/* --- the kinds of file, each false: it is none ---------------------------- */

static bool ring_walk_copy(struct file_walk *w, size_t n)
{
	struct ring_copy copy;

	if (ring_copy_of(w->octets, n, &copy, NULL) < 0)
		return false;
	if (copy.is_torn)
		damage_tell(w, 0, copy.piece[0].at, "positions of the ring");
	run_tell(w, copy.run);
	for (unsigned i = 0; i < 2; i++) {
		size_t end = copy.piece[i].end;

		records_walk(w, copy.piece[i].at, end, RING_STEP);
		damage_tell(w, end, end + copy.piece[i].lost,
			    "the file is cut short");
	}
	return true;
}

static bool segment_walk(struct file_walk *w, size_t n)
{
	struct segment s;

	if (segment_of(w->octets, n, &s) < 0)
		return false;
	run_tell(w, s.run);
	records_walk(w, SEGMENT_HEADER_LEN, s.octets, 1);
	return true;
}

/* Length of the entry in octets, or 0. */
static size_t entry_walk(struct file_walk *w, size_t at, size_t n)
{
	struct cursor c = cursor_of(w->octets + at, n - at);
	struct entry e;

	if (entry_read(&c, &e) < 0)
		return 0;
	w->reader->from(w->reader->context, &e);
	if (e.kind == ENTRY_RECORDS)
		records_walk(w, (size_t)(e.body - w->octets),
			     (size_t)(e.body - w->octets) + e.len, 1);
	return n - at - cursor_left(&c);
}

static bool store_walk(struct file_walk *w, size_t n)
{
	struct cursor c = cursor_of(w->octets, n);
	size_t at = STORE_HEADER_LEN, bad = at;

	if (cursor_be32(&c) != STORE_MAGIC || n < STORE_HEADER_LEN)
		return false;
	while (at < n) {
		size_t len = entry_walk(w, at, n);

		if (len > 0) {
			damage_tell(w, bad, at, "no entry");
			bad = at + len;
		}
		at += len ? len : 1;
	}
	damage_tell(w, bad, n, "no entry");
	return true;
}

size_t record_file_walk(const uint8_t *octets, size_t n,
			const struct record_file_reader *reader)
{
	struct file_walk w = { .octets = octets, .reader = reader };

	if (!ring_walk_copy(&w, n) && !segment_walk(&w, n) &&
	    !store_walk(&w, n)) {
		run_tell(&w, 0);
		records_walk(&w, 0, n, 1);
	}
	return w.records;
}

struct dump {
	const char *file;
	bool json, has_values;	/* has_values: a line for each */
	bool learns;		/* only names, and prints nothing */
	struct print_filter filter;
	struct known *known;
	struct entry from;		/* origin of what follows; no body */
	size_t damaged, printed;
};

/* --- text ----------------------------------------------------------------- */

static void member_print(const char *key, struct json_object *value,
			 unsigned depth);

/* Nothing, no, 0, or a list, an object or a text without anything in it. */
static bool is_empty(struct json_object *v)
{
	return json_object_is_type(v, json_type_array) ?
	       json_object_array_length(v) == 0 :
	       json_object_is_type(v, json_type_object) ?
	       json_object_object_length(v) == 0 : !json_object_get_boolean(v);
}

static void members_print(struct json_object *o, unsigned depth)
{
	json_object_object_foreach(o, key, value) {
		size_t len = strlen(key);

		if (len > 4 && strcmp(key + len - 4, "_str") == 0)
			continue;	/* the same number as text */
		if (!is_empty(value))
			member_print(key, value, depth);
	}
}

static void list_print(struct json_object *list)
{
	size_t count = json_object_array_length(list);

	if (json_object_is_type(json_object_array_get_idx(list, 0),
				json_type_object)) {
		(void)printf("(%zu)", count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		(void)printf("%s%s", i ? "," : "", json_object_get_string(
				     json_object_array_get_idx(list, i)));
}

/* For a list of objects, only their number. */
static void member_print(const char *key, struct json_object *value,
			 unsigned depth)
{
	if (json_object_is_type(value, json_type_object)) {
		if (depth < TEXT_DEPTH_MAX)
			members_print(value, depth + 1);
		return;
	}
	(void)printf(" %s=", key);
	if (json_object_is_type(value, json_type_array))
		list_print(value);
	else
		(void)fputs(json_object_get_string(value), stdout);
}

static const char *text_of(struct json_object *o, const char *key)
{
	struct json_object *value = json_object_object_get(o, key);

	return value ? json_object_get_string(value) : "?";
}

static void values_print(struct json_object *content)
{
	struct json_object *list = json_object_object_get(content, "values");

	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *v = json_object_array_get_idx(list, i);

		(void)printf("    %s %s[%s] %s %s\n", text_of(v, "name"),
			     text_of(v, "quantity"), text_of(v, "index"),
			     text_of(v, "value"), text_of(v, "quality"));
	}
}

/* A finding has its content twice: as a message, and as printed. */
static void text_print(const struct dump *d, struct json_object *o)
{
	struct json_object *content = json_object_object_get(o, "content");
	struct json_object *finding = json_object_object_get(content,
							     "finding");

	(void)printf("%s %s %s", text_of(o, "stream"), text_of(o, "sequence"),
		     text_of(o, "kind"));
	members_print(finding ? finding : content, 0);
	(void)putchar('\n');
	if (d->has_values)
		values_print(content);
}

/* --- a file --------------------------------------------------------------- */

static void from_take(void *context, const struct entry *e)
{
	struct dump *d = context;

	d->from = *e;
	if (e->kind != ENTRY_RECORDS)
		(void)known_find(d->known, e);	/* learns its name */
}

static int object_take(void *context, struct json_object *o)
{
	struct dump *d = context;

	d->printed += !d->learns;
	if (d->json && !d->learns)
		return json_line(stdout, o); /* main() checks it */
	if (!d->learns)
		text_print(d, o);
	return 0;
}

/* Passes it on as the collector's entry of one record: header and payload. */
static void record_take(void *context, const struct record_header *h,
			const uint8_t *payload)
{
	static const struct print_filter names = {
		.kinds = 1u << RECORD_DICTIONARY };
	struct dump *d = context;
	struct entry e = d->from;

	e.kind = ENTRY_RECORDS;
	e.body = payload - RECORD_HEADER_LEN;
	e.len = RECORD_HEADER_LEN + h->length;
	(void)print_entry(d->known, &e, d->learns ? &names : &d->filter,
			  object_take, d);
}

static void damage_take(void *context, size_t at, size_t end, const char *why)
{
	struct dump *d = context;
	struct json_object *o;

	if (d->learns)
		return;
	o = d->json ? json_object_new_object() : NULL;
	d->damaged++;
	(void)fflush(stdout);		/* keeps the file's order */
	(void)command_failed(0, "%s: octets %zu to %zu cannot be read (%s)",
			     file_label(d->file), at, end - 1, why);
	if (!o)
		return;
	(void)json_object_object_add(o, "damaged",
				     json_object_new_string(why));
	(void)json_add_unsigned(o, "first_octet", at);
	(void)json_add_unsigned(o, "last_octet", end - 1);
	(void)json_line(stdout, o);
	json_object_put(o);
}

/* The names of a ring's entities are in the ring of states beside it; without
 * that ring they have no names.
 */
static void names_learn(struct dump *d, const uint8_t *octets, size_t n)
{
	const struct record_file_reader reader = { d, from_take, record_take,
						   damage_take };
	const char *slash = strrchr(d->file, '/');
	struct ring_copy copy;
	uint8_t *states = NULL;
	char *path = NULL;
	size_t len = 0;

	if (ring_copy_of(octets, n, &copy, NULL) < 0 ||
	    asprintf(&path, "%.*s%s.ring", slash ?
		     (int)(slash + 1 - d->file) : 0, d->file,
		     stream_name(STREAM_STATES)) < 0)
		return;
	d->learns = true;
	if (file_octets(path, FILE_MAX, &states, &len) == 0)
		(void)record_file_walk(states, len, &reader);
	d->learns = false;
	free(states);
	free(path);
}

/* --- the whole ------------------------------------------------------------ */

/* Nothing was printed: there is nothing about that port, or no such port. */
static int port_missed(struct dump *d)
{
	const struct known_run *run = known_find(d->known, &d->from);
	const char *port = d->filter.port;

	for (uint32_t id = 0; run && id < ENTITY_LIST_IDS_MAX; id++) {
		const char *name = known_name(run, id);

		if (name && strcmp(name, port) == 0)
			return command_failed(EXIT_ANSWERED, "%s: no such "
					      "record about %s",
					      file_label(d->file), port);
	}
	return command_failed(EXIT_NO_SUCH, "%s: no port '%s' in it",
			      file_label(d->file), port);
}

static int octets_dump(struct dump *d, const uint8_t *octets, size_t n)
{
	const struct record_file_reader reader = { d, from_take, record_take,
						   damage_take };

	const char *program = file_packed_by(octets, n);

	if (program)
		return command_failed(EXIT_BAD_DATA, "%s: compressed by %s; "
				      "expected " WANTED ": %s -dc FILE | "
				      "petrel dump -", file_label(d->file),
				      program, program);
	names_learn(d, octets, n);
	if (record_file_walk(octets, n, &reader) == 0 &&
	    (d->damaged > 0 || n == 0))
		return command_failed(EXIT_BAD_DATA, "%s: %s; expected " WANTED,
				      file_label(d->file),
				      n ? "no records" : "is empty");
	if (d->filter.port && d->printed == 0 && !d->damaged)
		return port_missed(d);
	return d->damaged ? EXIT_INCOMPLETE : EXIT_ANSWERED;
}

static int file_dump(struct dump *d)
{
	uint8_t *octets = NULL;
	size_t n;
	int rc = file_octets(d->file, FILE_MAX, &octets, &n);

	if (rc < 0)
		return command_failed(rc == -ENOMEM ? EXIT_INCOMPLETE :
						      EXIT_NO_SUCH,
				      "%s: %s", file_label(d->file),
				      strerror(-rc));
	rc = octets_dump(d, octets, n);
	free(octets);
	return rc;
}

/* --- what is wanted ------------------------------------------------------- */

static int stream_wanted(const char *name, unsigned *ret, struct diag *why)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (strcmp(stream_name(i), name) == 0)
			*ret = 1u << i;
	return *ret ? 0 : diag_set(why, -EINVAL, "no stream '%s'; expected "
				   "findings, states or samples", name);
}

static int wanted_read(const struct invocation *inv, struct dump *d,
		       struct diag *why)
{
	const char *quantity = inv->value[OPTION_QUANTITY];
	const struct quantity_info *info;

	if (inv->value[OPTION_PORTS])
		d->filter.kinds = print_kinds("finding") |
				  print_kinds("capsule") |
				  print_kinds("congestion") |
				  print_kinds("event") | print_kinds("batch");
	else
		d->filter.kinds = print_kinds("all");
	if (quantity)
		d->filter.kinds = print_kinds("batch");
	d->filter.port = inv->value[OPTION_PORTS];
	d->filter.quantity = quantity;
	if (quantity && quantity_parse(quantity, &info, why) < 0)
		return -EINVAL;
	return !option_given(inv, OPTION_STREAM) ? 0 :
	       stream_wanted(inv->value[OPTION_STREAM], &d->filter.streams,
			     why);
}

int dump_run(const struct invocation *inv)
{
	struct dump d = { .file = inv->argument[0],
			  .json = option_given(inv, OPTION_JSON) };
	struct diag why;
	int rc;

	if (wanted_read(inv, &d, &why) < 0)
		return command_failed(EXIT_USAGE, "%s", why.text);
	d.has_values = d.filter.port || d.filter.quantity;
	if (known_new(&d.known) < 0)
		return command_failed(EXIT_INCOMPLETE, "dump: out of memory");
	rc = file_dump(&d);
	known_free(d.known);
	return rc;
}
