/* What a sink asks of an engine by HTTP: one request at a time over a
 * connection that stays, with a time within which it ends. One thread uses it.
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
	const char *path;	/* asked for where the URL has none, or NULL */
};

struct http_answer {
	long status;
	bool is_reconnected;	/* not over the connection of the one before */
	const char *body;	/* borrowed until the next request; its begin */
};

/* Returns -EINVAL, -EACCES (a file that cannot be read) with d. */
int http_client_open(const struct http_engine *engine,
		     struct http_client **ret, struct diag *d);
/* The same without a client: for --check. An engine without a URL is none. */
int http_client_check(const char *section, const struct http_engine *engine,
		      struct diag *d);
/* NULL is allowed. */
void http_client_close(struct http_client *c);

/* headers: "Name: value", NULL at the end. Returns -EAGAIN with d: there was no
 * answer; else the answer is told whatever its status.
 */
int http_post(struct http_client *c, const char *const *headers,
	      const void *body, size_t len, struct http_answer *ret,
	      struct diag *d);
/* Asks for a path on the host of the URL. */
int http_get(struct http_client *c, const char *path, struct http_answer *ret,
	     struct diag *d);

/* Says what an answer means that is no success: which status, and the first
 * line of its body. Returns -EAGAIN.
 */
int http_refusal(const struct http_answer *a, struct diag *d);
