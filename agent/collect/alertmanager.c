/* The sink of findings as alerts of Alertmanager, version 2.
 *
 * An alert is identified by its labels, which do not change while it is open. A
 * change of severity or signature ends the former alert and begins another.
 * Open alerts are posted again each minute and end by themselves 15 minutes
 * after the last post; so they are saved with the place in the spool, and a
 * restart of the collector ends nothing.
 *
 * Late records (an agent's backlog) wait until no more have come from their
 * switch for SETTLE_NS: a finding that was cleared meanwhile is never posted.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "agent/base/array.h"
#include "agent/collect/alert_content.h"
#include "agent/collect/bookmark.h"
#include "agent/collect/http_client.h"
#include "agent/collect/sink.h"
#include "agent/collect/stored.h"
#include "agent/record/json.h"
#include "petrel/log.h"

#define NAME "alertmanager"
#define REPEAT_NS (60 * NS_PER_S)
#define ENDS_NS (900 * NS_PER_S)
#define LATE_NS (60 * NS_PER_S)
#define SETTLE_NS (10 * NS_PER_S)
#define HOUR_NS (3600 * NS_PER_S)
#define POST_ALERTS_MAX 512u
#define STATUS_BAD_REQUEST 400
#define STATUS_TOO_LARGE 413
#define ALERTS_MAX 50000u
#define HELD_BACK_ID "held_back"	/* not a finding's id */

struct alert {
	char id[FINDING_ID_LEN + 1];
	char switch_id[SWITCH_NAME_MAX];
	/* {"labels":…,"annotations":…,"startsAt":…} */
	struct json_object *content;
	bool is_posted;
	bool is_over;		/* to be posted as ended, then forgotten */
	bool is_in_post;	/* in the present post */
	struct mono due;	/* when to post it; ns 0: at once */
};

struct alertmanager {
	struct sink_count count;
	int spool_fd;
	uint64_t new_per_hour;
	struct http_client *http;
	struct statement_set *stored;
	struct known *known;	/* switches by id */
	struct alert *alert;
	size_t alerts, cap;
	struct bookmark bookmark;
	bool is_changed;	/* since it was saved */
	bool is_named;		/* a switch may have another name */
	size_t post_max;	/* size limit of the next post */
	double allowance;	/* new alerts allowed now */
	struct mono allowed;
};

static const char *const headers[] = { "Content-Type: application/json",
				       NULL };

/* --- open alerts ---------------------------------------------------------- */

static struct alert *alert_find(struct alertmanager *a, const char *id)
{
	for (size_t i = 0; i < a->alerts; i++)
		if (!a->alert[i].is_over && strcmp(a->alert[i].id, id) == 0)
			return &a->alert[i];
	return NULL;
}

/* Takes ownership of content. NULL: no memory, or too many. */
static struct alert *alert_add(struct alertmanager *a, const char *id,
			       const char *switch_id,
			       struct json_object *content)
{
	struct alert *list = a->alerts < ALERTS_MAX && content ?
		array_room(a->alert, &a->cap, a->alerts + 1, sizeof(*list)) :
		NULL;
	struct alert *new;

	if (!list) {
		a->count.held_back++;
		(void)json_object_put(content);
		return NULL;
	}
	a->alert = list;
	new = &list[a->alerts++];
	*new = (struct alert){ .content = content };
	(void)snprintf(new->id, sizeof(new->id), "%s", id);
	(void)snprintf(new->switch_id, sizeof(new->switch_id), "%s", switch_id);
	return new;
}

static void alert_remove(struct alertmanager *a, struct alert *alert)
{
	(void)json_object_put(alert->content);
	*alert = a->alert[--a->alerts];
}

/* It has ended: posted once more, if it was ever posted. */
static void alert_end(struct alertmanager *a, struct alert *alert)
{
	if (!alert->is_posted) {
		alert_remove(a, alert);
		return;
	}
	alert->is_over = true;
	alert->due.ns = 0;
}

static void alert_open(struct alertmanager *a, const struct alert_switch *of,
		       const struct finding *f)
{
	struct alert *alert = alert_find(a, f->id), *next;
	struct json_object *content =
		alert_content(of, f, alert ? alert->content : NULL);
	bool is_late = clock_wall_now().ns - f->when_wall.ns > LATE_NS;
	bool is_same = alert && strcmp(alert_labels(alert->content),
				       alert_labels(content)) == 0;

	if (is_same) {
		(void)json_object_put(alert->content);
		alert->content = content;
		return;
	}
	if (alert && !alert->is_posted) {
		(void)json_object_put(alert->content);
		alert->content = content;
		next = alert;
	} else {
		bool was_posted = alert != NULL;

		if (alert)
			alert_end(a, alert);
		next = alert_add(a, f->id, of->id, content);
		if (next)	/* the same fault: no allowance used */
			next->is_posted = was_posted;
	}
	if (next && is_late && !next->is_posted)
		next->due.ns = clock_mono_now().ns + SETTLE_NS;
}

