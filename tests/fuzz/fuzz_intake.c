/* The collector's frame handler: any frames of any peer, in and out of a
 * session. Input: pieces of {u8 flags, u16 length, octets}; flag 1 puts the
 * session that was given last into the envelope, 2 ends with a sync, 4 makes
 * all CRCs right, 8 makes it a frame of version 2 with the check that it needs.
 */
#include <assert.h>
#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>

#include "agent/collect/intake.h"

struct world {
	struct ledger *ledger;
	uint64_t session;
};

static int entry_append(void *context, const void *octets, size_t len,
			struct place *ret_at)
{
	struct cursor c = cursor_of(octets, len);
	struct entry e;
	struct world *w = context;
	struct place at = { 1, 16 };

	struct entry_identity identity;

	assert(entry_read(&c, &e) == 0 && cursor_left(&c) == 0);
	assert(entry_identity_read(&e, &identity) != -EBADMSG);
	assert(ledger_find(w->ledger, e.switch_id, e.run));
	*ret_at = at;
	return 0;
}

static void answer(void *context, const struct transport_peer *peer,
		   const void *frame, size_t len)
{
	struct cursor c = cursor_of(frame, len);
	struct world *w = context;
	struct envelope e;

	(void)peer;
	assert(envelope_read(&c, &e) == 0);
	if (e.kind == FRAME_WELCOME)
		w->session = e.session;
}

static void complain(void *context, const char *who, const char *what)
{
	(void)context;
	assert(who[0] && what[0]);
}

static uint64_t draw(void *context)
{
	return ((struct world *)context)->session + 1;
}

static void session_put(uint8_t *frame, size_t len, uint64_t session)
{
	struct writer w = writer_of(frame + 8, 8);

	if (len >= ENVELOPE_LEN)
		writer_be64(&w, session);
}

/* Without it hardly any record would come through. */
static void crcs_put(uint8_t *frame, size_t len)
{
	size_t at = ENVELOPE_LEN;

	while (at + RECORD_HEADER_LEN <= len) {
		struct cursor c = cursor_of(frame + at, 4);
		size_t payload = cursor_be32(&c);
		struct writer w = writer_of(frame + at + 24, 4);
		uint32_t crc = libdeflate_crc32(0, frame + at, 24);

		if (payload > len - at - RECORD_HEADER_LEN)
			return;
		writer_be32(&w, libdeflate_crc32(
			crc, frame + at + RECORD_HEADER_LEN, payload));
		at += RECORD_HEADER_LEN + payload;
	}
}

static void check_put(uint8_t *frame, size_t len)
{
	struct writer w = writer_of(frame + 20, 4);

	if (len < ENVELOPE_LEN)
		return;
	frame[4] = 2;
	writer_be32(&w, libdeflate_crc32(libdeflate_crc32(0, frame, 20),
					frame + ENVELOPE_LEN,
					(len - ENVELOPE_LEN)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t frame[WIRE_FRAME_MAX];
	struct cursor c = cursor_of(data, size);
	struct world w = { .session = 1 };
	struct intake_env env = { .context = &w, .append = entry_append,
				  .answer = answer, .complain = complain,
				  .random = draw, .takes_clear = true };
	struct transport_peer peer = { { 1, 2, 3, 4 }, 8 };
	struct mono now = { 0 };
	struct intake *i;

	if (ledger_new(1, &w.ledger) < 0)
		abort();
	env.ledger = w.ledger;
	if (intake_new(&env, &i) < 0)
		abort();
	while (cursor_left(&c) > 3) {
		uint8_t flags = cursor_u8(&c);
		size_t len = cursor_be16(&c);
		const uint8_t *octets;

		if (len > cursor_left(&c))
			len = cursor_left(&c);
		octets = cursor_bytes(&c, len);
		for (size_t n = 0; n < len; n++)
			frame[n] = octets[n];
		if (flags & 1)
			session_put(frame, len, w.session);
		if (flags & 4)
			crcs_put(frame, len);
		if (flags & 8)
			check_put(frame, len);
		now.ns += NS_PER_S;
		intake_frame(i, &peer, frame, len, now);
		if (flags & 2 && intake_sync_begin(i))
			intake_sync_done(i);
	}
	intake_free(i);
	ledger_free(w.ledger);
	return 0;
}
