/* C11: the handshake and what follows it, against the published vector. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json.h>

#include "agent/seal/noise.h"

#define VECTOR "tests/data/noise/Noise_IK_25519_ChaChaPoly_BLAKE2b.json"
#define OCTETS_MAX 256

struct octets {
	size_t len;
	uint8_t at[OCTETS_MAX];
};

struct bed {
	struct json_object *file, *vector, *messages;
	struct noise agent, collector;
};

static struct octets hex(struct json_object *o, const char *name)
{
	const char *text =
		json_object_get_string(json_object_object_get(o, name));
	struct octets ret = { .len = strlen(text) / 2 };

	assert_true(ret.len <= OCTETS_MAX);
	for (size_t i = 0; i < ret.len; i++) {
		char digits[3] = { text[2 * i], text[2 * i + 1], '\0' };

		ret.at[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return ret;
}

static struct noise_pair pair(struct json_object *o, const char *name)
{
	struct octets secret = hex(o, name);
	struct noise_pair ret;

	assert_int_equal(secret.len, NOISE_KEY_LEN);
	noise_pair_of(secret.at, &ret);
	return ret;
}

static int bed_make(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));
	struct octets prologue;
	struct noise_pair own, once;

	assert_int_equal(noise_start(), 0);
	b->file = json_object_from_file(VECTOR);
	assert_non_null(b->file);
	b->vector = json_object_array_get_idx(
		json_object_object_get(b->file, "vectors"), 0);
	b->messages = json_object_object_get(b->vector, "messages");
	prologue = hex(b->vector, "init_prologue");
	own = pair(b->vector, "init_static");
	once = pair(b->vector, "init_ephemeral");
	noise_begin(&b->agent, prologue.at, prologue.len, &own,
		    hex(b->vector, "init_remote_static").at, &once);
	own = pair(b->vector, "resp_static");
	once = pair(b->vector, "resp_ephemeral");
	noise_expect(&b->collector, prologue.at, prologue.len, &own, &once);
	*state = b;
	return 0;
}

static int bed_end(void **state)
{
	struct bed *b = *state;

	json_object_put(b->file);
	free(b);
	return 0;
}

static struct json_object *message(const struct bed *b, size_t index)
{
	return json_object_array_get_idx(b->messages, index);
}

static void test_c11_both_ends_say_what_the_vector_says(void **state)
{
	struct bed *b = *state;
	struct octets said, sealed, hash = hex(b->vector, "handshake_hash");
	uint8_t out[OCTETS_MAX], heard[OCTETS_MAX];

	said = hex(message(b, 0), "payload");
	sealed = hex(message(b, 0), "ciphertext");
	assert_int_equal(noise_first_write(&b->agent, said.at, said.len, out),
			 0);
	assert_int_equal(sealed.len, NOISE_FIRST_LEN + said.len);
	assert_memory_equal(out, sealed.at, sealed.len);
	assert_int_equal(noise_first_read(&b->collector, out, sealed.len,
					  heard), 0);
	assert_memory_equal(heard, said.at, said.len);
	assert_memory_equal(b->collector.peer, b->agent.own.public,
			    NOISE_KEY_LEN);
	said = hex(message(b, 1), "payload");
	sealed = hex(message(b, 1), "ciphertext");
	assert_int_equal(noise_second_write(&b->collector, said.at, said.len,
					    out), 0);
	assert_int_equal(sealed.len, NOISE_SECOND_LEN + said.len);
	assert_memory_equal(out, sealed.at, sealed.len);
	assert_int_equal(noise_second_read(&b->agent, out, sealed.len, heard),
			 0);
	assert_memory_equal(heard, said.at, said.len);
	assert_memory_equal(b->agent.hash, hash.at, NOISE_HASH_LEN);
	assert_memory_equal(b->collector.hash, hash.at, NOISE_HASH_LEN);
}

static void test_c11_messages_after_it_as_well(void **state)
{
	struct bed *b = *state;
	size_t count = json_object_array_length(b->messages);
	struct noise_cipher way[2], twin[2];
	uint8_t out[OCTETS_MAX];

	test_c11_both_ends_say_what_the_vector_says(state);
	noise_split(&b->agent, &way[0], &way[1]);
	noise_split(&b->collector, &twin[0], &twin[1]);
	assert_true(count > 4);
	for (size_t i = 2; i < count; i++) {
		struct octets said = hex(message(b, i), "payload");
		struct octets sealed = hex(message(b, i), "ciphertext");
		struct noise_cipher *c = &way[i % 2];

		assert_memory_equal(c->key, twin[i % 2].key, NOISE_KEY_LEN);
		memcpy(out, said.at, said.len);
		noise_seal(c->key, c->next, NULL, 0, out, said.len);
		assert_memory_equal(out, sealed.at, sealed.len);
		assert_int_equal(noise_open(c->key, c->next++, NULL, 0, out,
					    sealed.len), 0);
		assert_memory_equal(out, said.at, said.len);
	}
}

/* Each octet of each message, and each shorter length. */
static void test_a_message_that_is_changed_is_refused(void **state)
{
	struct bed *b = *state;
	uint8_t first[NOISE_FIRST_LEN], second[NOISE_SECOND_LEN], nothing[1];
	struct noise n;

	assert_int_equal(noise_first_write(&b->agent, NULL, 0, first), 0);
	for (size_t i = 0; i < sizeof(first); i++) {
		n = b->collector;
		first[i] ^= 0x01;
		assert_int_equal(noise_first_read(&n, first, sizeof(first),
						  nothing), -EBADMSG);
		first[i] ^= 0x01;
		n = b->collector;
		assert_int_equal(noise_first_read(&n, first, i, nothing),
				 -EBADMSG);
	}
	assert_int_equal(noise_first_read(&b->collector, first, sizeof(first),
					  nothing), 0);
	assert_int_equal(noise_second_write(&b->collector, NULL, 0, second), 0);
	for (size_t i = 0; i < sizeof(second); i++) {
		n = b->agent;
		second[i] ^= 0x80;
		assert_int_equal(noise_second_read(&n, second, sizeof(second),
						   nothing), -EBADMSG);
		second[i] ^= 0x80;
		n = b->agent;
		assert_int_equal(noise_second_read(&n, second, i, nothing),
				 -EBADMSG);
	}
	assert_int_equal(noise_second_read(&b->agent, second, sizeof(second),
					   nothing), 0);
}

