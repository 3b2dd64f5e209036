#include "platform/sonic/namespaces.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/sonic/config/following_read.h"
#include "platform/sonic/config/switch_changes.h"
#include "platform/sonic/hft/hft.h"
#include "platform/sonic/meaning/tables.h"
#include "platform/sonic/poll/poll.h"
#include "platform/sonic/switchdb/database.h"
#include "platform/sonic/switchdb/maps.h"

#define CHECK_NS (5 * NS_PER_S)		/* how often to look for new ones */
#define PATIENCE_NS (250 * NS_PER_MS)	/* for the slowest set of a read */

static void namespace_told(struct namespace *namespace,
			   enum sonic_source source, enum source_state state,
			   int64_t interval_ns, const char *reason);

static enum hft_offer set_offer(void *context, const struct ipfix_set *set,
				const struct hft_now *came);

/* The stream that it may have; all data arrive at the first if the kernel does
 * not separate namespaces.
 */
static int stream_add(struct namespaces *s, struct namespace *namespace,
		      struct diag *d)
{
	struct hft_env env = { .namespace = namespace, .epoll_fd = s->epoll_fd,
			       .option = s->option,
			       .option_context = s->option_context };

	if (namespace == s->of[0]) {
		env.offer = set_offer;
		env.offer_context = s;
	} else {
		env.first = s->of[0]->hft;
	}
	return hft_new(&env, &namespace->hft, d);
}

/* The rest of s is set. Returns -ENOMEM; call namespace_free() in any case. */
static int namespace_init(struct namespace *s, uint32_t parent, int epoll_fd)
{
	int rc;

	topology_init(&s->topology, s->host, parent);
	for (unsigned i = 0; i < DATABASE_COUNT; i++)
		channel_init(&s->channel[i],
			     database_word((enum database_name)i), s->root_fd,
			     epoll_fd);
	rc = polls_init(s);
	following_init(s, epoll_fd);
	return maps_init(s, polls_maps_done) < 0 ? -ENOMEM : rc;
}

static void namespace_free(struct namespace *s)
{
	hft_free(s->hft);
	for (unsigned i = 0; i < DATABASE_COUNT; i++)
		channel_fini(&s->channel[i]);
	polls_fini(s);
	following_fini(&s->following);
	maps_fini(s);
	chassis_fini(&s->chassis);
	topology_fini(&s->topology);
	delays_fini(&s->delays);
	free(s);
}

static int namespace_add(struct namespaces *s, const char *name,
			 const char *config, struct diag *d)
{
	struct namespace *namespace = calloc(1, sizeof(*namespace));
	struct entity_key key = { .kind = ENTITY_ASIC };
	uint32_t parent = ENTITY_NONE;

	if (!namespace)
		return diag_set(d, -ENOMEM, "no memory for the databases");
	namespace->host = s->host;
	namespace->told = namespace_told;
	namespace->owner = s;
	namespace->root_fd = s->root_fd;
	namespace->socket = s->socket;
	(void)snprintf(namespace->name, sizeof(namespace->name), "%s", name);
	(void)snprintf(namespace->config, sizeof(namespace->config), "%s",
		       config);
	(void)snprintf(key.name, sizeof(key.name), "%s", name);
	if (name[0] && s->host->entity(s->host->context, &key, &parent) < 0)
		parent = ENTITY_NONE;	/* no room: reported by the host */
	if (namespace_init(namespace, parent, s->epoll_fd) < 0) {
		namespace_free(namespace);
		return diag_set(d, -ENOMEM, "no memory for the databases");
	}
	s->of[s->count++] = namespace;
	return stream_add(s, namespace, d);
}

int namespaces_init(struct namespaces *s, const struct platform_env *env,
		    int epoll_fd, struct diag *d)
{
	int rc;

	s->host = env->host;
	s->root_fd = env->root_fd;
	s->epoll_fd = epoll_fd;
	s->option = env->option;
	s->option_context = env->option_context;
	s->socket = env->option(env->option_context, "redis");
	rc = namespace_add(s, "", DATABASE_CONFIG_PATH, d);
	if (rc == 0)
		changes_reboot(s->of[0]);
	return rc;
}