/* A switch's waiting alerts wait on while more records come from it. */
static void switch_unsettled(struct alertmanager *a, const char *switch_id)
{
	struct mono settled = { clock_mono_now().ns + SETTLE_NS };

	for (size_t i = 0; i < a->alerts; i++)
		if (!a->alert[i].is_posted && a->alert[i].due.ns > 0 &&
		    strcmp(a->alert[i].switch_id, switch_id) == 0)
			a->alert[i].due = settled;
}

static void finding_take(struct alertmanager *a, const struct alert_switch *of,
			 const struct finding *f)
{
	struct alert *alert;

	a->is_changed = true;
	switch_unsettled(a, of->id);
	if (f->state != FINDING_CLEARED) {
		alert_open(a, of, f);
		return;
	}
	alert = alert_find(a, f->id);
	if (alert)
		alert_end(a, alert);
}

/* The same fault under other labels, which uses no allowance. */
static void alert_follow(struct alertmanager *a, size_t at,
			 struct json_object *content)
{
	const struct alert former = a->alert[at];	/* the list may move */
	struct alert *next;

	a->is_changed = true;
	if (!former.is_posted) {
		(void)json_object_put(former.content);
		a->alert[at].content = content;
		return;
	}
	next = alert_add(a, former.id, former.switch_id, content);
	if (!next)
		return;
	next->is_posted = true;
	alert_end(a, &a->alert[at]);
}

/* Open alerts follow their switches to other names. */
static void names_follow(struct alertmanager *a)
{
	size_t count = a->is_named ? a->alerts : 0;

	a->is_named = false;
	for (size_t i = 0; i < count; i++) {
		const struct alert *alert = &a->alert[i];
		const struct known_run *run = alert->is_over ? NULL :
			known_switch_find(a->known, alert->switch_id);
		struct alert_switch of = { alert->switch_id, NULL, NULL };
		struct json_object *content;

		if (!run)
			continue;
		of.name = known_switch_shown(run);
		content = alert_renamed(alert->content, &of,
					known_switch_name(run));
		if (content)
			alert_follow(a, i, content);
	}
}

/* Context of a walk over records of a switch. */
struct alert_records {
	struct alertmanager *to;
	struct known_run *run;
	struct alert_switch of;
};

static int record_take(void *context, const struct record_header *h,
		       const uint8_t *payload)
{
	const struct alert_records *r = context;
	struct known_finding f;
	int rc = known_finding(r->run, h, payload, &f);

	r->to->count.unreadable += rc < 0;
	if (rc > 0)
		finding_take(r->to, &r->of, &f.finding);
	return 0;
}

static int alerts_entry(void *sink, const struct entry *e, struct place at,
			struct diag *d)
{
	struct alertmanager *a = sink;
	struct known_run *run = known_find(a->known, e);
	struct alert_records r = { a, run, { e->switch_id, NULL, a->stored } };

	(void)at;
	if (!run)
		return diag_set(d, -ENOMEM, "out of memory");
	stored_run(a->stored, e, a->known, run);
	r.of.name = known_switch_shown(run);
	a->is_named |= e->kind == ENTRY_POSITIONS;
	return entry_records(e, record_take, &r);
}

/* --- posting -------------------------------------------------------------- */

static void allowance_grow(struct alertmanager *a)
{
	struct mono now = clock_mono_now();
	double max = (double)a->new_per_hour;

	a->allowance += a->allowed.ns == 0 ? max : max / (double)HOUR_NS *
			(double)mono_diff_ns(now, a->allowed);
	a->allowance = a->allowance > max ? max : a->allowance;
	a->allowed = now;
}

/* Keeps one alert open while others wait. */
static void held_back_tell(struct alertmanager *a, size_t waiting)
{
	struct alert *alert = alert_find(a, HELD_BACK_ID);
	struct json_object *o, *part;
	char text[ALERT_TIME_MAX];

	if (waiting == 0 && alert)
		alert_end(a, alert);
	if (waiting == 0 || alert)
		return;
	o = json_object_new_object();
	part = json_object_new_object();
	json_add_text_if(part, "alertname", "PetrelAlertsHeldBack");
	json_add_text_if(part, "severity", severity_name(SEVERITY_WARN));
	(void)json_object_object_add(o, "labels", part);
	part = json_object_new_object();
	json_add_text_if(part, "summary", "more alerts than [Alertmanager] "
		 "new_per_hour: the rest waits; see petrel findings");
	(void)json_object_object_add(o, "annotations", part);
	alert_time(clock_wall_now().ns, text);
	json_add_text_if(o, "startsAt", text);
	alert = alert_add(a, HELD_BACK_ID, "", o);
	if (alert)
		alert->is_posted = true;	/* uses no allowance */
}

