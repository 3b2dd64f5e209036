#include "agent/collect/print.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "agent/collect/follow.h"
#include "agent/record/capsule.h"
#include "agent/record/json.h"
#include "petrel/platform.h"
#include "petrel/quantity.h"

#define POLL_US 5000

/* --- any message of record.proto, through its descriptor ------------------ */

static struct json_object *message_json(const ProtobufCMessage *m);

static struct json_object *hex_json(uint64_t value)
{
	char text[17];

	(void)snprintf(text, sizeof(text), "%016" PRIx64, value);
	return json_object_new_string(text);
}

/* Of a value as protobuf-c keeps it in memory; 0: not one of these. */
static size_t scalar_size(const ProtobufCFieldDescriptor *f)
{
	switch (f->type) {
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_FLOAT:
	case PROTOBUF_C_TYPE_BOOL:
		return 4;
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_FIXED64:
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_DOUBLE:
		return 8;
	case PROTOBUF_C_TYPE_STRING:
	case PROTOBUF_C_TYPE_MESSAGE:
		return sizeof(void *);
	default:
		return 0;
	}
}

static struct json_object *scalar_json(const ProtobufCFieldDescriptor *f,
				       const void *at)
{
	union {
		uint32_t u32;
		uint64_t u64;
		int64_t i64;
		float f;
		double d;
		const char *text;
		const ProtobufCMessage *message;
		protobuf_c_boolean b;
	} v;

	memcpy(&v, at, scalar_size(f));
	switch (f->type) {
	case PROTOBUF_C_TYPE_UINT32:
		return json_object_new_int64(v.u32);
	case PROTOBUF_C_TYPE_UINT64:
		return json_object_new_uint64(v.u64);
	case PROTOBUF_C_TYPE_FIXED64:	/* the number of a run: an identifier */
		return hex_json(v.u64);
	case PROTOBUF_C_TYPE_INT64:
		return json_object_new_int64(v.i64);
	case PROTOBUF_C_TYPE_FLOAT:
		return json_object_new_double((double)v.f);
	case PROTOBUF_C_TYPE_DOUBLE:
		return json_object_new_double(v.d);
	case PROTOBUF_C_TYPE_BOOL:
		return json_object_new_boolean(v.b);
	case PROTOBUF_C_TYPE_STRING:
		return json_object_new_string(v.text);
	case PROTOBUF_C_TYPE_MESSAGE:
		return v.message ? message_json(v.message) : NULL;
	default:
		return NULL;
	}
}

static void list_add(struct json_object *o, const ProtobufCMessage *m,
		     const ProtobufCFieldDescriptor *f)
{
	const uint8_t *base = (const uint8_t *)m;
	struct json_object *list = json_object_new_array();
	const uint8_t *values;
	size_t count;

	memcpy(&count, base + f->quantifier_offset, sizeof(count));
	memcpy(&values, base + f->offset, sizeof(values));
	for (size_t i = 0; list && i < count; i++)
		(void)json_object_array_add(list,
			scalar_json(f, values + i * scalar_size(f)));
	(void)json_object_object_add(o, f->name, list);
}

static void field_add(struct json_object *o, const ProtobufCMessage *m,
		      const ProtobufCFieldDescriptor *f)
{
	const void *at = (const uint8_t *)m + f->offset;
	uint64_t u64;
	int64_t i64;

	if (f->type == PROTOBUF_C_TYPE_BYTES)
		return;
	if (f->label == PROTOBUF_C_LABEL_REPEATED) {
		list_add(o, m, f);
	} else if (f->type == PROTOBUF_C_TYPE_UINT64) {
		memcpy(&u64, at, sizeof(u64));
		(void)json_add_unsigned(o, f->name, u64);
	} else if (f->type == PROTOBUF_C_TYPE_INT64) {
		memcpy(&i64, at, sizeof(i64));
		(void)json_add_integer(o, f->name, i64);
	} else {
		struct json_object *value = scalar_json(f, at);

		if (value)
			(void)json_object_object_add(o, f->name, value);
	}
}

