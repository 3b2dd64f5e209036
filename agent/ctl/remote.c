#include "agent/ctl/remote.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "agent/base/array.h"
#include "agent/base/clean.h"
#include "agent/base/url.h"
#include "agent/query/message.h"
#include "petrel/local.h"

#define LIBRARY "libcurl-gnutls.so.4"
#define LIBRARY_ELSE "libcurl.so.4"
#define API "/api/v1/"
#define PACKED "application/x-protobuf"
#define BODY_MAX (64u << 20)
#define CONNECT_S 5L
#define ANSWER_S 60L
#define TOKEN_LINE_MAX 320

/* The library's functions that are used. */
#define CALLS(X)                                                              \
	X(curl_easy_init) X(curl_easy_setopt) X(curl_easy_perform)            \
	X(curl_easy_getinfo) X(curl_easy_cleanup) X(curl_easy_strerror)       \
	X(curl_slist_append) X(curl_slist_free_all)

struct curl_library {
	void *handle;
#define CALL_MEMBER(name) __typeof__(name) *name;
	CALLS(CALL_MEMBER)
};

/* The current question. */
struct remote {
	struct curl_library library;
	CURL *curl;
	struct curl_slist *fields;
	char *url;
	char *body;
	size_t len, cap;
	char error[CURL_ERROR_SIZE];
	long status;
};

static int library_load(struct curl_library *l, struct diag *d)
{
	l->handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!l->handle)
		l->handle = dlopen(LIBRARY_ELSE, RTLD_NOW | RTLD_LOCAL);
	if (!l->handle)
		return diag_set(d, -EOPNOTSUPP, "--collector needs the package "
				"libcurl3-gnutls: %s", dlerror());
#define CALL_LOAD(name)                                                       \
	*(void **)&l->name = dlsym(l->handle, #name);                         \
	if (!l->name)                                                         \
		return diag_set(d, -EOPNOTSUPP, "libcurl has no " #name);
	CALLS(CALL_LOAD)
	return 0;
}

/* --- the address ---------------------------------------------------------- */

/* Appends &name=value, with %XX for special characters; nothing for "". */
static void argument_put(FILE *out, const char *name, const char *value)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

	if (!value || !value[0])
		return;
	(void)fprintf(out, "&%s=", name);
	for (; *value; value++)
		if (strchr(plain, *value))
			(void)fputc(*value, out);
		else
			(void)fprintf(out, "%%%02X", (unsigned char)*value);
}

static char *url_make(const struct remote_place *p, const Petrel__Request *r)
{
	size_t len = strlen(p->url), cap;
	char *text = NULL, number[24];
	FILE *out = open_memstream(&text, &cap);

	if (!out)
		return NULL;
	while (len && p->url[len - 1] == '/')
		len--;
	(void)fprintf(out, "%.*s" API "%s?", (int)len, p->url, r->verb);
	for (size_t i = 0; i < r->n_args; i++)
		argument_put(out, "arg", r->args[i]);
	argument_put(out, "switch", p->switch_name);
	argument_put(out, "sort", r->sort);
	argument_put(out, "asic", r->asic);
	argument_put(out, "all", r->all ? "1" : "");
	(void)snprintf(number, sizeof(number), "%u", r->top);
	argument_put(out, "top", r->top ? number : "");
	(void)snprintf(number, sizeof(number), "%lldms",
		       (long long)r->since_ns / 1000000);
	argument_put(out, "since", r->since_ns ? number : "");
	return fclose(out) == 0 ? text : NULL;
}

/* --- the question --------------------------------------------------------- */

static size_t body_take(char *octets, size_t size, size_t count, void *context)
{
	struct remote *r = context;
	size_t n = size * count;
	char *moved;

	if (n > BODY_MAX - r->len)
		return 0;
	moved = array_room(r->body, &r->cap, r->len + n + 1, 1);
	if (!moved)
		return 0;
	r->body = moved;
	memcpy(r->body + r->len, octets, n);
	r->len += n;
	r->body[r->len] = '\0';
	return n;
}

static int field_add(struct remote *r, const char *text, struct diag *d)
{
	struct curl_slist *list =
		r->library.curl_slist_append(r->fields, text);

	if (!list)
		return diag_set(d, -ENOMEM, "no memory");
	r->fields = list;
	return 0;
}

