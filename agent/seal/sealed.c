#include "agent/seal/sealed.h"

#include <errno.h>

int sealed_write(struct sealed *s, enum frame_kind kind, uint8_t *frame,
		 size_t body_len, size_t *ret_len)
{
	struct writer w = writer_of(frame, ENVELOPE_LEN);
	struct envelope e = { .version = WIRE_VERSION_SEALED,
			      .kind = (uint8_t)kind, .session = s->session,
			      .length = (uint32_t)(body_len + WIRE_TAG_LEN),
			      .number = (uint32_t)s->out.next };

	if (s->out.next >= SEALED_NUMBERS)
		return -EOVERFLOW;
	envelope_write(&w, &e, NULL);
	noise_seal(s->out.key, s->out.next++, frame, ENVELOPE_LEN,
		   frame + ENVELOPE_LEN, body_len);
	*ret_len = ENVELOPE_LEN + body_len + WIRE_TAG_LEN;
	return 0;
}

size_t sealed_or_clear_write(struct sealed *s, struct envelope e,
			     uint8_t *frame, size_t body_len)
{
	struct writer head = writer_of(frame, ENVELOPE_LEN);
	size_t len = ENVELOPE_LEN + body_len;

	if (s)
		return sealed_write(s, e.kind, frame, body_len, &len) < 0 ?
		       0 : len;
	e.length = (uint32_t)body_len;
	envelope_write(&head, &e, frame + ENVELOPE_LEN);
	return len;
}

/* The lowest number from next on with these low bits. */
static uint64_t number_of(uint64_t next, uint32_t low)
{
	uint64_t number = (next & ~(uint64_t)UINT32_MAX) | low;

	if (number < next)
		number += UINT64_C(1) << 32;
	return number;
}

int sealed_read(struct sealed *s, const struct envelope *e, uint8_t *frame,
		size_t len, struct cursor *ret_body)
{
	uint64_t number = number_of(s->in.next, e->number);
	size_t sealed_len = len - ENVELOPE_LEN;

	if (e->session != s->session || len < ENVELOPE_LEN + WIRE_TAG_LEN ||
	    noise_open(s->in.key, number, frame, ENVELOPE_LEN,
		       frame + ENVELOPE_LEN, sealed_len) < 0)
		return -EBADMSG;
	s->in.next = number + 1;
	*ret_body = cursor_of(frame + ENVELOPE_LEN, sealed_len - WIRE_TAG_LEN);
	return 0;
}
