/* C10, the agent's half: one test per arrow of push.c's state machine, with a
 * ring, a wire and a clock that the test owns.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <limits.h>

#include "agent/push/push.h"
#include "agent/record/encode.h"

#define HEARTBEAT_NS NS_PER_S
#define SESSION 77u
#define SENT_MAX 256
#define RUN 0xabcdef

/* --- a ring of records that are all alike --------------------------------- */

struct ring {
	enum stream stream;
	uint64_t first, next, acked;
	uint64_t marks[RING_MARKS];
	size_t payload_len;
	uint64_t rotten;	/* this sequence has a bad CRC */
	uint64_t unreadable;	/* nothing can be read of this one */
};

size_t ring_bytes(const struct ring *r)
{
	(void)r;
	return 64u << 20;
}

uint64_t ring_acked(const struct ring *r, unsigned n)
{
	assert_int_equal(n, 0);
	return r->acked;
}

uint64_t ring_first(const struct ring *r)
{
	return r->first;
}

uint64_t ring_next(const struct ring *r)
{
	return r->next;
}

uint64_t ring_mark(const struct ring *r, enum ring_mark mark)
{
	return r->marks[mark];
}

void ring_mark_set(struct ring *r, enum ring_mark mark, uint64_t value)
{
	r->marks[mark] = value;
}

void ring_ack(struct ring *r, unsigned n, uint64_t sequence)
{
	assert_int_equal(n, 0);
	r->acked = sequence;
}

int ring_read(const struct ring *r, uint64_t sequence, uint64_t *hint,
	      void *ret, size_t cap)
{
	static const uint8_t payload[RECORD_PAYLOAD_MAX];
	struct writer w = writer_of(ret, cap);
	struct record_header h = { .length = (uint32_t)r->payload_len,
				   .stream = (uint8_t)r->stream,
				   .kind = RECORD_EVENT,
				   .sequence = sequence, .last = sequence };

	(void)hint;
	if (sequence >= r->next)
		return -EAGAIN;
	if (sequence < r->first)
		return -ESTALE;
	if (sequence == r->unreadable)
		return -EBADMSG;
	record_write(&w, &h, payload);
	if (!writer_ok(&w))
		return -ENOBUFS;
	if (sequence == r->rotten)
		((uint8_t *)ret)[w.pos - 1] ^= 1;
	return (int)w.pos;
}

size_t gap_encode(enum stream stream, uint64_t first, uint64_t last, void *ret,
		  size_t cap)
{
	struct writer w = writer_of(ret, cap);

	writer_u8(&w, (uint8_t)stream);
	writer_be64(&w, first);
	writer_be64(&w, last);
	return w.pos;
}

/* --- the wire ------------------------------------------------------------- */

struct sent {
	struct envelope envelope;
	size_t len;
	uint8_t body[WIRE_FRAME_MAX];
};

struct world {
	struct push_env env;	/* that push was made of */
	struct ring ring[STREAM_COUNT];
	struct ring_set set;
	struct push *push;
	struct mono now;
	int send_result;
	unsigned reconnects;
	uint64_t chance;
	uint8_t version;	/* that the collector speaks */
	size_t flipped;		/* this bit of its next frame; 0: none */
	const char *words;
	unsigned sent_count;
	struct sent *sent;	/* SENT_MAX */
};

static int world_send(void *context, const void *frame, size_t len)
{
	struct world *w = context;
	struct cursor c = cursor_of(frame, len);
	struct sent *s = &w->sent[w->sent_count];

	if (w->send_result < 0)
		return w->send_result;
	assert_true(w->sent_count < SENT_MAX);
	assert_true(len <= WIRE_FRAME_MAX - WIRE_TAG_LEN);
	assert_int_equal(envelope_read(&c, &s->envelope), 0);
	s->len = cursor_left(&c);
	memcpy(s->body, cursor_bytes(&c, s->len), s->len);
	w->sent_count++;
	return 0;
}

static void world_reconnect(void *context)
{
	((struct world *)context)->reconnects++;
}

static const char *world_words(void *context, struct mono now)
{
	const struct world *w = context;

	assert_int_equal(now.ns, w->now.ns);
	return w->words;
}

static uint64_t world_random(void *context)
{
	return ((struct world *)context)->chance;
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct push_env env = { .switch_name = "leaf1", .switch_id = "SN42",
				.window_octets = 100000,
				.heartbeat_ns = HEARTBEAT_NS,
				.send = world_send,
				.reconnect = world_reconnect,
				.network_words = world_words,
				.random = world_random };

	w->sent = calloc(SENT_MAX, sizeof(*w->sent));
	w->now = (struct mono){ 1000 * NS_PER_S };
	w->set.run = RUN;
	w->set.previous_run = 9;
	w->version = WIRE_VERSION;
	w->chance = 12345;
	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		w->ring[i] = (struct ring){ .stream = i, .first = 1,
					    .next = 1, .payload_len = 100 };
		w->set.ring[i] = &w->ring[i];
	}
	env.rings = &w->set;
	env.context = w;
	w->env = env;
	assert_int_equal(push_new(&env, &w->push), 0);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	push_free(w->push);
	free(w->sent);
	free(w);
	return 0;
}