static int token_add(struct remote *r, const char *file, struct diag *d)
{
	char field[TOKEN_LINE_MAX] = "Authorization: Bearer ";
	size_t len = strlen(field);
	FILE *f = fopen(file, "re");
	bool is_read;
	int err;

	if (!f)
		return diag_set(d, -errno, "%s: %s", file, strerror(errno));
	is_read = fgets(field + len, (int)(sizeof(field) - len), f) != NULL;
	(void)fclose(f);
	field[strcspn(field, "\r\n")] = '\0';
	if (!is_read || !field[len])
		return diag_set(d, -EINVAL, "%s: no token in its first line",
				file);
	err = field_add(r, field, d);
	explicit_bzero(field, sizeof(field));
	return err;
}

static void options_set(const struct remote *r)
{
	__typeof__(curl_easy_setopt) *set = r->library.curl_easy_setopt;
	const char *ca = getenv("CURL_CA_BUNDLE");

	(void)set(r->curl, CURLOPT_URL, r->url);
	(void)set(r->curl, CURLOPT_HTTPHEADER, r->fields);
	(void)set(r->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	(void)set(r->curl, CURLOPT_ERRORBUFFER, r->error);
	(void)set(r->curl, CURLOPT_WRITEFUNCTION, body_take);
	(void)set(r->curl, CURLOPT_WRITEDATA, r);
	(void)set(r->curl, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	(void)set(r->curl, CURLOPT_TIMEOUT, ANSWER_S);
	(void)set(r->curl, CURLOPT_NOSIGNAL, 1L);
	if (ca)
		(void)set(r->curl, CURLOPT_CAINFO, ca);
}

/* What each transport failure means. */
static int perform_failed(const struct remote *r, const char *url, CURLcode rc,
			  struct diag *d)
{
	const char *why = r->error[0] ? r->error :
					r->library.curl_easy_strerror(rc);
	int err = rc == CURLE_URL_MALFORMAT ||
		  rc == CURLE_UNSUPPORTED_PROTOCOL ? -EINVAL : -ECONNREFUSED;

	return diag_set(d, err, "%s: %s", url, why);
}

static int remote_get(struct remote *r, const struct remote_place *place,
		      const Petrel__Request *request, struct diag *d)
{
	int err = library_load(&r->library, d);
	char shown[URL_SHOWN_MAX];
	CURLcode rc;

	if (err < 0)
		return err;
	r->curl = r->library.curl_easy_init();
	r->url = url_make(place, request);
	if (!r->curl || !r->url)
		return diag_set(d, -ENOMEM, "no memory");
	err = field_add(r, "Accept: " PACKED, d);
	if (err == 0 && place->token_file)
		err = token_add(r, place->token_file, d);
	if (err < 0)
		return err;
	options_set(r);
	rc = r->library.curl_easy_perform(r->curl);
	if (rc != CURLE_OK)
		return perform_failed(r, url_shown(place->url, shown), rc, d);
	(void)r->library.curl_easy_getinfo(r->curl, CURLINFO_RESPONSE_CODE,
					   &r->status);
	return 0;
}

/* --- the answer ----------------------------------------------------------- */

static int answer_read(const struct remote *r, const char *url,
		       Petrel__Answer **ret, struct diag *d)
{
	char said[120];
	char *type = NULL;

	(void)r->library.curl_easy_getinfo(r->curl, CURLINFO_CONTENT_TYPE,
					   &type);
	if (!type || strcmp(type, PACKED) != 0) {
		clean_text(said, sizeof(said), r->body);
		return diag_set(d, r->status == 401 ? -EACCES : -EBADMSG,
				"%s: HTTP %ld: %s", url, r->status, said);
	}
	if (answer_unpack((const uint8_t *)r->body, r->len, ret) < 0)
		return diag_set(d, -EBADMSG, "%s: %zu octets are not an answer",
				url, r->len);
	if ((*ret)->version == LOCAL_VERSION)
		return 0;
	answer_unpacked_free(*ret);
	return diag_set(d, -EPROTO, "%s: an answer of another version of "
			"petrel-collector", url);
}

int remote_ask(const struct remote_place *place,
	       const Petrel__Request *request, Petrel__Answer **ret,
	       struct diag *d)
{
	struct remote r = { .curl = NULL };
	int err = remote_get(&r, place, request, d);
	char shown[URL_SHOWN_MAX];

	if (err == 0)
		err = answer_read(&r, url_shown(place->url, shown), ret, d);
	if (r.fields)
		r.library.curl_slist_free_all(r.fields);
	if (r.curl)
		r.library.curl_easy_cleanup(r.curl);
	if (r.library.handle)
		(void)dlclose(r.library.handle);
	free(r.url);
	free(r.body);
	return err;
}
