/* petrel-test: no-valgrind IT CUTS THE POWER 60,000 TIMES; ASAN RUNS IT TOO */
/* Both spools and the state file on a disk that loses its power at every
 * point, and before that is full, fails or takes octets in small portions now
 * and then: nothing that was synced is lost, nothing is made up, whatever the
 * disk made of what was not. And no sync is for nothing: with any one left out
 * something is.
 *
 * usage: test_power [STATES [SEED]]	counts states that differ
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/collect/store.h"
#include "agent/spool/spool.h"
#include "tests/support/power.h"

#ifdef __SANITIZE_ADDRESS__
#define STATES_QUICK 6000u	/* ten times as slow */
#define SKIPS_QUICK 6u
#else
#define STATES_QUICK 60000u
#define SKIPS_QUICK 60u		/* syncs of a script that are left out */
#endif
#define STATES_MAX 20000000u
#define VARIANTS 24u		/* of a cut, beside the plain ones */
#define STEPS 220u		/* of one script */
#define STEPS_LEFT_OUT 12u	/* of it behind a sync that was left out */
#define RUNS 3u			/* kept in mind; older ones are acknowledged */
#define PAYLOAD_MAX 200u
#define STATE_NAME "memory"
#define HEAD_MAX (ENTRY_HEADER_LEN + SWITCH_NAME_MAX)
#define PORTION 70u		/* octets that a write takes, in some scripts */
#define FAULT_EVERY 4u		/* operations, one of which meets a fault */

/* --- a disk that is not well ---------------------------------------------- */

/* What comes next may find no room for all of it, or one of its first so many
 * operations fails; not where it is asked what a sync is for.
 */
static void fault_begin(struct power *p, unsigned operations)
{
	if (p->disk->skipped_sync != SIM_DISK_NEVER ||
	    power_draw(p) % FAULT_EVERY)
		return;
	p->faults++;
	if (power_draw(p) % 2) {
		p->disk->room = power_draw(p) % PAYLOAD_MAX;
	} else {
		p->disk->fault = -EIO;
		p->disk->fail_at = p->disk->done + power_draw(p) % operations;
	}
}

/* Returns whether there was to be one. */
static bool fault_end(struct power *p)
{
	bool was = p->disk->room != SIZE_MAX ||
		   p->disk->fail_at != SIM_DISK_NEVER;

	p->disk->room = SIZE_MAX;
	p->disk->fail_at = SIM_DISK_NEVER;
	return was;
}

/* Of a script, and again after a cut. */
static void portions_set(struct power *p, bool are_small)
{
	p->disk->chunk = are_small ? PORTION : SIZE_MAX;
}

/* --- the sender's spool, and the state file ------------------------------- */

struct promise {
	uint64_t appended;	/* the last one that was taken */
	uint64_t tried;		/* may be there */
	uint64_t synced;	/* is there, unless */
	uint64_t acked;
	uint64_t noted;		/* the end is known to be no lower, unless */
};

/* What the script has done, and so what must be there. */
struct sender {
	struct power *power;
	struct spool *spool;
	struct spool_budget budget;
	bool portions;
	uint64_t run;		/* the present one; those before are lower */
	struct promise promise[RUNS][STREAM_COUNT];	/* by run % RUNS */
	unsigned state_put, state_tried;	/* contents of the state file */
};

/* Each record follows from its identity. */
static size_t record_make(uint64_t run, enum stream stream, uint64_t sequence,
			  uint8_t *ret, size_t cap)
{
	struct power key = { .seed = run << 40 ^ (uint64_t)stream << 32 ^
				     sequence };
	uint8_t payload[PAYLOAD_MAX];
	struct writer w = writer_of(ret, cap);
	struct record_header h = { .stream = (uint8_t)stream,
				   .kind = RECORD_EVENT, .sequence = sequence,
				   .last = sequence };

	h.length = (uint32_t)(power_draw(&key) % PAYLOAD_MAX);
	h.flags = power_draw(&key) % 4 ? 0 : RECORD_FLAG_REFERENCE;
	for (uint32_t i = 0; i < h.length; i++)
		payload[i] = (uint8_t)power_draw(&key);
	record_write(&w, &h, payload);
	assert(writer_ok(&w));
	return w.pos;
}