/* Whether to post it now; uses up allowance. */
static bool alert_is_due(struct alertmanager *a, const struct alert *alert,
			 struct mono now, size_t *waiting)
{
	if (alert->due.ns > now.ns)
		return false;
	if (alert->is_posted)
		return true;
	if (a->allowance < 1) {
		(*waiting)++;
		return false;
	}
	a->allowance -= 1;
	return true;
}

static void post_add(struct json_object *list, const struct alert *alert)
{
	int64_t now = clock_wall_now().ns;
	struct json_object *o = NULL;
	char text[ALERT_TIME_MAX];
	const char *start;

	if (json_object_deep_copy(alert->content, &o, NULL) < 0)
		return;
	alert_time(alert->is_over ? now : now + ENDS_NS, text);
	start = json_object_get_string(json_object_object_get(o, "startsAt"));
	/* the switch's clock is ahead: it may not end before it began */
	json_add_text_if(o, "endsAt", start && strcmp(start, text) > 0 ? start :
		       text);
	(void)json_object_array_add(list, o);
}

/* Returns 1: the receiver refuses some of them. */
static int list_post(struct alertmanager *a, struct json_object *list,
		     struct diag *d)
{
	const char *text = json_object_to_json_string_ext(
				list, JSON_C_TO_STRING_PLAIN);
	struct http_answer answer;
	int err = http_post(a->http, headers, text, strlen(text), &answer, d);

	if (err == 0 && (answer.status == STATUS_BAD_REQUEST ||
			 answer.status == STATUS_TOO_LARGE))
		return 1;
	if (err == 0 && answer.status / 100 != 2)
		err = http_refusal(&answer, d);
	a->count.applied += err == 0 ? json_object_array_length(list) : 0;
	return err;
}

/* After success: posted alerts are due again in a minute, ended ones are
 * forgotten; after a failure all are due as before.
 */
static void posted(struct alertmanager *a, bool was_taken, struct mono now)
{
	for (size_t i = a->alerts; i-- > 0;) {
		struct alert *alert = &a->alert[i];

		if (!alert->is_in_post)
			continue;
		alert->is_in_post = false;
		if (!was_taken) {
			a->allowance += !alert->is_posted;
			continue;
		}
		a->is_changed |= !alert->is_posted || alert->is_over;
		alert->is_posted = true;
		alert->due.ns = now.ns + REPEAT_NS;
		if (alert->is_over)
			alert_remove(a, alert);
	}
}

/* Halves the next post; a single alert is given up. */
static void refused(struct alertmanager *a, size_t count)
{
	a->post_max = count / 2;
	for (size_t i = a->alerts; count == 1 && i-- > 0;)
		if (a->alert[i].is_in_post) {
			log_warn("collector", "sink=" NAME " refuses %s",
				 alert_labels(a->alert[i].content));
			alert_remove(a, &a->alert[i]);
			a->count.refused++;
			a->is_changed = true;
		}
}

static int alerts_post(struct alertmanager *a, struct diag *d)
{
	struct mono now = clock_mono_now();
	struct json_object *list = json_object_new_array();
	size_t waiting = 0, count;
	int err = 0;

	if (a->post_max == 0)
		a->post_max = POST_ALERTS_MAX;
	allowance_grow(a);
	for (size_t i = 0; i < a->alerts; i++) {
		struct alert *alert = &a->alert[i];

		if (json_object_array_length(list) == a->post_max ||
		    !alert_is_due(a, alert, now, &waiting))
			continue;
		post_add(list, alert);
		alert->is_in_post = true;
	}
	count = json_object_array_length(list);
	if (count > 0)
		err = list_post(a, list, d);
	(void)json_object_put(list);
	if (err > 0)
		refused(a, count);
	else if (err == 0 && a->post_max < POST_ALERTS_MAX)
		a->post_max *= 2;
	posted(a, err == 0, now);
	if (err == 0)
		held_back_tell(a, waiting);
	return err < 0 ? err : 0;
}

/* --- saved state ---------------------------------------------------------- */