void namespaces_fini(struct namespaces *s)
{
	for (size_t i = 0; i < s->count; i++)
		namespace_free(s->of[i]);
	s->count = 0;
}

static bool namespace_is_known(const struct namespaces *s, const char *name)
{
	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->of[i]->name, name) == 0)
			return true;
	return false;
}

/* The file appears after boot; an ASIC that it has named stays. */
static void namespaces_follow(struct namespaces *s, struct mono now)
{
	struct database_global found;
	struct diag d = { "" };
	int rc;

	if (s->socket || now.ns < s->check.ns)
		return;
	s->check.ns = now.ns + CHECK_NS;
	rc = database_global_read(s->root_fd, &found, &d);
	(void)snprintf(s->reason, sizeof(s->reason), "%.159s",
		       rc == -EINVAL ? d.text : "");
	for (size_t i = 0; rc == 0 && i < found.count; i++)
		if (!namespace_is_known(s, found.of[i].name) &&
		    s->count < NAMESPACES_MAX)
			rc = namespace_add(s, found.of[i].name,
				       found.of[i].config, NULL);
}

/* --- reporting to the host ------------------------------------------------ */

/* Sensors and cards are in the host's databases. */
static bool is_of_host(enum sonic_source source)
{
	return source == SONIC_SENSORS || source == SONIC_CHASSIS;
}

/* On a multi-ASIC switch the host's own set has no ports: it does not count for
 * their sources.
 */
static bool counts(const struct namespaces *s, size_t i,
		   enum sonic_source source)
{
	if (s->count == 1 || source == SONIC_CHANGES)
		return true;
	if (is_of_host(source))
		return i == 0;
	return i > 0 || s->of[0]->topology.set[OBJECT_PORT].count > 0;
}

/* A switch of one ASIC: its set reports directly to the host. */
static bool is_alone(const struct namespaces *s)
{
	return s->count == 1 && !s->reason[0];
}

static bool is_idle(const struct namespaces *s, size_t i,
		    enum sonic_source source)
{
	return s->of[i]->poll[source].phase == POLL_IDLE;
}

struct source_summary {
	unsigned fresh, others;
	int64_t interval_ns;
	const struct told *worst;	/* the first that is not fresh */
	const char *name;
	const struct told *note;	/* fresh, with a sentence */
	const char *note_name;
	unsigned noted;			/* fresh, with that sentence */
};

static void verdict_add(struct source_summary *v, const struct told *t,
			const char *name)
{
	if (t->interval_ns > v->interval_ns)
		v->interval_ns = t->interval_ns;
	if (t->known && t->state == SOURCE_FRESH) {
		v->fresh++;
		if (t->reason[0] && !v->note) {
			v->note = t;
			v->note_name = name;
		}
		v->noted += v->note && strcmp(t->reason, v->note->reason) == 0;
		return;
	}
	v->others++;
	if (!v->worst) {
		v->worst = t;
		v->name = name;
	}
}

/* A set's own sentence; name: the set, unless it goes for all of them. */
static void reason_of(const char *name, const char *reason,
		      char text[SOURCE_REASON_MAX])
{
	if (name[0])
		(void)snprintf(text, SOURCE_REASON_MAX, "%s: %.*s", name,
			       SOURCE_REASON_MAX - NAMESPACE_NAME_MAX - 3,
			       reason);
	else
		(void)snprintf(text, SOURCE_REASON_MAX, "%s", reason);
}

static void reason_write(const struct namespaces *s,
			 const struct source_summary *v,
			 char text[SOURCE_REASON_MAX])
{
	text[0] = '\0';
	if (s->reason[0])
		(void)snprintf(text, SOURCE_REASON_MAX, "%s", s->reason);
	else if (v->worst)
		reason_of(v->name, v->worst->known || !v->name[0] ?
			  v->worst->reason : "no answer yet", text);
	else if (v->note)
		reason_of(v->noted < v->fresh ? v->note_name : "",
			  v->note->reason, text);
}

