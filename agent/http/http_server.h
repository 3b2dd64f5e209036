/* A small server of HTTP for pages of Petrel's own: GET and HEAD of the paths
 * of one table, each answer made in memory. libmicrohttpd speaks HTTP and TLS;
 * it is loaded when a server is opened, and no program is linked with it.
 *
 * Bounded: connections in all and of one address; a connection's time until its
 * next answer has gone (HTTP_DEADLINE_S, what pages took not counted); the head
 * of a request; the length of an answer. A request with a body is refused.
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

/* Makes an answer: writes its body to out, and its type to *ret_type where that
 * is not HTTP_TYPE_TEXT (a static text). Returns the status: 200, 400 ...
 */
typedef unsigned http_page_fn(void *context, const struct http_request *rq,
			      FILE *out, const char **ret_type);

/* A page; a NULL path ends the table. */
struct http_page {
	const char *path;	/* all of it; with / at its end: all below */
	http_page_fn *fn;
	bool is_open;		/* needs no token: /healthz */
};

/* Since it was opened. */
struct http_count {
	uint64_t requests, refused;	/* refused: 4xx, by the server itself */
	uint64_t overdue;		/* connections ended by the deadline */
	uint32_t connections;		/* now */
};

/* Listens. settings are copied; pages and context must live as long. Returns
 * -ENOENT when there is no libmicrohttpd, or another negative errno, with d.
 */
int http_server_open(const struct http_settings *settings,
		     const struct http_page *pages, void *context,
		     struct http_server **ret, struct diag *d);
/* Ends all connections. s may be NULL. */
void http_server_close(struct http_server *s);
/* Reads key, certificate and token again, with the same address; ends all
 * connections. On failure all is as it was, and d says why.
 */
int http_server_reload(struct http_server *s, struct diag *d);

/* To poll for EPOLLIN. */
int http_server_fd(const struct http_server *s);
/* Takes in what has come, makes answers, sends. Returns in how many
 * milliseconds it must be called again even if nothing comes; at most 1000.
 */
int http_server_run(struct http_server *s, struct mono now);
/* The port that it listens on: 0 in the settings is one that was free. */
unsigned http_server_port(const struct http_server *s);
/* The counts so far. */
void http_server_count(const struct http_server *s, struct http_count *ret);

/* The path, behind the page's own. */
const char *http_request_path(const struct http_request *rq);
/* A field of the head, or NULL; the name in any case. */
const char *http_request_field(const struct http_request *rq,
			       const char *name);
/* The values of an argument behind the path's ?, as many as there is room for.
 * Returns how many there are.
 */
size_t http_request_values(const struct http_request *rq, const char *name,
			   const char **ret, size_t max);
/* The first argument that has none of these names (NULL at their end), or NULL.
 */
const char *http_request_other(const struct http_request *rq,
			       const char *const *names);
