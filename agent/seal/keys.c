#include "agent/seal/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/base/path.h"

#define FILE_OCTETS_MAX 4096u
#define OTHERS (S_IRWXG | S_IRWXO)
#define SECRET_MODE 0600

static const char alphabet[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* --- text ----------------------------------------------------------------- */

void key_base64(const uint8_t *octets, size_t n, char *ret)
{
	for (size_t at = 0; at < n; at += 3) {
		unsigned left = n - at < 3 ? (unsigned)(n - at) : 3;
		unsigned bits = 0;

		for (unsigned i = 0; i < 3; i++)
			bits = bits << 8 | (i < left ? octets[at + i] : 0);
		for (unsigned i = 0; i < 4; i++)
			*ret++ = i <= left ?
				 alphabet[bits >> (18 - 6 * i) & 63] : '=';
	}
	*ret = '\0';
}

void key_text(const uint8_t key[static NOISE_KEY_LEN],
	      char ret[static KEY_TEXT_SIZE])
{
	key_base64(key, NOISE_KEY_LEN, ret);
}

int key_parse(const char *text, size_t len, uint8_t ret[static NOISE_KEY_LEN])
{
	uint8_t key[NOISE_KEY_LEN + 1];
	char again[KEY_TEXT_SIZE];
	size_t n = 0;
	unsigned bits = 0;

	if (len != KEY_TEXT_SIZE - 1)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		const char *at = text[i] ? strchr(alphabet, text[i]) : NULL;

		if (!at && !(i == len - 1 && text[i] == '='))
			return -EINVAL;
		bits = bits << 6 | (at ? (unsigned)(at - alphabet) : 0);
		if (i % 4 != 3)
			continue;
		for (int shift = 16; shift >= 0; shift -= 8)
			key[n++] = (uint8_t)(bits >> shift);
		bits = 0;
	}
	key_text(key, again);
	n = memcmp(again, text, len) == 0;
	if (n)
		memcpy(ret, key, NOISE_KEY_LEN);
	explicit_bzero(key, sizeof(key));
	explicit_bzero(again, sizeof(again));
	return n ? 0 : -EINVAL;
}

/* --- files ---------------------------------------------------------------- */

/* A file with a secret, as read. */
struct secret {
	char path[PATH_MAX];
	size_t len;
	char text[FILE_OCTETS_MAX];
};

/* The service manager protects its folder of credentials and sets its modes. */
static int secret_fit(int fd, bool is_credential, const char *path,
		      struct diag *d)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return diag_set(d, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return diag_set(d, -EINVAL, "%s is not a file", path);
	if (is_credential)
		return 0;
	if (geteuid() != 0 && st.st_uid != geteuid())
		return diag_set(d, -EPERM, "%s belongs to uid %u; expected a "
				"file of uid %u, who reads it", path,
				(unsigned)st.st_uid, (unsigned)geteuid());
	if (st.st_mode & OTHERS)
		return diag_set(d, -EPERM, "%s has mode %04o; expected "
				"0600", path,
				(unsigned)st.st_mode & 07777);
	return 0;
}

/* Returns a descriptor, or -ENOENT. */
static int secret_open(const struct key_place *p, struct secret *s,
		       bool *ret_is_credential)
{
	const char *credentials = getenv("CREDENTIALS_DIRECTORY");
	int fd = -ENOENT;

	*ret_is_credential = false;
	if (p->configured[0]) {
		(void)snprintf(s->path, sizeof(s->path), "%s", p->configured);
		return path_open(p->root_fd, s->path, O_RDONLY | O_NONBLOCK);
	}
	if (credentials) {
		(void)snprintf(s->path, sizeof(s->path), "%s/%s", credentials,
			       p->name);
		fd = open(s->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0) {
			*ret_is_credential = true;
			return fd;
		}
		fd = -errno;
	}
	for (unsigned i = 0; fd == -ENOENT && p->folders[i]; i++) {
		(void)snprintf(s->path, sizeof(s->path), "%s/%s",
			       p->folders[i], p->name);
		fd = path_open(p->root_fd, s->path, O_RDONLY | O_NONBLOCK);
	}
	return fd;
}

static int secret_read(const struct key_place *p, struct secret *s,
		       struct diag *d)
{
	bool is_credential;
	int fd = secret_open(p, s, &is_credential), err;
	ssize_t n;

	if (fd < 0)
		return path_diag(d, p->root_fd, s->path, fd);
	err = secret_fit(fd, is_credential, s->path, d);
	n = err < 0 ? 0 : read(fd, s->text, sizeof(s->text));
	if (n < 0)
		err = diag_set(d, -errno, "%s: %s", s->path, strerror(errno));
	else if (n == sizeof(s->text))
		err = diag_set(d, -EFBIG, "%s: larger than %u octets", s->path,
			       FILE_OCTETS_MAX - 1);
	(void)close(fd);	/* only read */
	s->len = err < 0 ? 0 : (size_t)n;
	return err;
}

