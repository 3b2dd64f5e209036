/* The bit error ratio of windows whose time cannot be trusted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "agent/signature/ber.h"

/* 400 Gb/s at 1e-7, read now and then. */
struct reader {
	struct front front;
	struct ber ber;
	struct inputs k;
	double bits;
};

static void reader_start(struct reader *r)
{
	const struct port_facts facts = { .speed_mbps = 400000,
					  .fec = FEC_RS544 };

	memset(r, 0, sizeof(*r));
	front_start(&r->front);
	ber_start(&r->ber, &facts);
	r->k.t.ns = NS_PER_S;
}

/* The next reading, so long after the last, on a clock that ran otherwise. */
static void reader_read(struct reader *r, double seconds, double on_clock_s)
{
	r->bits += seconds * 425e9 * 1e-7;
	r->k.t.ns += (int64_t)(on_clock_s * NS_PER_S);
	inputs_set(&r->k, INPUT_OPER, OPER_UP);
	inputs_set(&r->k, INPUT_FEC_CORRECTED_BITS, (int64_t)r->bits);
	assert_true(front_take(&r->front, &r->k));
	ber_take(&r->ber, &r->front, &r->k, false);
}

static const enum input counters[] = {
	INPUT_FEC_CORRECTED_BITS, INPUT_FEC_UNCORRECTABLE_CW, INPUT_FEC_BIN,
	INPUT_FEC_CORRECTED_CW,
};

#define COUNTERS (sizeof(counters) / sizeof(counters[0]))

/* All of them are read at one time, each second; bits may not be among them. */
static void counters_read(struct reader *r, const int64_t *value, bool has_bits)
{
	for (size_t i = 0; i < COUNTERS; i++)
		inputs_set(&r->k, counters[i], value[i]);
	if (!has_bits)
		inputs_clear(&r->k, INPUT_FEC_CORRECTED_BITS);
	r->k.t.ns += NS_PER_S;
	inputs_set(&r->k, INPUT_OPER, OPER_UP);
	assert_true(front_take(&r->front, &r->k));
	ber_take(&r->ber, &r->front, &r->k, false);
}

/* Whichever of them goes back has restarted, and so have all. */
static void test_ber_a_counter_that_goes_back_has_restarted(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNTERS; i++) {
		int64_t value[COUNTERS] = { 0, 7, 0, 0 };
		struct reader r;

		reader_start(&r);
		for (int n = 0; n < 5; n++) {
			value[0] += 42500;
			value[2] += 78000000;
			value[3] += 40000;
			counters_read(&r, value, true);
			assert_false(r.ber.restarted);
		}
		assert_int_equal(r.ber.sum_ns, 4 * NS_PER_S);
		for (size_t n = 0; n < COUNTERS; n++)
			if (n == i)
				value[n] = 0;
			else if (counters[n] != INPUT_FEC_UNCORRECTABLE_CW)
				value[n] += 1000;
		counters_read(&r, value, true);
		assert_true(r.ber.restarted);
		assert_int_equal(r.ber.sum_ns, 0);
	}
}

/* Bits are the best that is counted: they are taken as soon as they come. */
static void test_ber_takes_the_best_source_at_once(void **state)
{
	int64_t value[COUNTERS] = { 0, 7, 0, 0 };
	struct reader r;

	(void)state;
	reader_start(&r);
	for (int n = 0; n < 10; n++) {
		value[0] += 42500;
		value[2] += 78000000;
		value[3] += 40000;
		inputs_set(&r.k, INPUT_FEC_SYMBOL_ERRORS, value[0]);
		counters_read(&r, value, n >= 5);
		assert_int_equal(r.ber.source, n < 5 ? BER_FROM_SYMBOLS :
						       BER_FROM_BITS);
	}
}

static void read_each(struct reader *r, double seconds, int times)
{
	for (int i = 0; i < times; i++)
		reader_read(r, seconds, seconds);
}

/* A minute's errors are not those of the ten seconds that a clock shows which
 * was set back in it.
 */
static void test_ber_leaves_out_what_a_clock_set_back_shows(void **state)
{
	struct reader r;

	(void)state;
	reader_start(&r);
	read_each(&r, 60, 30);
	assert_true(r.ber.closed);
	reader_read(&r, 60, 12);
	assert_false(r.ber.closed);
	reader_read(&r, 60, 60);
	assert_true(r.ber.closed);
	assert_float_equal(r.ber.log_ber, -7, 0.01);
}

