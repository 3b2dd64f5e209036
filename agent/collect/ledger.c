/* Runs are in two hash tables: by switch, which owns them (all runs of one
 * switch in one chain, and they are few), and by session, for the frames. A
 * stream of a run is one number, the last sequence that is in the spool;
 * records are judged against it:
 *
 *	last <= kept			a repeat
 *	sequence <= kept < last		a gap, resent and longer: cut
 *	sequence == kept + 1		the next one
 *	sequence > kept + 1		a hole
 */
#include "agent/collect/ledger.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHAINS 16384u		/* a power of two */

LIST_HEAD(run_chain, run);

struct ledger {
	uint64_t seed;
	size_t count;
	uint64_t forgotten;
	bool has_ids;		/* of any run: ids may differ from names */
	struct mono full;	/* no run could go */
	/* Runs that were added, in order; when one's turn comes to be dropped,
	 * it shows whether something of it was kept.
	 */
	TAILQ_HEAD(, run) new;
	struct run_chain of_switch[CHAINS], session[CHAINS];
};

int ledger_new(uint64_t seed, struct ledger **ret)
{
	struct ledger *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->seed = seed;
	TAILQ_INIT(&l->new);
	*ret = l;
	return 0;
}

void ledger_clear(struct ledger *l)
{
	for (unsigned i = 0; i < CHAINS; i++) {
		struct run *r, *next = LIST_FIRST(&l->of_switch[i]);

		while ((r = next)) {
			next = LIST_NEXT(r, of_switch);
			free(r);
		}
		LIST_INIT(&l->of_switch[i]);
		LIST_INIT(&l->session[i]);
	}
	TAILQ_INIT(&l->new);
	l->count = 0;
}

void ledger_free(struct ledger *l)
{
	if (!l)
		return;
	ledger_clear(l);
	free(l);
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	return x ^ x >> 32;
}

static unsigned chain_of(const struct ledger *l, const char *switch_id)
{
	uint64_t h = mix(l->seed);

	for (const char *p = switch_id; *p; p++)
		h = mix(h ^ (uint8_t)*p);
	return h % CHAINS;
}

static unsigned session_chain(const struct ledger *l, uint64_t session)
{
	return mix(l->seed ^ session) % CHAINS;
}

struct run *ledger_find(const struct ledger *l, const char *switch_id,
			uint64_t run)
{
	struct run *r = LIST_FIRST(&l->of_switch[chain_of(l, switch_id)]);

	while (r && (r->run != run || strcmp(r->switch_id, switch_id) != 0))
		r = LIST_NEXT(r, of_switch);
	return r;
}

uint64_t ledger_forgotten(const struct ledger *l)
{
	return l->forgotten;
}

size_t ledger_count(const struct ledger *l)
{
	return l->count;
}

struct run *ledger_next(const struct ledger *l, const struct run *after)
{
	unsigned chain = 0;

	if (after && LIST_NEXT(after, of_switch))
		return LIST_NEXT(after, of_switch);
	if (after)
		chain = chain_of(l, after->switch_id) + 1;
	while (chain < CHAINS && LIST_EMPTY(&l->of_switch[chain]))
		chain++;
	return chain < CHAINS ? LIST_FIRST(&l->of_switch[chain]) : NULL;
}

bool ledger_run_is_empty(const struct run *r)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (r->kept.last[i] > 0)
			return false;
	return true;
}

static bool is_busy(const struct run *r)
{
	return r->is_dirty || r->is_syncing;
}

const struct run *ledger_heard_later(const struct ledger *l,
				     const struct run *r)
{
	const struct run *o =
		LIST_FIRST(&l->of_switch[chain_of(l, r->switch_id)]);

	while (o && (o->heard.ns <= r->heard.ns ||
		     strcmp(o->switch_id, r->switch_id) != 0))
		o = LIST_NEXT(o, of_switch);
	return o;
}

/* Value of a run to a full ledger; the lowest is dropped first. */
enum worth { WORTH_EMPTY, WORTH_OLD, WORTH_SILENT, WORTH_NEEDED };