/* Combines the states of a source in all sets. */
static void source_tell(struct namespaces *s, enum sonic_source source)
{
	struct source_summary v = { .fresh = 0 };
	enum source_state state = SOURCE_FRESH;
	char reason[SOURCE_REASON_MAX];

	for (size_t i = 0; i < s->count; i++)
		if (counts(s, i, source))
			verdict_add(&v, &s->told[i][source],
				    s->of[i]->name);
	if (v.fresh > 0 && (v.others > 0 || s->reason[0]))
		state = SOURCE_LIMITED;
	else if (v.fresh == 0)
		state = v.worst && v.worst->known ? v.worst->state :
						    SOURCE_ABSENT;
	reason_write(s, &v, reason);
	s->host->source(s->host->context, source, state, v.interval_ns,
			reason[0] ? reason : NULL);
}

static bool all_idle(const struct namespaces *s, enum sonic_source source)
{
	for (size_t i = 0; i < s->count; i++)
		if (!is_idle(s, i, source))
			return false;
	return true;
}

static void told_set(struct told *t, enum source_state state,
		     int64_t interval_ns, const char *reason)
{
	t->known = true;
	t->state = state;
	t->interval_ns = interval_ns;
	(void)snprintf(t->reason, sizeof(t->reason), "%s",
		       reason ? reason : "");
}

/* The switch's own handle; its name is in the host's databases. */
static bool switch_handle(struct namespaces *s, uint32_t *ret)
{
	const struct following *host = &s->of[0]->following;
	struct entity_key key = { .kind = ENTITY_SWITCH };

	(void)snprintf(key.name, sizeof(key.name), "%.*s", ENTITY_NAME_MAX - 1,
		       rows_field(&host->rows[FOLLOWING_CONFIG],
				  "DEVICE_METADATA|localhost", "hostname"));
	return host->known &&
	       s->host->entity(s->host->context, &key, ret) == 0;
}

/* A state of the switch applies if it applies to any of its namespaces. */
static void switch_give(struct namespaces *s, struct mono taken)
{
	struct read_group age = { .taken = taken };
	bool tsa = false, warm = false;
	uint32_t handle;

	for (size_t i = 0; i < s->count; i++) {
		tsa |= s->of[i]->following.tsa;
		warm |= s->of[i]->following.warm;
	}
	if (!switch_handle(s, &handle))
		return;
	s->host->group(s->host->context, SONIC_CHANGES, handle, &age);
	s->host->sample(s->host->context, Q_TSA, 0, tsa, QUALITY_GOOD);
	s->host->sample(s->host->context, Q_WARM_REBOOT, 0, warm,
			QUALITY_GOOD);
}

static void namespace_told(struct namespace *namespace,
			   enum sonic_source source, enum source_state state,
			   int64_t interval_ns, const char *reason)
{
	struct namespaces *s = namespace->owner;
	size_t i = 0;

	while (s->of[i] != namespace)
		i++;
	told_set(&s->told[i][source], state, interval_ns, reason);
	if (source == SONIC_CHANGES && state == SOURCE_FRESH)
		switch_give(s, namespace->following.asked_at);
	if (is_alone(s)) {
		s->host->source(s->host->context, source, state, interval_ns,
				reason);
		return;
	}
	if (s->starting || (s->asked[source].ns && !all_idle(s, source)))
		return;		/* the host gets all at once */
	s->asked[source].ns = 0;
	source_tell(s, source);
}

/* --- streams -------------------------------------------------------------- */

/* Finds the owner of data that the first namespace has no template for. */
static enum hft_offer set_offer(void *context, const struct ipfix_set *set,
				const struct hft_now *came)
{
	struct namespaces *s = context;
	struct hft *owner = NULL;

	for (size_t i = 1; i < s->count; i++) {
		struct hft *h = s->of[i]->hft;

		if (!h || !hft_knows(h, set))
			continue;
		if (owner)
			return HFT_OFFER_AMBIGUOUS;
		owner = h;
	}
	return owner && hft_give(owner, set, came) ? HFT_OFFER_TAKEN :
						     HFT_OFFER_UNKNOWN;
}

