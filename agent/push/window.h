/* What is sent and not yet acknowledged, per stream: next sequence,
 * acknowledged sequence, octets in flight. Limited in octets, in frames, and by
 * a rate; when full nothing more is sent, and nothing is dropped here.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "petrel/wire.h"

#define WINDOW_FLIGHTS_MAX 512u	/* frames of one stream in flight */

/* The part of one frame that belongs to one stream. */
struct window_flight {
	uint64_t last;		/* sequence */
	uint32_t octets;
};

struct window_stream {
	uint64_t next;		/* next sequence to send */
	uint64_t acked;		/* durable at the collector */
	unsigned head, count;
	struct window_flight flight[WINDOW_FLIGHTS_MAX];
};

struct window {
	uint64_t limit_octets;
	uint64_t in_flight_octets;
	uint64_t rate_octets;	/* per second; 0: any */
	int64_t allowed_octets;	/* by the rate; negative after a frame */
	struct mono allowed_at;
	struct window_stream stream[STREAM_COUNT];
};

/* Nothing is in flight; window_begin() follows. */
void window_init(struct window *w, uint64_t limit_octets,
		 uint64_t rate_octets);

/* A session begins: the collector holds all up to these positions. */
void window_begin(struct window *w, const struct positions *held);

/* True while one more frame may be sent; at least one always may. */
bool window_is_open(const struct window *w);

/* One frame may exceed the rate; that is made up for before the next. */
bool window_rate_allows(struct window *w, struct mono now);
/* So many octets were sent. */
void window_rate_take(struct window *w, size_t octets);

/* Records of a stream up to last were sent in a frame, octets long. */
void window_sent(struct window *w, enum stream stream, uint64_t last,
		 uint32_t octets);

/* Cumulative. Ignores positions before the acknowledged one. Returns whether
 * anything moved.
 */
bool window_ack(struct window *w, const struct positions *held);

/* Sends the stream again from after the acknowledged position. */
void window_rewind(struct window *w, enum stream stream);
/* The same for all streams. */
void window_rewind_all(struct window *w);