static bool record_is_right(uint64_t run, enum stream stream,
			    uint64_t sequence, const uint8_t *record, int len)
{
	uint8_t expected[RECORD_HEADER_LEN + PAYLOAD_MAX];
	size_t n = record_make(run, stream, sequence, expected,
			       sizeof(expected));

	return len == (int)n && memcmp(record, expected, n) == 0;
}

static struct promise *promise_of(struct sender *w, uint64_t run,
				  enum stream stream)
{
	return &w->promise[run % RUNS][stream];
}

static bool stream_is_right(struct sender *w, struct spool *s, uint64_t run,
			    enum stream stream)
{
	const struct promise *p = promise_of(w, run, stream);
	uint8_t record[RECORD_HEADER_LEN + PAYLOAD_MAX];

	if (spool_last(spool_index(s), run, stream) > p->tried ||
	    (p->noted > p->acked &&
	     spool_end(spool_index(s), run, stream) < p->noted))
		return false;
	for (uint64_t n = 1; n <= p->tried; n++) {
		int len = spool_read(s, run, stream, n, record,
				     sizeof(record));

		if (len >= 0 && !record_is_right(run, stream, n, record, len))
			return false;
		if (len < 0 && n > p->acked && n <= p->synced)
			return false;
	}
	return true;
}

static bool state_is_right(const struct sender *w, const struct sim_disk *d)
{
	const struct sim_file *f = sim_disk_file(d, STATE_NAME);
	char text[32];

	if (!f)
		return w->state_put == 0;
	for (unsigned i = w->state_put; i <= w->state_tried; i++) {
		int n = snprintf(text, sizeof(text), "state %u of it all", i);

		if (f->len == (size_t)n && memcmp(f->octets, text, f->len) == 0)
			return true;
	}
	return false;
}

static struct spool_limits limits_of(struct spool_budget *budget)
{
	return (struct spool_limits){ .held_octets = 1 << 20,
				      .segment_octets = 900,
				      .day_octets = INT64_C(1) << 40,
				      .budget = budget };
}

static bool sender_is_right(void *context, struct sim_disk *d)
{
	struct sender *w = context;
	struct spool_budget budget = { .octets = 0 };
	struct spool_limits limits = limits_of(&budget);
	struct spool *s;
	bool is_right = true;

	if (!state_is_right(w, d) ||
	    spool_open(&d->disk, SIM_DISK_FOLDER, &limits,
		       (struct mono){ 1 }, &s, NULL) < 0)
		return false;
	for (uint64_t run = w->run < RUNS ? 1 : w->run - RUNS + 1;
	     run <= w->run; run++)
		for (unsigned i = 0; i < STREAM_COUNT; i++)
			is_right &= stream_is_right(w, s, run, i);
	spool_close(s);
	return is_right;
}

static void spool_begin(struct sender *w)
{
	struct spool_limits limits = limits_of(&w->budget);
	int err;

	err = spool_open(&w->power->disk->disk, SIM_DISK_FOLDER, &limits,
			 (struct mono){ 1 }, &w->spool, NULL);
	assert(err == 0);
}

static void all_synced(struct sender *w, uint64_t run)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		promise_of(w, run, i)->synced =
			spool_last(spool_index(w->spool), run, i);
}

/* What is not known to be there any more is appended once more. */
static void fault_over(struct sender *w, int err)
{
	assert(fault_end(w->power) || err == 0);
	for (unsigned i = 0; i < STREAM_COUNT && err < 0; i++) {
		struct promise *p = promise_of(w, w->run, i);
		uint64_t last = spool_last(spool_index(w->spool), w->run, i);

		assert(last >= p->synced || p->acked >= p->synced);
		p->appended = last > p->acked ? last : p->acked;
	}
}

