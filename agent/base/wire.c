#include "petrel/wire.h"

#include <assert.h>
#include <errno.h>
#include <libdeflate.h>
#include <string.h>

#include "agent/base/names.h"

#define HEADER_BEFORE_CRC 24u
#define ENVELOPE_BEFORE_CHECK 20u

static uint32_t record_crc(const uint8_t *header, const void *payload,
			   size_t len)
{
	uint32_t crc = libdeflate_crc32(0, header, HEADER_BEFORE_CRC);

	return libdeflate_crc32(crc, payload, len);
}

void record_write(struct writer *w, const struct record_header *h,
		  const void *payload)
{
	static const uint8_t none[1];
	uint8_t header[RECORD_HEADER_LEN];
	struct writer head = writer_of(header, sizeof(header));

	writer_be32(&head, h->length);
	writer_u8(&head, h->stream);
	writer_u8(&head, h->kind);
	writer_be16(&head, h->flags);
	writer_be64(&head, h->sequence);
	writer_be64(&head, h->last);
	assert(head.pos == HEADER_BEFORE_CRC);
	writer_be32(&head, record_crc(header, h->length ? payload : none,
				      h->length));
	writer_be32(&head, 0);
	assert(head.pos == RECORD_HEADER_LEN && writer_ok(&head));
	if (w->overflow || RECORD_HEADER_LEN + h->length > w->cap - w->pos) {
		w->overflow = true;	/* both or neither */
		return;
	}
	writer_bytes(w, header, sizeof(header));
	writer_bytes(w, payload, h->length);
}

int record_read(struct cursor *c, struct record_header *ret,
		const uint8_t **ret_payload)
{
	struct cursor head = cursor_sub(c, RECORD_HEADER_LEN);
	struct record_header h;
	const uint8_t *payload;
	uint32_t crc;

	h.length = cursor_be32(&head);
	h.stream = cursor_u8(&head);
	h.kind = cursor_u8(&head);
	h.flags = cursor_be16(&head);
	h.sequence = cursor_be64(&head);
	h.last = cursor_be64(&head);
	crc = cursor_be32(&head);
	if (!cursor_ok(&head) || h.length > RECORD_PAYLOAD_MAX ||
	    h.stream >= STREAM_COUNT || h.kind == 0 || h.sequence == 0 ||
	    h.last < h.sequence ||
	    (h.last != h.sequence && h.kind != RECORD_GAP))
		return -EBADMSG;
	payload = cursor_bytes(c, h.length);
	if (!payload || crc != record_crc(head.data, payload, h.length))
		return -EBADMSG;
	*ret = h;
	*ret_payload = payload;
	return 0;
}

static uint32_t frame_check(const uint8_t *envelope, const uint8_t *body,
			    size_t len)
{
	uint32_t crc = libdeflate_crc32(0, envelope, ENVELOPE_BEFORE_CHECK);

	return libdeflate_crc32(crc, body, len);
}

static bool version_is_known(unsigned version)
{
	return version == WIRE_VERSION_SEALED ||
	       (version >= WIRE_VERSION_OLDEST && version <= WIRE_VERSION);
}

void envelope_write(struct writer *w, const struct envelope *e,
		    const void *body)
{
	static const uint8_t none[1];
	uint8_t octets[ENVELOPE_LEN];
	struct writer head = writer_of(octets, sizeof(octets));

	assert(version_is_known(e->version));
	writer_be32(&head, WIRE_MAGIC);
	writer_u8(&head, e->version);
	writer_u8(&head, e->kind);
	writer_be16(&head, 0);
	writer_be64(&head, e->session);
	writer_be32(&head, e->length);
	assert(head.pos == ENVELOPE_BEFORE_CHECK);
	if (e->version == WIRE_VERSION_SEALED)
		writer_be32(&head, e->number);
	else
		writer_be32(&head, e->version < 2 ? 0 :
			    frame_check(octets, e->length ? body : none,
					e->length));
	assert(head.pos == ENVELOPE_LEN && writer_ok(&head));
	writer_bytes(w, octets, sizeof(octets));
}

