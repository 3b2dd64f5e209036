/* The unix socket of C13: connections, framing, who asks, the table of
 * requests. Knows how to carry an answer, not what is in it.
 *
 * Bounded: QUERY_CLIENTS_MAX connections, one answer buffered each; a client
 * that reads nothing is dropped after QUERY_IDLE_NS.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "agent/base/loop.h"
#include "local.pb-c.h"
#include "petrel/diag.h"

#define QUERY_CLIENTS_MAX 32
#define QUERY_IDLE_NS (30 * INT64_C(1000000000))

struct query_server;
struct query_client;	/* one request under way */
struct answer;		/* answer.h */

struct query_peer {
	pid_t pid;
	uid_t uid;
	gid_t gid;
};

/* One row a verb. A handler fills the answer and returns an exit code, or
 * QUERY_LATER: it keeps client and answers with query_answer() when it can.
 */
#define QUERY_LATER (-1)
struct query_verb {
	const char *name;
	bool changes;		/* needs root or group petrel; logged with uid */
	int (*handle)(void *context, struct query_client *client,
		      const Petrel__Request *request, struct answer *answer);
};

struct query_env {
	struct loop *loop;
	int dir_fd;			/* where the socket is made */
	const char *socket_name;
	bool read_all;			/* else group petrel only */
	const struct query_verb *verbs;
	size_t verb_count;
	void *context;
};

/* Takes the socket's place: -EADDRINUSE when another agent answers on it (d
 * says so), a dead agent's socket is replaced.
 */
int query_server_new(const struct query_env *env, struct query_server **ret,
		     struct diag *d);
void query_server_free(struct query_server *q);

/* Sends an answer to a client that waits; more: it will get another. */
int query_answer(struct query_client *client, const struct answer *answer,
		 bool more);
/* The client's number, good until it is gone, and the way back from it. */
uint64_t query_client_number(const struct query_client *client);
struct query_client *query_client_find(struct query_server *q, uint64_t number);
const struct query_peer *query_client_peer(const struct query_client *client);
