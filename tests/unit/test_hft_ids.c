#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/base/number.h"
#include "petrel/quantity.h"
#include "platform/sonic/hft/hft_settings.h"
#include "platform/sonic/meaning/tables.h"

static const char *const files[] = {
	[OBJECT_PORT] = "sai_port_stat_t.csv",
	[OBJECT_QUEUE] = "sai_queue_stat_t.csv",
	[OBJECT_GROUP] = "sai_ingress_priority_group_stat_t.csv",
	[OBJECT_POOL] = "sai_buffer_pool_stat_t.csv",
};

static struct hft_ids *built_in(void)
{
	struct hft_ids *ids = NULL;
	struct diag d = { "" };

	if (hft_ids_new(AT_FDCWD, NULL, &ids, &d) < 0)
		fail_msg("%s", d.text);
	return ids;
}

/* Old and new names of a number are one sample. */
static bool is_same_sample(const struct field *a, const struct field *b)
{
	return a && a->quantity == b->quantity && a->index == b->index &&
	       a->part == b->part;
}

/* Every field of a table that SAI's list names is found by SAI's number. */
static unsigned line_check(const struct hft_ids *ids, enum object_kind kind,
			   char *line)
{
	char *comma = strchr(line, ',');
	const char *digits = comma ? comma + 1 : "";
	const struct field *f;
	uint64_t number;

	if (!comma || number_parse_n(digits, strcspn(digits, ",\r\n"), 0,
				     UINT16_MAX, &number) < 0)
		return 0;		/* the head, and ends of ranges */
	*comma = '\0';
	f = hft_ids_find(ids, kind, (uint32_t)number);
	for (unsigned n = 0; n < tables_count(); n++) {
		const struct table *t = table_get(n);

		if (t->object != kind || t->key != KEY_OID)
			continue;
		for (unsigned i = 0; i < t->fields.count; i++) {
			if (strcmp(t->fields.list[i].name, line) != 0)
				continue;
			if (!is_same_sample(f, &t->fields.list[i]))
				fail_msg("%s is not number %u", line,
					 (unsigned)number);
			return 1;
		}
	}
	return 0;
}

static void test_hft_ids_are_those_of_sais_headers(void **state)
{
	const char *shared = getenv("PETREL_SHARED");
	struct hft_ids *ids = built_in();

	(void)state;
	for (unsigned k = 0; k < sizeof(files) / sizeof(files[0]); k++) {
		char path[512], line[256];
		unsigned known = 0;
		FILE *f;

		(void)snprintf(path, sizeof(path), "%s/data/sonic/%s",
			       shared ? shared : "../shared", files[k]);
		f = fopen(path, "r");
		if (!f) {
			print_message("SKIP no %s\n", path);
			hft_ids_free(ids);
			skip();
		}
		while (fgets(line, sizeof(line), f))
			known += line_check(ids, (enum object_kind)k, line);
		(void)fclose(f);
		assert_in_range(known, 13, 400);
	}
	hft_ids_free(ids);
}

