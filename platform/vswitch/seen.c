#include "platform/vswitch/seen.h"

#include <string.h>

#define PRIME UINT64_C(0x9e3779b97f4a7c15)

/* Eight octets at a time: rows and memories are some thousands long. */
static uint64_t hash_of(const uint8_t *data, size_t len)
{
	uint64_t hash = PRIME ^ len, word;

	for (; len >= sizeof(word); len -= sizeof(word)) {
		memcpy(&word, data, sizeof(word));
		data += sizeof(word);
		hash = (hash ^ word) * PRIME;
		hash ^= hash >> 29;
	}
	word = 0;
	memcpy(&word, data, len);
	hash = (hash ^ word) * PRIME;
	hash ^= hash >> 32;
	return hash ? hash : 1;
}

bool seen_again(struct seen *s, const void *data, size_t len)
{
	uint64_t hash = hash_of(data, len);
	bool again = hash == s->hash;

	s->hash = hash;
	return again;
}