/* Readings each second come early and late: a window has many. */
static void test_ber_takes_early_readings_where_they_are_many(void **state)
{
	struct reader r;

	(void)state;
	reader_start(&r);
	read_each(&r, 1, 60);
	for (int i = 0; i < 20; i++) {
		reader_read(&r, 0.3, 0.3);
		reader_read(&r, 1.7, 1.7);
		if (r.ber.closed)
			return;
	}
	fail();
}

/* One second, of which the module's gauge was read in the last, or not. */
static void line_read(struct reader *r, int64_t gauge_e18, bool is_new)
{
	r->k.dom_new = is_new;
	r->k.dom_t = r->k.t;
	memset(r->k.valid, 0, sizeof(r->k.valid));
	if (gauge_e18)
		inputs_set(&r->k, INPUT_VDM_BER_E18, gauge_e18);
	reader_read(r, 1, 1);
}

/* The switch counts the errors between itself and a coherent module; how its
 * line fares the module alone says, and not in each reading.
 */
static void test_ber_of_a_line_is_its_modules(void **state)
{
	struct port_facts facts = { .speed_mbps = 400000, .fec = FEC_RS544,
				    .media = "400G-ZR" };
	struct reader r;

	(void)state;
	reader_start(&r);
	ber_start(&r.ber, &facts);
	for (int i = 0; i < 30; i++)
		line_read(&r, 0, false);
	assert_float_equal(r.ber.log_ber, -7, 0.01);
	assert_ptr_equal(r.ber.code, fec_code_find(FEC_RS544));
	for (int i = 0; i < 600; i++) {
		bool is_new = i % 60 == 0;

		line_read(&r, is_new ? 3000000000000000 : 0, is_new);
		assert_int_equal(r.ber.closed, is_new);
	}
	assert_float_equal(r.ber.log_ber, -2.523, 0.01);
	assert_ptr_equal(r.ber.code, fec_code_of_line("400G-ZR"));
	/* One that does not tell it any more is watched by what there is. */
	for (int i = 0; i < 60; i++)
		line_read(&r, 0, true);
	assert_float_equal(r.ber.log_ber, -7, 0.01);
	assert_ptr_equal(r.ber.code, fec_code_find(FEC_RS544));
}

/* What was counted around falls is of no window of the module's gauge. */
static void test_ber_of_a_line_after_falls(void **state)
{
	struct port_facts facts = { .speed_mbps = 400000, .fec = FEC_RS544,
				    .media = "400G-ZR" };
	struct reader r;

	(void)state;
	reader_start(&r);
	ber_start(&r.ber, &facts);
	for (int i = 0; i < 30; i++) {
		line_read(&r, 0, false);
		inputs_set(&r.k, INPUT_LINK_DOWN_COUNT, i);
		reader_read(&r, 1, 1);
	}
	for (int i = 0; i < 120; i++)
		line_read(&r, 3000000000000000, true);
	assert_true(r.ber.log_ber > -2.6 && r.ber.log_ber < -2.5);
}

/* A gauge that has measured nothing yet shows 0, which is no level. */
static void test_ber_of_a_gauge_that_begins_at_0(void **state)
{
	struct port_facts facts = { .speed_mbps = 400000, .fec = FEC_NONE,
				    .media = "400G-ZR" };
	struct reader r;

	(void)state;
	reader_start(&r);
	ber_start(&r.ber, &facts);
	for (int i = 0; i < 60; i++) {
		r.k.dom_new = true;
		r.k.dom_t = r.k.t;
		memset(r.k.valid, 0, sizeof(r.k.valid));
		inputs_set(&r.k, INPUT_VDM_BER_E18,
			   i < 30 ? 0 : 3000000000000000);
		reader_read(&r, 1, 1);
		assert_int_equal(r.ber.closed, i >= 30);
	}
	assert_float_equal(r.ber.baseline.mean, -2.523, 0.01);
	assert_true(ber_learned(&r.ber));
}

/* A counter of 32 bits that begins anew when it is half full looks as if it
 * wrapped; the one beside it does not.
 */
static void test_ber_restarts_as_one(void **state)
{
	struct reader r;
	int64_t clean = 0;

	(void)state;
	reader_start(&r);
	r.bits = 1e9;
	for (int i = 0; i < 20; i++) {
		inputs_set(&r.k, INPUT_FEC_BIN, clean += 4687500000);
		r.bits += 60 * 425e9 * 2.9e-6;
		reader_read(&r, 60, 60);
	}
	assert_float_equal(r.ber.log_ber, -5.52, 0.01);
	r.bits = 0;
	inputs_set(&r.k, INPUT_FEC_BIN, clean = 1000);
	reader_read(&r, 60, 180);
	assert_false(r.ber.closed);
	assert_true(r.ber.restarted);
	inputs_set(&r.k, INPUT_FEC_BIN, clean += 4687500000);
	reader_read(&r, 60, 60);
	assert_float_equal(r.ber.log_ber, -7, 0.1);
}

