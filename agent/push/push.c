/* The session, as a state machine:
 *
 *   WAITING --due, HELLO sent--> GREETING --WELCOME--> OPEN
 *      ^                            |                    |
 *      +---- no answer, REFUSED, ---+- silence, garbage, +
 *            garbage                   SESSION_UNKNOWN, REFUSED,
 *                                      no progress
 *
 * Sealed, a HANDSHAKE stands in HELLO's place as long as there are no keys, and
 * its answer leads back to WAITING, where HELLO is due at once.
 *
 * Failures in a row lengthen the wait; progress ends the row. A collector of
 * version 1 refuses the first HELLO; then one of version 1 follows at once.
 */
#include "agent/push/push.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/clean.h"
#include "agent/push/outbox.h"
#include "agent/push/packer.h"
#include "agent/push/window.h"
#include "agent/seal/initiator.h"

#define SILENT_HEARTBEATS 3	/* that long without a word: gone */
#define HOLD_HEARTBEATS 10	/* then samples try again */
#define STALL_DOUBLINGS_MAX 4
#define PROGRESS_HEARTBEATS 12	/* a stream that owes and does not move */
#define RETRY_MIN_NS (250 * NS_PER_MS)
#define RETRY_MAX_NS (10 * NS_PER_S)
#define RETRY_DOUBLINGS_MAX 6
#define CONNECT_POLL_NS (50 * NS_PER_MS)
#define FULL_POLL_NS (5 * NS_PER_MS)
#define SMALL_BODY_MAX 192u	/* of all frames but DATA */
#define FRAMES_PER_RUN 32	/* then the loop looks at its other work */

enum push_state { PUSH_WAITING, PUSH_GREETING, PUSH_OPEN };

struct push {
	struct push_env env;
	enum push_state state;
	uint8_t version;	/* that is spoken until the session ends */
	uint64_t session;
	struct mono due;	/* WAITING: say HELLO; GREETING: give up */
	struct mono unheard;	/* WAITING: nobody took HELLO since; 0: no */
	unsigned failures;	/* in a row */
	/* OPEN: */
	struct mono heard, ping_due;
	struct mono progress;	/* last time that positions moved */
	unsigned stalls;	/* in a row */
	bool samples_held;	/* until states_wanted is acknowledged */
	uint64_t states_wanted;
	struct mono hold_ends;
	struct outbox outbox;
	struct window window;
	struct packer packer;
	struct push_status status;
	uint64_t gap_told[STREAM_COUNT];	/* highest last of a gap */
	size_t unsent;		/* octets of frame that wait for room */
	uint8_t frame[WIRE_FRAME_MAX];
};

typedef void frame_fn(struct push *p, const struct envelope *e,
		      struct cursor *body, struct mono now);

/* In which a session begins. */
static uint8_t version_first(const struct push *p)
{
	return p->env.sealed ? WIRE_VERSION_SEALED : WIRE_VERSION;
}

int push_new(const struct push_env *env, struct push **ret)
{
	struct push *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->env = *env;
	p->version = version_first(p);
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

static int64_t silence_ns(const struct push *p)
{
	return SILENT_HEARTBEATS * p->env.heartbeat_ns;
}

__attribute__((format(printf, 2, 3)))
static void reason_set(struct push *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(p->status.reason, sizeof(p->status.reason), format,
			args);
	va_end(args);
}

/* 0 for the first failure; then doubled, half of it by chance, so that a
 * thousand agents do not come back at once.
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

static void session_end(struct push *p, struct mono now)
{
	p->failures++;
	p->state = PUSH_WAITING;
	p->version = version_first(p);
	initiator_reset(p->env.sealed);
	p->unheard = (struct mono){ 0 };
	p->status.connected = false;
	p->unsent = 0;
	p->due = mono_after(now, retry_ns(p));
}

static void connection_renew(struct push *p)
{
	p->status.renewals++;
	p->env.reconnect(p->env.context);
}

/* The connection itself is doubted. */
static void connection_end(struct push *p, struct mono now)
{
	session_end(p, now);
	connection_renew(p);
}

/* What was owed is delivered, all or some of it. */
static void progress_made(struct push *p, struct mono now)
{
	p->failures = 0;
	p->status.progress = now;
	if (p->state == PUSH_OPEN)
		p->status.reason[0] = '\0';
}

/* Of a body that stands behind the room for its envelope. */
static size_t frame_close(struct push *p, enum frame_kind kind, uint8_t *frame,
			  size_t body_len)
{
	struct envelope e = { .version = p->version, .kind = (uint8_t)kind,
			      .session = p->session };

	return sealed_or_clear_write(initiator_sealed(p->env.sealed), e, frame,
				     body_len);
}

static int frame_send(struct push *p, enum frame_kind kind,
		      const struct writer *body)
{
	uint8_t frame[ENVELOPE_LEN + SMALL_BODY_MAX + WIRE_TAG_LEN];

	assert(body->pos <= SMALL_BODY_MAX);
	memcpy(frame + ENVELOPE_LEN, body->data, body->pos);
	return p->env.send(p->env.context, frame,
			   frame_close(p, kind, frame, body->pos));
}

/* HELLO found no connection. The socket may be what keeps it from coming. */
static void nobody_heard(struct push *p, struct mono now)
{
	const char *words = p->env.network_words ?
			    p->env.network_words(p->env.context, now) : NULL;

	p->due = mono_after(now, CONNECT_POLL_NS);
	if (words)
		reason_set(p, "no connection: %s", words);
	else if (p->failures == 0)
		reason_set(p, "nobody answers at the address");
	if (p->unheard.ns == 0)
		p->unheard = now;
	if (mono_diff_ns(now, p->unheard) < silence_ns(p))
		return;
	p->unheard = now;
	connection_renew(p);
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
	return frame_send(p, FRAME_HELLO, &body);
}

/* There is nothing to say HELLO with yet. */
static bool wants_keys(const struct push *p)
{
	return p->env.sealed && !initiator_sealed(p->env.sealed);
}

static void greet(struct push *p, struct mono now)
{
	int err = wants_keys(p) ? handshake_send(p) : hello_send(p);

	if (err == 0) {
		p->state = PUSH_GREETING;
		p->due = mono_after(now, silence_ns(p));
	} else if (err == -EAGAIN) {
		nobody_heard(p, now);
	} else {
		reason_set(p, "cannot send: %s", strerror(-err));
		connection_end(p, now);
	}
}

static void snapshot_want(struct push *p)
{
	struct ring *states;

	if (!p->env.rings)
		return;		/* nobody makes one any more */
	states = p->env.rings->ring[STREAM_STATES];
	ring_mark_set(states, RING_MARK_SNAPSHOT_WANTED,
		      ring_mark(states, RING_MARK_SNAPSHOT_WANTED) + 1);
}

/* The collector lacks the dictionary of the next samples: they wait until it
 * has the states that are there, or, when it has them all, a new snapshot.
 */
static void samples_hold(struct push *p, struct mono now)
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
		snapshot_want(p);
	}
}

