/* C10, the collector's half: what is kept, what is refused, and when it is
 * acknowledged; with a spool and a wire that the test owns.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/collect/intake.h"
#include "agent/record/encode.h"

#define ANSWERS_MAX 64
#define KEPT_MAX 256

struct heard {
	struct envelope envelope;
	size_t len;
	uint8_t body[256];
};

struct kept {
	struct record_header h;
	uint8_t payload[64];
	uint64_t run;
	char switch_id[SWITCH_NAME_MAX];
};

/* An ENTRY_POSITIONS that was appended, and before which record. */
struct told {
	struct entry_identity identity;
	struct positions kept;
	unsigned before;
};

struct bed {
	struct ledger *ledger;
	struct intake *intake;
	struct transport_peer peer;
	struct mono now;
	uint8_t version;	/* that the agent speaks */
	size_t flipped;		/* this bit of its next frame; 0: none */
	uint64_t session_next;
	int append_result;
	unsigned answer_count, complaints, kept_count;
	struct heard answers[ANSWERS_MAX];
	struct kept kept[KEPT_MAX];
	struct told told[8];
	unsigned told_count;
	/* All entries, for a ledger that knows again. */
	uint8_t spool[1 << 16];
	size_t spool_len;
};

static int bed_append(void *context, const void *octets, size_t len,
		      struct place *ret_at)
{
	struct bed *b = context;
	struct cursor c = cursor_of(octets, len), body;
	struct entry e;

	if (b->append_result < 0)
		return b->append_result;
	assert_int_equal(entry_read(&c, &e), 0);
	assert_int_equal(cursor_left(&c), 0);
	assert_true(b->spool_len + len <= sizeof(b->spool));
	memcpy(b->spool + b->spool_len, octets, len);
	b->spool_len += len;
	*ret_at = (struct place){ 1, 16 };
	body = cursor_of(e.body, e.len);
	if (e.kind == ENTRY_POSITIONS) {
		struct told *t = &b->told[b->told_count++];

		assert_true(b->told_count < 8);
		assert_int_equal(entry_identity_read(&e, &t->identity), 0);
		assert_int_equal(positions_read(&body, &t->kept), 0);
		t->before = b->kept_count;
		return 0;
	}
	while (cursor_left(&body) > 0) {
		struct kept *k = &b->kept[b->kept_count++];
		const uint8_t *payload;

		assert_int_equal(record_read(&body, &k->h, &payload), 0);
		assert_true(k->h.length <= sizeof(k->payload));
		memcpy(k->payload, payload, k->h.length);
		k->run = e.run;
		(void)strcpy(k->switch_id, e.switch_id);
	}
	return 0;
}

static void bed_answer(void *context, const struct transport_peer *peer,
		       const void *frame, size_t len)
{
	struct bed *b = context;
	struct heard *h = &b->answers[b->answer_count++];
	struct cursor c = cursor_of(frame, len);

	assert_true(b->answer_count < ANSWERS_MAX);
	assert_int_equal(peer->len, b->peer.len);
	assert_int_equal(envelope_read(&c, &h->envelope), 0);
	assert_int_equal(h->envelope.version, b->version);
	h->len = cursor_left(&c);
	memcpy(h->body, cursor_bytes(&c, h->len), h->len);
}

static void bed_complain(void *context, const char *who, const char *what)
{
	struct bed *b = context;

	assert_true(who[0] && what[0]);
	b->complaints++;
}

static uint64_t bed_random(void *context)
{
	return ((struct bed *)context)->session_next++;
}

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));
	struct intake_env env = { .context = b, .append = bed_append,
				  .answer = bed_answer,
				  .complain = bed_complain,
				  .random = bed_random,
				  .takes_clear = true };

	b->peer = (struct transport_peer){ { 1, 2, 3, 4 }, 8 };
	b->now = (struct mono){ 1000 * NS_PER_S };
	b->version = 1;
	assert_int_equal(ledger_new(1, &b->ledger), 0);
	env.ledger = b->ledger;
	assert_int_equal(intake_new(&env, &b->intake), 0);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	intake_free(b->intake);
	ledger_free(b->ledger);
	free(b);
	return 0;
}

static void say(struct bed *b, enum frame_kind kind, uint64_t session,
		const void *body, size_t len)
{
	uint8_t frame[4096];
	struct writer w = writer_of(frame, sizeof(frame));

	envelope_write(&w, &(struct envelope){ .version = b->version,
					       .kind = (uint8_t)kind,
					       .session = session,
					       .length = (uint32_t)len },
		       body);
	writer_bytes(&w, body, len);
	if (b->flipped)
		frame[b->flipped / 8] ^= (uint8_t)(1u << b->flipped % 8);
	b->flipped = 0;
	assert_true(writer_ok(&w));
	intake_frame(b->intake, &b->peer, frame, w.pos, b->now);
}

