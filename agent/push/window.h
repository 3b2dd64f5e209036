/* What is sent and not yet acknowledged, stream by stream: next sequence,
 * acknowledged sequence, octets under way. Bounded in octets and in frames, and
 * by a rate; when full nothing more is sent, and nothing is dropped here.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "petrel/wire.h"

#define WINDOW_FLIGHTS_MAX 512u	/* frames of one stream under way */

/* The part of one frame that belongs to one stream. */
struct window_flight {
	uint64_t last;		/* sequence */
	uint32_t octets;
};

struct window_stream {
	uint64_t next;		/* sequence to be sent next */
	uint64_t acked;		/* durable at the collector */
	unsigned head, count;
	struct window_flight flight[WINDOW_FLIGHTS_MAX];
};

struct window {
	uint64_t limit_octets;
	uint64_t in_flight_octets;
	uint64_t rate_octets;	/* a second; 0: any */
	int64_t allowed_octets;	/* by the rate; below 0 after a frame */
	struct mono allowed_at;
	struct window_stream stream[STREAM_COUNT];
};

/* Nothing is under way; window_begin() follows. */
void window_init(struct window *w, uint64_t limit_octets,
		 uint64_t rate_octets);

/* A session begins: the collector holds all up to these. */
void window_begin(struct window *w, const struct positions *held);

/* True while one more frame may be sent; at least one always may. */
bool window_is_open(const struct window *w);

/* One frame may pass the rate; what it took is made good before the next. */
bool window_rate_allows(struct window *w, struct mono now);
/* So many octets went out. */
void window_rate_take(struct window *w, size_t octets);

/* Records of a stream up to last went out in a frame, octets long. */
void window_sent(struct window *w, enum stream stream, uint64_t last,
		 uint32_t octets);

/* Cumulative. Positions behind what is acknowledged are old news.
 * Returns whether anything moved.
 */
bool window_ack(struct window *w, const struct positions *held);

/* Sends the stream again from behind what is acknowledged. */
void window_rewind(struct window *w, enum stream stream);
/* The same for all streams. */
void window_rewind_all(struct window *w);
