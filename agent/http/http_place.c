#include "agent/http/http_place.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/base/number.h"
#include "agent/base/option.h"
#include "agent/http/certificate.h"

#define FILE_MAX (256u << 10)
#define BACKLOG 64
#define TOKEN_LEAST 16u

/* --- the address ---------------------------------------------------------- */

/* Parses 127.0.0.1:9817 or [::1]:9817. */
static int address_parse(const char *text, struct sockaddr_storage *ret,
			 struct diag *d)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret;
	const char *colon = strrchr(text, ':');
	bool is_v6 = text[0] == '[';
	char host[INET6_ADDRSTRLEN];
	size_t len = colon ? (size_t)(colon - text) : 0;
	uint64_t port = 0;
	void *octets;

	*ret = (struct sockaddr_storage){ .ss_family = is_v6 ? AF_INET6 :
							       AF_INET };
	octets = is_v6 ? (void *)&v6->sin6_addr : (void *)&v4->sin_addr;
	if (is_v6 && len > 2 && text[len - 1] == ']') {
		text++;
		len -= 2;
	}
	if (len == 0 || len >= sizeof(host) ||
	    number_parse(colon + 1, 0, UINT16_MAX, &port) < 0)
		goto fail;
	memcpy(host, text, len);
	host[len] = '\0';
	if (inet_pton(ret->ss_family, host, octets) != 1)
		goto fail;
	if (is_v6)
		v6->sin6_port = htons((uint16_t)port);
	else
		v4->sin_port = htons((uint16_t)port);
	return 0;
fail:
	return diag_set(d, -EINVAL, "listen = %s%s is not an address with a "
			"port; expected 127.0.0.1:9817 or [::1]:9817",
			is_v6 && text[0] != '[' ? "[" : "", text);
}

static bool is_loopback(const struct sockaddr_storage *a)
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)a;
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)a;

	if (a->ss_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
	return ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

static int listen_failed(int fd, const struct http_place *p, struct diag *d)
{
	int err = -errno;

	if (fd >= 0)
		(void)close(fd);
	return diag_set(d, err, "listen = %s%s%s: %s", p->listen,
			p->vrf[0] ? ", vrf = " : "", p->vrf, strerror(-err));
}

static unsigned port_of(int fd)
{
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);

	memset(&a, 0, sizeof(a));
	if (getsockname(fd, (struct sockaddr *)&a, &len) < 0)
		return 0;
	return ntohs(a.ss_family == AF_INET6 ?
			((struct sockaddr_in6 *)&a)->sin6_port :
			((struct sockaddr_in *)&a)->sin_port);
}

int http_place_listen(const struct http_place *p, int *ret_fd,
		      unsigned *ret_port, struct diag *d)
{
	struct sockaddr_storage a;
	int fd, err, on = 1;

	err = address_parse(p->listen, &a, d);
	if (err < 0)
		return err;
	fd = socket(a.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    (p->vrf[0] && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, p->vrf,
				     (socklen_t)strlen(p->vrf)) < 0) ||
	    bind(fd, (struct sockaddr *)&a, a.ss_family == AF_INET6 ?
			sizeof(struct sockaddr_in6) :
			sizeof(struct sockaddr_in)) < 0 ||
	    listen(fd, BACKLOG) < 0)
		return listen_failed(fd, p, d);
	*ret_fd = fd;
	*ret_port = port_of(fd);
	return 0;
}

/* --- settings ------------------------------------------------------------- */

static int text_copy(char *to, size_t cap, const char *key, const char *text,
		     struct diag *d)
{
	size_t len = text ? strlen(text) : 0;

	if (len >= cap)
		return diag_set(d, -ENAMETOOLONG, "%s has %zu octets; at most "
				"%zu", key, len, cap - 1);
	memcpy(to, text ? text : "", len + 1);
	return 0;
}

int http_place_of(const struct http_settings *settings, struct http_place *ret,
		  struct diag *d)
{
	bool is_none = settings->vrf &&
		       strcmp(settings->vrf, OPTION_DEVICE_NONE) == 0;
	const struct {
		const char *key, *text;
		char *to;
		size_t cap;
	} texts[] = {
		{ "listen", settings->listen, ret->listen, HTTP_TEXT_MAX },
		{ "vrf", is_none ? "" : settings->vrf, ret->vrf,
		  sizeof(ret->vrf) },
		{ "cert_file", settings->cert_file, ret->cert_file,
		  HTTP_TEXT_MAX },
		{ "key_file", settings->key_file, ret->key_file,
		  HTTP_TEXT_MAX },
		{ "token_file", settings->token_file, ret->token_file,
		  HTTP_TEXT_MAX },
	};
	int err = 0;

