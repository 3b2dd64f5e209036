#include "agent/process/control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <unistd.h>

#include "agent/base/loop.h"
#include "agent/process/remember.h"
#include "agent/push/probe.h"
#include "agent/push/push.h"
#include "agent/push/transport.h"
#include "petrel/log.h"

#define RECEIVE_PER_WAKE 64
#define COLLECTOR_READER 0	/* this collector's number in the rings */
#define GREETING_WAIT_NS (60 * NS_PER_S)	/* for the switch's id */

/* What the sender is made of: one collector, or none. */
struct sender {
	struct process_env *env;
	struct loop *loop;
	int run_timer;
	struct transport *transport;	/* NULL: no collector configured */
	struct push *push;
	struct probe probe;		/* for words */
	struct config config;
	struct control_identity identity;	/* as last told by the core */
	char greeted_id[SWITCH_NAME_MAX];	/* stays for the run */
	struct mono began;
	bool greeting_waits;
	bool was_connected;
	char told[sizeof(((struct push_status *)0)->reason)];
	uint8_t frame[WIRE_FRAME_MAX];
};

static int frame_send(void *context, const void *frame, size_t len)
{
	struct sender *s = context;

	return transport_send(s->transport, NULL, frame, len);
}

static void frames_arrived(void *context, uint32_t events, struct mono now);

static int transport_watch(struct sender *s)
{
	return loop_fd_set(s->loop, transport_fd(s->transport), EPOLLIN,
			   frames_arrived, s);
}

/* The new socket has another descriptor. Where there is no new one, the old
 * one goes on, and the push tries again.
 */
static void connection_renew(void *context)
{
	struct sender *s = context;
	int err;

	loop_fd_remove(s->loop, transport_fd(s->transport));
	err = transport_renew(s->transport);
	if (err == 0)
		err = transport_watch(s);
	else
		(void)transport_watch(s);
	if (err < 0 && err != -EBUSY)
		log_err("push", "peer=%s cannot connect: %s",
			s->config.collector, strerror(-err));
	probe_begin(&s->probe, s->config.collector, clock_mono_now());
}

static const char *network_words(void *context, struct mono now)
{
	struct sender *s = context;

	return probe_words(&s->probe, now);
}

static uint64_t random_draw(void *context)
{
	uint64_t value = 0;

	(void)context;
	if (getrandom(&value, sizeof(value), GRND_NONBLOCK) < 0)
		value = (uint64_t)clock_mono_now().ns;	/* jitter only */
	return value;
}

/* One line per change. */
static void state_tell(struct sender *s, const struct push_status *status)
{
	if (status->connected && !s->was_connected)
		log_info("push", "peer=%s up", s->config.collector);
	else if (!status->connected && strcmp(status->reason, s->told) != 0)
		log_warn("push", "peer=%s down: %s", s->config.collector,
			 status->reason);
	s->was_connected = status->connected;
	(void)strcpy(s->told, status->reason);
}

static void reason_publish(struct control_push *c, const char *reason)
{
	/* a sender that died in here left an odd number behind */
	uint32_t writing = (atomic_load(&c->reason_generation) + 1) | 1;

	if (strncmp(c->reason, reason, sizeof(c->reason)) == 0)
		return;
	atomic_store(&c->reason_generation, writing);
	(void)snprintf(c->reason, sizeof(c->reason), "%s", reason);
	atomic_store(&c->reason_generation, writing + 1);
}

/* A collector keeps apart by it what comes from whom. */
static bool identity_is_known(const struct sender *s)
{
	return s->identity.id[0] ||
	       mono_diff_ns(clock_mono_now(), s->began) >= GREETING_WAIT_NS;
}

static void status_publish(struct sender *s)
{
	struct control_push *c = &s->env->control->push;
	struct push_status status = { .reason = "no collector is configured" };

	if (s->greeting_waits)
		(void)snprintf(status.reason, sizeof(status.reason),
			       "the id of this switch is not known yet");
	if (s->push)
		push_status(s->push, &status);
	atomic_store(&c->connected, status.connected);
	atomic_store(&c->last_ack_ns, status.last_ack.ns);
	atomic_store(&c->sent_records, status.sent_records);
	atomic_store(&c->sent_octets, status.sent_octets);
	atomic_store(&c->gap_records, status.gap_records);
	atomic_store(&c->renewals, status.renewals);
	atomic_store(&c->damaged, status.damaged);
	if (status.progress.ns)
		atomic_store(&c->progress_ns, status.progress.ns);
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		atomic_store(&c->acked[i], ring_acked(s->env->rings->ring[i],
						      COLLECTOR_READER));
	reason_publish(c, status.reason);
	if (s->push)
		state_tell(s, &status);
}