static struct mono run_push(struct world *w)
{
	return push_run(w->push, w->now);
}

static void pass(struct world *w, int64_t ns)
{
	w->now.ns += ns;
	(void)run_push(w);
}

static void answer(struct world *w, enum frame_kind kind, uint64_t session,
		   const struct writer *body)
{
	uint8_t frame[1024];
	struct writer out = writer_of(frame, sizeof(frame));
	struct envelope e = { .version = w->version, .kind = (uint8_t)kind,
			      .session = session,
			      .length = (uint32_t)body->pos };

	envelope_write(&out, &e, body->data);
	writer_bytes(&out, body->data, body->pos);
	assert_true(writer_ok(&out));
	if (w->flipped)
		frame[w->flipped / 8] ^= (uint8_t)(1u << w->flipped % 8);
	w->flipped = 0;
	push_receive(w->push, frame, out.pos, w->now);
	(void)run_push(w);
}

static void positions(struct world *w, enum frame_kind kind, uint64_t findings,
		      uint64_t states, uint64_t samples, int why)
{
	uint8_t octets[64];
	struct writer body = writer_of(octets, sizeof(octets));
	struct positions p = { { findings, states, samples } };

	positions_write(&body, &p);
	if (kind == FRAME_ACK)
		writer_u8(&body, (uint8_t)why);
	answer(w, kind, SESSION, &body);
}

static void nothing(struct world *w, enum frame_kind kind, uint64_t session)
{
	uint8_t octets[8];
	struct writer body = writer_of(octets, sizeof(octets));

	answer(w, kind, session, &body);
}

static void open_session(struct world *w)
{
	(void)run_push(w);
	positions(w, FRAME_WELCOME, 0, 0, 0, 0);
}

static unsigned count_kind(const struct world *w, enum frame_kind kind)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->sent_count; i++)
		n += w->sent[i].envelope.kind == kind;
	return n;
}

/* How many records of a stream were sent, up to n; *ret is the last of them. */
static unsigned records_up_to(const struct world *w, enum stream stream,
			      unsigned n, struct record_header *ret)
{
	unsigned found = 0;

	for (unsigned i = 0; i < w->sent_count; i++) {
		struct cursor c = cursor_of(w->sent[i].body, w->sent[i].len);
		const uint8_t *payload;

		if (w->sent[i].envelope.kind != FRAME_DATA)
			continue;
		while (cursor_left(&c) > 0) {
			assert_int_equal(record_read(&c, ret, &payload), 0);
			if (ret->stream == stream && ++found == n)
				return n;
		}
	}
	return found;
}

/* The nth record of a stream in all that was sent; false when there is none. */
static bool nth_record(const struct world *w, enum stream stream, unsigned n,
		       struct record_header *ret)
{
	return records_up_to(w, stream, n + 1, ret) == n + 1;
}

static unsigned count_records(const struct world *w, enum stream stream)
{
	struct record_header h;

	return records_up_to(w, stream, UINT_MAX, &h);
}

static struct push_status status(const struct world *w)
{
	struct push_status s;

	push_status(w->push, &s);
	return s;
}

static uint64_t snapshots_wanted(const struct world *w)
{
	return w->ring[STREAM_STATES].marks[RING_MARK_SNAPSHOT_WANTED];
}

/* --- the arrows ----------------------------------------------------------- */

static void test_c10_hello_names_run_and_switch_and_carries_no_record(void **st)
{
	struct world *w = *st;
	struct cursor c;

	w->ring[STREAM_STATES].next = 5;

	(void)run_push(w);

	assert_int_equal(w->sent_count, 1);
	assert_int_equal(w->sent[0].envelope.kind, FRAME_HELLO);
	c = cursor_of(w->sent[0].body, w->sent[0].len);
	assert_int_equal(cursor_be64(&c), RUN);
	assert_int_equal(cursor_u8(&c), 5);
	assert_memory_equal(cursor_bytes(&c, 5), "leaf1", 5);
	assert_int_equal(cursor_be64(&c), 9);
	assert_int_equal(cursor_u8(&c), 4);
	assert_memory_equal(cursor_bytes(&c, 4), "SN42", 4);
	assert_int_equal(cursor_left(&c), 0);
}

static void test_push_says_hello_again_when_it_is_lost(void **st)
{
	struct world *w = *st;

	(void)run_push(w);
	pass(w, 3 * HEARTBEAT_NS - 1);
	assert_int_equal(count_kind(w, FRAME_HELLO), 1);
	pass(w, 1);

	assert_int_equal(w->reconnects, 1);
	assert_int_equal(count_kind(w, FRAME_HELLO), 2);
	assert_non_null(strstr(status(w).reason, "HELLO"));
}

