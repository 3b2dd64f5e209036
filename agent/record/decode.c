#include "agent/record/decode.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/capped.h"

#define BASE32 "abcdefghijklmnopqrstuvwxyz234567"

static const ProtobufCMessageDescriptor *const messages[RECORD_KIND_COUNT] = {
	[RECORD_RUN] = &petrel__run__descriptor,
	[RECORD_DICTIONARY] = &petrel__dictionary__descriptor,
	[RECORD_EVENT] = &petrel__event__descriptor,
	[RECORD_CLOCK] = &petrel__clock__descriptor,
	[RECORD_FINDING] = &petrel__finding__descriptor,
	[RECORD_BATCH] = &petrel__batch__descriptor,
	[RECORD_GAP] = &petrel__gap__descriptor,
};

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

/* Cut to fit, not within a character of UTF-8. */
static void text_cut(char *ret, size_t cap, const char *text)
{
	size_t n = strnlen(text, cap);

	if (n == cap)
		for (n = cap - 1; n > 0 && (text[n] & 0xc0) == 0x80;)
			n--;
	memcpy(ret, text, n);
	ret[n] = '\0';
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
	       action_name(m->action) && drain_name(m->drain);
}

static bool finding_is_sound(const Petrel__Finding *m)
{
	return id_is_one(m->id) && enumerations_are_known(m) &&
	       m->lanes <= UINT8_MAX && m->confidence >= 0 &&
	       m->confidence <= 1 && m->n_evidence <= FINDING_EVIDENCE_MAX &&
	       m->n_changes <= FINDING_CHANGES_MAX;
}

static void finding_lists(const Petrel__Finding *m, struct finding *f)
{
	f->evidence_count = (unsigned)m->n_evidence;
	for (unsigned i = 0; i < f->evidence_count; i++) {
		text_cut(f->evidence[i].name, sizeof(f->evidence[i].name),
			 m->evidence[i]->name);
		f->evidence[i].value = m->evidence[i]->value;
	}
	f->change_count = (unsigned)m->n_changes;
	for (unsigned i = 0; i < f->change_count; i++)
		text_cut(f->change[i], sizeof(f->change[i]), m->changes[i]);
}

int finding_of_message(const Petrel__Finding *m, struct finding *ret)
{
	if (!finding_is_sound(m))
		return -EBADMSG;
	*ret = (struct finding){
		.signature = m->signature, .severity = m->severity,
		.state = m->state, .end = m->end, .action = m->action,
		.drain = m->drain, .entity = m->entity,
		.lanes = (uint8_t)m->lanes, .confidence = m->confidence,
		.onset = { m->onset_mono_ns }, .when = { m->when_mono_ns },
		.onset_wall = { m->onset_wall_ns },
		.when_wall = { m->when_wall_ns },
		.cliff = { .foreseeable = m->cliff_foreseeable,
			   .low_s = m->cliff_low_s, .mid_s = m->cliff_mid_s,
			   .high_s = m->cliff_high_s } };
	text_cut(ret->id, sizeof(ret->id), m->id);
	text_cut(ret->subject, sizeof(ret->subject), m->subject);
	text_cut(ret->cause, sizeof(ret->cause), m->cause);
	finding_lists(m, ret);
	return 0;
}