static enum worth run_worth(const struct ledger *l, const struct run *r,
			    struct mono now)
{
	if (is_busy(r))
		return WORTH_NEEDED;
	if (ledger_run_is_empty(r))
		return WORTH_EMPTY;
	if (ledger_heard_later(l, r))
		return WORTH_OLD;
	return mono_diff_ns(now, r->heard) >= LEDGER_FORGET_NS ? WORTH_SILENT :
								 WORTH_NEEDED;
}

static void new_leave(struct ledger *l, struct run *r)
{
	if (r->is_new)
		TAILQ_REMOVE(&l->new, r, of_new);
	r->is_new = false;
}

/* The oldest run of which nothing was kept; NULL: none. */
static struct run *new_empty(struct ledger *l)
{
	struct run *r, *next;

	for (r = TAILQ_FIRST(&l->new); r; r = next) {
		next = TAILQ_NEXT(r, of_new);
		if (!ledger_run_is_empty(r))
			new_leave(l, r);
		else if (!is_busy(r))
			return r;
	}
	return NULL;
}

/* The run of the least value, and among these the one silent longest; NULL when
 * all are needed.
 */
static struct run *run_least(const struct ledger *l, struct mono now)
{
	enum worth lowest = WORTH_NEEDED;
	struct run *least = NULL;

	for (struct run *r = ledger_next(l, NULL); r; r = ledger_next(l, r)) {
		enum worth worth = run_worth(l, r, now);

		if (worth > lowest || worth == WORTH_NEEDED)
			continue;
		if (!least || worth < lowest || r->heard.ns < least->heard.ns)
			least = r;
		lowest = worth;
	}
	return least;
}

/* The run that a full ledger drops for a new one; NULL: none. */
static struct run *run_to_go(struct ledger *l, struct mono now)
{
	struct run *r = new_empty(l);

	if (!r && (l->full.ns == 0 ||
		   mono_diff_ns(now, l->full) >= LEDGER_FULL_NS)) {
		r = run_least(l, now);
		l->full = now;
		if (r)
			l->full.ns = 0;
	}
	return r;
}

/* The run to drop for a new one of a switch that has as many as it may. */
static struct run *run_too_many(const struct ledger *l, const char *switch_id)
{
	struct run *least = NULL, *r;
	unsigned count = 0;

	LIST_FOREACH(r, &l->of_switch[chain_of(l, switch_id)], of_switch) {
		if (strcmp(r->switch_id, switch_id) != 0)
			continue;
		count++;
		if (!is_busy(r) &&
		    (!least || r->heard.ns < least->heard.ns))
			least = r;
	}
	return count >= LEDGER_SWITCH_RUNS_MAX ? least : NULL;
}

static void session_unlink(struct run *r)
{
	if (r->session != 0)
		LIST_REMOVE(r, of_session);
	r->session = 0;
}

/* Adds it under the id that it has from now on. */
static void chain_join(struct ledger *l, struct run *r, const char *switch_id)
{
	assert(strlen(switch_id) < sizeof(r->switch_id));
	memmove(r->switch_id, switch_id, strlen(switch_id) + 1);
	LIST_INSERT_HEAD(&l->of_switch[chain_of(l, switch_id)], r, of_switch);
}

static void run_forget(struct ledger *l, struct run *r)
{
	session_unlink(r);
	new_leave(l, r);
	LIST_REMOVE(r, of_switch);
	l->count--;
	l->forgotten++;
	free(r);
}

/* Finds or adds; NULL when the ledger is full. */
static struct run *run_add(struct ledger *l, const char *switch_id,
			   uint64_t run, struct mono now)
{
	struct run *r = ledger_find(l, switch_id, run);

	if (r)
		return r;
	r = run_too_many(l, switch_id);
	if (!r && l->count >= LEDGER_RUNS_MAX) {
		r = run_to_go(l, now);
		if (!r)
			return NULL;
	}
	if (r)
		run_forget(l, r);
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->run = run;
	r->heard = now;
	r->identity_is_told = true;
	chain_join(l, r, switch_id);
	TAILQ_INSERT_TAIL(&l->new, r, of_new);
	r->is_new = true;
	(void)strcpy(r->identity.name, switch_id);
	l->count++;
	return r;
}

