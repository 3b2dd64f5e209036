#include "agent/seal/initiator.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct initiator {
	struct noise_pair own;
	uint8_t collector[NOISE_KEY_LEN];
	char token[SEAL_TOKEN_MAX];
	bool is_asked;		/* a HANDSHAKE waits for its answer */
	bool is_ready;
	struct noise noise;
	struct sealed sealed;
};

int initiator_new(const struct noise_pair *own,
		  const uint8_t collector[static NOISE_KEY_LEN],
		  const char *token, struct initiator **ret)
{
	struct initiator *i;
	int err = noise_start();

	if (err < 0)
		return err;
	i = calloc(1, sizeof(*i));
	if (!i)
		return -ENOMEM;
	i->own = *own;
	memcpy(i->collector, collector, NOISE_KEY_LEN);
	(void)snprintf(i->token, sizeof(i->token), "%s", token ? token : "");
	*ret = i;
	return 0;
}

void initiator_free(struct initiator *i)
{
	if (!i)
		return;
	noise_forget(i, sizeof(*i));
	free(i);
}

void initiator_reset(struct initiator *i)
{
	if (!i)
		return;
	i->is_asked = i->is_ready = false;
	noise_forget(&i->noise, sizeof(i->noise));
	noise_forget(&i->sealed, sizeof(i->sealed));
}

int initiator_handshake(struct initiator *i, uint8_t ret[static HANDSHAKE_LEN],
			size_t *ret_len)
{
	size_t token_len = strlen(i->token);
	struct writer w = writer_of(ret, ENVELOPE_LEN);
	struct envelope e = { .version = WIRE_VERSION, .kind = FRAME_HANDSHAKE,
			      .length = (uint32_t)(NOISE_FIRST_LEN +
						   token_len) };
	int err;

	initiator_reset(i);
	noise_begin(&i->noise, WIRE_PROLOGUE, sizeof(WIRE_PROLOGUE) - 1,
		    &i->own, i->collector, NULL);
	err = noise_first_write(&i->noise, i->token, token_len,
				ret + ENVELOPE_LEN);
	if (err < 0)
		return err;
	envelope_write(&w, &e, ret + ENVELOPE_LEN);
	i->is_asked = true;
	*ret_len = ENVELOPE_LEN + e.length;
	return 0;
}

int initiator_answer(struct initiator *i, uint64_t session, struct cursor *body)
{
	size_t len = cursor_left(body);
	const uint8_t *message = cursor_bytes(body, len);
	struct noise n = i->noise;	/* a forged answer must not spoil it */
	uint8_t nothing[1];
	int err = -EBADMSG;

	if (i->is_asked && len == NOISE_SECOND_LEN)
		err = noise_second_read(&n, message, len, nothing);
	if (err == 0) {
		i->sealed.session = session;
		noise_split(&n, &i->sealed.out, &i->sealed.in);
		i->is_asked = false;
		i->is_ready = true;
	}
	noise_forget(&n, sizeof(n));
	return err;
}

struct sealed *initiator_sealed(struct initiator *i)
{
	return i && i->is_ready ? &i->sealed : NULL;
}
