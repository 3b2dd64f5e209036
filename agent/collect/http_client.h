/* HTTP requests of a sink to an engine: one at a time over a persistent
 * connection, each with a timeout. One thread uses it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"

#define HTTP_ANSWER_OCTETS_MAX (1u << 20)

struct http_client;

struct http_engine {
	const char *url;
	const char *token_file;	/* its first line: a bearer token; "": none */
	const char *ca_file;	/* "": the system's */
	int64_t timeout_ns;
	const char *path;	/* used if the URL has none, or NULL */
};

struct http_answer {
	long status;
	bool is_reconnected;	/* a new connection was made */
	const char *body;	/* borrowed until the next request; cut */
};

/* Returns -EINVAL, -EACCES (a file that cannot be read) with d. */
int http_client_open(const struct http_engine *engine,
		     struct http_client **ret, struct diag *d);
/* Only checks it, and its files: for --check. An engine without a URL is not
 * configured. *ret_key: the key at fault.
 */
int http_client_check(const struct http_engine *engine, const char **ret_key,
		      struct diag *d);
/* NULL is allowed. */
void http_client_close(struct http_client *c);

/* headers: "Name: value", NULL at the end. Returns -EAGAIN with d: there was no
 * answer; otherwise 0, whatever the answer's status.
 */
int http_post(struct http_client *c, const char *const *headers,
	      const void *body, size_t len, struct http_answer *ret,
	      struct diag *d);
/* Requests a path on the host of the URL. */
int http_get(struct http_client *c, const char *path, struct http_answer *ret,
	     struct diag *d);

/* Describes an answer that is no success: its status, and the first line of its
 * body. Returns -EAGAIN.
 */
int http_refusal(const struct http_answer *a, struct diag *d);
