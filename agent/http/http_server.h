/* A small HTTP server for Petrel's own pages: GET and HEAD of the paths in one
 * table, each answer made in memory. libmicrohttpd speaks HTTP and TLS; it is
 * loaded when a server is opened, and no program is linked with it.
 *
 * Bounded: connections in all and per address; a connection's time until its
 * next answer is sent (HTTP_DEADLINE_S, without the time of pages); the head of
 * a request; the length of an answer. A request with a body is refused.
 *
 * No thread: its owner polls one descriptor. An address other than loopback
 * needs a token, unless the owner says that anybody may read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "agent/http/http_place.h"
#include "petrel/clock.h"
#include "petrel/diag.h"

#define HTTP_CONNECTIONS_MAX 64u
#define HTTP_ADDRESS_CONNECTIONS_MAX 32u
#define HTTP_DEADLINE_S 15
#define HTTP_HEAD_MAX (32u << 10)
#define HTTP_ANSWER_MAX (64u << 20)

#define HTTP_TYPE_TEXT "text/plain; charset=utf-8"
#define HTTP_TYPE_JSON "application/json"

struct http_server;
struct http_request;

/* Makes an answer: writes its body to out, and its type to *ret_type if it is
 * not HTTP_TYPE_TEXT (a static text). Returns the status: 200, 400 ...
 */
typedef unsigned http_page_fn(void *context, const struct http_request *rq,
			      FILE *out, const char **ret_type);

/* A page; a NULL path ends the table. */
struct http_page {
	const char *path;	/* whole path; ending in /: all below it */
	http_page_fn *fn;
	bool is_open;		/* needs no token: /healthz */
};

/* Since it was opened. */
struct http_count {
	uint64_t requests, refused;	/* refused: 4xx, by the server itself */
	uint64_t overdue;		/* connections ended by the deadline */
	uint32_t connections;		/* now */
};

/* What can be tried without listening: http_place_check(), and that the library
 * takes the certificate with its key.
 */
int http_server_check(const struct http_settings *settings,
		      const char **ret_key, struct diag *d);

/* Listens. settings are copied; pages and context must live as long. Returns
 * -ENOENT when there is no libmicrohttpd, or another negative errno, with d.
 */
int http_server_open(const struct http_settings *settings,
		     const struct http_page *pages, void *context,
		     struct http_server **ret, struct diag *d);
/* Closes all connections. s may be NULL. */
void http_server_close(struct http_server *s);
/* Reads key, certificate and token again, with the same address; closes all
 * connections. On failure nothing changes, and d says why.
 */
int http_server_reload(struct http_server *s, struct diag *d);

/* To be polled for EPOLLIN. */
int http_server_fd(const struct http_server *s);
/* Receives, makes answers, sends. Returns in how many milliseconds it must be
 * called again even without input; at most 1000.
 */
int http_server_run(struct http_server *s, struct mono now);
/* The port that it listens on; 0 in the settings selects any free one. */
unsigned http_server_port(const struct http_server *s);
/* The counts so far. */
void http_server_count(const struct http_server *s, struct http_count *ret);

/* The path, after the page's own. */
const char *http_request_path(const struct http_request *rq);
/* A header field, or NULL; the name in any case. */
const char *http_request_field(const struct http_request *rq,
			       const char *name);
/* The values of an argument after the path's ?, as many as fit. Returns the
 * total number.
 */
size_t http_request_values(const struct http_request *rq, const char *name,
			   const char **ret, size_t max);
/* The first argument with none of these names (NULL at their end), or NULL. */
const char *http_request_other(const struct http_request *rq,
			       const char *const *names);
