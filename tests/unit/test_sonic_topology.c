#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "platform/sonic/switchdb/cages.h"

static const struct table counters = { .object = OBJECT_PORT, .key = KEY_OID };
static const struct table dom = { .object = OBJECT_PORT, .of_module = true };

#define HANDLES 64

struct bed {
	struct platform_host host;
	struct topology t;
	uint32_t handles;
	enum entity_kind kind[HANDLES];
	int gone[HANDLES];
	unsigned gone_order[HANDLES], gone_count;
	char lanes[HANDLES][2][8];	/* the first, and how many; as told */
	int full;
};

static int on_entity(void *context, const struct entity_key *key, uint32_t *ret)
{
	struct bed *b = context;

	if (b->full)
		return -ENOSPC;
	assert_in_range(b->handles, 0, HANDLES - 2);
	*ret = ++b->handles;
	b->kind[*ret] = key->kind;
	return 0;
}

static void on_attribute(void *context, uint32_t handle, enum attribute which,
			 const char *text)
{
	struct bed *b = context;

	assert_int_not_equal(handle, ENTITY_NONE);
	if (which == ATTRIBUTE_FIRST_LANE || which == ATTRIBUTE_LANE_COUNT)
		(void)snprintf(b->lanes[handle][which == ATTRIBUTE_LANE_COUNT],
			       sizeof(b->lanes[handle][0]), "%s", text);
}

static void on_gone(void *context, uint32_t handle)
{
	struct bed *b = context;

	b->gone[handle]++;
	b->gone_order[b->gone_count++] = handle;
}

static void bed_init(struct bed *b)
{
	memset(b, 0, sizeof(*b));
	b->host = (struct platform_host){
		.context = b, .entity = on_entity,
		.attribute = on_attribute, .gone = on_gone,
	};
	topology_init(&b->t, &b->host, ENTITY_NONE);
}

/* "Ethernet0=12 Ethernet8=13": names with their ids. */
static void merge(struct bed *b, enum object_kind kind, const char *text,
		  bool complete, int64_t at_s)
{
	struct name_list l = { 0 };
	struct mono now = { at_s * NS_PER_S };

	while (*text) {
		size_t len = strcspn(text, "=");
		uint64_t oid = 0;

		for (const char *c = text + len + 1; *c >= '0' && *c <= '9';
		     c++)
			oid = 10 * oid + (uint64_t)(*c - '0');
		name_list_add(&l, text, len, oid);
		text += strcspn(text, " ");
		text += *text == ' ';
	}
	name_list_sort(&l);
	assert_int_equal(topology_merge(&b->t, kind, &l, complete, now), 0);
	name_list_free(&l);
}

static void test_topology_keeps_entities_when_ids_change(void **state)
{
	struct bed b;
	uint32_t handle;

	(void)state;
	bed_init(&b);
	merge(&b, OBJECT_PORT, "Ethernet0=10 Ethernet8=11", true, 1);
	topology_merged(&b.t);
	handle = topology_find(&b.t, OBJECT_PORT, "Ethernet8")->handle;
	merge(&b, OBJECT_PORT, "Ethernet0=11 Ethernet8=10", true, 2);
	topology_merged(&b.t);

	assert_int_equal(b.t.renumbered, 2);
	assert_int_equal(topology_find(&b.t, OBJECT_PORT, "Ethernet8")->oid,
			 10);
	assert_int_equal(topology_find(&b.t, OBJECT_PORT, "Ethernet8")->handle,
			 handle);
	assert_int_equal(b.gone_count, 0);

	/* a reload removes the map first: one comes back as it was */
	b.t.renumbered = 0;
	merge(&b, OBJECT_PORT, "", true, 3);
	topology_merged(&b.t);
	assert_int_equal(b.t.renumbered, 0);
	merge(&b, OBJECT_PORT, "Ethernet0=11 Ethernet8=12", true, 6);
	topology_merged(&b.t);
	assert_int_equal(b.t.renumbered, 1);
	/* … or CONFIG_DB alone has the names */
	merge(&b, OBJECT_PORT, "Ethernet0=0 Ethernet8=0", true, 7);
	merge(&b, OBJECT_PORT, "Ethernet0=13 Ethernet8=12", true, 8);
	assert_int_equal(b.t.renumbered, 2);
	topology_fini(&b.t);
}

/* A minute's look at the same names: the list stays where it is, and there is
 * no second one.
 */
