/* The sink of samples: Prometheus' remote-write, version 1, which Prometheus,
 * VictoriaMetrics, Mimir and Thanos accept.
 *
 * An engine may lose what it accepted last (VictoriaMetrics up to 10 s, when
 * killed): after its restart the last [RemoteWrite] replay is sent again. What
 * it refuses for good is written to a file, and counted.
 *
 * The places of a replay, from the spool's begin to its end:
 *
 *	kept                  at
 *	where reading begins  all before it was accepted; what is between is
 *	                      only decoded, because later batches need it
 *
 * A mark every replay / MARKS records how far a commit was at a time, and where
 * the batches begin that it needs; the newest mark older than replay is the
 * kept place. After a restart the engine gets all from kept on: at is set back
 * to it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <json-c/json.h>

#include "agent/collect/bookmark.h"
#include "agent/collect/http_client.h"
#include "agent/collect/stored.h"
#include "agent/collect/known.h"
#include "agent/collect/line_file.h"
#include "agent/collect/remote_series.h"
#include "agent/collect/remote_sources.h"
#include "agent/collect/sink.h"
#include "petrel/log.h"

#define NAME "remote_write"
#define SAMPLES_PER_REQUEST 10000u
#define MARKS 16u
#define START_EVERY_NS (5 * NS_PER_S)
#define KEEP_EVERY_NS (10 * NS_PER_S)
#define SILENT_NS (900 * NS_PER_S)	/* its reference is not waited for */
#define REFUSED_OCTETS_MAX (64u << 20)
#define STATUS_BAD_REQUEST 400
#define STATUS_TOO_LARGE 413

/* A run's data, attached to its entry in known. */
struct remote_run {
	struct remote_series *series;
	struct remote_sources *sources;
	struct place reference;	/* entry of its last reference batch */
	struct mono heard;
	uint64_t run;
	char switch_id[SWITCH_NAME_MAX];
	char shown[2 * SWITCH_NAME_MAX + 2];	/* as its series use it */
	LIST_ENTRY(remote_run) of_runs;
};

struct remote_mark {
	struct place needed;
	struct mono at;
};

struct remote_write {
	int spool_fd;
	const struct collector_remote *config;
	struct http_client *http;
	struct statement_set *stored;
	struct line_file *refused;
	struct known *known;
	LIST_HEAD(, remote_run) runs;
	struct remote_batch batch;
	size_t sent;		/* samples of the batch already handled */
	struct bookmark bookmark;
	struct place send_from;
	struct remote_mark mark[MARKS];	/* the oldest first */
	unsigned marks;
	/* The engine may have all before it, and refuse it. */
	struct place replay_end;
	struct place batch_end;	/* of the batch being sent */
	struct mono start_asked;
	struct mono sources_kept;
	int64_t too_old_ms;	/* the engine refuses all up to this */
	struct sink_count count;
};

static const char *const headers[] = {
	"Content-Type: application/x-protobuf", "Content-Encoding: snappy",
	"X-Prometheus-Remote-Write-Version: 0.1.0", NULL
};

static void run_forget(void *attached)
{
	struct remote_run *r = attached;

	LIST_REMOVE(r, of_runs);
	remote_series_free(r->series);
	remote_sources_free(r->sources);
	free(r);
}

static void remote_close(void *sink)
{
	struct remote_write *w = sink;

	if (!w)
		return;
	known_free(w->known);
	http_client_close(w->http);
	statement_set_close(w->stored);
	line_file_free(w->refused);
	remote_batch_fini(&w->batch);
	free(w);
}

static int remote_open(const struct sink_env *env, void **ret, struct diag *d)
{
	const struct collector_remote *c = &env->config->remote;
	struct http_engine engine = { c->url, c->token_file, c->ca_file,
				      c->timeout_ns, "/api/v1/write" };
	struct remote_write *w;
	int err;

	if (!c->url[0])
		return 0;
	w = calloc(1, sizeof(*w));
	if (!w)
		return diag_set(d, -ENOMEM, "out of memory");
	w->config = c;
	w->spool_fd = env->spool_fd;
	err = http_client_open(&engine, &w->http, d);
	if (err == 0)
		err = stored_open(env->config->database, true, &w->stored, d);
	if (err == 0)
		err = line_file_new(c->refused_file, REFUSED_OCTETS_MAX,
				    &w->refused, d);
	if (err < 0) {
		remote_close(w);
		return diag_prefix(d, err, "[RemoteWrite]");
	}
	bookmark_read(&disk_volatile, env->spool_fd, NAME, &w->bookmark, NULL);
	/* Reads again the dictionaries that the database does not have yet. */
	if (place_is_before(&env->database_from, &w->bookmark.kept))
		w->bookmark.kept = env->database_from;
	*ret = w;
	return 0;
}