static int alerts_keep(struct alertmanager *a, struct diag *d)
{
	struct json_object *list = json_object_new_array();
	int err;

	for (size_t i = 0; i < a->alerts; i++) {
		const struct alert *alert = &a->alert[i];
		struct json_object *o = json_object_new_object();

		json_add_text_if(o, "id", alert->id);
		json_add_text_if(o, "switch_id", alert->switch_id);
		(void)json_object_object_add(o, "posted",
			json_object_new_boolean(alert->is_posted));
		(void)json_object_object_add(o, "over",
			json_object_new_boolean(alert->is_over));
		(void)json_object_object_add(o, "alert",
			json_object_get(alert->content));
		(void)json_object_array_add(list, o);
	}
	err = bookmark_write(&disk_volatile, a->spool_fd, NAME, &a->bookmark,
			     json_object_to_json_string_ext(
				     list, JSON_C_TO_STRING_PLAIN), d);
	(void)json_object_put(list);
	return err < 0 ? -EAGAIN : 0;
}

static void alerts_load(struct alertmanager *a, const char *text)
{
	struct json_object *list = text ? json_tokener_parse(text) : NULL;
	size_t count = json_object_is_type(list, json_type_array) ?
		       json_object_array_length(list) : 0;

	for (size_t i = 0; i < count; i++) {
		struct json_object *o = json_object_array_get_idx(list, i);
		struct json_object *content =
			json_object_object_get(o, "alert");
		struct alert *alert = alert_add(a, alert_member(o, "id"),
						alert_member(o, "switch_id"),
						json_object_get(content));

		if (!alert)
			continue;
		alert->is_posted = json_object_get_boolean(
			json_object_object_get(o, "posted"));
		alert->is_over = json_object_get_boolean(
			json_object_object_get(o, "over"));
		if (!alert->is_posted)
			alert->due.ns = clock_mono_now().ns + SETTLE_NS;
	}
	(void)json_object_put(list);
}

static int alerts_commit(void *sink, struct place at, struct place *ret_kept,
			 struct diag *d)
{
	struct alertmanager *a = sink;
	int err;

	names_follow(a);
	err = alerts_post(a, d);
	if (err < 0)
		return -EAGAIN;
	if (a->is_changed || a->bookmark.at.segment != at.segment) {
		a->bookmark.at = a->bookmark.kept = at;
		err = alerts_keep(a, d);
		if (err < 0)
			return err;
		a->is_changed = false;
	}
	*ret_kept = a->bookmark.kept;
	return 0;
}

/* --- open and close ------------------------------------------------------- */

static void alerts_close(void *sink)
{
	struct alertmanager *a = sink;

	if (!a)
		return;
	for (size_t i = 0; i < a->alerts; i++)
		(void)json_object_put(a->alert[i].content);
	free(a->alert);
	http_client_close(a->http);
	statement_set_close(a->stored);
	known_free(a->known);
	free(a);
}

static int alerts_open(const struct sink_env *env, void **ret, struct diag *d)
{
	const struct collector_alerts *c = &env->config->alerts;
	char url[CONFIG_TEXT_MAX + 32], *text;
	struct http_engine engine = { url, c->token_file, c->ca_file,
				      c->timeout_ns };
	size_t len = strlen(c->url);
	struct alertmanager *a;
	int err;

	if (!c->url[0])
		return 0;
	while (len && c->url[len - 1] == '/')
		len--;
	(void)snprintf(url, sizeof(url), "%.*s%s", (int)len, c->url,
		       strstr(c->url, "/api/") ? "" : "/api/v2/alerts");
	a = calloc(1, sizeof(*a));
	if (!a)
		return diag_set(d, -ENOMEM, "out of memory");
	a->spool_fd = env->spool_fd;
	a->new_per_hour = c->new_per_hour;
	err = http_client_open(&engine, &a->http, d);
	if (err == 0)
		err = stored_open(env->config->database, false,
				  &a->stored, d);
	if (err == 0 && known_new(&a->known) < 0)
		err = diag_set(d, -ENOMEM, "out of memory");
	if (err < 0) {
		alerts_close(a);
		return diag_prefix(d, err, "[Alertmanager]");
	}
	bookmark_read(&disk_volatile, env->spool_fd, NAME, &a->bookmark, &text);
	alerts_load(a, text);
	free(text);
	*ret = a;
	return 0;
}

static struct place alerts_begin(void *sink)
{
	return ((struct alertmanager *)sink)->bookmark.at;
}

const struct sink_driver alertmanager_driver = {
	.name = NAME, .ticks = true,
	.open = alerts_open, .close = alerts_close, .begin = alerts_begin,
	.entry = alerts_entry, .commit = alerts_commit,
};
