/* C11: sealed sessions, both ends: who gets one, what opens, what is refused.
 * SEAL_FRAMES sets how many frames are forged; PETREL_SEED how.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/seal/initiator.h"
#include "agent/seal/responder.h"
#include "tests/support/golden.h"
#include "tests/support/quick.h"

#define BODY_MAX 512
#define FRAME_ROOM (ENVELOPE_LEN + BODY_MAX + WIRE_TAG_LEN)

struct bed {
	struct noise_pair collector[KEYS_MAX], agent, other;
	struct responder *responder;
	struct initiator *initiator;
	struct clock_reading now;
	struct responder_answer answer;
	uint64_t drawn;
	const char *enrols;	/* the token that is good; NULL: none */
	unsigned enrolled;
};

static uint64_t draw(void *context)
{
	return ++((struct bed *)context)->drawn;
}

static void list_add(char *text, size_t cap, const struct noise_pair *key,
		     const char *rest)
{
	size_t len = strlen(text);

	key_text(key->public, text + len);
	len += KEY_TEXT_SIZE - 1;
	(void)snprintf(text + len, cap - len, " %s\n", rest);
}

static void authorize(struct bed *b, const char *text)
{
	struct authorized list;
	struct diag d;

	assert_int_equal(authorized_parse(text, strlen(text), "list", &list,
					  &d), 0);
	assert_int_equal(responder_authorize(b->responder, &list), 0);
}

static void authorize_agent(struct bed *b, const char *rest)
{
	char text[256] = "";

	list_add(text, sizeof(text), &b->agent, rest);
	authorize(b, text);
}

static int enrol(void *context, const char *token, size_t len,
		 const uint8_t key[static NOISE_KEY_LEN])
{
	struct bed *b = context;

	assert_memory_equal(key, b->agent.public, NOISE_KEY_LEN);
	if (!b->enrols || strlen(b->enrols) != len ||
	    memcmp(b->enrols, token, len) != 0)
		return -ENOENT;
	b->enrols = NULL;
	b->enrolled++;
	authorize_agent(b, "sw1");
	return 0;
}

static void keys_give(struct bed *b, unsigned count)
{
	uint8_t secret[KEYS_MAX][NOISE_KEY_LEN];

	for (unsigned i = 0; i < KEYS_MAX; i++)
		memcpy(secret[i], b->collector[i].secret, NOISE_KEY_LEN);
	responder_keys(b->responder, secret, count);
}

static void initiator_make(struct bed *b, const struct noise_pair *own,
			   const struct noise_pair *collector,
			   const char *token)
{
	initiator_free(b->initiator);
	assert_int_equal(initiator_new(own, collector->public, token,
				       &b->initiator), 0);
}

static int bed_make(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));
	struct responder_env env = { .context = b, .enrol = enrol,
				     .random = draw };

	assert_int_equal(responder_new(&env, &b->responder), 0);
	for (unsigned i = 0; i < KEYS_MAX; i++)
		noise_pair_draw(&b->collector[i]);
	noise_pair_draw(&b->agent);
	noise_pair_draw(&b->other);
	keys_give(b, 1);
	authorize_agent(b, "sw1");
	initiator_make(b, &b->agent, &b->collector[0], NULL);
	b->now.mono.ns = NS_PER_S;
	b->now.wall.ns = INT64_C(1798761600) * NS_PER_S; /* 2027-01-01 */
	*state = b;
	return 0;
}

static int bed_end(void **state)
{
	struct bed *b = *state;

	responder_free(b->responder);
	initiator_free(b->initiator);
	free(b);
	return 0;
}

/* The collector's half. A second later each time, so that work is no bound. */
static int handshake(struct bed *b, uint32_t connection)
{
	uint8_t frame[HANDSHAKE_LEN];
	struct envelope e;
	struct cursor c;
	size_t len;

	b->now.mono.ns += NS_PER_S;
	assert_int_equal(initiator_handshake(b->initiator, frame, &len), 0);
	c = cursor_of(frame, len);
	assert_int_equal(envelope_read(&c, &e), 0);
	assert_int_equal(e.kind, FRAME_HANDSHAKE);
	return responder_handshake(b->responder, connection, &c, b->now,
				   &b->answer);
}

