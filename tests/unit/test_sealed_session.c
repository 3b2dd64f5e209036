/* C11: a push and an intake that seal what they say to each other, over a wire
 * that the test owns: what is believed, and of whom.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/collect/intake.h"
#include "agent/push/push.h"
#include "agent/seal/initiator.h"
#include "agent/seal/responder.h"
#include "tests/support/ring_folder.h"

#define HEARTBEAT_NS NS_PER_S
#define FRAMES_MAX 16
#define RECORDS 20

struct frame {
	size_t len;
	uint8_t octets[WIRE_FRAME_MAX];
};

/* What one end said and the other has not heard yet. */
struct way {
	unsigned count;
	struct frame frame[FRAMES_MAX];
};

struct bed {
	void *folder;
	struct ring_set rings;
	struct noise_pair own, collector, other;
	struct responder *responder;
	struct initiator *initiator;
	struct ledger *ledger;
	struct intake *intake;
	struct push *push;
	struct transport_peer peer;
	struct mono now;
	struct way up, down;
	unsigned kept, complaints;
	uint64_t drawn;
	char why[96];
};

static void way_put(struct way *w, const void *frame, size_t len)
{
	assert_true(w->count < FRAMES_MAX && len <= WIRE_FRAME_MAX);
	memcpy(w->frame[w->count].octets, frame, len);
	w->frame[w->count++].len = len;
}

static int agent_says(void *context, const void *frame, size_t len)
{
	way_put(&((struct bed *)context)->up, frame, len);
	return 0;
}

static void collector_says(void *context, const struct transport_peer *peer,
			   const void *frame, size_t len)
{
	(void)peer;
	way_put(&((struct bed *)context)->down, frame, len);
}

static int keep(void *context, const void *entry, size_t len,
		struct place *ret_at)
{
	struct bed *b = context;
	struct cursor c = cursor_of(entry, len);
	struct entry e;

	assert_int_equal(entry_read(&c, &e), 0);
	b->kept += e.kind == ENTRY_RECORDS;
	*ret_at = (struct place){ 1, 16 };
	return 0;
}

static void complain(void *context, const char *who, const char *what)
{
	struct bed *b = context;

	assert_true(who[0]);
	b->complaints++;
	(void)snprintf(b->why, sizeof(b->why), "%s", what);
}

static uint64_t draw(void *context)
{
	return ++((struct bed *)context)->drawn;
}

static void reconnect(void *context)
{
	(void)context;
}

static void authorize(struct bed *b, const char *id)
{
	char text[256] = "", key[KEY_TEXT_SIZE];
	struct authorized list;
	struct diag d;

	key_text(b->own.public, key);
	if (id)
		(void)snprintf(text, sizeof(text), "%s %s\n", key, id);
	key_text(b->other.public, key);
	(void)snprintf(text + strlen(text), sizeof(text) - strlen(text),
		       "%s SN-other\n", key);
	assert_int_equal(authorized_parse(text, strlen(text), "list", &list,
					  &d), 0);
	assert_int_equal(responder_authorize(b->responder, &list), 0);
}

static void push_make(struct bed *b, const char *id, const char *name,
		      bool seals)
{
	struct push_env env = { .rings = &b->rings, .switch_name = name,
				.switch_id = id, .window_octets = 65536,
				.heartbeat_ns = HEARTBEAT_NS,
				.sealed = seals ? b->initiator : NULL,
				.context = b, .send = agent_says,
				.reconnect = reconnect, .random = draw };

	push_free(b->push);
	initiator_reset(b->initiator);
	assert_int_equal(push_new(&env, &b->push), 0);
}

static void intake_make(struct bed *b, bool takes_clear)
{
	struct intake_env env = { .ledger = b->ledger, .context = b,
				  .append = keep, .answer = collector_says,
				  .complain = complain, .random = draw,
				  .sealed = b->responder,
				  .takes_clear = takes_clear };

	intake_free(b->intake);
	assert_int_equal(intake_new(&env, &b->intake), 0);
}

