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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t cap = size ? 1 + data[0] : 1, len = size ? size - 1 : 0;
	char *out = malloc(cap), *again = malloc(cap), *whole = malloc(len + 1);

	if (!out || !again || !whole)
		abort();
	clean_octets(out, cap, (const char *)data + (size ? 1 : 0), len);
	assert(strlen(out) < cap && strlen(out) <= len);
	assert(text_is_clean(out));
	clean_text(again, cap, out);
	assert(strcmp(out, again) == 0);
	memcpy(whole, data + (size ? 1 : 0), len);
	whole[len] = '\0';
	clean_in_place(whole);
	assert(text_is_clean(whole));
	assert(strncmp(whole, out, strlen(out)) == 0);
	free(out);
	free(again);
	free(whole);
	return 0;
}