/* Its fields by name; skips empty ones and octets. NULL: no memory. */
static struct json_object *message_json(const ProtobufCMessage *m)
{
	struct json_object *o = json_object_new_object();

	for (unsigned i = 0; o && i < m->descriptor->n_fields; i++)
		field_add(o, m, &m->descriptor->fields[i]);
	return o;
}

/* --- a record ------------------------------------------------------------- */

/* One record being printed. */
struct printed {
	struct known_run *run;
	const struct entry *entry;
	const struct record_header *h;
	const uint8_t *payload;
	const struct print_filter *filter;
	print_fn *fn;			/* receives it */
	void *context;
	bool is_wanted;			/* as far as known so far */
	struct json_object *content;	/* being filled */
	struct json_object *values;	/* of a batch */
};

#define KINDS_BY_DEFAULT (1u << RECORD_FINDING | 1u << RECORD_EVENT)
#define KINDS_ALL ((1u << RECORD_KIND_COUNT) - 1)

unsigned print_kinds(const char *name)
{
	for (unsigned kind = 1; kind < RECORD_KIND_COUNT; kind++)
		if (strcmp(record_kind_name(kind), name) == 0)
			return 1u << kind;
	return strcmp(name, "all") == 0 ? KINDS_ALL : 0;
}

static bool is_given(const char *text)
{
	return text && text[0];
}

static unsigned kinds_wanted(const struct print_filter *f)
{
	if (f->kinds)
		return f->kinds;
	if (is_given(f->quantity))
		return 1u << RECORD_BATCH;
	return f->streams ? KINDS_ALL : KINDS_BY_DEFAULT;
}

/* The port itself, or an entity below it. */
static bool port_is_wanted(const struct print_filter *f, const char *name)
{
	size_t len = is_given(f->port) ? strlen(f->port) : 0;

	return len == 0 || (name && strncmp(name, f->port, len) == 0 &&
			    (name[len] == '\0' || name[len] == '/'));
}

/* By the clock of the run (C5). False: it is not known yet. */
static bool wall_of(const struct printed *p, int64_t mono_ns,
		    struct wall *ret)
{
	return run_clock_wall(known_clock(p->run), (struct mono){ mono_ns },
			      ret) == 0;
}

/* If the clock of a run is not known yet, all records pass. */
static bool time_is_wanted(const struct printed *p, int64_t mono_ns)
{
	struct wall wall;

	return p->filter->since_wall_ns == 0 || !wall_of(p, mono_ns, &wall) ||
	       wall.ns >= p->filter->since_wall_ns;
}

static bool header_is_wanted(const struct printed *p)
{
	const struct print_filter *f = p->filter;
	/* Bit 0 stands for all unknown kinds. */
	unsigned kind = p->h->kind < RECORD_KIND_COUNT ? p->h->kind : 0;

	return (!f->streams || (f->streams & 1u << p->h->stream)) &&
	       (kinds_wanted(f) & 1u << kind) != 0 &&
	       (!is_given(f->switch_name) ||
		strcmp(f->switch_name, p->entry->switch_id) == 0 ||
		strcmp(f->switch_name, known_switch_name(p->run)) == 0);
}

static const char *quality_name(unsigned quality)
{
	static const char *const names[SAMPLE_QUALITY_COUNT] = {
		[QUALITY_GOOD] = "good",
		[QUALITY_ESTIMATED] = "estimated",
		[QUALITY_STALE] = "stale",
		[QUALITY_IMPLAUSIBLE] = "implausible",
		[QUALITY_BELOW_RESOLUTION] = "below_resolution",
	};

	return quality < SAMPLE_QUALITY_COUNT ? names[quality] : NULL;
}

