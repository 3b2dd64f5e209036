/* Octets of a Redis socket through hiredis' reader and the functions of the
 * sonic driver into rows of its tables. The first octet picks the table, the
 * second how the octets are cut.
 */
#include <assert.h>
#include <string.h>

#include "platform/sonic/meaning/field.h"
#include "platform/sonic/redis/resp.h"
#include "platform/sonic/meaning/tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bed {
	struct field_index index;
	struct row row;
};

static int take_name(struct redis_query *q, const char *text, size_t len,
		     unsigned position)
{
	struct bed *b = q->context;

	return field_find(&b->index, text, len, position);
}

static void take_value(struct redis_query *q, int which, const char *text,
		       size_t len)
{
	struct bed *b = q->context;

	if ((unsigned)which < b->index.count)
		row_take(&b->row, &b->index, (unsigned)which, text, len);
}

static void row_check(const struct bed *b)
{
	unsigned present = 0;

	for (unsigned i = 0; i < b->index.count; i++)
		present += row_has(&b->row, i);
	assert(present == b->row.values);
	for (unsigned i = 0; i < FIELD_TEXTS_MAX; i++)
		assert(strnlen(b->row.text[i], ATTRIBUTE_TEXT_MAX) <
		       ATTRIBUTE_TEXT_MAX);
	(void)row_hash(&b->row, &b->index);
}

static void octets_read(struct reply_reader *r, struct bed *b,
			const uint8_t *data, size_t size, size_t step)
{
	const struct reply *reply;

	for (size_t at = 0; at < size; at += step) {
		size_t n = size - at < step ? size - at : step;
		int rc;

		if (reply_reader_feed(r, (const char *)data + at, n) < 0)
			return;
		while ((rc = reply_reader_next(r, &reply)) == 1) {
			row_check(b);
			row_clear(&b->row);
		}
		if (rc < 0)
			return;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct query_ops ops = { .name = take_name,
					      .value = take_value };
	const struct table *t;
	struct reply_reader reader;
	struct redis_query query;
	struct bed b;

	if (size < 2)
		return 0;
	t = table_get(data[0] % tables_count());
	memset(&b, 0, sizeof(b));
	if (field_index_init(&b.index, &t->fields) < 0)
		return 0;
	query = (struct redis_query){ .ops = &ops, .context = &b,
				      .pairs = t->whole };
	if (reply_reader_init(&reader) == 0) {
		reader.query = &query;
		octets_read(&reader, &b, data + 2, size - 2, data[1] + 1u);
		reply_reader_fini(&reader);
	}
	field_index_fini(&b.index);
	return 0;
}
