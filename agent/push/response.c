#include "agent/push/response.h"

#include "agent/base/clean.h"
#include "agent/push/session.h"
#include "agent/seal/initiator.h"

typedef void frame_fn(struct push *p, const struct envelope *e,
		      struct cursor *body, struct mono now);

static void on_handshake_answer(struct push *p, const struct envelope *e,
				struct cursor *body, struct mono now)
{
	if (p->state != PUSH_GREETING ||
	    initiator_answer(p->env.sealed, e->session, body) < 0)
		return;		/* another sender, or an old HANDSHAKE */
	p->state = PUSH_WAITING;
	p->due = now;
}

static void on_welcome(struct push *p, const struct envelope *e,
		       struct cursor *body, struct mono now)
{
	const char *fault = "a WELCOME without positions";
	struct positions held;

	if (p->state != PUSH_GREETING)
		return;		/* the answer to an old HELLO */
	if (positions_read(body, &held) == 0 && cursor_left(body) == 0)
		fault = outbox_welcome_fault(&p->outbox, &held);
	if (fault) {
		session_garbage(p, now, fault);
		return;
	}
	p->state = PUSH_OPEN;
	p->session = e->session;
	session_begin(p, &held, now);
	if (held.last[STREAM_STATES] + 1 <
	    outbox_first(&p->outbox, STREAM_STATES))
		session_want_snapshot(p);
}

static void on_ack(struct push *p, const struct envelope *e,
		   struct cursor *body, struct mono now)
{
	struct positions held;
	int err = positions_read(body, &held);
	uint8_t why = cursor_u8(body);
	const char *fault = "an ACK with a wrong length";

	(void)e;
	if (err == 0 && cursor_ok(body) && cursor_left(body) == 0 &&
	    why <= ACK_OUT_OF_ORDER)
		fault = outbox_ack_fault(&p->outbox, &held);
	if (fault) {
		session_garbage(p, now, fault);
		return;
	}
	p->status.last_ack = now;
	outbox_ack(&p->outbox, &held, now);
	if (window_ack(&p->window, &held)) {
		p->progress = now;
		p->stalls = 0;
		session_progress(p, now);
	} else if (!outbox_owes(&p->outbox)) {
		session_progress(p, now);
	}
	session_hold_review(p, now);
	if (why == ACK_OUT_OF_ORDER)
		session_all_again(p);
	else if (why == ACK_NEED_STATES)
		session_hold_samples(p, now);
}

static void on_pong(struct push *p, const struct envelope *e,
		    struct cursor *body, struct mono now)
{
	(void)e;
	(void)cursor_be64(body);
	if (!cursor_ok(body) || cursor_left(body) > 0)
		session_garbage(p, now, "a PONG with a wrong length");
}

static void on_session_unknown(struct push *p, const struct envelope *e,
			       struct cursor *body, struct mono now)
{
	(void)e;
	(void)body;
	session_reason(p, "the collector restarted");
	session_end(p, now);
}

/* The text comes from a peer: makes it fit for a terminal. */
static void on_refused(struct push *p, const struct envelope *e,
		       struct cursor *body, struct mono now)
{
	char text[96];
	size_t n = cursor_left(body);
	const uint8_t *octets = cursor_bytes(body, n);

	(void)e;
	clean_octets(text, sizeof(text), (const char *)octets, octets ? n : 0);
	session_reason(p, "the collector refuses: %s", text);
	if (p->failures == 0)
		p->failures = 1;	/* do not retry at once */
	session_end(p, now);
}

struct frame_rule {
	frame_fn *fn;
	bool in_session;	/* valid only with the session's number */
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

/* REFUSED answers the frame sent last. */
static bool is_current(const struct push *p, const struct envelope *e)
{
	const struct sealed *s = initiator_sealed(p->env.sealed);

	if (p->state == PUSH_OPEN)
		return e->session == p->session;
	return e->kind == FRAME_REFUSED && e->session == (s ? s->session : 0);
}

void response_take(struct push *p, const struct envelope *e,
		   struct cursor *body, struct mono now)
{
	const struct frame_rule *rule = frame_rule(e->kind);

	if (!rule) {
		session_garbage(p, now, "a frame that only agents send");
		return;
	}
	if (rule->in_session && !is_current(p, e))
		return;		/* late, of an earlier session */
	p->heard = now;
	rule->fn(p, e, body, now);
}