static int answer_take(struct bed *b, const uint8_t *answer, size_t len)
{
	struct cursor c = cursor_of(answer, len);

	return initiator_answer(b->initiator, b->answer.session, &c);
}

static int greet(struct bed *b)
{
	int err = handshake(b, 1);

	return err < 0 ? err : answer_take(b, b->answer.body,
					   sizeof(b->answer.body));
}

/* A frame of the agent's. */
static size_t frame_make(struct bed *b, uint8_t *frame, const char *text)
{
	size_t len = 0;

	memcpy(frame + ENVELOPE_LEN, text, strlen(text));
	assert_int_equal(sealed_write(initiator_sealed(b->initiator),
				      FRAME_DATA, frame, strlen(text), &len),
			 0);
	return len;
}

static int frame_open(struct bed *b, uint8_t *frame, size_t len,
		      struct cursor *ret, const char **ret_id)
{
	struct cursor c = cursor_of(frame, len);
	struct envelope e;
	int err = envelope_read(&c, &e);

	if (err == 0 && e.version != WIRE_VERSION_SEALED)
		err = -EPROTO;
	return err < 0 ? err : responder_open(b->responder, &e, frame, len,
					      b->now.mono, ret, ret_id);
}

/* Says a text; NULL: it was refused. */
static const char *say(struct bed *b, const char *text)
{
	uint8_t frame[FRAME_ROOM];
	size_t len = frame_make(b, frame, text);
	const char *id = NULL;
	struct cursor body;

	if (frame_open(b, frame, len, &body, &id) < 0)
		return NULL;
	assert_int_equal(cursor_left(&body), strlen(text));
	assert_memory_equal(body.data, text, strlen(text));
	return id;
}

static void test_c11_frames_travel_sealed_both_ways(void **state)
{
	struct bed *b = *state;
	uint8_t frame[FRAME_ROOM];
	struct cursor c, body;
	struct envelope e;
	size_t len;

	assert_int_equal(greet(b), 0);
	assert_string_equal(say(b, "one"), "sw1");
	assert_string_equal(say(b, ""), "sw1");
	len = frame_make(b, frame, "a secret");
	assert_null(memmem(frame, len, "a secret", 8));
	memcpy(frame + ENVELOPE_LEN, "hello", 5);
	assert_int_equal(responder_seal(b->responder, b->answer.session,
					FRAME_ACK, frame, 5, &len), 0);
	assert_int_equal(len, ENVELOPE_LEN + 5 + WIRE_TAG_LEN);
	c = cursor_of(frame, len);
	assert_int_equal(envelope_read(&c, &e), 0);
	assert_int_equal(e.kind, FRAME_ACK);
	assert_int_equal(sealed_read(initiator_sealed(b->initiator), &e, frame,
				     len, &body), 0);
	assert_memory_equal(body.data, "hello", 5);
}

/* Key 00 to 1f, number 2^32 + 5; sealed by another library. */
static void test_c11_a_sealed_frame_keeps_its_form(void **state)
{
	struct sealed s = { .session = UINT64_C(0x0102030405060708) };
	uint8_t frame[FRAME_ROOM];
	struct cursor c, body;
	struct envelope e;
	size_t len = 0;

	(void)state;
	for (unsigned i = 0; i < NOISE_KEY_LEN; i++)
		s.out.key[i] = s.in.key[i] = (uint8_t)i;
	s.out.next = s.in.next = (UINT64_C(1) << 32) + 5;
	memcpy(frame + ENVELOPE_LEN, "petrel", 6);
	assert_int_equal(sealed_write(&s, FRAME_DATA, frame, 6, &len), 0);
	golden_assert("frame_sealed", frame, len);
	c = cursor_of(frame, len);
	assert_int_equal(envelope_read(&c, &e), 0);
	assert_int_equal(sealed_read(&s, &e, frame, len, &body), 0);
	assert_memory_equal(body.data, "petrel", 6);
}

