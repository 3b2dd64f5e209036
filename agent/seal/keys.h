/* C11: keys as text and in files. A key is 32 octets, as text the 44 characters
 * of base64. A file of secrets must be readable and writable by its owner only;
 * one that others may read is refused.
 *
 * Needs no libsodium, so that a configuration can be checked without it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "agent/seal/noise.h"
#include "petrel/diag.h"

#define KEY_TEXT_SIZE 45u	/* with its NUL */
#define KEYS_MAX 2u		/* for a collector that changes its key */
#define TOKEN_TEXT_SIZE 33u	/* for enrolment, with its NUL */

/* Base64 with its padding (RFC 4648, section 4) of n octets; n a multiple of
 * 3, or a key's.
 */
void key_base64(const uint8_t *octets, size_t n, char *ret);
/* Encodes a key as text. */
void key_text(const uint8_t key[static NOISE_KEY_LEN],
	      char ret[static KEY_TEXT_SIZE]);
/* Returns -EINVAL: no key, or spelt differently from key_text(). */
int key_parse(const char *text, size_t len, uint8_t ret[static NOISE_KEY_LEN]);

/* Where to look for a secret: in the configured file; else as NAME in the
 * folder of systemd's credentials; else as NAME in the folders, below the root.
 * Ends with NULL.
 */
struct key_place {
	int root_fd;
	const char *configured;		/* empty: no */
	const char *name;
	const char *const *folders;
};

/* Returns -ENOENT: nowhere; -EPERM: others may read it, or it has another
 * owner; -EINVAL: invalid content; another negative errno. d names the file and
 * the line.
 *
 * ret: up to KEYS_MAX secret keys, one a line; # begins a comment.
 */
int keys_read(const struct key_place *place,
	      uint8_t ret[static KEYS_MAX][NOISE_KEY_LEN], unsigned *ret_count,
	      struct diag *d);
/* The same for a file of one line: a token. */
int token_read(const struct key_place *place,
	       char ret[static TOKEN_TEXT_SIZE], struct diag *d);

/* Generates a secret key and writes it to a new file of mode 0600. Returns
 * -EEXIST if there is a file, which is never replaced.
 */
int key_file_make(int dir_fd, const char *path,
		  uint8_t ret[static NOISE_KEY_LEN], struct diag *d);
