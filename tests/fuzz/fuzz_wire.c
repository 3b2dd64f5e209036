/* Records, envelopes and positions of any octets. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "petrel/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* What was read writes itself again, octet for octet but for the reserved. */
static void record_again(const struct record_header *h, const uint8_t *payload)
{
	size_t len = RECORD_HEADER_LEN + h->length;
	uint8_t *octets = malloc(len);
	struct writer w = writer_of(octets, len);
	struct record_header back;
	const uint8_t *same;
	struct cursor c;

	record_write(&w, h, payload);
	assert(writer_ok(&w) && w.pos == len);
	c = cursor_of(octets, len);
	assert(record_read(&c, &back, &same) == 0);
	assert(back.sequence == h->sequence && back.last == h->last);
	free(octets);
}

/* The same, with the check that belongs to it. */
static void envelope_again(const struct envelope *e, const uint8_t *frame)
{
	uint8_t octets[ENVELOPE_LEN];
	struct writer w = writer_of(octets, sizeof(octets));

	envelope_write(&w, e, frame + ENVELOPE_LEN);
	assert(writer_ok(&w));
	if (e->version >= 2 && frame[6] == 0 && frame[7] == 0)
		assert(memcmp(octets, frame, sizeof(octets)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct cursor c = cursor_of(data, len);
	struct record_header h;
	struct positions p;
	const uint8_t *payload;
	struct envelope e;

	if (envelope_read(&c, &e) == 0) {
		assert(e.length == cursor_left(&c));
		envelope_again(&e, data);
	}
	c = cursor_of(data, len);
	(void)positions_read(&c, &p);
	c = cursor_of(data, len);
	while (record_read(&c, &h, &payload) == 0) {
		assert(payload + h.length <= data + len);
		record_again(&h, payload);
	}
	return 0;
}
