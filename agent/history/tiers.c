#include "agent/history/tiers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/folder.h"
#include "agent/base/ring.h"
#include "agent/history/tier_fold.h"
#include "agent/record/decode.h"
#include "agent/record/encode.h"
#include "petrel/cursor.h"
#include "petrel/quantity.h"

#define DAY_S 86400
#define ROWS_WEIGHED 4u
#define SERIES_LEAST 256u
#define SERIES_OCTETS 2u	/* in a row, first guess: the least */

/* The output of one tier. */
struct tier_out {
	struct tier_writer file;
	struct mono last;	/* the end of its newest row; ns 0: none */
	int64_t span;		/* the present one, its number since 1970 */
};

struct tiers {
	struct tiers_env env;
	struct decoder *decoder;
	struct tier_fold *fold;
	struct tier_out out[TIER_COUNT];
	struct encoder *encoder;	/* NULL: no row was written yet */
	struct tier_out *to;		/* what it writes to */
	bool is_reference;		/* its newest row */
	struct tier_budget budget;
	uint64_t weighed_octets;	/* of rows of minutes */
	unsigned weighed;		/* how many rows */
	uint64_t samples_next, states_next;	/* sequences */
	uint64_t reference;	/* where the last one begins */
	bool is_folded;		/* the present record was, a turn before */
	struct mono reference_made, newest;	/* batches */
	struct clock_reading clock;
	int rc;
	uint8_t sample[RECORD_MAX];	/* under way */
	uint8_t state[RECORD_MAX];
};

/* --- into files ---------------------------------------------------------- */

static int sink_put(void *context, enum stream stream, enum record_kind kind,
		    uint16_t flags, const void *payload, size_t len)
{
	struct tiers *t = context;

	if (kind == RECORD_BATCH)
		t->is_reference = flags & RECORD_FLAG_REFERENCE;
	return tier_writer_put(&t->to->file, stream, kind, flags, payload, len);
}

static uint64_t sink_sequence(void *context, enum stream stream)
{
	const struct tiers *t = context;

	return t->to->file.next[stream];
}

/* The newest snapshot that begins before end. */
static uint64_t snapshot_find(struct tiers *t, uint64_t end)
{
	const struct ring *ring = t->env.rings->ring[STREAM_STATES];
	struct ring_walk w = ring_walk_of(ring, 0, end);
	struct record_header h;
	const uint8_t *payload;
	uint64_t found = end;

	while (ring_walk_borrow(&w, &h, &payload))
		if (h.kind == RECORD_DICTIONARY &&
		    h.flags & RECORD_FLAG_REFERENCE)
			found = h.sequence;
	return found;
}

/* Copies dictionary records from the ring of states, first to before end. */
static int dictionary_copy(struct tiers *t, struct tier_out *o, uint64_t first,
			   uint64_t end)
{
	struct ring_walk w = ring_walk_of(t->env.rings->ring[STREAM_STATES],
					  first, end);
	struct record_header h;
	const uint8_t *payload;
	int rc = 0;

	while (rc == 0 && ring_walk_record(&w, t->state, &h, &payload))
		if (h.kind == RECORD_DICTIONARY)
			rc = tier_writer_put(&o->file, STREAM_STATES,
					     RECORD_DICTIONARY, h.flags,
					     payload, h.length);
	return rc;
}

/* Begins the next file, up to its first row: the file begins when the span of
 * that row does, which ends at end.
 */
static int file_begin(struct tiers *t, struct mono end)
{
	const struct ring_set *rings = t->env.rings;
	struct tier_out *o = t->to;
	int64_t began_ns = t->clock.wall.ns + mono_diff_ns(end, t->clock.mono) -
			   tier_forms[o->file.tier].span_ns;
	int rc = tier_writer_begin(&o->file, (struct wall){
				   began_ns > 0 ? began_ns : 0 });

	if (rc == 0)
		rc = encoder_run(t->encoder, &(struct encoder_origin){
			.run = rings->run, .previous_run = rings->previous_run,
			.previous_last = rings->previous_last,
			.switch_id = t->env.switch_id,
			.switch_name = t->env.switch_name,
			.version = t->env.version, .clock = &t->clock });
	if (rc == 0)
		rc = dictionary_copy(t, o, snapshot_find(t, t->states_next),
				     t->states_next);
	encoder_want_reference(t->encoder);
	return rc;
}