static int value_add(struct printed *p, const struct decoded_value *v)
{
	const struct quantity_info *q = quantity_find(v->quantity);
	struct json_object *o = json_object_new_object();
	struct wall wall;

	if (!o)
		return -ENOMEM;
	(void)json_add_integer(o, "entity", v->entity);
	json_add_text(o, "name", known_name(p->run, v->entity));
	json_add_text(o, "quantity", q ? q->name : NULL);
	(void)json_add_integer(o, "quantity_id", v->quantity);
	(void)json_add_integer(o, "index", v->index);
	(void)json_add_integer(o, "source", v->source);
	if (q && quantity_is_unsigned(q))
		(void)json_add_unsigned(o, "value", (uint64_t)v->value);
	else
		(void)json_add_integer(o, "value", v->value);
	json_add_text(o, "quality", quality_name(v->quality));
	(void)json_add_integer(o, "taken_mono_ns", v->age.taken.ns);
	if (wall_of(p, v->age.taken.ns, &wall))
		(void)json_add_integer(o, "taken_wall_ns", wall.ns);
	(void)json_object_array_add(p->values, o);
	return 0;
}

static int column_add(void *context, const struct decoded_column *c)
{
	const struct printed *p = context;
	const struct print_filter *f = p->filter;
	const struct quantity_info *q = quantity_find(c->quantity);
	int rc = 0;

	if (!p->is_wanted || !time_is_wanted(p, c->batch.ns) ||
	    (is_given(f->quantity) &&
	     (!q || strcmp(q->name, f->quantity) != 0)))
		return 0;

	for (uint32_t row = 0; rc == 0 && row < c->count; row++) {
		struct decoded_value v = decoded_row(c, row);

		if (port_is_wanted(f, known_name(p->run, v.entity)))
			rc = value_add(context, &v);
	}
	return rc;
}

static void batch_add(struct printed *p)
{
	struct diag d = { "" };
	int err;

	p->values = json_object_new_array();
	err = known_batch(p->run, p->h, p->payload, column_add, p, &d);
	if (err == 0) {
		if ((is_given(p->filter->quantity) ||
		     is_given(p->filter->port) || p->filter->since_wall_ns) &&
		    json_object_array_length(p->values) == 0)
			p->is_wanted = false;
		(void)json_object_object_add(p->content, "values", p->values);
		return;
	}
	(void)json_object_put(p->values);
	json_add_text(p->content, "unreadable", err == -EAGAIN ?
		 "waits for a reference batch" : d.text);
}

static void finding_add(struct printed *p, const ProtobufCMessage *m)
{
	const struct print_filter *filter = p->filter;
	struct finding f;

	if (finding_of_message((const Petrel__Finding *)m, &f) < 0)
		return;
	run_clock_finding(known_clock(p->run), &f, filter->is_live ?
			  clock_wall_now() : f.when_wall);
	(void)json_object_object_add(p->content, "finding", finding_json(&f));
	p->is_wanted &= f.when_wall.ns >= filter->since_wall_ns &&
		(port_is_wanted(filter, f.subject) ||
		 finding_has_port(&f, filter->port));
}

static void event_add(struct printed *p, const Petrel__Event *m)
{
	const char *name = known_name(p->run, m->entity);
	struct wall wall;

	json_add_text(p->content, "event", platform_event_name(m->what));
	json_add_text(p->content, "name", name);
	if (wall_of(p, m->mono_ns, &wall))
		(void)json_add_integer(p->content, "wall_ns", wall.ns);
	p->is_wanted &= time_is_wanted(p, m->mono_ns) &&
		(port_is_wanted(p->filter, name) ||
		 port_is_wanted(p->filter, m->subject));
}

static void clock_take(struct printed *p, const Petrel__Clock *m)
{
	struct run_clock *clock = known_clock(p->run);

	if (p->filter->is_live)
		run_clock_hear(clock, clock_of_message(m), clock_wall_now());
	else
		run_clock_take(clock, clock_of_message(m));
	p->is_wanted &= time_is_wanted(p, m->mono_ns);
}