static void test_topology_merged_again_takes_no_memory(void **state)
{
	static const char names[] = "Ethernet0=10 Ethernet8=11";
	const struct object *list;
	struct bed b;

	(void)state;
	bed_init(&b);
	merge(&b, OBJECT_PORT, names, true, 1);
	topology_merged(&b.t);
	list = b.t.set[OBJECT_PORT].list;
	for (int i = 1; i < 6; i++) {
		merge(&b, OBJECT_PORT, names, true, 1 + i * 60);
		topology_merged(&b.t);
		assert_ptr_equal(b.t.set[OBJECT_PORT].list, list);
		assert_null(b.t.set[OBJECT_PORT].other);
	}
	merge(&b, OBJECT_PORT, "Ethernet0=10", false, 400);
	topology_merged(&b.t);
	assert_ptr_equal(b.t.set[OBJECT_PORT].other, list);
	assert_int_equal(b.t.set[OBJECT_PORT].count, 2);
	topology_fini(&b.t);
}

static void test_names_of_one_id_are_found(void **state)
{
	struct name_list l = { 0 };
	const char *one = "", *other = "";

	(void)state;
	assert_false(name_list_twins(&l, &one, &other));
	name_list_add(&l, "Ethernet8", 9, 7);
	name_list_add(&l, "Ethernet0", 9, 9);
	name_list_add(&l, "Ethernet4", 9, 0);
	name_list_add(&l, "Ethernet5", 9, 0);	/* none is no id */
	assert_false(name_list_twins(&l, &one, &other));
	name_list_add(&l, "Ethernet3", 9, 7);
	assert_true(name_list_twins(&l, &one, &other));
	assert_string_equal(one, "Ethernet3");
	assert_string_equal(other, "Ethernet8");
	name_list_free(&l);
}

static void test_topology_holds_what_is_not_named_then_lets_it_go(void **state)
{
	struct bed b;
	int64_t hold_s = OBJECT_HOLD_NS / NS_PER_S;

	(void)state;
	bed_init(&b);
	merge(&b, OBJECT_PORT, "Ethernet0=10 Ethernet8=11", true, 1);
	merge(&b, OBJECT_QUEUE, "Ethernet0:0=20 Ethernet8:0=21", true, 1);
	topology_merged(&b.t);

	merge(&b, OBJECT_PORT, "Ethernet0=10", true, 2);
	merge(&b, OBJECT_QUEUE, "Ethernet0:0=20", true, 2);
	topology_merged(&b.t);
	assert_int_equal(b.gone_count, 0);
	assert_int_equal(topology_find(&b.t, OBJECT_PORT, "Ethernet8")->oid, 0);

	merge(&b, OBJECT_PORT, "Ethernet0=10", true, 3 + hold_s);
	merge(&b, OBJECT_QUEUE, "Ethernet0:0=20", true, 3 + hold_s);
	topology_merged(&b.t);
	assert_int_equal(b.gone_count, 1);	/* the queue goes with it */
	assert_int_equal(b.kind[b.gone_order[0]], ENTITY_PORT);
	assert_null(topology_find(&b.t, OBJECT_PORT, "Ethernet8"));
	assert_null(topology_find(&b.t, OBJECT_QUEUE, "Ethernet8:0"));
	assert_non_null(topology_find(&b.t, OBJECT_QUEUE, "Ethernet0:0"));
	topology_fini(&b.t);
}

static void test_topology_takes_nothing_away_on_half_an_answer(void **state)
{
	struct bed b;

	(void)state;
	bed_init(&b);
	merge(&b, OBJECT_PORT, "Ethernet0=10 Ethernet8=11", true, 1);
	topology_merged(&b.t);
	merge(&b, OBJECT_PORT, "", false, 100000);
	topology_merged(&b.t);
	assert_int_equal(b.t.set[OBJECT_PORT].count, 2);
	assert_int_equal(topology_find(&b.t, OBJECT_PORT, "Ethernet8")->oid,
			 11);
	topology_fini(&b.t);
}

static void test_topology_refuses_objects_without_a_port(void **state)
{
	struct bed b;

	(void)state;
	bed_init(&b);
	merge(&b, OBJECT_PORT, "Ethernet0=10", true, 1);
	merge(&b, OBJECT_QUEUE,
	      "Ethernet0:0=20 Ethernet0:x=21 Ethernet4:0=22 Ethernet0=23",
	      true, 1);
	topology_merged(&b.t);
	assert_int_equal(b.t.set[OBJECT_QUEUE].count, 1);
	topology_fini(&b.t);
}

