#include "agent/collect/arrival.h"

#include <stdio.h>
#include <string.h>

#include "agent/seal/responder.h"

#define ANSWER_MAX 256u		/* octets of its body */

/* Uses the version and session of e. Sends nothing to a session whose key is no
 * longer authorised.
 */
static void answer(struct intake *i, const struct transport_peer *peer,
		   struct envelope e, const void *body, size_t len)
{
	uint8_t frame[ENVELOPE_LEN + ANSWER_MAX + WIRE_TAG_LEN];
	struct writer head = writer_of(frame, ENVELOPE_LEN);
	struct writer w = writer_of(frame + ENVELOPE_LEN, ANSWER_MAX);
	size_t frame_len = ENVELOPE_LEN + len;
	int err = 0;

	e.length = (uint32_t)len;
	writer_bytes(&w, body, len);
	if (e.version == WIRE_VERSION_SEALED)
		err = responder_seal(i->env.sealed, e.session, e.kind, frame,
				     len, &frame_len);
	else
		envelope_write(&head, &e, body);
	if (err == 0 && writer_ok(&w))
		i->env.answer(i->env.context, peer, frame, frame_len);
}

void arrival_acknowledge(struct intake *i, const struct run *r,
			 enum ack_reason why)
{
	uint8_t body[STREAM_COUNT * 8 + 1];
	struct writer w = writer_of(body, sizeof(body));

	if (r->session == 0)
		return;
	positions_write(&w, &r->durable);
	writer_u8(&w, (uint8_t)why);
	answer(i, &r->peer, (struct envelope){ .version = r->version,
					       .kind = FRAME_ACK,
					       .session = r->session },
	       body, w.pos);
}

void arrival_reply(struct arrival *a, enum frame_kind kind, uint64_t session,
		   const void *body, size_t len)
{
	answer(a->intake, a->peer,
	       (struct envelope){ .version = a->envelope.version,
				  .kind = (uint8_t)kind, .session = session },
	       body, len);
}

uint32_t connection_number(const struct transport_peer *peer)
{
	uint32_t connection = 0;

	for (size_t n = 0; n < peer->len && n < 4; n++)
		connection = connection << 8 | peer->header[n];
	return connection;
}

/* verb: what happened to its frame. */
static void log_told(struct arrival *a, const char *verb, const char *what)
{
	char who[2 * SWITCH_NAME_MAX + 32];
	const struct run *r = a->run;

	if (r)
		(void)snprintf(who, sizeof(who), "switch=%s name=%s%s",
			       r->switch_id, r->identity.name, verb);
	else if (a->switch_id)
		(void)snprintf(who, sizeof(who), "switch=%s%s", a->switch_id,
			       verb);
	else if (a->key[0])
		(void)snprintf(who, sizeof(who), "key=%s%s", a->key, verb);
	else
		(void)snprintf(who, sizeof(who), "connection=%08x%s",
			       connection_number(a->peer), verb);
	a->intake->env.complain(a->intake->env.context, who, what);
}

void arrival_warn(struct arrival *a, const char *what)
{
	log_told(a, "", what);
}

void arrival_complain(struct arrival *a, const char *what)
{
	log_told(a, " refused", what);
}

void arrival_refuse(struct arrival *a, const char *why)
{
	a->intake->count.refused++;
	arrival_complain(a, why);
	arrival_reply(a, FRAME_REFUSED, a->envelope.session, why, strlen(why));
}

void arrival_garbage(struct arrival *a, const char *what)
{
	a->intake->count.garbage++;
	arrival_refuse(a, what);
}
