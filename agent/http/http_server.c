/* libmicrohttpd without a thread: its epoll descriptor is polled, MHD_run()
 * does the rest. Its own timeout restarts with each octet, so a client that
 * sends one a second could hold a connection for ever; connections_tend()
 * closes those past their deadline.
 */
#include "agent/http/http_server.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#include "agent/base/array.h"
#include "agent/http/http_place.h"

#define HTTP_LIBRARY "libmicrohttpd.so.12"
#define WAIT_MS_MAX 1000

/* The library functions that are used. */
#define CALLS(X)                                                              \
	X(MHD_start_daemon) X(MHD_stop_daemon) X(MHD_run) X(MHD_get_timeout)  \
	X(MHD_get_daemon_info) X(MHD_get_connection_info)                     \
	X(MHD_get_connection_values_n) X(MHD_lookup_connection_value)         \
	X(MHD_create_response_from_buffer) X(MHD_add_response_header)         \
	X(MHD_queue_response) X(MHD_destroy_response)

struct http_library {
	void *handle;
#define CALL_MEMBER(name) __typeof__(name) *name;
	CALLS(CALL_MEMBER)
};

struct http_connection {
	int fd;			/* -1: the entry is free */
	int64_t since_ns;	/* in the server's time */
};

struct http_server {
	struct http_library library;
	struct http_place place;
	struct http_secrets secrets;
	const struct http_page *pages;
	void *context;
	int listen_fd;
	unsigned port;
	struct MHD_Daemon *daemon;
	struct http_connection connection[HTTP_CONNECTIONS_MAX];
	struct mono now;	/* of the present run */
	int64_t pages_ns;	/* total time spent on pages */
	struct http_count count;
	char has_zero;		/* its address marks such a request */
};

struct http_request {
	struct http_server *server;
	struct MHD_Connection *connection;
	const char *path;
};