/* The next line that is not empty, without blanks at its ends; counts its
 * number on. False after the last.
 */
static bool line_next(const struct secret *s, size_t *at, unsigned *number,
		      const char **ret, size_t *ret_len)
{
	while (*at < s->len) {
		const char *line = s->text + *at;
		const char *end = memchr(line, '\n', s->len - *at);
		size_t len = end ? (size_t)(end - line) : s->len - *at;

		*at += len + 1;
		++*number;
		while (len > 0 && strchr(" \t\r", line[len - 1]))
			len--;
		while (len > 0 && strchr(" \t", *line)) {
			line++;
			len--;
		}
		*ret = line;
		*ret_len = len;
		if (len > 0 && *line != '#')
			return true;
	}
	return false;
}

static int keys_parse(const struct secret *s,
		      uint8_t ret[static KEYS_MAX][NOISE_KEY_LEN],
		      unsigned *ret_count, struct diag *d)
{
	unsigned number = 0, count = 0;
	size_t at = 0, len;
	const char *line;

	while (line_next(s, &at, &number, &line, &len)) {
		if (count == KEYS_MAX)
			return diag_set(d, -EINVAL, "%s:%u: a third key; "
					"expected one, or two while it is "
					"being changed", s->path, number);
		if (key_parse(line, len, ret[count]) < 0)
			return diag_set(d, -EINVAL, "%s:%u: not a key; "
					"expected the 44 characters of base64 "
					"that petrel keygen writes", s->path,
					number);
		count++;
	}
	if (count == 0)
		return diag_set(d, -EINVAL, "%s:%u: no key; expected the one "
					    "that petrel keygen writes",
				s->path, number ? number : 1);
	*ret_count = count;
	return 0;
}

int keys_read(const struct key_place *place,
	      uint8_t ret[static KEYS_MAX][NOISE_KEY_LEN], unsigned *ret_count,
	      struct diag *d)
{
	struct secret s = { .path = "" };
	int err = secret_read(place, &s, d);

	if (err == 0)
		err = keys_parse(&s, ret, ret_count, d);
	explicit_bzero(&s, sizeof(s));
	return err;
}

int token_read(const struct key_place *place,
	       char ret[static TOKEN_TEXT_SIZE], struct diag *d)
{
	struct secret s = { .path = "" };
	int err = secret_read(place, &s, d);
	unsigned number = 0;
	size_t at = 0, len;
	const char *line;

	if (err == 0 && (!line_next(&s, &at, &number, &line, &len) ||
			 len != TOKEN_TEXT_SIZE - 1))
		err = diag_set(d, -EINVAL, "%s:%u: not a token; expected the "
			       "%u characters that petrel-collector --enrol "
			       "prints", s.path, number ? number : 1,
			       TOKEN_TEXT_SIZE - 1);
	if (err == 0) {
		memcpy(ret, line, len);
		ret[len] = '\0';
	}
	explicit_bzero(&s, sizeof(s));
	return err;
}

static int secret_write(int fd, const uint8_t key[static NOISE_KEY_LEN])
{
	char text[KEY_TEXT_SIZE + 1];
	ssize_t n;

	key_text(key, text);
	text[KEY_TEXT_SIZE - 1] = '\n';
	n = write(fd, text, KEY_TEXT_SIZE);
	explicit_bzero(text, sizeof(text));
	if (n != KEY_TEXT_SIZE)
		return n < 0 ? -errno : -ENOSPC;
	return fsync(fd) < 0 ? -errno : 0;
}

int key_file_make(int dir_fd, const char *path,
		  uint8_t ret[static NOISE_KEY_LEN], struct diag *d)
{
	uint8_t key[NOISE_KEY_LEN];
	int fd = openat(dir_fd, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC |
			O_NOFOLLOW, SECRET_MODE), err = 0;

	if (fd < 0)
		return diag_set(d, -errno, "%s: %s", path, strerror(errno));
	if (getrandom(key, sizeof(key), 0) != (ssize_t)sizeof(key))
		err = -EIO;
	if (err == 0)
		err = secret_write(fd, key);
	if (close(fd) < 0 && err == 0)
		err = -errno;
	if (err < 0) {
		(void)unlinkat(dir_fd, path, 0);	/* half a key is none */
		return diag_set(d, err, "%s: %s", path, strerror(-err));
	}
	memcpy(ret, key, sizeof(key));
	explicit_bzero(key, sizeof(key));
	return 0;
}
