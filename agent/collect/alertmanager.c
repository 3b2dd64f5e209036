/* The sink of findings as alerts of Alertmanager, version 2.
 *
 * An alert is its labels: what does not change while it is open. A change of
 * severity or signature ends the former alert and begins another. What is open
 * is posted again each minute and ends by itself 15 minutes after the last
 * time; so it is kept with the place in the spool, and a restart of the
 * collector ends nothing.
 *
 * What comes late (an agent's backlog) waits until nothing more has come of its
 * switch for SETTLE_NS: what was cleared meanwhile is never posted.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <json-c/json.h>

#include "agent/base/array.h"
#include "agent/collect/bookmark.h"
#include "agent/collect/http_client.h"
#include "agent/collect/sink.h"
#include "agent/collect/stored.h"
#include "agent/record/json.h"

#define NAME "alertmanager"
#define REPEAT_NS (60 * NS_PER_S)
#define ENDS_NS (900 * NS_PER_S)
#define LATE_NS (60 * NS_PER_S)
#define SETTLE_NS (10 * NS_PER_S)
#define HOUR_NS (3600 * NS_PER_S)
#define POST_ALERTS_MAX 500u
#define ALERTS_MAX 50000u
#define TIME_TEXT_MAX 32
#define HELD_BACK_ID "held_back"	/* of no finding */

struct alert {
	char id[FINDING_ID_LEN + 1];
	char switch_id[SWITCH_NAME_MAX];
	/* {"labels":…,"annotations":…,"startsAt":…} */
	struct json_object *content;
	bool is_posted;
	bool is_over;		/* to be posted as ended, then forgotten */
	bool is_in_post;	/* the one under way */
	struct mono due;	/* when it is to be posted; ns 0: at once */
};

/* The switch of a finding. */
struct alert_switch {
	const char *id;
	char name[SWITCH_NAME_MAX];
};

struct alertmanager {
	int spool_fd;
	uint64_t new_per_hour;
	struct http_client *http;
	struct stored *stored;
	struct known *known;	/* who switches are */
	struct alert *alert;
	size_t alerts, cap;
	struct bookmark bookmark;
	bool is_changed;	/* what is kept */
	double allowance;	/* new alerts that may be posted now */
	struct mono allowed;
	struct sink_count count;
};

static const char *const headers[] = { "Content-Type: application/json",
				       NULL };

