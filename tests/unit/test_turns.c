/* C21: what answers may cost, and whose is next; the clock is played. */
#include "agent/query/access.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define UID 1000
#define COST_NS (5 * NS_PER_MS)

static const struct turns_asker root = { 0, true, 1 };
static const struct turns_asker nobody = { 65534, false, 2 };
static const struct turns_asker guest = { UID, false, 3 };

/* Asks without end, one question after another; what was spent until end. */
static int64_t spend(struct turns *t, const struct turns_asker *a,
		     struct mono now, int64_t end_ns)
{
	int64_t spent = 0;

	while (now.ns < end_ns) {
		int64_t wait_ns = turns_wait_ns(t, a, now);

		if (wait_ns > 0) {
			now.ns += wait_ns;
			continue;
		}
		now.ns += COST_NS;
		turns_pay(t, a, COST_NS, now);
		spent += COST_NS;
	}
	return spent;
}

static void test_c21_one_uid_spends_its_share_and_no_more(void **state)
{
	struct mono now = { 77 };
	struct turns t;

	(void)state;
	turns_init(&t, now);
	assert_in_range(spend(&t, &nobody, now, 60 * NS_PER_S),
			60 * NS_PER_S / TURNS_UID_SHARE - COST_NS,
			60 * NS_PER_S / TURNS_UID_SHARE +
				TURNS_UID_BURST_NS + 2 * COST_NS);
}

static void test_c21_all_others_share_an_eighth(void **state)
{
	struct mono now = { 77 };
	int64_t spent[8] = { 0 }, all = 0;
	struct turns t;

	(void)state;
	turns_init(&t, now);
	while (now.ns < 60 * NS_PER_S) {
		struct turns_asker best = { 0 };
		bool any = false;

		for (uid_t i = 0; i < 8; i++) {
			struct turns_asker a = { UID + i, false, i };

			if (turns_wait_ns(&t, &a, now) > 0 ||
			    (any && !turns_before(&t, &a, &best)))
				continue;
			best = a;
			any = true;
		}
		now.ns += any ? COST_NS : NS_PER_MS;
		if (!any)
			continue;
		turns_pay(&t, &best, COST_NS, now);
		spent[best.uid - UID] += COST_NS;
		all += COST_NS;
	}
	assert_in_range(all, 60 * NS_PER_S / TURNS_OTHERS_SHARE * 9 / 10,
			60 * NS_PER_S / TURNS_OTHERS_SHARE +
				TURNS_OTHERS_BURST_NS + 2 * COST_NS);
	for (unsigned i = 0; i < 8; i++)	/* fair between them */
		assert_in_range(spent[i], all / 8 - 2 * COST_NS,
				all / 8 + 2 * COST_NS);
}

static void test_c21_nobody_starves_the_trusted(void **state)
{
	struct mono now = { 77 };
	struct turns t;

	(void)state;
	turns_init(&t, now);
	turns_pay(&t, &nobody, NS_PER_S, now);
	assert_true(turns_wait_ns(&t, &nobody, now) > 0);
	assert_true(turns_wait_ns(&t, &guest, now) > 0);
	assert_int_equal(turns_wait_ns(&t, &root, now), 0);
	assert_true(turns_before(&t, &root, &nobody));
	assert_false(turns_before(&t, &nobody, &root));
}

static void test_c21_who_was_served_longest_ago_is_next(void **state)
{
	struct turns_asker again = { 65534, false, 9 };
	struct mono now = { 77 };
	struct turns t;

	(void)state;
	turns_init(&t, now);
	assert_true(turns_before(&t, &nobody, &guest));	/* came first */
	turns_pay(&t, &nobody, 1, now);
	assert_true(turns_before(&t, &guest, &again));
	turns_pay(&t, &guest, 1, (struct mono){ 78 });
	assert_true(turns_before(&t, &again, &guest));
}

static void test_turns_purse_is_never_fuller_than_its_bound(void **state)
{
	struct mono now = { 77 }, later = { 77 + 3600 * NS_PER_S };
	struct turns t;

	(void)state;
	turns_init(&t, now);
	assert_int_equal(turns_wait_ns(&t, &nobody, later), 0);
	turns_pay(&t, &nobody, TURNS_UID_BURST_NS, later);
	assert_int_equal(turns_wait_ns(&t, &nobody, later), TURNS_UID_SHARE);
}

/* As many uids as there are: each is new, and the class still bounds them. */
static void test_c21_many_uids_spend_no_more_than_a_few(void **state)
{
	struct mono now = { 77 };
	struct turns t;
	unsigned served = 0;

	(void)state;
	turns_init(&t, now);
	for (uid_t uid = 1; uid < 1000; uid++) {
		struct turns_asker a = { uid, false, uid };

		if (turns_wait_ns(&t, &a, now) > 0)
			continue;
		turns_pay(&t, &a, COST_NS, now);
		served++;
	}
	assert_int_equal(served, TURNS_OTHERS_BURST_NS / COST_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c21_one_uid_spends_its_share_and_no_more),
		cmocka_unit_test(test_c21_all_others_share_an_eighth),
		cmocka_unit_test(test_c21_nobody_starves_the_trusted),
		cmocka_unit_test(test_c21_who_was_served_longest_ago_is_next),
		cmocka_unit_test(
			test_turns_purse_is_never_fuller_than_its_bound),
		cmocka_unit_test(test_c21_many_uids_spend_no_more_than_a_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