static int bed_make(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));
	struct responder_env env = { .context = b, .random = draw };
	uint8_t secret[KEYS_MAX][NOISE_KEY_LEN];

	assert_int_equal(ring_folder_make(&b->folder), 0);
	set_open(&b->folder, 7, &b->rings);
	assert_int_equal(noise_start(), 0);
	noise_pair_draw(&b->own);
	noise_pair_draw(&b->other);
	noise_pair_draw(&b->collector);
	assert_int_equal(responder_new(&env, &b->responder), 0);
	memcpy(secret[0], b->collector.secret, NOISE_KEY_LEN);
	responder_keys(b->responder, secret, 1);
	authorize(b, "SN42");
	assert_int_equal(initiator_new(&b->own, b->collector.public, NULL,
				       &b->initiator), 0);
	assert_int_equal(ledger_new(1, &b->ledger), 0);
	b->peer = (struct transport_peer){ { 1, 2, 3, 4 }, 8 };
	b->now.ns = 1000 * NS_PER_S;
	intake_make(b, false);
	push_make(b, "SN42", "leaf1", true);
	*state = b;
	return 0;
}

static int bed_end(void **state)
{
	struct bed *b = *state;

	push_free(b->push);
	intake_free(b->intake);
	ledger_free(b->ledger);
	initiator_free(b->initiator);
	responder_free(b->responder);
	ring_set_close(&b->rings);
	assert_int_equal(ring_folder_remove(&b->folder), 0);
	free(b);
	return 0;
}

static void collector_hears(struct bed *b)
{
	static struct way w;

	w = b->up;
	b->up.count = 0;
	for (unsigned i = 0; i < w.count; i++)
		intake_frame(b->intake, &b->peer, w.frame[i].octets,
			     w.frame[i].len, b->now);
	if (intake_sync_begin(b->intake))
		intake_sync_done(b->intake);
}

static void agent_hears(struct bed *b)
{
	static struct way w;

	w = b->down;
	b->down.count = 0;
	for (unsigned i = 0; i < w.count; i++)
		push_receive(b->push, w.frame[i].octets, w.frame[i].len,
			     b->now);
}

/* Both talk for some seconds, until they have said it all. */
static void talk(struct bed *b, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		b->now.ns += HEARTBEAT_NS / 4;
		(void)push_run(b->push, b->now);
		collector_hears(b);
		agent_hears(b);
	}
}

static struct push_status status(const struct bed *b)
{
	struct push_status s;

	push_status(b->push, &s);
	return s;
}

static struct intake_count counted(const struct bed *b)
{
	struct intake_count c;

	intake_count(b->intake, &c);
	return c;
}

static void records_make(struct bed *b)
{
	for (unsigned i = 0; i < RECORDS; i++)
		append(b->rings.ring[STREAM_FINDINGS], 0);
}

static struct envelope head_of(const struct frame *f)
{
	struct cursor c = cursor_of(f->octets, f->len);
	struct envelope e;

	assert_int_equal(envelope_read(&c, &e), 0);
	return e;
}

/* A frame in the clear, to either end. */
static void forge(struct way *w, uint8_t version, enum frame_kind kind,
		  uint64_t session, const void *body, size_t len)
{
	struct frame *f = &w->frame[w->count++];
	struct writer out = writer_of(f->octets, sizeof(f->octets));
	struct envelope e = { .version = version, .kind = (uint8_t)kind,
			      .session = session, .length = (uint32_t)len };

	envelope_write(&out, &e, body);
	writer_bytes(&out, body, len);
	f->len = out.pos;
}

static void hello_forge(struct bed *b, const char *id, const char *name)
{
	uint8_t body[256];
	struct writer w = writer_of(body, sizeof(body));
	struct hello h = { .run = 9 };

	(void)snprintf(h.switch_id, sizeof(h.switch_id), "%s", id);
	(void)snprintf(h.switch_name, sizeof(h.switch_name), "%s", name);
	hello_write(&w, WIRE_VERSION, &h);
	forge(&b->up, WIRE_VERSION, FRAME_HELLO, 0, body, w.pos);
}

static void test_c11_records_go_sealed_and_are_acknowledged(void **state)
{
	struct bed *b = *state;

	records_make(b);
	talk(b, 8);
	assert_true(status(b).connected && status(b).sealed);
	assert_string_equal(status(b).reason, "");
	assert_int_equal(counted(b).records, RECORDS);
	assert_int_equal(ring_acked(b->rings.ring[STREAM_FINDINGS], 0),
			 RECORDS);
	assert_int_equal(b->complaints, 0);
}

static void test_c11_only_the_handshake_is_in_the_clear(void **state)
{
	struct bed *b = *state;
	unsigned sealed = 0, clear = 0;

	records_make(b);
	for (unsigned i = 0; i < 8; i++) {
		b->now.ns += HEARTBEAT_NS / 4;
		(void)push_run(b->push, b->now);
		for (unsigned k = 0; k < b->up.count; k++) {
			struct envelope e = head_of(&b->up.frame[k]);

			sealed += e.version == WIRE_VERSION_SEALED;
			clear += e.version != WIRE_VERSION_SEALED;
			if (e.version != WIRE_VERSION_SEALED)
				assert_int_equal(e.kind, FRAME_HANDSHAKE);
			assert_null(memmem(b->up.frame[k].octets,
					   b->up.frame[k].len, "leaf1", 5));
		}
		collector_hears(b);
		agent_hears(b);
	}
	assert_int_equal(clear, 1);
	assert_true(sealed > 2);
}