static void test_the_largest_frame_fits(void **state)
{
	struct bed *b = *state;
	uint8_t *frame = calloc(1, WIRE_FRAME_MAX);
	struct cursor body;
	const char *id;
	size_t len;

	assert_int_equal(greet(b), 0);
	assert_int_equal(sealed_write(initiator_sealed(b->initiator),
				      FRAME_DATA, frame, WIRE_BODY_MAX, &len),
			 0);
	assert_int_equal(len, WIRE_FRAME_MAX);
	assert_int_equal(frame_open(b, frame, len, &body, &id), 0);
	assert_int_equal(cursor_left(&body), WIRE_BODY_MAX);
	free(frame);
}

static void test_c11_a_frame_opens_once_and_in_order(void **state)
{
	struct bed *b = *state;
	uint8_t first[FRAME_ROOM], second[FRAME_ROOM], copy[FRAME_ROOM];
	struct cursor body;
	const char *id;
	size_t len;

	assert_int_equal(greet(b), 0);
	len = frame_make(b, first, "first");
	assert_int_equal(frame_make(b, second, "other"), len);
	memcpy(copy, second, len);
	assert_int_equal(frame_open(b, copy, len, &body, &id), 0);
	memcpy(copy, second, len);	/* again */
	assert_int_equal(frame_open(b, copy, len, &body, &id), -EBADMSG);
	assert_int_equal(frame_open(b, first, len, &body, &id), -EBADMSG);
	assert_string_equal(say(b, "third"), "sw1");
}

/* What got lost between two connections is no reason to begin anew. */
static void test_lost_frames_are_passed_over(void **state)
{
	struct bed *b = *state;
	uint8_t lost[FRAME_ROOM];

	assert_int_equal(greet(b), 0);
	for (unsigned i = 0; i < 1000; i++)
		(void)frame_make(b, lost, "x");
	assert_string_equal(say(b, "on"), "sw1");
}

static void test_numbers_go_on_past_32_bits(void **state)
{
	struct bed *b = *state;
	struct sealed agent = { .session = 1 }, collector = { .session = 1 };
	uint8_t frame[FRAME_ROOM] = { 0 }, copy[FRAME_ROOM];
	struct cursor c, body;
	struct envelope e;
	size_t len = 0;

	(void)b;
	agent.out.next = collector.in.next = UINT32_MAX - 1;
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(sealed_write(&agent, FRAME_DATA, frame, 3,
					      &len), 0);
		memcpy(copy, frame, len);
		c = cursor_of(frame, len);
		assert_int_equal(envelope_read(&c, &e), 0);
		assert_int_equal(sealed_read(&collector, &e, frame, len,
					     &body), 0);
		assert_int_equal(sealed_read(&collector, &e, copy, len, &body),
				 -EBADMSG);
	}
	assert_true(collector.in.next == (uint64_t)UINT32_MAX + 3);
	agent.out.next = SEALED_NUMBERS;
	assert_int_equal(sealed_write(&agent, FRAME_DATA, frame, 3, &len),
			 -EOVERFLOW);
}

static void test_c11_an_unknown_key_gets_no_session(void **state)
{
	struct bed *b = *state;
	struct responder_count count;
	char text[KEY_TEXT_SIZE];

	initiator_make(b, &b->other, &b->collector[0], NULL);
	assert_int_equal(greet(b), -EACCES);
	key_text(b->other.public, text);	/* for who reads the log */
	assert_string_equal(b->answer.key, text);
	responder_count(b->responder, &count);
	assert_int_equal(count.unauthorized, 1);
	assert_int_equal(count.handshakes, 0);
}

static void test_c11_another_collector_gets_no_word(void **state)
{
	struct bed *b = *state;

	initiator_make(b, &b->agent, &b->collector[1], NULL);
	assert_int_equal(greet(b), -EBADMSG);
	assert_null(initiator_sealed(b->initiator));
}

