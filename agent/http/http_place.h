/* Where an HTTP server listens and who may use it: its address, its socket, the
 * files of TLS, the token.
 */
#pragma once

#include <stdbool.h>
#include "petrel/diag.h"

#define HTTP_TEXT_MAX 512u
#define HTTP_TOKEN_MAX 256u

/* The settings. NULL and "" are the same. */
struct http_settings {
	const char *listen;	/* 127.0.0.1:9817, [::1]:9817, [::]:9817 */
	const char *vrf;	/* the device of a VRF */
	const char *cert_file, *key_file;	/* PEM; both or none: TLS */
	const char *token_file;	/* its first line: Authorization: Bearer ... */
	bool anybody;		/* no token for an address that is not local */
};

/* The same, in its own memory. */
struct http_place {
	char listen[HTTP_TEXT_MAX], vrf[32];
	char cert_file[HTTP_TEXT_MAX], key_file[HTTP_TEXT_MAX];
	char token_file[HTTP_TEXT_MAX];
	bool anybody;
};

/* The files' contents. */
struct http_secrets {
	char *cert, *key;	/* PEM; NULL: no TLS */
	char token[HTTP_TOKEN_MAX];	/* "": no token needed */
};

/* Checks what needs no files: the address, both or none of TLS, a token if one
 * is needed. Returns -EINVAL with d.
 */
int http_settings_check(const struct http_settings *settings, struct diag *d);

/* Copies the settings. Returns -ENAMETOOLONG with d. */
int http_place_of(const struct http_settings *settings, struct http_place *ret,
		  struct diag *d);

/* Reads the files; refuses one with wider access than it should have. */
int http_secrets_read(const struct http_place *p, struct http_secrets *ret,
		      struct diag *d);

/* Erases them. */
void http_secrets_fini(struct http_secrets *s);

/* A listening socket; *ret_port is its port. */
int http_place_listen(const struct http_place *p, int *ret_fd,
		      unsigned *ret_port, struct diag *d);

/* The path as a configuration has it: without the descriptor of its root, as
 * /proc/self/fd/3/, before it.
 */
const char *http_file_shown(const char *path);
/* A whole file, with a NUL after it; the caller frees it. */
int http_file_read(const char *path, char **ret, struct diag *d);

/* Checks the settings: the address is numeric, files can be read, the
 * certificate is valid now, a token is there if one is needed. Returns -EINVAL
 * or an error of a file, with d; *ret_key: the setting at fault, as listen.
 */
int http_place_check(const struct http_settings *settings, const char **ret_key,
		     struct diag *d);