static int library_load(struct http_library *l, struct diag *d)
{
	l->handle = dlopen(HTTP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!l->handle)
		return diag_set(d, -ENOENT, "HTTP needs the package "
				"libmicrohttpd12: %s", dlerror());
#define CALL_LOAD(name)                                                       \
	*(void **)&l->name = dlsym(l->handle, #name);                         \
	if (!l->name)                                                         \
		return diag_set(d, -ENOENT, HTTP_LIBRARY " has no " #name);
	CALLS(CALL_LOAD)
	return 0;
}

/* --- connections ---------------------------------------------------------- */

/* Stops while pages are made: waiting for another's page is not lateness. */
static int64_t server_now_ns(const struct http_server *s)
{
	return s->now.ns - s->pages_ns;
}

static void connection_noted(void *context, struct MHD_Connection *connection,
			     void **own,
			     enum MHD_ConnectionNotificationCode code)
{
	struct http_server *s = context;
	const union MHD_ConnectionInfo *info = s->library.
		MHD_get_connection_info(connection,
					MHD_CONNECTION_INFO_CONNECTION_FD);
	struct http_connection *c = *own;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED && c) {
		c->fd = -1;
		s->count.connections--;
		*own = NULL;
	}
	if (code != MHD_CONNECTION_NOTIFY_STARTED || !info)
		return;
	for (size_t i = 0; i < HTTP_CONNECTIONS_MAX; i++) {
		c = &s->connection[i];
		if (c->fd >= 0)
			continue;
		c->fd = info->connect_fd;
		c->since_ns = server_now_ns(s);
		s->count.connections++;
		*own = c;
		return;
	}
}

/* An answer was sent: the connection may stay for another. */
static void request_ended(void *context, struct MHD_Connection *connection,
			  void **own, enum MHD_RequestTerminationCode code)
{
	struct http_server *s = context;
	const union MHD_ConnectionInfo *info = s->library.
		MHD_get_connection_info(connection,
					MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct http_connection *c = info ? info->socket_context : NULL;

	*own = NULL;
	if (c && code == MHD_REQUEST_TERMINATED_COMPLETED_OK)
		c->since_ns = server_now_ns(s);
}

static void connections_tend(struct http_server *s)
{
	int64_t now_ns = server_now_ns(s);

	for (size_t i = 0; i < HTTP_CONNECTIONS_MAX; i++) {
		struct http_connection *c = &s->connection[i];

		if (c->fd < 0 ||
		    now_ns - c->since_ns < HTTP_DEADLINE_S * NS_PER_S)
			continue;
		(void)shutdown(c->fd, SHUT_RDWR);	/* it may be gone */
		c->since_ns = now_ns;
		s->count.overdue++;
	}
}

/* --- requests ------------------------------------------------------------- */

const char *http_request_path(const struct http_request *rq)
{
	return rq->path;
}

const char *http_request_field(const struct http_request *rq, const char *name)
{
	return rq->server->library.MHD_lookup_connection_value(
		rq->connection, MHD_HEADER_KIND, name);
}

struct values {
	const char *name, **list;
	size_t count, max;
};

static enum MHD_Result value_found(void *context, enum MHD_ValueKind kind,
				   const char *name, size_t name_octets,
				   const char *value, size_t octets)
{
	struct values *v = context;

	(void)kind;	/* only arguments are requested */
	(void)name_octets;	/* it has no NUL: address_came() */
	(void)octets;
	if (strcmp(name, v->name) != 0)
		return MHD_YES;
	if (v->count < v->max)
		v->list[v->count] = value ? value : "";
	v->count++;
	return MHD_YES;
}

size_t http_request_values(const struct http_request *rq, const char *name,
			   const char **ret, size_t max)
{
	struct values v = { .name = name, .list = ret, .max = max };

	(void)rq->server->library.MHD_get_connection_values_n(
		rq->connection, MHD_GET_ARGUMENT_KIND, value_found, &v);
	return v.count;
}

struct other {
	const char *const *names;
	const char *found;
};

static enum MHD_Result other_found(void *context, enum MHD_ValueKind kind,
				   const char *name, size_t name_octets,
				   const char *value, size_t octets)
{
	struct other *o = context;

	(void)kind;	/* as above */
	(void)name_octets;
	(void)value;
	(void)octets;
	if (!name[0])
		return MHD_YES;		/* ?& or && */
	for (const char *const *n = o->names; *n; n++)
		if (strcmp(name, *n) == 0)
			return MHD_YES;
	o->found = name;
	return MHD_NO;		/* one is enough */
}

const char *http_request_other(const struct http_request *rq,
			       const char *const *names)
{
	struct other o = { .names = names };

	(void)rq->server->library.MHD_get_connection_values_n(
		rq->connection, MHD_GET_ARGUMENT_KIND, other_found, &o);
	return o.found;
}

/* Constant time, whatever is wrong with it. */
static bool is_let_in(const struct http_request *rq)
{
	static const char scheme[] = "Bearer ";
	const char *token = rq->server->secrets.token;
	const char *said = http_request_field(rq, "Authorization");
	size_t len = strlen(token), off = sizeof(scheme) - 1;
	unsigned differs = 0;

	if (!token[0])
		return true;
	if (!said || strncasecmp(said, scheme, off) != 0 ||
	    strlen(said + off) != len)
		return false;
	for (size_t i = 0; i < len; i++)
		differs |= (unsigned char)said[off + i] ^
			   (unsigned char)token[i];
	return differs == 0;
}

/* --- answers -------------------------------------------------------------- */

/* A body that grows up to its limit. */
struct http_body {
	char *octets;
	size_t len, cap;
};

static ssize_t body_write(void *context, const char *octets, size_t len)
{
	struct http_body *b = context;
	char *moved;

	if (len > HTTP_ANSWER_MAX - b->len) {
		errno = EFBIG;
		return 0;
	}
	moved = array_room(b->octets, &b->cap, b->len + len, 1);
	if (!moved)
		return 0;
	b->octets = moved;
	memcpy(b->octets + b->len, octets, len);
	b->len += len;
	return (ssize_t)len;
}

/* Makes a page; one that does not fit is an error. */
static unsigned page_make(const struct http_request *rq,
			  const struct http_page *page, struct http_body *body,
			  const char **ret_type)
{
	static const cookie_io_functions_t io = { .write = body_write };
	FILE *out = fopencookie(body, "w", io);
	unsigned status;
	bool is_whole;

	if (!out)
		return MHD_HTTP_INTERNAL_SERVER_ERROR;
	status = page->fn(rq->server->context, rq, out, ret_type);
	is_whole = fflush(out) == 0 && !ferror(out);
	is_whole = fclose(out) == 0 && is_whole;
	if (is_whole)
		return status;
	body->len = 0;
	return MHD_HTTP_INTERNAL_SERVER_ERROR;
}

static enum MHD_Result answer_queue(const struct http_request *rq,
				    unsigned status, const char *type,
				    struct http_body *body)
{
	const struct http_library *l = &rq->server->library;
	struct MHD_Response *r = l->MHD_create_response_from_buffer(
		body->len, body->octets, MHD_RESPMEM_MUST_FREE);
	enum MHD_Result result;

	if (!r) {
		free(body->octets);
		return MHD_NO;
	}
	(void)l->MHD_add_response_header(r, "Content-Type", type);
	(void)l->MHD_add_response_header(r, "Cache-Control", "no-store");
	(void)l->MHD_add_response_header(r, "X-Content-Type-Options",
					 "nosniff");
	if (status == MHD_HTTP_UNAUTHORIZED)
		(void)l->MHD_add_response_header(r, "WWW-Authenticate",
						 "Bearer");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		(void)l->MHD_add_response_header(r, "Allow", "GET, HEAD");
	result = l->MHD_queue_response(rq->connection, status, r);
	l->MHD_destroy_response(r);
	return result;
}

static enum MHD_Result refuse(const struct http_request *rq, unsigned status,
			      const char *why)
{
	struct http_body body = { .octets = NULL };

	rq->server->count.refused++;
	(void)body_write(&body, why, strlen(why));	/* may fail */
	return answer_queue(rq, status, HTTP_TYPE_TEXT, &body);
}

/* The page of a path, which is then advanced past the page's own. */
static const struct http_page *page_find(const struct http_page *pages,
					 const char **path)
{
	for (const struct http_page *p = pages; p->path; p++) {
		size_t len = strlen(p->path);

		if (strncmp(*path, p->path, len) != 0 ||
		    (p->path[len - 1] != '/' && (*path)[len] != '\0'))
			continue;
		*path += len;
		return p;
	}
	return NULL;
}

static enum MHD_Result page_answer(struct http_request *rq)
{
	struct http_server *s = rq->server;
	const struct http_page *page = page_find(s->pages, &rq->path);
	struct http_body body = { .octets = NULL };
	const char *type = HTTP_TYPE_TEXT;
	int64_t begin_ns = clock_mono_now().ns;
	unsigned status;

	if (!(page && page->is_open) && !is_let_in(rq))
		return refuse(rq, MHD_HTTP_UNAUTHORIZED,
			      "expected a token: Authorization: Bearer\n");
	if (!page)
		return refuse(rq, MHD_HTTP_NOT_FOUND, "no such page\n");
	status = page_make(rq, page, &body, &type);
	s->pages_ns += clock_mono_now().ns - begin_ns;
	return answer_queue(rq, status, type, &body);
}

/* The raw address. Decoded, an address with a NUL would end there, and mean
 * something else: own gets what this returns.
 */
static void *address_came(void *context, const char *address,
			  struct MHD_Connection *connection)
{
	struct http_server *s = context;

	(void)connection;
	return strstr(address, "%00") ? &s->has_zero : NULL;
}

/* Called with the head first; own is the server on the second call. */
static enum MHD_Result request_came(void *context,
				    struct MHD_Connection *connection,
				    const char *url, const char *method,
				    const char *version, const char *body,
				    size_t *body_len, void **own)
{
	struct http_server *s = context;
	struct http_request rq = { .server = s, .connection = connection,
				   .path = url };
	const char *len;

	(void)version;	/* the library accepts 1.0 and 1.1 */
	(void)body;	/* bodies are refused */
	if (*own != s) {
		bool has_zero = *own == &s->has_zero;

		*own = s;
		s->count.requests++;
		if (has_zero)
			return refuse(&rq, MHD_HTTP_BAD_REQUEST,
				      "the address contains %00\n");
		len = http_request_field(&rq, "Content-Length");
		if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
			return refuse(&rq, MHD_HTTP_METHOD_NOT_ALLOWED,
				      "only GET and HEAD\n");
		if ((len && strcmp(len, "0") != 0) ||
		    http_request_field(&rq, "Transfer-Encoding"))
			return refuse(&rq, MHD_HTTP_CONTENT_TOO_LARGE,
				      "requests must have no body\n");
		return MHD_YES;
	}
	return *body_len ? MHD_NO : page_answer(&rq);
}

/* --- the server ----------------------------------------------------------- */

/* A new daemon on the listening socket; NULL: without a reason. */
static struct MHD_Daemon *daemon_start(struct http_server *s,
				       const struct http_secrets *secrets)
{
	int fd = dup(s->listen_fd);	/* the daemon closes its own */
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, secrets->cert },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, secrets->key },
		{ MHD_OPTION_END, 0, NULL },
	};
	struct MHD_Daemon *daemon;

	if (fd < 0)
		return NULL;
	daemon = s->library.MHD_start_daemon(
		MHD_USE_EPOLL | (secrets->cert ? MHD_USE_TLS : 0), 0, NULL,
		NULL, request_came, s, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_LIMIT, HTTP_CONNECTIONS_MAX,
		MHD_OPTION_PER_IP_CONNECTION_LIMIT,
		HTTP_ADDRESS_CONNECTIONS_MAX,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_HEAD_MAX,
		MHD_OPTION_NOTIFY_CONNECTION, connection_noted, s,
		MHD_OPTION_NOTIFY_COMPLETED, request_ended, s,
		MHD_OPTION_URI_LOG_CALLBACK, address_came, s,
		MHD_OPTION_STRICT_FOR_CLIENT, 1,
		MHD_OPTION_ARRAY, secrets->cert ? tls : tls + 2,
		MHD_OPTION_END);
	if (!daemon)
		(void)close(fd);
	return daemon;
}

