#include "platform/sonic/hft/hft.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/sonic/hft/hft_templates.h"
#include "platform/sonic/hft/hft_emit.h"
#include "platform/sonic/hft/hft_session.h"

#define SILENT_NS (3 * NS_PER_S)	/* enabled, but no data */
#define FAULT_NS (60 * NS_PER_S)	/* how long a fault is reported */
#define MS_MIN_NS (1 * NS_PER_MS)
#define FOLLOW_NS (5 * NS_PER_S)	/* how often to check its namespace */

/* Losses and rejections, counted since the start. */
enum hft_fault {
	FAULT_OVERRUN,
	FAULT_LONG,
	FAULT_FRAME,
	FAULT_MESSAGE,
	FAULT_SET,
	FAULT_RAGGED,
	FAULT_UNKNOWN,
	FAULT_RETIRED,
	FAULT_HELD,
	FAULT_AMBIGUOUS,
	FAULT_TEMPLATE,
	FAULT_UNRESOLVED,
	FAULT_LABELS,
	FAULT_NUMBERS,
	FAULT_COUNT,
};

static const char *const fault_words[FAULT_COUNT] = {
	[FAULT_OVERRUN] = "overruns",
	[FAULT_LONG] = "datagrams over 16 MiB",
	[FAULT_FRAME] = "bad netlink messages",
	[FAULT_MESSAGE] = "bad IPFIX messages",
	[FAULT_SET] = "bad sets",
	[FAULT_RAGGED] = "sets that do not match their template",
	[FAULT_UNKNOWN] = "sets of unknown templates",
	[FAULT_RETIRED] = "sets of deleted templates",
	[FAULT_HELD] = "sets of changed templates",
	[FAULT_AMBIGUOUS] = "sets that may be from several ASICs",
	[FAULT_TEMPLATE] = "templates refused",
	[FAULT_UNRESOLVED] = "unknown objects",
	[FAULT_LABELS] = "labels without a name",
	[FAULT_NUMBERS] = "unknown statistics",
};

struct hft {
	struct namespace *namespace;
	struct hft_env env;
	struct hft_settings settings;
	int setup_error;		/* of settings or numbers; 0: none */
	char setup_reason[SOURCE_REASON_MAX];
	struct hft_ids *ids;
	struct hft_netlink netlink;
	struct hft_sessions sessions;
	struct hft_templates templates;
	struct hft_backlog backlog;
	struct hft_plan plan;
	struct delays delays;
	struct hft_now now;		/* of the current wake-up */
	struct ipfix_counts counts;
	uint64_t fault[FAULT_COUNT], told_fault[FAULT_COUNT];
	struct mono fault_at[FAULT_COUNT];	/* latest; ns 0: never */
	uint64_t records;
	uint64_t told_overruns;		/* of its own socket */
	bool had_stream;
	struct mono followed;		/* last check of its namespace */
	struct mono last_data;		/* ns 0: never */
	struct mono enabled_at;		/* first session seen enabled */
	int64_t interval_ns;		/* of records; 0 unknown */
	uint64_t seen;			/* of the inputs of the plan */
	bool planned;
};

/* ---- data ---- */

bool hft_give(struct hft *h, const struct ipfix_set *s,
	      const struct hft_now *came)
{
	static const struct hft_watcher watcher = { NULL, hft_delay_record };
	struct hft_template *t = hft_templates_find(&h->templates, s->domain,
						    s->id);
	int rc;

	if (!t)
		return false;
	if (t->state == HFT_HELD) {
		h->fault[FAULT_HELD]++;
	} else if (t->state == HFT_RETIRED) {
		h->fault[FAULT_RETIRED]++;
	} else {
		hft_templates_used(&h->templates, t, came->mono);
		rc = hft_template_take(t, s, came, &watcher);
		h->fault[FAULT_RAGGED] += rc < 0;
		h->records += rc > 0 ? (unsigned)rc : 0;
		h->last_data = came->mono;
	}
	return true;
}