static void test_topology_asks_again_for_what_had_no_room(
	void **state)
{
	struct object *target[4];
	struct bed b;
	const struct table *t = &counters;

	(void)state;
	bed_init(&b);
	b.full = 1;
	merge(&b, OBJECT_PORT, "Ethernet0=10", true, 1);
	assert_int_equal(topology_targets(&b.t, t, target, 4), 0);
	b.full = 0;
	merge(&b, OBJECT_PORT, "Ethernet0=10", true, 2);
	assert_int_equal(topology_targets(&b.t, t, target, 4), 1);
	topology_fini(&b.t);
}

static void place(struct bed *b, const char *name, const char *index,
		  const char *subport, const char *lanes)
{
	char text[PORT_TEXT_CORE + 1][ATTRIBUTE_TEXT_MAX];

	memset(text, 0, sizeof(text));
	strcpy(text[PORT_TEXT_INDEX], index);
	strcpy(text[PORT_TEXT_SUBPORT], subport);
	strcpy(text[PORT_TEXT_LANES], lanes);
	cages_port_place(&b->t, topology_find(&b->t, OBJECT_PORT, name),
			    (const char(*)[ATTRIBUTE_TEXT_MAX])text, true);
}

static void test_topology_reads_the_first_sub_port_of_a_cage_first(void **state)
{
	struct object *target[4];
	struct bed b;

	(void)state;
	bed_init(&b);
	merge(&b, OBJECT_PORT, "Ethernet0=1 Ethernet2=2 Ethernet9=3", true, 1);
	place(&b, "Ethernet0", "5", "2", "3,4");
	place(&b, "Ethernet2", "5", "1", "1,2");
	place(&b, "Ethernet9", "4", "0", "9");
	topology_merged(&b.t);
	assert_int_equal(topology_targets(&b.t, &dom,
					  target, 4), 3);
	assert_string_equal(target[0]->name, "Ethernet9");
	assert_string_equal(target[1]->name, "Ethernet2");
	assert_string_equal(target[2]->name, "Ethernet0");
	assert_ptr_equal(target[1]->port->cage, target[2]->port->cage);
	topology_fini(&b.t);
}

static void assert_lanes(struct bed *b, const char *name, const char *first,
			 const char *count)
{
	const struct object *o = topology_find(&b->t, OBJECT_PORT, name);

	assert_string_equal(b->lanes[o->handle][0], first);
	assert_string_equal(b->lanes[o->handle][1], count);
}

/* The number of lanes of two ports is not told, of which one shares a cage. */
static void test_topology_does_not_make_up_lanes(void **state)
{
	struct bed b;

	(void)state;
	bed_init(&b);
	merge(&b, OBJECT_PORT, "Ethernet0=1 Ethernet4=2 Ethernet8=3", true, 1);
	place(&b, "Ethernet0", "1", "1", "");
	place(&b, "Ethernet4", "1", "2", "5,6");
	place(&b, "Ethernet8", "2", "0", "");

	cages_lanes(&b.t);

	assert_lanes(&b, "Ethernet0", "", "0");
	assert_lanes(&b, "Ethernet4", "3", "2");
	assert_lanes(&b, "Ethernet8", "", "");
	topology_fini(&b.t);
}

static void test_oid_is_taken_only_as_sai_writes_it(void **state)
{
	static const char *const wrong[] = {
		"", "oid:", "oid:0x", "oid:0x0", "0x10", "oid:10",
		"oid:0x00ab", "oid:0xAB", "oid:0xg", "oid:0x1 ",
		"oid:0x11111111111111111",
	};
	uint64_t oid = 0;

	(void)state;
	assert_int_equal(oid_parse("oid:0x1000000000012", 19, &oid), 0);
	assert_int_equal(oid, 0x1000000000012);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(oid_parse(wrong[i], strlen(wrong[i]), &oid),
				 -EINVAL);
	assert_int_equal(oid, 0x1000000000012);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_topology_keeps_entities_when_ids_change),
		cmocka_unit_test(test_names_of_one_id_are_found),
		cmocka_unit_test(
			test_topology_holds_what_is_not_named_then_lets_it_go),
		cmocka_unit_test(
			test_topology_takes_nothing_away_on_half_an_answer),
		cmocka_unit_test(test_topology_refuses_objects_without_a_port),
		cmocka_unit_test(
			test_topology_asks_again_for_what_had_no_room),
		cmocka_unit_test(
			test_topology_reads_the_first_sub_port_of_a_cage_first),
		cmocka_unit_test(test_topology_does_not_make_up_lanes),
		cmocka_unit_test(test_oid_is_taken_only_as_sai_writes_it),
		cmocka_unit_test(test_topology_merged_again_takes_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