/* Each as an object: json_add_integer() may add a twin member. */
static void reading_add(void *context, struct mono taken, int64_t value,
			enum sample_quality quality)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return;
	(void)json_add_integer(o, "taken_mono_ns", taken.ns);
	(void)json_add_integer(o, "value", value);
	if (quality != QUALITY_GOOD)
		json_add_text(o, "quality", quality_name(quality));
	(void)json_object_array_add(context, o);
}

static void capsule_add_series(struct printed *p, const Petrel__Capsule *m)
{
	struct json_object *list = json_object_object_get(p->content, "series");
	bool has_port = !is_given(p->filter->port);

	json_object_object_del(p->content, "times");
	for (size_t i = 0; i < m->n_series; i++) {
		struct json_object *o = json_object_array_get_idx(list, i);
		struct json_object *readings = json_object_new_array();
		const struct quantity_info *q =
			quantity_find((uint16_t)m->series[i]->quantity);

		has_port |= port_is_wanted(p->filter, m->series[i]->name);
		json_object_object_del(o, "times");
		json_object_object_del(o, "quantity");
		json_add_text(o, "quantity", q ? q->name : NULL);
		(void)json_add_integer(o, "quantity_id",
				       m->series[i]->quantity);
		if (readings && capsule_series_read(m, m->series[i],
						    reading_add, readings) < 0)
			json_add_text(o, "unreadable", "values or times");
		(void)json_object_object_add(o, "readings", readings);
	}
	p->is_wanted &= has_port;
}

static void congestion_add(struct printed *p, const Petrel__Congestion *m)
{
	const struct quantity_info *q = quantity_find((uint16_t)m->quantity);

	json_object_object_del(p->content, "quantity");
	json_add_text(p->content, "quantity", q ? q->name : NULL);
	(void)json_add_integer(p->content, "quantity_id", m->quantity);
	p->is_wanted &= port_is_wanted(p->filter, m->name);
}

static void message_add(struct printed *p)
{
	ProtobufCMessage *m;

	if (!record_kind_name(p->h->kind)) {
		json_add_text(p->content, "unreadable", "unknown kind");
		return;
	}
	if (record_unpack(p->h->kind, p->payload, p->h->length, &m) < 0) {
		json_add_text(p->content, "unreadable", "not a message of its kind");
		return;
	}
	(void)json_object_put(p->content);
	p->content = message_json(m);
	if (p->h->kind == RECORD_DICTIONARY)
		known_dictionary(p->run, (const Petrel__Dictionary *)m);
	else if (p->h->kind == RECORD_FINDING)
		finding_add(p, m);
	else if (p->h->kind == RECORD_EVENT)
		event_add(p, (const Petrel__Event *)m);
	else if (p->h->kind == RECORD_CAPSULE)
		capsule_add_series(p, (const Petrel__Capsule *)m);
	else if (p->h->kind == RECORD_CONGESTION)
		congestion_add(p, (const Petrel__Congestion *)m);
	else if (p->h->kind == RECORD_CLOCK)
		clock_take(p, (const Petrel__Clock *)m);
	record_unpacked_free(m);
	if (p->h->kind == RECORD_BATCH) {
		/* Lists of columns and octets are of no use to people. */
		json_object_object_del(p->content, "lists");
		json_object_object_del(p->content, "groups");
		json_object_object_del(p->content, "columns");
		batch_add(p);
	}
}

static void gap_add(struct printed *p)
{
	(void)json_add_unsigned(p->content, "first", p->h->sequence);
	(void)json_add_unsigned(p->content, "last", p->h->last);
	(void)json_add_unsigned(p->content, "records",
				p->h->last - p->h->sequence + 1);
	if (p->h->stream == STREAM_SAMPLES)
		known_lost(p->run);
}

