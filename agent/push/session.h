/* The session of a push: how it begins, ends, and what holds it up. For push.c,
 * which drives it, and response.c, which takes what the collector says, alone.
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

/* The version in which a session begins. */
uint8_t session_version(const struct push *p);
/* That long without a word, and the collector is gone. */
int64_t session_silence_ns(const struct push *p);

/* Why nothing gets away. */
__attribute__((format(printf, 2, 3)))
void session_reason(struct push *p, const char *format, ...);
/* What was owed is delivered, all or some of it. */
void session_progress(struct push *p, struct mono now);

/* Begins with what the collector holds. */
void session_begin(struct push *p, const struct positions *held,
		   struct mono now);
/* Another one begins after a while, which grows with each failure. */
void session_end(struct push *p, struct mono now);
/* The same, where the connection itself is doubted. */
void session_break(struct push *p, struct mono now);
/* The same, for the collector says what is none. */
void session_garbage(struct push *p, struct mono now, const char *what);
/* Makes the connection anew. */
void session_renew(struct push *p);

/* Closes a frame whose body stands behind the room for its envelope. Returns
 * its octets.
 */
size_t session_frame_close(struct push *p, enum frame_kind kind,
			   uint8_t *frame, size_t body_len);
/* Sends a small frame. Returns as the send() of struct push_env. */
int session_frame_send(struct push *p, enum frame_kind kind,
		       const struct writer *body);

/* The collector wants the states anew. */
void session_want_snapshot(struct push *p);
/* The collector lacks the dictionary of the next samples: they wait until it
 * has the states that are there, or, when it has them all, a new snapshot.
 */
void session_hold_samples(struct push *p, struct mono now);
/* Whether they still have to. */
void session_hold_review(struct push *p, struct mono now);
/* What was sent, and is not acknowledged, is sent once more. */
void session_all_again(struct push *p);
