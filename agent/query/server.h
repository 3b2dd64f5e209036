/* The unix socket of C13: connections, framing, peers, the table of requests.
 * Carries answers without knowing what is in them.
 *
 * Limits: QUERY_CLIENTS_MAX connections, one buffered answer each, and
 * QUERY_BUFFERED_MAX octets for all of them; a client that sends no request, or
 * reads nothing of its answer, is dropped after QUERY_IDLE_NS.
 *
 * Sampling comes first: one question is answered per wake-up, in turn
 * (access.h); one that waited QUERY_WAIT_NS, and one above
 * QUERY_UID_CLIENTS_MAX of an untrusted uid, is answered that the agent is busy
 * (EXIT_INCOMPLETE). Some places are reserved for trusted peers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/base/loop.h"
#include "agent/query/access.h"
#include "local.pb-c.h"
#include "petrel/clock.h"
#include "petrel/diag.h"

#define QUERY_CLIENTS_MAX 32
#define QUERY_ANSWER_OCTETS (32u << 20)	/* the most for one answer's arena */
#define QUERY_BUFFERED_MAX (8u << 20)
#define QUERY_IDLE_NS (30 * INT64_C(1000000000))
#define QUERY_WAIT_NS (2 * INT64_C(1000000000))	/* less than petrel waits */
#define QUERY_UID_CLIENTS_MAX 8		/* for one untrusted uid */
#define QUERY_OTHERS_MAX 24		/* for all untrusted uids together */

struct query_server;
struct query_client;	/* one request in progress */
struct answer;		/* answer.h */
struct verb;		/* verbs.h */

/* Fills the answer and returns an exit code, or QUERY_LATER: then it keeps
 * client and answers with query_answer() when it can.
 */
#define QUERY_LATER (-1)
typedef int query_answer_fn(void *context, const struct verb *verb,
			    struct query_client *client,
			    const Petrel__Request *request,
			    struct answer *answer);

struct query_env {
	struct loop *loop;
	int dir_fd;			/* folder of the socket */
	const char *socket_name;
	const char *switch_name;	/* in each answer */
	bool read_all;			/* else only group petrel */
	const struct verb *verbs;	/* NULL name ends the table */
	query_answer_fn *answer;
	/* Reads the peer of a connection; NULL: asks the kernel. Returns 0 or a
	 * negative errno. Tests set their own.
	 */
	int (*credentials)(int fd, struct query_peer *ret);
	int64_t idle_ns;		/* 0: QUERY_IDLE_NS */
	struct mono (*clock)(void);	/* NULL: clock_mono_now() */
	void *context;
};

/* Creates the socket: -EADDRINUSE if another agent answers on it (d says so);
 * replaces a dead agent's socket.
 */
int query_server_new(const struct query_env *env, struct query_server **ret,
		     struct diag *d);
/* Closes all connections and removes the socket, if it is still its own. */
void query_server_free(struct query_server *q);

/* Changes who may ask: sets the socket's mode, and closes connections of those
 * who may not ask any more.
 */
void query_server_share(struct query_server *q, bool read_all);

/* CPU time that answers have used so far. */
int64_t query_server_cpu_ns(const struct query_server *q);

/* Sends an answer to a client that waits; more: another one follows, else the
 * connection ends after it. Returns -EAGAIN: the one before is not sent yet;
 * -EMSGSIZE, -ENOMEM: nothing was sent, and the connection is gone.
 */
int query_answer(struct query_client *client, struct answer *answer, bool more);
/* True while an earlier answer is being sent: the next has no room yet. */
bool query_client_is_busy(const struct query_client *client);
/* The client's number, which is never reused, so it may be kept. */
uint64_t query_client_number(const struct query_client *client);
/* The client with a number; NULL if it is gone. */
struct query_client *query_client_find(struct query_server *q, uint64_t number);
