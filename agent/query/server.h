/* The unix socket of C13: connections, framing, who asks, the table of
 * requests. Knows how to carry an answer, not what is in it.
 *
 * Bounded: QUERY_CLIENTS_MAX connections, one answer buffered each, and
 * QUERY_BUFFERED_MAX octets for all of them; a client that sends no request,
 * or reads nothing of its answer, is dropped after QUERY_IDLE_NS.
 *
 * Sampling comes first: one question is answered a wake-up, in turn (access.h);
 * one that waited QUERY_WAIT_NS, and one above QUERY_UID_CLIENTS_MAX of a uid
 * that is not trusted, is answered that the agent is busy (EXIT_INCOMPLETE).
 * Some places are kept for the trusted.
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
#define QUERY_ANSWER_OCTETS (32u << 20)	/* arena of one answer at most */
#define QUERY_BUFFERED_MAX (8u << 20)
#define QUERY_IDLE_NS (30 * INT64_C(1000000000))
#define QUERY_WAIT_NS (2 * INT64_C(1000000000))	/* less than petrel waits */
#define QUERY_UID_CLIENTS_MAX 8		/* of one that is not trusted */
#define QUERY_OTHERS_MAX 24		/* of all of these together */

struct query_server;
struct query_client;	/* one request under way */
struct answer;		/* answer.h */
struct verb;		/* verbs.h */

/* Fills the answer and returns an exit code, or QUERY_LATER: it keeps client
 * and answers with query_answer() when it can.
 */
#define QUERY_LATER (-1)
typedef int query_answer_fn(void *context, const struct verb *verb,
			    struct query_client *client,
			    const Petrel__Request *request,
			    struct answer *answer);

struct query_env {
	struct loop *loop;
	int dir_fd;			/* where the socket is made */
	const char *socket_name;
	bool read_all;			/* else group petrel only */
	const struct verb *verbs;	/* NULL name ends the table */
	query_answer_fn *answer;
	/* Who is at the other end of a connection; NULL: the kernel is asked.
	 * Returns 0 or a negative errno. Tests put their own here.
	 */
	int (*credentials)(int fd, struct query_peer *ret);
	int64_t idle_ns;		/* 0: QUERY_IDLE_NS */
	struct mono (*clock)(void);	/* NULL: clock_mono_now() */
	void *context;
};

/* Takes the socket's place: -EADDRINUSE when another agent answers on it (d
 * says so), a dead agent's socket is replaced.
 */
int query_server_new(const struct query_env *env, struct query_server **ret,
		     struct diag *d);
/* Ends all connections and removes the socket, if it is still its own. */
void query_server_free(struct query_server *q);

/* Who may ask from now on: the socket's mode follows, and connections of who
 * may not any more end.
 */
void query_server_share(struct query_server *q, bool read_all);

/* CPU time that answers have taken so far. */
int64_t query_server_cpu_ns(const struct query_server *q);

/* Sends an answer to a client that waits; more: it will get another, else the
 * connection ends behind it. Returns -EAGAIN: the one before is not yet sent;
 * -EMSGSIZE, -ENOMEM: nothing was sent, and the connection is gone.
 */
int query_answer(struct query_client *client, struct answer *answer, bool more);
/* True while an answer before is still being sent: the next has no room. */
bool query_client_is_busy(const struct query_client *client);
/* The client's number: never used again, so it may be kept. */
uint64_t query_client_number(const struct query_client *client);
/* The client of a number; NULL when it is gone. */
struct query_client *query_client_find(struct query_server *q, uint64_t number);
