#include "agent/ctl/file_octets.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/array.h"

#define STEP (64u << 10)

/* Up to the first octet beyond max, which shows that the file is larger. */
static int stream_read(FILE *f, size_t max, uint8_t **ret, size_t *ret_len)
{
	size_t room = 0, n = STEP;

	*ret_len = 0;
	errno = 0;
	for (; n == STEP && *ret_len <= max; *ret_len += n) {
		uint8_t *grown = array_room(*ret, &room, *ret_len + STEP, 1);

		if (!grown)
			return -ENOMEM;
		*ret = grown;
		n = fread(*ret + *ret_len, 1, STEP, f);
	}
	if (ferror(f))
		return errno ? -errno : -EIO;
	return *ret_len > max ? -EFBIG : 0;
}

static bool is_input(const char *path)
{
	return strcmp(path, "-") == 0;
}

int file_octets(const char *path, size_t max, uint8_t **ret, size_t *ret_len)
{
	bool from_input = is_input(path);
	FILE *f = from_input ? stdin : fopen(path, "re");
	uint8_t *octets = NULL;
	int rc;

	if (!f)
		return -errno;
	rc = stream_read(f, max, &octets, ret_len);
	if (!from_input)
		(void)fclose(f);
	if (rc < 0)
		free(octets);
	else
		*ret = octets;
	return rc;
}

const char *file_label(const char *path)
{
	return is_input(path) ? "standard input" : path;
}

const char *file_packed_by(const void *begin, size_t len)
{
	static const char *const begins[][2] = {
		{ "gzip", "\x1f\x8b" }, { "zstd", "\x28\xb5\x2f\xfd" },
		{ "xz", "\xfd" "7zXZ" }, { "bzip2", "BZh" },
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		size_t n = strlen(begins[i][1]);

		if (len >= n && memcmp(begin, begins[i][1], n) == 0)
			return begins[i][0];
	}
	return NULL;
}
