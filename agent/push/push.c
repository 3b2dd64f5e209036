/* The session, as a state machine:
 *
 *   WAITING --due, HELLO sent--> GREETING --WELCOME--> OPEN
 *      ^                            |                    |
 *      +---- no answer, REFUSED, ---+- silence, garbage, +
 *            garbage                   SESSION_UNKNOWN, REFUSED,
 *                                      no progress
 *
 * When sealed, HANDSHAKE replaces HELLO as long as there are no keys, and its
 * answer leads back to WAITING, where HELLO is due at once.
 *
 * Failures in a row lengthen the wait; progress resets it. A collector of
 * version 1 refuses the first HELLO; then one of version 1 follows at once.
 */
#include "agent/push/push.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/push/response.h"
#include "agent/push/session.h"
#include "agent/seal/initiator.h"

#define STALL_DOUBLINGS_MAX 4
#define PROGRESS_HEARTBEATS 12	/* a stream that owes does not move */
#define CONNECT_POLL_NS (50 * NS_PER_MS)
#define FULL_POLL_NS (5 * NS_PER_MS)
#define FRAMES_PER_RUN 32	/* then the loop does other work */

int push_new(const struct push_env *env, struct push **ret)
{
	struct push *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->env = *env;
	p->version = session_version(p);
	if (env->rings)
		p->env.run = (struct spool_run){ env->rings->run,
						 env->rings->previous_run };
	p->outbox = (struct outbox){ .rings = env->rings,
				     .reader = env->reader,
				     .spool = env->spool, .run = p->env.run };
	outbox_init(&p->outbox);
	window_init(&p->window, env->window_octets, env->rate_octets);
	p->packer.outbox = &p->outbox;
	(void)snprintf(p->status.reason, sizeof(p->status.reason),
		       "not connected yet");
	*ret = p;
	return 0;
}

void push_free(struct push *p)
{
	free(p);
}

/* HELLO found no connection. The socket itself may be the cause. */
static void nobody_heard(struct push *p, struct mono now)
{
	const char *words = p->env.network_words ?
			    p->env.network_words(p->env.context, now) : NULL;

	p->due = mono_after(now, CONNECT_POLL_NS);
	if (words)
		session_reason(p, "no connection: %s", words);
	else if (p->failures == 0)
		session_reason(p, "nothing answers at the address");
	if (p->unheard.ns == 0)
		p->unheard = now;
	if (mono_diff_ns(now, p->unheard) < session_silence_ns(p))
		return;
	p->unheard = now;
	session_renew(p);
}

static int handshake_send(struct push *p)
{
	uint8_t frame[HANDSHAKE_LEN];
	size_t len;
	int err = initiator_handshake(p->env.sealed, frame, &len);

	return err < 0 ? err : p->env.send(p->env.context, frame, len);
}

static int hello_send(struct push *p)
{
	uint8_t octets[sizeof(struct hello)];
	struct writer body = writer_of(octets, sizeof(octets));
	struct hello h = { .run = p->env.run.run,
			   .previous_run = p->env.run.previous_run };

	(void)snprintf(h.switch_name, sizeof(h.switch_name), "%s",
		       p->env.switch_name);
	(void)snprintf(h.switch_id, sizeof(h.switch_id), "%s",
		       p->env.switch_id);
	hello_write(&body, p->version, &h);
	p->session = 0;
	return session_frame_send(p, FRAME_HELLO, &body);
}

/* There are no keys yet to seal HELLO with. */
static bool wants_keys(const struct push *p)
{
	return p->env.sealed && !initiator_sealed(p->env.sealed);
}

static void greet(struct push *p, struct mono now)
{
	int err = wants_keys(p) ? handshake_send(p) : hello_send(p);

	if (err == 0) {
		p->state = PUSH_GREETING;
		p->due = mono_after(now, session_silence_ns(p));
	} else if (err == -EAGAIN) {
		nobody_heard(p, now);
	} else {
		session_reason(p, "cannot send: %s", strerror(-err));
		session_break(p, now);
	}
}

