#include "agent/push/debt.h"

void debt_init(struct debt *d, struct ring_set *rings, unsigned reader)
{
	*d = (struct debt){ .rings = rings, .reader = reader };
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (rings->fresh &&
		    ring_mark(rings->ring[i], RING_MARK_SENT) == 0)
			ring_mark_set(rings->ring[i], RING_MARK_SENT, 1);
}

static bool stream_owes(const struct debt *d, unsigned i)
{
	const struct ring *ring = d->rings->ring[i];

	return ring_acked(ring, d->reader) + 1 < ring_next(ring);
}

bool debt_is_owed(const struct debt *d)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (stream_owes(d, i))
			return true;
	return false;
}

const char *debt_welcome_fault(const struct debt *d,
			       const struct positions *held)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		const struct ring *ring = d->rings->ring[i];
		uint64_t mark = ring_mark(ring, RING_MARK_SENT);

		if (held->last[i] >= ring_next(ring) ||
		    (mark > 0 && held->last[i] >= mark))
			return "a WELCOME that holds what was never sent";
	}
	return NULL;
}

/* Of a ring from before there was the mark, all may have been sent. */
static void mark_begin(struct ring *ring)
{
	if (ring_mark(ring, RING_MARK_SENT) == 0)
		ring_mark_set(ring, RING_MARK_SENT, ring_next(ring));
}

bool debt_begin(struct debt *d, const struct positions *held, struct mono now)
{
	bool is_more = false;

	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		struct ring *ring = d->rings->ring[i];

		is_more |= held->last[i] > ring_acked(ring, d->reader);
		mark_begin(ring);
		d->sent[i] = d->acked[i] = held->last[i];
		d->moved[i] = now;
		ring_ack(ring, d->reader, held->last[i]);
	}
	return is_more;
}

void debt_sent(struct debt *d, enum stream stream, uint64_t last)
{
	struct ring *ring = d->rings->ring[stream];

	if (last > d->sent[stream])
		d->sent[stream] = last;
	if (last >= ring_mark(ring, RING_MARK_SENT))
		ring_mark_set(ring, RING_MARK_SENT, last + 1);
}

const char *debt_ack_fault(const struct debt *d, const struct positions *held)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		if (held->last[i] > d->sent[i])
			return "an ACK of what was never sent";
		if (held->last[i] < d->acked[i])
			return "an ACK of less than before";
	}
	return NULL;
}

void debt_ack(struct debt *d, const struct positions *held, struct mono now)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		if (held->last[i] == d->acked[i])
			continue;
		d->acked[i] = held->last[i];
		d->moved[i] = now;
		ring_ack(d->rings->ring[i], d->reader, held->last[i]);
	}
}

bool debt_is_stuck(struct debt *d, struct mono now, int64_t limit_ns)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		if (!stream_owes(d, i))
			d->moved[i] = now;
		if (mono_diff_ns(now, d->moved[i]) >= limit_ns)
			return true;
	}
	return false;
}