/* The same, for any namespace. */
static bool set_place(void *context, const struct ipfix_set *s,
		      const struct hft_now *came)
{
	struct hft *h = context;
	enum hft_offer what = HFT_OFFER_UNKNOWN;

	if (hft_give(h, s, came))
		return true;
	if (h->env.offer)
		what = h->env.offer(h->env.offer_context, s, came);
	h->fault[FAULT_AMBIGUOUS] += what == HFT_OFFER_AMBIGUOUS;
	return what != HFT_OFFER_UNKNOWN;
}

bool hft_knows(const struct hft *h, const struct ipfix_set *set)
{
	return hft_templates_find(&h->templates, set->domain, set->id) != NULL;
}

static void on_set(void *context, const struct ipfix_set *s)
{
	struct hft *h = context;

	if (set_place(h, s, &h->now))
		return;
	if (!hft_backlog_add(&h->backlog, s, &h->now))
		h->fault[FAULT_UNKNOWN]++;
}

static void on_payload(void *context, const void *octets, size_t len)
{
	struct hft *h = context;
	const struct ipfix_taker taker = { .context = h, .data = on_set };

	ipfix_walk(octets, len, &taker, &h->counts);
}

/* ---- templates ---- */

static void session_take(struct hft *h, struct hft_session *s)
{
	struct hft_labels labels = { 0 };
	struct diag why = { "" };
	struct hft_config config = {
		.session = (unsigned)(s - h->sessions.list),
		.labels = &labels,
	};

	if (s->enabled) {
		if (hft_labels_parse(&s->row[HFT_ROW_NAMES],
				     &s->row[HFT_ROW_IDS], &labels, &why) < 0)
			h->templates.refused++;
		config.ipfix = (const uint8_t *)s->row[HFT_ROW_CONFIG].data;
		config.len = s->row[HFT_ROW_CONFIG].len;
	}
	hft_templates_configure(&h->templates, &config, h->now.mono, &why);
	(void)snprintf(s->fault, sizeof(s->fault), "%.150s", why.text);
	free(labels.list);
}

/* Finds the objects, and recounts names in templates that are not found. */
static void templates_resolve(struct hft *h)
{
	for (unsigned f = FAULT_UNRESOLVED; f < FAULT_COUNT; f++)
		h->fault[f] = 0;
	for (size_t i = 0; i < h->templates.count; i++) {
		struct hft_template *t = h->templates.list[i];
		unsigned missing =
			hft_template_resolve(t, &h->namespace->topology);

		hft_delay_resolve(t, &h->delays, h->now.mono);
		if (t->state != HFT_CURRENT)
			continue;
		if (h->namespace->maps.known)	/* else not missing yet */
			h->fault[FAULT_UNRESOLVED] += missing;
		h->fault[FAULT_LABELS] += t->unknown_labels;
		h->fault[FAULT_NUMBERS] += t->unknown_numbers;
	}
}

/* Each of these only grows. */
static uint64_t plan_inputs(const struct hft *h)
{
	const struct topology *t = &h->namespace->topology;

	return h->templates.changes + t->merges + t->generation +
	       h->delays.drops + h->namespace->maps.known;
}

/* Updates objects and the plan if any of their inputs changed. */
static void plan_follow(struct hft *h)
{
	if (h->planned && h->seen == plan_inputs(h))
		return;
	templates_resolve(h);
	h->seen = plan_inputs(h);
	h->planned = hft_plan_make(&h->plan, &h->templates, h->namespace);
}

/* Before data are taken: the templates, and their objects. */
static void templates_follow(struct hft *h)
{
	uint64_t changes = h->templates.changes;
	struct hft_session *s;

	while ((s = hft_sessions_take(&h->sessions)))
		session_take(h, s);
	hft_templates_tick(&h->templates, h->now.mono);
	plan_follow(h);
	if (h->templates.changes != changes)
		h->fault[FAULT_UNKNOWN] += hft_backlog_play(
			&h->backlog, h->now.mono, set_place, h);
	plan_follow(h);		/* first data of a template retire others */
}

