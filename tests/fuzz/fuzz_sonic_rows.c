/* Rows of databases as they come and change: keys, fields and values of any
 * octets. Each octet of the input says what is done, the ones behind it with
 * what.
 */
#include <assert.h>
#include <string.h>

#include "platform/sonic/config/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void changed(void *context, const struct kept_row *row,
		    const char *field, const char *from, const char *to)
{
	unsigned *count = context;

	assert(row->key && strcmp(from, to) != 0);
	assert(!field || field[0]);
	(*count)++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rows rows = { .changed = changed };
	struct row_text text;
	char key[2] = "a";
	unsigned count = 0, seen = 0;

	rows.context = &count;
	row_text_clear(&text);
	for (size_t i = 0; i < size; i++) {
		uint8_t what = data[i] % 4;
		size_t len = data[i] / 4;

		if (len > size - i - 1)
			len = size - i - 1;
		if (what == 0)
			row_text_name(&text, (const char *)data + i + 1, len);
		else if (what == 1)
			row_text_value(&text, (const char *)data + i + 1, len);
		if (what < 2)
			i += len;
		key[0] = (char)('a' + len % 8);
		if (what == 2) {
			rows_take(&rows, key, len & 1, ++seen, &text);
			row_text_clear(&text);
		} else if (what == 3) {
			rows_sweep(&rows, len & 1, seen);
		}
		assert(rows.count <= 8 && rows.octets <= ROWS_OCTETS_MAX);
	}
	rows_free(&rows);
	return 0;
}
