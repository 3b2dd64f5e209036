#include "agent/ctl/packed.h"

#include <string.h>

const char *packed_by(const void *begin, size_t len)
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
