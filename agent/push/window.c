#include "agent/push/window.h"

#include <assert.h>

#define RATE_SAVED_MS 60000	/* most time that is credited */

void window_init(struct window *w, uint64_t limit_octets, uint64_t rate_octets)
{
	*w = (struct window){ .limit_octets = limit_octets,
			      .rate_octets = rate_octets };
}

bool window_rate_allows(struct window *w, struct mono now)
{
	int64_t rate = (int64_t)w->rate_octets;
	int64_t ms = mono_diff_ns(now, w->allowed_at) / NS_PER_MS;

	if (rate == 0)
		return true;
	if (ms >= 1000 || ms * rate / 1000 > 0) {
		w->allowed_octets += ms >= RATE_SAVED_MS ?
				     RATE_SAVED_MS * rate / 1000 :
				     ms * rate / 1000;
		w->allowed_at = now;
	}
	if (w->allowed_octets > rate)
		w->allowed_octets = rate;
	return w->allowed_octets > 0;
}

void window_rate_take(struct window *w, size_t octets)
{
	w->allowed_octets -= (int64_t)octets;
}

void window_begin(struct window *w, const struct positions *held)
{
	w->in_flight_octets = 0;
	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		struct window_stream *s = &w->stream[i];

		s->acked = held->last[i];
		s->next = s->acked + 1;
		s->head = s->count = 0;
	}
}

bool window_is_open(const struct window *w)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (w->stream[i].count == WINDOW_FLIGHTS_MAX)
			return false;
	return w->in_flight_octets < w->limit_octets ||
	       w->in_flight_octets == 0;
}

void window_sent(struct window *w, enum stream stream, uint64_t last,
		 uint32_t octets)
{
	struct window_stream *s = &w->stream[stream];
	unsigned at = (s->head + s->count) % WINDOW_FLIGHTS_MAX;

	assert(s->count < WINDOW_FLIGHTS_MAX && last >= s->next);
	s->flight[at] = (struct window_flight){ .last = last,
						.octets = octets };
	s->count++;
	s->next = last + 1;
	w->in_flight_octets += octets;
}

static void flight_forget(struct window *w, struct window_stream *s)
{
	w->in_flight_octets -= s->flight[s->head].octets;
	s->head = (s->head + 1) % WINDOW_FLIGHTS_MAX;
	s->count--;
}

bool window_ack(struct window *w, const struct positions *held)
{
	bool moved = false;

	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		struct window_stream *s = &w->stream[i];

		if (held->last[i] <= s->acked)
			continue;
		moved = true;
		s->acked = held->last[i];
		while (s->count > 0 && s->flight[s->head].last <= s->acked)
			flight_forget(w, s);
		if (s->next <= s->acked)	/* the first copy arrived */
			s->next = s->acked + 1;
	}
	return moved;
}

void window_rewind(struct window *w, enum stream stream)
{
	struct window_stream *s = &w->stream[stream];

	while (s->count > 0)
		flight_forget(w, s);
	s->next = s->acked + 1;
}

void window_rewind_all(struct window *w)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		window_rewind(w, i);
}