static void test_push_waits_longer_after_each_failure(void **st)
{
	struct world *w = *st;
	int64_t waits[3];

	(void)run_push(w);
	pass(w, 3 * HEARTBEAT_NS);	/* first: at once */
	for (unsigned i = 0; i < 3; i++) {
		w->now.ns += 3 * HEARTBEAT_NS;
		waits[i] = mono_diff_ns(run_push(w), w->now);
		w->now.ns += waits[i];
		(void)run_push(w);
	}

	assert_true(waits[0] >= 125 * NS_PER_MS);
	assert_true(waits[1] > waits[0]);
	assert_true(waits[2] > waits[1]);
}

/* A thousand agents whose collector fell do not come back at once. */
static void test_push_waits_are_drawn(void **st)
{
	const int64_t drawn_ns[] = { 0, 20 * NS_PER_MS, 90 * NS_PER_MS };
	int64_t waits[3];

	for (unsigned i = 0; i < 3; i++) {
		struct world *w = *st;

		w->chance = (uint64_t)drawn_ns[i];
		push_free(w->push);
		assert_int_equal(push_new(&w->env, &w->push), 0);
		(void)run_push(w);
		pass(w, 3 * HEARTBEAT_NS);
		w->now.ns += 3 * HEARTBEAT_NS;
		waits[i] = mono_diff_ns(run_push(w), w->now);
	}
	assert_int_equal(waits[1] - waits[0], 20 * NS_PER_MS);
	assert_int_equal(waits[2] - waits[0], 90 * NS_PER_MS);
}

static void test_push_retries_soon_while_nobody_is_there(void **st)
{
	struct world *w = *st;

	w->send_result = -EAGAIN;
	(void)run_push(w);
	assert_false(status(w).connected);
	w->send_result = 0;
	pass(w, 50 * NS_PER_MS);

	assert_int_equal(count_kind(w, FRAME_HELLO), 1);
	assert_int_equal(w->reconnects, 0);
}

static void test_push_goes_on_behind_what_welcome_says(void **st)
{
	struct world *w = *st;
	struct record_header h;

	w->ring[STREAM_FINDINGS].next = 11;
	(void)run_push(w);
	positions(w, FRAME_WELCOME, 7, 0, 0, 0);

	assert_true(status(w).connected);
	assert_string_equal(status(w).reason, "");
	assert_true(nth_record(w, STREAM_FINDINGS, 0, &h));
	assert_int_equal(h.sequence, 8);
	assert_int_equal(count_records(w, STREAM_FINDINGS), 3);
	assert_int_equal(w->ring[STREAM_FINDINGS].acked, 7);
}

static void test_push_takes_no_welcome_beyond_the_ring(void **st)
{
	struct world *w = *st;

	w->ring[STREAM_FINDINGS].next = 11;
	(void)run_push(w);
	positions(w, FRAME_WELCOME, 11, 0, 0, 0);

	assert_false(status(w).connected);
	assert_int_equal(w->reconnects, 1);
	assert_non_null(strstr(status(w).reason, "invalid answer"));
}

static void test_push_sends_findings_before_states_before_samples(void **st)
{
	struct world *w = *st;
	enum stream seen = STREAM_FINDINGS;
	struct cursor c;

	for (unsigned i = 0; i < STREAM_COUNT; i++)
		w->ring[i].next = 4;
	open_session(w);

	c = cursor_of(w->sent[1].body, w->sent[1].len);
	while (cursor_left(&c) > 0) {
		struct record_header h;
		const uint8_t *payload;

		assert_int_equal(record_read(&c, &h, &payload), 0);
		assert_true(h.stream >= seen);
		seen = h.stream;
	}
	assert_int_equal(seen, STREAM_SAMPLES);
}

static void test_push_lets_samples_through_a_flood_of_findings(void **st)
{
	struct world *w = *st;

	w->ring[STREAM_FINDINGS].next = 100000;
	w->ring[STREAM_SAMPLES].next = 100000;
	open_session(w);

	assert_true(count_records(w, STREAM_SAMPLES) > 50);
	assert_true(count_records(w, STREAM_FINDINGS) >
		    4 * count_records(w, STREAM_SAMPLES));
}

static void test_push_keeps_to_its_window(void **st)
{
	struct world *w = *st;
	unsigned before;

	w->ring[STREAM_SAMPLES].next = 100000;
	open_session(w);
	before = w->sent_count;
	assert_true(status(w).in_flight_octets >= 100000);
	assert_true(status(w).in_flight_octets < 100000 + WIRE_FRAME_MAX);
	(void)run_push(w);
	assert_int_equal(w->sent_count, before);

	positions(w, FRAME_ACK, 0, 0, 900, ACK_DURABLE);

	assert_true(w->sent_count > before);
	assert_int_equal(w->ring[STREAM_SAMPLES].acked, 900);
}

static void test_push_sends_nothing_twice_while_all_goes_well(void **st)
{
	struct world *w = *st;
	struct record_header h;

	open_session(w);
	for (unsigned i = 1; i <= 50; i++) {
		w->ring[STREAM_STATES].next++;
		pass(w, 10 * NS_PER_MS);
		positions(w, FRAME_ACK, 0, i, 0, ACK_DURABLE);
	}

	assert_int_equal(count_records(w, STREAM_STATES), 50);
	for (unsigned i = 0; i < 50; i++) {
		assert_true(nth_record(w, STREAM_STATES, i, &h));
		assert_int_equal(h.sequence, i + 1);
	}
	assert_int_equal(status(w).in_flight_octets, 0);
}

