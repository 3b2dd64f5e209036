/* Runs hang in two tables of chains: by (switch, run), where they live, and by
 * session, for the frames. A stream of a run is one number, the last sequence
 * that is in the spool; what comes is judged against it:
 *
 *	last <= kept			a repeat
 *	sequence <= kept < last		a gap, told anew and longer: cut
 *	sequence == kept + 1		the next one
 *	sequence > kept + 1		a hole
 */
#include "agent/collect/ledger.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHAINS 16384u		/* a power of two */

struct ledger {
	uint64_t seed;
	size_t count;
	struct run *named[CHAINS];
	struct run *session[CHAINS];
};

int ledger_new(uint64_t seed, struct ledger **ret)
{
	struct ledger *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->seed = seed;
	*ret = l;
	return 0;
}

void ledger_free(struct ledger *l)
{
	if (!l)
		return;
	for (unsigned i = 0; i < CHAINS; i++) {
		struct run *next;

		for (struct run *r = l->named[i]; r; r = next) {
			next = r->next_named;
			free(r);
		}
	}
	free(l);
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	return x ^ x >> 32;
}

static unsigned chain_of(const struct ledger *l, const char *switch_name,
			 uint64_t run)
{
	uint64_t h = mix(l->seed ^ run);

	for (const char *p = switch_name; *p; p++)
		h = mix(h ^ (uint8_t)*p);
	return h % CHAINS;
}

static unsigned session_chain(const struct ledger *l, uint64_t session)
{
	return mix(l->seed ^ session) % CHAINS;
}

struct run *ledger_find(const struct ledger *l, const char *switch_name,
			uint64_t run)
{
	struct run *r = l->named[chain_of(l, switch_name, run)];

	while (r && (r->run != run || strcmp(r->switch_name, switch_name) != 0))
		r = r->next_named;
	return r;
}

size_t ledger_count(const struct ledger *l)
{
	return l->count;
}

struct run *ledger_next(const struct ledger *l, const struct run *after)
{
	unsigned chain = 0;

	if (after && after->next_named)
		return after->next_named;
	if (after)
		chain = chain_of(l, after->switch_name, after->run) + 1;
	while (chain < CHAINS && !l->named[chain])
		chain++;
	return chain < CHAINS ? l->named[chain] : NULL;
}

static bool run_is_empty(const struct run *r)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (r->kept.last[i] > 0)
			return false;
	return true;
}

/* The run that is worth least: empty before silent, then who is silent for
 * longest; NULL when all are needed.
 */
static struct run *run_least(const struct ledger *l, struct mono now)
{
	struct run *least = NULL;

	for (struct run *r = ledger_next(l, NULL); r; r = ledger_next(l, r)) {
		bool empty = run_is_empty(r);

		if (r->is_dirty || r->is_syncing)
			continue;
		if (!empty && mono_diff_ns(now, r->heard) < LEDGER_FORGET_NS)
			continue;
		if (!least || (empty && !run_is_empty(least)) ||
		    (empty == run_is_empty(least) &&
		     r->heard.ns < least->heard.ns))
			least = r;
	}
	return least;
}

static void session_unlink(struct ledger *l, struct run *r)
{
	struct run **at = &l->session[session_chain(l, r->session)];

	if (r->session == 0)
		return;
	while (*at != r)
		at = &(*at)->next_session;
	*at = r->next_session;
	r->session = 0;
}

static void run_forget(struct ledger *l, struct run *r)
{
	struct run **at = &l->named[chain_of(l, r->switch_name, r->run)];

	session_unlink(l, r);
	while (*at != r)
		at = &(*at)->next_named;
	*at = r->next_named;
	l->count--;
	free(r);
}

struct run *ledger_add(struct ledger *l, const char *switch_name, uint64_t run,
		       struct mono now)
{
	struct run *r = ledger_find(l, switch_name, run);
	struct run **chain = &l->named[chain_of(l, switch_name, run)];

	if (r)
		return r;
	if (l->count >= LEDGER_RUNS_MAX) {
		r = run_least(l, now);
		if (!r)
			return NULL;
		run_forget(l, r);
	}
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	assert(strlen(switch_name) < sizeof(r->switch_name));
	(void)strcpy(r->switch_name, switch_name);
	r->run = run;
	r->heard = now;
	r->next_named = *chain;
	*chain = r;
	l->count++;
	return r;
}

struct run *ledger_session_find(const struct ledger *l, uint64_t session)
{
	struct run *r = l->session[session_chain(l, session)];

	while (r && r->session != session)
		r = r->next_session;
	return r;
}

void ledger_session_set(struct ledger *l, struct run *r, uint64_t session)
{
	struct run **chain = &l->session[session_chain(l, session)];

	assert(session != 0);
	session_unlink(l, r);
	r->session = session;
	r->next_session = *chain;
	*chain = r;
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

void ledger_positions_write(struct writer *w, const struct run *r)
{
	size_t start = w->pos;

	positions_write(w, &r->kept);
	writer_u8(w, r->dictionary.is_known);
	writer_be32(w, r->dictionary.version);
	writer_be32(w, r->dictionary.next_part);
	writer_be32(w, r->dictionary.next_version);
	writer_be32(w, 0);
	assert(!writer_ok(w) || w->pos - start == LEDGER_POSITIONS_LEN);
}

/* Positions said at the head of a segment; never behind what is known. */
static int positions_take(struct run *r, const struct entry *e)
{
	struct cursor c = cursor_of(e->body, e->len);
	struct dictionary d;
	struct positions p;
	int err = positions_read(&c, &p);

	d.is_known = cursor_u8(&c) != 0;
	d.version = cursor_be32(&c);
	d.next_part = cursor_be32(&c);
	d.next_version = cursor_be32(&c);
	(void)cursor_be32(&c);	/* reserved */
	if (err < 0 || !cursor_ok(&c) || cursor_left(&c) > 0)
		return -EBADMSG;
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

int ledger_entry(struct ledger *l, const struct entry *e, struct place at,
		 struct mono now)
{
	struct run *r = ledger_add(l, e->switch_name, e->run, now);
	int err;

	if (!r)
		return -ENOSPC;
	err = e->kind == ENTRY_POSITIONS ? positions_take(r, e) :
					   records_take(r, e, at);
	r->durable = r->syncing = r->kept;
	return err;
}
