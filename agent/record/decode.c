#include "agent/record/decode.h"

#include <errno.h>
#include <string.h>

#include "agent/base/clean.h"
#include "agent/base/event.h"
#include "agent/record/capped.h"

#define BASE32 "abcdefghijklmnopqrstuvwxyz234567"

static const ProtobufCMessageDescriptor *const messages[RECORD_KIND_COUNT] = {
	[RECORD_RUN] = &petrel__run__descriptor,
	[RECORD_DICTIONARY] = &petrel__dictionary__descriptor,
	[RECORD_EVENT] = &petrel__event__descriptor,
	[RECORD_CLOCK] = &petrel__clock__descriptor,
	[RECORD_FINDING] = &petrel__finding__descriptor,
	[RECORD_BATCH] = &petrel__batch__descriptor,
	[RECORD_CAPSULE] = &petrel__capsule__descriptor,
	[RECORD_GAP] = &petrel__gap__descriptor,
	[RECORD_CONGESTION] = &petrel__congestion__descriptor,
};

/* Cleans a text: an agent of another build may have sent anything. An empty
 * one may be protobuf-c's own constant.
 */
static void text_take(const ProtobufCMessage *m, char *text)
{
	const Petrel__Event *e = (const Petrel__Event *)m;

	if (!text || !text[0])
		return;
	if (m->descriptor == &petrel__event__descriptor && e->text == text)
		event_text_clean(text, strlen(text) + 1, e->what, text);
	else
		clean_in_place(text);
}

static void texts_clean(ProtobufCMessage *m);

/* Cleans value n of a field; at: address of the first. */
static void value_clean(const ProtobufCMessage *m,
			const ProtobufCFieldDescriptor *f, const void *at,
			size_t n)
{
	void *const *values = at;

	if (f->type == PROTOBUF_C_TYPE_STRING)
		text_take(m, values[n]);
	else if (values[n])
		texts_clean(values[n]);
}

/* record.proto has no oneof: each field of a message is its own. */
static void texts_clean(ProtobufCMessage *m)
{
	for (unsigned i = 0; i < m->descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *f = m->descriptor->fields + i;
		const char *at = (const char *)m + f->offset;
		size_t count;

		if (f->type != PROTOBUF_C_TYPE_STRING &&
		    f->type != PROTOBUF_C_TYPE_MESSAGE)
			continue;
		if (f->label != PROTOBUF_C_LABEL_REPEATED) {
			value_clean(m, f, at, 0);
			continue;
		}
		memcpy(&count, (const char *)m + f->quantifier_offset,
		       sizeof(count));
		for (size_t n = 0; n < count; n++)
			value_clean(m, f, *(void *const *)(const void *)at, n);
	}
}

int record_unpack(enum record_kind kind, const void *payload, size_t len,
		  ProtobufCMessage **ret)
{
	struct capped capped;
	ProtobufCMessage *m;

	if ((unsigned)kind >= RECORD_KIND_COUNT || !messages[kind] ||
	    len > RECORD_PAYLOAD_MAX)
		return -EBADMSG;
	capped_init(&capped, DECODE_OCTETS_MAX);
	m = protobuf_c_message_unpack(messages[kind], &capped.allocator, len,
				      payload);
	if (!m)
		return capped.refused ? -ENOMEM : -EBADMSG;
	texts_clean(m);
	*ret = m;
	return 0;
}

void record_unpacked_free(ProtobufCMessage *m)
{
	struct capped capped;

	capped_init(&capped, 0);
	if (m)
		protobuf_c_message_free_unpacked(m, &capped.allocator);
}

static bool id_is_one(const char *id)
{
	return strlen(id) == FINDING_ID_LEN &&
	       strspn(id, BASE32) == FINDING_ID_LEN;
}

static bool enumerations_are_known(const Petrel__Finding *m)
{
	return signature_name(m->signature) && severity_name(m->severity) &&
	       finding_state_name(m->state) && fault_end_name(m->end) &&
	       action_name(m->action) && drain_name(m->drain) &&
	       (m->was == 0 || signature_name(m->was));
}