/* Readings with so many decades more errors. */
static void read_worse(struct reader *r, double decades, int times)
{
	for (int i = 0; i < times; i++) {
		r->bits += 60 * 425e9 * 1e-7 * (pow(10, decades) - 1);
		reader_read(r, 60, 60);
	}
}

/* Noise adds up for ten minutes; then errors step up, and began then. Growth
 * began where it left the noise.
 */
static void test_ber_a_step_began_when_it_came(void **state)
{
	(void)state;
	for (int step = 0; step < 2; step++) {
		struct mono noise, began;
		struct reader r;

		reader_start(&r);
		read_each(&r, 60, 400);
		noise = r.ber.t;
		read_worse(&r, 0.1, 10);
		assert_true(r.ber.cusum.sum > 0);
		assert_int_equal(r.ber.since.ns, noise.ns);
		began = r.ber.t;
		for (int i = 0; i < 8; i++)
			read_worse(&r, step ? 2 : 0.3 + 0.3 * i, 1);
		assert_true(r.ber.loud);
		assert_int_equal(r.ber.since.ns, step ? began.ns : noise.ns);
		/* what goes on growing is no step */
		read_worse(&r, 4.2, 1);
		assert_int_equal(r.ber.since.ns, step ? r.ber.t.ns - 60 *
				 NS_PER_S : noise.ns);
		read_each(&r, 60, 60);
		assert_int_equal(r.ber.since.ns, r.ber.t.ns);
	}
}

/* Readings, of which so many show the same, as the source is slow. */
struct slow {
	struct reader r;
	double period_s, log_ber, bits, clean;
	unsigned times, n;
	bool has_clean, stops;
	double least, most;		/* log_ber of those that did since */
};

static void slow_start(struct slow *w, double period_s, unsigned times,
		       bool has_clean)
{
	*w = (struct slow){ .period_s = period_s, .times = times,
			    .log_ber = -7, .has_clean = has_clean };
	reader_start(&w->r);
	w->n = times / 2;		/* they were read some time ago */
	inputs_set(&w->r.k, INPUT_FEC_CORRECTED_BITS, 0);
}

static void slow_anew(struct slow *w)
{
	w->least = 0;
	w->most = -99;
}

static void slow_read(struct slow *w, unsigned readings)
{
	struct inputs *k = &w->r.k;

	while (readings--) {
		double sent = w->stops ? 0 : w->period_s * 425e9;

		w->bits += sent * pow(10, w->log_ber);
		w->clean += sent / 5440;
		k->t.ns += (int64_t)(w->period_s * NS_PER_S);
		if (!inputs_has(k, INPUT_OPER))
			inputs_set(k, INPUT_OPER, OPER_UP);
		if (w->n++ % w->times == 0) {
			inputs_set(k, INPUT_FEC_CORRECTED_BITS,
				   (int64_t)w->bits);
			if (w->has_clean)
				inputs_set(k, INPUT_FEC_BIN,
					   (int64_t)w->clean);
		}
		assert_true(front_take(&w->r.front, k));
		ber_take(&w->r.ber, &w->r.front, k, false);
		if (!w->r.ber.closed)
			continue;
		w->least = fmin(w->least, w->r.ber.log_ber);
		w->most = fmax(w->most, w->r.ber.log_ber);
	}
}

/* However often counters are read, a window has the errors of whole intervals:
 * none seems to have had no errors, none those of more time than its own.
 */
static void test_ber_of_a_source_that_is_slow(void **state)
{
	static const double period_s[] = { 1, 10, 60 };
	static const unsigned times[] = { 1, 2, 3, 10, 30 };

	(void)state;
	for (unsigned i = 0; i < 2 * 3 * 5; i++) {
		unsigned t = times[i / 2 % 5];
		struct slow w;

		slow_start(&w, period_s[i / 10], t, i % 2);
		slow_read(&w, 3 * t);
		slow_anew(&w);		/* what was learned until then … */
		slow_read(&w, 200 + 20 * t);
		assert_true(ber_learned(&w.r.ber));
		assert_float_equal(w.least, -7, 0.02);
		assert_float_equal(w.most, -7, 0.02);
		assert_float_equal(w.r.ber.baseline.mean, -7, 0.02);
		w.log_ber = -5;
		slow_read(&w, 10 + 2 * t);
		slow_anew(&w);
		slow_read(&w, 200 + 20 * t);
		assert_float_equal(w.least, -5, 0.02);
		assert_float_equal(w.most, -5, 0.02);
		assert_true(w.r.ber.loud);
	}
}