	for (size_t i = 0; err == 0 && i < sizeof(texts) / sizeof(texts[0]);
	     i++)
		err = text_copy(texts[i].to, texts[i].cap, texts[i].key,
				texts[i].text, d);
	ret->anybody = settings->anybody;
	return err;
}

/* --- files ---------------------------------------------------------------- */

const char *http_file_shown(const char *path)
{
	static const char descriptor[] = "/proc/self/fd/";
	size_t len = strlen(descriptor);

	if (strncmp(path, descriptor, len) != 0)
		return path;
	path += len + strspn(path + len, "0123456789");
	return path[0] == '/' && path[1] == '/' ? path + 1 : path;
}

int http_file_read(const char *path, char **ret, struct diag *d)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = malloc(FILE_MAX + 1);
	ssize_t n = 0;
	size_t len = 0;
	int err = fd < 0 ? -errno : 0;

	if (err == 0 && !text)
		err = -ENOMEM;
	while (err == 0 && len <= FILE_MAX) {
		n = read(fd, text + len, FILE_MAX + 1 - len);
		if (n < 0)
			err = -errno;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	if (fd >= 0)
		(void)close(fd);
	if (err == 0 && len > FILE_MAX)
		err = -EFBIG;
	if (err < 0) {
		free(text);
		return diag_set(d, err, "%s: %s", http_file_shown(path),
				strerror(-err));
	}
	text[len] = '\0';
	*ret = text;
	return 0;
}

static int token_read(const char *path, char ret[static HTTP_TOKEN_MAX],
		      struct diag *d)
{
	char *text;
	size_t len;
	int err = http_file_read(path, &text, d);

	if (err < 0)
		return err;
	len = strcspn(text, "\r\n");
	if (len < TOKEN_LEAST || len >= HTTP_TOKEN_MAX)
		err = diag_set(d, -EINVAL, "%s: the first line has %zu octets; "
			       "a token has %u to %u", http_file_shown(path),
			       len, TOKEN_LEAST, HTTP_TOKEN_MAX - 1);
	else
		memcpy(ret, text, len);
	explicit_bzero(text, strlen(text));
	free(text);
	return err;
}

static int place_judge(const struct http_place *p, struct diag *d)
{
	struct sockaddr_storage a;
	int err = address_parse(p->listen, &a, d);

	if (err == 0 && !p->cert_file[0] != !p->key_file[0])
		err = diag_set(d, -EINVAL, "only one of cert_file and key_file "
			       "is set; TLS needs both");
	if (err == 0 && !p->token_file[0] && !p->anybody && !is_loopback(&a))
		err = diag_set(d, -EINVAL, "listen = %s is not loopback, and "
			       "there is no token_file; set one, or listen on "
			       "127.0.0.1", p->listen);
	return err;
}

int http_settings_check(const struct http_settings *settings, struct diag *d)
{
	struct http_place p;
	int err = http_place_of(settings, &p, d);

	return err == 0 ? place_judge(&p, d) : err;
}

static int secrets_fill(const struct http_place *p, struct http_secrets *s,
			const char **ret_key, struct diag *d)
{
	int err;

	*ret_key = "listen";
	err = place_judge(p, d);
	if (err == 0 && p->cert_file[0]) {
		*ret_key = "cert_file";
		err = http_file_read(p->cert_file, &s->cert, d);
	}
	if (err == 0 && p->key_file[0]) {
		*ret_key = "key_file";
		err = http_file_read(p->key_file, &s->key, d);
	}
	if (err == 0 && p->token_file[0]) {
		*ret_key = "token_file";
		err = token_read(p->token_file, s->token, d);
	}
	return err;
}

int http_secrets_read(const struct http_place *p, struct http_secrets *ret,
		      struct diag *d)
{
	struct http_secrets s = { .cert = NULL };
	const char *key;
	int err = secrets_fill(p, &s, &key, d);

	if (err < 0)
		http_secrets_fini(&s);
	else
		*ret = s;
	return err;
}

void http_secrets_fini(struct http_secrets *s)
{
	if (s->key)
		explicit_bzero(s->key, strlen(s->key));
	explicit_bzero(s->token, sizeof(s->token));
	free(s->key);
	free(s->cert);
	s->key = s->cert = NULL;
}

int http_place_check(const struct http_settings *settings, const char **ret_key,
		     struct diag *d)
{
	struct http_secrets s = { .cert = NULL };
	struct http_place p;
	int err;

	*ret_key = "listen";
	err = http_place_of(settings, &p, d);
	if (err == 0)
		err = secrets_fill(&p, &s, ret_key, d);
	if (err == 0 && s.cert) {
		*ret_key = "cert_file";
		err = certificate_check(s.cert, clock_wall_now(), d);
		if (err < 0)
			(void)diag_prefix(d, err, "cert_file = %s",
					  http_file_shown(p.cert_file));
	}
	http_secrets_fini(&s);
	return err;
}