static const struct heard *last_answer(const struct bed *b)
{
	assert_true(b->answer_count > 0);
	return &b->answers[b->answer_count - 1];
}

/* id NULL: none is said. */
static uint64_t hello_of(struct bed *b, const char *id, const char *name,
			 uint64_t run)
{
	uint8_t body[256];
	struct writer w = writer_of(body, sizeof(body));

	writer_be64(&w, run);
	writer_u8(&w, (uint8_t)strlen(name));
	writer_bytes(&w, name, strlen(name));
	writer_be64(&w, 0);
	if (id) {
		writer_u8(&w, (uint8_t)strlen(id));
		writer_bytes(&w, id, strlen(id));
	}
	say(b, FRAME_HELLO, 0, body, w.pos);
	return last_answer(b)->envelope.session;
}

/* As an agent of version 1 says it. */
static uint64_t hello(struct bed *b, const char *name, uint64_t run)
{
	b->version = 1;
	return hello_of(b, NULL, name, run);
}

/* As one of version 2 does. */
static uint64_t hello_2(struct bed *b, const char *id, const char *name,
			uint64_t run)
{
	b->version = 2;
	return hello_of(b, id, name, run);
}

static void put(struct writer *w, enum stream stream, enum record_kind kind,
		uint64_t first, uint64_t last, const void *payload, size_t len)
{
	struct record_header h = { .length = (uint32_t)len,
				   .stream = (uint8_t)stream,
				   .kind = (uint8_t)kind, .sequence = first,
				   .last = last };

	record_write(w, &h, payload);
}

static void data(struct bed *b, uint64_t session, enum stream stream,
		 enum record_kind kind, uint64_t first, uint64_t last,
		 const void *payload, size_t len)
{
	uint8_t body[1024];
	struct writer w = writer_of(body, sizeof(body));

	put(&w, stream, kind, first, last, payload, len);
	say(b, FRAME_DATA, session, body, w.pos);
}

static void event(struct bed *b, uint64_t session, uint64_t sequence)
{
	data(b, session, STREAM_STATES, RECORD_EVENT, sequence, sequence, "",
	     0);
}

static void sync_all(struct bed *b)
{
	if (intake_sync_begin(b->intake))
		intake_sync_done(b->intake);
}

static void check_ack(const struct bed *b, uint64_t findings, uint64_t states,
		      uint64_t samples, enum ack_reason why)
{
	const struct heard *h = last_answer(b);
	struct cursor c = cursor_of(h->body, h->len);
	struct positions p;

	assert_int_equal(h->envelope.kind, FRAME_ACK);
	assert_int_equal(positions_read(&c, &p), 0);
	assert_int_equal(p.last[STREAM_FINDINGS], findings);
	assert_int_equal(p.last[STREAM_STATES], states);
	assert_int_equal(p.last[STREAM_SAMPLES], samples);
	assert_int_equal(cursor_u8(&c), why);
	assert_int_equal(cursor_left(&c), 0);
}

/* --- sessions ------------------------------------------------------------- */

static void test_intake_welcomes_with_what_is_durable(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello(b, "leaf1", 7);
	struct cursor c;
	struct positions p;

	assert_int_equal(last_answer(b)->envelope.kind, FRAME_WELCOME);
	assert_true(session != 0);
	event(b, session, 1);
	sync_all(b);
	event(b, session, 2);	/* kept, not synced */
	hello(b, "leaf1", 7);

	c = cursor_of(last_answer(b)->body, last_answer(b)->len);
	assert_int_equal(positions_read(&c, &p), 0);
	assert_int_equal(p.last[STREAM_STATES], 1);
}

static void test_intake_knows_runs_and_switches_apart(void **state)
{
	struct bed *b = *state;
	uint64_t one = hello(b, "leaf1", 7), two = hello(b, "leaf1", 8);
	uint64_t three = hello(b, "leaf2", 7);

	event(b, one, 1);
	event(b, two, 1);
	event(b, three, 1);
	assert_int_equal(b->kept_count, 3);
	assert_int_equal(b->kept[1].run, 8);
}

static void test_intake_knows_no_session_of_before(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello(b, "leaf1", 7);

	(void)hello(b, "leaf1", 7);
	event(b, session, 1);

	assert_int_equal(last_answer(b)->envelope.kind, FRAME_SESSION_UNKNOWN);
	assert_int_equal(last_answer(b)->envelope.session, session);
	assert_int_equal(b->kept_count, 0);
	event(b, 0, 1);
	assert_int_equal(last_answer(b)->envelope.kind, FRAME_SESSION_UNKNOWN);
}