/* The run continues under another id; the rest does not change. */
static void run_rename(struct ledger *l, struct run *r, const char *switch_id)
{
	LIST_REMOVE(r, of_switch);
	(void)strcpy(r->identity.former_id, r->switch_id);
	chain_join(l, r, switch_id);
	r->has_identity = true;
	r->identity_is_told = false;
}

/* A walk over all runs: only for an agent of version 1, and if others have ids.
 */
static struct run *run_of_name(const struct ledger *l, const char *name,
			       uint64_t run)
{
	struct run *r = l->has_ids ? ledger_next(l, NULL) : NULL;

	while (r && (r->run != run || strcmp(r->identity.name, name) != 0))
		r = ledger_next(l, r);
	return r;
}

/* The name is the switch's, not the run's: a segment begins with all runs, and
 * the name that is written last is in force.
 */
static void switch_named(const struct ledger *l, const char *switch_id,
			 const char *name)
{
	struct run *r;

	LIST_FOREACH(r, &l->of_switch[chain_of(l, switch_id)], of_switch)
		if (strcmp(r->switch_id, switch_id) == 0)
			(void)strcpy(r->identity.name, name);
}

struct run *ledger_greet(struct ledger *l, const char *id, const char *name,
			 uint64_t run, struct mono now)
{
	struct run *r = ledger_find(l, id ? id : name, run);

	l->has_ids |= id != NULL;
	if (!r && id) {
		r = ledger_find(l, name, run);
		if (r)
			run_rename(l, r, id);
	} else if (!r) {
		r = run_of_name(l, name, run);
	}
	if (!r)
		r = run_add(l, id ? id : name, run, now);
	if (r && strcmp(r->identity.name, name) != 0) {
		switch_named(l, r->switch_id, name);
		r->has_identity = true;
		r->identity_is_told = false;
	}
	return r;
}

struct run *ledger_session_find(const struct ledger *l, uint64_t session)
{
	struct run *r = LIST_FIRST(&l->session[session_chain(l, session)]);

	while (r && r->session != session)
		r = LIST_NEXT(r, of_session);
	return r;
}

void ledger_session_set(struct ledger *l, struct run *r, uint64_t session)
{
	struct run *was = ledger_session_find(l, session);

	assert(session != 0);
	if (was)
		session_unlink(was);
	session_unlink(r);
	r->session = session;
	LIST_INSERT_HEAD(&l->session[session_chain(l, session)], r, of_session);
}

enum verdict ledger_judge(const struct run *r, const struct record_header *h,
			  const void *payload)
{
	uint64_t kept = r->kept.last[h->stream];

	if (h->last <= kept)
		return VERDICT_REPEAT;
	if (h->sequence > kept + 1)
		return VERDICT_HOLE;
	if (h->sequence <= kept)
		return VERDICT_PART_REPEAT;
	if (h->kind == RECORD_BATCH &&
	    !dictionary_serves(&r->dictionary, payload, h->length))
		return VERDICT_NEED_STATES;
	return VERDICT_KEEP;
}

void ledger_take(struct run *r, const struct record_header *h,
		 const void *payload)
{
	r->kept.last[h->stream] = h->last;
	if (h->kind == RECORD_DICTIONARY)
		dictionary_take(&r->dictionary, payload, h->length);
	else if (h->kind == RECORD_GAP && h->stream == STREAM_STATES)
		dictionary_lost(&r->dictionary);
}

void ledger_states_lost(struct ledger *l, const char *switch_id)
{
	for (struct run *r = ledger_next(l, NULL); r; r = ledger_next(l, r))
		if (strcmp(r->switch_id, switch_id) == 0)
			dictionary_lost(&r->dictionary);
}