static void test_c18_ack_of_less_than_before_ends_the_session(void **st)
{
	struct world *w = *st;

	w->ring[STREAM_STATES].next = 11;
	open_session(w);
	positions(w, FRAME_ACK, 0, 8, 0, ACK_DURABLE);
	positions(w, FRAME_ACK, 0, 3, 0, ACK_DURABLE);

	assert_int_equal(w->ring[STREAM_STATES].acked, 8);
	assert_false(status(w).connected);
	assert_int_equal(count_kind(w, FRAME_HELLO), 2);
}

/* It is in the ring, but it was never sent: that would be lost in silence. */
static void test_c18_ack_of_what_was_not_sent_ends_the_session(void **st)
{
	struct world *w = *st;
	unsigned before;

	w->ring[STREAM_SAMPLES].next = 100000;
	open_session(w);
	before = count_records(w, STREAM_SAMPLES);
	positions(w, FRAME_ACK, 0, 0, before + 1, ACK_DURABLE);

	assert_false(status(w).connected);
	assert_int_equal(w->ring[STREAM_SAMPLES].acked, 0);
	assert_non_null(strstr(status(w).reason, "never sent"));
	pass(w, NS_PER_S);
	positions(w, FRAME_WELCOME, 0, 0, 0, 0);
	assert_true(status(w).connected);
	positions(w, FRAME_ACK, 0, 0, before, ACK_DURABLE);
	assert_int_equal(w->ring[STREAM_SAMPLES].acked, before);
}

static void test_c18_welcome_of_what_was_not_sent_is_garbage(void **st)
{
	struct world *w = *st;

	w->ring[STREAM_STATES].next = 100000;
	w->ring[STREAM_STATES].marks[RING_MARK_SENT] = 6;
	(void)run_push(w);
	positions(w, FRAME_WELCOME, 0, 6, 0, 0);
	assert_false(status(w).connected);
	assert_non_null(strstr(status(w).reason, "never sent"));
	pass(w, NS_PER_S);
	positions(w, FRAME_WELCOME, 0, 5, 0, 0);

	assert_true(status(w).connected);
	assert_int_equal(w->ring[STREAM_STATES].marks[RING_MARK_SENT],
			 6 + count_records(w, STREAM_STATES));
}

/* A sender before this one sent them, and a kill took the answer. */
static void test_c18_welcome_of_what_another_sender_sent_is_good(void **st)
{
	struct world *w = *st;

	w->ring[STREAM_STATES].next = 300;
	w->ring[STREAM_STATES].marks[RING_MARK_SENT] = 201;
	w->ring[STREAM_STATES].acked = 100;
	(void)run_push(w);
	positions(w, FRAME_WELCOME, 0, 200, 0, 0);

	assert_true(status(w).connected);
	assert_int_equal(w->ring[STREAM_STATES].acked, 200);
}

static void test_c10_damaged_frame_is_thrown_away_and_counted(void **st)
{
	struct world *w = *st;

	w->ring[STREAM_STATES].next = 1001;
	open_session(w);
	for (size_t bit = 40; bit < 8 * (ENVELOPE_LEN + 25); bit++) {
		w->flipped = bit;
		positions(w, FRAME_ACK, 0, 3, 0, ACK_DURABLE);
	}

	assert_true(status(w).connected);
	assert_int_equal(w->ring[STREAM_STATES].acked, 0);
	assert_int_equal(status(w).damaged, 8 * (ENVELOPE_LEN + 25) - 40);
	positions(w, FRAME_ACK, 0, 3, 0, ACK_DURABLE);
	assert_int_equal(w->ring[STREAM_STATES].acked, 3);
}

/* As a collector of version 1 does it: what it cannot read has no session. */
static void test_c10_old_collector_is_greeted_in_its_version(void **st)
{
	static char text[] = "a frame of another version than 1";
	struct writer body = writer_of(text, sizeof(text));
	struct world *w = *st;
	struct cursor c;

	body.pos = strlen(text);
	w->ring[STREAM_STATES].next = 4;
	w->version = 1;
	(void)run_push(w);
	assert_int_equal(w->sent[0].envelope.version, 2);
	answer(w, FRAME_REFUSED, 0, &body);

	assert_int_equal(w->sent_count, 2);
	assert_int_equal(w->sent[1].envelope.kind, FRAME_HELLO);
	assert_int_equal(w->sent[1].envelope.version, 1);
	c = cursor_of(w->sent[1].body, w->sent[1].len);
	assert_int_equal(cursor_left(&c), 8 + 1 + 5 + 8);
	positions(w, FRAME_WELCOME, 0, 0, 0, 0);
	assert_int_equal(count_records(w, STREAM_STATES), 3);
	assert_int_equal(w->sent[2].envelope.version, 1);
	positions(w, FRAME_ACK, 0, 3, 0, ACK_DURABLE);
	assert_int_equal(w->ring[STREAM_STATES].acked, 3);

	/* it was upgraded: the next session begins with 2 again */
	nothing(w, FRAME_SESSION_UNKNOWN, SESSION);
	assert_int_equal(w->sent[w->sent_count - 1].envelope.version, 2);
	w->version = 2;
	positions(w, FRAME_WELCOME, 0, 3, 0, 0);
	assert_true(status(w).connected);
}

