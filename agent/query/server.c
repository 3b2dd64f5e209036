#include "agent/query/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "agent/query/answer.h"
#include "agent/query/message.h"
#include "agent/query/query.h"
#include "petrel/local.h"
#include "petrel/log.h"

#define SWEEP_NS (1 * NS_PER_S)
#define ACCEPTS_MAX 8		/* per wake-up */

/* The steps of a connection:
 *
 *   ASKING --complete request--> QUEUED --its turn-->
 *                  WAITING --answer--> ANSWERING --sent--> closed
 *                     ^                    |
 *                     +----sent, more------+
 */
enum client_step { CLIENT_FREE, CLIENT_ASKING, CLIENT_QUEUED, CLIENT_WAITING,
		   CLIENT_ANSWERING };

struct query_client {
	struct query_server *server;
	enum client_step step;
	int fd;
	uint64_t number;
	struct query_peer peer;
	struct turns_asker asker;	/* the peer, for turns_...() */
	struct mono queued;		/* when; by env.clock() */
	bool is_over;			/* exceeds its uid's limit */
	struct mono moved;		/* when octets last moved */
	uint8_t in[MESSAGE_HEAD_LEN + LOCAL_REQUEST_MAX];
	size_t in_len;
	uint8_t *out;			/* owned */
	size_t out_len, out_sent;
	bool more;
};

struct query_server {
	struct query_env env;
	struct place place;
	int timer, turn_timer;
	struct turns turns;
	int64_t cpu_ns;			/* used by answers */
	bool paused;			/* no descriptors left */
	bool sweeping;			/* the timer runs */
	uint64_t last_number;
	size_t buffered;		/* octets of all clients' out */
	struct answer *answer;		/* owned; for one handler at a time */
	struct query_client client[QUERY_CLIENTS_MAX];
};

/* Drops what was buffered for the client: it is sent, or never will be. */
static void out_drop(struct query_client *c)
{
	c->server->buffered -= c->out_len;
	free(c->out);
	c->out = NULL;
	c->out_len = c->out_sent = 0;
}

/* Frees its place; its number is not found any more. */
static void client_close(struct query_client *c)
{
	loop_fd_remove(c->server->env.loop, c->fd);
	(void)close(c->fd);
	out_drop(c);
	c->fd = -1;
	c->step = CLIENT_FREE;
}

static void client_ready(void *context, uint32_t events, struct mono now);

/* Polls for what the step waits for; a hang-up is always reported. */
static void client_watch(struct query_client *c)
{
	static const uint32_t wanted[] = {
		[CLIENT_ASKING] = EPOLLIN,
		[CLIENT_QUEUED] = 0,
		[CLIENT_WAITING] = 0,
		[CLIENT_ANSWERING] = EPOLLOUT,
	};

	if (loop_fd_set(c->server->env.loop, c->fd, wanted[c->step],
			client_ready, c) < 0)
		client_close(c);
}

/* Sends as much as it can without blocking. */
static void client_send(struct query_client *c, struct mono now)
{
	while (c->out_sent < c->out_len) {
		ssize_t n = send(c->fd, c->out + c->out_sent,
				 c->out_len - c->out_sent,
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			client_watch(c);
			return;
		}
		if (n < 0) {
			client_close(c);
			return;
		}
		c->out_sent += (size_t)n;
		c->moved = now;
	}
	out_drop(c);
	if (!c->more) {
		client_close(c);
		return;
	}
	c->step = CLIENT_WAITING;
	client_watch(c);
}

/* Buffers the packed answer, within the limit for all clients together. */
static int client_pack(struct query_client *c, struct answer *answer)
{
	struct query_server *q = c->server;
	int rc = message_pack(&answer_message(answer)->base, LOCAL_ANSWER_MAX,
			      &c->out, &c->out_len);

	if (rc < 0)
		return rc;
	q->buffered += c->out_len;
	return q->buffered > QUERY_BUFFERED_MAX ? -ENOMEM : 0;
}

