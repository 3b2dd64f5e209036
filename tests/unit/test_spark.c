/* Sparklines beside what the switch said; and what slow sources told, which a
 * young reference group does not have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/ctl/past.h"
#include "agent/ctl/spark.h"
#include "tests/support/played.h"
#include "tests/support/quick.h"

#define SCENARIO                                                              \
	"switch name=spark ports=2 speed=400G lanes=4 media=DR4 fec=rs544 "   \
	"seed=3 queues=1 dom=20s\n"
#define TICKS 1200u		/* of them 900 are shown */
#define LANES 4u

/* The light of Ethernet0's weakest lane, and its temperature. */
struct extreme {
	struct {
		int64_t least, most;
	} light_pw, temp_mc;
};

#define EXTREME_NONE { { INT64_MAX, INT64_MIN }, { INT64_MAX, INT64_MIN } }
#define EXTREME_ADD(of, value) ((of).least = min64((of).least, (value)), \
				(of).most = max64((of).most, (value)))

static int64_t min64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t max64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void extreme_take(const struct played *p, struct extreme *n)
{
	uint32_t port = state_port_find(p->state, "Ethernet0");
	int64_t weakest = INT64_MAX;
	struct state_value v;

	for (unsigned i = 0; i < LANES; i++)
		if (state_value(p->state, state_port_lane(p->state, port, i),
				Q_LANE_RX_POWER_PW, 0, &v))
			weakest = min64(weakest, v.value);
	EXTREME_ADD(n->light_pw, weakest);
	if (state_value(p->state, state_port_module(p->state, port),
			Q_MODULE_TEMP_MC, 0, &v))
		EXTREME_ADD(n->temp_mc, v.value);
}

/* Plays it into rings of root's. */
static void small_make(struct played *p, const struct played_root *root,
		       size_t ring_octets)
{
	char path[96];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/scenario", root->path);
	f = fopen(path, "w");
	assert_non_null(f);
	(void)fputs(SCENARIO, f);
	assert_int_equal(fclose(f), 0);
	played_make(p, path, root->run_fd, ring_octets, true);
	assert_int_equal(remove(path), 0);
}

static char *printed(const struct sparks *s, const char *port)
{
	char *ret = NULL;
	size_t len;
	struct screen screen = { .out = open_memstream(&ret, &len),
				 .width = 80, .table_width = 80,
				 .is_plain = true };

	assert_non_null(screen.out);
	(void)sparks_port_print(s, &screen, port, false);
	assert_int_equal(fclose(screen.out), 0);
	return ret;
}

/* Its ends are of all readings; a column of the line keeps one of 45 s. */
static void test_lines_are_of_the_last_quarter_of_an_hour(void **state)
{
	struct extreme seen = EXTREME_NONE;
	char line[PLOT_SPARK_MAX], want[96], *text;
	struct screen screen = { .is_plain = true };
	struct played_root root;
	struct sparks *s;
	struct played p;

	(void)state;
	played_root_make(&root);
	small_make(&p, &root, 4u << 20);
	for (unsigned t = 0; t < TICKS; t++) {
		played_tick(&p, 1000);
		if (t + 900 >= TICKS)
			extreme_take(&p, &seen);
	}
	assert_int_equal(sparks_read(root.run_dir, &s), 0);
	text = printed(s, "Ethernet0");
	(void)snprintf(want, sizeof(want), "  %.2f dBm  %.2f dBm\n",
		       number_dbm(seen.light_pw.least),
		       number_dbm(seen.light_pw.most));
	if (!strstr(text, want))
		fail_msg("no %s in\n%s", want, text);
	(void)snprintf(want, sizeof(want), "  %.1f °C    %.1f °C\n",
		       (double)seen.temp_mc.least / 1e3,
		       (double)seen.temp_mc.most / 1e3);
	if (!strstr(text, want))
		fail_msg("no %s in\n%s", want, text);
	assert_true(sparks_line(s, &screen, "Ethernet0", SPARK_TEMPERATURE,
				line));
	assert_int_equal(strlen(line), PLOT_SPARK_COLUMNS);
	assert_null(strchr(line, ' '));
	assert_false(sparks_line(s, &screen, "Ethernet9", SPARK_LIGHT, line));
	free(text);
	sparks_free(s);
	played_free(&p);
	played_root_remove(&root);
}

/* At each of many moments, one of which is just behind a new reference. */
static void test_thresholds_are_known_behind_a_young_reference(void **state)
{
	struct played_root root;
	struct state_value v;
	struct played p;
	struct past past;
	struct diag d;

	(void)state;
	played_root_make(&root);
	small_make(&p, &root, RING_BYTES_MIN);
	for (unsigned t = 0; t < quick(TICKS, 500); t++) {
		uint32_t port;

		played_tick(&p, 1000);
		if (t < 200 || t % 10)
			continue;
		assert_int_equal(past_read(root.run_fd, true, &past, &d), 0);
		port = state_port_find(past.state, "Ethernet0");
		assert_true(state_value(past.state,
					state_port_module(past.state, port),
					Q_MODULE_TEMP_THRESHOLD_MC, 0, &v));
		past_fini(&past);
	}
	played_free(&p);
	played_root_remove(&root);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_are_of_the_last_quarter_of_an_hour),
		cmocka_unit_test(
			test_thresholds_are_known_behind_a_young_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