static void test_c11_a_switch_speaks_for_itself_alone(void **state)
{
	struct bed *b = *state;

	push_make(b, "SN-other", "leaf1", true);
	records_make(b);
	talk(b, 4);
	assert_false(status(b).connected);
	assert_non_null(strstr(status(b).reason,
			       "the key belongs to another switch: the list "
			       "has SN42, the switch says SN-other"));
	push_make(b, "SN42", "SN-other", true);
	talk(b, 4);
	assert_non_null(strstr(status(b).reason,
			       "the name of this switch is the id of another"));
	assert_int_equal(b->kept, 0);
	assert_int_equal(ledger_count(b->ledger), 0);
	push_make(b, "SN42", "SN42", true);	/* its own is free */
	talk(b, 8);
	assert_int_equal(counted(b).records, RECORDS);
}

static void test_c11_nothing_in_the_clear_of_a_switch_with_a_key(void **state)
{
	struct bed *b = *state;

	intake_make(b, true);
	push_make(b, "SN42", "leaf1", false);
	talk(b, 4);
	assert_non_null(strstr(status(b).reason, "must seal its frames"));
	push_make(b, "SN7", "SN42", false);
	talk(b, 4);
	assert_non_null(strstr(status(b).reason, "must seal its frames"));
	push_make(b, "SN7", "leaf7", false);
	talk(b, 4);
	assert_true(status(b).connected);
	assert_false(status(b).sealed);
}

static void test_c11_nothing_in_the_clear_where_all_is_sealed(void **state)
{
	struct bed *b = *state;

	push_make(b, "SN7", "leaf7", false);
	records_make(b);
	talk(b, 4);
	assert_false(status(b).connected);
	assert_non_null(strstr(status(b).reason, "only sealed frames"));
	assert_int_equal(ledger_count(b->ledger), 0);
}

/* Who sees the session's number can write it into a frame of his own. */
static void test_c11_no_clear_frame_in_a_sealed_session(void **state)
{
	struct bed *b = *state;
	struct envelope last;
	uint8_t ping[8] = { 0 };

	intake_make(b, true);
	talk(b, 4);
	b->now.ns += HEARTBEAT_NS;
	(void)push_run(b->push, b->now);
	assert_true(b->up.count > 0);
	last = head_of(&b->up.frame[0]);
	assert_int_equal(last.version, WIRE_VERSION_SEALED);
	b->up.count = 0;
	forge(&b->up, WIRE_VERSION, FRAME_PING, last.session, ping,
	      sizeof(ping));
	collector_hears(b);
	assert_int_equal(b->down.count, 1);
	assert_int_equal(head_of(&b->down.frame[0]).kind,
			 FRAME_SESSION_UNKNOWN);
	assert_int_equal(counted(b).unknown_sessions, 1);
}

static void test_c11_a_clear_word_is_not_believed(void **state)
{
	static const enum frame_kind kinds[] = {
		FRAME_WELCOME, FRAME_ACK, FRAME_PONG, FRAME_REFUSED,
		FRAME_HANDSHAKE_ANSWER };
	struct bed *b = *state;
	uint8_t body[25] = { 0 };

	talk(b, 4);
	assert_true(status(b).connected);
	b->now.ns += HEARTBEAT_NS;
	(void)push_run(b->push, b->now);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (uint8_t version = 1; version <= WIRE_VERSION; version++) {
			forge(&b->down, version, kinds[i],
			      head_of(&b->up.frame[0]).session, body,
			      sizeof(body));
			agent_hears(b);
			assert_true(status(b).connected);
			assert_string_equal(status(b).reason, "");
		}
}

/* A REFUSED of version 1 made an agent of before fall back to it. */
static void test_c11_there_is_no_way_back_into_the_clear(void **state)
{
	struct bed *b = *state;

	for (unsigned i = 0; i < 5; i++) {
		(void)push_run(b->push, b->now);
		for (unsigned k = 0; k < b->up.count; k++)
			assert_int_equal(head_of(&b->up.frame[k]).kind,
					 FRAME_HANDSHAKE);
		b->up.count = 0;
		forge(&b->down, 1, FRAME_REFUSED, 0, "no", 2);
		agent_hears(b);
		assert_non_null(strstr(status(b).reason, "refuses: no"));
		b->now.ns += 20 * NS_PER_S;
	}
	talk(b, 8);
	assert_true(status(b).connected);
}