/* An event of a session, from a connection, a second after the one before. */
static void event_from(struct bed *b, uint8_t connection, uint64_t session,
		       uint64_t sequence)
{
	b->now.ns += NS_PER_S;
	b->peer.header[0] = connection;
	event(b, session, sequence);
}

static uint64_t same_id(const struct bed *b)
{
	struct intake_count count;

	intake_count(b->intake, &count);
	return count.same_id;
}

static void test_c09_two_agents_with_one_id_are_told(void **state)
{
	struct bed *b = *state;
	uint64_t one, two;

	b->peer.header[0] = 1;
	one = hello_2(b, "serial", "leaf1", 7);
	b->peer.header[0] = 2;
	two = hello_2(b, "serial", "leaf2", 8);
	for (uint64_t n = 1; n <= 3; n++) {
		event_from(b, 1, one, n);
		event_from(b, 2, two, n);
	}
	assert_int_equal(same_id(b), 0);
	assert_int_equal(b->complaints, 0);
	for (uint64_t n = 4; n <= 6; n++) {
		event_from(b, 1, one, n);
		event_from(b, 2, two, n);
	}
	assert_true(same_id(b) >= 4);
	assert_true(b->complaints >= 4);
	assert_int_equal(b->kept_count, 12);	/* nothing is lost by it */
}

/* A restarted agent has what its former run left sent too, and connects anew
 * now and then.
 */
static void test_c09_one_agent_with_two_runs_is_one(void **state)
{
	struct bed *b = *state;
	uint64_t old = hello_2(b, "serial", "leaf1", 7);
	uint64_t new;

	event_from(b, 1, old, 1);
	b->peer.header[0] = 2;
	new = hello_2(b, "serial", "leaf1", 8);
	old = hello_2(b, "serial", "leaf1", 7);
	for (uint64_t n = 1; n <= 20; n++) {
		uint8_t connection = (uint8_t)(2 + n);

		event_from(b, connection, old, n + 1);
		event_from(b, connection, new, n);
		event_from(b, connection, old, n + 1);
		event_from(b, (uint8_t)(connection + 1), new, n + 1);
	}
	assert_int_equal(same_id(b), 0);
	assert_int_equal(b->complaints, 0);
}

static void test_intake_refuses_garbage_and_counts_it(void **state)
{
	char junk[] = "junk";
	struct bed *b = *state;
	uint64_t session = hello(b, "leaf1", 7);
	struct intake_count count;
	uint8_t body[RECORD_HEADER_LEN];
	struct writer w = writer_of(body, sizeof(body));

	put(&w, STREAM_STATES, RECORD_EVENT, 1, 1, "", 0);
	for (size_t len = 0; len < w.pos; len++) {
		say(b, FRAME_DATA, session, body, len);
		assert_int_equal(last_answer(b)->envelope.kind, FRAME_REFUSED);
		b->answer_count = 0;
	}
	for (size_t at = 0; at < w.pos - 4; at++) {
		body[at] ^= 0x40;
		say(b, FRAME_DATA, session, body, w.pos);
		body[at] ^= 0x40;
		assert_int_equal(last_answer(b)->envelope.kind, FRAME_REFUSED);
		b->answer_count = 0;
	}
	intake_frame(b->intake, &b->peer, junk, 4, b->now);
	say(b, FRAME_WELCOME, session, body, 0);
	say(b, FRAME_PING, session, body, 7);

	intake_count(b->intake, &count);
	assert_int_equal(b->kept_count, 0);
	assert_int_equal(count.garbage, 2 * w.pos - 4 + 3);
	assert_int_equal(b->complaints, count.garbage);
}

static void test_intake_refuses_names_that_are_no_names(void **state)
{
	static const char *const bad[] = { "", "a b", "a\nb", "a\x7f",
					   "\xc3\xa4" };
	struct bed *b = *state;
	char longest[SWITCH_NAME_MAX + 1];

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		(void)hello(b, bad[i], 7);
		assert_int_equal(last_answer(b)->envelope.kind, FRAME_REFUSED);
	}
	memset(longest, 'n', sizeof(longest));
	longest[SWITCH_NAME_MAX] = '\0';
	(void)hello(b, longest, 7);
	assert_int_equal(last_answer(b)->envelope.kind, FRAME_REFUSED);
	longest[SWITCH_NAME_MAX - 1] = '\0';
	(void)hello(b, longest, 7);
	assert_int_equal(last_answer(b)->envelope.kind, FRAME_WELCOME);
}

static void test_intake_answers_ping_with_ack_and_pong(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello(b, "leaf1", 7);

	say(b, FRAME_PING, session, "12345678", 8);

	assert_int_equal(b->answer_count, 3);
	assert_int_equal(b->answers[1].envelope.kind, FRAME_ACK);
	assert_int_equal(b->answers[2].envelope.kind, FRAME_PONG);
	assert_memory_equal(b->answers[2].body, "12345678", 8);
}

