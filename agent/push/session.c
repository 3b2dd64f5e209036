#include "agent/push/session.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agent/seal/initiator.h"

#define SILENT_HEARTBEATS 3	/* silent this long: connection lost */
#define HOLD_HEARTBEATS 10	/* then samples try again */
#define RETRY_MIN_NS (250 * NS_PER_MS)
#define RETRY_MAX_NS (10 * NS_PER_S)
#define RETRY_DOUBLINGS_MAX 6
#define SMALL_BODY_MAX 192u	/* of all frames but DATA */

uint8_t session_version(const struct push *p)
{
	return p->env.sealed ? WIRE_VERSION_SEALED : WIRE_VERSION;
}

int64_t session_silence_ns(const struct push *p)
{
	return SILENT_HEARTBEATS * p->env.heartbeat_ns;
}

void session_reason(struct push *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(p->status.reason, sizeof(p->status.reason), format,
			args);
	va_end(args);
}

/* 0 for the first failure; then doubled, half of it random, so that a thousand
 * agents do not come back at once.
 */
static int64_t retry_ns(struct push *p)
{
	unsigned doublings = p->failures > 1 ? p->failures - 2 : 0;
	int64_t wait;

	if (p->failures < 2)
		return 0;
	if (doublings > RETRY_DOUBLINGS_MAX)
		doublings = RETRY_DOUBLINGS_MAX;
	wait = RETRY_MIN_NS << doublings;
	if (wait > RETRY_MAX_NS)
		wait = RETRY_MAX_NS;
	return wait / 2 +
	       (int64_t)(p->env.random(p->env.context) % (uint64_t)(wait / 2));
}

void session_end(struct push *p, struct mono now)
{
	p->failures++;
	p->state = PUSH_WAITING;
	p->version = session_version(p);
	initiator_reset(p->env.sealed);
	p->unheard = (struct mono){ 0 };
	p->status.connected = false;
	p->unsent = 0;
	p->due = mono_after(now, retry_ns(p));
}

void session_renew(struct push *p)
{
	p->status.renewals++;
	p->env.reconnect(p->env.context);
}

void session_break(struct push *p, struct mono now)
{
	session_end(p, now);
	session_renew(p);
}

void session_progress(struct push *p, struct mono now)
{
	p->failures = 0;
	p->status.progress = now;
	if (p->state == PUSH_OPEN)
		p->status.reason[0] = '\0';
}

size_t session_frame_close(struct push *p, enum frame_kind kind,
			   uint8_t *frame, size_t body_len)
{
	struct envelope e = { .version = p->version, .kind = (uint8_t)kind,
			      .session = p->session };

	return sealed_or_clear_write(initiator_sealed(p->env.sealed), e, frame,
				     body_len);
}

int session_frame_send(struct push *p, enum frame_kind kind,
		       const struct writer *body)
{
	uint8_t frame[ENVELOPE_LEN + SMALL_BODY_MAX + WIRE_TAG_LEN];

	assert(body->pos <= SMALL_BODY_MAX);
	memcpy(frame + ENVELOPE_LEN, body->data, body->pos);
	return p->env.send(p->env.context, frame,
			   session_frame_close(p, kind, frame, body->pos));
}

void session_want_snapshot(struct push *p)
{
	struct ring *states;

	if (!p->env.rings)
		return;		/* an old run makes no snapshots */
	states = p->env.rings->ring[STREAM_STATES];
	ring_mark_set(states, RING_MARK_SNAPSHOT_WANTED,
		      ring_mark(states, RING_MARK_SNAPSHOT_WANTED) + 1);
}

void session_hold_samples(struct push *p, struct mono now)
{
	uint64_t newest = outbox_next(&p->outbox, STREAM_STATES) - 1;

	window_rewind(&p->window, STREAM_SAMPLES);
	if (p->samples_held)
		return;
	if (!p->env.rings && p->outbox.acked[STREAM_STATES] >= newest) {
		outbox_forgo_samples(&p->outbox);
		return;
	}
	p->samples_held = true;
	p->states_wanted = newest;
	p->hold_ends = mono_after(now, HOLD_HEARTBEATS * p->env.heartbeat_ns);
	if (p->window.stream[STREAM_STATES].acked >= newest) {
		p->states_wanted = newest + 1;
		session_want_snapshot(p);
	}
}

void session_garbage(struct push *p, struct mono now, const char *what)
{
	session_reason(p, "invalid answer from the collector: %s", what);
	session_break(p, now);
}

void session_begin(struct push *p, const struct positions *held,
		   struct mono now)
{
	bool is_progress = outbox_begin(&p->outbox, held, now);

	p->heard = p->progress = now;
	p->ping_due = mono_after(now, p->env.heartbeat_ns);
	p->stalls = 0;
	p->samples_held = false;
	p->status.connected = true;
	if (p->failures == 0)
		p->status.reason[0] = '\0';
	window_begin(&p->window, held);
	if (is_progress)
		session_progress(p, now);
}

void session_hold_review(struct push *p, struct mono now)
{
	if (p->window.stream[STREAM_STATES].acked >= p->states_wanted ||
	    now.ns >= p->hold_ends.ns)
		p->samples_held = false;
}

void session_all_again(struct push *p)
{
	window_rewind_all(&p->window);
	p->unsent = 0;
}
