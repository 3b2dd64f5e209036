/* A stream may spend credit below 0 with one large record; it then waits for
 * as many renewals as that took. So the shares hold over time, not a frame.
 */
#include "agent/push/packer.h"

#include <errno.h>

#include "agent/record/encode.h"

#define CREDIT_OCTETS 8192	/* of the last stream; the others get more */
#define GAP_PAYLOAD_MAX 64u

void packer_init(struct packer *p, struct ring_set *rings)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		p->credit[i] = 0;
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		p->hint[i] = 0;
	p->rings = rings;
}

/* first to last are in no ring any more. */
static int gap_put(struct writer *w, enum stream stream, uint64_t first,
		   uint64_t last, struct packed *packed)
{
	uint8_t payload[GAP_PAYLOAD_MAX];
	struct record_header h = { .stream = (uint8_t)stream,
				   .kind = RECORD_GAP,
				   .sequence = first,
				   .last = last };

	h.length = (uint32_t)gap_encode(stream, first, last, payload,
					sizeof(payload));
	if (RECORD_HEADER_LEN + h.length > w->cap - w->pos)
		return -ENOBUFS;
	record_write(w, &h, payload);
	packed->gaps++;
	packed->next = last + 1;
	return 0;
}

/* A ring that was written over by a fault must neither make the collector
 * refuse this frame for ever, nor end its stream: the record counts as missing.
 */
static bool record_is_sound(const uint8_t *record, size_t len,
			    enum stream stream, uint64_t sequence)
{
	struct cursor c = cursor_of(record, len);
	struct record_header h;
	const uint8_t *payload;

	return record_read(&c, &h, &payload) == 0 && h.stream == stream &&
	       h.sequence == sequence && cursor_left(&c) == 0;
}

/* The ring says that it has this record, and what it says may be true. */
static bool ring_claims(const struct ring *ring, uint64_t sequence)
{
	uint64_t first = ring_first(ring), next = ring_next(ring);

	return first <= sequence && sequence < next &&
	       next - first <= ring_bytes(ring) / RECORD_HEADER_LEN;
}

/* One record of a stream. Returns -EAGAIN: nothing there; -ENOBUFS. */
static int record_put(struct packer *p, struct writer *w, enum stream stream,
		      struct packed *packed)
{
	const struct ring *ring = p->rings->ring[stream];
	uint64_t wanted = packed->next, first;
	int len = ring_read(ring, wanted, &p->hint[stream], p->record,
			    sizeof(p->record));

	if (len == -ESTALE) {
		first = ring_first(ring);
		return first > wanted ? gap_put(w, stream, wanted, first - 1,
						packed) : -EAGAIN;
	}
	if (len < 0 && !(len == -EBADMSG && ring_claims(ring, wanted)))
		return -EAGAIN;
	if (len < 0 ||
	    !record_is_sound(p->record, (size_t)len, stream, wanted))
		return gap_put(w, stream, wanted, wanted, packed);
	if ((size_t)len > w->cap - w->pos)
		return -ENOBUFS;
	writer_bytes(w, p->record, (size_t)len);
	packed->next = wanted + 1;
	return 0;
}

static void credit_renew(struct packer *p)
{
	static const int64_t shares[STREAM_COUNT] = {
		[STREAM_FINDINGS] = 8, [STREAM_STATES] = 4,
		[STREAM_SAMPLES] = 1,
	};

	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		int64_t share = shares[i] * CREDIT_OCTETS;

		p->credit[i] += share;
		if (p->credit[i] > share)
			p->credit[i] = share;	/* none is saved up */
	}
}

/* The first stream that may send, STREAM_COUNT when all ran dry. */
static unsigned stream_pick(struct packer *p, const bool dry[STREAM_COUNT])
{
	bool any = true;

	while (any) {
		any = false;
		for (unsigned i = 0; i < STREAM_COUNT; i++) {
			if (!dry[i] && p->credit[i] > 0)
				return i;
			any |= !dry[i];
		}
		credit_renew(p);
	}
	return STREAM_COUNT;
}

void packer_fill(struct packer *p, struct writer *w,
		 struct packed packed[static STREAM_COUNT])
{
	bool dry[STREAM_COUNT];
	unsigned i;
	int err = 0;

	for (i = 0; i < STREAM_COUNT; i++) {
		dry[i] = packed[i].held;
		packed[i].octets = packed[i].records = packed[i].gaps = 0;
	}
	for (;;) {
		size_t before = w->pos;

		i = stream_pick(p, dry);
		if (i == STREAM_COUNT)
			return;
		err = record_put(p, w, i, &packed[i]);
		if (err == -ENOBUFS)
			return;		/* first in the next frame */
		dry[i] = err == -EAGAIN;
		if (err < 0)
			continue;
		packed[i].records++;
		packed[i].octets += (uint32_t)(w->pos - before);
		p->credit[i] -= (int64_t)(w->pos - before);
	}
}
