#include "agent/collect/intake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/encode.h"
#include "agent/seal/responder.h"

#define ANSWER_MAX 256u		/* octets of its body */
#define BEGUN_SLOTS 1024u
#define BEGUN_MAX 64u		/* new runs of one connection */

/* How many runs a connection has begun; by its number, another one in the same
 * slot begins anew.
 */
struct begun {
	uint32_t connection;
	unsigned runs;
};

struct intake {
	struct intake_env env;
	struct intake_count count;
	struct run *dirty;	/* wait for an ACK, since the last sync */
	struct run *syncing;	/* covered by the sync under way */
	bool appended;		/* since the last sync began */
	char fault[INTAKE_FAULT_MAX];	/* why nothing is taken; empty: it is */
	struct begun begun[BEGUN_SLOTS];
	uint8_t body[ENTRY_BODY_MAX];	/* what is kept of a frame */
	uint8_t entry[ENTRY_MAX];
};

/* One frame on its way through. */
struct arrival {
	struct intake *intake;
	const struct transport_peer *peer;
	struct envelope envelope;
	struct cursor body;
	struct run *run;	/* of the session; NULL: none, or unknown */
	const char *switch_id;	/* whose key sealed it; NULL: nobody's */
	char key[KEY_TEXT_SIZE];	/* of a HANDSHAKE; empty: unknown */
	struct mono now;
};

int intake_new(const struct intake_env *env, struct intake **ret)
{
	struct intake *i = calloc(1, sizeof(*i));

	if (!i)
		return -ENOMEM;
	i->env = *env;
	*ret = i;
	return 0;
}

void intake_free(struct intake *i)
{
	free(i);
}

void intake_count(const struct intake *i, struct intake_count *ret)
{
	*ret = i->count;
}

/* In the version and of the session of e. Nothing is said to a session whose
 * key is not authorised any more.
 */
static void answer(struct intake *i, const struct transport_peer *peer,
		   struct envelope e, const void *body, size_t len)
{
	uint8_t frame[ENVELOPE_LEN + ANSWER_MAX + WIRE_TAG_LEN];
	struct writer head = writer_of(frame, ENVELOPE_LEN);
	struct writer w = writer_of(frame + ENVELOPE_LEN, ANSWER_MAX);
	size_t frame_len = ENVELOPE_LEN + len;
	int err = 0;

	e.length = (uint32_t)len;
	writer_bytes(&w, body, len);
	if (e.version == WIRE_VERSION_SEALED)
		err = responder_seal(i->env.sealed, e.session, e.kind, frame,
				     len, &frame_len);
	else
		envelope_write(&head, &e, body);
	if (err == 0 && writer_ok(&w))
		i->env.answer(i->env.context, peer, frame, frame_len);
}

static void acknowledge(struct intake *i, const struct run *r,
			enum ack_reason why)
{
	uint8_t body[STREAM_COUNT * 8 + 1];
	struct writer w = writer_of(body, sizeof(body));

	if (r->session == 0)
		return;
	positions_write(&w, &r->durable);
	writer_u8(&w, (uint8_t)why);
	answer(i, &r->peer, (struct envelope){ .version = r->version,
					       .kind = FRAME_ACK,
					       .session = r->session },
	       body, w.pos);
}

/* To the frame that came. */
static void reply(struct arrival *a, enum frame_kind kind, uint64_t session,
		  const void *body, size_t len)
{
	answer(a->intake, a->peer,
	       (struct envelope){ .version = a->envelope.version,
				  .kind = (uint8_t)kind, .session = session },
	       body, len);
}

/* The connection's number, which the transport put first. */
static uint32_t connection_of(const struct transport_peer *peer)
{
	uint32_t connection = 0;

	for (size_t n = 0; n < peer->len && n < 4; n++)
		connection = connection << 8 | peer->header[n];
	return connection;
}