static void test_c10_old_collector_that_refuses_is_believed(void **st)
{
	static char text[] = "no room for another switch";
	struct writer body = writer_of(text, sizeof(text));
	struct world *w = *st;

	body.pos = strlen(text);
	w->version = 1;
	(void)run_push(w);
	answer(w, FRAME_REFUSED, 0, &body);
	answer(w, FRAME_REFUSED, 0, &body);

	assert_int_equal(count_kind(w, FRAME_HELLO), 2);
	assert_non_null(strstr(status(w).reason, "no room"));
	pass(w, NS_PER_S);
	assert_int_equal(w->sent[2].envelope.version, 2);
}

static void test_c18_nobody_takes_hello_renews_the_socket(void **st)
{
	struct world *w = *st;

	w->send_result = -EAGAIN;
	(void)run_push(w);
	for (unsigned i = 0; i < 600; i++)
		pass(w, HEARTBEAT_NS / 20);
	assert_int_equal(w->reconnects, 10);	/* 30 heartbeats */
	assert_int_equal(status(w).renewals, 10);
	w->words = "Connection refused";
	pass(w, HEARTBEAT_NS / 20);
	assert_non_null(strstr(status(w).reason, "Connection refused"));
	w->send_result = 0;
	pass(w, HEARTBEAT_NS / 20);	/* and nothing lengthened the wait */

	assert_int_equal(count_kind(w, FRAME_HELLO), 1);
}

static void test_c18_answers_without_progress_renew_the_connection(void **st)
{
	struct world *w = *st;
	unsigned i;

	w->ring[STREAM_STATES].next = 11;
	w->ring[STREAM_FINDINGS].next = 2;
	open_session(w);
	for (i = 0; i < 40 && status(w).connected; i++) {
		w->ring[STREAM_FINDINGS].next++;
		pass(w, HEARTBEAT_NS / 2);	/* one stream moves, one not */
		positions(w, FRAME_ACK, i + 1, 0, 0, ACK_DURABLE);
	}

	assert_int_equal(i, 24);
	assert_int_equal(w->reconnects, 1);
	assert_non_null(strstr(status(w).reason, "acknowledges nothing"));
}

static void test_c18_idle_session_lasts(void **st)
{
	struct world *w = *st;

	w->ring[STREAM_STATES].next = 11;
	open_session(w);
	positions(w, FRAME_ACK, 0, 10, 0, ACK_DURABLE);
	for (unsigned i = 0; i < 100; i++) {
		pass(w, HEARTBEAT_NS);
		positions(w, FRAME_ACK, 0, 10, 0, ACK_DURABLE);
	}

	assert_true(status(w).connected);
	assert_int_equal(w->reconnects, 0);
	assert_int_equal(mono_diff_ns(w->now, status(w).progress), 0);
}

/* Each session opens, and the first record ends it. */
static void test_c18_refused_records_lengthen_the_wait(void **st)
{
	static char text[] = "the spool is full";
	struct writer body = writer_of(text, sizeof(text));
	struct world *w = *st;
	struct mono began = w->now;

	body.pos = strlen(text);
	w->ring[STREAM_STATES].next = 11;
	for (unsigned i = 0; i < 200; i++) {
		(void)run_push(w);
		positions(w, FRAME_WELCOME, 0, 0, 0, 0);
		answer(w, FRAME_REFUSED, SESSION, &body);
		assert_non_null(strstr(status(w).reason, "spool is full"));
		w->now.ns += 100 * NS_PER_MS;
	}

	assert_true(count_kind(w, FRAME_HELLO) < 10);	/* in 20 s */
	assert_true(status(w).progress.ns <= began.ns);
	w->now.ns += 10 * NS_PER_S;			/* never longer */
	(void)run_push(w);
	positions(w, FRAME_WELCOME, 0, 0, 0, 0);
	assert_true(status(w).connected);
	assert_non_null(strstr(status(w).reason, "spool is full"));
	positions(w, FRAME_ACK, 0, 1, 0, ACK_DURABLE);
	assert_string_equal(status(w).reason, "");
}

static void test_c18_record_that_cannot_be_read_is_a_gap(void **st)
{
	struct world *w = *st;
	struct record_header h;

	w->ring[STREAM_STATES].next = 4;
	w->ring[STREAM_STATES].unreadable = 2;
	open_session(w);

	assert_int_equal(count_records(w, STREAM_STATES), 3);
	assert_true(nth_record(w, STREAM_STATES, 1, &h));
	assert_int_equal(h.kind, RECORD_GAP);
	assert_int_equal(h.sequence, 2);
	assert_int_equal(h.last, 2);
}