static void test_an_answer_of_somebody_else_is_refused(void **state)
{
	struct bed *b = *state;
	uint8_t forged[NOISE_SECOND_LEN], *answer = b->answer.body;

	assert_int_equal(handshake(b, 1), 0);
	for (size_t i = 0; i < NOISE_SECOND_LEN; i++) {
		memcpy(forged, answer, NOISE_SECOND_LEN);
		forged[i] ^= 0x10;
		assert_int_equal(answer_take(b, forged, sizeof(forged)),
				 -EBADMSG);
		assert_int_equal(answer_take(b, answer, i), -EBADMSG);
	}
	assert_int_equal(answer_take(b, answer, NOISE_SECOND_LEN), 0);
	assert_string_equal(say(b, "and the right one counts"), "sw1");
	/* it was answered: the same once more would begin the numbers anew */
	assert_int_equal(answer_take(b, answer, NOISE_SECOND_LEN), -EBADMSG);
}

static void test_c11_two_keys_of_the_collector_are_good(void **state)
{
	struct bed *b = *state;

	keys_give(b, 2);
	for (unsigned i = 0; i < KEYS_MAX; i++) {
		initiator_make(b, &b->agent, &b->collector[i], NULL);
		assert_int_equal(greet(b), 0);
		assert_string_equal(say(b, "hello"), "sw1");
	}
}

static void test_c11_two_keys_of_a_switch_are_good(void **state)
{
	struct bed *b = *state;
	char text[256] = "# sw1 changes its key\n\n";

	list_add(text, sizeof(text), &b->agent, "sw1");
	list_add(text, sizeof(text), &b->other, "sw1");
	assert_int_equal(greet(b), 0);
	authorize(b, text);
	assert_string_equal(say(b, "the session goes on"), "sw1");
	initiator_make(b, &b->other, &b->collector[0], NULL);
	assert_int_equal(greet(b), 0);
	assert_string_equal(say(b, "the new one"), "sw1");
}

static void test_c11_a_revoked_key_ends_its_session(void **state)
{
	struct bed *b = *state;
	char text[256] = "";

	assert_int_equal(greet(b), 0);
	list_add(text, sizeof(text), &b->other, "sw2");
	authorize(b, text);
	assert_null(say(b, "may I still?"));
	assert_int_equal(greet(b), -EACCES);
	authorize_agent(b, "sw1");
	assert_int_equal(greet(b), 0);
}

static void test_a_key_of_another_switch_now_ends_its_session(void **state)
{
	struct bed *b = *state;

	assert_int_equal(greet(b), 0);
	authorize_agent(b, "sw3");
	assert_null(say(b, "I was sw1"));
	assert_int_equal(greet(b), 0);
	assert_string_equal(say(b, "and am sw3"), "sw3");
}

static void test_a_key_ends_on_its_day(void **state)
{
	struct bed *b = *state;

	authorize_agent(b, "sw1 until=2027-01-02");
	assert_int_equal(greet(b), 0);
	b->now.wall.ns += INT64_C(86400) * NS_PER_S - 1;
	responder_expire(b->responder, b->now.wall);
	assert_string_equal(say(b, "the last of the day"), "sw1");
	b->now.wall.ns++;
	responder_expire(b->responder, b->now.wall);
	assert_null(say(b, "too late"));
	assert_int_equal(greet(b), -EACCES);
}

static void test_c11_a_token_is_good_once(void **state)
{
	struct bed *b = *state;
	static const char token[] = "01234567890123456789012345678901";

	authorize(b, "");
	initiator_make(b, &b->agent, &b->collector[0], token);
	assert_int_equal(greet(b), -ENOENT);
	b->enrols = token;
	assert_int_equal(greet(b), 0);
	assert_string_equal(say(b, "I am in"), "sw1");
	assert_int_equal(greet(b), 0);	/* known: the token is not looked at */
	assert_int_equal(b->enrolled, 1);
	authorize(b, "");
	assert_int_equal(greet(b), -ENOENT);
}

