#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/loop.h"

#define MS NS_PER_MS

static void sleep_ms(long ms)
{
	struct timespec t = { .tv_sec = ms / 1000,
			      .tv_nsec = ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

struct seen {
	unsigned count;
	uint64_t skipped;
	struct mono first, last;
	struct loop *loop;
	int timer;
	uint32_t events;
};

static void on_timer(void *context, struct mono now, uint64_t skipped)
{
	struct seen *s = context;

	if (s->count++ == 0)
		s->first = now;
	s->last = now;
	s->skipped += skipped;
}

static void test_loop_next_due_is_a_multiple_past_now(void **state)
{
	(void)state;
	assert_int_equal(loop_next_due_ns(100, 10, 99), 100);
	assert_int_equal(loop_next_due_ns(100, 10, 100), 110);
	assert_int_equal(loop_next_due_ns(100, 10, 109), 110);
	assert_int_equal(loop_next_due_ns(100, 10, 110), 120);
	assert_int_equal(loop_next_due_ns(100, 10, 1234567), 1234570);
	assert_int_equal(loop_next_due_ns(-100, 10, -95), -90);
}

/* C5, and STYLE.md section 8: late wake-ups skip, are counted, never burst. */
static void test_loop_late_timer_skips_and_never_bursts(void **state)
{
	struct seen s = { 0 };
	struct mono start;

	(void)state;
	assert_int_equal(loop_new(1, 1, &s.loop), 0);
	start = clock_mono_now();
	s.timer = loop_timer_add(s.loop, start, 10 * MS, on_timer, &s);
	assert_int_equal(s.timer, 0);
	sleep_ms(55);			/* due at 0, 10, 20, 30, 40 and 50 */
	assert_int_equal(loop_once(s.loop, 0), 0);
	assert_int_equal(s.count, 1);
	assert_true(s.skipped >= 5);
	assert_int_equal(loop_once(s.loop, 0), 0);
	assert_true(s.count <= 2);	/* not six */
	loop_free(s.loop);
}

static void test_loop_deadlines_are_absolute(void **state)
{
	struct seen s = { 0 };
	struct mono start;

	(void)state;
	assert_int_equal(loop_new(1, 1, &s.loop), 0);
	start = clock_mono_now();
	(void)loop_timer_add(s.loop, (struct mono){ start.ns + 5 * MS },
			     5 * MS, on_timer, &s);
	while (s.last.ns < start.ns + 100 * MS) {
		sleep_ms(1);		/* the handler's own time */
		assert_int_equal(loop_once(s.loop, -1), 0);
	}
	/* Each period was served or counted: nothing drifted away. */
	assert_int_equal(s.count + s.skipped,
			 (uint64_t)mono_diff_ns(s.last, start) / (5 * MS));
	assert_true(mono_diff_ns(s.first, start) >= 5 * MS);
	loop_free(s.loop);
}

static void test_loop_timer_without_period_fires_once(void **state)
{
	struct seen s = { 0 };

	(void)state;
	assert_int_equal(loop_new(1, 2, &s.loop), 0);
	s.timer = loop_timer_add(s.loop, clock_mono_now(), 0, on_timer, &s);
	assert_int_equal(loop_once(s.loop, 0), 0);
	assert_int_equal(loop_once(s.loop, 0), 0);
	assert_int_equal(s.count, 1);
	loop_timer_at(s.loop, s.timer, clock_mono_now(), 0);
	assert_int_equal(loop_once(s.loop, 0), 0);
	assert_int_equal(s.count, 2);
	loop_timer_at(s.loop, s.timer, clock_mono_now(), MS);
	loop_timer_stop(s.loop, s.timer);
	sleep_ms(3);
	assert_int_equal(loop_once(s.loop, 0), 0);
	assert_int_equal(s.count, 2);
	assert_int_equal(loop_timer_add(s.loop, clock_mono_now(), 0, on_timer,
					&s), 1);
	assert_int_equal(loop_timer_add(s.loop, clock_mono_now(), 0, on_timer,
					&s), -ENOSPC);
	loop_free(s.loop);
}

static void on_fd(void *context, uint32_t events, struct mono now)
{
	struct seen *s = context;

	s->count++;
	s->events = events;
	assert_int_equal(loop_now(s->loop).ns, now.ns);
}

static void test_loop_watches_as_told_and_no_longer(void **state)
{
	struct seen s = { 0 };
	int fd = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
	int other = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);

	(void)state;
	assert_int_equal(loop_new(1, 1, &s.loop), 0);
	assert_int_equal(loop_fd_set(s.loop, fd, EPOLLIN, on_fd, &s), 0);
	assert_int_equal(loop_fd_set(s.loop, other, EPOLLIN, on_fd, &s),
			 -ENOSPC);
	assert_int_equal(loop_once(s.loop, 0), 0);
	assert_int_equal(s.events, EPOLLIN);
	assert_int_equal(loop_fd_set(s.loop, fd, 0, on_fd, &s), 0);
	assert_int_equal(loop_once(s.loop, 0), 0);
	assert_int_equal(s.count, 1);
	assert_int_equal(loop_fd_set(s.loop, fd, EPOLLIN | EPOLLOUT, on_fd, &s),
			 0);
	assert_int_equal(loop_once(s.loop, 0), 0);
	assert_int_equal(s.events, EPOLLIN | EPOLLOUT);
	loop_fd_remove(s.loop, fd);
	assert_int_equal(loop_fd_set(s.loop, other, EPOLLIN, on_fd, &s), 0);
	assert_int_equal(loop_once(s.loop, 0), 0);
	assert_int_equal(s.count, 3);
	close(fd);
	close(other);
	loop_free(s.loop);
}

/* Two are ready; the first that is served takes the other away. */
struct pair {
	struct loop *loop;
	int fd[2];
	unsigned served;
};

static void on_either(void *context, uint32_t events, struct mono now)
{
	struct pair *p = context;

	(void)events;
	(void)now;
	p->served++;
	loop_fd_remove(p->loop, p->fd[0]);
	loop_fd_remove(p->loop, p->fd[1]);
}

static void test_loop_does_not_serve_what_is_removed(void **state)
{
	struct pair p = { 0 };

	(void)state;
	assert_int_equal(loop_new(2, 1, &p.loop), 0);
	for (unsigned i = 0; i < 2; i++) {
		p.fd[i] = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
		assert_int_equal(loop_fd_set(p.loop, p.fd[i], EPOLLIN,
					     on_either, &p), 0);
	}
	assert_int_equal(loop_once(p.loop, 0), 0);
	assert_int_equal(p.served, 1);
	close(p.fd[0]);
	close(p.fd[1]);
	loop_free(p.loop);
}

static void on_stop(void *context, struct mono now, uint64_t skipped)
{
	(void)now;
	(void)skipped;
	loop_stop(context);
}

static void test_loop_runs_until_stopped(void **state)
{
	struct loop *l;

	(void)state;
	assert_int_equal(loop_new(1, 1, &l), 0);
	(void)loop_timer_add(l, clock_mono_now(), 0, on_stop, l);
	assert_int_equal(loop_run(l), 0);
	loop_free(l);
	loop_free(NULL);
}

struct order {
	char text[8];
	size_t n;
};

static void said_a(void *context, uint32_t events, struct mono now)
{
	struct order *o = context;

	(void)events;
	(void)now;
	o->text[o->n++] = 'a';
}

static void said_b(void *context, uint32_t events, struct mono now)
{
	struct order *o = context;

	(void)events;
	(void)now;
	o->text[o->n++] = 'b';
}

static void said_t(void *context, struct mono now, uint64_t skipped)
{
	struct order *o = context;

	(void)now;
	(void)skipped;
	o->text[o->n++] = 't';
}

/* Strangers have their turn when sampling has had its own. */
static void test_c21_loop_calls_the_last_behind_timers(void **state)
{
	int first = eventfd(1, EFD_CLOEXEC), second = eventfd(1, EFD_CLOEXEC);
	struct order o = { "", 0 };
	struct loop *l;

	(void)state;
	assert_int_equal(loop_new(4, 4, &l), 0);
	assert_int_equal(loop_fd_set(l, first, EPOLLIN, said_a, &o), 0);
	loop_fd_last(l, first);
	assert_int_equal(loop_fd_set(l, second, EPOLLIN, said_b, &o), 0);
	assert_true(loop_timer_add(l, (struct mono){ 0 }, 0, said_t, &o) >= 0);
	assert_int_equal(loop_once(l, 0), 0);
	assert_string_equal(o.text, "bta");
	/* It stays the last when what it waits for changes. */
	assert_int_equal(loop_fd_set(l, first, EPOLLIN | EPOLLHUP, said_a, &o),
			 0);
	assert_int_equal(loop_once(l, 0), 0);
	assert_string_equal(o.text, "btaba");
	loop_free(l);
	(void)close(first);
	(void)close(second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loop_next_due_is_a_multiple_past_now),
		cmocka_unit_test(test_loop_late_timer_skips_and_never_bursts),
		cmocka_unit_test(test_loop_deadlines_are_absolute),
		cmocka_unit_test(test_loop_timer_without_period_fires_once),
		cmocka_unit_test(test_loop_watches_as_told_and_no_longer),
		cmocka_unit_test(test_loop_does_not_serve_what_is_removed),
		cmocka_unit_test(test_c21_loop_calls_the_last_behind_timers),
		cmocka_unit_test(test_loop_runs_until_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