/* Fields that came later. */
static bool later_are_known(const Petrel__Finding *m)
{
	for (size_t i = 0; i < m->n_actions; i++)
		if (!action_name(m->actions[i]))
			return false;
	return m->into[0] == '\0' || id_is_one(m->into);
}

static bool finding_is_sound(const Petrel__Finding *m)
{
	return id_is_one(m->id) && enumerations_are_known(m) &&
	       m->lanes <= UINT8_MAX && m->confidence >= 0 &&
	       m->confidence <= 1 && m->n_evidence <= FINDING_EVIDENCE_MAX &&
	       m->n_changes <= FINDING_CHANGES_MAX &&
	       m->n_actions <= FINDING_ACTIONS_MAX && later_are_known(m);
}

static void finding_lists(const Petrel__Finding *m, struct finding *f)
{
	f->evidence_count = (unsigned)m->n_evidence;
	for (unsigned i = 0; i < f->evidence_count; i++) {
		clean_text(f->evidence[i].name, sizeof(f->evidence[i].name),
			 m->evidence[i]->name);
		f->evidence[i].value = m->evidence[i]->value;
	}
	f->change_count = (unsigned)m->n_changes;
	for (unsigned i = 0; i < f->change_count; i++)
		clean_text(f->change[i], sizeof(f->change[i]), m->changes[i]);
	f->action_count = (unsigned)m->n_actions;
	for (unsigned i = 0; i < f->action_count; i++)
		f->actions[i] = m->actions[i];
}

/* As many ports as fit. Older agents have only one port in a finding. */
static void finding_ports(const Petrel__Finding *m, struct finding *f)
{
	char name[ENTITY_NAME_MAX];

	for (size_t i = 0; i < m->n_ports && i < FINDING_PORTS_MAX; i++) {
		clean_text(name, sizeof(name), m->ports[i]);
		finding_port_add(f, name);
	}
	if (m->port_count > f->port_count)
		f->port_count = m->port_count;
}

struct clock_reading clock_of_message(const Petrel__Clock *m)
{
	return (struct clock_reading){ .mono = { m->mono_ns },
				       .wall = { m->wall_ns },
				       .error_ns = m->error_ns,
				       .is_set = m->is_set };
}

int finding_of_message(const Petrel__Finding *m, struct finding *ret)
{
	if (!finding_is_sound(m))
		return -EBADMSG;
	*ret = (struct finding){
		.signature = m->signature, .was = m->was,
		.severity = m->severity,
		.state = m->state, .end = m->end, .action = m->action,
		.kind = subject_kind_name(m->kind) ? m->kind : 0,
		.drain = m->drain, .entity = m->entity,
		.cause_id = cause_name(m->cause_id) ? m->cause_id : 0,
		.lanes = (uint8_t)m->lanes, .confidence = m->confidence,
		.onset = { m->onset_mono_ns }, .when = { m->when_mono_ns },
		.onset_wall = { m->onset_wall_ns },
		.when_wall = { m->when_wall_ns },
		.cliff = { .foreseeable = m->cliff_foreseeable,
			   .low_s = m->cliff_low_s, .mid_s = m->cliff_mid_s,
			   .high_s = m->cliff_high_s } };
	clean_text(ret->id, sizeof(ret->id), m->id);
	clean_text(ret->subject, sizeof(ret->subject), m->subject);
	clean_text(ret->cause, sizeof(ret->cause), m->cause);
	clean_text(ret->into, sizeof(ret->into), m->into);
	finding_lists(m, ret);
	finding_ports(m, ret);
	return 0;
}

struct mono batch_mono(const uint8_t *payload, size_t len)
{
	struct cursor c = cursor_of(payload, len);
	uint64_t key = cursor_varint(&c), ns = cursor_varint(&c);

	return (struct mono){ cursor_ok(&c) && key == 1u << 3 ? (int64_t)ns :
								0 };
}