static void time_text(int64_t wall_ns, char ret[static TIME_TEXT_MAX])
{
	time_t s = (time_t)(wall_ns / NS_PER_S);
	struct tm tm;
	size_t len;

	(void)gmtime_r(&s, &tm);
	len = strftime(ret, TIME_TEXT_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
	(void)snprintf(ret + len, TIME_TEXT_MAX - len, ".%03dZ",
		       (int)(wall_ns % NS_PER_S / NS_PER_MS));
}

static void text_add(struct json_object *o, const char *key, const char *text)
{
	if (text && text[0])
		(void)json_object_object_add(o, key,
					     json_object_new_string(text));
}

/* --- what an alert says --------------------------------------------------- */

/* PetrelFecTrend of fec_trend. */
static void alert_name(enum signature signature, char ret[static 64])
{
	const char *from = signature_name(signature);
	bool is_first = true;

	ret += sprintf(ret, "Petrel");
	for (; *from; from++) {
		if (*from != '_')
			*ret++ = (char)(is_first ? *from - 'a' + 'A' : *from);
		is_first = *from == '_';
	}
	*ret = '\0';
}

/* Where it stands, as far as the inventory says. */
static void site_add(struct alertmanager *a, struct json_object *labels,
		     const char *switch_id, const char *port)
{
	static const struct {
		const char *label, *attribute;
		bool is_of_port;
	} site[] = {
		{ "rack", "rack", false }, { "pod", "deployment", false },
		{ "rail", "group", true }, { "role", "role", true },
	};
	char text[ATTRIBUTE_TEXT_MAX];

	for (size_t i = 0; i < sizeof(site) / sizeof(site[0]); i++)
		if (!site[i].is_of_port || port)
			if (stored_attribute(a->stored, switch_id,
					     site[i].is_of_port ? port : NULL,
					     site[i].attribute, text,
					     sizeof(text)) == 0)
				text_add(labels, site[i].label, text);
}

/* Of an alert that goes on, former, all but name and severity stay as they were
 * when it began, whatever the inventory says by now.
 */
static struct json_object *labels_of(struct alertmanager *a,
				     const struct alert_switch *of,
				     const struct finding *f,
				     struct json_object *former)
{
	struct json_object *o = NULL;
	const char *port = finding_port(f, NULL);
	char name[64];

	if (f->kind == SUBJECT_PORT || f->kind == 0)
		port = f->subject;
	if (!former || json_object_deep_copy(former, &o, NULL) < 0) {
		o = json_object_new_object();
		text_add(o, "switch", of->name);
		text_add(o, port == f->subject ? "port" : "subject",
			 f->subject);
		text_add(o, "finding_id", f->id);
		site_add(a, o, of->id, port);
	}
	alert_name(f->signature, name);
	text_add(o, "alertname", name);
	text_add(o, "severity", severity_name(f->severity));
	return o;
}

static struct json_object *annotations_of(const struct finding *f)
{
	struct json_object *o = json_object_new_object();
	char text[512];
	size_t len = 0;

	text_add(o, "summary", f->cause);
	text_add(o, "action", action_name(f->action));
	text_add(o, "action_words", action_words(f, f->action));
	text_add(o, "drain", drain_name(f->drain));
	text_add(o, "end", fault_end_name(f->end));
	(void)snprintf(text, sizeof(text), "%.2f", (double)f->confidence);
	text_add(o, "confidence", text);
	for (const char *port = NULL; (port = finding_port(f, port)) &&
	     len + strlen(port) + 2 < sizeof(text);)
		len += (size_t)sprintf(text + len, "%s%s", len ? "," : "",
				       port);
	text_add(o, "ports", len ? text : NULL);
	text[len = 0] = '\0';
	for (unsigned i = 0; i < f->evidence_count && len + 80 < sizeof(text);
	     i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%s%s=%.4g", len ? " " : "",
					f->evidence[i].name,
					f->evidence[i].value);
	text_add(o, "evidence", text);
	return o;
}

static struct json_object *content_of(struct alertmanager *a,
				      const struct alert_switch *of,
				      const struct finding *f,
				      const struct alert *former)
{
	struct json_object *o = json_object_new_object();
	char text[TIME_TEXT_MAX];

	time_text(f->onset_wall.ns, text);
	(void)json_object_object_add(o, "labels", labels_of(a, of, f, former ?
		json_object_object_get(former->content, "labels") : NULL));
	(void)json_object_object_add(o, "annotations", annotations_of(f));
	text_add(o, "startsAt", text);
	return o;
}

static const char *labels_text(struct json_object *content)
{
	return json_object_to_json_string_ext(
		json_object_object_get(content, "labels"),
		JSON_C_TO_STRING_PLAIN);
}

/* --- what is open --------------------------------------------------------- */

static struct alert *alert_find(struct alertmanager *a, const char *id)
{
	for (size_t i = 0; i < a->alerts; i++)
		if (!a->alert[i].is_over && strcmp(a->alert[i].id, id) == 0)
			return &a->alert[i];
	return NULL;
}

/* Takes content. NULL: no memory, or too many. */
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

/* It has ended: posted once more, if it was posted at all. */
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
	struct json_object *content = content_of(a, of, f, alert);
	bool is_late = clock_wall_now().ns - f->when_wall.ns > LATE_NS;
	bool is_same = alert && strcmp(labels_text(alert->content),
				       labels_text(content)) == 0;

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
		if (next)	/* the same fault: it needs no allowance */
			next->is_posted = was_posted;
	}
	if (next && is_late && !next->is_posted)
		next->due.ns = clock_mono_now().ns + SETTLE_NS;
}