static void test_push_takes_an_impossible_ack_for_garbage(void **st)
{
	struct world *w = *st;

	w->ring[STREAM_STATES].next = 11;
	open_session(w);
	positions(w, FRAME_ACK, 0, 11, 0, ACK_DURABLE);

	assert_false(status(w).connected);
	assert_int_equal(w->ring[STREAM_STATES].acked, 0);
}

static void test_push_pings_each_heartbeat(void **st)
{
	struct world *w = *st;

	open_session(w);
	for (unsigned i = 0; i < 10; i++) {
		pass(w, HEARTBEAT_NS);
		positions(w, FRAME_ACK, 0, 0, 0, ACK_DURABLE);
	}

	assert_int_equal(count_kind(w, FRAME_PING), 10);
	assert_true(status(w).connected);
}

static void test_push_gives_a_silent_collector_three_heartbeats(void **st)
{
	struct world *w = *st;

	open_session(w);
	pass(w, HEARTBEAT_NS);
	pass(w, HEARTBEAT_NS);
	assert_true(status(w).connected);
	pass(w, HEARTBEAT_NS);

	assert_false(status(w).connected);
	assert_int_equal(w->reconnects, 1);
	assert_non_null(strstr(status(w).reason, "silent"));
	pass(w, 0);
	assert_int_equal(count_kind(w, FRAME_HELLO), 2);
}

static void test_push_ends_the_session_at_a_garbage_frame(void **st)
{
	static const struct {
		const char *octets;
		size_t len;
	} bad[] = {
		{ "", 0 }, { "x", 1 },
		{ "GET / HTTP/1.1\r\n\r\n...........", 29 },
		{ "PTRL\x09\x04\0\0........\0\0\0\0\0\0\0\0", 24 },
		{ "PTRL\x01\x04\0\0........\0\0\0\x09\0\0\0\0", 24 },
	};
	struct world *w = *st;
	uint8_t frame[64];

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		w->now.ns += 100 * NS_PER_S;
		open_session(w);
		assert_true(status(w).connected);
		memcpy(frame, bad[i].octets, bad[i].len);
		push_receive(w->push, frame, bad[i].len, w->now);
		assert_false(status(w).connected);
		assert_int_equal(w->reconnects, i + 1);
	}
	w->now.ns += 100 * NS_PER_S;
	open_session(w);
	nothing(w, FRAME_DATA, SESSION);	/* only agents do */
	assert_false(status(w).connected);
}

static void test_push_greets_again_when_its_session_is_unknown(void **st)
{
	struct world *w = *st;

	open_session(w);
	nothing(w, FRAME_SESSION_UNKNOWN, SESSION + 1);	/* of another time */
	assert_true(status(w).connected);
	nothing(w, FRAME_SESSION_UNKNOWN, SESSION);

	assert_false(status(w).connected);
	assert_int_equal(w->reconnects, 0);
	assert_int_equal(count_kind(w, FRAME_HELLO), 2);
}

static void test_push_does_not_spin_on_a_collector_that_forgets(void **st)
{
	struct world *w = *st;

	for (unsigned i = 0; i < 100; i++) {
		open_session(w);
		nothing(w, FRAME_SESSION_UNKNOWN, SESSION);
	}

	assert_true(count_kind(w, FRAME_HELLO) <= 3);
}

static void test_push_tells_why_it_is_refused(void **st)
{
	struct world *w = *st;
	char text[] = "no\x1b[2Jway";
	struct writer body = writer_of(text, sizeof(text));

	body.pos = strlen(text);
	(void)run_push(w);
	answer(w, FRAME_REFUSED, 0, &body);

	assert_non_null(strstr(status(w).reason, "no?[2Jway"));
	assert_int_equal(count_kind(w, FRAME_HELLO), 1);
	pass(w, NS_PER_S);
	assert_int_equal(count_kind(w, FRAME_HELLO), 2);
}

static void test_push_rewinds_when_told_out_of_order(void **st)
{
	struct world *w = *st;
	struct record_header h;

	w->ring[STREAM_STATES].next = 11;
	open_session(w);
	assert_int_equal(count_records(w, STREAM_STATES), 10);
	positions(w, FRAME_ACK, 0, 4, 0, ACK_OUT_OF_ORDER);

	assert_int_equal(count_records(w, STREAM_STATES), 16);
	assert_true(nth_record(w, STREAM_STATES, 10, &h));
	assert_int_equal(h.sequence, 5);
}

static void test_push_sends_again_what_nobody_acknowledges(void **st)
{
	struct world *w = *st;

	w->ring[STREAM_STATES].next = 3;
	open_session(w);
	for (unsigned i = 0; i < 6; i++) {
		w->now.ns += HEARTBEAT_NS / 2;
		positions(w, FRAME_ACK, 0, 0, 0, ACK_DURABLE);
	}

	assert_true(status(w).connected);
	assert_int_equal(count_records(w, STREAM_STATES), 4);
}

