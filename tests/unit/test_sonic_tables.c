#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "petrel/quantity.h"
#include "platform/sonic/meaning/counters.h"
#include "platform/sonic/meaning/tables.h"

static enum entity_kind kind_of(const struct table *t, unsigned part)
{
	static const enum entity_kind kinds[OBJECT_KIND_COUNT] = {
		[OBJECT_PORT] = ENTITY_PORT,
		[OBJECT_QUEUE] = ENTITY_QUEUE,
		[OBJECT_GROUP] = ENTITY_PRIORITY_GROUP,
		[OBJECT_POOL] = ENTITY_POOL,
		[OBJECT_GEARBOX_SYSTEM] = ENTITY_PORT,
		[OBJECT_GEARBOX_LINE] = ENTITY_PORT,
		[OBJECT_TEMPERATURE ... OBJECT_CARD_CURRENT] = ENTITY_SENSOR,
		[OBJECT_SWITCH] = ENTITY_SWITCH,
		[OBJECT_CHIP] = ENTITY_SWITCH,
		[OBJECT_LAG_MEMBER] = ENTITY_PORT,
		[OBJECT_VOQ] = ENTITY_QUEUE,
		[OBJECT_FABRIC_PORT] = ENTITY_FABRIC_PORT,
	};

	if (t->of_module)
		return part ? ENTITY_LANE : ENTITY_MODULE;
	return part ? ENTITY_PRIORITY : kinds[t->object];
}

static void test_c01_fields_belong_to_their_quantitys_entities(
	void **state)
{
	(void)state;
	for (unsigned n = 0; n < tables_count(); n++) {
		const struct table *t = table_get(n);
		struct field_index x;

		assert_int_equal(field_index_init(&x, &t->fields), 0);
		for (unsigned i = 0; i < x.count; i++) {
			const struct field *f = &x.fields[i];
			const struct quantity_info *q =
				quantity_find(field_quantity(&x, f));

			if (f->form == FIELD_LONG_TEXT)
				continue;
			if (f->form == FIELD_TEXT) {
				assert_in_range(f->index, 0,
						FIELD_TEXTS_MAX - 1);
				continue;
			}
			if (!q || q->scope != kind_of(t, f->part))
				fail_msg("%s: %s has no quantity of its kind",
					 t->name, f->name);
		}
		field_index_fini(&x);
	}
}

static void test_fields_are_named_once_and_parts_stand_together(void **state)
{
	(void)state;
	for (unsigned n = 0; n < tables_count(); n++) {
		const struct table *t = table_get(n);
		const struct field *list = t->fields.list;

		assert_in_range(t->fields.count, 1, FIELDS_MAX);
		for (unsigned i = 1; i < t->fields.count; i++)
			assert_true(list[i].part >= list[i - 1].part);
		for (unsigned i = 0; i < t->fields.count; i++)
			for (unsigned j = 0; j < i; j++)
				if (list[i].name[0] &&
				    strcmp(list[i].name, list[j].name) == 0)
					fail_msg("%s: %s stands twice",
						 t->name, list[i].name);
	}
}

/* SAI's second name of the first of a row. */
static bool is_alias(const struct field *f)
{
	return strstr(f->name, "DROP_REASON_RANGE_BASE") != NULL;
}

static void test_no_two_fields_are_the_same_sample(void **state)
{
	const struct table *t = &counters_tables.list[0];

	(void)state;
	for (unsigned i = 0; i < t->fields.count; i++)
		for (unsigned j = 0; j < i; j++) {
			const struct field *a = &t->fields.list[i];
			const struct field *b = &t->fields.list[j];

			if (a->quantity == b->quantity &&
			    a->index == b->index && a->part == b->part &&
			    !is_alias(a) && !is_alias(b))
				fail_msg("%s and %s are one sample", a->name,
					 b->name);
		}
}

/* The name's own number is the index: …_S0 to …_S16. */
static void test_fec_histogram_has_all_bins(void **state)
{
	const struct table *t = &counters_tables.list[0];
	uint32_t seen = 0;

	(void)state;
	for (unsigned i = 0; i < t->fields.count; i++) {
		const struct field *f = &t->fields.list[i];
		char name[64] = "SAI_PORT_STAT_IF_IN_FEC_CODEWORD_ERRORS_S";
		size_t n = strlen(name);

		if (f->quantity != Q_FEC_CODEWORD_ERRORS)
			continue;
		if (f->index >= 10)
			name[n++] = (char)('0' + f->index / 10);
		name[n] = (char)('0' + f->index % 10);
		assert_string_equal(f->name, name);
		seen |= 1u << f->index;
	}
	assert_int_equal(seen, (1u << 17) - 1);
}

/* Every SAI statistic that quantity.def speaks of is read from somewhere. */
static void test_every_sai_quantity_is_read(void **state)
{
	size_t count;
	const struct quantity_info *all = quantity_table(&count);

	(void)state;
	for (size_t q = 0; q < count; q++) {
		bool found = false;

		if (!strstr(all[q].help, "SAI_"))
			continue;
		for (unsigned n = 0; n < tables_count(); n++) {
			const struct table *t = table_get(n);
			const struct field *list = t->fields.list;

			for (unsigned i = 0; i < t->fields.count; i++)
				found |= list[i].quantity == all[q].id;
		}
		if (!found)
			fail_msg("no table reads %s", all[q].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_c01_fields_belong_to_their_quantitys_entities),
		cmocka_unit_test(
			test_fields_are_named_once_and_parts_stand_together),
		cmocka_unit_test(test_no_two_fields_are_the_same_sample),
		cmocka_unit_test(test_fec_histogram_has_all_bins),
		cmocka_unit_test(test_every_sai_quantity_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
