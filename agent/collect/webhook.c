/* The sink of findings as requests: one POST for each change of a finding, in
 * order, with what a program needs to act on it: the finding, its action,
 * whether to drain, and a key that stays the same when it is sent again.
 *
 * Changes older than [Webhook] max_age on arrival are not sent: a backlog must
 * not drain a link that was repaired yesterday.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "agent/collect/bookmark.h"
#include "agent/collect/http_client.h"
#include "agent/collect/known.h"
#include "agent/collect/sink.h"
#include "agent/collect/stored.h"
#include "agent/record/json.h"
#include "petrel/log.h"

#define NAME "webhook"
#define KEY_MAX (SWITCH_NAME_MAX + 48)
#define WAITING_MAX 256u	/* per commit */

/* A request that was not answered yet. */
struct webhook_post {
	char key[KEY_MAX];
	struct json_object *body;
};

struct webhook {
	struct sink_count count;
	int spool_fd;
	int64_t max_age_ns;
	struct http_client *http;
	struct statement_set *stored;
	struct known *known;	/* who switches are */
	struct webhook_post waiting[WAITING_MAX];
	unsigned first, count_waiting;
	struct bookmark bookmark;
};

static void posts_forget(struct webhook *w)
{
	for (; w->first < w->count_waiting; w->first++)
		(void)json_object_put(w->waiting[w->first].body);
	w->first = w->count_waiting = 0;
}

static void hook_close(void *sink)
{
	struct webhook *w = sink;

	if (!w)
		return;
	posts_forget(w);
	known_free(w->known);
	statement_set_close(w->stored);
	http_client_close(w->http);
	free(w);
}

static int hook_open(const struct sink_env *env, void **ret, struct diag *d)
{
	const struct collector_webhook *c = &env->config->webhook;
	struct http_engine engine = { c->url, c->token_file, c->ca_file,
				      c->timeout_ns };
	struct webhook *w;
	int err;

	if (!c->url[0])
		return 0;
	w = calloc(1, sizeof(*w));
	if (!w)
		return diag_set(d, -ENOMEM, "out of memory");
	w->spool_fd = env->spool_fd;
	w->max_age_ns = c->max_age_ns;
	err = http_client_open(&engine, &w->http, d);
	if (err == 0)
		err = stored_open(env->config->database, false,
				  &w->stored, d);
	if (err == 0 && known_new(&w->known) < 0)
		err = diag_set(d, -ENOMEM, "out of memory");
	if (err < 0) {
		hook_close(w);
		return diag_prefix(d, err, "[Webhook]");
	}
	bookmark_read(&disk_volatile, env->spool_fd, NAME, &w->bookmark, NULL);
	*ret = w;
	return 0;
}

static struct place hook_begin(void *sink)
{
	struct webhook *w = sink;

	posts_forget(w);
	return w->bookmark.at;
}

static struct json_object *body_of(const struct known_run *run,
				   const struct entry *e,
				   const struct finding *f, const char *key)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "idempotency_key", key);
	json_add_text(o, "switch", known_switch_name(run));
	json_add_text(o, "switch_id", e->switch_id);
	json_add_text(o, "action", action_name(f->action));
	json_add_text(o, "action_words", action_words(f, f->action));
	json_add_text(o, "drain", drain_name(f->drain));
	(void)json_object_object_add(o, "finding", finding_json(f));
	return o;
}

/* Context of a walk over the records of an entry. */
struct webhook_records {
	struct webhook *to;
	struct known_run *run;
	const struct entry *entry;
};

/* Only a change; not what a snapshot repeats. */
static void change_take(const struct webhook_records *r, uint64_t sequence,
			const struct finding *f)
{
	struct webhook *w = r->to;
	struct webhook_post *post = &w->waiting[w->count_waiting];

	if (clock_wall_now().ns - f->when_wall.ns > w->max_age_ns) {
		w->count.held_back++;
		return;
	}
	if (w->count_waiting == WAITING_MAX) {
		w->count.refused++;	/* more than a frame can hold */
		return;
	}
	(void)snprintf(post->key, sizeof(post->key),
		       "%s/%016" PRIx64 "/%" PRIu64, r->entry->switch_id,
		       r->entry->run, sequence);
	post->body = body_of(r->run, r->entry, f, post->key);
	w->count_waiting++;
}

static int record_take(void *context, const struct record_header *h,
		       const uint8_t *payload)
{
	const struct webhook_records *r = context;
	struct known_finding f;
	int rc = known_finding(r->run, h, payload, &f);

	r->to->count.unreadable += rc < 0;
	if (rc > 0 && !f.is_repeated)
		change_take(r, h->sequence, &f.finding);
	return 0;
}

static int hook_entry(void *sink, const struct entry *e, struct place at,
		      struct diag *d)
{
	struct webhook *w = sink;
	struct webhook_records r = { w, known_find(w->known, e), e };

	(void)at;
	if (!r.run)
		return diag_set(d, -ENOMEM, "out of memory");
	stored_run(w->stored, e, w->known, r.run);
	(void)entry_records(e, record_take, &r);
	return w->count_waiting > 0;
}

/* The receiver would refuse it again: it is given up, and the log says so. */
static int change_refused(const struct webhook_post *post,
			  const struct http_answer *a)
{
	struct json_object *f = json_object_object_get(post->body, "finding");
	struct json_object *port = json_object_object_get(f, "port");
	struct diag why = { "" };

	(void)http_refusal(a, &why);
	log_warn("collector", "sink=" NAME " refuses %s of %s %s: %s",
		 post->key, json_object_get_string(
			 json_object_object_get(post->body, "switch")),
		 port ? json_object_get_string(port) : "", why.text);
	return 1;
}

/* Returns 1: it is refused for good. */
static int change_post(struct webhook *w, const struct webhook_post *post,
		       struct diag *d)
{
	const char *text = json_object_to_json_string_ext(
				post->body, JSON_C_TO_STRING_PLAIN);
	char key[KEY_MAX + 32];
	const char *const headers[] = { "Content-Type: application/json", key,
					NULL };
	struct http_answer a;
	int err;

	(void)snprintf(key, sizeof(key), "Idempotency-Key: %s", post->key);
	err = http_post(w->http, headers, text, strlen(text), &a, d);
	if (err < 0 || a.status / 100 == 2)
		return err;
	return a.status == 400 || a.status == 409 || a.status == 422 ?
	       change_refused(post, &a) : http_refusal(&a, d);
}

static int hook_commit(void *sink, struct place at, struct place *ret_kept,
		       struct diag *d)
{
	struct webhook *w = sink;
	int err;

	while (w->first < w->count_waiting) {
		err = change_post(w, &w->waiting[w->first], d);
		if (err < 0)
			return -EAGAIN;
		w->count.applied += err == 0;
		w->count.refused += err == 1;
		(void)json_object_put(w->waiting[w->first++].body);
	}
	posts_forget(w);
	w->bookmark.at = w->bookmark.kept = *ret_kept = at;
	return bookmark_write(&disk_volatile, w->spool_fd, NAME, &w->bookmark,
			      NULL, d) < 0 ? -EAGAIN : 0;
}

const struct sink_driver webhook_driver = {
	.name = NAME,
	.open = hook_open, .close = hook_close, .begin = hook_begin,
	.entry = hook_entry, .commit = hook_commit,
};