/* Frames that a sealed session accepts in the clear: those that can only be
 * sent without a key; the worst effect of a forged one is another HANDSHAKE.
 */
static bool clear_is_taken(const struct push *p, const struct envelope *e)
{
	if (e->kind == FRAME_SESSION_UNKNOWN)
		return p->state == PUSH_OPEN;
	if (p->state != PUSH_GREETING || !wants_keys(p))
		return false;
	return e->kind == FRAME_HANDSHAKE_ANSWER || e->kind == FRAME_REFUSED;
}

/* Opens a sealed frame. False: it is of another session, or of another sender.
 */
static bool frame_open(struct push *p, const struct envelope *e,
		       uint8_t *frame, size_t len, struct cursor *body)
{
	struct sealed *s = initiator_sealed(p->env.sealed);

	if (e->version != WIRE_VERSION_SEALED)
		return p->env.sealed ? clear_is_taken(p, e) :
				       e->kind != FRAME_HANDSHAKE_ANSWER;
	if (!s || e->session != s->session)
		return false;
	if (sealed_read(s, e, frame, len, body) == 0)
		return true;
	p->status.damaged++;
	return false;
}

/* A frame of another version. A collector of version 1 refuses HELLO in its own
 * version; any other such frame belongs to an earlier session.
 */
static void version_differs(struct push *p, const struct envelope *e,
			    struct mono now)
{
	if (p->state != PUSH_GREETING || e->kind != FRAME_REFUSED ||
	    e->version >= p->version)
		return;
	p->version = e->version;
	p->state = PUSH_WAITING;
	p->due = now;
}

void push_receive(struct push *p, void *frame, size_t len, struct mono now)
{
	struct cursor c = cursor_of(frame, len);
	struct envelope e;
	int err = envelope_read(&c, &e);

	if (err == -EILSEQ)
		p->status.damaged++;
	if (p->state == PUSH_WAITING || err == -EILSEQ)
		return;		/* from before the session ended */
	if (err < 0)
		session_garbage(p, now, err == -EPROTONOSUPPORT ?
			"another version of the protocol" : "not a frame");
	else if (!frame_open(p, &e, frame, len, &c))
		return;
	else if (!p->env.sealed && e.version != p->version)
		version_differs(p, &e, now);
	else
		response_take(p, &e, &c, now);
}

static void packed_account(struct push *p,
			   const struct packed packed[STREAM_COUNT])
{
	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		uint64_t last = packed[i].next - 1;

		if (packed[i].records == 0)
			continue;
		window_sent(&p->window, i, last, packed[i].octets);
		outbox_sent(&p->outbox, i, last);
		p->status.sent_records += packed[i].records;
		p->status.sent_octets += packed[i].octets;
		if (packed[i].gaps == 0 || last <= p->gap_told[i])
			continue;
		p->status.gap_records += packed[i].gaps;
		p->gap_told[i] = last;
		if (i == STREAM_STATES)
			session_want_snapshot(p);
	}
}

/* Packs the next DATA frame into p->frame; false: there is nothing to send. */
static bool data_pack(struct push *p, struct mono now)
{
	struct writer body = writer_of(p->frame + ENVELOPE_LEN, WIRE_BODY_MAX);
	struct packed packed[STREAM_COUNT];
	bool was_idle = p->window.in_flight_octets == 0;

	for (unsigned i = 0; i < STREAM_COUNT; i++)
		packed[i] = (struct packed){
			.next = p->window.stream[i].next,
			.held = i == STREAM_SAMPLES && p->samples_held };
	packer_fill(&p->packer, &body, packed);
	if (body.pos == 0)
		return false;
	packed_account(p, packed);
	if (was_idle)
		p->progress = now;
	p->unsent = session_frame_close(p, FRAME_DATA, p->frame, body.pos);
	return true;
}

/* Returns 0 when all is sent, -EAGAIN when there is no room now, or 1 when
 * there may be more to send.
 */