int envelope_read(struct cursor *c, struct envelope *ret)
{
	struct cursor head = cursor_sub(c, ENVELOPE_LEN), body = *c;
	size_t left = cursor_left(&body);
	struct envelope e;
	uint32_t magic = cursor_be32(&head), check;

	e.version = cursor_u8(&head);
	e.kind = cursor_u8(&head);
	(void)cursor_be16(&head);	/* reserved */
	e.session = cursor_be64(&head);
	e.length = cursor_be32(&head);
	check = cursor_be32(&head);
	if (!cursor_ok(&head) || magic != WIRE_MAGIC)
		return -EBADMSG;
	e.number = e.version == WIRE_VERSION_SEALED ? check : 0;
	if (!version_is_known(e.version))
		return -EPROTONOSUPPORT;
	if (e.version == WIRE_VERSION &&
	    check != frame_check(head.data, cursor_bytes(&body, left), left))
		return -EILSEQ;
	if (e.kind == 0 || e.kind >= FRAME_KIND_COUNT || e.length != left)
		return -EBADMSG;
	*ret = e;
	return 0;
}

static void text_write(struct writer *w, const char *text)
{
	size_t len = strnlen(text, SWITCH_NAME_MAX - 1);

	writer_u8(w, (uint8_t)len);
	writer_bytes(w, text, len);
}

/* A text that is too long, or contains a NUL, fails the cursor. */
static void text_read(struct cursor *c, char ret[static SWITCH_NAME_MAX])
{
	uint8_t len = cursor_u8(c);
	const uint8_t *octets = cursor_bytes(c, len);

	if (len >= SWITCH_NAME_MAX || (octets && memchr(octets, '\0', len)))
		cursor_fail(c);
	if (octets && cursor_ok(c))
		memcpy(ret, octets, len);
}

void hello_write(struct writer *w, unsigned version, const struct hello *h)
{
	writer_be64(w, h->run);
	text_write(w, h->switch_name);
	writer_be64(w, h->previous_run);
	if (version >= 2)
		text_write(w, h->switch_id);
}

int hello_read(struct cursor *c, unsigned version, struct hello *ret)
{
	struct hello h = { .run = cursor_be64(c) };

	text_read(c, h.switch_name);
	h.previous_run = cursor_be64(c);
	if (version >= 2)
		text_read(c, h.switch_id);
	if (!cursor_ok(c) || cursor_left(c) > 0)
		return -EBADMSG;
	*ret = h;
	return 0;
}

void positions_write(struct writer *w, const struct positions *p)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		writer_be64(w, p->last[i]);
}

int positions_read(struct cursor *c, struct positions *ret)
{
	struct positions p;

	for (unsigned i = 0; i < STREAM_COUNT; i++)
		p.last[i] = cursor_be64(c);
	if (!cursor_ok(c))
		return -EBADMSG;
	*ret = p;
	return 0;
}

const char *stream_name(enum stream stream)
{
	static const char *const names[STREAM_COUNT] = {
		[STREAM_FINDINGS] = "findings",
		[STREAM_STATES] = "states",
		[STREAM_SAMPLES] = "samples",
	};

	return names_get(names, STREAM_COUNT, stream);
}

const char *record_kind_name(enum record_kind kind)
{
	static const char *const names[RECORD_KIND_COUNT] = {
		[RECORD_RUN] = "run",
		[RECORD_DICTIONARY] = "dictionary",
		[RECORD_EVENT] = "event",
		[RECORD_CLOCK] = "clock",
		[RECORD_FINDING] = "finding",
		[RECORD_BATCH] = "batch",
		[RECORD_CAPSULE] = "capsule",
		[RECORD_GAP] = "gap",
		[RECORD_CONGESTION] = "congestion",
	};

	return names_get(names, RECORD_KIND_COUNT, kind);
}