int query_answer(struct query_client *c, struct answer *answer, bool more)
{
	int rc;

	if (query_client_is_busy(c))
		return -EAGAIN;
	answer_message(answer)->more = more;
	rc = client_pack(c, answer);
	if (rc < 0) {
		log_warn("query", "answer not sent: %s client_pid=%d",
			 strerror(-rc), (int)c->peer.pid);
		client_close(c);
		return rc;
	}
	c->more = more;
	c->moved = loop_now(c->server->env.loop);
	c->step = CLIENT_ANSWERING;
	client_send(c, c->moved);
	return 0;
}

bool query_client_is_busy(const struct query_client *c)
{
	return c->step == CLIENT_ANSWERING;
}

uint64_t query_client_number(const struct query_client *c)
{
	return c->number;
}

struct query_client *query_client_find(struct query_server *q, uint64_t number)
{
	for (unsigned i = 0; i < QUERY_CLIENTS_MAX; i++)
		if (q->client[i].step != CLIENT_FREE &&
		    q->client[i].number == number)
			return &q->client[i];
	return NULL;
}

/* Checks the peer and the request, and lets the verb answer. */
static int request_handle(struct query_client *c, const Petrel__Request *r,
			  struct answer *a)
{
	const struct query_env *env = &c->server->env;
	const struct verb *verb = verb_find(env->verbs, r->verb);
	bool trusted = peer_is_trusted(&c->peer);
	unsigned uid = c->peer.uid;
	char nearest[VERB_NEAREST_MAX];

	answer_head(a, env->switch_name, clock_wall_now().ns);
	if (r->version != LOCAL_VERSION)
		return answer_error(a, r->version ? EXIT_UNREACHABLE :
						    EXIT_USAGE, "petrel uses "
				    "version %u of the query format, and "
				    "petreld " PETREL_VERSION " answers in "
				    "version %u: install the same petrel",
				    r->version, LOCAL_VERSION);
	if (!env->read_all && !trusted)
		return answer_error(a, EXIT_NOT_PERMITTED,
				    "uid %u may not query: read = group needs "
				    "root or group " PETREL_GROUP, uid);
	if (!verb || !verb_is_asked(verb)) {
		verb_nearest(env->verbs, r->verb, nearest);
		return answer_error(a, EXIT_USAGE, "this agent has no command "
				    "'%s'%s", r->verb, nearest);
	}
	if (r->text)
		answer_for_text(a);
	if (verb->changes && !trusted) {
		log_warn("query", "verb=%s refused uid=%u pid=%d", verb->name,
			 uid, (int)c->peer.pid);
		return answer_error(a, EXIT_NOT_PERMITTED, "%s needs root or "
				    "group " PETREL_GROUP "; you are uid %u",
				    verb->name, uid);
	}
	if (verb->changes)
		log_notice("query", "verb=%s uid=%u pid=%d", verb->name, uid,
			   (int)c->peer.pid);
	return env->answer(env->context, verb, c, r, a);
}

/* Sends what the handler filled in, unless it answers later. */
static void client_reply(struct query_client *c, int code)
{
	if (code == QUERY_LATER)
		return;
	answer_message(c->server->answer)->code = (uint32_t)code;
	(void)query_answer(c, c->server->answer, false);
}

/* Answers a request whose turn it is, or that has waited too long. */
static void client_request(struct query_client *c)
{
	struct answer *a = c->server->answer;
	Petrel__Request *r = NULL;

	answer_clear(a);
	answer_head(a, c->server->env.switch_name, clock_wall_now().ns);
	c->step = CLIENT_WAITING;
	if (request_unpack(c->in + MESSAGE_HEAD_LEN,
			   c->in_len - MESSAGE_HEAD_LEN, &r) < 0) {
		client_reply(c, answer_error(a, EXIT_USAGE, "no request in %zu "
					     "octets; expected local.proto",
					     c->in_len - MESSAGE_HEAD_LEN));
		return;
	}
	client_reply(c, request_handle(c, r, a));
	request_free(r);
	answer_release(a);
}