/* Octets that the row of a minute may have, so that a day of them fits, with
 * references.
 */
static uint64_t row_most(const struct tiers *t)
{
	return t->budget.day_octets / 12 * 10 / (DAY_S / 60);
}

/* Keeps some series: without any, no row would show that there is room. */
static void series_limit(struct tiers *t, size_t series)
{
	tier_fold_limit(t->fold, series < SERIES_LEAST ? SERIES_LEAST : series);
}

/* Limits series to what a day has room for, by the size of recent rows. */
static void row_weigh(struct tiers *t, uint64_t octets)
{
	uint64_t most = row_most(t), mean;
	size_t series, left_out, want;

	t->weighed_octets += octets;
	if (++t->weighed < ROWS_WEIGHED)
		return;
	mean = t->weighed_octets / t->weighed;
	t->weighed = 0;
	t->weighed_octets = 0;
	tier_fold_count(t->fold, &series, &left_out);
	want = mean > 0 ? series * most / mean : 2 * series;
	if (want < series / 2)
		want = series / 2;	/* these rows may be exceptional */
	if (mean > most || (left_out > 0 && mean < most - most / 4))
		series_limit(t, want);
}

/* A row after one of the other tier is a reference: one encoder takes less
 * memory than two, and quarters are rare.
 */
static int row_write(struct tiers *t, struct tier_out *o, struct mono end,
		     const struct tier_row *row)
{
	static const struct encoder_limits limits = {
		.slots = TIER_SOURCES * FOLD_SERIES_MAX, .columns = 3072,
		.lists = 1024, .entities = FOLD_SERIES_MAX };
	struct record_sink sink = { t, sink_put, sink_sequence };
	int rc = t->encoder ? 0 : encoder_new(&limits, &sink, &t->encoder);

	if (rc == 0 && t->to != o)
		encoder_want_reference(t->encoder);
	t->to = o;
	if (rc == 0 && tier_writer_is_due(&o->file, t->clock.wall))
		rc = file_begin(t, end);
	if (rc < 0)
		return rc;
	return encoder_batch(t->encoder, end, row->tick, 0, row->columns,
			     row->column_count, row->groups, row->group_count);
}

/* Ends a span, and writes its row unless it was written before. */
static void span_close(struct tiers *t, enum tier tier, struct mono end)
{
	struct tier_out *o = &t->out[tier];
	uint64_t before = t->budget.written;
	struct tier_row row;
	int rc;

	if (!tier_fold_close(t->fold, tier, end, &row) ||
	    (o->last.ns && mono_diff_ns(end, o->last) <
			       tier_forms[tier].span_ns / 2))
		return;		/* by half a span, as clocks may drift */
	rc = row_write(t, o, end, &row);
	if (rc == 0)
		o->last = end;
	else if (t->rc == 0)
		t->rc = rc;
	/* all rows except references have about one size */
	if (rc == 0 && !t->is_reference && tier == TIER_MINUTE)
		row_weigh(t, t->budget.written - before);
}

/* --- from the rings ------------------------------------------------------ */

/* Writes changes of the inventory into open files. */
static void states_take(struct tiers *t)
{
	uint64_t end = ring_next(t->env.rings->ring[STREAM_STATES]);

	for (unsigned i = 0; i < TIER_COUNT && t->states_next; i++) {
		int rc = t->out[i].file.fd < 0 ? 0 :
			 dictionary_copy(t, &t->out[i], t->states_next, end);

		if (rc < 0 && t->rc == 0)
			t->rc = rc;
	}
	t->states_next = end;
}