/* … nor did what came before the first change last as long as it seemed. */
static void test_ber_of_a_slow_source_at_first(void **state)
{
	struct slow w;

	(void)state;
	slow_start(&w, 10, 30, false);
	slow_anew(&w);
	slow_read(&w, 16);		/* 14 of no errors, and a change */
	assert_int_equal(w.r.ber.windows, 0);
	slow_read(&w, 29);
	assert_int_equal(w.r.ber.windows, 0);
	slow_read(&w, 1);
	assert_int_equal(w.r.ber.windows, 1);
	assert_float_equal(w.most, -7, 0.02);
	ber_counters_cleared(&w.r.ber);
	slow_anew(&w);
	slow_read(&w, 100);
	assert_float_equal(w.most, -7, 0.02);
	assert_float_equal(w.least, -7, 0.02);
}

/* A line may have no errors in most readings: that is measured at once, where
 * no more are usual, and so is what comes between.
 */
static void test_ber_of_a_line_without_errors(void **state)
{
	struct slow w;

	(void)state;
	slow_start(&w, 10, 1, false);
	w.log_ber = -99;
	slow_read(&w, 15);
	assert_true(ber_learned(&w.r.ber));
	assert_float_equal(w.r.ber.log_ber, -12.9, 0.1);
	slow_read(&w, 100);
	for (unsigned i = 0; i < 20; i++) {
		w.bits += 4250000;	/* 1e-6 for ten seconds */
		slow_read(&w, 1);
		assert_true(w.r.ber.closed);
		assert_float_equal(w.r.ber.log_ber, -6, 0.02);
		for (unsigned n = 0; n < 3 + i % 3 * 5; n++) {
			slow_read(&w, 1);
			assert_true(w.r.ber.closed);
			assert_true(w.r.ber.log_ber < -12);
		}
	}
}

/* The source of such a line may be slow as well: then each change comes after
 * as many readings as the one before.
 */
static void test_ber_of_a_slow_source_without_errors(void **state)
{
	struct slow w;

	(void)state;
	slow_start(&w, 10, 6, false);
	w.log_ber = -99;
	slow_read(&w, 600);
	w.log_ber = -6;
	slow_read(&w, 30);
	slow_anew(&w);
	slow_read(&w, 600);
	assert_float_equal(w.least, -6, 0.02);
	assert_float_equal(w.most, -6, 0.02);
}

/* Errors that were usual may end: in the end none are measured. */
static void test_ber_of_errors_that_end(void **state)
{
	struct slow w;

	(void)state;
	slow_start(&w, 10, 1, false);
	slow_read(&w, 100);
	w.log_ber = -99;
	slow_read(&w, 32);
	assert_float_equal(w.r.ber.log_ber, -7, 0.02);
	slow_read(&w, 1);
	assert_true(w.r.ber.log_ber < -12);
	assert_int_equal(w.r.ber.window_ns, 330 * NS_PER_S);
	slow_read(&w, 1);
	assert_true(w.r.ber.closed);
}

/* What was counted while the link was down belongs to no window, whenever it is
 * read; nor does a time in which the clock was set.
 */
static void test_ber_of_a_slow_source_leaves_out(void **state)
{
	for (unsigned i = 0; i < 4; i++) {
		struct slow w;

		(void)state;
		slow_start(&w, 10, 10, i % 2);
		slow_read(&w, 300);
		while (w.n % 10 != 2)
			slow_read(&w, 1);
		slow_anew(&w);
		if (i < 2) {
			inputs_set(&w.r.k, INPUT_OPER, OPER_DOWN);
			w.log_ber = -2;
			slow_read(&w, 2);
			inputs_set(&w.r.k, INPUT_OPER, OPER_UP);
			w.log_ber = -7;
		} else {
			w.r.k.t.ns += 3600 * NS_PER_S;
		}
		slow_read(&w, 200);
		assert_float_equal(w.least, -7, 0.02);
		assert_float_equal(w.most, -7, 0.02);
	}
}

/* A link was down for long: that its counters stood meanwhile tells nothing of
 * those that are read again so much later.
 */
