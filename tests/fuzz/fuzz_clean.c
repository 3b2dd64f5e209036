/* Octets of strangers through the one border that text has (C19). What comes
 * out is judged by a decoder of its own: valid UTF-8, nothing of it a control
 * or a character that turns the direction of writing, and clean already. The
 * first octet is the room.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/clean.h"
#include "tests/support/text_judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *room(size_t size)
{
	char *p = malloc(size);

	if (!p)
		abort();
	return p;
}

/* In so much room; what is clean already stays as it is. */
static void copied(const char *octets, size_t len, size_t cap)
{
	char *out = room(cap), *again = room(cap);

	clean_octets(out, cap, octets, len);
	assert(strlen(out) < cap && strlen(out) <= len);
	assert(text_is_clean(out));
	clean_text(again, cap, out);
	assert(strcmp(out, again) == 0);
	free(out);
	free(again);
}

/* Where it is: the same as with room for all. */
static void replaced(const char *octets, size_t len)
{
	char *whole = room(len + 1), *out = room(len + 1);

	memcpy(whole, octets, len);
	whole[len] = '\0';
	clean_in_place(whole);
	clean_octets(out, len + 1, octets, len);
	assert(strcmp(whole, out) == 0);
	free(whole);
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	copied((const char *)data + 1, size - 1, 1 + data[0]);
	replaced((const char *)data + 1, size - 1);
	return 0;
}