/* What waits of a switch waits on while more comes of it. */
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

/* As the spool said it last, else the database. */
static void switch_name(struct alertmanager *a, const struct known_run *run,
			struct alert_switch *of)
{
	(void)strcpy(of->name, known_switch_name(run));
	if (strcmp(of->name, of->id) != 0)
		return;
	stored_switch_name(a->stored, of->id, of->name, sizeof(of->name));
	if (!of->name[0])
		(void)snprintf(of->name, sizeof(of->name), "%s", of->id);
}

static int alerts_entry(void *sink, const struct entry *e, struct place at,
			struct diag *d)
{
	struct alertmanager *a = sink;
	struct cursor c = cursor_of(e->body, e->len);
	struct known_run *run = known_find(a->known, e);
	struct alert_switch of = { .id = e->switch_id };

	(void)at;
	if (!run)
		return diag_set(d, -ENOMEM, "out of memory");
	if (!known_clock(run)->anchor.mono.ns)
		stored_clock(a->stored, e->switch_id, e->run, known_clock(run));
	switch_name(a, run, &of);
	while (e->kind != ENTRY_POSITIONS && cursor_left(&c) > 0) {
		ProtobufCMessage *m;
		struct record_header h;
		const uint8_t *payload;
		struct finding f;

		if (record_read(&c, &h, &payload) < 0)
			break;		/* the entry's CRC was good */
		if (h.kind != RECORD_FINDING && h.kind != RECORD_CLOCK)
			continue;
		if (record_unpack(h.kind, payload, h.length, &m) < 0) {
			a->count.unreadable++;
			continue;
		}
		if (known_finding(run, &h, m, &f))
			finding_take(a, &of, &f);
		record_unpacked_free(m);
	}
	return 0;
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

/* One alert while others wait. */
static void held_back_tell(struct alertmanager *a, size_t waiting)
{
	struct alert *alert = alert_find(a, HELD_BACK_ID);
	struct json_object *o, *part;
	char text[TIME_TEXT_MAX];

	if (waiting == 0 && alert)
		alert_end(a, alert);
	if (waiting == 0 || alert)
		return;
	o = json_object_new_object();
	part = json_object_new_object();
	text_add(part, "alertname", "PetrelAlertsHeldBack");
	text_add(part, "severity", severity_name(SEVERITY_WARN));
	(void)json_object_object_add(o, "labels", part);
	part = json_object_new_object();
	text_add(part, "summary", "more alerts than [Alertmanager] "
		 "new_per_hour: the others wait; see petrel findings");
	(void)json_object_object_add(o, "annotations", part);
	time_text(clock_wall_now().ns, text);
	text_add(o, "startsAt", text);
	alert = alert_add(a, HELD_BACK_ID, "", o);
	if (alert)
		alert->is_posted = true;	/* it needs no allowance */
}

/* Is it to be posted now? Takes of the allowance. */
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
	char text[TIME_TEXT_MAX];

	if (json_object_deep_copy(alert->content, &o, NULL) < 0)
		return;
	time_text(alert->is_over ? now : now + ENDS_NS, text);
	text_add(o, "endsAt", text);
	(void)json_object_array_add(list, o);
}

static int list_post(struct alertmanager *a, struct json_object *list,
		     struct diag *d)
{
	const char *text = json_object_to_json_string_ext(
				list, JSON_C_TO_STRING_PLAIN);
	struct http_answer answer;
	int err = http_post(a->http, headers, text, strlen(text), &answer, d);

	if (err == 0 && answer.status / 100 != 2)
		err = http_refusal(&answer, d);
	a->count.applied += err == 0 ? json_object_array_length(list) : 0;
	return err;
}