/* --- what is kept --------------------------------------------------------- */

static void test_c10_nothing_is_acknowledged_before_it_is_synced(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello(b, "leaf1", 7);
	unsigned before = b->answer_count;

	event(b, session, 1);
	assert_int_equal(b->answer_count, before);
	assert_true(intake_sync_begin(b->intake));
	event(b, session, 2);	/* comes while the disk works */
	assert_int_equal(b->answer_count, before);
	intake_sync_done(b->intake);
	check_ack(b, 0, 1, 0, ACK_DURABLE);
	sync_all(b);
	check_ack(b, 0, 2, 0, ACK_DURABLE);
}

static void test_c09_repeat_is_dropped_and_acknowledged(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello(b, "leaf1", 7);
	struct intake_count count;

	event(b, session, 1);
	sync_all(b);
	event(b, session, 1);
	assert_false(intake_sync_begin(b->intake));

	assert_int_equal(b->kept_count, 1);
	check_ack(b, 0, 1, 0, ACK_DURABLE);
	intake_count(b->intake, &count);
	assert_int_equal(count.repeats, 1);
}

static void test_c09_hole_is_refused_once_and_never_kept(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello(b, "leaf1", 7);
	unsigned before;

	event(b, session, 1);
	event(b, session, 3);
	check_ack(b, 0, 0, 0, ACK_OUT_OF_ORDER);
	before = b->answer_count;
	event(b, session, 4);
	event(b, session, 5);
	assert_int_equal(b->answer_count, before);
	assert_int_equal(b->kept_count, 1);
	event(b, session, 2);
	event(b, session, 9);
	assert_int_equal(b->kept_count, 2);
	check_ack(b, 0, 0, 0, ACK_OUT_OF_ORDER);
}

/* A later agent's: the order goes on, with nothing lost. */
static void test_c09_record_of_an_unknown_kind_is_kept_and_counted(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello(b, "leaf1", 7);
	struct intake_count count;

	event(b, session, 1);
	data(b, session, STREAM_STATES, 200, 2, 2, "abc", 3);
	event(b, session, 3);
	sync_all(b);

	check_ack(b, 0, 3, 0, ACK_DURABLE);
	assert_int_equal(b->kept_count, 3);
	assert_int_equal(b->kept[1].h.kind, 200);
	assert_memory_equal(b->kept[1].payload, "abc", 3);
	intake_count(b->intake, &count);
	assert_int_equal(count.unknown, 1);
	assert_int_equal(count.garbage, 0);
}

static void test_c09_gap_record_closes_a_hole(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello(b, "leaf1", 7);

	event(b, session, 1);
	data(b, session, STREAM_STATES, RECORD_GAP, 2, 9, "", 0);
	event(b, session, 10);

	assert_int_equal(b->kept_count, 3);
	assert_int_equal(b->kept[1].h.last, 9);
}

/* Whoever has a session has it for his own switch alone. */
static void test_c11_gap_of_a_switch_is_no_other_switchs(void **state)
{
	struct bed *b = *state;
	uint64_t own = hello(b, "leaf1", 7), rogue = hello(b, "leaf2", 7);

	event(b, own, 1);
	data(b, rogue, STREAM_STATES, RECORD_GAP, 1, 9, "", 0);
	event(b, own, 2);

	assert_int_equal(b->kept_count, 3);
	assert_int_equal(b->kept[1].h.kind, RECORD_GAP);
	assert_int_equal(b->kept[2].h.sequence, 2);
}

/* The agent went back, and its ring lost meanwhile what is kept here. */
static void test_c09_gap_is_cut_to_what_is_missing(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello(b, "leaf1", 7);
	uint8_t payload[64];
	size_t len = gap_encode(STREAM_STATES, 4, 9, payload, sizeof(payload));

	for (uint64_t n = 1; n <= 3; n++)
		event(b, session, n);
	data(b, session, STREAM_STATES, RECORD_GAP, 1, 9, "", 0);

	assert_int_equal(b->kept_count, 4);
	assert_int_equal(b->kept[3].h.kind, RECORD_GAP);
	assert_int_equal(b->kept[3].h.sequence, 4);
	assert_int_equal(b->kept[3].h.last, 9);
	assert_int_equal(b->kept[3].h.length, len);
	assert_memory_equal(b->kept[3].payload, payload, len);
}

static void test_intake_keeps_nothing_that_the_spool_did_not_take(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello(b, "leaf1", 7);

	b->append_result = -ENOSPC;
	event(b, session, 1);
	assert_int_equal(last_answer(b)->envelope.kind, FRAME_REFUSED);
	assert_false(intake_sync_begin(b->intake));
	b->append_result = 0;
	event(b, session, 1);
	sync_all(b);

	check_ack(b, 0, 1, 0, ACK_DURABLE);
	assert_int_equal(b->kept_count, 1);
}