/* Forgets what was not sent, and the runs; reading rebuilds them. */
static struct place remote_begin(void *sink)
{
	struct remote_write *w = sink;

	known_free(w->known);
	w->known = NULL;
	if (known_new(&w->known) == 0)
		known_attach(w->known, run_forget);
	remote_batch_empty(&w->batch);
	w->sent = 0;
	w->marks = 0;
	w->send_from = w->bookmark.at;
	return w->bookmark.kept;
}

/* --- entries -------------------------------------------------------------- */

static struct remote_run *run_of(struct remote_write *w, const struct entry *e,
				 struct known_run *names)
{
	void **attached = known_attached(names);
	struct remote_run *r = *attached;

	if (r)
		return r;
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	if (remote_series_new((uint32_t)w->config->max_series,
			      &r->series) < 0 ||
	    remote_sources_new(&r->sources) < 0) {
		remote_series_free(r->series);
		free(r);
		return NULL;
	}
	LIST_INSERT_HEAD(&w->runs, r, of_runs);
	*attached = r;
	stored_entities(w->stored, e->switch_id, e->run, names);
	stored_sources(w->stored, e->switch_id, e->run, r->sources);
	stored_run(w->stored, e, w->known, names);
	(void)strcpy(r->shown, known_switch_shown(names));
	return r;
}

/* The record being processed. */
struct remote_record {
	struct remote_write *w;
	struct remote_run *run;
	struct known_run *names;
	struct remote_batch *to;	/* NULL: it was sent before */
	struct place at;		/* of its entry */
};

static int column_take(void *context, const struct decoded_column *c)
{
	const struct remote_record *r = context;

	remote_sources_column(r->run->sources, c);
	return remote_series_column(r->run->series, r->names, c, r->to);
}

/* Its series are labelled with the switch's name. */
static int switch_check(struct remote_record *r)
{
	const char *shown = known_switch_shown(r->names);

	if (strcmp(r->run->shown, shown) == 0)
		return 0;
	(void)strcpy(r->run->shown, shown);
	return remote_series_renamed(r->run->series, r->names, r->to);
}

/* The names of series and sources may have changed. */
static int dictionary_take(const struct remote_record *r,
			   const struct record_header *h,
			   const uint8_t *payload)
{
	ProtobufCMessage *m;

	if (record_unpack(h->kind, payload, h->length, &m) == 0) {
		remote_sources_take(r->run->sources,
				    (const Petrel__Dictionary *)m);
		record_unpacked_free(m);
	}
	return remote_series_renamed(r->run->series, r->names, r->to);
}

static int record_take(void *context, const struct record_header *h,
		       const uint8_t *payload)
{
	struct remote_record *r = context;
	int err;

	if (h->kind == RECORD_BATCH && h->flags & RECORD_FLAG_REFERENCE)
		r->run->reference = r->at;
	err = known_samples(r->names, h, payload, column_take, r);
	r->w->count.unreadable += err == -EBADMSG;
	if (err == 0 && h->kind == RECORD_DICTIONARY)
		err = dictionary_take(r, h, payload);
	if (err == 0 && h->kind == RECORD_BATCH)
		err = remote_sources_tell(r->run->sources, r->names, r->to);
	return err == -ENOMEM ? err : 0;
}

static int remote_entry(void *sink, const struct entry *e, struct place at,
			struct diag *d)
{
	struct remote_write *w = sink;
	struct remote_record r = { .w = w, .at = at };
	int err;

	if (e->kind == ENTRY_OWN)
		return 0;	/* no samples, and no run of the switch */
	r.names = w->known ? known_find(w->known, e) : NULL;
	r.run = r.names ? run_of(w, e, r.names) : NULL;
	if (!r.run)
		return diag_set(d, -ENOMEM, "out of memory");
	if (e->kind != ENTRY_RECORDS)
		return 0;
	r.to = place_is_before(&at, &w->send_from) ? NULL : &w->batch;
	r.run->heard = clock_mono_now();
	r.run->run = e->run;
	(void)strcpy(r.run->switch_id, e->switch_id);
	err = switch_check(&r);
	if (err == 0)
		err = entry_records(e, record_take, &r);
	if (err < 0)
		return diag_set(d, err, "out of memory");
	return w->batch.count >= SAMPLES_PER_REQUEST;
}