static void test_sessions_of_a_key_are_bounded(void **state)
{
	struct bed *b = *state;
	struct initiator *first = b->initiator;

	assert_int_equal(greet(b), 0);
	assert_string_equal(say(b, "one that speaks"), "sw1");
	b->initiator = NULL;
	initiator_make(b, &b->agent, &b->collector[0], NULL);
	for (unsigned i = 0; i < 100; i++)	/* repeated by somebody */
		assert_int_equal(handshake(b, 2 + i), 0);
	initiator_free(b->initiator);
	b->initiator = first;
	assert_string_equal(say(b, "is not pushed out"), "sw1");
	for (unsigned i = 0; i < RESPONDER_SESSIONS; i++) {
		initiator_make(b, &b->agent, &b->collector[0], NULL);
		assert_int_equal(greet(b), 0);
		assert_string_equal(say(b, "next"), "sw1");
	}
}

static void test_work_for_handshakes_is_bounded(void **state)
{
	struct bed *b = *state;
	uint8_t frame[HANDSHAKE_LEN];
	struct responder_count count;
	unsigned answered = 0;
	size_t len;

	assert_int_equal(initiator_handshake(b->initiator, frame, &len), 0);
	for (uint32_t i = 0; i < 8 * RESPONDER_OF_CONNECTION; i++) {
		struct cursor c = cursor_of(frame + ENVELOPE_LEN,
					    len - ENVELOPE_LEN);
		int err = responder_handshake(b->responder, i % 2, &c, b->now,
					      &b->answer);

		assert_true(err == 0 || err == -EAGAIN);
		answered += err == 0;
	}
	assert_int_equal(answered, 2 * RESPONDER_OF_CONNECTION);
	for (uint32_t i = 0; i < 2 * RESPONDER_HANDSHAKES; i++) {
		struct cursor c = cursor_of(frame, 1);

		(void)responder_handshake(b->responder, 1000 + i, &c, b->now,
					  &b->answer);
	}
	responder_count(b->responder, &count);
	assert_int_equal(count.excess,
			 8 * RESPONDER_OF_CONNECTION +
			 2 * RESPONDER_HANDSHAKES - RESPONDER_HANDSHAKES);
	b->now.mono.ns += NS_PER_S;
	assert_int_equal(greet(b), 0);
}

static void test_many_switches_have_their_sessions(void **state)
{
	const unsigned switches = quick(200, 70);
	struct bed *b = *state;
	struct noise_pair *pairs = calloc(switches, sizeof(*pairs));
	struct initiator **all = calloc(switches, sizeof(struct initiator *));
	char *text = calloc(switches, 128), id[32];

	for (unsigned i = 0; i < switches; i++) {
		noise_pair_draw(&pairs[i]);
		(void)snprintf(id, sizeof(id), "sw%u", i);
		list_add(text, switches * 128, &pairs[i], id);
	}
	authorize(b, text);
	for (unsigned i = 0; i < switches; i++) {
		initiator_make(b, &pairs[i], &b->collector[0], NULL);
		assert_int_equal(greet(b), 0);
		all[i] = b->initiator;
		b->initiator = NULL;
	}
	for (unsigned i = 0; i < switches; i++) {
		b->initiator = all[i];
		(void)snprintf(id, sizeof(id), "sw%u", i);
		assert_string_equal(say(b, "here"), id);
		initiator_free(b->initiator);
		b->initiator = NULL;
	}
	free(text);
	free(all);
	free(pairs);
}

/* --- forged frames -------------------------------------------------------- */

#define KEPT 64			/* frames of before, to be said again */

struct recorded {
	size_t len;
	uint8_t frame[FRAME_ROOM];
};