/* --- the dictionary ------------------------------------------------------- */

/* Payloads of record.proto by hand: version, snapshot, part. */
static void dictionary(struct bed *b, uint64_t session, uint64_t sequence,
		       unsigned version, bool snapshot, unsigned part,
		       unsigned parts)
{
	uint8_t p[] = { 1 << 3, (uint8_t)version, 2 << 3, snapshot,
			3 << 3 | 2, 4, 1 << 3, (uint8_t)part, 2 << 3,
			(uint8_t)parts };

	data(b, session, STREAM_STATES, RECORD_DICTIONARY, sequence, sequence,
	     p, sizeof(p));
}

static void batch(struct bed *b, uint64_t session, uint64_t sequence,
		  unsigned version)
{
	uint8_t p[] = { 1 << 3, 99, 2 << 3, (uint8_t)version };

	data(b, session, STREAM_SAMPLES, RECORD_BATCH, sequence, sequence, p,
	     sizeof(p));
}

static void test_c02_no_batch_is_kept_before_its_dictionary(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello(b, "leaf1", 7);

	batch(b, session, 1, 1);
	check_ack(b, 0, 0, 0, ACK_NEED_STATES);
	dictionary(b, session, 1, 1, true, 0, 1);
	batch(b, session, 1, 1);
	batch(b, session, 2, 2);
	check_ack(b, 0, 0, 0, ACK_NEED_STATES);
	dictionary(b, session, 2, 2, false, 0, 1);
	batch(b, session, 2, 2);
	sync_all(b);

	check_ack(b, 0, 2, 2, ACK_DURABLE);
}

static void test_c02_snapshot_counts_when_all_its_parts_came(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello(b, "leaf1", 7);

	dictionary(b, session, 1, 3, true, 0, 3);
	dictionary(b, session, 2, 3, true, 1, 3);
	batch(b, session, 1, 3);
	check_ack(b, 0, 0, 0, ACK_NEED_STATES);
	dictionary(b, session, 3, 3, true, 2, 3);
	batch(b, session, 1, 3);
	sync_all(b);

	check_ack(b, 0, 3, 1, ACK_DURABLE);
}

static void test_c02_gap_in_states_needs_a_new_snapshot(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello(b, "leaf1", 7);

	dictionary(b, session, 1, 1, true, 0, 1);
	data(b, session, STREAM_STATES, RECORD_GAP, 2, 4, "", 0);
	batch(b, session, 1, 1);
	check_ack(b, 0, 0, 0, ACK_NEED_STATES);
	dictionary(b, session, 5, 2, false, 0, 1);
	batch(b, session, 1, 1);
	check_ack(b, 0, 0, 0, ACK_NEED_STATES);
	dictionary(b, session, 6, 3, true, 0, 1);
	batch(b, session, 1, 1);
	sync_all(b);

	check_ack(b, 0, 6, 1, ACK_DURABLE);
}

/* --- the ledger over a restart -------------------------------------------- */

static void test_ledger_knows_again_what_a_segment_begins_with(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello(b, "leaf1", 7);
	struct ledger *again;
	struct run *r;
	uint8_t octets[ENTRY_POSITIONS_OCTETS];
	struct writer w = writer_of(octets, sizeof(octets));
	struct cursor c;
	struct entry e;
	size_t whole;

	dictionary(b, session, 1, 9, true, 0, 1);
	batch(b, session, 1, 9);
	ledger_positions_write(&w, ledger_find(b->ledger, "leaf1", 7));
	c = cursor_of(octets, w.pos);
	assert_int_equal(entry_read(&c, &e), 0);
	whole = e.len;
	assert_int_equal(whole, ENTRY_POSITIONS_LEN);	/* as in version 1 */
	assert_int_equal(ledger_new(2, &again), 0);
	for (size_t len = 0; len < whole; len++) {
		e.len = len;
		assert_int_equal(ledger_entry(again, &e, (struct place){ 1, 0 },
					      b->now), -EBADMSG);
	}
	e.len = whole;
	assert_int_equal(ledger_entry(again, &e, (struct place){ 1, 0 },
				      b->now), 0);

	r = ledger_find(again, "leaf1", 7);
	assert_non_null(r);
	assert_int_equal(r->durable.last[STREAM_SAMPLES], 1);
	assert_true(r->dictionary.is_known);
	assert_int_equal(r->dictionary.version, 9);
	ledger_free(again);
}

