/* Payloads of batches, two to an input: flags, length of the first, octets. */
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/decode.h"
#include "petrel/cursor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static int count(void *context, const struct decoded_column *c)
{
	for (uint32_t row = 0; row < c->count; row++)
		assert(c->entity[row] != 0 &&
		       c->quality[row] < SAMPLE_QUALITY_COUNT);
	*(uint64_t *)context += c->count;
	return 0;
}

static void batch(struct decoder *d, uint16_t flags, const uint8_t *octets,
		  size_t len)
{
	uint64_t given = 0;
	struct diag diag;
	int rc = decoder_batch(d, flags, octets, len, count, &given, &diag);

	assert(rc == 0 || rc == -EBADMSG || rc == -EAGAIN);
	assert(rc == 0 || given == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct cursor c = cursor_of(data, len);
	uint8_t flags = cursor_u8(&c);
	size_t first = cursor_be16(&c);
	size_t left = cursor_left(&c);
	const uint8_t *octets = cursor_bytes(&c, left);
	struct decoder *d;

	if (!octets || decoder_new(&d) < 0)
		return 0;
	if (first > left)
		first = left;
	batch(d, flags & 1, octets, first);
	batch(d, flags >> 1 & 1, octets + first, left - first);
	decoder_free(d);
	return 0;
}