static int daemon_failed(const struct http_server *s, struct diag *d)
{
	if (!s->place.cert_file[0])
		return diag_set(d, -EIO, "listen = %s: the server cannot start",
				s->place.listen);
	return diag_set(d, -EINVAL, "the server cannot start with cert_file = "
			"%s and key_file = %s: they do not match, or are not "
			"PEM", http_file_shown(s->place.cert_file),
			http_file_shown(s->place.key_file));
}

int http_server_open(const struct http_settings *settings,
		     const struct http_page *pages, void *context,
		     struct http_server **ret, struct diag *d)
{
	struct http_server *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return diag_set(d, -ENOMEM, "out of memory");
	s->pages = pages;
	s->context = context;
	s->listen_fd = -1;
	for (size_t i = 0; i < HTTP_CONNECTIONS_MAX; i++)
		s->connection[i].fd = -1;
	err = http_place_of(settings, &s->place, d);
	if (err == 0)
		err = http_secrets_read(&s->place, &s->secrets, d);
	if (err == 0)
		err = library_load(&s->library, d);
	if (err == 0)
		err = http_place_listen(&s->place, &s->listen_fd, &s->port, d);
	if (err == 0) {
		s->daemon = daemon_start(s, &s->secrets);
		err = s->daemon ? 0 : daemon_failed(s, d);
	}
	if (err < 0) {
		http_server_close(s);
		return err;
	}
	*ret = s;
	return 0;
}