static void push_go_on(struct sender *s, struct mono now)
{
	if (s->push)
		loop_timer_at(s->loop, s->run_timer, push_run(s->push, now), 0);
	status_publish(s);
}

static void run_due(void *context, struct mono now, uint64_t skipped)
{
	(void)skipped;	/* the state machine looks at the clock itself */
	push_go_on(context, now);
}

static void frames_arrived(void *context, uint32_t events, struct mono now)
{
	struct sender *s = context;

	(void)events;	/* only ever readable */
	for (unsigned i = 0; i < RECEIVE_PER_WAKE; i++) {
		int n = transport_receive(s->transport, NULL, s->frame,
					  sizeof(s->frame));

		if (n == -EAGAIN || n == -EIO)
			break;
		push_receive(s->push, s->frame, n < 0 ? 0 : (size_t)n, now);
	}
	push_go_on(s, now);
}

static void collector_leave(struct sender *s)
{
	if (s->transport)
		loop_fd_remove(s->loop, transport_fd(s->transport));
	probe_fini(&s->probe);
	push_free(s->push);
	transport_close(s->transport);
	s->push = NULL;
	s->transport = NULL;
	loop_timer_stop(s->loop, s->run_timer);
}

static int collector_join(struct sender *s, struct diag *d)
{
	struct push_env env = { .rings = s->env->rings,
				.reader = COLLECTOR_READER,
				.switch_name = s->identity.name,
				.switch_id = s->greeted_id,
				.window_octets = s->config.window_octets,
				.heartbeat_ns = s->config.heartbeat_ns,
				.context = s, .send = frame_send,
				.reconnect = connection_renew,
				.network_words = network_words,
				.random = random_draw };
	const char *who = s->identity.id[0] ? s->identity.id : s->identity.name;
	int err = transport_connect(s->config.collector, &s->transport, d);

	if (err < 0)
		return err;
	if (!s->greeted_id[0])
		memcpy(s->greeted_id, who, sizeof(s->greeted_id));
	err = push_new(&env, &s->push);
	if (err == 0)
		err = transport_watch(s);
	return err < 0 ? diag_set(d, err, "%s", strerror(-err)) : 0;
}

/* A collector that cannot be had now costs the others nothing: it is told, and
 * the next configuration is waited for.
 */
static void collector_apply(struct sender *s)
{
	struct diag d;

	collector_leave(s);
	s->greeting_waits = s->config.collector[0] && !identity_is_known(s);
	if (s->config.collector[0] && !s->greeting_waits &&
	    collector_join(s, &d) < 0) {
		log_err("push", "%s", d.text);
		collector_leave(s);
	}
	push_go_on(s, clock_mono_now());
}

/* The greeting alone waits for the id: records are in the rings by then. */
static void identity_tend(struct sender *s)
{
	(void)control_identity_get(s->env->control, &s->identity);
	if (s->greeting_waits && identity_is_known(s))
		collector_apply(s);
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
}

static void config_changed(void *context, uint32_t events, struct mono now)
{
	struct sender *s = context;
	struct config before = s->config;
	uint64_t count;

	(void)events;	/* only ever readable */
	if (read(s->env->config_event_fd[ROLE_SENDER], &count,
		 sizeof(count)) < 0 || remember_copy_last(s->env, now))
		return;
	(void)control_config(s->env->control, &s->config);
	log_least_set(s->config.log_level);
	if (strcmp(before.collector, s->config.collector) != 0 ||
	    before.window_octets != s->config.window_octets ||
	    before.heartbeat_ns != s->config.heartbeat_ns)
		collector_apply(s);
}

static void beat(void *context, struct mono now, uint64_t skipped)
{
	struct sender *s = context;

	identity_tend(s);
	remember_copy(s->env, now);
	(void)skipped;	/* a late beat is told by its time */
	control_beat(&s->env->control->process[ROLE_SENDER], now);
	status_publish(s);
}

static int sender_start(struct sender *s)
{
	struct mono never = { INT64_MAX };
	int rc = loop_new(8, 4, &s->loop);

	if (rc < 0)
		return rc;
	s->run_timer = loop_timer_add(s->loop, never, 0, run_due, s);
	if (s->run_timer < 0 || loop_timer_add(s->loop, clock_mono_now(),
					       NS_PER_S, beat, s) < 0)
		return -ENOSPC;
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
	probe_init(&s->probe);
	(void)control_config(env->control, &s->config);
	log_least_set(s->config.log_level);
	(void)control_identity_get(env->control, &s->identity);
	s->began = clock_mono_now();
	rc = sender_start(s);
	if (rc == 0) {
		collector_apply(s);
		rc = loop_run(s->loop);
	}
	if (rc < 0)
		log_err("push", "ended error=%d", rc);
	if (s->loop)
		collector_leave(s);
	loop_free(s->loop);
	free(s);
	return rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