/* Numbers as SONiC's documents give them. */
static void test_hft_ids_find_what_documents_say(void **state)
{
	static const struct {
		enum object_kind object;
		uint32_t number;
		enum quantity quantity;
		unsigned index, part;
	} rows[] = {
		{ OBJECT_PORT, 0, Q_IF_IN_OCTETS, 0, 0 },
		{ OBJECT_PORT, 13, Q_IF_OUT_ERRORS, 0, 0 },
		{ OBJECT_PORT, 91, Q_IN_OCCUPANCY_OCTETS, 0, 0 },
		{ OBJECT_PORT, 96, Q_OUT_WATERMARK_OCTETS, 0, 0 },
		{ OBJECT_PORT, 109, Q_PFC_RX_FRAMES, 0, 4 },
		{ OBJECT_PORT, 150, Q_PFC_TX_PAUSE_US, 0, 8 },
		{ OBJECT_PORT, 199, Q_FEC_CODEWORD_ERRORS, 16, 0 },
		{ OBJECT_PORT, 200, Q_FEC_CORRECTED_BITS, 0, 0 },
		{ OBJECT_QUEUE, 24, Q_QUEUE_OCCUPANCY_OCTETS, 0, 0 },
		{ OBJECT_QUEUE, 27, Q_QUEUE_WATERMARK_OCTETS, 0, 0 },
		{ OBJECT_QUEUE, 39, Q_QUEUE_DELAY_NS, 0, 0 },
		{ OBJECT_GROUP, 6, Q_PG_XOFF_OCCUPANCY_OCTETS, 0, 0 },
		{ OBJECT_POOL, 17, Q_POOL_ECN_MARKED_FRAMES, 0, 0 },
	};
	struct hft_ids *ids = built_in();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct field *f = hft_ids_find(ids, rows[i].object,
						     rows[i].number);

		assert_non_null(f);
		assert_int_equal(f->quantity, rows[i].quantity);
		assert_int_equal(f->index, rows[i].index);
		assert_int_equal(f->part, rows[i].part);
	}
	assert_null(hft_ids_find(ids, OBJECT_QUEUE, 4));
	assert_null(hft_ids_find(ids, OBJECT_QUEUE, 0x20000000));
	hft_ids_free(ids);
}

static void test_hft_ids_of_a_file_replace_those_of_its_objects(void **state)
{
	static const char text[] = "name,id_dec,id_hex\r\n"
				   "SAI_QUEUE_STAT_BYTES,99,0x63\r\n"
				   "SAI_QUEUE_STAT_OF_LATER,7,0x7\n"
				   "# a comment\n\n"
				   "SAI_QUEUE_STAT_PACKETS,0x64";
	struct hft_ids *ids = built_in();
	struct diag d = { "" };

	(void)state;
	assert_int_equal(hft_ids_parse(ids, text, strlen(text), &d), 0);
	assert_int_equal(hft_ids_find(ids, OBJECT_QUEUE, 99)->quantity,
			 Q_QUEUE_OCTETS);
	assert_int_equal(hft_ids_find(ids, OBJECT_QUEUE, 100)->quantity,
			 Q_QUEUE_FRAMES);
	assert_null(hft_ids_find(ids, OBJECT_QUEUE, 1));
	assert_null(hft_ids_find(ids, OBJECT_QUEUE, 7));
	assert_non_null(hft_ids_find(ids, OBJECT_PORT, 0));
	hft_ids_free(ids);
}

static void test_hft_ids_name_the_line_that_is_wrong(void **state)
{
	static const char *const wrong[] = {
		"\nSAI_QUEUE_STAT_BYTES", "\nSAI_QUEUE_STAT_BYTES,",
		"\nSAI_QUEUE_STAT_BYTES,-1", "\nSAI_QUEUE_STAT_BYTES,1x",
		"\nSAI_LANE_STAT_BYTES,1", "\nSAI_QUEUE_STAT_BYTES,4294967296",
		"\n,1",
	};
	struct hft_ids *ids = built_in();

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct diag d = { "" };

		assert_int_equal(hft_ids_parse(ids, wrong[i], strlen(wrong[i]),
					       &d), -EINVAL);
		assert_non_null(strstr(d.text, "line 2"));
	}
	hft_ids_free(ids);
}

static void test_hft_object_kinds_are_sais(void **state)
{
	enum object_kind kind = OBJECT_KIND_COUNT;

	(void)state;
	assert_true(hft_object_kind(21, &kind) && kind == OBJECT_QUEUE);
	assert_true(hft_object_kind(26, &kind) && kind == OBJECT_GROUP);
	assert_false(hft_object_kind(2, &kind));
	assert_false(hft_object_kind(0x20000001, &kind));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hft_ids_are_those_of_sais_headers),
		cmocka_unit_test(test_hft_ids_find_what_documents_say),
		cmocka_unit_test(
			test_hft_ids_of_a_file_replace_those_of_its_objects),
		cmocka_unit_test(test_hft_ids_name_the_line_that_is_wrong),
		cmocka_unit_test(test_hft_object_kinds_are_sais),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
