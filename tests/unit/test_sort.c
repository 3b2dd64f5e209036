#include "agent/base/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT_MAX 300

struct item {
	uint16_t key, twin;	/* always the same */
	char rest[7];
};

static int item_order(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Each count, with few keys and with many; qsort() is the judge. */
static void test_sort_orders_as_qsort_does(void **state)
{
	struct item mine[COUNT_MAX] = { { 0 } }, theirs[COUNT_MAX];
	uint32_t seed = 20251;

	(void)state;
	for (size_t n = 0; n <= COUNT_MAX; n++) {
		for (size_t i = 0; i < n; i++) {
			seed = seed * 1664525 + 1013904223;
			mine[i].key = (uint16_t)(seed >> 16) %
				      (n % 2 ? 10 : 60000);
			mine[i].twin = mine[i].key;
		}
		memcpy(theirs, mine, sizeof(mine));
		sort_in_place(mine, n, sizeof(mine[0]), item_order);
		qsort(theirs, n, sizeof(theirs[0]), item_order);
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(mine[i].key, theirs[i].key);
			assert_int_equal(mine[i].twin, mine[i].key);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sort_orders_as_qsort_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
