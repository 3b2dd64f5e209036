/* The asking side of C13: one connection, one request, answers until the last.
 */
#pragma once

#include <stdint.h>
#include "local.pb-c.h"
#include "petrel/diag.h"

#define CLIENT_TIMEOUT_NS INT64_C(5000000000)	/* for an answer from memory */

struct client;

/* Returns -ENOENT (no socket), -ECONNREFUSED (nobody behind it), -EACCES, or
 * another negative errno, with d.
 */
int client_open(const char *socket, struct client **ret, struct diag *d);
/* Ends the connection; c may be NULL. */
void client_close(struct client *c);
/* To poll for an answer; the client owns it. */
int client_fd(const struct client *c);

/* Sends the one request of this connection. Returns -EMSGSIZE: above
 * LOCAL_REQUEST_MAX; or what send(2) says; with d.
 */
int client_ask(struct client *c, const Petrel__Request *request,
	       struct diag *d);
/* The next answer, freed with answer_unpacked_free(). timeout_ns < 0: waits as
 * long as it takes. Returns -ETIMEDOUT, -EPIPE (the agent ended the
 * connection), -EBADMSG, with d.
 */
int client_answer(struct client *c, int64_t timeout_ns, Petrel__Answer **ret,
		  struct diag *d);
