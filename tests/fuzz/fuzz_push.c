/* The agent's frame handler: any frames of any collector, in each state of the
 * session. Input: pieces of {u8 flags, u16 length, octets}; flag 1 lets a
 * second pass before, 2 makes the frame's session the one that is open, 4 makes
 * it a frame of version 2 with the check that it needs.
 */
#include <assert.h>
#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>

#include "agent/push/push.h"
#include "agent/record/encode.h"

#define RECORDS 300u

struct ring {
	enum stream stream;
	uint64_t acked, marks[RING_MARKS];
};

uint64_t ring_first(const struct ring *r)
{
	return 1 + r->acked / 2;
}

uint64_t ring_next(const struct ring *r)
{
	(void)r;
	return RECORDS;
}

size_t ring_bytes(const struct ring *r)
{
	(void)r;
	return 1u << 20;
}

uint64_t ring_acked(const struct ring *r, unsigned n)
{
	(void)n;
	return r->acked;
}

uint64_t ring_mark(const struct ring *r, enum ring_mark mark)
{
	return r->marks[mark];
}

void ring_mark_set(struct ring *r, enum ring_mark mark, uint64_t value)
{
	r->marks[mark] = value;
}

void ring_ack(struct ring *r, unsigned n, uint64_t sequence)
{
	(void)n;
	assert(sequence < RECORDS);
	r->acked = sequence;
}

int ring_read(const struct ring *r, uint64_t sequence, uint64_t *hint,
	      void *ret, size_t cap)
{
	static const uint8_t payload[999];
	struct writer w = writer_of(ret, cap);
	struct record_header h = { .length = sequence * 37 % 999,
				   .stream = (uint8_t)r->stream,
				   .kind = RECORD_EVENT,
				   .sequence = sequence, .last = sequence };

	(void)hint;
	assert(sequence > 0);
	if (sequence >= RECORDS)
		return -EAGAIN;
	if (sequence < ring_first(r))
		return -ESTALE;
	record_write(&w, &h, payload);
	return writer_ok(&w) ? (int)w.pos : -ENOBUFS;
}

size_t gap_encode(enum stream stream, uint64_t first, uint64_t last, void *ret,
		  size_t cap)
{
	assert(first > 0 && last >= first && stream < STREAM_COUNT);
	(void)ret;
	(void)cap;
	return 0;
}

static int frame_send(void *context, const void *frame, size_t len)
{
	struct cursor c = cursor_of(frame, len);
	struct envelope e;

	(void)context;
	assert(len <= WIRE_FRAME_MAX - WIRE_TAG_LEN);
	assert(envelope_read(&c, &e) == 0);
	return len % 7 == 0 ? -EAGAIN : 0;
}

static void reconnect(void *context)
{
	(void)context;
}

static uint64_t draw(void *context)
{
	(void)context;
	return 4;
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

static void frame_give(struct push *p, struct cursor *c, struct mono *now)
{
	static uint8_t frame[WIRE_FRAME_MAX];
	uint8_t flags = cursor_u8(c);
	size_t len = cursor_be16(c);
	struct writer session = writer_of(frame + 8, 8);
	const uint8_t *octets;

	if (len > cursor_left(c))
		len = cursor_left(c);
	octets = cursor_bytes(c, len);
	for (size_t i = 0; i < len; i++)
		frame[i] = octets[i];
	if (flags & 2)
		writer_be64(&session, 77);
	if (flags & 4)
		check_put(frame, len);
	if (flags & 1)
		now->ns += NS_PER_S;
	(void)push_run(p, *now);
	push_receive(p, frame, len, *now);
	(void)push_run(p, *now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor c = cursor_of(data, size);
	struct ring ring[STREAM_COUNT] = { { .stream = STREAM_FINDINGS },
					   { .stream = STREAM_STATES },
					   { .stream = STREAM_SAMPLES } };
	struct ring_set set = { .run = 7, .ring = { &ring[0], &ring[1],
						    &ring[2] } };
	struct push_env env = { .rings = &set, .switch_name = "leaf1",
				.switch_id = "SN1",
				.window_octets = 65536,
				.heartbeat_ns = NS_PER_S, .send = frame_send,
				.reconnect = reconnect, .random = draw };
	struct push_status status;
	struct mono now = { NS_PER_S };
	struct push *p;

	if (push_new(&env, &p) < 0)
		abort();
	while (cursor_left(&c) > 3)
		frame_give(p, &c, &now);
	push_status(p, &status);
	assert(status.in_flight_octets < 65536 + WIRE_FRAME_MAX);
	push_free(p);
	return 0;
}