/* A socket of no address, on which nobody can connect. */
static int socket_of_nobody(void)
{
	const struct sockaddr a = { .sa_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && (bind(fd, &a, sizeof(a.sa_family)) < 0 ||
			listen(fd, 1) < 0)) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

int http_server_check(const struct http_settings *settings,
		      const char **ret_key, struct diag *d)
{
	struct http_server *s = calloc(1, sizeof(*s));
	int err = s ? http_place_check(settings, ret_key, d) :
		      diag_set(d, -ENOMEM, "out of memory");

	if (err < 0 || !settings->cert_file || !settings->cert_file[0]) {
		free(s);
		return err;
	}
	*ret_key = "cert_file";
	err = http_place_of(settings, &s->place, d);
	if (err == 0)
		err = http_secrets_read(&s->place, &s->secrets, d);
	if (err == 0)
		err = library_load(&s->library, d);
	s->listen_fd = socket_of_nobody();
	if (err == 0 && s->listen_fd >= 0) {
		s->daemon = daemon_start(s, &s->secrets);
		err = s->daemon ? 0 : daemon_failed(s, d);
	}
	http_server_close(s);
	return err;
}

void http_server_close(struct http_server *s)
{
	if (!s)
		return;
	if (s->daemon)
		s->library.MHD_stop_daemon(s->daemon);
	if (s->listen_fd >= 0)
		(void)close(s->listen_fd);
	http_secrets_fini(&s->secrets);
	if (s->library.handle)
		(void)dlclose(s->library.handle);
	free(s);
}

int http_server_reload(struct http_server *s, struct diag *d)
{
	struct http_secrets secrets;
	struct MHD_Daemon *daemon;
	int err = http_secrets_read(&s->place, &secrets, d);

	if (err < 0)
		return err;
	daemon = daemon_start(s, &secrets);
	if (!daemon) {
		http_secrets_fini(&secrets);
		return daemon_failed(s, d);
	}
	s->library.MHD_stop_daemon(s->daemon);
	http_secrets_fini(&s->secrets);
	s->secrets = secrets;
	s->daemon = daemon;
	return 0;
}

int http_server_fd(const struct http_server *s)
{
	return s->library.MHD_get_daemon_info(s->daemon,
				MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

int http_server_run(struct http_server *s, struct mono now)
{
	MHD_UNSIGNED_LONG_LONG ms;

	s->now = now;
	(void)s->library.MHD_run(s->daemon);	/* fails where it is not ours */
	connections_tend(s);
	if (s->library.MHD_get_timeout(s->daemon, &ms) != MHD_YES ||
	    ms > WAIT_MS_MAX)
		return WAIT_MS_MAX;
	return (int)ms;
}

unsigned http_server_port(const struct http_server *s)
{
	return s->port;
}

void http_server_count(const struct http_server *s, struct http_count *ret)
{
	*ret = s->count;
}