static void garbage(struct push *p, struct mono now, const char *what)
{
	reason_set(p, "the collector answers garbage: %s", what);
	connection_end(p, now);
}

/* A session begins with what the collector holds. */
static void session_begin(struct push *p, const struct positions *held,
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
		progress_made(p, now);
}

static void on_handshake_answer(struct push *p, const struct envelope *e,
				struct cursor *body, struct mono now)
{
	if (p->state != PUSH_GREETING ||
	    initiator_answer(p->env.sealed, e->session, body) < 0)
		return;		/* of somebody else, or to one of before */
	p->state = PUSH_WAITING;
	p->due = now;
}

static void on_welcome(struct push *p, const struct envelope *e,
		       struct cursor *body, struct mono now)
{
	const char *fault = "a WELCOME without positions";
	struct positions held;

	if (p->state != PUSH_GREETING)
		return;		/* the answer to a HELLO of before */
	if (positions_read(body, &held) == 0 && cursor_left(body) == 0)
		fault = outbox_welcome_fault(&p->outbox, &held);
	if (fault) {
		garbage(p, now, fault);
		return;
	}
	p->state = PUSH_OPEN;
	p->session = e->session;
	session_begin(p, &held, now);
	if (held.last[STREAM_STATES] + 1 <
	    outbox_first(&p->outbox, STREAM_STATES))
		snapshot_want(p);
}

static void hold_review(struct push *p, struct mono now)
{
	if (p->window.stream[STREAM_STATES].acked >= p->states_wanted ||
	    now.ns >= p->hold_ends.ns)
		p->samples_held = false;
}

static void all_again(struct push *p)
{
	window_rewind_all(&p->window);
	p->unsent = 0;
}

static void on_ack(struct push *p, const struct envelope *e,
		   struct cursor *body, struct mono now)
{
	struct positions held;
	int err = positions_read(body, &held);
	uint8_t why = cursor_u8(body);
	const char *fault = "an ACK of a wrong length";

	(void)e;
	if (err == 0 && cursor_ok(body) && cursor_left(body) == 0 &&
	    why <= ACK_OUT_OF_ORDER)
		fault = outbox_ack_fault(&p->outbox, &held);
	if (fault) {
		garbage(p, now, fault);
		return;
	}
	p->status.last_ack = now;
	outbox_ack(&p->outbox, &held, now);
	if (window_ack(&p->window, &held)) {
		p->progress = now;
		p->stalls = 0;
		progress_made(p, now);
	} else if (!outbox_owes(&p->outbox)) {
		progress_made(p, now);
	}
	hold_review(p, now);
	if (why == ACK_OUT_OF_ORDER)
		all_again(p);
	else if (why == ACK_NEED_STATES)
		samples_hold(p, now);
}

static void on_pong(struct push *p, const struct envelope *e,
		    struct cursor *body, struct mono now)
{
	(void)e;
	(void)cursor_be64(body);
	if (!cursor_ok(body) || cursor_left(body) > 0)
		garbage(p, now, "a PONG of a wrong length");
}

static void on_session_unknown(struct push *p, const struct envelope *e,
			       struct cursor *body, struct mono now)
{
	(void)e;
	(void)body;
	reason_set(p, "the collector restarted");
	session_end(p, now);
}

