/* A file of any octets: each is given once at most, as a record or as damage,
 * in order, and a record that is given is whole. With bit 0 of the first octet
 * the rest is put behind the header of a segment of the collector's.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agent/collect/follow.h"
#include "agent/ctl/dump.h"

#define ROOM 65536u

struct seen {
	const uint8_t *octets;
	size_t n, at, records;
	bool has_wrapped;	/* a ring's second piece */
};

static void from_see(void *context, const struct entry *e)
{
	(void)context;
	assert(strlen(e->switch_id) < SWITCH_NAME_MAX);
}

static void record_see(void *context, const struct record_header *h,
		       const uint8_t *payload)
{
	struct seen *s = context;
	size_t at = (size_t)(payload - s->octets);

	if (at < s->at) {
		assert(!s->has_wrapped);
		s->has_wrapped = true;
		s->at = 0;
	}
	assert(at >= s->at + RECORD_HEADER_LEN && at + h->length <= s->n);
	assert(h->stream < STREAM_COUNT && h->sequence > 0);
	s->at = at + h->length;
	s->records++;
}

static void damage_see(void *context, size_t at, size_t end, const char *why)
{
	struct seen *s = context;

	/* what a ring's file lacks is behind its end */
	assert(at < end && why[0] && (end <= s->n || at >= s->n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t octets[ROOM];
	struct writer w = writer_of(octets, sizeof(octets));
	struct seen s = { .octets = octets };
	const struct record_file_reader reader = { &s, from_see, record_see,
						   damage_see };

	if (size == 0 || size > ROOM - STORE_HEADER_LEN)
		return 0;
	if (data[0] & 1) {
		writer_be32(&w, STORE_MAGIC);
		writer_be16(&w, STORE_VERSION);
		writer_be16(&w, 0);
		writer_be64(&w, 1);
	}
	writer_bytes(&w, data + 1, size - 1);
	s.n = w.pos;
	assert(record_file_walk(octets, s.n, &reader) == s.records);
	return 0;
}