static void record_append(struct sender *w)
{
	uint8_t record[RECORD_HEADER_LEN + PAYLOAD_MAX];
	struct spool_run run = { w->run, w->run - 1 };
	enum stream stream = power_draw(w->power) % STREAM_COUNT;
	struct promise *p = promise_of(w, w->run, stream);
	uint64_t sequence = p->appended + 1;
	size_t len = record_make(w->run, stream, sequence, record,
				 sizeof(record));
	int err;

	p->appended = sequence;
	if (p->tried < sequence)
		p->tried = sequence;
	fault_begin(w->power, 4);
	err = spool_append(w->spool, &run, record, len, (struct mono){ 1 });
	fault_over(w, err);
}

static void spool_synced(struct sender *w)
{
	int err;

	fault_begin(w->power, 2);
	err = spool_sync(w->spool);
	fault_over(w, err);
	if (err == 0)
		all_synced(w, w->run);
}

static void acknowledge(struct sender *w)
{
	struct positions held;

	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		struct promise *p = promise_of(w, w->run, i);

		p->acked += power_draw(w->power) % (p->appended - p->acked + 1);
		held.last[i] = p->acked;
	}
	spool_ack(w->spool, w->run, &held);
}

/* There were some that are not kept. */
static void end_note(struct sender *w)
{
	struct spool_run run = { w->run, w->run - 1 };
	enum stream stream = power_draw(w->power) % STREAM_COUNT;
	struct promise *p = promise_of(w, w->run, stream);
	uint64_t last = p->appended + power_draw(w->power) % 4;
	int err;

	fault_begin(w->power, 4);
	err = spool_note_end(w->spool, &run, stream, last);
	fault_over(w, err);
	if (err == 0 && last > p->noted)
		p->noted = last;
}

/* Of the runs that the script forgets all is acknowledged. */
static void run_begin(struct sender *w)
{
	struct positions all = { { UINT64_MAX, UINT64_MAX, UINT64_MAX } };

	for (unsigned i = 0; i < STREAM_COUNT; i++)
		promise_of(w, w->run, i)->appended =
			spool_last(spool_index(w->spool), w->run, i);
	for (unsigned i = 0; i < STREAM_COUNT && w->run >= RUNS; i++)
		promise_of(w, w->run + 1, i)->synced =
			promise_of(w, w->run + 1, i)->noted = 0;
	if (w->run >= RUNS)
		spool_ack(w->spool, w->run + 1 - RUNS, &all);
	memset(w->promise[(w->run + 1) % RUNS], 0, sizeof(w->promise[0]));
	w->run++;
	assert(spool_sync(w->spool) == 0);
}

/* What is found then is what counts. */
static void spool_cut(struct sender *w)
{
	spool_close(w->spool);
	power_cut(w->power);
	portions_set(w->power, w->portions);
	w->power->promises_nothing = true;
	spool_begin(w);
	w->power->promises_nothing = false;
	all_synced(w, w->run);
	run_begin(w);
}

/* The process is killed, and begins again. */
static void spool_kill(struct sender *w)
{
	spool_close(w->spool);
	spool_begin(w);
	all_synced(w, w->run);
	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		struct promise *p = promise_of(w, w->run, i);

		if (p->appended < p->synced)
			p->appended = p->synced;
	}
}

static void state_put(struct sender *w)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "state %u of it all",
			 ++w->state_tried);
	int err;

	fault_begin(w->power, 4);
	err = disk_put(&w->power->disk->disk, SIM_DISK_FOLDER, STATE_NAME,
		       text, (size_t)n);
	assert(fault_end(w->power) || err == 0);
	if (err == 0)
		w->state_put = w->state_tried;
}

static void sender_step(void *context)
{
	struct sender *w = context;
	unsigned die = power_draw(w->power) % 100;

	if (die < 70) {
		record_append(w);
	} else if (die < 85) {
		spool_synced(w);
	} else if (die < 88) {
		end_note(w);
	} else if (die < 91) {
		acknowledge(w);
	} else if (die < 94) {
		state_put(w);
	} else if (die < 97) {
		spool_kill(w);
	} else {
		spool_cut(w);
	}
}

static void sender_begin(void *context)
{
	struct sender *w = context;

	*w = (struct sender){ .power = w->power, .run = 1,
			      .portions = power_draw(w->power) % 2 };
	portions_set(w->power, w->portions);
	spool_begin(w);
}

static void sender_end(void *context)
{
	spool_close(((struct sender *)context)->spool);
}