void hft_event(struct hft *h, struct mono now, bool readable)
{
	if (h->setup_error < 0)
		return;
	h->now = (struct hft_now){ now, clock_wall_now() };
	templates_follow(h);
	if (readable)
		hft_netlink_take(&h->netlink, on_payload, h);
	/* Waiting data may be announced in its own database, or in another. */
	h->sessions.hurry = h->backlog.len > 0 ||
			    (h->env.first && h->env.first->backlog.len > 0);
	if (h->sessions.hurry)
		(void)hft_sessions_ask(&h->sessions, now, NULL);
	plan_follow(h);
}

/* ---- reporting ---- */

/* Counts that other parts keep. */
static void faults_gather(struct hft *h)
{
	h->fault[FAULT_OVERRUN] = h->netlink.overruns;
	if (h->env.first && !hft_netlink_is_up(&h->netlink))
		h->fault[FAULT_OVERRUN] += h->env.first->netlink.overruns;
	h->fault[FAULT_LONG] = h->netlink.too_long;
	h->fault[FAULT_FRAME] = h->netlink.bad_frames;
	h->fault[FAULT_MESSAGE] = h->counts.bad_messages;
	h->fault[FAULT_SET] = h->counts.bad_sets;
	h->fault[FAULT_TEMPLATE] = h->templates.refused;
}

static void overruns_tell(struct hft *h, struct mono now)
{
	uint64_t lost = h->netlink.overruns - h->told_overruns;
	char text[SOURCE_REASON_MAX];

	if (lost == 0)
		return;
	h->told_overruns = h->netlink.overruns;
	(void)snprintf(text, sizeof(text), "the kernel dropped high-frequency "
		       "telemetry: the buffer of %zu octets was full; sysctl "
		       "net.core.rmem_max bounds it", h->netlink.room);
	h->namespace->host->event(h->namespace->host->context,
			      h->namespace->topology.parent, EVENT_OVERRUN,
			      (int64_t)lost, now, text);
}

/* Recent losses, each with its count since the start; then the faults in the
 * sessions' rows.
 */
static void faults_text(struct hft *h, struct mono now,
			char ret[static SOURCE_REASON_MAX])
{
	const char *more = "";
	size_t n = 0;

	ret[0] = '\0';
	for (unsigned i = 0; i < FAULT_COUNT; i++) {
		if (h->fault[i] != h->told_fault[i])
			h->fault_at[i] = now;
		h->told_fault[i] = h->fault[i];
		if (h->fault[i] > 0 && n < SOURCE_REASON_MAX &&
		    mono_diff_ns(now, h->fault_at[i]) < FAULT_NS)
			n += (size_t)snprintf(ret + n, SOURCE_REASON_MAX - n,
					      "%s%" PRIu64 " %s", n ? ", " : "",
					      h->fault[i], fault_words[i]);
	}
	for (size_t i = 0; i < h->sessions.count && !more[0]; i++)
		more = h->sessions.list[i].fault;
	if (more[0] && n < SOURCE_REASON_MAX)
		(void)snprintf(ret + n, SOURCE_REASON_MAX - n, "%s%s",
			       n ? "; " : "", more);
}

/* The interval of records, rounded so that it does not flutter. */
static void interval_note(struct hft *h)
{
	for (size_t i = 0; i < h->templates.count; i++) {
		const struct hft_template *t = h->templates.list[i];
		int64_t ns, unit = MS_MIN_NS;

		if (t->records < 3)
			continue;
		ns = mono_diff_ns(t->taken, t->first_taken) /
		     (int64_t)(t->records - 1);
		while (unit > 1 && ns < 2 * unit)
			unit /= 10;
		ns = (ns + unit / 2) / unit * unit;
		if (ns * 4 < h->interval_ns * 3 || ns * 4 > h->interval_ns * 5)
			h->interval_ns = ns;
		return;
	}
}