/* Greets from a connection of its own. */
static uint64_t hello_from(struct bed *b, uint32_t connection,
			   const char *name, uint64_t run)
{
	struct writer w = writer_of(b->peer.header, 4);

	writer_be32(&w, connection);
	b->answer_count = 0;
	return hello(b, name, run);
}

static void test_ledger_is_bounded_and_forgets_the_empty_first(void **state)
{
	struct bed *b = *state;
	uint64_t kept = hello(b, "leaf1", 7);

	event(b, kept, 1);
	sync_all(b);
	for (unsigned i = 0; i < LEDGER_RUNS_MAX + 100; i++) {
		char name[16];

		b->now.ns++;
		(void)snprintf(name, sizeof(name), "rogue%u", i);
		(void)hello_from(b, i, name, 1000);
		assert_int_equal(last_answer(b)->envelope.kind, FRAME_WELCOME);
	}

	assert_int_equal(ledger_count(b->ledger), LEDGER_RUNS_MAX);
	assert_non_null(ledger_find(b->ledger, "leaf1", 7));
	event(b, kept, 2);
	assert_int_equal(b->kept_count, 2);
}

static void test_c18_runs_of_one_switch_are_bounded_oldest_first(void **state)
{
	struct bed *b = *state;
	uint64_t other = hello_from(b, 1, "leaf2", 1), session = 0;

	event(b, other, 1);
	for (unsigned i = 1; i <= 3 * LEDGER_SWITCH_RUNS_MAX; i++) {
		b->now.ns++;
		session = hello_from(b, i, "leaf1", i);
		event(b, session, 1);
		sync_all(b);
	}

	assert_int_equal(ledger_count(b->ledger), 1 + LEDGER_SWITCH_RUNS_MAX);
	assert_int_equal(ledger_forgotten(b->ledger),
			 2 * LEDGER_SWITCH_RUNS_MAX);
	assert_non_null(ledger_find(b->ledger, "leaf2", 1));
	for (unsigned i = 1; i <= 3 * LEDGER_SWITCH_RUNS_MAX; i++)
		assert_int_equal(!!ledger_find(b->ledger, "leaf1", i),
				 i > 2 * LEDGER_SWITCH_RUNS_MAX);
	event(b, session, 2);
	assert_int_equal(last_answer(b)->envelope.kind, FRAME_ACK);
}

/* Half as many switches as there is room, each rebooted: the next one. */
static void test_c18_older_runs_make_room_for_a_new_switch(void **state)
{
	struct bed *b = *state;

	for (unsigned i = 0; i < LEDGER_RUNS_MAX; i++) {
		char name[16];
		uint64_t session;

		b->now.ns++;
		(void)snprintf(name, sizeof(name), "leaf%u", i / 2);
		session = hello_from(b, i, name, 1 + i);
		b->kept_count = 0;
		b->spool_len = 0;
		event(b, session, 1);
		sync_all(b);
	}
	(void)hello_from(b, 1u << 20, "new", 7);

	assert_int_equal(last_answer(b)->envelope.kind, FRAME_WELCOME);
	assert_null(ledger_find(b->ledger, "leaf0", 1));
	assert_non_null(ledger_find(b->ledger, "leaf0", 2));
}

static void test_c18_switches_of_an_hour_ago_make_room_too(void **state)
{
	struct bed *b = *state;

	for (unsigned i = 0; i < LEDGER_RUNS_MAX; i++) {
		char name[16];
		uint64_t session;

		(void)snprintf(name, sizeof(name), "leaf%u", i);
		session = hello_from(b, i, name, 1);
		b->kept_count = 0;
		b->spool_len = 0;
		event(b, session, 1);
		sync_all(b);
	}
	(void)hello_from(b, 1u << 20, "new", 7);
	assert_int_equal(last_answer(b)->envelope.kind, FRAME_REFUSED);
	b->now.ns += LEDGER_FORGET_NS;
	(void)hello_from(b, 1u << 20, "new", 7);

	assert_int_equal(last_answer(b)->envelope.kind, FRAME_WELCOME);
}

static void test_c18_one_connection_begins_few_runs(void **state)
{
	struct bed *b = *state;
	unsigned welcome = 0;

	for (unsigned i = 0; i < 1000; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "rogue%u", i);
		(void)hello_from(b, 99, name, 1);
		welcome += last_answer(b)->envelope.kind == FRAME_WELCOME;
	}
	assert_int_equal(welcome, 64);
	(void)hello_from(b, 99, "rogue0", 1);	/* it is known */
	assert_int_equal(last_answer(b)->envelope.kind, FRAME_WELCOME);
	(void)hello_from(b, 98, "leaf1", 1);
	assert_int_equal(last_answer(b)->envelope.kind, FRAME_WELCOME);
}

/* --- version 2, and who a switch is --------------------------------------- */