static void test_ber_of_a_slow_source_after_an_outage(void **state)
{
	struct slow w;

	(void)state;
	slow_start(&w, 10, 30, false);
	slow_read(&w, 300);
	inputs_set(&w.r.k, INPUT_OPER, OPER_DOWN);
	w.log_ber = -99;
	slow_read(&w, 400);
	inputs_set(&w.r.k, INPUT_OPER, OPER_UP);
	w.log_ber = -7;
	slow_anew(&w);
	slow_read(&w, 600);
	assert_float_equal(w.least, -7, 0.02);
}

/* Counters may stop themselves: what they counted then tells how long they ran.
 */
static void test_ber_of_counters_that_stop(void **state)
{
	struct slow w;

	(void)state;
	slow_start(&w, 1, 1, true);
	slow_read(&w, 100);
	slow_anew(&w);
	w.stops = true;
	slow_read(&w, 600);
	assert_true(w.least > w.most);	/* no window closed */
	w.stops = false;
	slow_read(&w, 100);
	assert_float_equal(w.least, -7, 0.02);
	assert_float_equal(w.most, -7, 0.02);
}

/* They restart while they stand: the interval begins there. */
static void test_ber_of_a_slow_source_restarts(void **state)
{
	struct slow w;

	(void)state;
	slow_start(&w, 10, 10, false);
	slow_read(&w, 300);
	while (w.n % 10)
		slow_read(&w, 1);
	w.bits = 0;
	slow_read(&w, 1);
	assert_true(w.r.ber.restarted);
	slow_anew(&w);
	slow_read(&w, 100);
	assert_float_equal(w.least, -7, 0.02);
	assert_float_equal(w.most, -7, 0.02);
}

static void frames_read(struct reader *r, int64_t octets, int64_t errors)
{
	inputs_set(&r->k, INPUT_IN_OCTETS, octets);
	inputs_set(&r->k, INPUT_IN_ERRORS, errors);
	reader_read(r, 10, 10);
}

/* Without FEC, no window is of frames that were not read. */
static void test_ber_of_frames_of_a_slow_source(void **state)
{
	const struct port_facts facts = { .speed_mbps = 25000,
					  .fec = FEC_NONE };
	struct reader r;
	unsigned closed = 0;

	(void)state;
	reader_start(&r);
	ber_start(&r.ber, &facts);
	for (int i = 0; i < 300; i++) {
		frames_read(&r, i / 6 * 6000, i / 6 * 6);
		closed += r.ber.frames_closed;
		if (r.ber.frames_closed) {
			assert_float_equal(r.ber.codewords, 48000, 0.1);
			assert_float_equal(r.ber.lost_codewords, 6, 0.1);
			assert_int_equal(r.ber.window_ns, 60 * NS_PER_S);
		}
	}
	assert_in_range(closed, 47, 49);
	for (int i = 0; i < 40; i++)	/* nothing is received */
		frames_read(&r, 294000, 294);
	assert_true(r.ber.frames_closed);
	assert_float_equal(r.ber.codewords, 0, 0.1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_ber_leaves_out_what_a_clock_set_back_shows),
		cmocka_unit_test(test_ber_of_a_line_after_falls),
		cmocka_unit_test(test_ber_of_a_gauge_that_begins_at_0),
		cmocka_unit_test(test_ber_restarts_as_one),
		cmocka_unit_test(test_ber_a_step_began_when_it_came),
		cmocka_unit_test(
			test_ber_takes_early_readings_where_they_are_many),
		cmocka_unit_test(
			test_ber_a_counter_that_goes_back_has_restarted),
		cmocka_unit_test(test_ber_takes_the_best_source_at_once),
		cmocka_unit_test(test_ber_of_a_line_is_its_modules),
		cmocka_unit_test(test_ber_of_a_source_that_is_slow),
		cmocka_unit_test(test_ber_of_a_slow_source_at_first),
		cmocka_unit_test(test_ber_of_a_line_without_errors),
		cmocka_unit_test(test_ber_of_a_slow_source_without_errors),
		cmocka_unit_test(test_ber_of_errors_that_end),
		cmocka_unit_test(test_ber_of_a_slow_source_leaves_out),
		cmocka_unit_test(test_ber_of_a_slow_source_after_an_outage),
		cmocka_unit_test(test_ber_of_counters_that_stop),
		cmocka_unit_test(test_ber_of_a_slow_source_restarts),
		cmocka_unit_test(test_ber_of_frames_of_a_slow_source),
	};

	return cmocka_run_group_tests_name("ber", tests, NULL, NULL);
}
