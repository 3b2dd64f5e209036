#include "agent/process/control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "agent/base/loop.h"
#include "agent/process/backlog.h"
#include "agent/process/collectors.h"
#include "agent/process/tier_thread.h"
#include "petrel/log.h"

#define GREETING_WAIT_NS (60 * NS_PER_S)	/* for the switch's id */
#define KEY_WAIT_NS (3 * NS_PER_S)	/* new configuration, for its key */

struct sender {
	struct process_env *env;
	struct loop *loop;
	struct collectors collectors;
	struct backlog backlog;
	struct tier_thread *tiers;
	struct own_key key;		/* as it was read last */
	char key_fault[DIAG_MAX];	/* why there is none; else empty */
	struct config config;		/* the one applied */
	bool config_waits;		/* a new one waits for its key since */
	struct mono key_wanted;
	struct control_identity identity;	/* last read from the core */
	char greeted_id[SWITCH_NAME_MAX];	/* stays for the run */
	char greeted_name[SWITCH_NAME_MAX];	/* of the sessions; or empty */
	struct mono began;
	bool greeting_waits;
};

/* A switch that must seal but cannot sends nothing. */
static bool lacks_key(const struct sender *s)
{
	return s->config.collector_key[0][0] && s->key_fault[0];
}

/* For petrel status: the operator puts it on the collector's list. */
static void key_publish(struct sender *s)
{
	struct control_push *c = &s->env->control->push;
	char text[KEY_TEXT_SIZE] = "";

	if (s->config.collector_key[0][0] && !s->key_fault[0])
		key_text(s->key.pair.public, text);
	control_text_set(&c->own_key, text);
}

/* The collector tells switches apart by the id. */
static bool identity_is_known(const struct sender *s)
{
	return s->identity.id[0] ||
	       mono_diff_ns(clock_mono_now(), s->began) >= GREETING_WAIT_NS;
}

/* For one collector; its last error is kept. */
static void uplink_publish(struct sender *s, unsigned number)
{
	struct control_uplink *u = &s->env->control->push.uplink[number];
	struct push_status status = { .connected = false };

	(void)collectors_one(&s->collectors, number, &status);
	atomic_store(&u->connected, status.connected);
	if (status.last_ack.ns)
		atomic_store(&u->last_ack_ns, status.last_ack.ns);
	if (!status.reason[0])
		return;
	atomic_store(&u->error_ns, clock_mono_now().ns);
	control_text_set(&u->error, status.reason);
}

static void status_publish(struct sender *s)
{
	struct control_push *c = &s->env->control->push;
	struct positions held = collectors_held(&s->collectors);
	struct push_status status;

	if (!collectors_status(&s->collectors, &status))
		(void)snprintf(status.reason, sizeof(status.reason), "%.*s",
			       (int)sizeof(status.reason) - 1, lacks_key(s) ?
			       s->key_fault : s->greeting_waits ?
			       "the id of this switch is not known yet" :
			       "no collector is configured");
	atomic_store(&c->connected, status.connected);
	atomic_store(&c->sealed, status.sealed);
	atomic_store(&c->last_ack_ns, status.last_ack.ns);
	atomic_store(&c->sent_records, status.sent_records);
	atomic_store(&c->sent_octets, status.sent_octets);
	atomic_store(&c->gap_records, status.gap_records);
	atomic_store(&c->renewals, status.renewals);
	atomic_store(&c->damaged, status.damaged);
	if (status.progress.ns)
		atomic_store(&c->progress_ns, status.progress.ns);
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		atomic_store(&c->acked[i], held.last[i]);
	control_text_set(&c->reason, status.reason);
	for (unsigned i = 0; i < CONFIG_COLLECTORS_MAX; i++)
		uplink_publish(s, i);
}

static void moved(void *context, struct mono now)
{
	(void)now;
	status_publish(context);
}

static void push_go_on(struct sender *s, struct mono now)
{
	collectors_run(&s->collectors, now);
	status_publish(s);
}