static unsigned sessions_enabled(const struct hft *h)
{
	unsigned n = 0;

	for (size_t i = 0; i < h->sessions.count; i++)
		n += h->sessions.list[i].enabled;
	return n;
}

static void tell(const struct hft *h, enum source_state state,
		 const char *reason)
{
	h->namespace->told(h->namespace, SONIC_HFT, state, h->interval_ns,
		       reason && reason[0] ? reason : NULL);
}

static bool is_up(const struct hft *h)
{
	return hft_netlink_is_up(&h->netlink) ||
	       (h->env.first && hft_netlink_is_up(&h->env.first->netlink));
}

/* Why its own network namespace could not be entered; "" if it was, or if it
 * has none. Otherwise it sees only data from the first namespace.
 */
static void namespace_add(const struct hft *h,
			  char text[static SOURCE_REASON_MAX])
{
	int error = h->netlink.netns_error;
	size_t n = strlen(text);

	if (error == -EPERM || error == -EACCES)
		(void)snprintf(text + n, SOURCE_REASON_MAX - n,
			       "; namespace %s needs CAP_SYS_ADMIN",
			       h->netlink.env.netns);
	else if (error < 0)
		(void)snprintf(text + n, SOURCE_REASON_MAX - n,
			       "; namespace %s: %s", h->netlink.env.netns,
			       strerror(-error));
}

/* There is no socket for a stream. */
static void no_family_tell(const struct hft *h)
{
	const struct hft_netlink *n = &h->netlink;
	char text[SOURCE_REASON_MAX];

	if (n->netns_error < 0)
		n = &h->env.first->netlink;	/* the only one to ask */
	if (!n->asked)
		(void)snprintf(text, sizeof(text), "the kernel has not yet "
			       "answered whether it has the generic netlink "
			       "family '%s'", h->settings.family);
	else if (n->error == -ENOENT)
		(void)snprintf(text, sizeof(text), "the kernel has no generic "
			       "netlink family '%s': nothing streams telemetry",
			       h->settings.family);
	else if (n->error == -EADDRNOTAVAIL)
		(void)snprintf(text, sizeof(text), "the generic netlink family "
			       "'%s' has no multicast group '%s'",
			       h->settings.family, h->settings.group);
	else
		(void)snprintf(text, sizeof(text), "generic netlink family "
			       "'%s': %s", h->settings.family,
			       strerror(-n->error));
	namespace_add(h, text);
	tell(h, n->error == 0 || n->error == -ENOENT ? SOURCE_UNSUPPORTED :
						       SOURCE_BROKEN, text);
}

static void stream_tell(struct hft *h, struct mono now, const char *why_not)
{
	unsigned enabled = sessions_enabled(h);
	char text[SOURCE_REASON_MAX];
	int64_t silent_ns;
	size_t n;

	if (enabled == 0) {
		h->enabled_at.ns = 0;
		if (h->sessions.known)
			tell(h, SOURCE_UNSUPPORTED, "no session of high-"
			     "frequency telemetry is enabled in STATE_DB");
		else if (why_not[0])
			tell(h, SOURCE_ABSENT, why_not);
		else
			tell(h, SOURCE_WAITING, "STATE_DB was not read yet");
		return;
	}
	if (h->enabled_at.ns == 0)
		h->enabled_at = now;
	silent_ns = mono_diff_ns(now, h->last_data.ns > h->enabled_at.ns ?
				      h->last_data : h->enabled_at);
	faults_text(h, now, text);
	if (h->last_data.ns != 0 && silent_ns < SILENT_NS) {
		tell(h, text[0] ? SOURCE_LIMITED : SOURCE_FRESH, text);
		return;
	}
	n = strlen(text);
	(void)snprintf(text + n, sizeof(text) - n, "%sno data for %lld s, "
		       "enabled sessions: %u", n ? "; " : "",
		       (long long)(silent_ns / NS_PER_S), enabled);
	namespace_add(h, text);
	tell(h, silent_ns < SILENT_NS ? SOURCE_WAITING : SOURCE_ABSENT, text);
}