/* --- the engine ----------------------------------------------------------- */

/* Identifies this start of the engine: its time, in the engine's own digits.
 * False: the engine does not give it.
 */
static bool start_read(const char *text, char ret[static BOOKMARK_START_MAX])
{
	static const char name[] = "\nprocess_start_time_seconds ";
	const char *at = strstr(text, name);
	size_t len = at ? strspn(at + sizeof(name) - 1, "0123456789.e+") : 0;

	if (len == 0 || len >= BOOKMARK_START_MAX)
		return false;
	memcpy(ret, at + sizeof(name) - 1, len);
	ret[len] = '\0';
	return true;
}

/* Asks the engine when it started. Returns -ESTALE: it has restarted, and what
 * it may have lost must be sent again.
 */
static int start_check(struct remote_write *w, struct diag *d)
{
	struct bookmark *b = &w->bookmark;
	char start[BOOKMARK_START_MAX];
	struct http_answer a;
	bool is_known = b->engine_start[0] != '\0';
	int err = http_get(w->http, "/metrics", &a, d);

	if (err < 0)
		return err;
	w->start_asked = clock_mono_now();
	if (a.status != 200 || !start_read(a.body, start) ||
	    strcmp(start, b->engine_start) == 0)
		return 0;
	(void)strcpy(b->engine_start, start);
	if (!is_known || w->config->replay_ns == 0)
		return 0;
	log_notice("collector", "sink=" NAME " restarted: samples that it may "
		   "have lost are sent again");
	if (place_is_before(&w->replay_end, &b->at))
		w->replay_end = b->at;
	b->at = b->kept;
	w->count.replays++;
	return -ESTALE;
}

static int refused_put(struct remote_write *w, size_t index, const char *why,
		       struct diag *d)
{
	struct json_object *o = remote_batch_json(&w->batch, index);
	int err;

	if (!o)
		return diag_set(d, -EAGAIN, "out of memory");
	(void)json_object_object_add(o, "refused", json_object_new_string_len(
				     why, (int)strcspn(why, "\r\n")));
	err = line_file_put(w->refused, o, d);
	(void)json_object_put(o);
	if (err < 0)
		return -EAGAIN;
	w->count.refused++;
	w->sent = index + 1;
	return 0;
}

/* Sets aside without a request samples that the engine has called too old. */
static int old_put(struct remote_write *w, struct diag *d)
{
	int err = 0;

	while (err == 0 && w->sent < w->batch.count &&
	       w->batch.sample[w->sent].ms <= w->too_old_ms)
		err = refused_put(w, w->sent, "out of bounds", d);
	return err;
}

/* One request. Returns 1: the engine refuses some of it. After a new
 * connection, whatever the result, asks the engine whether it restarted.
 */
static int range_send(struct remote_write *w, size_t last,
		      struct http_answer *a, struct diag *d)
{
	size_t len;
	const char *body = remote_batch_pack(&w->batch, w->sent, last, &len);
	int err = body ? http_post(w->http, headers, body, len, a, d) :
		  diag_set(d, -EAGAIN, "out of memory");

	if (err < 0) {		/* it may have arrived */
		if (place_is_before(&w->replay_end, &w->batch_end))
			w->replay_end = w->batch_end;
		return err;
	}
	if (a->is_reconnected)
		w->start_asked.ns = 0;
	if (a->status / 100 == 2) {
		w->count.applied += last - w->sent;
		w->sent = last;
		return 0;
	}
	return a->status == STATUS_BAD_REQUEST ||
	       a->status == STATUS_TOO_LARGE ? 1 : http_refusal(a, d);
}

/* A single sample is refused: sets it aside. During a replay it is a repeat. */
static int one_refused(struct remote_write *w, const struct http_answer *a,
		       struct diag *d)
{
	if (strstr(a->body, "out of bounds"))
		w->too_old_ms = w->batch.sample[w->sent].ms;
	if (place_is_before(&w->bookmark.at, &w->replay_end)) {
		w->count.repeats++;
		w->sent++;
		return 0;
	}
	return refused_put(w, w->sent, a->body, d);
}

