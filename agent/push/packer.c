/* One large record may take a stream's credit below 0; it then waits for as
 * many renewals as that took. So the shares hold over time, not per frame.
 */
#include "agent/push/packer.h"

#include <errno.h>

#include "agent/record/encode.h"

#define CREDIT_OCTETS 8192	/* for the last stream; others get more */
#define GAP_PAYLOAD_MAX 64u

/* Writes a gap: first to last no longer exist. */
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

/* One record of a stream. Returns -EAGAIN: nothing there; -ENOBUFS. */
static int record_put(struct packer *p, struct writer *w, enum stream stream,
		      struct packed *packed)
{
	uint64_t wanted = packed->next, last;
	int len = outbox_read(p->outbox, stream, wanted, p->record,
			      sizeof(p->record), &last);

	if (len == -ESTALE)
		return gap_put(w, stream, wanted, last, packed);
	if (len < 0)
		return len;
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
			p->credit[i] = share;	/* unused credit is lost */
	}
}

/* The first stream that may send, STREAM_COUNT when all have run out. */
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
