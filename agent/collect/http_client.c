#include "agent/collect/http_client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "agent/base/url.h"
#include "agent/http/certificate.h"
#include "agent/http/http_place.h"
#include "petrel/clock.h"

#define TOKEN_MAX 4096
#define TOKEN_OCTETS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"  \
		     "0123456789-._~+/="		/* RFC 6750 */

struct http_client {
	CURL *curl;
	char *url;
	struct curl_slist *authorization;	/* one header, or NULL */
	bool has_asked;
	char error[CURL_ERROR_SIZE];
	size_t len;
	char body[HTTP_ANSWER_OCTETS_MAX];
};

static size_t body_take(char *octets, size_t size, size_t count, void *context)
{
	struct http_client *c = context;
	size_t len = size * count;
	size_t room = sizeof(c->body) - 1 - c->len;
	size_t fits = len < room ? len : room;

	memcpy(c->body + c->len, octets, fits);
	c->len += fits;
	return len;		/* the excess is ignored */
}

static int token_read(struct http_client *c, const char *path, struct diag *d)
{
	char token[TOKEN_MAX] = "", header[TOKEN_MAX + 32];
	int err = 0;
	FILE *in;

	if (!path[0])
		return 0;
	errno = 0;	/* an empty file is no error */
	in = fopen(path, "re");
	if (!in || !fgets(token, sizeof(token), in))
		err = -errno;
	if (in)
		(void)fclose(in);
	if (err < 0)
		return diag_set(d, err, "%s: %s", path, strerror(-err));
	token[strcspn(token, "\r\n")] = '\0';
	if (!token[0] || token[strspn(token, TOKEN_OCTETS)])
		return diag_set(d, -EINVAL, "%s: no token in its first line",
				path);
	(void)snprintf(header, sizeof(header), "Authorization: Bearer %s",
		       token);
	c->authorization = curl_slist_append(NULL, header);
	return c->authorization ? 0 : diag_set(d, -ENOMEM, "out of memory");
}