/* --- the collector's spool ------------------------------------------------ */

/* Entries are numbered by their runs; a head says how many there are. */
struct collector {
	struct power *power;
	struct store *store;
	bool portions;
	uint64_t appended, synced;
	struct place durable;	/* as of the last sync */
	uint64_t trimmed;	/* all up to here may be gone */
	uint64_t first_of[64];	/* of each segment, by number % 64 */
};

/* What reading it all comes to. */
struct reading {
	uint64_t known;		/* the highest number */
	uint64_t records;	/* of the segment read last */
	uint64_t segment;
	bool is_wrong;
};

static size_t entry_make(uint64_t number, enum entry_kind kind, uint8_t *ret,
			 size_t cap)
{
	struct power key = { .seed = number };
	struct writer w = writer_of(ret, cap);
	uint8_t body[PAYLOAD_MAX];
	struct entry e = { .kind = kind, .run = number, .switch_id = "leaf1",
			   .body = body };

	e.len = kind == ENTRY_POSITIONS ? 0 : power_draw(&key) % PAYLOAD_MAX;
	for (size_t i = 0; i < e.len; i++)
		body[i] = (uint8_t)power_draw(&key);
	entry_write(&w, &e);
	assert(writer_ok(&w));
	return w.pos;
}

/* Each entry follows the one before it, and is what was written. */
static void entry_read_back(void *context, const struct entry *e,
			    struct place at)
{
	uint8_t expected[ENTRY_HEADER_LEN + SWITCH_NAME_MAX + PAYLOAD_MAX];
	uint8_t found[sizeof(expected)];
	struct writer w = writer_of(found, sizeof(found));
	struct reading *r = context;
	size_t n = entry_make(e->run, e->kind, expected, sizeof(expected));

	entry_write(&w, e);
	r->is_wrong |= w.pos != n || memcmp(found, expected, n) != 0;
	if (at.segment != r->segment)
		r->records = 0;
	r->segment = at.segment;
	r->records += e->kind == ENTRY_RECORDS;
	if (e->kind == ENTRY_RECORDS && r->known > 0)
		r->is_wrong |= e->run != r->known + 1;
	r->known = e->run;
}

static struct store_env env_of(struct reading *r)
{
	return (struct store_env){ .path = "spool", .octets_max = 16 * 900,
				   .each = entry_read_back, .context = r };
}

/* What was not trimmed is all there, from the first to the last; of what was,
 * any segment.
 */
static bool all_is_there(const struct collector *w, struct sim_disk *d,
			 uint64_t last)
{
	struct follow *f;
	struct entry e;
	uint64_t next = 0;
	int err = follow_open(&d->disk, SIM_DISK_FOLDER, (struct place){ 0, 0 },
			      &f);

	while (err == 0 && (err = follow_next(f, NULL, &e)) == 0) {
		if (e.kind != ENTRY_RECORDS)
			continue;
		if (e.run != next && e.run > w->trimmed + 1)
			err = -EILSEQ;
		next = e.run + 1;
	}
	follow_close(f);
	return err == -EAGAIN && (next == 0 || next == last + 1) &&
	       (next > 0 || last <= w->trimmed);
}

static bool collector_is_right(void *context, struct sim_disk *d)
{
	const struct collector *w = context;
	struct reading r = { .known = 0 };
	struct store_env env = env_of(&r);
	struct store_found found;
	struct store *s;
	bool is_right;

	if (store_attach(&d->disk, SIM_DISK_FOLDER, &env, &found, &s, NULL) < 0)
		return false;
	is_right = !r.is_wrong && found.rotten == 0 && r.known >= w->synced &&
		   r.known <= w->appended && all_is_there(w, d, r.known);
	store_close(s);
	return is_right;
}

static void head_append(struct collector *w)
{
	uint8_t octets[HEAD_MAX];
	size_t len = entry_make(w->appended, ENTRY_POSITIONS, octets,
				sizeof(octets));

	assert(store_append_head(w->store, octets, len) == 0);
}