static int data_send(struct push *p, struct mono now)
{
	for (unsigned i = 0; i < FRAMES_PER_RUN; i++) {
		int err;

		if (p->unsent == 0 && !window_rate_allows(&p->window, now))
			return -EAGAIN;
		if (p->unsent == 0 &&
		    (!window_is_open(&p->window) || !data_pack(p, now)))
			return 0;
		err = p->env.send(p->env.context, p->frame, p->unsent);
		if (err == -EAGAIN)
			return err;
		if (err < 0) {
			session_reason(p, "cannot send: %s", strerror(-err));
			session_break(p, now);
			return 0;
		}
		window_rate_take(&p->window, p->unsent);
		p->unsent = 0;
	}
	return 1;
}

static void ping_say(struct push *p, struct mono now)
{
	uint8_t octets[8];
	struct writer body = writer_of(octets, sizeof(octets));

	writer_be64(&body, (uint64_t)now.ns);
	(void)session_frame_send(p, FRAME_PING, &body);	/* silence will tell */
	p->ping_due = mono_after(now, p->env.heartbeat_ns);
}

static struct mono stall_due(const struct push *p)
{
	unsigned doublings = p->stalls < STALL_DOUBLINGS_MAX ?
			     p->stalls : STALL_DOUBLINGS_MAX;

	if (p->window.in_flight_octets == 0)
		return (struct mono){ INT64_MAX };
	return mono_after(p->progress, session_silence_ns(p) << doublings);
}

/* Timed work of an open session. */
static void open_tick(struct push *p, struct mono now)
{
	if (mono_diff_ns(now, p->heard) >= session_silence_ns(p)) {
		session_reason(p, "the collector is silent for %" PRId64 " ms",
			   mono_diff_ns(now, p->heard) / NS_PER_MS);
		session_break(p, now);
		return;
	}
	if (outbox_is_stuck(&p->outbox, now,
			  PROGRESS_HEARTBEATS * p->env.heartbeat_ns)) {
		session_reason(p, "the collector answers, but acknowledges "
			   "nothing for %d heartbeats", PROGRESS_HEARTBEATS);
		session_break(p, now);
		return;
	}
	if (now.ns >= p->ping_due.ns)
		ping_say(p, now);
	if (p->samples_held)
		session_hold_review(p, now);
	if (now.ns >= stall_due(p).ns) {
		p->stalls++;
		p->progress = now;
		session_all_again(p);	/* what was sent did not arrive */
	}
}

static struct mono open_run(struct push *p, struct mono now)
{
	struct mono due;
	int more;

	open_tick(p, now);
	if (p->state != PUSH_OPEN)
		return p->due;
	more = data_send(p, now);
	if (p->state != PUSH_OPEN)
		return p->due;
	if (more > 0)
		return now;
	due = mono_min(p->ping_due,
		       mono_after(p->heard, session_silence_ns(p)));
	due = mono_min(due, stall_due(p));
	if (more == -EAGAIN)
		due = mono_min(due, mono_after(now, FULL_POLL_NS));
	return due;
}

struct mono push_run(struct push *p, struct mono now)
{
	if (p->status.progress.ns == 0 || !outbox_owes(&p->outbox))
		p->status.progress = now;
	if (p->state == PUSH_GREETING && now.ns >= p->due.ns) {
		session_reason(p, "the collector does not answer HELLO");
		session_break(p, now);
	}
	if (p->state == PUSH_WAITING && now.ns >= p->due.ns)
		greet(p, now);
	if (p->state == PUSH_OPEN)
		return open_run(p, now);
	return p->due;
}

void push_status(const struct push *p, struct push_status *ret)
{
	*ret = p->status;
	ret->sealed = p->status.connected && p->env.sealed;
	ret->in_flight_octets = p->window.in_flight_octets;
	ret->owes = outbox_owes(&p->outbox);
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		ret->acked.last[i] = p->outbox.acked[i];
}