/* Ends spans that were over when a batch was made. */
static void spans_follow(struct tiers *t, struct mono made)
{
	int64_t wall_ns = t->clock.wall.ns +
			  mono_diff_ns(made, t->clock.mono);

	if (made.ns < t->newest.ns)
		return;		/* it is read again */
	t->newest = made;
	for (unsigned i = 0; i < TIER_COUNT; i++) {
		struct tier_out *o = &t->out[i];
		int64_t span = wall_ns / tier_forms[i].span_ns;
		int64_t end_ns = (o->span + 1) * tier_forms[i].span_ns;

		if (o->span && span != o->span)
			span_close(t, (enum tier)i, (struct mono){
				   t->clock.mono.ns + end_ns -
				   t->clock.wall.ns });
		o->span = span;
	}
}

/* A reference may have several records, all made at the same time. */
static void reference_note(struct tiers *t, const struct record_header *h,
			   struct mono made)
{
	if (!(h->flags & RECORD_FLAG_REFERENCE) ||
	    (made.ns == t->reference_made.ns && h->sequence > t->reference))
		return;
	t->reference = h->sequence;
	t->reference_made = made;
}

/* A decoded_fn of struct tiers. */
static int column_fold(void *context, const struct decoded_column *c)
{
	struct tiers *t = context;

	return t->is_folded ? 0 : tier_fold_column(t->fold, c);
}

/* Begins with the last reference of the turn before, so that the decoder keeps
 * nothing from one minute to the next.
 */
static void samples_take(struct tiers *t)
{
	const struct ring *ring = t->env.rings->ring[STREAM_SAMPLES];
	struct ring_walk w = ring_walk_of(ring, t->reference, UINT64_MAX);
	struct record_header h;
	const uint8_t *payload;
	struct mono made;

	while (ring_walk_record(&w, t->sample, &h, &payload)) {
		if (h.kind != RECORD_BATCH) {
			decoder_lost(t->decoder);
			continue;
		}
		t->is_folded = h.sequence < t->samples_next;
		made = batch_mono(payload, h.length);
		reference_note(t, &h, made);
		spans_follow(t, made);
		(void)decoder_batch(t->decoder, h.flags, payload, h.length,
				    column_fold, t, NULL);
		/* Folded records are skipped: a reading counts once. */
		if (decoder_wants_more(t->decoder))
			w = ring_walk_of(ring, t->reference, UINT64_MAX);
	}
	t->samples_next = w.next;
	decoder_rest(t->decoder);
}

int tiers_run(struct tiers *t, const struct clock_reading *now)
{
	int64_t day = now->wall.ns / (DAY_S * NS_PER_S);

	if (day != t->budget.day)
		t->budget.written = 0;
	t->budget.day = day;
	t->rc = 0;
	t->clock = *now;
	states_take(t);
	samples_take(t);
	return t->rc;
}

/* --- the present state --------------------------------------------------- */

/* Finds the newest row of this run in a file. */
static void file_look(const struct tiers *t, struct tier_out *o,
		      struct tier_walk *w)
{
	struct record_header h;
	const uint8_t *payload;
	ProtobufCMessage *m;
	bool is_own = false;

	while (tier_walk_next(w, &h, &payload)) {
		if (h.kind == RECORD_BATCH && is_own)
			o->last = batch_mono(payload, h.length);
		if (h.kind != RECORD_RUN ||
		    record_unpack(RECORD_RUN, payload, h.length, &m) < 0)
			continue;
		is_own = ((const Petrel__Run *)m)->run == t->env.rings->run;
		record_unpacked_free(m);
	}
}

static void newest_look(const struct tiers *t, struct tier_out *o)
{
	uint64_t *began_s = NULL;
	char name[TIER_NAME_MAX];
	uint8_t *room = malloc(TIER_WALK_ROOM);
	size_t size;
	int count = tier_list(t->env.disk, t->env.dir_fd, o->file.tier,
			      &began_s);
	int fd = -1;

	if (count > 0) {
		tier_file_name(o->file.tier, began_s[count - 1], name);
		fd = folder_read_open(t->env.dir_fd, name,
				      TIER_FILE_OCTETS_MAX, &size);
	}
	if (fd >= 0 && room) {
		struct tier_walk w = tier_walk_file(fd, room);

		file_look(t, o, &w);
	}
	if (fd >= 0)
		(void)close(fd);	/* only read */
	free(room);
	free(began_s);
}