/* States give the names and times for other streams; batches depend on the ones
 * before.
 */
static bool is_needed(const struct printed *p)
{
	return p->is_wanted || p->h->stream == STREAM_STATES ||
	       (p->h->stream == STREAM_SAMPLES &&
		(kinds_wanted(p->filter) & 1u << RECORD_BATCH));
}

static int record_print(struct printed *p)
{
	struct json_object *o = json_object_new_object();
	char run[17];
	int err;

	(void)snprintf(run, sizeof(run), "%016" PRIx64, p->entry->run);
	/* May be missing in a file of another origin. */
	json_add_text_if(o, "switch", p->entry->switch_id);
	json_add_text_if(o, "switch_name", known_switch_name(p->run));
	json_add_text_if(o, "run", p->entry->run ? run : "");
	json_add_text(o, "stream", stream_name(p->h->stream));
	(void)json_add_unsigned(o, "sequence", p->h->sequence);
	(void)json_add_unsigned(o, "last", p->h->last);
	json_add_text(o, "kind", record_kind_name(p->h->kind));
	if (!record_kind_name(p->h->kind))
		(void)json_add_integer(o, "kind_id", p->h->kind);
	(void)json_object_object_add(o, "reference", json_object_new_boolean(
				     p->h->flags & RECORD_FLAG_REFERENCE));
	p->content = json_object_new_object();
	if (p->h->kind == RECORD_GAP)
		gap_add(p);
	else
		message_add(p);
	(void)json_object_object_add(o, "content", p->content);
	err = p->is_wanted ? p->fn(p->context, o) : 0;
	(void)json_object_put(o);
	return err;
}

static int record_take(void *context, const struct record_header *h,
		       const uint8_t *payload)
{
	struct printed *p = context;

	p->h = h;
	p->payload = payload;
	p->is_wanted = header_is_wanted(p);
	return is_needed(p) ? record_print(p) : 0;
}

int print_entry(struct known *k, const struct entry *e,
		const struct print_filter *filter, print_fn *fn,
		void *context)
{
	struct printed p = { .run = known_find(k, e), .entry = e,
			     .filter = filter, .fn = fn, .context = context };

	return p.run ? entry_records(e, record_take, &p) : -ENOMEM;
}

static int object_print(void *out, struct json_object *o)
{
	return json_line(out, o);
}

/* To the end, or for ever. */
static int entries_print(struct follow *f, struct known *k,
			 const struct print_options *o, FILE *out)
{
	struct entry e;
	int err;

	for (;;) {
		err = follow_next(f, NULL, &e);
		if (err == 0)
			err = print_entry(k, &e, &o->filter, object_print,
					  out);
		else if (err == -EBADMSG)
			err = fputs("petrel-collector: damaged octets were "
				    "skipped\n", stderr) < 0 ?
			      -EIO : 0;
		else if (err == -EAGAIN && o->follow)
			err = fflush(out) < 0 || usleep(POLL_US) < 0 ? -EIO : 0;
		if (err < 0)
			return err == -EAGAIN ? 0 : err;
	}
}

int print_run(const char *spool, const struct print_options *o, FILE *out,
	      struct diag *d)
{
	int dir_fd = open(spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct place begin = { 0, 0 };
	struct follow *f = NULL;
	struct known *k = NULL;
	int err;

	if (dir_fd < 0)
		return diag_set(d, -errno, "spool %s: %s", spool,
				strerror(errno));
	err = known_new(&k);
	if (err == 0)
		err = follow_open(&disk_durable, dir_fd, begin, &f);
	if (err == 0)
		err = entries_print(f, k, o, out);
	if (err == 0 && fflush(out) != 0)
		err = -EIO;
	follow_close(f);
	known_free(k);
	(void)close(dir_fd);
	return err < 0 ? diag_set(d, err, "spool %s: %s", spool,
				  strerror(-err)) : 0;
}