static void collector_apply(struct sender *s)
{
	const char *who = s->identity.id[0] ? s->identity.id : s->identity.name;
	struct mono now = clock_mono_now();

	collectors_close(&s->collectors);
	s->greeted_name[0] = '\0';
	(void)control_config(s->env->control, &s->config);
	s->config_waits = false;
	backlog_open(&s->backlog, &s->config);
	key_publish(s);
	s->greeting_waits = s->config.collector[0][0] && !identity_is_known(s);
	if (s->config.collector[0][0] && !s->greeting_waits && !lacks_key(s)) {
		if (!s->greeted_id[0])
			memcpy(s->greeted_id, who, sizeof(s->greeted_id));
		(void)snprintf(s->greeted_name, sizeof(s->greeted_name), "%s",
			       s->identity.name);
		collectors_open(&s->collectors, &s->config, s->backlog.view,
				s->identity.name, s->greeted_id, &s->key, now);
	}
	push_go_on(s, now);
}

/* A new key or token may be in the files under the same names: they are read
 * for each configuration, and by the thread, because a disk that hangs would
 * block this one.
 */
static void key_want(struct sender *s, const struct config *wanted,
		     struct mono now)
{
	if (wanted->collector_key[0][0]) {
		backlog_key_want(&s->backlog);
		s->key_wanted = now;
	} else if (s->config_waits) {
		collector_apply(s);
	}
}

static void key_answered(struct sender *s)
{
	struct own_key before = s->key;
	char fault[DIAG_MAX];
	bool differs;

	memcpy(fault, s->key_fault, sizeof(fault));
	if (backlog_key_take(&s->backlog, &s->key, s->key_fault)) {
		differs = memcmp(&before, &s->key, sizeof(before)) != 0 ||
			  strcmp(fault, s->key_fault) != 0;
		if (differs && lacks_key(s))
			log_err("push", "%s", s->key_fault);
		if (differs || s->config_waits)
			collector_apply(s);
	}
	explicit_bzero(&before, sizeof(before));
}

/* The disk does not answer: applies the configuration with the present key. */
static void key_tend(struct sender *s, struct mono now)
{
	if (s->config_waits && mono_diff_ns(now, s->key_wanted) >= KEY_WAIT_NS)
		collector_apply(s);
}

/* Only the greeting waits for the id: records are in the rings meanwhile. */
static void identity_tend(struct sender *s)
{
	bool is_renamed;

	(void)control_identity_get(s->env->control, &s->identity);
	is_renamed = s->greeted_name[0] &&
		     strcmp(s->greeted_name, s->identity.name) != 0;
	if (is_renamed || (s->greeting_waits && identity_is_known(s)))
		collector_apply(s);
}

/* Records are not delivered. */
static bool is_outage(const struct sender *s, struct mono now)
{
	struct push_status status;
	struct mono since = s->began;

	(void)collectors_status(&s->collectors, &status);
	if (status.progress.ns)
		since = status.progress;
	return mono_diff_ns(now, since) >=
	       BACKLOG_AFTER_HEARTBEATS * s->config.heartbeat_ns;
}

static void backlog_go_on(struct sender *s, bool is_beat, struct mono now)
{
	struct positions held = collectors_held(&s->collectors);

	backlog_tend(&s->backlog, &held, is_outage(s, now), is_beat, now);
}

/* The spool answered a read, or the key was read. */
static void spool_answered(void *context, uint32_t events, struct mono now)
{
	struct sender *s = context;

	(void)events;	/* only ever readable */
	spool_view_answered(s->backlog.view);
	key_answered(s);
	push_go_on(s, now);
	collectors_run_past(&s->collectors, now);
}

static void record_appended(void *context, uint32_t events, struct mono now)
{
	struct sender *s = context;
	uint64_t count;

	(void)events;	/* only ever readable */
	if (read(s->env->record_event_fd, &count, sizeof(count)) < 0)
		return;
	if (s->greeting_waits)
		identity_tend(s);
	push_go_on(s, now);
	if (is_outage(s, now))	/* a full ring drops much at once */
		backlog_go_on(s, false, now);
}

/* Before the machine may go down. */
static bool is_over(struct sender *s)
{
	struct positions held = collectors_held(&s->collectors);

	if (atomic_load(&s->env->control->memory.asked) != ROLE_SENDER)
		return false;
	backlog_last(&s->backlog, &held);
	return true;
}