/* The last reference that was made before the present quarter began: that
 * quarter needs nothing from before it.
 */
static uint64_t samples_begin(const struct tiers *t)
{
	struct ring_walk w = ring_walk_of(t->env.rings->ring[STREAM_SAMPLES],
					  0, UINT64_MAX);
	int64_t from_ns = t->out[TIER_QUARTER].last.ns;
	uint64_t found = w.next;
	struct record_header h;
	const uint8_t *payload;

	if (from_ns == 0 || t->out[TIER_MINUTE].last.ns < from_ns)
		from_ns = t->out[TIER_MINUTE].last.ns;
	while (ring_walk_borrow(&w, &h, &payload))
		if (h.flags & RECORD_FLAG_REFERENCE &&
		    batch_mono(payload, h.length).ns <= from_ns)
			found = h.sequence;
	return found;
}

static void out_init(struct tiers *t, enum tier tier)
{
	struct tier_out *o = &t->out[tier];

	*o = (struct tier_out){ .file = {
		.disk = t->env.disk, .dir_fd = t->env.dir_fd, .tier = tier,
		.mode = t->env.mode, .budget = &t->budget, .fd = -1 } };
	newest_look(t, o);
}

/* Counts the octets that were written today. */
static void day_look(struct tiers *t, struct wall now)
{
	t->budget = (struct tier_budget){
		.held_octets = t->env.held_octets,
		.day_octets = t->env.day_octets,
		.day = now.ns / (DAY_S * NS_PER_S) };
	for (unsigned i = 0; i < TIER_COUNT; i++) {
		struct tier_held held;

		if (tier_writer_held(&t->out[i].file,
				     (uint64_t)t->budget.day * DAY_S,
				     &held) == 0)
			t->budget.written += held.since_octets;
	}
}

/* Wants only kept quantities: the others then take no memory. */
static void kept_want(struct decoder *d)
{
	size_t count;
	const struct quantity_info *q = quantity_table(&count);

	for (size_t i = 0; i < count; i++)
		if (quantity_is_kept(q[i].id))
			decoder_want(d, q[i].id);
}

int tiers_new(const struct tiers_env *env, const struct clock_reading *now,
	      struct tiers **ret)
{
	struct tiers *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return -ENOMEM;
	t->env = *env;
	for (unsigned i = 0; i < TIER_COUNT; i++)
		t->out[i].file.fd = -1;
	rc = tier_fold_new(&t->fold);
	if (rc == 0)
		rc = decoder_new(&t->decoder);
	if (rc < 0) {
		tiers_free(t);
		return rc;
	}
	for (unsigned i = 0; i < TIER_COUNT; i++)
		out_init(t, (enum tier)i);
	kept_want(t->decoder);
	day_look(t, now->wall);
	series_limit(t, row_most(t) / SERIES_OCTETS);
	t->samples_next = t->reference = samples_begin(t);
	*ret = t;
	return 0;
}

void tiers_free(struct tiers *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < TIER_COUNT; i++)
		tier_writer_close(&t->out[i].file);
	encoder_free(t->encoder);
	decoder_free(t->decoder);
	tier_fold_free(t->fold);
	free(t);
}

int tiers_count(const struct tiers *t, struct tiers_count *ret)
{
	int rc = 0;

	*ret = (struct tiers_count){ .written = t->budget.written };
	tier_fold_count(t->fold, &ret->series, &ret->left_out);
	for (unsigned i = 0; rc == 0 && i < TIER_COUNT; i++) {
		struct tier_held held = { 0 };

		rc = tier_writer_held(&t->out[i].file, 0, &held);
		ret->held += held.octets;
		ret->began_s[i] = held.began_s;
		ret->is_short |= t->out[i].file.is_short;
	}
	return rc;
}