static void client_busy(struct query_client *c)
{
	struct answer *a = c->server->answer;

	answer_clear(a);
	c->step = CLIENT_WAITING;
	client_reply(c, answer_error(a, EXIT_INCOMPLETE, "busy: uid %u uses "
				     "more than its share of the agent's time; "
				     "try again later", (unsigned)c->peer.uid));
	answer_release(a);
}

/* The time until it has waited too long. */
static int64_t patience_ns(const struct query_client *c, struct mono now)
{
	return QUERY_WAIT_NS - mono_diff_ns(now, c->queued);
}

/* The next client to serve. *ret_wait_ns: if none may be served, the time until
 * one may, or has waited too long; INT64_MAX: nobody waits.
 */
static struct query_client *turn_find(struct query_server *q, struct mono now,
				      int64_t *ret_wait_ns)
{
	struct query_client *best = NULL;

	*ret_wait_ns = INT64_MAX;
	for (unsigned i = 0; i < QUERY_CLIENTS_MAX; i++) {
		struct query_client *c = &q->client[i];
		int64_t wait_ns;

		if (c->step != CLIENT_QUEUED)
			continue;
		wait_ns = turns_wait_ns(&q->turns, &c->asker, now);
		if (wait_ns == 0 &&
		    (!best || turns_before(&q->turns, &c->asker, &best->asker)))
			best = c;
		if (wait_ns > patience_ns(c, now))
			wait_ns = patience_ns(c, now);
		if (wait_ns < *ret_wait_ns)
			*ret_wait_ns = wait_ns;
	}
	return best;
}

/* Sets the timer to when a client may be served. */
static void turn_plan(struct query_server *q, struct mono now)
{
	struct mono at = { INT64_MAX };
	int64_t wait_ns;

	(void)turn_find(q, now, &wait_ns);
	if (wait_ns < INT64_MAX)
		at.ns = now.ns + wait_ns;
	loop_timer_at(q->env.loop, q->turn_timer, at, 0);
}

static void late_refuse(struct query_server *q, struct mono now)
{
	for (unsigned i = 0; i < QUERY_CLIENTS_MAX; i++)
		if (q->client[i].step == CLIENT_QUEUED &&
		    patience_ns(&q->client[i], now) <= 0)
			client_busy(&q->client[i]);
}

static int64_t thread_cpu_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* Answers one question; the loop does everything else between two of them. */
static void turn_take(void *context, struct mono now, uint64_t skipped)
{
	struct query_server *q = context;
	struct mono begun = q->env.clock(), ended;
	struct query_client *c;
	struct turns_asker asker;
	int64_t wait_ns;

	(void)now;
	(void)skipped;	/* not periodic */
	c = turn_find(q, begun, &wait_ns);
	if (c) {
		int64_t cpu_ns = thread_cpu_ns();

		asker = c->asker;
		client_request(c);
		q->cpu_ns += thread_cpu_ns() - cpu_ns;
		ended = q->env.clock();
		turns_pay(&q->turns, &asker, mono_diff_ns(ended, begun), ended);
		begun = ended;
	}
	late_refuse(q, begun);
	turn_plan(q, begun);
}

/* The request is complete. */
static void client_queue(struct query_client *c)
{
	c->step = CLIENT_QUEUED;
	c->queued = c->server->env.clock();
	client_watch(c);
	if (c->step == CLIENT_FREE)
		return;
	if (c->is_over)
		client_busy(c);
	else
		turn_plan(c->server, c->queued);
}

/* The number of octets still missing; 0: refused, and answered so. */
static size_t client_wants(struct query_client *c)
{
	struct answer *a = c->server->answer;
	uint32_t len;

	if (c->in_len < MESSAGE_HEAD_LEN)
		return MESSAGE_HEAD_LEN - c->in_len;
	len = message_length(c->in);
	if (len <= LOCAL_REQUEST_MAX)
		return MESSAGE_HEAD_LEN + len - c->in_len;
	answer_clear(a);
	c->step = CLIENT_WAITING;
	client_reply(c, answer_error(a, EXIT_USAGE, "a request of %u octets; "
				     "at most %u", len, LOCAL_REQUEST_MAX));
	return 0;
}