static void test_c10_answers_are_in_the_version_of_the_question(void **state)
{
	struct bed *b = *state;
	uint64_t two = hello_2(b, "SN1", "leaf1", 7), one;

	assert_int_equal(last_answer(b)->envelope.kind, FRAME_WELCOME);
	event(b, two, 1);
	sync_all(b);
	check_ack(b, 0, 1, 0, ACK_DURABLE);
	say(b, FRAME_PING, two, "12345678", 8);
	say(b, FRAME_PING, two + 99, "12345678", 8);
	assert_int_equal(last_answer(b)->envelope.kind, FRAME_SESSION_UNKNOWN);
	say(b, FRAME_PONG, two, "12345678", 8);
	assert_int_equal(last_answer(b)->envelope.kind, FRAME_REFUSED);
	one = hello(b, "leaf2", 7);
	event(b, one, 1);
	sync_all(b);
	check_ack(b, 0, 1, 0, ACK_DURABLE);
	/* bed_answer() looks at each one's version */
}

static void test_c10_damaged_frame_is_counted_and_not_answered(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello_2(b, "SN1", "leaf1", 7);
	unsigned before = b->answer_count;
	struct intake_count count;

	for (size_t bit = 40; bit < 8 * (ENVELOPE_LEN + 8); bit++) {
		b->flipped = bit;
		say(b, FRAME_PING, session, "12345678", 8);
	}

	intake_count(b->intake, &count);
	assert_int_equal(count.damaged, 8 * (ENVELOPE_LEN + 8) - 40);
	assert_int_equal(b->answer_count, before);
	say(b, FRAME_PING, session, "12345678", 8);
	assert_int_equal(b->answer_count, before + 2);
}

static void test_c09_hello_of_version_2_needs_an_id(void **state)
{
	static const char *const bad[] = { NULL, "", "a b", "a\x1b" };
	struct bed *b = *state;

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		(void)hello_2(b, bad[i], "leaf1", 7);
		assert_int_equal(last_answer(b)->envelope.kind, FRAME_REFUSED);
	}
	assert_int_equal(ledger_count(b->ledger), 0);
}

static void test_c09_name_may_change_and_the_switch_is_the_same(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello_2(b, "SN1", "leaf1", 7);

	event(b, session, 1);
	sync_all(b);
	session = hello_2(b, "SN1", "spine9", 7);
	event(b, session, 1);
	event(b, session, 2);
	sync_all(b);

	check_ack(b, 0, 2, 0, ACK_DURABLE);
	assert_int_equal(b->kept_count, 2);
	assert_string_equal(b->kept[1].switch_id, "SN1");
	assert_int_equal(b->told_count, 2);
	assert_string_equal(b->told[0].identity.name, "leaf1");
	assert_int_equal(b->told[0].before, 0);
	assert_string_equal(b->told[1].identity.name, "spine9");
	assert_int_equal(b->told[1].before, 1);
	assert_int_equal(b->told[1].kept.last[STREAM_STATES], 1);
}

/* Reads all entries into a new ledger. */
static struct ledger *ledger_again(const struct bed *b)
{
	struct cursor c = cursor_of(b->spool, b->spool_len);
	struct ledger *again;
	struct entry e;

	assert_int_equal(ledger_new(2, &again), 0);
	while (cursor_left(&c) > 0) {
		assert_int_equal(entry_read(&c, &e), 0);
		assert_int_equal(ledger_entry(again, &e, (struct place){ 1, 0 },
					      b->now), 0);
	}
	return again;
}

/* A segment begins with all runs, in no order: none may have the old name. */
static void test_c09_name_is_that_of_all_runs_of_a_switch(void **state)
{
	struct bed *b = *state;
	struct ledger *again;

	event(b, hello_2(b, "SN1", "leaf1", 7), 1);
	event(b, hello_2(b, "SN1", "leaf1", 8), 1);
	event(b, hello_2(b, "SN1", "spine9", 8), 2);
	again = ledger_again(b);

	assert_string_equal(ledger_find(b->ledger, "SN1", 7)->identity.name,
			    "spine9");
	assert_string_equal(ledger_find(again, "SN1", 7)->identity.name,
			    "spine9");
	ledger_free(again);
}

/* Nothing is left out because the id would say it. */
static void test_c09_name_may_become_the_id(void **state)
{
	struct bed *b = *state;

	event(b, hello_2(b, "SN1", "leaf1", 7), 1);
	event(b, hello_2(b, "SN1", "SN1", 7), 2);

	assert_int_equal(b->told_count, 2);
	assert_string_equal(b->told[1].identity.name, "SN1");
}

