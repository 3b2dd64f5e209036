#include "agent/process/uplink.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>

#include "agent/push/transport.h"
#include "agent/seal/initiator.h"
#include "petrel/log.h"

#define RECEIVE_PER_WAKE 64

static int frame_send(void *context, const void *frame, size_t len)
{
	struct uplink *u = context;

	if (u->is_cut)
		return -ENODEV;
	return transport_send(u->transport, NULL, frame, len);
}

static void frames_arrived(void *context, uint32_t events, struct mono now);

static int transport_watch(struct uplink *u)
{
	return loop_fd_set(u->loop, transport_fd(u->transport), EPOLLIN,
			   frames_arrived, u);
}

/* The new socket has another descriptor. If there is no new one, the old one
 * stays, and the push tries again.
 */
static void connection_renew(void *context)
{
	struct uplink *u = context;
	int err;

	u->device = egress_device(&u->egress);
	u->is_cut = false;
	loop_fd_remove(u->loop, transport_fd(u->transport));
	err = transport_renew(u->transport);
	if (err == 0)
		err = transport_watch(u);
	else
		(void)transport_watch(u);
	if (err < 0 && err != -EBUSY)
		log_err("push", "peer=%s cannot connect: %s", u->url,
			strerror(-err));
	probe_begin(&u->probe, u->url, &u->egress, clock_mono_now());
}

static const char *network_words(void *context, struct mono now)
{
	struct uplink *u = context;

	return probe_words(&u->probe, now);
}

static uint64_t random_draw(void *context)
{
	uint64_t value = 0;

	(void)context;
	if (getrandom(&value, sizeof(value), GRND_NONBLOCK) < 0)
		value = (uint64_t)clock_mono_now().ns;	/* only for jitter */
	return value;
}

/* Logs one line per change. */
static void state_tell(struct uplink *u)
{
	struct push_status status;

	push_status(u->push, &status);
	if (status.connected && !u->was_connected)
		log_info("push", "peer=%s up", u->url);
	else if (!status.connected && strcmp(status.reason, u->told) != 0)
		log_warn("push", "peer=%s down: %s", u->url, status.reason);
	u->was_connected = status.connected;
	(void)strcpy(u->told, status.reason);
}

void uplink_run(struct uplink *u, struct mono now)
{
	if (!u->push)
		return;
	loop_timer_at(u->loop, u->timer, push_run(u->push, now), 0);
	state_tell(u);
}

void uplink_tend(struct uplink *u)
{
	u->is_cut = u->push && egress_device(&u->egress) != u->device;
}

static void run_due(void *context, struct mono now, uint64_t skipped)
{
	struct uplink *u = context;

	(void)skipped;	/* the state machine reads the clock itself */
	uplink_run(u, now);
	u->moved(u->context, now);
}

static void frames_arrived(void *context, uint32_t events, struct mono now)
{
	struct uplink *u = context;

	(void)events;	/* only ever readable */
	for (unsigned i = 0; i < RECEIVE_PER_WAKE; i++) {
		int n = transport_receive(u->transport, NULL, u->frame,
					  WIRE_FRAME_MAX);

		if (n == -EAGAIN || n == -EIO)
			break;
		push_receive(u->push, u->frame, n < 0 ? 0 : (size_t)n, now);
	}
	uplink_run(u, now);
	u->moved(u->context, now);
}

int uplink_init(struct uplink *u, struct loop *loop, uint8_t *frame,
		void (*moved)(void *context, struct mono now), void *context)
{
	struct mono never = { INT64_MAX };

	*u = (struct uplink){ .loop = loop, .frame = frame, .moved = moved,
			      .context = context };
	probe_init(&u->probe);
	u->timer = loop_timer_add(loop, never, 0, run_due, u);
	return u->timer < 0 ? u->timer : 0;
}

int uplink_open(struct uplink *u, const char *url, const struct egress *by,
		const struct push_env *env, struct diag *d)
{
	struct push_env whole = *env;
	int err;

	u->egress = *by;
	u->device = egress_device(by);
	u->is_cut = false;
	err = transport_connect(url, &u->egress, &u->transport, d);
	if (err < 0) {
		initiator_free(env->sealed);
		return err;
	}
	u->sealed = env->sealed;
	(void)snprintf(u->url, sizeof(u->url), "%s", url);
	whole.context = u;
	whole.send = frame_send;
	whole.reconnect = connection_renew;
	whole.network_words = network_words;
	whole.random = random_draw;
	err = push_new(&whole, &u->push);
	if (err == 0)
		err = transport_watch(u);
	if (err == 0)
		return 0;
	uplink_close(u);
	return diag_set(d, err, "%s", strerror(-err));
}

void uplink_close(struct uplink *u)
{
	if (u->transport)
		loop_fd_remove(u->loop, transport_fd(u->transport));
	probe_fini(&u->probe);
	push_free(u->push);
	transport_close(u->transport);
	initiator_free(u->sealed);
	u->push = NULL;
	u->sealed = NULL;
	u->transport = NULL;
	u->was_connected = false;
	u->told[0] = '\0';
	loop_timer_stop(u->loop, u->timer);
}

bool uplink_is_open(const struct uplink *u)
{
	return u->push != NULL;
}

void uplink_status(const struct uplink *u, struct push_status *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (u->push)
		push_status(u->push, ret);
}