/* Losses and totals of all streams. */
static void stream_give(struct namespaces *s, struct mono now)
{
	struct read_group age = { .taken = now };
	struct hft_totals all = { .streams = 0 };
	uint32_t handle;

	for (size_t i = 0; i < s->count; i++)
		if (s->of[i]->hft)
			hft_totals_add(s->of[i]->hft, &all);
	if (all.streams == 0 || !switch_handle(s, &handle))
		return;
	s->host->group(s->host->context, SONIC_HFT, handle, &age);
	s->host->sample(s->host->context, Q_SELF_HFT_OVERRUNS, 0,
			(int64_t)all.overruns, QUALITY_GOOD);
	for (unsigned i = 0; i < HFT_LOST_COUNT; i++)
		s->host->sample(s->host->context, Q_SELF_HFT_LOST_SETS, i,
				(int64_t)all.lost[i], QUALITY_GOOD);
	s->host->sample(s->host->context, Q_SELF_HFT_RECORDS, 0,
			(int64_t)all.records, QUALITY_GOOD);
}

void namespaces_stream(struct namespaces *s, struct mono now, bool readable)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->of[i]->hft)
			hft_event(s->of[i]->hft, now, readable);
}

/* --- reading -------------------------------------------------------------- */

static int source_read(struct namespace *namespace, enum sonic_source source,
		       struct mono now, struct diag *d)
{
	if (source == SONIC_CHANGES)
		return following_poll(namespace, now, d);
	if (source != SONIC_HFT)
		return poll_read(namespace, source, now, d);
	if (!namespace->hft)
		return diag_set(d, -ENODATA, "no memory for its stream");
	hft_read(namespace->hft, now);	/* it reports by itself */
	return 1;
}

/* Reads one set. A set that still waits for its last read is skipped. */
static void namespace_read(struct namespaces *s, size_t i,
			   enum sonic_source source, struct mono now)
{
	struct diag why = { "" };
	int rc;

	if ((i > 0 && is_of_host(source)) || !is_idle(s, i, source))
		return;
	rc = source_read(s->of[i], source, now, &why);
	if (rc < 0 && rc != -EINPROGRESS)
		told_set(&s->told[i][source], rc == -ENODATA ? SOURCE_ABSENT :
							       SOURCE_BROKEN,
			 0, why.text);
}

static int all_read(struct namespaces *s, enum sonic_source source,
		    struct mono now, struct diag *d)
{
	if (is_alone(s))
		return source_read(s->of[0], source, now, d);
	s->starting = true;
	for (size_t i = 0; i < s->count; i++)
		namespace_read(s, i, source, now);
	s->starting = false;
	if (all_idle(s, source)) {
		source_tell(s, source);
		return 1;
	}
	s->asked[source] = now;
	return -EINPROGRESS;
}

int namespaces_read(struct namespaces *s, enum sonic_source source,
		    struct mono now, struct diag *d)
{
	int rc;

	namespaces_follow(s, now);
	rc = all_read(s, source, now, d);
	if (source == SONIC_HFT)
		stream_give(s, now);
	return rc;
}

void namespaces_check(struct namespaces *s, struct mono now)
{
	for (size_t i = 0; i < s->count; i++) {
		for (unsigned c = 0; c < DATABASE_COUNT; c++)
			channel_check(&s->of[i]->channel[c], now);
		following_check(s->of[i], now);
		if (following_modules_due(s->of[i], now))
			(void)poll_read(s->of[i], SONIC_TRANSCEIVERS, now,
					NULL);
		polls_wake(s->of[i], now);
	}
	for (unsigned n = 0; n < SONIC_SOURCE_COUNT; n++) {
		if (!s->asked[n].ns || now.ns - s->asked[n].ns < PATIENCE_NS)
			continue;
		s->asked[n].ns = 0;
		source_tell(s, (enum sonic_source)n);
	}
}

struct mono namespaces_deadline(const struct namespaces *s)
{
	struct mono first = { INT64_MAX };

	for (size_t i = 0; i < s->count; i++) {
		first = mono_min(first, following_deadline(s->of[i]));
		first = mono_min(first, polls_deadline(s->of[i]));
		for (unsigned c = 0; c < DATABASE_COUNT; c++)
			first = mono_min(first, channel_deadline(
				&s->of[i]->channel[c]));
	}
	for (unsigned n = 0; n < SONIC_SOURCE_COUNT; n++)
		if (s->asked[n].ns)
			first = mono_min(first, mono_after(s->asked[n],
							   PATIENCE_NS));
	return first;
}