/* Reads until the request is complete, and never past its end. */
static void client_receive(struct query_client *c, struct mono now)
{
	while (c->step == CLIENT_ASKING) {
		size_t want = client_wants(c);
		ssize_t n;

		if (c->step != CLIENT_ASKING)
			return;
		if (want == 0) {
			client_queue(c);
			return;
		}
		n = recv(c->fd, c->in + c->in_len, want, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			client_close(c);
			return;
		}
		c->in_len += (size_t)n;
		c->moved = now;
	}
}

static void client_ready(void *context, uint32_t events, struct mono now)
{
	struct query_client *c = context;

	if (c->step == CLIENT_ASKING)
		client_receive(c, now);	/* also detects a hang-up */
	else if (c->step == CLIENT_ANSWERING && events & EPOLLOUT)
		client_send(c, now);
	else if (events & (EPOLLHUP | EPOLLERR))
		client_close(c);
}

static struct query_client *client_free_slot(struct query_server *q)
{
	for (unsigned i = 0; i < QUERY_CLIENTS_MAX; i++)
		if (q->client[i].step == CLIENT_FREE)
			return &q->client[i];
	return NULL;
}

/* The sweep runs only while there are clients. */
static void sweep_soon(struct query_server *q, struct mono now)
{
	if (q->sweeping)
		return;
	q->sweeping = true;
	loop_timer_at(q->env.loop, q->timer,
		      (struct mono){ now.ns + SWEEP_NS }, SWEEP_NS);
}

/* Counts connections of that uid with this one, and all untrusted ones. */
static void clients_count(const struct query_server *q, uid_t uid,
			  unsigned *ret_own, unsigned *ret_others)
{
	*ret_own = 1;
	*ret_others = 0;
	for (unsigned i = 0; i < QUERY_CLIENTS_MAX; i++) {
		const struct query_client *c = &q->client[i];

		if (c->step == CLIENT_FREE || c->asker.trusted)
			continue;
		*ret_own += c->peer.uid == uid;
		*ret_others += 1;
	}
}

/* Accepts a connection, if there is a place for it. */
static void client_open(struct query_server *q, int fd, struct mono now)
{
	struct query_client *c = client_free_slot(q);
	struct query_peer peer;
	bool trusted;
	unsigned own, others;

	/* full: the newest is closed at once */
	if (!c || q->env.credentials(fd, &peer) < 0) {
		(void)close(fd);
		return;
	}
	trusted = peer_is_trusted(&peer);
	clients_count(q, peer.uid, &own, &others);
	if (!trusted && others >= QUERY_OTHERS_MAX) {
		(void)close(fd);
		return;
	}
	*c = (struct query_client){ .server = q, .step = CLIENT_ASKING,
				    .fd = fd, .number = ++q->last_number,
				    .peer = peer, .moved = now };
	c->asker = (struct turns_asker){ peer.uid, trusted, c->number };
	c->is_over = !trusted && own > QUERY_UID_CLIENTS_MAX;
	client_watch(c);
	if (c->step != CLIENT_FREE)
		loop_fd_last(q->env.loop, fd);
	sweep_soon(q, now);
}

static void server_ready(void *context, uint32_t events, struct mono now);

/* Stops accepting until the next sweep: there are no descriptors left. */
static void server_pause(struct query_server *q, struct mono now)
{
	if (loop_fd_set(q->env.loop, q->place.fd, 0, server_ready, q) < 0)
		log_err("query", "the socket cannot be paused");
	q->paused = true;
	sweep_soon(q, now);
}

static void server_ready(void *context, uint32_t events, struct mono now)
{
	struct query_server *q = context;

	(void)events;
	for (unsigned i = 0; i < ACCEPTS_MAX; i++) {
		int fd = accept4(q->place.fd, NULL, NULL,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0 && (errno == EMFILE || errno == ENFILE))
			server_pause(q, now);
		if (fd < 0)
			return;
		client_open(q, fd, now);
	}
}