static void test_c09_upgraded_agent_goes_on_with_its_run(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello(b, "leaf1", 7);
	struct ledger *again;
	const struct run *r;

	for (unsigned i = 1; i <= 3; i++)
		event(b, session, i);
	sync_all(b);
	session = hello_2(b, "SN1", "leaf1", 7);
	event(b, session, 3);
	event(b, session, 4);
	sync_all(b);

	check_ack(b, 0, 4, 0, ACK_DURABLE);
	assert_int_equal(ledger_count(b->ledger), 1);
	assert_int_equal(b->kept_count, 4);
	assert_int_equal(b->kept[3].h.sequence, 4);
	assert_string_equal(b->kept[3].switch_id, "SN1");
	assert_int_equal(b->told_count, 1);
	assert_string_equal(b->told[0].identity.former_id, "leaf1");
	assert_int_equal(b->told[0].before, 3);
	assert_int_equal(b->told[0].kept.last[STREAM_STATES], 3);

	again = ledger_again(b);
	assert_int_equal(ledger_count(again), 1);
	r = ledger_find(again, "SN1", 7);
	assert_non_null(r);
	assert_int_equal(r->durable.last[STREAM_STATES], 4);
	assert_string_equal(r->identity.name, "leaf1");
	ledger_free(again);
}

/* The other way round: the agent went back to a version without an id. */
static void test_c09_downgraded_agent_goes_on_with_its_run(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello_2(b, "SN1", "leaf1", 7);

	event(b, session, 1);
	sync_all(b);
	session = hello(b, "leaf1", 7);
	event(b, session, 1);
	event(b, session, 2);
	sync_all(b);

	check_ack(b, 0, 2, 0, ACK_DURABLE);
	assert_int_equal(ledger_count(b->ledger), 1);
	assert_int_equal(b->kept_count, 2);
	assert_string_equal(b->kept[1].switch_id, "SN1");
}

/* Killed before the first record under the new id: nothing was said of it. */
static void test_c09_upgrade_counts_with_its_first_record(void **state)
{
	struct bed *b = *state;
	uint64_t session = hello(b, "leaf1", 7);
	struct ledger *again;

	event(b, session, 1);
	sync_all(b);
	(void)hello_2(b, "SN1", "leaf1", 7);
	again = ledger_again(b);
	assert_non_null(ledger_find(again, "leaf1", 7));
	assert_null(ledger_find(again, "SN1", 7));
	ledger_free(again);
	assert_non_null(ledger_find(b->ledger, "SN1", 7));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_intake_welcomes_with_what_is_durable),
		TEST(test_intake_knows_runs_and_switches_apart),
		TEST(test_intake_knows_no_session_of_before),
		TEST(test_c09_two_agents_with_one_id_are_told),
		TEST(test_c09_one_agent_with_two_runs_is_one),
		TEST(test_intake_refuses_garbage_and_counts_it),
		TEST(test_intake_refuses_names_that_are_no_names),
		TEST(test_intake_answers_ping_with_ack_and_pong),
		TEST(test_c10_nothing_is_acknowledged_before_it_is_synced),
		TEST(test_c09_repeat_is_dropped_and_acknowledged),
		TEST(test_c09_hole_is_refused_once_and_never_kept),
		TEST(test_c09_record_of_an_unknown_kind_is_kept_and_counted),
		TEST(test_c09_gap_record_closes_a_hole),
		TEST(test_c11_gap_of_a_switch_is_no_other_switchs),
		TEST(test_c09_gap_is_cut_to_what_is_missing),
		TEST(test_intake_keeps_nothing_that_the_spool_did_not_take),
		TEST(test_c02_no_batch_is_kept_before_its_dictionary),
		TEST(test_c02_snapshot_counts_when_all_its_parts_came),
		TEST(test_c02_gap_in_states_needs_a_new_snapshot),
		TEST(test_ledger_knows_again_what_a_segment_begins_with),
		TEST(test_ledger_is_bounded_and_forgets_the_empty_first),
		TEST(test_c18_runs_of_one_switch_are_bounded_oldest_first),
		TEST(test_c18_older_runs_make_room_for_a_new_switch),
		TEST(test_c18_switches_of_an_hour_ago_make_room_too),
		TEST(test_c18_one_connection_begins_few_runs),
		TEST(test_c10_answers_are_in_the_version_of_the_question),
		TEST(test_c10_damaged_frame_is_counted_and_not_answered),
		TEST(test_c09_hello_of_version_2_needs_an_id),
		TEST(test_c09_name_may_change_and_the_switch_is_the_same),
		TEST(test_c09_name_may_become_the_id),
		TEST(test_c09_name_is_that_of_all_runs_of_a_switch),
		TEST(test_c09_upgraded_agent_goes_on_with_its_run),
		TEST(test_c09_downgraded_agent_goes_on_with_its_run),
		TEST(test_c09_upgrade_counts_with_its_first_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
