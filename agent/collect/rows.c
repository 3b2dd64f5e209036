#include "agent/collect/rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <json-c/json.h>

#include "agent/record/decode.h"
#include "agent/record/json.h"
#include "petrel/platform.h"

/* A record on its way into rows. */
struct row_source {
	struct statement_set *statements;
	int64_t run;
	const struct record_header *h;
	struct diag *d;
};

typedef int row_fn(const struct row_source *s, const ProtobufCMessage *m);

/* Each record carries its own sequence: a check that the way was straight. */
static int number_check(const struct row_source *s, uint64_t number)
{
	return number == 0 || number == s->h->sequence ? 0 : -EILSEQ;
}

static int run_rows(const struct row_source *s, const ProtobufCMessage *base)
{
	const Petrel__Run *m = (const Petrel__Run *)base;
	char previous[17];

	(void)snprintf(previous, sizeof(previous), "%016" PRIx64,
		       m->previous_run);
	return statement_run(s->statements, STATEMENT_RUN_SET, s->d, "ittii",
			     s->run, m->previous_run ? previous : NULL,
			     m->version, m->mono_ns, m->wall_ns);
}

static struct json_object *attributes_json(const Petrel__Entity *e)
{
	struct json_object *o = json_object_new_object();

	for (size_t i = 0; o && i < e->n_attributes; i++) {
		const char *name = attribute_name(e->attributes[i]->key);

		if (name)
			(void)json_object_object_add(o, name,
				json_object_new_string(e->attributes[i]->text));
	}
	return o;
}

static int entity_row(const struct row_source *s, const Petrel__Entity *e)
{
	struct json_object *attributes = attributes_json(e);
	int err;

	if (!attributes)
		return diag_set(s->d, -EIO, "database: out of memory");
	err = statement_run(s->statements, STATEMENT_ENTITY_SET, s->d,
			    "iititiit", s->run, (int64_t)e->id,
			    entity_kind_name(e->kind), (int64_t)e->parent,
			    e->name, (int64_t)e->number,
			    (int64_t)e->gone,
			    json_object_to_json_string_ext(
				    attributes, JSON_C_TO_STRING_PLAIN));
	(void)json_object_put(attributes);
	return err;
}

static int dictionary_rows(const struct row_source *s,
			   const ProtobufCMessage *base)
{
	const Petrel__Dictionary *m = (const Petrel__Dictionary *)base;
	int err = 0;

	if (m->snapshot && (!m->part || m->part->number == 0))
		err = statement_run(s->statements, STATEMENT_ENTITIES_GONE,
				    s->d, "i", s->run);
	for (size_t i = 0; err == 0 && i < m->n_entities; i++)
		err = entity_row(s, m->entities[i]);
	return err < 0 ? err : number_check(s, m->number);
}

static int event_rows(const struct row_source *s, const ProtobufCMessage *base)
{
	const Petrel__Event *m = (const Petrel__Event *)base;
	int err = statement_run(s->statements, STATEMENT_EVENT_ADD, s->d,
				"iiitiit", s->run, (int64_t)s->h->sequence,
				(int64_t)m->entity,
				platform_event_name(m->what), m->value,
				m->mono_ns, m->text);

	return err < 0 ? err : number_check(s, m->number);
}

static int clock_rows(const struct row_source *s, const ProtobufCMessage *base)
{
	const Petrel__Clock *m = (const Petrel__Clock *)base;
	int err = statement_run(s->statements, STATEMENT_CLOCK_ADD, s->d,
				"iiiiii", s->run, (int64_t)s->h->sequence,
				m->mono_ns, m->wall_ns, m->error_ns,
				(int64_t)m->is_set);

	return err < 0 ? err : number_check(s, m->number);
}

static int finding_store(const struct row_source *s, const struct finding *f,
			 const char *content, bool is_transition)
{
	int err = statement_run(s->statements, STATEMENT_FINDING_SET, s->d,
				"itttttiit", s->run, f->id, f->subject,
				signature_name(f->signature),
				severity_name(f->severity),
				finding_state_name(f->state),
				f->onset_wall.ns, f->when_wall.ns, content);

	if (err < 0 || !is_transition)
		return err;
	return statement_run(s->statements, STATEMENT_TRANSITION_ADD, s->d,
			     "iitttit", s->run, (int64_t)s->h->sequence, f->id,
			     finding_state_name(f->state),
			     severity_name(f->severity), f->when_wall.ns,
			     content);
}

static int finding_rows(const struct row_source *s,
			const ProtobufCMessage *base)
{
	const Petrel__Finding *m = (const Petrel__Finding *)base;
	struct json_object *o;
	struct finding f;
	int err = finding_of_message(m, &f);

	if (err < 0)
		return err;
	o = finding_json(&f);
	if (!o)
		return -ENOMEM;
	err = finding_store(s, &f, json_object_to_json_string_ext(
				    o, JSON_C_TO_STRING_PLAIN),
			    !m->repeated_state);
	(void)json_object_put(o);
	return err < 0 ? err : number_check(s, m->number);
}

static int gap_row(const struct row_source *s)
{
	return statement_run(s->statements, STATEMENT_GAP_ADD, s->d, "itii",
			     s->run, stream_name(s->h->stream),
			     (int64_t)s->h->sequence, (int64_t)s->h->last);
}

int rows_apply(struct statement_set *s, int64_t run,
	       const struct record_header *h, const uint8_t *payload,
	       struct diag *d)
{
	static row_fn *const rows[RECORD_KIND_COUNT] = {
		[RECORD_RUN] = run_rows,
		[RECORD_DICTIONARY] = dictionary_rows,
		[RECORD_EVENT] = event_rows,
		[RECORD_CLOCK] = clock_rows,
		[RECORD_FINDING] = finding_rows,
	};
	struct row_source source = { .statements = s, .run = run, .h = h,
				     .d = d };
	ProtobufCMessage *m;
	int err;

	if (h->kind == RECORD_GAP)
		return gap_row(&source);
	if (!rows[h->kind])
		return 0;
	err = record_unpack(h->kind, payload, h->length, &m);
	if (err < 0)
		return err;
	err = rows[h->kind](&source, m);
	record_unpacked_free(m);
	return err;
}
