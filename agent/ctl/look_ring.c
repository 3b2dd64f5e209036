#include "agent/ctl/look_ring.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/ring.h"
#include "agent/base/workers.h"
#include "agent/record/array.h"

#define REFERENCES_MAX (1u << 20)
#define COPY_OCTETS (1u << 20)	/* more than a record */

struct reference {
	uint64_t sequence, at;
	struct mono made;
};

struct look_ring {
	struct ring *ring;
	struct array references;	/* when it was opened */
	struct mono first, last;
};

/* --- where references are ------------------------------------------------- */

static const struct reference *reference_at(const struct look_ring *l,
					    uint32_t n)
{
	return (const struct reference *)l->references.items + n;
}

static int reference_add(struct look_ring *l, uint64_t sequence, uint64_t at,
			 struct mono made)
{
	uint32_t n = array_add(&l->references, 1);

	if (n == INDEX_NONE)
		return -ENOMEM;
	((struct reference *)l->references.items)[n] =
		(struct reference){ sequence, at, made };
	return 0;
}

static void batch_seen(struct look_ring *l, struct mono made)
{
	if (!l->first.ns)
		l->first = made;
	l->last = made;
}

/* Finds the references in a copy, and when the first and the last batch were
 * made. known: the last reference that was found before; 0: none.
 */
static int copy_list(struct look_ring *l, struct ring_walk *w, uint64_t known)
{
	struct record_header h;
	const uint8_t *payload;
	int rc = 0;

	for (uint64_t at = w->hint;
	     rc == 0 && ring_walk_borrow(w, &h, &payload); at = w->hint) {
		struct mono made = batch_mono(payload, h.length);

		if (!made.ns || h.kind != RECORD_BATCH)
			continue;
		batch_seen(l, made);
		if (h.flags & RECORD_FLAG_REFERENCE && h.sequence > known)
			rc = reference_add(l, h.sequence, at, made);
	}
	return rc;
}

/* The same, from a place of the ring to another one (0: the end): a copy at a
 * time, as a ring may be large.
 */
static int part_list(struct look_ring *l, struct ring_walk w, uint64_t until,
		     uint64_t known)
{
	struct ring_part part = { 0 };
	uint64_t first;
	int rc;

	do {
		uint64_t end = w.hint + COPY_OCTETS;

		if (until && end > until)
			end = until;
		w.part = NULL;
		rc = ring_part_copy(&w, end, &part);
		first = w.next;
		if (rc == 0)
			rc = copy_list(l, &w, known);
	} while (rc == 0 && w.next > first);
	ring_part_fini(&part);
	return rc;
}

/* Takes the references that the ring notes, and reads all that is before the
 * first and after the last of them.
 */
static int references_list(struct look_ring *l)
{
	struct ring_walk w = ring_walk_of(l->ring, 0, UINT64_MAX);
	struct ring_reference noted[RING_REFERENCES_MAX];
	unsigned n = ring_references(l->ring, noted);
	int rc = 0;

	if (n > 0 && w.next < noted[0].sequence)
		rc = part_list(l, w, noted[0].at, 0);
	for (unsigned i = 0; rc == 0 && i < n; i++) {
		struct mono made = batch_mono(noted[i].payload,
					      sizeof(noted[i].payload));

		batch_seen(l, made);
		rc = reference_add(l, noted[i].sequence, noted[i].at, made);
		w.next = noted[i].sequence;
		w.hint = noted[i].at;
	}
	return rc < 0 ? rc : part_list(l, w, 0, n ? w.next : 0);
}

int look_ring_new(int dir_fd, struct look_ring **ret, struct diag *d)
{
	struct look_ring *l = calloc(1, sizeof(*l));
	int rc;

	if (!l)
		return diag_set(d, -ENOMEM, "no memory");
	l->references = array_of(sizeof(struct reference), REFERENCES_MAX);
	rc = ring_look(dir_fd, STREAM_SAMPLES, &l->ring, d);
	if (rc == 0) {
		rc = references_list(l);
		if (rc < 0)
			(void)diag_set(d, rc, "samples.ring cannot be read: %s",
				       rc == -EBADMSG ? "it is damaged" :
							strerror(-rc));
	}
	if (rc < 0)
		look_ring_free(l);
	else
		*ret = l;
	return rc;
}

void look_ring_free(struct look_ring *l)
{
	if (!l)
		return;
	array_fini(&l->references);
	ring_close(l->ring);
	free(l);
}

struct mono look_ring_first(const struct look_ring *l)
{
	return l->first;
}

struct mono look_ring_last(const struct look_ring *l)
{
	return l->last;
}

/* The last reference made at or before a time, else the first: no batch before
 * it has a value taken after that time.
 */
static uint32_t reference_find(const struct look_ring *l, struct mono from)
{
	uint32_t n = l->references.count;

	while (n > 1 && reference_at(l, n - 1)->made.ns > from.ns)
		n--;
	return n > 0 ? n - 1 : 0;
}

/* --- a piece: a reference, and the records up to the next one ------------- */