static void options_set(struct http_client *c, const struct http_engine *e)
{
	(void)curl_easy_setopt(c->curl, CURLOPT_NOSIGNAL, 1L);
	(void)curl_easy_setopt(c->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	(void)curl_easy_setopt(c->curl, CURLOPT_ERRORBUFFER, c->error);
	(void)curl_easy_setopt(c->curl, CURLOPT_WRITEFUNCTION, body_take);
	(void)curl_easy_setopt(c->curl, CURLOPT_WRITEDATA, c);
	(void)curl_easy_setopt(c->curl, CURLOPT_TIMEOUT_MS,
			       (long)(e->timeout_ns / NS_PER_MS));
	(void)curl_easy_setopt(c->curl, CURLOPT_USERAGENT,
			       "petrel-collector/" PETREL_VERSION);
	(void)curl_easy_setopt(c->curl, CURLOPT_TCP_KEEPALIVE, 1L);
	if (e->ca_file && e->ca_file[0])
		(void)curl_easy_setopt(c->curl, CURLOPT_CAINFO, e->ca_file);
}

/* An engine may answer at its root path but accept nothing there. NULL: out of
 * memory.
 */
static char *url_make(const struct http_engine *e)
{
	const char *host = strstr(e->url, "://");
	size_t len = strlen(e->url), end;
	char *url = NULL;

	end = host ? (size_t)(host - e->url) + 3 : len;
	end += strcspn(e->url + end, "/");
	if (!e->path || strspn(e->url + end, "/") != len - end)
		return strdup(e->url);
	return asprintf(&url, "%.*s%s", (int)end, e->url, e->path) < 0 ? NULL :
									 url;
}

int http_client_open(const struct http_engine *engine,
		     struct http_client **ret, struct diag *d)
{
	struct http_client *c = calloc(1, sizeof(*c));
	char shown[URL_SHOWN_MAX];
	int err;

	if (!c)
		return diag_set(d, -ENOMEM, "out of memory");
	c->curl = curl_easy_init();
	c->url = url_make(engine);
	if (!c->curl || !c->url)
		err = diag_set(d, -ENOMEM, "out of memory");
	else if (strncmp(c->url, "http://", 7) != 0 &&
		 strncmp(c->url, "https://", 8) != 0)
		err = diag_set(d, -EINVAL, "'%s' is not the URL of an engine; "
			       "expected http://... or https://...",
			       url_shown(c->url, shown));
	else
		err = token_read(c, engine->token_file ? engine->token_file :
				 "", d);
	if (err < 0) {
		http_client_close(c);
		return err;
	}
	options_set(c, engine);
	*ret = c;
	return 0;
}

static int authorities_check(const char *path, struct diag *d)
{
	char *pem;
	int err = http_file_read(path, &pem, d);

	if (err < 0)
		return err;
	err = certificates_check(pem, clock_wall_now(), d);
	free(pem);
	return err < 0 ? diag_prefix(d, err, "ca_file = %s", path) : 0;
}

int http_client_check(const struct http_engine *engine, const char **ret_key,
		      struct diag *d)
{
	bool has_token = engine->token_file && engine->token_file[0];
	struct http_client *c = NULL;
	int err;

	if (!engine->url[0])
		return 0;
	*ret_key = has_token ? "token_file" : "url";
	err = http_client_open(engine, &c, d);
	http_client_close(c);
	if (err < 0 || !engine->ca_file || !engine->ca_file[0])
		return err;
	*ret_key = "ca_file";
	return authorities_check(engine->ca_file, d);
}

void http_client_close(struct http_client *c)
{
	if (!c)
		return;
	curl_easy_cleanup(c->curl);
	curl_slist_free_all(c->authorization);
	free(c->url);
	free(c);
}

static int perform(struct http_client *c, const char *url,
		   struct http_answer *ret, struct diag *d)
{
	char shown[URL_SHOWN_MAX];
	long connects = 0;
	CURLcode rc;

	c->len = 0;
	c->error[0] = '\0';
	(void)curl_easy_setopt(c->curl, CURLOPT_URL, url);
	rc = curl_easy_perform(c->curl);
	c->body[c->len] = '\0';
	if (rc != CURLE_OK) {
		c->has_asked = true;
		return diag_set(d, -EAGAIN, "%s: %s", url_shown(url, shown),
				c->error[0] ? c->error :
					      curl_easy_strerror(rc));
	}
	(void)curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &ret->status);
	(void)curl_easy_getinfo(c->curl, CURLINFO_NUM_CONNECTS, &connects);
	ret->is_reconnected = connects > 0 && c->has_asked;
	ret->body = c->body;
	c->has_asked = true;
	return 0;
}

int http_post(struct http_client *c, const char *const *headers,
	      const void *body, size_t len, struct http_answer *ret,
	      struct diag *d)
{
	struct curl_slist *list = NULL;
	int err;

	if (c->authorization)
		list = curl_slist_append(list, c->authorization->data);
	for (; *headers; headers++)
		list = curl_slist_append(list, *headers);
	list = curl_slist_append(list, "Expect:");
	(void)curl_easy_setopt(c->curl, CURLOPT_POST, 1L);
	(void)curl_easy_setopt(c->curl, CURLOPT_POSTFIELDS, body);
	(void)curl_easy_setopt(c->curl, CURLOPT_POSTFIELDSIZE_LARGE,
			       (curl_off_t)len);
	(void)curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, list);
	err = perform(c, c->url, ret, d);
	(void)curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, NULL);
	curl_slist_free_all(list);
	return err;
}

int http_get(struct http_client *c, const char *path, struct http_answer *ret,
	     struct diag *d)
{
	const char *host = strstr(c->url, "://");
	size_t head = (size_t)(host - c->url) + 3;
	char *url = NULL;
	int err;

	head += strcspn(c->url + head, "/?#");
	if (asprintf(&url, "%.*s%s", (int)head, c->url, path) < 0)
		return diag_set(d, -EAGAIN, "out of memory");
	(void)curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, c->authorization);
	(void)curl_easy_setopt(c->curl, CURLOPT_HTTPGET, 1L);
	err = perform(c, url, ret, d);
	(void)curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, NULL);
	free(url);
	return err;
}

int http_refusal(const struct http_answer *a, struct diag *d)
{
	return diag_set(d, -EAGAIN, "status %ld: %.*s", a->status,
			(int)strcspn(a->body, "\r\n"), a->body);
}