/* Sends the whole batch; a refused part is halved down to one sample. */
static int batch_send(struct remote_write *w, struct diag *d)
{
	size_t step = w->batch.count - w->sent;
	int err = 0;

	while (w->sent < w->batch.count) {
		struct http_answer a;
		size_t left;

		err = old_put(w, d);
		left = w->batch.count - w->sent;
		if (err < 0 || left == 0)
			return err;
		step = step > left ? left : step;
		err = range_send(w, w->sent + step, &a, d);
		if (err < 0)
			return err;
		if (err == 0)
			step *= 2;
		else if (step > 1)
			step /= 2;
		else if (one_refused(w, &a, d) < 0)
			return -EAGAIN;
	}
	return 0;
}

/* --- commit --------------------------------------------------------------- */

/* Where reading must begin so that all from a place on can be decoded. */
static struct place needed_for(const struct remote_write *w, struct place at)
{
	struct mono now = clock_mono_now();
	const struct remote_run *r;

	LIST_FOREACH(r, &w->runs, of_runs)
		if (r->reference.segment > 0 &&
		    mono_diff_ns(now, r->heard) < SILENT_NS &&
		    place_is_before(&r->reference, &at))
			at = r->reference;
	return at;
}

/* Moves the kept place forward, and records this one. */
static void marks_move(struct remote_write *w, struct place at)
{
	struct mono now = clock_mono_now();
	struct place needed = needed_for(w, at);
	unsigned past = 0;

	if (w->config->replay_ns == 0) {
		w->bookmark.kept = needed;
		return;
	}
	while (past < w->marks && mono_diff_ns(now, w->mark[past].at) >
				  w->config->replay_ns)
		past++;
	if (past > 0) {
		if (place_is_before(&w->bookmark.kept,
				    &w->mark[past - 1].needed))
			w->bookmark.kept = w->mark[past - 1].needed;
		w->marks -= past;
		memmove(w->mark, w->mark + past, w->marks * sizeof(*w->mark));
	}
	if (w->marks < MARKS && (w->marks == 0 ||
	    mono_diff_ns(now, w->mark[w->marks - 1].at) >
	    w->config->replay_ns / (MARKS - 2)))
		w->mark[w->marks++] = (struct remote_mark){ needed, now };
}

/* What is not kept now, is kept later. */
static void sources_keep(struct remote_write *w)
{
	struct mono now = clock_mono_now();
	int err = 0;

	if (mono_diff_ns(now, w->sources_kept) < KEEP_EVERY_NS)
		return;
	w->sources_kept = now;
	for (const struct remote_run *r = LIST_FIRST(&w->runs);
	     r && err != -EIO; r = LIST_NEXT(r, of_runs))
		err = stored_sources_keep(w->stored, r->switch_id, r->run,
					  r->sources);
}

static int remote_commit(void *sink, struct place at, struct place *ret_kept,
			 struct diag *d)
{
	struct remote_write *w = sink;
	int err;

	w->batch_end = at;
	err = w->sent < w->batch.count ? batch_send(w, d) : 0;

	if (err == 0 && (w->start_asked.ns == 0 ||
			 mono_diff_ns(clock_mono_now(), w->start_asked) >
			 START_EVERY_NS))
		err = start_check(w, d);
	if (err < 0)
		return err;
	remote_batch_empty(&w->batch);
	w->sent = 0;
	if (place_is_before(&w->bookmark.at, &at))
		w->bookmark.at = at;
	marks_move(w, at);
	sources_keep(w);
	err = bookmark_write(&disk_volatile, w->spool_fd, NAME, &w->bookmark,
			     NULL, d);
	*ret_kept = w->bookmark.kept;
	return err < 0 ? -EAGAIN : 0;
}

static void remote_count(const void *sink, struct sink_count *ret)
{
	const struct remote_write *w = sink;
	const struct remote_run *r;

	*ret = w->count;
	LIST_FOREACH(r, &w->runs, of_runs)
		ret->held_back += remote_series_held_back(r->series);
}

const struct sink_driver remote_write_driver = {
	.name = NAME, .ticks = true,
	.open = remote_open, .close = remote_close, .begin = remote_begin,
	.entry = remote_entry, .commit = remote_commit, .count = remote_count,
};
