#include "agent/seal/responder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOT_BITS 18u		/* low bits of a session's number: its slot */
#define SLOTS_MAX (1u << SLOT_BITS)
#define CONNECTION_SLOTS 1024u

_Static_assert(AUTHORIZED_MAX * RESPONDER_SESSIONS < SLOTS_MAX,
	       "a slot for each session");

struct session_slot {
	struct sealed sealed;	/* session 0: free */
	uint32_t key;		/* in the list */
	bool has_spoken;	/* it opened a frame: so no replay */
	struct mono heard;
};

/* Handshakes of this second. */
struct connection_count {
	uint32_t connection;
	unsigned count;
};

struct responder {
	struct responder_env env;
	struct responder_count count;
	struct noise_pair own[KEYS_MAX];
	unsigned own_count;
	struct authorized list;
	/* RESPONDER_SESSIONS per key of the list: a slot + 1, or 0. */
	uint32_t *sessions;
	struct session_slot *slots;
	uint32_t slot_count, free_hint;
	int64_t second;
	unsigned handshakes;
	struct connection_count connections[CONNECTION_SLOTS];
};

int responder_new(const struct responder_env *env, struct responder **ret)
{
	struct responder *r;
	int err = noise_start();

	if (err < 0)
		return err;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->env = *env;
	*ret = r;
	return 0;
}

void responder_free(struct responder *r)
{
	if (!r)
		return;
	if (r->slots)
		noise_forget(r->slots, r->slot_count * sizeof(*r->slots));
	authorized_fini(&r->list);
	free(r->sessions);
	free(r->slots);
	noise_forget(r->own, sizeof(r->own));
	free(r);
}

void responder_keys(struct responder *r,
		    uint8_t secret[static KEYS_MAX][NOISE_KEY_LEN],
		    unsigned count)
{
	r->own_count = count;
	for (unsigned i = 0; i < count; i++)
		noise_pair_of(secret[i], &r->own[i]);
}

/* --- sessions ------------------------------------------------------------- */

static struct session_slot *slot_find(struct responder *r, uint64_t session)
{
	uint64_t at = session & (SLOTS_MAX - 1);

	if (session == 0 || at >= r->slot_count ||
	    r->slots[at].sealed.session != session)
		return NULL;
	return &r->slots[at];
}

static void slot_free(struct session_slot *s)
{
	noise_forget(s, sizeof(*s));
}

/* Returns the number of a free slot, or -ENOMEM. */
static int64_t slot_new(struct responder *r)
{
	uint32_t cap = r->slot_count ? 2 * r->slot_count : 64;
	struct session_slot *slots;

	for (uint32_t i = 0; i < r->slot_count; i++) {
		uint32_t at = (r->free_hint + i) % r->slot_count;

		if (r->slots[at].sealed.session != 0)
			continue;
		r->free_hint = at + 1;
		return at;
	}
	if (cap > SLOTS_MAX)
		return -ENOMEM;
	slots = calloc(cap, sizeof(*slots));	/* the old ones are erased */
	if (!slots)
		return -ENOMEM;
	if (r->slots) {
		memcpy(slots, r->slots, r->slot_count * sizeof(*slots));
		noise_forget(r->slots, r->slot_count * sizeof(*slots));
	}
	free(r->slots);
	r->slots = slots;
	r->free_hint = r->slot_count + 1;
	r->slot_count = cap;
	return r->free_hint - 1;
}

/* For a key that has all its sessions: the one to replace. */
static uint32_t *session_worst(struct responder *r, uint32_t *sessions)
{
	uint32_t *worst = &sessions[0];

	for (unsigned i = 0; i < RESPONDER_SESSIONS; i++) {
		const struct session_slot *s, *w;

		if (sessions[i] == 0)
			return &sessions[i];
		s = &r->slots[sessions[i] - 1];
		w = &r->slots[*worst - 1];
		if (s->has_spoken < w->has_spoken ||
		    (s->has_spoken == w->has_spoken &&
		     s->heard.ns < w->heard.ns))
			worst = &sessions[i];
	}
	return worst;
}

static int session_begin(struct responder *r,
			 const struct authorized_key *key, struct noise *n,
			 struct mono now, uint64_t *ret)
{
	uint32_t at_key = (uint32_t)(key - r->list.keys);
	uint32_t *at = session_worst(r, r->sessions +
					(size_t)at_key * RESPONDER_SESSIONS);
	int64_t number;
	struct session_slot *s;

	if (*at)
		slot_free(&r->slots[*at - 1]);
	*at = 0;
	number = slot_new(r);
	if (number < 0)
		return (int)number;
	s = &r->slots[number];
	do {
		s->sealed.session = r->env.random(r->env.context)
				    << SLOT_BITS | (uint64_t)number;
	} while (s->sealed.session == (uint64_t)number);
	noise_split(n, &s->sealed.in, &s->sealed.out);
	s->key = at_key;
	s->heard = now;
	*at = (uint32_t)number + 1;
	*ret = s->sealed.session;
	return 0;
}

/* --- authorisation -------------------------------------------------------- */

/* A session continues under the same key of the same switch. */
static void session_move(struct responder *r, struct session_slot *s,
			 const struct authorized *list, uint32_t *sessions)
{
	const struct authorized_key *was = &r->list.keys[s->key];
	const struct authorized_key *is = authorized_find(list, was->key);
	uint32_t *at;

	if (!is || strcmp(is->switch_id, was->switch_id) != 0) {
		slot_free(s);
		return;
	}
	s->key = (uint32_t)(is - list->keys);
	at = sessions + (size_t)s->key * RESPONDER_SESSIONS;
	while (*at)
		at++;
	*at = (uint32_t)(s - r->slots) + 1;
}

