/* The session of a push: how it begins, ends, and what holds it up. Only for
 * push.c, which drives it, and response.c, which handles incoming frames.
 */
#pragma once

#include "agent/push/outbox.h"
#include "agent/push/packer.h"
#include "agent/push/push_env.h"
#include "agent/push/window.h"

enum push_state { PUSH_WAITING, PUSH_GREETING, PUSH_OPEN };

struct push {
	struct push_env env;
	enum push_state state;
	uint8_t version;	/* used until the session ends */
	uint64_t session;
	struct mono due;	/* WAITING: say HELLO; GREETING: give up */
	struct mono unheard;	/* WAITING: nobody took HELLO since; 0: no */
	unsigned failures;	/* in a row */
	/* OPEN: */
	struct mono heard, ping_due;
	struct mono progress;	/* when positions last moved */
	unsigned stalls;	/* in a row */
	bool samples_held;	/* until states_wanted is acknowledged */
	uint64_t states_wanted;
	struct mono hold_ends;
	struct outbox outbox;
	struct window window;
	struct packer packer;
	struct push_status status;
	uint64_t gap_told[STREAM_COUNT];	/* highest last of a gap */
	size_t unsent;		/* octets of frame not sent yet */
	uint8_t frame[WIRE_FRAME_MAX];
};

/* The version in which a session begins. */
uint8_t session_version(const struct push *p);
/* How long the collector may be silent before it counts as gone. */
int64_t session_silence_ns(const struct push *p);

/* Sets why nothing is sent. */
__attribute__((format(printf, 2, 3)))
void session_reason(struct push *p, const char *format, ...);
/* All or some of what was owed was acknowledged. */
void session_progress(struct push *p, struct mono now);

/* Begins with the collector's positions. */
void session_begin(struct push *p, const struct positions *held,
		   struct mono now);
/* Ends it; another one begins after a wait, which grows with each failure. */
void session_end(struct push *p, struct mono now);
/* The same, if the connection itself may be broken. */
void session_break(struct push *p, struct mono now);
/* The same, because the collector sent garbage. */
void session_garbage(struct push *p, struct mono now, const char *what);
/* Makes the connection anew. */
void session_renew(struct push *p);

/* Completes a frame whose body follows the room for its envelope. Returns its
 * octets.
 */
size_t session_frame_close(struct push *p, enum frame_kind kind,
			   uint8_t *frame, size_t body_len);
/* Sends a small frame. Returns as the send() of struct push_env. */
int session_frame_send(struct push *p, enum frame_kind kind,
		       const struct writer *body);

/* The collector wants the states again. */
void session_want_snapshot(struct push *p);
/* The collector lacks the dictionary of the next samples: they wait until it
 * has the existing states, or, if it has them all, a new snapshot.
 */
void session_hold_samples(struct push *p, struct mono now);
/* Whether they still have to wait. */
void session_hold_review(struct push *p, struct mono now);
/* Sends again what was sent, and is not acknowledged. */
void session_all_again(struct push *p);
