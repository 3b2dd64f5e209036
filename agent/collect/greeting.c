#include "agent/collect/greeting.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/collect/arrival.h"
#include "agent/seal/responder.h"

#define BEGUN_MAX 64u		/* new runs of one connection */

/* --- HANDSHAKE ------------------------------------------------------------ */

/* Why there is no session, for the switch and the log. */
static const char *handshake_fault(int err)
{
	switch (err) {
	case -EACCES:
		return "this key is not authorised";
	case -EBADMSG:
		return "a HANDSHAKE for the key of another collector";
	case -ENOENT:
		return "this token was used before, or never issued";
	case -ETIME:
		return "this token is too old";
	case -EAGAIN:
		return "too many HANDSHAKEs";
	default:
		return "this switch cannot be enrolled now";
	}
}

void greeting_handshake(struct arrival *a)
{
	struct intake *i = a->intake;
	struct clock_reading now = { .mono = a->now,
				     .wall = clock_wall_now() };
	struct responder_answer said;
	int err;

	if (!i->env.sealed || a->envelope.version != WIRE_VERSION) {
		arrival_garbage(a, "a HANDSHAKE that this collector does not "
				"accept");
		return;
	}
	err = responder_handshake(i->env.sealed, connection_number(a->peer),
				  &a->body, now, &said);
	memcpy(a->key, said.key, sizeof(a->key));
	if (err == 0) {
		arrival_reply(a, FRAME_HANDSHAKE_ANSWER, said.session,
			      said.body, sizeof(said.body));
	} else if (err == -EAGAIN) {
		i->count.refused++;	/* an answer would cost work too */
		arrival_complain(a, handshake_fault(err));
	} else {
		arrival_refuse(a, handshake_fault(err));
	}
}

/* --- HELLO ---------------------------------------------------------------- */

static uint64_t session_draw(const struct intake *i)
{
	uint64_t session;

	do {
		session = i->env.random(i->env.context);
	} while (session == 0 || ledger_session_find(i->env.ledger, session));
	return session;
}

static bool is_good(const char *name)
{
	return entry_name_is_good((const uint8_t *)name, strlen(name));
}

/* What is wrong with it, in words; NULL: nothing. */
static const char *greeting_read(struct arrival *a, struct hello *ret)
{
	unsigned version = a->envelope.version;

	if (hello_read(&a->body, version, ret) < 0)
		return "a HELLO with a wrong length";
	if (!is_good(ret->switch_name))
		return "a HELLO without a name of 1 to 63 visible characters";
	if (version >= 2 && !is_good(ret->switch_id))
		return "a HELLO without an id of 1 to 63 visible characters";
	return NULL;
}

/* False when this connection has begun more runs than an agent would. */
static bool may_begin(struct arrival *a)
{
	uint32_t connection = connection_number(a->peer);
	struct begun *b = &a->intake->begun[connection % INTAKE_BEGUN_SLOTS];

	if (b->connection != connection)
		*b = (struct begun){ .connection = connection };
	return b->runs < BEGUN_MAX;
}

/* Finds the run or begins it; says why not. */
static struct run *run_greet(struct arrival *a, const struct hello *h,
			     const char **ret_why)
{
	struct intake *i = a->intake;
	uint32_t connection = connection_number(a->peer);
	const char *id = h->switch_id[0] ? h->switch_id : NULL;
	const char *name = h->switch_name;
	bool is_known = ledger_find(i->env.ledger, id ? id : name, h->run);
	struct run *r;

	if (!is_known && !may_begin(a)) {
		*ret_why = "one connection begins too many runs";
		return NULL;
	}
	*ret_why = "no room for another switch";
	r = ledger_greet(i->env.ledger, id, name, h->run, a->now);
	if (r && !is_known)
		i->begun[connection % INTAKE_BEGUN_SLOTS].runs++;
	return r;
}

/* If a switch has a key, only frames sealed with it may name that switch; a
 * name equal to another's id would pass for that one (ledger_greet()).
 */
static const char *identity_fault(struct arrival *a, const struct hello *h)
{
	const struct responder *sealed = a->intake->env.sealed;
	bool name_has_key = sealed && responder_has_id(sealed, h->switch_name);

	if (!a->switch_id)
		return name_has_key || (sealed && h->switch_id[0] &&
					responder_has_id(sealed,
							 h->switch_id)) ?
		       "this switch has a key, and must seal its frames" :
		       NULL;
	if (strcmp(a->switch_id, h->switch_id) != 0) {
		(void)snprintf(a->why, sizeof(a->why), "the key belongs to "
			       "another switch: the list has %s, the switch "
			       "says %s",
			       a->switch_id, h->switch_id);
		return a->why;
	}
	return name_has_key && strcmp(h->switch_name, h->switch_id) != 0 ?
	       "the name of this switch is the id of another" : NULL;
}

void greeting_hello(struct arrival *a)
{
	struct intake *i = a->intake;
	uint8_t body[STREAM_COUNT * 8];
	struct writer w = writer_of(body, sizeof(body));
	struct hello greeting;
	const char *why = greeting_read(a, &greeting);

	if (why) {
		arrival_garbage(a, why);
		return;
	}
	why = identity_fault(a, &greeting);
	if (!why)
		a->run = run_greet(a, &greeting, &why);
	if (!a->run) {
		arrival_refuse(a, why);
		return;
	}
	ledger_session_set(i->env.ledger, a->run, a->switch_id ?
			   a->envelope.session : session_draw(i));
	a->run->peer = *a->peer;
	a->run->version = a->envelope.version;
	a->run->heard = a->now;
	memset(a->run->hole_told, 0, sizeof(a->run->hole_told));
	positions_write(&w, &a->run->durable);
	arrival_reply(a, FRAME_WELCOME, a->run->session, body, w.pos);
}
