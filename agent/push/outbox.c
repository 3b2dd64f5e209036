#include "agent/push/outbox.h"

#include <errno.h>

/* --- where records are ---------------------------------------------------- */

void outbox_init(struct outbox *o)
{
	for (unsigned i = 0; o->rings && o->rings->fresh && i < STREAM_COUNT;
	     i++)
		if (ring_mark(o->rings->ring[i], RING_MARK_SENT) == 0)
			ring_mark_set(o->rings->ring[i], RING_MARK_SENT, 1);
}

uint64_t outbox_next(const struct outbox *o, enum stream stream)
{
	uint64_t last;

	if (o->rings)
		return ring_next(o->rings->ring[stream]);
	last = spool_view_end(o->spool, o->run.run, stream);
	return (last > o->acked[stream] ? last : o->acked[stream]) + 1;
}

uint64_t outbox_first(const struct outbox *o, enum stream stream)
{
	uint64_t first = o->rings ? ring_first(o->rings->ring[stream]) :
				    outbox_next(o, stream);
	uint64_t spooled = o->spool ?
			   spool_view_from(o->spool, o->run.run, stream, 1) : 0;

	return spooled > 0 && spooled < first ? spooled : first;
}

/* If a ring was overwritten by a fault, that must not make the collector refuse
 * this frame for ever, or end its stream: the record counts as missing.
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

/* The ring says that it has this record, and that can be true. */
static bool ring_claims(const struct ring *ring, uint64_t sequence)
{
	uint64_t first = ring_first(ring), next = ring_next(ring);

	return first <= sequence && sequence < next &&
	       next - first <= ring_bytes(ring) / RECORD_HEADER_LEN;
}

/* As outbox_read(), but from the ring only. */
static int from_ring(struct outbox *o, enum stream stream, uint64_t sequence,
		     void *ret, size_t cap, uint64_t *ret_last)
{
	const struct ring *ring = o->rings->ring[stream];
	int len = ring_read(ring, sequence, &o->hint[stream], ret, cap);

	if (len == -ESTALE) {
		*ret_last = ring_first(ring) - 1;
		return *ret_last >= sequence ? -ESTALE : -EAGAIN;
	}
	if (len < 0 && !(len == -EBADMSG && ring_claims(ring, sequence)))
		return -EAGAIN;
	*ret_last = sequence;
	return len >= 0 && record_is_sound(ret, (size_t)len, stream, sequence) ?
	       len : -ESTALE;
}

/* New records do not wait for a hung disk; a run that is over can wait. */
static int from_spool(struct outbox *o, enum stream stream, uint64_t sequence,
		      void *ret, size_t cap, uint64_t *inout_last)
{
	uint64_t next;
	int len = spool_view_read(o->spool, o->run.run, stream, sequence, ret,
				  cap, &next);

	o->is_fetched[stream] = len == -EAGAIN &&
				!(o->rings && spool_view_is_given_up(o->spool));
	if (len >= 0 || o->is_fetched[stream])
		return len;
	if (next > 0 && next <= *inout_last)
		*inout_last = next - 1;
	return -ESTALE;
}

int outbox_read(struct outbox *o, enum stream stream, uint64_t sequence,
		void *ret, size_t cap, uint64_t *ret_last)
{
	int len = -ESTALE;

	o->is_fetched[stream] = false;
	if (stream == STREAM_SAMPLES && sequence <= o->forgone) {
		*ret_last = o->forgone;
		return -ESTALE;
	}
	if (o->rings)
		len = from_ring(o, stream, sequence, ret, cap, ret_last);
	else
		*ret_last = outbox_next(o, stream) - 1;
	if (!o->rings && *ret_last < sequence)
		return -EAGAIN;
	return len == -ESTALE && o->spool ?
	       from_spool(o, stream, sequence, ret, cap, ret_last) : len;
}

void outbox_forgo_samples(struct outbox *o)
{
	o->forgone = outbox_next(o, STREAM_SAMPLES) - 1;
}

/* --- what is owed --------------------------------------------------------- */

static bool stream_owes(const struct outbox *o, unsigned i)
{
	uint64_t acked = o->rings ? ring_acked(o->rings->ring[i], o->reader) :
				    o->acked[i];

	return acked + 1 < outbox_next(o, i);
}

bool outbox_owes(const struct outbox *o)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (stream_owes(o, i))
			return true;
	return false;
}

bool outbox_is_stuck(struct outbox *o, struct mono now, int64_t limit_ns)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		if (!stream_owes(o, i) || o->is_fetched[i])
			o->moved[i] = now;
		if (mono_diff_ns(now, o->moved[i]) >= limit_ns)
			return true;
	}
	return false;
}

/* For a run that is over, more may have been sent than is left. */
const char *outbox_welcome_fault(const struct outbox *o,
				 const struct positions *held)
{
	for (unsigned i = 0; o->rings && i < STREAM_COUNT; i++) {
		const struct ring *ring = o->rings->ring[i];
		uint64_t mark = ring_mark(ring, RING_MARK_SENT);

		if (held->last[i] >= ring_next(ring) ||
		    (mark > 0 && held->last[i] >= mark))
			return "a WELCOME for records that were never sent";
	}
	return NULL;
}

/* If the ring is older than the mark, any record may have been sent. */
static void mark_begin(struct ring *ring)
{
	if (ring_mark(ring, RING_MARK_SENT) == 0)
		ring_mark_set(ring, RING_MARK_SENT, ring_next(ring));
}

static void position_take(struct outbox *o, unsigned i, uint64_t last,
			  struct mono now)
{
	o->acked[i] = last;
	o->moved[i] = now;
	if (o->rings)
		ring_ack(o->rings->ring[i], o->reader, last);
}

bool outbox_begin(struct outbox *o, const struct positions *held,
		  struct mono now)
{
	bool is_more = false;

	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		is_more |= held->last[i] >
			   (o->rings ? ring_acked(o->rings->ring[i],
						  o->reader) : o->acked[i]);
		if (o->rings)
			mark_begin(o->rings->ring[i]);
		o->sent[i] = held->last[i];
		position_take(o, i, held->last[i], now);
	}
	return is_more;
}

void outbox_sent(struct outbox *o, enum stream stream, uint64_t last)
{
	struct ring *ring = o->rings ? o->rings->ring[stream] : NULL;

	if (last > o->sent[stream])
		o->sent[stream] = last;
	if (ring && last >= ring_mark(ring, RING_MARK_SENT))
		ring_mark_set(ring, RING_MARK_SENT, last + 1);
}

const char *outbox_ack_fault(const struct outbox *o,
			     const struct positions *held)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		if (held->last[i] > o->sent[i])
			return "an ACK for records that were never sent";
		if (held->last[i] < o->acked[i])
			return "an ACK for less than before";
	}
	return NULL;
}

void outbox_ack(struct outbox *o, const struct positions *held,
		struct mono now)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (held->last[i] != o->acked[i])
			position_take(o, i, held->last[i], now);
}