/* One of many ways to forge; never what the collector waits for. */
static size_t forge(const struct recorded *all, size_t count,
		    const struct recorded *next, uint8_t *ret)
{
	const struct recorded *from = &all[(size_t)rand() % count];
	size_t len, bit;

	switch (rand() % 5) {
	case 0:			/* replayed, out of order */
		memcpy(ret, from->frame, from->len);
		return from->len;
	case 1:			/* truncated */
		len = (size_t)rand() % next->len;
		memcpy(ret, next->frame, len);
		return len;
	case 2:			/* its length told as it is, too */
		len = ENVELOPE_LEN + (size_t)rand() %
				     (next->len - ENVELOPE_LEN);
		memcpy(ret, next->frame, len);
		ret[19] = (uint8_t)(len - ENVELOPE_LEN);
		ret[18] = (uint8_t)((len - ENVELOPE_LEN) >> 8);
		return len;
	case 3:			/* an old body as the next frame */
		memcpy(ret, from->frame, from->len);
		memcpy(ret + 20, next->frame + 20, 4);
		return from->len;
	default:		/* a bit flipped, or more */
		memcpy(ret, next->frame, next->len);
		for (int n = rand() % 3; n >= 0; n--) {
			bit = (size_t)rand() % (8 * next->len);
			ret[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		return memcmp(ret, next->frame, next->len) ? next->len : 0;
	}
}

static void recorded_make(struct bed *b, struct recorded *r)
{
	char text[BODY_MAX];
	size_t len = (size_t)rand() % (sizeof(text) - 1);

	for (size_t i = 0; i < len; i++)
		text[i] = (char)('a' + rand() % 26);
	text[len] = '\0';
	r->len = frame_make(b, r->frame, text);
}

static void test_c11_no_forged_frame_is_accepted(void **state)
{
	const char *many = getenv("SEAL_FRAMES"), *seed = getenv("PETREL_SEED");
	unsigned long frames = many ? strtoul(many, NULL, 10) : 20000, said = 0;
	unsigned from = seed ? (unsigned)strtoul(seed, NULL, 10) :
			       (unsigned)getpid();
	struct bed *b = *state;
	static struct recorded all[KEPT], next;
	uint8_t frame[FRAME_ROOM];
	struct cursor body;
	const char *id;

	srand(from);
	assert_int_equal(greet(b), 0);
	recorded_make(b, &next);
	for (size_t i = 0; i < KEPT; i++) {
		recorded_make(b, &all[i]);
		memcpy(frame, all[i].frame, all[i].len);
		assert_int_equal(frame_open(b, frame, all[i].len, &body, &id),
				 0);
	}
	for (unsigned long i = 0; i < frames; i++) {
		size_t len;

		if (i % KEPT == 0)
			recorded_make(b, &next);
		len = forge(all, KEPT, &next, frame);
		if (frame_open(b, frame, len, &body, &id) == 0)
			fail_msg("frame %lu of seed %u was accepted", i, from);
		if (i % KEPT != KEPT - 1)
			continue;
		memcpy(frame, next.frame, next.len);	/* the true one is */
		assert_int_equal(frame_open(b, frame, next.len, &body, &id),
				 0);
		all[said++ % KEPT] = next;
	}
	printf("# %lu forged frames, 0 accepted; %lu true ones between them; "
	       "seed %u\n", frames, said, from);
}

#define BED(test) cmocka_unit_test_setup_teardown(test, bed_make, bed_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BED(test_c11_frames_travel_sealed_both_ways),
		BED(test_c11_a_sealed_frame_keeps_its_form),
		BED(test_the_largest_frame_fits),
		BED(test_c11_a_frame_opens_once_and_in_order),
		BED(test_lost_frames_are_passed_over),
		BED(test_numbers_go_on_past_32_bits),
		BED(test_c11_an_unknown_key_gets_no_session),
		BED(test_c11_another_collector_gets_no_word),
		BED(test_an_answer_of_somebody_else_is_refused),
		BED(test_c11_two_keys_of_the_collector_are_good),
		BED(test_c11_two_keys_of_a_switch_are_good),
		BED(test_c11_a_revoked_key_ends_its_session),
		BED(test_a_key_of_another_switch_now_ends_its_session),
		BED(test_a_key_ends_on_its_day),
		BED(test_c11_a_token_is_good_once),
		BED(test_sessions_of_a_key_are_bounded),
		BED(test_work_for_handshakes_is_bounded),
		BED(test_many_switches_have_their_sessions),
		BED(test_c11_no_forged_frame_is_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