static void test_push_holds_samples_until_states_moved(void **st)
{
	struct world *w = *st;

	w->ring[STREAM_STATES].next = 4;
	w->ring[STREAM_SAMPLES].next = 3;
	open_session(w);
	assert_int_equal(count_records(w, STREAM_SAMPLES), 2);
	positions(w, FRAME_ACK, 0, 1, 0, ACK_NEED_STATES);
	assert_int_equal(count_records(w, STREAM_SAMPLES), 2);
	positions(w, FRAME_ACK, 0, 2, 0, ACK_DURABLE);
	assert_int_equal(count_records(w, STREAM_SAMPLES), 2);
	positions(w, FRAME_ACK, 0, 3, 0, ACK_DURABLE);

	assert_int_equal(count_records(w, STREAM_SAMPLES), 4);
	assert_int_equal(snapshots_wanted(w), 0);
}

static void test_push_wants_a_snapshot_when_all_states_are_there(void **st)
{
	struct world *w = *st;

	w->ring[STREAM_STATES].next = 4;
	w->ring[STREAM_SAMPLES].next = 3;
	open_session(w);
	positions(w, FRAME_ACK, 0, 3, 0, ACK_NEED_STATES);

	assert_int_equal(snapshots_wanted(w), 1);
	w->ring[STREAM_STATES].next = 5;
	(void)run_push(w);
	positions(w, FRAME_ACK, 0, 4, 0, ACK_DURABLE);
	assert_int_equal(count_records(w, STREAM_SAMPLES), 4);
}

static void test_push_tries_held_samples_again_in_the_end(void **st)
{
	struct world *w = *st;

	w->ring[STREAM_STATES].next = 4;
	w->ring[STREAM_SAMPLES].next = 3;
	open_session(w);
	positions(w, FRAME_ACK, 0, 3, 0, ACK_NEED_STATES);
	for (unsigned i = 0; i < 10; i++) {
		w->now.ns += HEARTBEAT_NS;
		positions(w, FRAME_ACK, 0, 3, 0, ACK_DURABLE);
	}

	assert_int_equal(count_records(w, STREAM_SAMPLES), 4);
}

static void test_c09_gap_stands_in_the_place_of_what_it_replaces(void **st)
{
	struct world *w = *st;
	struct record_header h;

	w->ring[STREAM_SAMPLES].next = 21;
	w->ring[STREAM_SAMPLES].first = 15;
	(void)run_push(w);
	positions(w, FRAME_WELCOME, 0, 0, 9, 0);

	assert_true(nth_record(w, STREAM_SAMPLES, 0, &h));
	assert_int_equal(h.kind, RECORD_GAP);
	assert_int_equal(h.sequence, 10);
	assert_int_equal(h.last, 14);
	assert_true(nth_record(w, STREAM_SAMPLES, 1, &h));
	assert_int_equal(h.kind, RECORD_EVENT);
	assert_int_equal(h.sequence, 15);
	assert_int_equal(status(w).gap_records, 1);
}

static void test_c09_gap_never_covers_what_was_acknowledged(void **st)
{
	struct world *w = *st;
	struct record_header h;
	unsigned n;

	w->ring[STREAM_SAMPLES].next = 21;
	open_session(w);
	n = count_records(w, STREAM_SAMPLES);
	positions(w, FRAME_ACK, 0, 0, 12, ACK_DURABLE);
	w->ring[STREAM_SAMPLES].first = 18;	/* it overflowed meanwhile */
	positions(w, FRAME_ACK, 0, 0, 12, ACK_OUT_OF_ORDER);

	assert_true(nth_record(w, STREAM_SAMPLES, n, &h));
	assert_int_equal(h.kind, RECORD_GAP);
	assert_int_equal(h.sequence, 13);
	assert_int_equal(h.last, 17);
}

static void test_push_tells_a_rotten_record_as_missing(void **st)
{
	struct world *w = *st;
	struct record_header h;

	w->ring[STREAM_STATES].next = 4;
	w->ring[STREAM_STATES].rotten = 2;
	open_session(w);

	assert_true(nth_record(w, STREAM_STATES, 1, &h));
	assert_int_equal(h.kind, RECORD_GAP);
	assert_int_equal(h.sequence, 2);
	assert_int_equal(h.last, 2);
	assert_int_equal(count_records(w, STREAM_STATES), 3);
}

static void test_push_wants_a_snapshot_for_a_new_collector(void **st)
{
	struct world *w = *st;

	w->ring[STREAM_STATES].next = 30;
	w->ring[STREAM_STATES].first = 20;
	open_session(w);

	assert_true(snapshots_wanted(w) > 0);
}

static void test_push_keeps_a_frame_that_found_no_room(void **st)
{
	struct world *w = *st;
	struct mono due;

	open_session(w);
	w->ring[STREAM_FINDINGS].next = 3;
	w->send_result = -EAGAIN;
	due = run_push(w);
	assert_true(mono_diff_ns(due, w->now) <= 10 * NS_PER_MS);
	w->send_result = 0;
	pass(w, 5 * NS_PER_MS);

	assert_int_equal(count_records(w, STREAM_FINDINGS), 2);
}