static void positions_body_write(struct writer *w, const struct run *r)
{
	size_t start = w->pos;

	positions_write(w, &r->kept);
	writer_u8(w, r->dictionary.is_known);
	writer_be32(w, r->dictionary.version);
	writer_be32(w, r->dictionary.next_part);
	writer_be32(w, r->dictionary.next_version);
	writer_be32(w, (uint32_t)r->reference.segment);
	assert(!writer_ok(w) || w->pos - start == ENTRY_POSITIONS_LEN);
	if (r->has_identity)
		entry_identity_write(w, &r->identity);
}

void ledger_positions_write(struct writer *w, const struct run *r)
{
	uint8_t octets[ENTRY_POSITIONS_MAX];
	struct writer body = writer_of(octets, sizeof(octets));
	struct entry e = { .kind = ENTRY_POSITIONS, .run = r->run,
			   .body = octets };

	positions_body_write(&body, r);
	assert(writer_ok(&body));
	e.len = body.pos;
	(void)strcpy(e.switch_id, r->switch_id);
	entry_write(w, &e);
}

/* Positions at the head of a segment; never lowers known ones. */
static int positions_take(struct run *r, const struct entry *e)
{
	struct cursor c = cursor_of(e->body, e->len < ENTRY_POSITIONS_LEN ?
					     e->len : ENTRY_POSITIONS_LEN);
	struct dictionary d;
	struct positions p;
	int err = positions_read(&c, &p);
	uint32_t segment;	/* of the last reference; 0: absent */

	d.is_known = cursor_u8(&c) != 0;
	d.version = cursor_be32(&c);
	d.next_part = cursor_be32(&c);
	d.next_version = cursor_be32(&c);
	segment = cursor_be32(&c);
	if (err < 0 || !cursor_ok(&c) || cursor_left(&c) > 0)
		return -EBADMSG;
	if (r->reference.segment == 0)
		r->reference.segment = segment;
	if (p.last[STREAM_STATES] >= r->kept.last[STREAM_STATES])
		r->dictionary = d;
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (p.last[i] > r->kept.last[i])
			r->kept.last[i] = p.last[i];
	return 0;
}

static int records_take(struct run *r, const struct entry *e, struct place at)
{
	struct cursor c = cursor_of(e->body, e->len);

	while (cursor_left(&c) > 0) {
		struct record_header h;
		const uint8_t *payload;

		if (record_read(&c, &h, &payload) < 0)
			return -EBADMSG;
		if (h.last <= r->kept.last[h.stream])
			continue;
		if (h.kind == RECORD_BATCH &&
		    h.flags & RECORD_FLAG_REFERENCE)
			r->reference = at;
		ledger_take(r, &h, payload);
	}
	return 0;
}

/* The run of an entry, under the id that it has from then on. */
static int run_take(struct ledger *l, const struct entry *e, struct mono now,
		    struct run **ret)
{
	struct entry_identity identity;
	int err = entry_identity_read(e, &identity);
	struct run *r = err == 0 ? ledger_find(l, e->switch_id, e->run) : NULL;

	if (err == -EBADMSG)
		return err;
	if (err == 0 && !r && identity.former_id[0])
		r = ledger_find(l, identity.former_id, e->run);
	if (r && strcmp(r->switch_id, e->switch_id) != 0)
		run_rename(l, r, e->switch_id);
	if (!r)
		r = run_add(l, e->switch_id, e->run, now);
	if (!r)
		return -ENOSPC;
	if (err == 0) {
		switch_named(l, r->switch_id, identity.name);
		r->identity = identity;
		r->has_identity = r->identity_is_told = true;
		l->has_ids = true;
	}
	*ret = r;
	return 0;
}

int ledger_entry(struct ledger *l, const struct entry *e, struct place at,
		 struct mono now)
{
	struct run *r;
	int err;

	if (e->kind == ENTRY_OWN)
		return 0;	/* no agent can ask for these */
	err = run_take(l, e, now, &r);

	if (err < 0)
		return err;
	err = e->kind == ENTRY_POSITIONS ? positions_take(r, e) :
					   records_take(r, e, at);
	r->durable = r->syncing = r->kept;
	return err;
}
