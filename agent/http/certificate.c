/* By GnuTLS, which is there wherever libmicrohttpd and libcurl are. */
#include "agent/http/certificate.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <gnutls/x509.h>

#define TLS_LIBRARY "libgnutls.so.30"
#define DATE_MAX 16

/* The library functions that are used. */
#define CALLS(X)                                                              \
	X(gnutls_x509_crt_list_import2) X(gnutls_x509_crt_deinit)             \
	X(gnutls_x509_crt_get_activation_time)                                \
	X(gnutls_x509_crt_get_expiration_time)

struct tls_library {
	void *handle;
#define CALL_MEMBER(name) __typeof__(name) *name;
	CALLS(CALL_MEMBER)
	gnutls_free_function *free;
};

struct certificates {
	struct tls_library library;
	gnutls_x509_crt_t *list;
	unsigned count;
};

static int library_load(struct tls_library *l, struct diag *d)
{
	l->handle = dlopen(TLS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!l->handle)
		return diag_set(d, -ENOENT, "TLS needs the package "
				"libgnutls30: %s", dlerror());
#define CALL_LOAD(name)                                                       \
	*(void **)&l->name = dlsym(l->handle, #name);                         \
	if (!l->name)                                                         \
		return diag_set(d, -ENOENT, TLS_LIBRARY " has no " #name);
	CALLS(CALL_LOAD)
	l->free = dlsym(l->handle, "gnutls_free");
	return l->free ? 0 : diag_set(d, -ENOENT, TLS_LIBRARY " has no "
				      "gnutls_free");
}

static void certificates_close(struct certificates *c)
{
	for (unsigned i = 0; i < c->count; i++)
		c->library.gnutls_x509_crt_deinit(c->list[i]);
	if (c->list)
		(*c->library.free)(c->list);
	if (c->library.handle)
		(void)dlclose(c->library.handle);
}

static int certificates_open(struct certificates *c, const char *pem,
			     struct diag *d)
{
	const gnutls_datum_t text = { (void *)(uintptr_t)pem,
				      (unsigned)strlen(pem) };
	int err = library_load(&c->library, d);

	if (err < 0)
		return err;
	err = c->library.gnutls_x509_crt_list_import2(&c->list, &c->count,
						      &text,
						      GNUTLS_X509_FMT_PEM, 0);
	if (err == GNUTLS_E_NO_CERTIFICATE_FOUND || (err >= 0 && !c->count))
		return diag_set(d, -EINVAL, "there is no certificate in it; "
				"expected one in PEM");
	return err < 0 ? diag_set(d, -EINVAL, "a certificate in it cannot be "
				  "read; expected PEM") : 0;
}

static int validity_judge(const struct certificates *c, unsigned i,
			  struct wall now, struct diag *d)
{
	time_t now_s = now.ns / NS_PER_S;
	time_t from = c->library.
		gnutls_x509_crt_get_activation_time(c->list[i]);
	time_t to = c->library.
		gnutls_x509_crt_get_expiration_time(c->list[i]);
	bool is_over = now_s > to;
	char date[DATE_MAX];
	struct tm tm;

	if (!is_over && now_s >= from)
		return 0;
	(void)gmtime_r(is_over ? &to : &from, &tm);
	(void)strftime(date, sizeof(date), "%Y-%m-%d", &tm);
	return diag_set(d, -EINVAL, is_over ? "the certificate expired on %s; "
			"expected one that is valid" : "the certificate is "
			"valid from %s on; expected one that is valid now",
			date);
}

int certificate_check(const char *pem, struct wall now, struct diag *d)
{
	struct certificates c = { .list = NULL };
	int err = certificates_open(&c, pem, d);

	if (err == 0)
		err = validity_judge(&c, 0, now, d);
	certificates_close(&c);
	return err;
}

int certificates_check(const char *pem, struct wall now, struct diag *d)
{
	struct certificates c = { .list = NULL };
	int err = certificates_open(&c, pem, d);
	bool is_valid = false;

	for (unsigned i = 0; i < c.count && err == 0; i++)
		is_valid |= validity_judge(&c, i, now, d) == 0;
	certificates_close(&c);
	return err < 0 || is_valid ? err : -EINVAL;
}