int responder_authorize(struct responder *r, struct authorized *list)
{
	uint32_t *sessions = calloc(list->count * RESPONDER_SESSIONS + 1,
				    sizeof(*sessions));

	if (!sessions)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->slot_count; i++)
		if (r->slots[i].sealed.session != 0)
			session_move(r, &r->slots[i], list, sessions);
	authorized_fini(&r->list);
	free(r->sessions);
	r->list = *list;
	r->sessions = sessions;
	*list = (struct authorized){ .count = 0 };
	return 0;
}

bool responder_has_id(const struct responder *r, const char *switch_id)
{
	return authorized_has_id(&r->list, switch_id);
}

static bool key_is_good(const struct authorized_key *key, struct wall now)
{
	return key && now.ns < key->until.ns;
}

void responder_expire(struct responder *r, struct wall now)
{
	for (size_t i = 0; i < r->list.count * RESPONDER_SESSIONS; i++) {
		if (r->sessions[i] == 0 ||
		    key_is_good(&r->list.keys[i / RESPONDER_SESSIONS], now))
			continue;
		slot_free(&r->slots[r->sessions[i] - 1]);
		r->sessions[i] = 0;
	}
}

/* Finds the key, or enrols it. */
static int key_admit(struct responder *r, const struct noise *n,
		     const uint8_t *token, size_t len, struct wall now,
		     const struct authorized_key **ret)
{
	const struct authorized_key *key = authorized_find(&r->list, n->peer);
	int err = 0;

	if (!key && len > 0 && r->env.enrol) {
		err = r->env.enrol(r->env.context, (const char *)token, len,
				   n->peer);
		key = authorized_find(&r->list, n->peer);
	}
	if (err == 0 && !key_is_good(key, now))
		err = -EACCES;
	*ret = key;
	return err;
}

/* --- handshakes ----------------------------------------------------------- */

/* True if this connection may cause the work of a handshake. */
static bool work_take(struct responder *r, uint32_t connection, struct mono now)
{
	struct connection_count *c =
		&r->connections[connection % CONNECTION_SLOTS];

	if (now.ns / NS_PER_S != r->second) {
		r->second = now.ns / NS_PER_S;
		r->handshakes = 0;
		memset(r->connections, 0, sizeof(r->connections));
	}
	if (c->connection != connection)
		*c = (struct connection_count){ .connection = connection };
	/* in this order: above its own limit it costs others nothing */
	return c->count++ < RESPONDER_OF_CONNECTION &&
	       r->handshakes++ < RESPONDER_HANDSHAKES;
}

/* Tries message 1 with each of our keys. */
static int first_read(const struct responder *r, const uint8_t *message,
		      size_t len, struct noise *n,
		      uint8_t payload[static TOKEN_TEXT_SIZE])
{
	int err = -EBADMSG;

	if (len < NOISE_FIRST_LEN ||
	    len > NOISE_FIRST_LEN + TOKEN_TEXT_SIZE)
		return -EBADMSG;
	for (unsigned i = 0; err < 0 && i < r->own_count; i++) {
		noise_expect(n, WIRE_PROLOGUE, sizeof(WIRE_PROLOGUE) - 1,
			     &r->own[i], NULL);
		err = noise_first_read(n, message, len, payload);
	}
	return err;
}

static int handshake_answer(struct responder *r, struct noise *n,
			    const uint8_t *token, size_t len,
			    struct clock_reading now,
			    struct responder_answer *ret)
{
	const struct authorized_key *key;
	int err = key_admit(r, n, token, len, now.wall, &key);

	if (err < 0) {
		r->count.unauthorized++;
		return err;
	}
	err = noise_second_write(n, NULL, 0, ret->body);
	if (err == 0)
		err = session_begin(r, key, n, now.mono, &ret->session);
	r->count.handshakes += err == 0;
	return err;
}

int responder_handshake(struct responder *r, uint32_t connection,
			struct cursor *body, struct clock_reading now,
			struct responder_answer *ret)
{
	size_t len = cursor_left(body);
	const uint8_t *message = cursor_bytes(body, len);
	uint8_t payload[TOKEN_TEXT_SIZE];
	struct noise n;
	int err;

	ret->key[0] = '\0';
	if (!work_take(r, connection, now.mono)) {
		r->count.excess++;
		return -EAGAIN;
	}
	err = first_read(r, message, len, &n, payload);
	if (err == 0) {
		key_text(n.peer, ret->key);
		err = handshake_answer(r, &n, payload, len - NOISE_FIRST_LEN,
				       now, ret);
	}
	noise_forget(&n, sizeof(n));
	noise_forget(payload, sizeof(payload));
	return err;
}

/* --- frames --------------------------------------------------------------- */

int responder_open(struct responder *r, const struct envelope *e,
		   uint8_t *frame, size_t len, struct mono now,
		   struct cursor *ret_body, const char **ret_id)
{
	struct session_slot *s = slot_find(r, e->session);

	if (!s)
		return -ENOENT;
	if (sealed_read(&s->sealed, e, frame, len, ret_body) < 0) {
		r->count.forged++;
		return -EBADMSG;
	}
	s->has_spoken = true;
	s->heard = now;
	*ret_id = r->list.keys[s->key].switch_id;
	return 0;
}

int responder_seal(struct responder *r, uint64_t session, enum frame_kind kind,
		   uint8_t *frame, size_t body_len, size_t *ret_len)
{
	struct session_slot *s = slot_find(r, session);

	return s ? sealed_write(&s->sealed, kind, frame, body_len, ret_len) :
		   -ENOENT;
}

void responder_count(const struct responder *r, struct responder_count *ret)
{
	*ret = r->count;
}