void hft_read(struct hft *h, struct mono now)
{
	struct diag why = { "" };

	if (h->setup_error < 0) {
		tell(h, SOURCE_BROKEN, h->setup_reason);
		return;
	}
	if (mono_diff_ns(now, h->followed) >= FOLLOW_NS) {
		hft_netlink_follow(&h->netlink);
		h->followed = now;
	}
	hft_event(h, now, true);
	faults_gather(h);
	overruns_tell(h, now);
	interval_note(h);
	(void)hft_plan_emit(&h->plan, &h->templates, h->namespace->host);
	h->fault[FAULT_UNKNOWN] += hft_backlog_play(&h->backlog, now,
						    set_place, h);
	h->had_stream |= is_up(h);
	if (!is_up(h)) {
		no_family_tell(h);
		return;
	}
	(void)hft_sessions_ask(&h->sessions, now, &why);
	stream_tell(h, now, why.text[0] ? why.text : h->sessions.reason);
}

void hft_totals_add(struct hft *h, struct hft_totals *to)
{
	static const enum hft_fault lost[HFT_LOST_COUNT] = {
		[HFT_LOST_UNKNOWN] = FAULT_UNKNOWN,
		[HFT_LOST_RETIRED] = FAULT_RETIRED,
		[HFT_LOST_CHANGED] = FAULT_HELD,
		[HFT_LOST_AMBIGUOUS] = FAULT_AMBIGUOUS,
	};

	to->streams += h->had_stream;
	to->overruns += h->netlink.overruns;
	to->records += h->records;
	for (unsigned i = 0; i < HFT_LOST_COUNT; i++)
		to->lost[i] += h->fault[lost[i]];
}

/* ---- life ---- */

static int hft_setup(struct hft *h, int epoll_fd, struct diag *d)
{
	const struct hft_netlink_env env = {
		.family = h->settings.family,
		.group = h->settings.group,
		.test_port = h->settings.test_port,
		.epoll_fd = epoll_fd,
		.root_fd = h->namespace->root_fd,
		.netns = h->namespace->name,
	};
	int rc;

	if (h->setup_error < 0)
		return h->setup_error;
	rc = hft_ids_new(h->namespace->root_fd, h->settings.ids_path, &h->ids,
			 d);
	if (rc < 0)
		return rc;
	hft_templates_init(&h->templates, h->ids);
	rc = hft_netlink_open(&h->netlink, &env);
	return rc < 0 ? diag_set(d, rc, "generic netlink socket: %s",
				 strerror(-rc)) : 0;
}

int hft_new(const struct hft_env *env, struct hft **ret, struct diag *d)
{
	struct hft *h = calloc(1, sizeof(*h));
	struct diag why = { "" };

	if (!h)
		return diag_set(d, -ENOMEM, "no memory for high-frequency "
				"telemetry");
	h->namespace = env->namespace;
	h->env = *env;
	hft_sessions_init(&h->sessions, h->namespace);
	h->setup_error = hft_settings_read(h->namespace->root_fd, env->option,
					   env->option_context, &h->settings,
					   &why);
	h->setup_error = hft_setup(h, env->epoll_fd, &why);
	(void)snprintf(h->setup_reason, sizeof(h->setup_reason), "%.159s",
		       why.text);
	*ret = h;
	return 0;
}

void hft_free(struct hft *h)
{
	if (!h)
		return;
	hft_netlink_close(&h->netlink);
	hft_sessions_fini(&h->sessions);
	hft_backlog_fini(&h->backlog);
	hft_plan_free(&h->plan);
	hft_templates_fini(&h->templates);
	delays_fini(&h->delays);
	hft_ids_free(h->ids);
	free(h);
}
