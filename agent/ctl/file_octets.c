#include "agent/ctl/file_octets.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST (64u << 10)

/* Room for one octet more than max shows whether the file is larger. */
static int octets_grow(uint8_t **octets, size_t *room, size_t max)
{
	size_t wanted = *room ? 2 * *room : ROOM_FIRST;
	uint8_t *grown;

	if (wanted > max + 1)
		wanted = max + 1;
	grown = realloc(*octets, wanted);
	if (!grown)
		return -ENOMEM;
	*octets = grown;
	*room = wanted;
	return 0;
}

static int stream_read(FILE *f, size_t max, uint8_t **ret, size_t *ret_len)
{
	size_t room = 0;
	int rc = 0;

	*ret_len = 0;
	errno = 0;
	while (rc == 0 && *ret_len == room && room <= max) {
		rc = octets_grow(ret, &room, max);
		if (rc == 0)
			*ret_len += fread(*ret + *ret_len, 1, room - *ret_len,
					  f);
	}
	if (rc == 0 && ferror(f))
		rc = errno ? -errno : -EIO;
	return rc == 0 && *ret_len > max ? -EFBIG : rc;
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