static void complain(struct arrival *a, const char *what)
{
	char who[2 * SWITCH_NAME_MAX + 16];
	const struct run *r = a->run;

	if (r)
		(void)snprintf(who, sizeof(who), "switch=%s name=%s",
			       r->switch_id, r->identity.name);
	else if (a->switch_id)
		(void)snprintf(who, sizeof(who), "switch=%s", a->switch_id);
	else if (a->key[0])
		(void)snprintf(who, sizeof(who), "key=%s", a->key);
	else
		(void)snprintf(who, sizeof(who), "connection=%08x",
			       connection_of(a->peer));
	a->intake->env.complain(a->intake->env.context, who, what);
}

static void refuse(struct arrival *a, const char *why)
{
	a->intake->count.refused++;
	complain(a, why);
	reply(a, FRAME_REFUSED, a->envelope.session, why, strlen(why));
}

static void garbage(struct arrival *a, const char *what)
{
	a->intake->count.garbage++;
	refuse(a, what);
}

static void list_dirty(struct intake *i, struct run *r)
{
	if (r->is_dirty)
		return;
	r->is_dirty = true;
	r->next_dirty = i->dirty;
	i->dirty = r;
}

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

static void on_handshake(struct arrival *a)
{
	struct intake *i = a->intake;
	struct clock_reading now = { .mono = a->now,
				     .wall = clock_wall_now() };
	struct responder_answer said;
	int err;

	if (!i->env.sealed || a->envelope.version != WIRE_VERSION) {
		garbage(a, "a HANDSHAKE that this collector does not take");
		return;
	}
	err = responder_handshake(i->env.sealed, connection_of(a->peer),
				  &a->body, now, &said);
	memcpy(a->key, said.key, sizeof(a->key));
	if (err == 0) {
		reply(a, FRAME_HANDSHAKE_ANSWER, said.session, said.body,
		      sizeof(said.body));
	} else if (err == -EAGAIN) {
		i->count.refused++;	/* an answer would be work as well */
		complain(a, handshake_fault(err));
	} else {
		refuse(a, handshake_fault(err));
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

/* In words what is wrong with it; NULL: nothing. */
static const char *greeting_read(struct arrival *a, struct hello *ret)
{
	unsigned version = a->envelope.version;

	if (hello_read(&a->body, version, ret) < 0)
		return "a HELLO of a wrong length";
	if (!is_good(ret->switch_name))
		return "a HELLO without a name of 1 to 63 visible characters";
	if (version >= 2 && !is_good(ret->switch_id))
		return "a HELLO without an id of 1 to 63 visible characters";
	return NULL;
}

/* False when this connection has begun more runs than one agent does. */
static bool may_begin(struct arrival *a)
{
	uint32_t connection = connection_of(a->peer);
	struct begun *b = &a->intake->begun[connection % BEGUN_SLOTS];

	if (b->connection != connection)
		*b = (struct begun){ .connection = connection };
	return b->runs < BEGUN_MAX;
}

/* Finds the run or begins it; says why not. */
static struct run *run_greet(struct arrival *a, const struct hello *h,
			     const char **ret_why)
{
	struct intake *i = a->intake;
	const char *id = h->switch_id[0] ? h->switch_id : NULL;
	const char *name = h->switch_name;
	bool is_known = ledger_find(i->env.ledger, id ? id : name, h->run);
	struct run *r;

	if (!is_known && !may_begin(a)) {
		*ret_why = "one connection begins too many runs";
		return NULL;
	}
	*ret_why = "there is no room for one more switch";
	r = ledger_greet(i->env.ledger, id, name, h->run, a->now);
	if (r && !is_known)
		i->begun[connection_of(a->peer) % BEGUN_SLOTS].runs++;
	return r;
}

/* Nobody speaks for a switch that has a key but the switch itself; a name that
 * is another one's id would be that one's (ledger_greet()).
 */
static const char *identity_fault(const struct arrival *a,
				  const struct hello *h)
{
	const struct responder *sealed = a->intake->env.sealed;
	bool name_has_key = sealed && responder_has_id(sealed, h->switch_name);

	if (!a->switch_id)
		return name_has_key || (sealed && h->switch_id[0] &&
					responder_has_id(sealed,
							 h->switch_id)) ?
		       "this switch has a key, and must seal what it says" :
		       NULL;
	if (strcmp(a->switch_id, h->switch_id) != 0)
		return "its key is that of another switch";
	return name_has_key && strcmp(h->switch_name, h->switch_id) != 0 ?
	       "its name is the id of another switch" : NULL;
}

static void on_hello(struct arrival *a)
{
	struct intake *i = a->intake;
	uint8_t body[STREAM_COUNT * 8];
	struct writer w = writer_of(body, sizeof(body));
	struct hello greeting;
	const char *why = greeting_read(a, &greeting);

	if (why) {
		garbage(a, why);
		return;
	}
	why = identity_fault(a, &greeting);
	if (!why)
		a->run = run_greet(a, &greeting, &why);
	if (!a->run) {
		refuse(a, why);
		return;
	}
	ledger_session_set(i->env.ledger, a->run, a->switch_id ?
			   a->envelope.session : session_draw(i));
	a->run->peer = *a->peer;
	a->run->version = a->envelope.version;
	a->run->heard = a->now;
	memset(a->run->hole_told, 0, sizeof(a->run->hole_told));
	positions_write(&w, &a->run->durable);
	reply(a, FRAME_WELCOME, a->run->session, body, w.pos);
}

/* --- DATA ----------------------------------------------------------------- */

/* All of a frame's records are sound, or none is looked at. */
static bool records_are_sound(struct cursor body)
{
	struct record_header h;
	const uint8_t *payload;

	if (cursor_left(&body) == 0)
		return false;
	while (cursor_left(&body) > 0)
		if (record_read(&body, &h, &payload) < 0)
			return false;
	return true;
}

/* Part of a gap is old news: what is kept must not be called missing. */
static void gap_cut(struct writer *w, struct run *r, struct record_header h)
{
	uint8_t payload[64];

	h.sequence = r->kept.last[h.stream] + 1;
	h.length = (uint32_t)gap_encode(h.stream, h.sequence, h.last, payload,
					sizeof(payload));
	record_write(w, &h, payload);
	ledger_take(r, &h, payload);
}

/* What the records of one frame came to. */
struct judged {
	unsigned kept, gaps, repeats, holes, need_states, unknown;
	bool tell_hole, reference;
};

static void record_judge(struct run *r, struct writer *w,
			 const struct record_header *h, const uint8_t *payload,
			 struct judged *j)
{
	switch (ledger_judge(r, h, payload)) {
	case VERDICT_KEEP:
		record_write(w, h, payload);
		ledger_take(r, h, payload);
		r->hole_told[h->stream] = false;
		j->reference |= h->kind == RECORD_BATCH &&
				h->flags & RECORD_FLAG_REFERENCE;
		j->gaps += h->kind == RECORD_GAP;
		j->unknown += !record_kind_name(h->kind);
		j->kept++;
		return;
	case VERDICT_PART_REPEAT:
		gap_cut(w, r, *h);
		r->hole_told[h->stream] = false;
		j->gaps++;
		j->kept++;
		return;
	case VERDICT_REPEAT:
		j->repeats++;
		return;
	case VERDICT_HOLE:
		/* once: all that follows it is behind the same hole */
		j->tell_hole |= !r->hole_told[h->stream];
		r->hole_told[h->stream] = true;
		j->holes++;
		return;
	case VERDICT_NEED_STATES:
		r->hole_told[h->stream] = true;
		j->need_states++;
		return;
	}
}

static void judged_count(struct intake_count *c, const struct judged *j)
{
	c->records += j->kept;
	c->gaps += j->gaps;
	c->repeats += j->repeats;
	c->holes += j->holes;
	c->need_states += j->need_states;
	c->unknown += j->unknown;
}

/* The spool takes what is kept, or the run is as it was. */
/* Who the switch is, before the first record that says it by its id alone. With
 * what was kept before that record, for it is not in the spool yet.
 */
static int identity_append(struct arrival *a, const struct run *before)
{
	struct intake *i = a->intake;
	uint8_t octets[ENTRY_POSITIONS_OCTETS];
	struct writer w = writer_of(octets, sizeof(octets));
	struct place at;
	int err;

	if (a->run->identity_is_told)
		return 0;
	ledger_positions_write(&w, before);
	err = i->env.append(i->env.context, octets, w.pos, &at);
	a->run->identity_is_told = err == 0;
	return err;
}

static int kept_append(struct arrival *a, const struct writer *kept,
		       const struct run *before, const struct judged *j)
{
	struct intake *i = a->intake;
	struct entry e = { .kind = ENTRY_RECORDS, .run = a->run->run,
			   .body = kept->data, .len = kept->pos };
	struct writer w = writer_of(i->entry, sizeof(i->entry));
	struct place at = { 0, 0 };
	int err;

	memcpy(e.switch_id, a->run->switch_id, sizeof(e.switch_id));
	entry_write(&w, &e);
	err = writer_ok(kept) && writer_ok(&w) ? identity_append(a, before) :
						 -EMSGSIZE;
	if (err == 0)
		err = i->env.append(i->env.context, i->entry, w.pos, &at);
	if (err < 0) {
		a->run->kept = before->kept;
		a->run->dictionary = before->dictionary;
		return err;
	}
	if (j->reference)
		a->run->reference = at;
	a->run->recorded = clock_wall_now();
	i->count.octets += w.pos;
	i->appended = true;
	return 0;
}

static void on_data(struct arrival *a)
{
	struct intake *i = a->intake;
	struct writer kept = writer_of(i->body, sizeof(i->body));
	struct run before = *a->run;
	struct judged j = { .kept = 0 };
	int err = 0;

	if (!records_are_sound(a->body)) {
		garbage(a, "DATA with a record that is cut short or has "
			"another CRC");
		return;
	}
	while (cursor_left(&a->body) > 0) {
		struct record_header h;
		const uint8_t *payload;

		(void)record_read(&a->body, &h, &payload);	/* sound */
		record_judge(a->run, &kept, &h, payload, &j);
	}
	if (kept.pos > 0)
		err = kept_append(a, &kept, &before, &j);
	if (err < 0) {
		refuse(a, err == -ENOSPC ? "the spool is full" :
		       "the spool cannot be written");
		return;
	}
	i->count.frames++;
	judged_count(&i->count, &j);
	if (j.kept > 0 || j.repeats > 0)
		list_dirty(i, a->run);
	if (j.need_states > 0)
		acknowledge(i, a->run, ACK_NEED_STATES);
	else if (j.tell_hole)
		acknowledge(i, a->run, ACK_OUT_OF_ORDER);
	if (j.tell_hole)
		complain(a, "records whose predecessor is missing");
}

/* --- PING ----------------------------------------------------------------- */

/* The ACK may have got lost: it is said once more. */
static void on_ping(struct arrival *a)
{
	uint8_t body[8];
	const uint8_t *octets = cursor_bytes(&a->body, sizeof(body));

	if (!octets || cursor_left(&a->body) > 0) {
		garbage(a, "a PING of a wrong length");
		return;
	}
	memcpy(body, octets, sizeof(body));
	acknowledge(a->intake, a->run, ACK_DURABLE);
	reply(a, FRAME_PONG, a->run->session, body, sizeof(body));
}

/* --- every frame ---------------------------------------------------------- */

struct frame_rule {
	void (*fn)(struct arrival *a);
	bool in_session;
};

static const struct frame_rule *frame_rule(unsigned kind)
{
	static const struct frame_rule rules[FRAME_KIND_COUNT] = {
		[FRAME_HANDSHAKE] = { on_handshake, false },
		[FRAME_HELLO] = { on_hello, false },
		[FRAME_DATA] = { on_data, true },
		[FRAME_PING] = { on_ping, true },
	};

	return rules[kind].fn ? &rules[kind] : NULL;
}

/* Returns false: it was answered, or thrown away. */
static bool frame_open(struct arrival *a, uint8_t *frame, size_t len)
{
	struct intake *i = a->intake;
	int err = !i->env.sealed ? -ENOENT :
		  responder_open(i->env.sealed, &a->envelope, frame, len,
				 a->now, &a->body, &a->switch_id);

	if (err == 0)
		return true;
	if (err == -ENOENT) {
		i->count.unknown_sessions++;
		a->envelope.version = WIRE_VERSION;	/* without a key */
		reply(a, FRAME_SESSION_UNKNOWN, a->envelope.session, NULL, 0);
		return false;
	}
	i->count.damaged++;
	complain(a, "a sealed frame that does not open");
	return false;
}

/* A session is sealed for as long as it lasts, or it is not. */
static bool session_find(struct arrival *a)
{
	struct intake *i = a->intake;
	struct run *r = ledger_session_find(i->env.ledger, a->envelope.session);

	if (!r || a->envelope.session == 0 ||
	    (r->version == WIRE_VERSION_SEALED) != (a->switch_id != NULL)) {
		i->count.unknown_sessions++;
		reply(a, FRAME_SESSION_UNKNOWN, a->envelope.session, NULL, 0);
		return false;
	}
	a->run = r;
	r->peer = *a->peer;
	r->heard = a->now;
	return true;
}

/* Returns false: it was answered, or thrown away. */
static bool frame_read(struct arrival *a, uint8_t *frame, size_t len)
{
	struct intake *i = a->intake;
	int err = envelope_read(&a->body, &a->envelope);

	if (err == -EILSEQ) {
		i->count.damaged++;
		complain(a, "a frame that was damaged on the way");
		return false;
	}
	if (err < 0) {
		a->envelope.version = WIRE_VERSION_OLDEST;
		garbage(a, err == -EPROTONOSUPPORT ?
			"a frame of an unknown version" :
			"octets that are no frame");
		return false;
	}
	if (a->envelope.version == WIRE_VERSION_SEALED)
		return frame_open(a, frame, len);
	if (!i->env.takes_clear && a->envelope.kind != FRAME_HANDSHAKE) {
		refuse(a, "this collector takes sealed frames alone");
		return false;
	}
	return true;
}

void intake_frame(struct intake *i, const struct transport_peer *peer,
		  void *frame, size_t len, struct mono now)
{
	struct arrival a = { .intake = i, .peer = peer, .now = now,
			     .body = cursor_of(frame, len) };
	const struct frame_rule *rule;

	if (!frame_read(&a, frame, len))
		return;
	rule = frame_rule(a.envelope.kind);
	if (!rule) {
		garbage(&a, "a frame that only collectors send");
		return;
	}
	if (i->fault[0] && rule->fn != on_handshake)
		refuse(&a, i->fault);
	else if (!rule->in_session || session_find(&a))
		rule->fn(&a);
}

void intake_stop(struct intake *i, const char *why)
{
	(void)snprintf(i->fault, sizeof(i->fault), "%s", why);
}

void intake_begin_anew(struct intake *i)
{
	i->dirty = i->syncing = NULL;
	i->appended = true;	/* the spool's head may be */
	i->fault[0] = '\0';
}

void intake_dropped(struct intake *i, const char *why)
{
	struct transport_peer nobody = { .len = 0 };
	struct arrival a = { .intake = i, .peer = &nobody };

	i->count.garbage++;
	complain(&a, why);
}

/* --- syncs ---------------------------------------------------------------- */

void intake_appended(struct intake *i)
{
	i->appended = true;
}

bool intake_sync_begin(struct intake *i)
{
	bool appended = i->appended;

	i->syncing = i->dirty;
	i->dirty = NULL;
	i->appended = false;
	for (struct run *r = i->syncing; r; r = r->next_syncing) {
		r->next_syncing = r->next_dirty;
		r->syncing = r->kept;
		r->is_dirty = false;
		r->is_syncing = true;
	}
	if (!appended)
		intake_sync_done(i);
	return appended;
}

void intake_sync_done(struct intake *i)
{
	for (struct run *r = i->syncing; r; r = r->next_syncing) {
		r->is_syncing = false;
		r->durable = r->syncing;
		acknowledge(i, r, ACK_DURABLE);
	}
	i->syncing = NULL;
}