static void test_push_makes_the_connection_anew_when_send_fails(void **st)
{
	struct world *w = *st;

	open_session(w);
	w->ring[STREAM_FINDINGS].next = 3;
	w->send_result = -ECONNRESET;
	(void)run_push(w);

	assert_int_equal(w->reconnects, 1);
	assert_false(status(w).connected);
}

static void test_push_carries_the_largest_record(void **st)
{
	struct world *w = *st;
	struct record_header h;

	w->ring[STREAM_FINDINGS].next = 3;
	w->ring[STREAM_FINDINGS].payload_len = RECORD_PAYLOAD_MAX;
	open_session(w);

	assert_true(nth_record(w, STREAM_FINDINGS, 1, &h));
	assert_int_equal(h.length, RECORD_PAYLOAD_MAX);
	assert_int_equal(w->sent[1].len, WIRE_BODY_MAX);
}

static void test_push_keeps_its_rate(void **state)
{
	struct world *w = *state;

	w->env.rate_octets = 20000;
	push_free(w->push);
	assert_int_equal(push_new(&w->env, &w->push), 0);
	w->ring[STREAM_SAMPLES].next = 2000;
	open_session(w);
	for (unsigned i = 0; i < 40; i++) {
		pass(w, NS_PER_S / 4);
		positions(w, FRAME_ACK, 0, 0,
			  count_records(w, STREAM_SAMPLES), ACK_DURABLE);
	}
	/* ten seconds; a second may be saved, and a frame be too much */
	assert_in_range(status(w).sent_octets, 10 * 20000 - 66000,
			10 * 20000 + 20000 + 66000);
	/* a finding goes with the next frame */
	w->ring[STREAM_FINDINGS].next = 2;
	for (unsigned i = 0; i < 16; i++) {
		pass(w, NS_PER_S / 4);
		positions(w, FRAME_ACK, 0, 0,
			  count_records(w, STREAM_SAMPLES), ACK_DURABLE);
	}
	assert_int_equal(count_records(w, STREAM_FINDINGS), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_push_keeps_its_rate),
		TEST(test_c10_hello_names_run_and_switch_and_carries_no_record),
		TEST(test_push_says_hello_again_when_it_is_lost),
		TEST(test_push_waits_longer_after_each_failure),
		TEST(test_push_waits_are_drawn),
		TEST(test_push_retries_soon_while_nobody_is_there),
		TEST(test_push_goes_on_behind_what_welcome_says),
		TEST(test_push_takes_no_welcome_beyond_the_ring),
		TEST(test_push_sends_findings_before_states_before_samples),
		TEST(test_push_lets_samples_through_a_flood_of_findings),
		TEST(test_push_keeps_to_its_window),
		TEST(test_push_sends_nothing_twice_while_all_goes_well),
		TEST(test_c18_ack_of_less_than_before_ends_the_session),
		TEST(test_c18_ack_of_what_was_not_sent_ends_the_session),
		TEST(test_c18_welcome_of_what_was_not_sent_is_garbage),
		TEST(test_c18_welcome_of_what_another_sender_sent_is_good),
		TEST(test_c10_damaged_frame_is_thrown_away_and_counted),
		TEST(test_c10_old_collector_is_greeted_in_its_version),
		TEST(test_c10_old_collector_that_refuses_is_believed),
		TEST(test_c18_nobody_takes_hello_renews_the_socket),
		TEST(test_c18_answers_without_progress_renew_the_connection),
		TEST(test_c18_idle_session_lasts),
		TEST(test_c18_refused_records_lengthen_the_wait),
		TEST(test_c18_record_that_cannot_be_read_is_a_gap),
		TEST(test_push_takes_an_impossible_ack_for_garbage),
		TEST(test_push_pings_each_heartbeat),
		TEST(test_push_gives_a_silent_collector_three_heartbeats),
		TEST(test_push_ends_the_session_at_a_garbage_frame),
		TEST(test_push_greets_again_when_its_session_is_unknown),
		TEST(test_push_does_not_spin_on_a_collector_that_forgets),
		TEST(test_push_tells_why_it_is_refused),
		TEST(test_push_rewinds_when_told_out_of_order),
		TEST(test_push_sends_again_what_nobody_acknowledges),
		TEST(test_push_holds_samples_until_states_moved),
		TEST(test_push_wants_a_snapshot_when_all_states_are_there),
		TEST(test_push_tries_held_samples_again_in_the_end),
		TEST(test_c09_gap_stands_in_the_place_of_what_it_replaces),
		TEST(test_c09_gap_never_covers_what_was_acknowledged),
		TEST(test_push_tells_a_rotten_record_as_missing),
		TEST(test_push_wants_a_snapshot_for_a_new_collector),
		TEST(test_push_keeps_a_frame_that_found_no_room),
		TEST(test_push_makes_the_connection_anew_when_send_fails),
		TEST(test_push_carries_the_largest_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