/* Drops clients that neither ask nor read; stops when there are none. */
static void server_sweep(void *context, struct mono now, uint64_t skipped)
{
	struct query_server *q = context;
	unsigned busy = 0;

	(void)skipped;
	for (unsigned i = 0; i < QUERY_CLIENTS_MAX; i++) {
		struct query_client *c = &q->client[i];

		if (c->step == CLIENT_FREE)
			continue;
		if (c->step != CLIENT_WAITING && c->step != CLIENT_QUEUED &&
		    mono_diff_ns(now, c->moved) > q->env.idle_ns)
			client_close(c);
		else
			busy++;
	}
	if (q->paused && loop_fd_set(q->env.loop, q->place.fd, EPOLLIN,
				     server_ready, q) == 0)
		q->paused = false;
	q->sweeping = busy > 0 || q->paused;
	if (!q->sweeping)
		loop_timer_stop(q->env.loop, q->timer);
}

int query_server_new(const struct query_env *env, struct query_server **ret,
		     struct diag *d)
{
	struct query_server *q = calloc(1, sizeof(*q));
	int rc = -ENOMEM;

	if (!q)
		return diag_set(d, -ENOMEM, "no memory for the query socket");
	q->env = *env;
	q->place.fd = -1;
	q->timer = q->turn_timer = -1;
	if (!q->env.clock)
		q->env.clock = clock_mono_now;
	turns_init(&q->turns, q->env.clock());
	if (!q->env.credentials)
		q->env.credentials = peer_read;
	if (!q->env.idle_ns)
		q->env.idle_ns = QUERY_IDLE_NS;
	if (answer_new(QUERY_ANSWER_OCTETS, &q->answer) < 0)
		goto fail;
	rc = place_take(env->dir_fd, env->socket_name, env->read_all, &q->place,
			d);
	if (rc < 0)
		goto fail;
	q->timer = loop_timer_add(env->loop, (struct mono){ INT64_MAX },
				  SWEEP_NS, server_sweep, q);
	q->turn_timer = loop_timer_add(env->loop, (struct mono){ INT64_MAX }, 0,
				       turn_take, q);
	rc = q->timer < 0 || q->turn_timer < 0 ? -ENOSPC :
	     loop_fd_set(env->loop, q->place.fd, EPOLLIN, server_ready, q);
	if (rc < 0) {
		(void)diag_set(d, rc, "no room in the event loop for the "
				      "socket");
		goto fail;
	}
	loop_fd_last(env->loop, q->place.fd);
	*ret = q;
	return 0;
fail:
	query_server_free(q);
	return rc;
}

int64_t query_server_cpu_ns(const struct query_server *q)
{
	return q->cpu_ns;
}

void query_server_share(struct query_server *q, bool read_all)
{
	struct diag d;

	if (q->env.read_all == read_all)
		return;
	q->env.read_all = read_all;
	if (place_share(q->env.dir_fd, q->env.socket_name, read_all, &d) < 0)
		log_warn("query", "%s", d.text);
	for (unsigned i = 0; i < QUERY_CLIENTS_MAX && !read_all; i++)
		if (q->client[i].step != CLIENT_FREE &&
		    !peer_is_trusted(&q->client[i].peer))
			client_close(&q->client[i]);
}

void query_server_free(struct query_server *q)
{
	if (!q)
		return;
	for (unsigned i = 0; i < QUERY_CLIENTS_MAX; i++)
		if (q->client[i].step != CLIENT_FREE)
			client_close(&q->client[i]);
	if (q->place.fd >= 0)
		loop_fd_remove(q->env.loop, q->place.fd);
	if (q->timer >= 0)
		loop_timer_stop(q->env.loop, q->timer);
	if (q->turn_timer >= 0)
		loop_timer_stop(q->env.loop, q->turn_timer);
	place_leave(&q->place, q->env.dir_fd, q->env.socket_name);
	answer_free(q->answer);
	free(q);
}
