/* What the service manager hears, at times of the test's own. */
#include "agent/process/service.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#define CORE_PID 77
#define SENDER_PID 78
#define READER_PID 79

/* A manager that listens on a name without a file. */
struct manager {
	int fd;
	struct control *control;
	struct service service;
	char heard[1024];
};

static struct mono at_s(int64_t s)
{
	return (struct mono){ s * NS_PER_S };
}

/* All that was said since the last call, one line each. */
static const char *heard(struct manager *m)
{
	size_t used = 0;
	ssize_t n;

	while (used < sizeof(m->heard) - 2 &&
	       (n = recv(m->fd, m->heard + used, sizeof(m->heard) - 2 - used,
			 MSG_DONTWAIT)) > 0) {
		used += (size_t)n;
		m->heard[used++] = '\n';
	}
	m->heard[used] = '\0';
	return m->heard;
}

static void all_beat(struct manager *m, int64_t s)
{
	for (int r = ROLE_READER; r < ROLE_COUNT; r++)
		atomic_store(&m->control->process[r].heartbeat_ns,
			     at_s(s).ns);
}

static int set_up(void **state)
{
	struct manager *m = calloc(1, sizeof(*m));
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char name[64];
	socklen_t len;

	m->control = calloc(1, sizeof(*m->control));
	(void)snprintf(name, sizeof(name), "@petrel-service-%d", getpid());
	(void)snprintf(at.sun_path, sizeof(at.sun_path), "%s", name);
	at.sun_path[0] = '\0';
	len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
			  strlen(name));
	m->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(m->fd, (struct sockaddr *)&at, len), 0);
	assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
	assert_int_equal(setenv("WATCHDOG_USEC", "40000000", 1), 0);
	service_init(&m->service, m->control, at_s(1));
	atomic_store(&m->control->process[ROLE_CORE].pid, CORE_PID);
	atomic_store(&m->control->process[ROLE_SENDER].pid, SENDER_PID);
	atomic_store(&m->control->process[ROLE_READER].pid, READER_PID);
	atomic_store(&m->control->process[ROLE_EXPORTER].is_off, 1);
	all_beat(m, 1);
	*state = m;
	return 0;
}

static int tear_down(void **state)
{
	struct manager *m = *state;

	service_fini(&m->service);
	(void)close(m->fd);
	free(m->control);
	free(m);
	return 0;
}

static void serve(struct manager *m, int64_t s)
{
	atomic_store(&m->control->serving, CORE_PID);
	all_beat(m, s);
	service_tend(&m->service, at_s(s));
}

static void test_service_is_ready_only_when_the_core_answers(void **state)
{
	struct manager *m = *state;

	service_tend(&m->service, at_s(1));
	assert_null(strstr(heard(m), "READY=1"));
	assert_false(m->service.ready);
	serve(m, 2);
	assert_non_null(strstr(heard(m), "READY=1\n"));
	serve(m, 3);
	assert_null(strstr(heard(m), "READY=1"));
}

static void test_service_takes_no_answer_of_a_core_that_died(void **state)
{
	struct manager *m = *state;

	atomic_store(&m->control->serving, CORE_PID - 1);
	service_tend(&m->service, at_s(1));
	assert_null(strstr(heard(m), "READY=1"));
}

static void test_service_gives_signs_while_children_live(void **state)
{
	struct manager *m = *state;
	unsigned signs = 0;

	for (int64_t s = 1; s <= 100; s++) {
		serve(m, s);
		signs += strstr(heard(m), "WATCHDOG=1") != NULL;
	}
	assert_int_equal(signs, 10);	/* four in each 40 s */
}

static unsigned signs_from(struct manager *m, int64_t from, int64_t to)
{
	unsigned signs = 0;

	for (int64_t s = from; s < to; s++) {
		service_tend(&m->service, at_s(s));
		signs += strstr(heard(m), "WATCHDOG=1") != NULL;
	}
	return signs;
}

static void test_service_withholds_the_sign_from_a_silent_core(void **state)
{
	struct manager *m = *state;

	serve(m, 1);
	(void)heard(m);
	/* The heart stops at 1 s: that is noticed 30 s later, and is enough
	 * after 30 s more.
	 */
	assert_true(signs_from(m, 2, 61) > 0);
	assert_int_equal(signs_from(m, 62, 200), 0);
	serve(m, 201);
	assert_non_null(strstr(heard(m), "WATCHDOG=1"));
}

static void test_service_bears_a_reader_that_hangs(void **state)
{
	struct manager *m = *state;
	unsigned signs = 0;

	for (int64_t s = 1; s <= 200; s++) {
		all_beat(m, s);
		atomic_store(&m->control->process[ROLE_READER].heartbeat_ns,
			     at_s(1).ns);
		atomic_store(&m->control->serving, CORE_PID);
		service_tend(&m->service, at_s(s));
		signs += strstr(heard(m), "WATCHDOG=1") != NULL;
	}
	assert_int_equal(signs, 20);
}

static void test_service_says_who_does_not_run(void **state)
{
	struct manager *m = *state;

	serve(m, 1);
	assert_non_null(strstr(heard(m), "STATUS=watching and answering\n"));
	atomic_store(&m->control->process[ROLE_SENDER].pid, 0);
	service_tend(&m->service, at_s(2));
	assert_non_null(strstr(heard(m), "STATUS=sender is not running"));
	service_tend(&m->service, at_s(3));
	assert_null(strstr(heard(m), "STATUS="));
	atomic_store(&m->control->process[ROLE_SENDER].pid, SENDER_PID);
	atomic_store(&m->control->process[ROLE_EXPORTER].is_off, 0);
	service_tend(&m->service, at_s(4));
	assert_non_null(strstr(heard(m), "STATUS=exporter is not running"));
}

static void test_service_tells_of_a_reload_and_what_came_of_it(void **state)
{
	struct manager *m = *state;

	service_reloading(&m->service, at_s(5));
	assert_string_equal(heard(m), "RELOADING=1\nMONOTONIC_USEC=5000000\n");
	service_reloaded(&m->service, "petrel.conf:3: unknown key");
	assert_string_equal(heard(m),
			    "READY=1\nSTATUS=petrel.conf:3: unknown key\n");
}

static void test_service_keeps_the_manager_from_the_children(void **state)
{
	(void)state;
	assert_null(getenv("NOTIFY_SOCKET"));
	assert_null(getenv("WATCHDOG_USEC"));
}

static void test_service_is_silent_where_nobody_listens(void **state)
{
	static const char *const nowhere[] = { "", "relative", "@", "/nobody" };
	struct service s;
	struct control *control = calloc(1, sizeof(*control));

	(void)state;
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		assert_int_equal(setenv("NOTIFY_SOCKET", nowhere[i], 1), 0);
		assert_int_equal(setenv("WATCHDOG_USEC", "-3", 1), 0);
		service_init(&s, control, at_s(1));
		assert_int_equal(s.notify.fd, -1);
		assert_int_equal(s.notify.watchdog_ns, 0);
		service_tend(&s, at_s(2));
		service_fini(&s);
	}
	free(control);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_service_is_ready_only_when_the_core_answers),
		T(test_service_takes_no_answer_of_a_core_that_died),
		T(test_service_gives_signs_while_children_live),
		T(test_service_withholds_the_sign_from_a_silent_core),
		T(test_service_bears_a_reader_that_hangs),
		T(test_service_says_who_does_not_run),
		T(test_service_tells_of_a_reload_and_what_came_of_it),
		T(test_service_keeps_the_manager_from_the_children),
		cmocka_unit_test(test_service_is_silent_where_nobody_listens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