/* What was posted is due again in a minute, and what is over is forgotten;
 * after a failure all of it is due as it was.
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

static int alerts_post(struct alertmanager *a, struct diag *d)
{
	struct mono now = clock_mono_now();
	struct json_object *list = json_object_new_array();
	size_t waiting = 0;
	int err = 0;

	allowance_grow(a);
	for (size_t i = 0; i < a->alerts; i++) {
		struct alert *alert = &a->alert[i];

		if (json_object_array_length(list) == POST_ALERTS_MAX ||
		    !alert_is_due(a, alert, now, &waiting))
			continue;
		post_add(list, alert);
		alert->is_in_post = true;
	}
	if (json_object_array_length(list) > 0)
		err = list_post(a, list, d);
	(void)json_object_put(list);
	posted(a, err == 0, now);
	if (err == 0)
		held_back_tell(a, waiting);
	return err;
}

/* --- what is kept --------------------------------------------------------- */

static int alerts_keep(struct alertmanager *a, struct diag *d)
{
	struct json_object *list = json_object_new_array();
	int err;

	for (size_t i = 0; i < a->alerts; i++) {
		const struct alert *alert = &a->alert[i];
		struct json_object *o = json_object_new_object();

		text_add(o, "id", alert->id);
		text_add(o, "switch_id", alert->switch_id);
		(void)json_object_object_add(o, "posted",
			json_object_new_boolean(alert->is_posted));
		(void)json_object_object_add(o, "over",
			json_object_new_boolean(alert->is_over));
		(void)json_object_object_add(o, "alert",
			json_object_get(alert->content));
		(void)json_object_array_add(list, o);
	}
	err = bookmark_write(a->spool_fd, NAME, &a->bookmark,
			     json_object_to_json_string_ext(
				     list, JSON_C_TO_STRING_PLAIN));
	(void)json_object_put(list);
	return err < 0 ? diag_set(d, -EAGAIN, "its bookmark: %s",
				  strerror(-err)) : 0;
}

static const char *member(struct json_object *o, const char *key)
{
	const char *text = json_object_get_string(
				json_object_object_get(o, key));

	return text ? text : "";
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
		struct alert *alert = alert_add(a, member(o, "id"),
						member(o, "switch_id"),
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
	int err = alerts_post(a, d);

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
	stored_close(a->stored);
	known_free(a->known);
	free(a);
}

static int alerts_open(const struct sink_env *env, void **ret, struct diag *d)
{
	const struct collector_alerts *c = &env->config->alerts;
	char url[CONFIG_TEXT_MAX + 32], *text;
	struct http_engine engine = { url, c->token_file, c->ca_file,
				      c->timeout_ns };
	struct alertmanager *a;
	int err;

	if (!c->url[0])
		return 0;
	(void)snprintf(url, sizeof(url), "%s%s", c->url,
		       strstr(c->url, "/api/") ? "" : "/api/v2/alerts");
	a = calloc(1, sizeof(*a));
	if (!a)
		return diag_set(d, -ENOMEM, "out of memory");
	a->spool_fd = env->spool_fd;
	a->new_per_hour = c->new_per_hour;
	err = http_client_open(&engine, &a->http, d);
	if (err == 0)
		err = stored_open(env->config->database, &a->stored, d);
	if (err == 0 && known_new(&a->known) < 0)
		err = diag_set(d, -ENOMEM, "out of memory");
	if (err < 0) {
		alerts_close(a);
		return diag_prefix(d, err, "[Alertmanager]");
	}
	bookmark_read(env->spool_fd, NAME, &a->bookmark, &text);
	alerts_load(a, text);
	free(text);
	*ret = a;
	return 0;
}

static struct place alerts_begin(void *sink)
{
	return ((struct alertmanager *)sink)->bookmark.at;
}

static void alerts_count(const void *sink, struct sink_count *ret)
{
	*ret = ((const struct alertmanager *)sink)->count;
}

const struct sink_driver alertmanager_driver = {
	.name = NAME, .ticks = true,
	.open = alerts_open, .close = alerts_close, .begin = alerts_begin,
	.entry = alerts_entry, .commit = alerts_commit, .count = alerts_count,
};
