#include "agent/collect/intake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/collect/arrival.h"
#include "agent/collect/greeting.h"
#include "agent/record/encode.h"
#include "agent/seal/responder.h"

#define SAME_ID_TURNS 4u	/* what came late makes one or two */

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

static void list_dirty(struct intake *i, struct run *r)
{
	if (r->is_dirty)
		return;
	r->is_dirty = true;
	r->next_dirty = i->dirty;
	i->dirty = r;
}

/* --- DATA ----------------------------------------------------------------- */

/* Checks that all of a frame's records are sound before any is used. */
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

/* Cuts the part of a gap that is kept already: it must not count as missing. */
static void gap_cut(struct writer *w, struct run *r, struct record_header h)
{
	uint8_t payload[64];

	h.sequence = r->kept.last[h.stream] + 1;
	h.length = (uint32_t)gap_encode(h.stream, h.sequence, h.last, payload,
					sizeof(payload));
	record_write(w, &h, payload);
	ledger_take(r, &h, payload);
}

/* Result for the records of one frame. */
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
		/* once: all that follows has the same hole before it */
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

/* Writes the switch's identity before the first record that has only its id,
 * with the positions before that record, for it is not in the spool yet.
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

/* Appends the kept records to the spool, or restores the run. */
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
		arrival_garbage(a, "DATA with a record that is cut short or "
				"has another CRC");
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
		arrival_refuse(a, err == -ENOSPC ? "the spool is full" :
			       "the spool cannot be written");
		return;
	}
	i->count.frames++;
	judged_count(&i->count, &j);
	if (j.kept > 0 || j.repeats > 0)
		list_dirty(i, a->run);
	if (j.need_states > 0)
		arrival_acknowledge(i, a->run, ACK_NEED_STATES);
	else if (j.tell_hole)
		arrival_acknowledge(i, a->run, ACK_OUT_OF_ORDER);
	if (j.tell_hole)
		arrival_complain(a, "records whose predecessor is missing");
}

/* --- PING ----------------------------------------------------------------- */

/* The ACK may have been lost: sends it again. */
static void on_ping(struct arrival *a)
{
	uint8_t body[8];
	const uint8_t *octets = cursor_bytes(&a->body, sizeof(body));

	if (!octets || cursor_left(&a->body) > 0) {
		arrival_garbage(a, "a PING with a wrong length");
		return;
	}
	memcpy(body, octets, sizeof(body));
	arrival_acknowledge(a->intake, a->run, ACK_DURABLE);
	arrival_reply(a, FRAME_PONG, a->run->session, body, sizeof(body));
}

/* --- every frame ---------------------------------------------------------- */

struct frame_rule {
	void (*fn)(struct arrival *a);
	bool in_session;
};

static const struct frame_rule *frame_rule(unsigned kind)
{
	static const struct frame_rule rules[FRAME_KIND_COUNT] = {
		[FRAME_HANDSHAKE] = { greeting_handshake, false },
		[FRAME_HELLO] = { greeting_hello, false },
		[FRAME_DATA] = { on_data, true },
		[FRAME_PING] = { on_ping, true },
	};

	return rules[kind].fn ? &rules[kind] : NULL;
}

static void session_unknown(struct arrival *a)
{
	a->intake->count.unknown_sessions++;
	arrival_reply(a, FRAME_SESSION_UNKNOWN, a->envelope.session, NULL, 0);
}

/* Returns false: it was answered, or dropped. */
static bool frame_open(struct arrival *a, uint8_t *frame, size_t len)
{
	struct intake *i = a->intake;
	int err = !i->env.sealed ? -ENOENT :
		  responder_open(i->env.sealed, &a->envelope, frame, len,
				 a->now, &a->body, &a->switch_id);

	if (err == 0)
		return true;
	if (err == -ENOENT) {
		a->envelope.version = WIRE_VERSION;	/* without a key */
		session_unknown(a);
		return false;
	}
	i->count.damaged++;
	arrival_complain(a, "a sealed frame that does not open");
	return false;
}

/* An agent never goes back to a connection that it left. Two agents with one
 * id do: their runs are heard by turns, each on its own connection.
 */
static void same_id_look(struct arrival *a, struct run *r)
{
	const struct run *other = ledger_heard_later(a->intake->env.ledger, r);
	uint32_t own = connection_number(a->peer);

	if (!other || connection_number(&r->peer) != own ||
	    connection_number(&other->peer) == own)
		return;
	if (++r->turns < SAME_ID_TURNS)
		return;
	a->intake->count.same_id++;
	arrival_warn(a, "another running agent has the same id");
}

/* A session is either sealed throughout, or not at all. */
static bool session_find(struct arrival *a)
{
	struct run *r = ledger_session_find(a->intake->env.ledger,
					    a->envelope.session);

	if (!r || a->envelope.session == 0 ||
	    (r->version == WIRE_VERSION_SEALED) != (a->switch_id != NULL)) {
		session_unknown(a);
		return false;
	}
	a->run = r;
	same_id_look(a, r);
	r->peer = *a->peer;
	r->heard = a->now;
	return true;
}

/* Returns false: it was answered, or dropped. */
static bool frame_read(struct arrival *a, uint8_t *frame, size_t len)
{
	struct intake *i = a->intake;
	int err = envelope_read(&a->body, &a->envelope);

	if (err == -EILSEQ) {
		i->count.damaged++;
		arrival_complain(a, "a frame that was damaged on the way");
		return false;
	}
	if (err < 0) {
		a->envelope.version = WIRE_VERSION_OLDEST;
		arrival_garbage(a, err == -EPROTONOSUPPORT ?
				"a frame of an unknown version" :
				"octets that are not a frame");
		return false;
	}
	if (a->envelope.version == WIRE_VERSION_SEALED)
		return frame_open(a, frame, len);
	if (!i->env.takes_clear && a->envelope.kind != FRAME_HANDSHAKE) {
		arrival_refuse(a, "this collector accepts only sealed frames");
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
		arrival_garbage(&a, "a frame that only collectors send");
		return;
	}
	if (i->fault[0] && rule->fn != greeting_handshake)
		arrival_refuse(&a, i->fault);
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
	i->appended = true;	/* the spool's head may be new */
	i->fault[0] = '\0';
}

void intake_dropped(struct intake *i, const char *why)
{
	struct transport_peer nobody = { .len = 0 };
	struct arrival a = { .intake = i, .peer = &nobody };

	i->count.garbage++;
	arrival_complain(&a, why);
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
		arrival_acknowledge(i, r, ACK_DURABLE);
	}
	i->syncing = NULL;
}