/* The connections or the spool differ from the wanted ones. */
static bool is_other(const struct config *is, const struct config *wanted)
{
	return memcmp(is->collector, wanted->collector,
		      sizeof(is->collector)) != 0 ||
	       memcmp(is->collector_key, wanted->collector_key,
		      sizeof(is->collector_key)) != 0 ||
	       is->mirror != wanted->mirror ||
	       memcmp(is->vrf, wanted->vrf, sizeof(is->vrf)) != 0 ||
	       memcmp(is->source, wanted->source, sizeof(is->source)) != 0 ||
	       is->dscp != wanted->dscp ||
	       is->window_octets != wanted->window_octets ||
	       is->rate_octets != wanted->rate_octets ||
	       is->heartbeat_ns != wanted->heartbeat_ns ||
	       is->spool_octets != wanted->spool_octets ||
	       is->spool_day_octets != wanted->spool_day_octets;
}

static void config_changed(void *context, uint32_t events, struct mono now)
{
	struct sender *s = context;
	struct config wanted;
	uint64_t count;

	(void)events;	/* only ever readable */
	if (read(s->env->config_event_fd[ROLE_SENDER], &count,
		 sizeof(count)) < 0 || is_over(s))
		return;
	(void)control_config(s->env->control, &wanted);
	log_least_set(wanted.log_level);
	tier_thread_changed(s->tiers);
	s->config_waits = s->config_waits || is_other(&s->config, &wanted);
	key_want(s, &wanted, now);
}

static void beat(void *context, struct mono now, uint64_t skipped)
{
	struct sender *s = context;

	identity_tend(s);
	key_tend(s, now);
	backlog_go_on(s, true, now);
	collectors_tend(&s->collectors, now);
	(void)skipped;	/* the beat's time shows that */
	control_beat(&s->env->control->process[ROLE_SENDER], now);
	status_publish(s);
}

static int sender_start(struct sender *s)
{
	int rc = loop_new(3 + 2 * CONFIG_COLLECTORS_MAX,
			  1 + 2 * CONFIG_COLLECTORS_MAX, &s->loop);

	if (rc == 0)
		rc = collectors_init(&s->collectors, s->env, s->loop, moved, s);
	if (rc == 0)
		rc = loop_timer_add(s->loop, clock_mono_now(), NS_PER_S, beat,
				    s);
	if (rc >= 0)	/* the timer's number */
		rc = backlog_start(&s->backlog, s->env);
	if (rc >= 0)
		rc = loop_fd_set(s->loop, spool_view_fd(s->backlog.view),
				 EPOLLIN, spool_answered, s);
	if (rc < 0)
		return rc;
	rc = loop_fd_set(s->loop, s->env->record_event_fd, EPOLLIN,
			 record_appended, s);
	if (rc < 0)
		return rc;
	return loop_fd_set(s->loop, s->env->config_event_fd[ROLE_SENDER],
			   EPOLLIN, config_changed, s);
}

int sender_run(struct process_env *env)
{
	struct sender *s = calloc(1, sizeof(*s));
	int rc = -ENOMEM;

	if (!s)
		return EXIT_FAILURE;
	s->env = env;
	s->config_waits = true;
	(void)strcpy(s->key_fault, "the key of this switch was not read yet");
	(void)control_config(env->control, &s->config);
	log_least_set(s->config.log_level);
	(void)control_identity_get(env->control, &s->identity);
	s->began = clock_mono_now();
	rc = sender_start(s);
	if (rc == 0) {
		int err = tier_thread_start(env, &s->tiers);

		if (err < 0)
			log_warn("history", "cannot start the thread of the "
					    "tiers: %s",
				 strerror(-err));
		key_want(s, &s->config, s->began);
		rc = loop_run(s->loop);
	}
	if (rc < 0)
		log_err("push", "ended error=%d", rc);
	tier_thread_stop(s->tiers);
	if (s->loop)
		collectors_close(&s->collectors);
	loop_free(s->loop);
	explicit_bzero(&s->key, sizeof(s->key));
	if (backlog_stop(&s->backlog))
		free(s);	/* else a thread still uses it */
	return rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