/* The function that takes the columns. */
struct pass {
	struct decoder *decoder;
	decoded_fn *fn;
	void *context;
	struct gather *gather;		/* NULL: fn may see a column again */
	struct ring_part *copy;
};

/* Reads from one reference up to the next. *ret_next: the walk that begins at
 * the next one, or at the end.
 */
static int group_read(const struct pass *p, const struct ring_walk *first,
		      struct ring_walk *ret_next)
{
	struct ring_walk w = *first;
	struct record_header h;
	const uint8_t *payload;
	int rc = 0;

	*ret_next = w;
	while (rc >= 0 && ring_walk_borrow(&w, &h, &payload)) {
		if (h.flags & RECORD_FLAG_REFERENCE &&
		    h.sequence > first->next) {
			ret_next->next = h.sequence;
			return rc;
		}
		rc = h.kind != RECORD_BATCH ? -EAGAIN :
		     decoder_batch(p->decoder, h.flags, payload, h.length,
				   p->fn, p->context, NULL);
		if (rc == -EAGAIN || rc == -EBADMSG) {
			decoder_lost(p->decoder);
			rc = 0;
		}
		*ret_next = w;
	}
	ret_next->next = w.end;
	return rc;
}

/* A reference, and what the ring notes up to the next one; after the last one
 * all that was written since, too.
 */
static struct ring_walk piece_of(const struct look_ring *l, uint32_t n,
				 uint64_t *ret_until)
{
	struct ring_walk w = ring_walk_of(l->ring, 0, UINT64_MAX);

	*ret_until = 0;
	w.next = reference_at(l, n)->sequence;
	w.hint = reference_at(l, n)->at;
	if (n + 1 < l->references.count) {
		w.end = reference_at(l, n + 1)->sequence;
		*ret_until = reference_at(l, n + 1)->at;
	}
	return w;
}

/* Copies a piece and reads each group of it, again until all columns that the
 * wanted ones depend on have been read. What the writer has overwritten
 * meanwhile is dropped.
 */
static int piece_read(const struct look_ring *l, const struct pass *p,
		      uint32_t n)
{
	uint64_t until;
	struct ring_walk next = piece_of(l, n, &until);
	int rc = ring_part_copy(&next, until, p->copy);

	while (rc >= 0 && next.next < next.end) {
		const struct ring_walk first = next;
		bool again;

		if (p->gather)
			gather_mark(p->gather);
		do {
			rc = group_read(p, &first, &next);
			again = rc >= 0 && decoder_wants_more(p->decoder);
			if (p->gather && again)
				gather_back(p->gather);
		} while (again);
		if (next.next <= first.next)
			break;
	}
	return rc;
}

/* --- all of it ------------------------------------------------------------ */

struct samples_look {
	const struct look_ring *look;
	uint32_t begin;			/* reference of the first piece */
	const struct gather *gather;
	const uint8_t *ids;
	uint32_t id_count;
	struct decoder *decoder[WORKERS_MAX];	/* owned */
	struct ring_part copy[WORKERS_MAX];	/* owned */
};

/* A worker's decoder: all want the same and follow ids. */
static int decoder_make(void *context, unsigned worker)
{
	struct samples_look *l = context;
	const struct gather *g = l->gather;
	int rc = decoder_new(&l->decoder[worker]);

	if (rc < 0)
		return rc;
	decoder_follow(l->decoder[worker], l->ids, l->id_count);
	for (size_t i = 0; i < g->count; i++)
		decoder_want(l->decoder[worker], g->series[i].quantity);
	return 0;
}

static int piece_take(void *context, unsigned worker, unsigned piece,
		      struct gather *part)
{
	struct samples_look *l = context;
	struct pass p = { .decoder = l->decoder[worker], .fn = gather_column,
			  .context = part, .gather = part,
			  .copy = &l->copy[worker] };

	return piece_read(l->look, &p, l->begin + piece);
}

int look_ring_read(struct look_ring *l, struct mono from, struct gather *g,
		   const uint8_t *ids, uint32_t id_count)
{
	struct samples_look look = { .look = l,
				     .begin = reference_find(l, from),
				     .gather = g, .ids = ids,
				     .id_count = id_count };
	const struct gather_work work = { &look, decoder_make, piece_take,
					  gather_take };
	int rc = gather_pieces(g, &work, l->references.count - look.begin);

	for (unsigned w = 0; w < WORKERS_MAX; w++) {
		decoder_free(look.decoder[w]);
		ring_part_fini(&look.copy[w]);
	}
	return rc;
}

int look_ring_columns(struct look_ring *l, struct mono from,
		      const uint16_t *quantities, size_t n, decoded_fn *fn,
		      void *context)
{
	struct ring_part copy = { 0 };
	struct pass p = { .fn = fn, .context = context, .copy = &copy };
	int rc = decoder_new(&p.decoder);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n; i++)
		decoder_want(p.decoder, quantities[i]);
	for (uint32_t i = reference_find(l, from);
	     rc == 0 && i < l->references.count; i++)
		rc = piece_read(l, &p, i);
	decoder_free(p.decoder);
	ring_part_fini(&copy);
	return rc;
}