static void test_a_point_of_small_order_is_refused(void **state)
{
	struct bed *b = *state;
	uint8_t first[NOISE_FIRST_LEN] = { 0 }, nothing[1];

	memset(b->agent.peer, 0, NOISE_KEY_LEN);
	assert_int_equal(noise_first_write(&b->agent, NULL, 0, first), -EPROTO);
	memset(first, 0, sizeof(first));
	assert_int_equal(noise_first_read(&b->collector, first, sizeof(first),
					  nothing), -EBADMSG);
}

static void test_another_prologue_is_refused(void **state)
{
	struct bed *b = *state;
	uint8_t first[NOISE_FIRST_LEN], nothing[1];
	struct noise other;

	noise_expect(&other, "petrel 4", 8, &b->collector.own, NULL);
	assert_int_equal(noise_first_write(&b->agent, NULL, 0, first), 0);
	assert_int_equal(noise_first_read(&other, first, sizeof(first),
					  nothing), -EBADMSG);
}

static void test_ephemeral_keys_are_drawn_anew(void **state)
{
	struct bed *b = *state;
	struct noise one, two;

	noise_begin(&one, "x", 1, &b->agent.own, b->agent.peer, NULL);
	noise_begin(&two, "x", 1, &b->agent.own, b->agent.peer, NULL);
	assert_memory_not_equal(one.once.public, two.once.public,
				NOISE_KEY_LEN);
}

#define BED(test) cmocka_unit_test_setup_teardown(test, bed_make, bed_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BED(test_c11_both_ends_say_what_the_vector_says),
		BED(test_c11_messages_after_it_as_well),
		BED(test_a_message_that_is_changed_is_refused),
		BED(test_a_point_of_small_order_is_refused),
		BED(test_another_prologue_is_refused),
		BED(test_ephemeral_keys_are_drawn_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
