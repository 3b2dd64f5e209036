#include "agent/collect/entry.h"

#include <assert.h>
#include <errno.h>
#include <libdeflate.h>
#include <string.h>

#define ENTRY_MAGIC 0x50545245u		/* PTRE */
#define HEADER_BEFORE_CRC 20u

struct entry_header {
	uint8_t kind, name_len;
	uint64_t run;
	uint32_t body_len, crc;
};

static uint32_t entry_crc(const uint8_t *header, const uint8_t *rest,
			  size_t len)
{
	uint32_t crc = libdeflate_crc32(0, header, HEADER_BEFORE_CRC);

	return libdeflate_crc32(crc, rest, len);
}

size_t entry_size(const struct entry *e)
{
	return ENTRY_HEADER_LEN + strlen(e->switch_id) + e->len;
}

void entry_write(struct writer *w, const struct entry *e)
{
	size_t name_len = strlen(e->switch_id);
	size_t start = w->pos;
	struct writer crc;

	writer_be32(w, ENTRY_MAGIC);
	writer_u8(w, (uint8_t)e->kind);
	writer_u8(w, (uint8_t)name_len);
	writer_be16(w, 0);
	writer_be64(w, e->run);
	writer_be32(w, (uint32_t)e->len);
	writer_be32(w, 0);
	writer_bytes(w, e->switch_id, name_len);
	writer_bytes(w, e->body, e->len);
	if (!writer_ok(w))
		return;
	crc = writer_of(w->data + start + HEADER_BEFORE_CRC, 4);
	writer_be32(&crc, entry_crc(w->data + start,
				    w->data + start + ENTRY_HEADER_LEN,
				    name_len + e->len));
}

static int header_read(struct cursor *c, struct entry_header *ret)
{
	struct entry_header h;
	uint32_t magic = cursor_be32(c);

	h.kind = cursor_u8(c);
	h.name_len = cursor_u8(c);
	(void)cursor_be16(c);	/* reserved */
	h.run = cursor_be64(c);
	h.body_len = cursor_be32(c);
	h.crc = cursor_be32(c);
	if (!cursor_ok(c) || magic != ENTRY_MAGIC || h.kind == 0 ||
	    h.kind >= ENTRY_KIND_COUNT || h.name_len == 0 ||
	    h.name_len >= SWITCH_NAME_MAX || h.body_len > ENTRY_BODY_MAX)
		return -EBADMSG;
	*ret = h;
	return 0;
}

int entry_length(const uint8_t header[static ENTRY_HEADER_LEN],
		 size_t *ret_len)
{
	struct cursor c = cursor_of(header, ENTRY_HEADER_LEN);
	struct entry_header h;
	int err = header_read(&c, &h);

	if (err < 0)
		return err;
	assert(c.pos == ENTRY_HEADER_LEN);
	*ret_len = ENTRY_HEADER_LEN + h.name_len + h.body_len;
	return 0;
}

bool entry_name_is_good(const uint8_t *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] > '~')
			return false;
	return len > 0 && len < SWITCH_NAME_MAX;
}

/* A name or an id: u8 length, octets. */
static int entry_name_read(struct cursor *c, char ret[static SWITCH_NAME_MAX])
{
	uint8_t len = cursor_u8(c);
	const uint8_t *octets = cursor_bytes(c, len);

	if (!octets || !entry_name_is_good(octets, len))
		return -EBADMSG;
	memcpy(ret, octets, len);
	ret[len] = '\0';
	return 0;
}

static void name_write(struct writer *w, const char *name)
{
	writer_u8(w, (uint8_t)strlen(name));
	writer_bytes(w, name, strlen(name));
}

void entry_identity_write(struct writer *w,
			  const struct entry_identity *identity)
{
	name_write(w, identity->name);
	name_write(w, identity->former_id);
}

int entry_identity_read(const struct entry *e, struct entry_identity *ret)
{
	struct cursor c = cursor_of(e->body, e->len);
	struct entry_identity found = { .former_id = "" };
	const uint8_t *positions = cursor_bytes(&c, ENTRY_POSITIONS_LEN);

	if (e->kind != ENTRY_POSITIONS || (positions && cursor_left(&c) == 0))
		return -ENODATA;
	if (!positions || entry_name_read(&c, found.name) < 0)
		return -EBADMSG;
	if (cursor_left(&c) == 1 && cursor_u8(&c) == 0) {
		*ret = found;
		return 0;
	}
	if (entry_name_read(&c, found.former_id) < 0 || cursor_left(&c) > 0)
		return -EBADMSG;
	*ret = found;
	return 0;
}

int entry_read(struct cursor *c, struct entry *ret)
{
	struct cursor head = cursor_sub(c, ENTRY_HEADER_LEN);
	struct entry_header h;
	struct entry e = { .len = 0 };
	const uint8_t *name;

	if (!cursor_ok(&head) || header_read(&head, &h) < 0)
		return -EBADMSG;
	name = cursor_bytes(c, h.name_len);
	e.body = cursor_bytes(c, h.body_len);
	if (!name || !e.body || !entry_name_is_good(name, h.name_len) ||
	    h.crc != entry_crc(head.data, name,
			       (size_t)h.name_len + h.body_len))
		return -EBADMSG;
	e.kind = h.kind;
	e.run = h.run;
	e.len = h.body_len;
	memcpy(e.switch_id, name, h.name_len);
	*ret = e;
	return 0;
}

int entry_records(const struct entry *e, entry_record_fn *fn, void *context)
{
	struct cursor c = cursor_of(e->body, e->len);
	int err = 0;

	while (err == 0 && e->kind != ENTRY_POSITIONS && cursor_left(&c) > 0) {
		struct record_header h;
		const uint8_t *payload;

		if (record_read(&c, &h, &payload) < 0)
			break;		/* its CRC was good */
		err = fn(context, &h, payload);
	}
	return err;
}