static void store_begin(struct collector *w)
{
	struct reading r = { .known = 0 };
	struct store_env env = env_of(&r);
	struct store_found found;

	assert(store_attach(&w->power->disk->disk, SIM_DISK_FOLDER, &env,
			    &found, &w->store, NULL) == 0);
	w->appended = w->synced = r.known;
	w->durable = store_end(w->store);
	if (w->appended > 0 && (found.torn_octets > 0 || r.records == 0))
		head_append(w);
}

/* A sync has failed: what it was to cover is gone, and nothing else. */
static void mend(struct collector *w)
{
	struct reading r = { .known = 0 };
	struct store_env env = env_of(&r);
	struct store_found found;

	assert(store_mend(w->store, w->durable, &env, &found, NULL) == 0);
	assert(!r.is_wrong && r.known >= w->synced && r.known <= w->appended);
	assert(store_end(w->store).segment != w->durable.segment ||
	       store_end(w->store).offset <= w->durable.offset);
	w->appended = w->synced = r.known;
	w->durable = store_end(w->store);
	if (w->appended > 0 && r.records == 0)
		head_append(w);
}

static void entry_append(struct collector *w)
{
	uint8_t octets[ENTRY_HEADER_LEN + SWITCH_NAME_MAX + PAYLOAD_MAX];
	size_t len = entry_make(++w->appended, ENTRY_RECORDS, octets,
				sizeof(octets));
	struct place at;
	int err;

	fault_begin(w->power, 4);
	err = store_append(w->store, octets, len, &at);
	(void)fault_end(w->power);
	if (err < 0)
		w->appended--;		/* full, until it is trimmed */
	if (err < 0 && err != -ENOSPC)
		mend(w);
}

/* Returns false: it could not, and all that was not synced is taken back. */
static bool segment_end(struct collector *w)
{
	int err;

	fault_begin(w->power, 4);
	err = store_roll(w->store);
	assert(fault_end(w->power) || err == 0);
	if (err < 0) {
		mend(w);
		return false;
	}
	w->first_of[store_end(w->store).segment % 64] = w->appended + 1;
	head_append(w);
	return true;
}

/* As the collector commits. */
static void group_commit(struct collector *w)
{
	struct store_job job;
	struct place end;

	w->power->promises_nothing = w->synced == w->appended;
	if (store_wants_roll(w->store)) {
		if (!segment_end(w)) {
			w->power->promises_nothing = false;
			return;
		}
		w->power->promises_nothing = true;	/* rolled: all is */
	}
	end = store_end(w->store);
	job = store_job(w->store);
	w->power->disk->fault = -EIO;
	if (power_draw(w->power) % 16 == 0)
		w->power->disk->fail_at = w->power->disk->done;
	if (store_job_do(&job) < 0) {
		w->power->disk->fail_at = SIM_DISK_NEVER;
		w->power->promises_nothing = true;
		mend(w);
	} else {
		w->durable = end;
		w->synced = w->appended;
	}
	w->power->promises_nothing = false;
}

/* The sinks have passed all. */
static void trim(struct collector *w)
{
	uint64_t segment = store_end(w->store).segment;
	uint64_t first = w->first_of[segment % 64];

	if (first > 0 && w->synced + 1 >= first)
		w->trimmed = first - 1;
	if (first > 0)
		(void)store_trim(w->store, segment);
}

static void collector_step(void *context)
{
	struct collector *w = context;
	unsigned die = power_draw(w->power) % 100;

	if (die < 65) {
		entry_append(w);
		return;
	}
	if (die < 90) {
		group_commit(w);
		return;
	}
	if (die < 94) {
		trim(w);
		return;
	}
	store_close(w->store);
	w->power->promises_nothing = true;
	if (die >= 97) {
		power_cut(w->power);
		portions_set(w->power, w->portions);
	}
	store_begin(w);
	w->power->promises_nothing = false;
}

static void collector_begin(void *context)
{
	struct collector *w = context;

	*w = (struct collector){ .power = w->power,
				 .portions = power_draw(w->power) % 2 };
	portions_set(w->power, w->portions);
	w->power->promises_nothing = true;
	store_begin(w);
	w->power->promises_nothing = false;
}

static void collector_end(void *context)
{
	store_close(((struct collector *)context)->store);
}

