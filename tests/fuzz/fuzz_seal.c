/* C11: handshakes and sealed frames, at both ends. Input: pieces of {u8 what,
 * u16 length, octets}. what: 0 a frame for the collector as it is; 1 the octets
 * changed into an honest HANDSHAKE; 2 into its answer; 3 into an honest sealed
 * frame; 4 the list of who is authorised. What was changed must not be taken.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "agent/seal/initiator.h"
#include "agent/seal/responder.h"

#define BODY_LEN 64u

struct world {
	struct responder *responder;
	struct initiator *initiator;
	struct clock_reading now;
	uint64_t drawn;
	char key[KEY_TEXT_SIZE];
};

static uint64_t draw(void *context)
{
	return ++((struct world *)context)->drawn;
}

static void authorize(struct world *w, const char *text, size_t len)
{
	struct authorized list;
	struct diag d;

	if (authorized_parse(text, len, "list", &list, &d) == 0 &&
	    responder_authorize(w->responder, &list) < 0)
		abort();
}

static void authorize_agent(struct world *w)
{
	char text[128];

	(void)strcpy(text, w->key);
	(void)strcat(text, " sw1\n");
	authorize(w, text, strlen(text));
}

/* Returns whether anything of them is another octet now. */
static bool change(uint8_t *to, size_t cap, const uint8_t *octets, size_t len)
{
	bool is_other = false;

	for (size_t i = 0; i < len && i < cap; i++) {
		to[i] ^= octets[i];
		is_other |= octets[i] != 0;
	}
	return is_other;
}

/* A frame for the collector; true when something in it was taken. */
static bool collector_hears(struct world *w, uint8_t *frame, size_t len,
			    struct responder_answer *answer)
{
	struct cursor c = cursor_of(frame, len), body;
	struct envelope e;
	const char *id;

	w->now.mono.ns += NS_PER_S;
	if (envelope_read(&c, &e) < 0)
		return false;
	if (e.version == WIRE_VERSION_SEALED)
		return responder_open(w->responder, &e, frame, len, w->now.mono,
				      &body, &id) == 0;
	return responder_handshake(w->responder, 1, &c, w->now, answer) == 0;
}

static bool agent_hears(struct world *w, const struct responder_answer *answer)
{
	struct cursor c = cursor_of(answer->body, sizeof(answer->body));

	return initiator_answer(w->initiator, answer->session, &c) == 0;
}

static void handshake_play(struct world *w, uint8_t what, const uint8_t *octets,
			   size_t len)
{
	struct responder_answer answer;
	uint8_t frame[HANDSHAKE_LEN];
	size_t frame_len;
	bool is_other;

	if (initiator_handshake(w->initiator, frame, &frame_len) < 0)
		abort();
	if (what == 1 && change(frame + ENVELOPE_LEN, NOISE_FIRST_LEN, octets,
				len)) {
		struct cursor c = cursor_of(frame + ENVELOPE_LEN,
					    NOISE_FIRST_LEN);

		w->now.mono.ns += NS_PER_S;
		if (responder_handshake(w->responder, 1, &c, w->now,
					&answer) == 0)
			abort();
		return;
	}
	if (!collector_hears(w, frame, frame_len, &answer))
		return;		/* not on the list */
	is_other = what == 2 && change(answer.body, sizeof(answer.body),
				       octets, len);
	if (agent_hears(w, &answer) == is_other)
		abort();
}

static void frame_play(struct world *w, const uint8_t *octets, size_t len)
{
	struct sealed *s = initiator_sealed(w->initiator);
	uint8_t frame[ENVELOPE_LEN + BODY_LEN + WIRE_TAG_LEN] = { 0 };
	struct responder_answer answer;
	size_t frame_len;
	bool is_other;

	if (!s || sealed_write(s, FRAME_DATA, frame, BODY_LEN, &frame_len) < 0)
		return;
	is_other = change(frame, frame_len, octets, len);
	if (collector_hears(w, frame, frame_len, &answer) && is_other)
		abort();
}

static void world_make(struct world *w)
{
	struct responder_env env = { .context = w, .random = draw };
	uint8_t secret[KEYS_MAX][NOISE_KEY_LEN] = { { 1 }, { 2 } };
	struct noise_pair own, collector;

	if (responder_new(&env, &w->responder) < 0)
		abort();
	noise_pair_of(secret[1], &own);
	noise_pair_of(secret[0], &collector);
	responder_keys(w->responder, secret, 1);
	key_text(own.public, w->key);
	authorize_agent(w);
	if (initiator_new(&own, collector.public, NULL, &w->initiator) < 0)
		abort();
	w->now.mono.ns = NS_PER_S;
	handshake_play(w, 0, NULL, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t frame[WIRE_FRAME_MAX];
	struct cursor c = cursor_of(data, size);
	struct responder_answer answer;
	struct world w = { .drawn = 0 };

	world_make(&w);
	while (cursor_left(&c) > 3) {
		uint8_t what = cursor_u8(&c) % 5;
		size_t len = cursor_be16(&c);
		const uint8_t *octets;

		if (len > cursor_left(&c))
			len = cursor_left(&c);
		octets = cursor_bytes(&c, len);
		if (what == 0) {
			memcpy(frame, octets, len);
			if (collector_hears(&w, frame, len, &answer))
				abort();
		} else if (what == 3) {
			frame_play(&w, octets, len);
		} else if (what == 4) {
			authorize(&w, (const char *)octets, len);
		} else {
			handshake_play(&w, what, octets, len);
		}
	}
	responder_free(w.responder);
	initiator_free(w.initiator);
	return 0;
}