/* Text of a peer, fit for a terminal. */
static void on_refused(struct push *p, const struct envelope *e,
		       struct cursor *body, struct mono now)
{
	char text[96];
	size_t n = cursor_left(body);
	const uint8_t *octets = cursor_bytes(body, n);

	(void)e;
	clean_octets(text, sizeof(text), (const char *)octets, octets ? n : 0);
	reason_set(p, "the collector refuses: %s", text);
	if (p->failures == 0)
		p->failures = 1;	/* it meant it: do not ask at once */
	session_end(p, now);
}

/* A collector that speaks another version. One of version 1 refuses HELLO in
 * its own; what else is not of this session's version is of one that is over.
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

struct frame_rule {
	frame_fn *fn;
	bool in_session;	/* counts only with the session's number */
};

static const struct frame_rule *frame_rule(unsigned kind)
{
	static const struct frame_rule rules[FRAME_KIND_COUNT] = {
		[FRAME_HANDSHAKE_ANSWER] = { on_handshake_answer, false },
		[FRAME_WELCOME] = { on_welcome, false },
		[FRAME_ACK] = { on_ack, true },
		[FRAME_PONG] = { on_pong, true },
		[FRAME_SESSION_UNKNOWN] = { on_session_unknown, true },
		[FRAME_REFUSED] = { on_refused, true },
	};

	return rules[kind].fn ? &rules[kind] : NULL;
}

/* What a sealed session takes in the clear: what can only be said without a
 * key, and the worst that comes of it is another HANDSHAKE.
 */
static bool clear_is_taken(const struct push *p, const struct envelope *e)
{
	if (e->kind == FRAME_SESSION_UNKNOWN)
		return p->state == PUSH_OPEN;
	if (p->state != PUSH_GREETING || !wants_keys(p))
		return false;
	return e->kind == FRAME_HANDSHAKE_ANSWER || e->kind == FRAME_REFUSED;
}

/* Opens it where it is sealed. False: it is of another session, or of somebody
 * else.
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

/* REFUSED answers what was said last. */
static bool is_current(const struct push *p, const struct envelope *e)
{
	const struct sealed *s = initiator_sealed(p->env.sealed);

	if (p->state == PUSH_OPEN)
		return e->session == p->session;
	return e->kind == FRAME_REFUSED && e->session == (s ? s->session : 0);
}

static void frame_take(struct push *p, const struct envelope *e,
		       struct cursor *body, struct mono now)
{
	const struct frame_rule *rule = frame_rule(e->kind);

	if (!rule) {
		garbage(p, now, "a frame that only agents send");
		return;
	}
	if (rule->in_session && !is_current(p, e))
		return;		/* late, of a session that is over */
	p->heard = now;
	rule->fn(p, e, body, now);
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
		garbage(p, now, err == -EPROTONOSUPPORT ?
			"another version of the protocol" : "no frame");
	else if (!frame_open(p, &e, frame, len, &c))
		return;
	else if (!p->env.sealed && e.version != p->version)
		version_differs(p, &e, now);
	else
		frame_take(p, &e, &c, now);
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
			snapshot_want(p);
	}
}

/* The next DATA frame into p->frame; false when there is nothing to say. */
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
	p->unsent = frame_close(p, FRAME_DATA, p->frame, body.pos);
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
			reason_set(p, "cannot send: %s", strerror(-err));
			connection_end(p, now);
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
	(void)frame_send(p, FRAME_PING, &body);	/* silence will tell */
	p->ping_due = mono_after(now, p->env.heartbeat_ns);
}

static struct mono stall_due(const struct push *p)
{
	unsigned doublings = p->stalls < STALL_DOUBLINGS_MAX ?
			     p->stalls : STALL_DOUBLINGS_MAX;

	if (p->window.in_flight_octets == 0)
		return (struct mono){ INT64_MAX };
	return mono_after(p->progress, silence_ns(p) << doublings);
}

/* A session that is open: what is due by time. */
static void open_tick(struct push *p, struct mono now)
{
	if (mono_diff_ns(now, p->heard) >= silence_ns(p)) {
		reason_set(p, "the collector is silent for %" PRId64 " ms",
			   mono_diff_ns(now, p->heard) / NS_PER_MS);
		connection_end(p, now);
		return;
	}
	if (outbox_is_stuck(&p->outbox, now,
			  PROGRESS_HEARTBEATS * p->env.heartbeat_ns)) {
		reason_set(p, "the collector answers, but acknowledges "
			   "nothing for %d heartbeats", PROGRESS_HEARTBEATS);
		connection_end(p, now);
		return;
	}
	if (now.ns >= p->ping_due.ns)
		ping_say(p, now);
	if (p->samples_held)
		hold_review(p, now);
	if (now.ns >= stall_due(p).ns) {
		p->stalls++;
		p->progress = now;
		all_again(p);	/* what was sent did not arrive */
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
	due = mono_min(p->ping_due, mono_after(p->heard, silence_ns(p)));
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
		reason_set(p, "the collector does not answer HELLO");
		connection_end(p, now);
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
