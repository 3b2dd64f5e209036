/* Lists of lanes and words as a database may hold them. The first octet picks
 * what the rest is read as.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "platform/sonic/meaning/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lanes l;
	int64_t value = 0;
	char *text;

	if (size < 2)
		return 0;
	text = malloc(size - 1);	/* of just that length */
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	if (lanes_parse((enum lanes_kind)(data[0] % (LANES_SNR + 1)), text,
			size - 1, &l) == 0) {
		assert(l.present != 0);
		for (unsigned i = 0; i < LANES_MAX; i++)
			assert(!(l.present >> i & 1) || l.value[i] >= 0);
	}
	if (words_parse((enum words)(data[0] % WORDS_COUNT), text, size - 1,
			&value) == 0)
		assert(value >= 0 && value < 64);
	free(text);
	return 0;
}