/* --- the tests ------------------------------------------------------------ */

struct script {
	const char *name;
	unsigned harmless_of;	/* of so many syncs one may do no harm */
	void (*begin)(void *context);
	void (*step)(void *context);
	void (*end)(void *context);
};

/* From its seed; returns the syncs in it. */
static unsigned script_run(const struct script *s, struct power *p,
			   uint64_t seed, unsigned skipped)
{
	unsigned behind = 0;

	power_begin(p, seed, skipped);
	s->begin(p->context);
	for (unsigned i = 0; i < STEPS && behind < STEPS_LEFT_OUT; i++) {
		s->step(p->context);
		if (p->disk->syncs <= skipped)
			continue;
		behind++;
		power_look(p);
		if (p->violations > 0 || power_is_idle(p))
			break;
	}
	s->end(p->context);
	return p->disk->syncs;
}

static bool nothing_is_lost(const struct script *s, struct power *p,
			    uint64_t states, uint64_t seed)
{
	uint64_t scripts = 0;

	for (; p->states < states; scripts++) {
		(void)script_run(s, p, seed + scripts, SIM_DISK_NEVER);
		if (p->violations == 0)
			continue;
		printf("# %s, seed %llu: %llu states where something is lost "
		       "or made up\n", s->name,
		       (unsigned long long)(seed + scripts),
		       (unsigned long long)p->violations);
		return false;
	}
	printf("# %s: %llu states that differ, of %llu scripts with %llu "
	       "faults, seed %llu\n", s->name, (unsigned long long)p->states,
	       (unsigned long long)scripts, (unsigned long long)p->faults,
	       (unsigned long long)seed);
	return true;
}

/* Left out, a sync that has anything to do does harm, unless what it covers was
 * not promised (the head of a segment), or was acknowledged at once.
 */
static bool each_sync_counts(const struct script *s, struct power *p,
			     unsigned skips, uint64_t seed)
{
	unsigned left_out = 0, harmless = 0, n;

	p->states = 0;
	for (n = 0; n < skips && script_run(s, p, seed, n) > n; n++) {
		if (power_is_idle(p))
			continue;
		left_out++;
		harmless += p->violations == 0;
	}
	printf("# %s: %u syncs left out, %u did no harm\n", s->name, left_out,
	       harmless);
	return left_out > 0 && harmless <= left_out / s->harmless_of;
}

static unsigned test_number;

static bool tell(bool is_good, const char *name, const char *of)
{
	printf("%sok %u - test_%s_%s\n", is_good ? "" : "not ", ++test_number,
	       of, name);
	return is_good;
}

static int spool_test(const struct script *s, struct power *p,
		      uint64_t states, uint64_t seed)
{
	unsigned skips = states > STATES_QUICK ? UINT_MAX : SKIPS_QUICK;

	bool is_good;

	if (power_init(p) < 0)
		return EXIT_FAILURE;
	p->variants = VARIANTS;
	is_good = tell(nothing_is_lost(s, p, states, seed),
		       "loses_nothing_synced", s->name);
	is_good &= tell(each_sync_counts(s, p, skips, seed), "needs_each_sync",
			s->name);
	power_fini(p);
	return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	static const struct script scripts[] = {
		{ "sender", 10, sender_begin, sender_step, sender_end },
		{ "collector", 10, collector_begin, collector_step,
		  collector_end },
	};
	struct power power[2] = { { .is_right = sender_is_right },
				  { .is_right = collector_is_right } };
	struct sender sender = { .power = &power[0] };
	struct collector collector = { .power = &power[1] };
	uint64_t states = STATES_QUICK, seed = 1;
	int rc;

	if ((argc > 1 && number_parse(argv[1], 1, STATES_MAX, &states) < 0) ||
	    (argc > 2 && number_parse(argv[2], 0, INT64_MAX, &seed) < 0))
		return EXIT_FAILURE;
	power[0].context = &sender;
	power[1].context = &collector;
	rc = spool_test(&scripts[0], &power[0], states / 2, seed);
	rc |= spool_test(&scripts[1], &power[1], states / 2, seed);
	printf("1..%u\n", test_number);
	return rc;
}