static void test_c11_a_revoked_switch_is_heard_no_more(void **state)
{
	struct bed *b = *state;

	records_make(b);
	talk(b, 8);
	assert_int_equal(counted(b).records, RECORDS);
	authorize(b, NULL);
	records_make(b);
	talk(b, 8);
	assert_int_equal(counted(b).records, RECORDS);
	assert_false(status(b).connected);
	assert_non_null(strstr(status(b).reason,
			       "this key is not authorised"));
	authorize(b, "SN42");
	talk(b, 200);
	assert_int_equal(counted(b).records, 2 * RECORDS);
	assert_int_equal(counted(b).gaps, 0);
}

static void test_c11_a_damaged_frame_is_counted_and_not_answered(void **state)
{
	struct bed *b = *state;

	talk(b, 4);
	records_make(b);
	(void)push_run(b->push, b->now);
	assert_true(b->up.count > 0);
	b->up.frame[0].octets[ENVELOPE_LEN + 40] ^= 1;
	collector_hears(b);
	assert_int_equal(counted(b).damaged, 1);
	assert_int_equal(b->down.count, 0);
	assert_int_equal(b->kept, 0);
	talk(b, 60);			/* it is sent again */
	assert_int_equal(counted(b).records, RECORDS);
}

static void test_a_collector_that_began_anew_is_greeted_anew(void **state)
{
	struct bed *b = *state;

	talk(b, 4);
	authorize(b, NULL);		/* all sessions are gone */
	authorize(b, "SN42");
	records_make(b);
	talk(b, 8);
	assert_true(status(b).connected);
	assert_int_equal(counted(b).records, RECORDS);
}

/* A HELLO of before, and a HANDSHAKE, said again by somebody. */
static void test_c11_a_session_is_not_ended_by_repeats(void **state)
{
	struct bed *b = *state;
	static struct way early;

	records_make(b);
	for (unsigned i = 0; i < 4; i++) {
		b->now.ns += HEARTBEAT_NS / 4;
		(void)push_run(b->push, b->now);
		for (unsigned k = 0; k < b->up.count; k++)
			early.frame[early.count++] = b->up.frame[k];
		collector_hears(b);
		agent_hears(b);
	}
	assert_int_equal(counted(b).records, RECORDS);
	b->now.ns += NS_PER_S;
	b->up = early;
	collector_hears(b);
	assert_int_equal(counted(b).records, RECORDS);
	assert_int_equal(counted(b).repeats, 0);
	assert_true(counted(b).damaged >= early.count - 1);
	b->down.count = 0;		/* answers go to that somebody */
	records_make(b);
	talk(b, 8);
	assert_true(status(b).connected);
	assert_int_equal(counted(b).records, 2 * RECORDS);
}

static void test_a_clear_hello_is_still_judged(void **state)
{
	struct bed *b = *state;

	intake_make(b, true);
	hello_forge(b, "SN42", "leaf");
	collector_hears(b);
	assert_int_equal(head_of(&b->down.frame[0]).kind, FRAME_REFUSED);
	b->down.count = 0;
	hello_forge(b, "SN43", "leaf");
	collector_hears(b);
	assert_int_equal(head_of(&b->down.frame[0]).kind, FRAME_WELCOME);
}

#define BED(test) cmocka_unit_test_setup_teardown(test, bed_make, bed_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BED(test_c11_records_go_sealed_and_are_acknowledged),
		BED(test_c11_only_the_handshake_is_in_the_clear),
		BED(test_c11_a_switch_speaks_for_itself_alone),
		BED(test_c11_nothing_in_the_clear_of_a_switch_with_a_key),
		BED(test_c11_nothing_in_the_clear_where_all_is_sealed),
		BED(test_c11_no_clear_frame_in_a_sealed_session),
		BED(test_c11_a_clear_word_is_not_believed),
		BED(test_c11_there_is_no_way_back_into_the_clear),
		BED(test_c11_a_revoked_switch_is_heard_no_more),
		BED(test_c11_a_damaged_frame_is_counted_and_not_answered),
		BED(test_a_collector_that_began_anew_is_greeted_anew),
		BED(test_c11_a_session_is_not_ended_by_repeats),
		BED(test_a_clear_hello_is_still_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
