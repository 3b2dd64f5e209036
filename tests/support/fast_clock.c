/* A day that passes sooner: preloaded, it has a program's clocks run FACTOR
 * times as fast, and its waits end so much earlier. Programs that are given the
 * same FAST_CLOCK live in one time.
 *
 * FAST_CLOCK=FACTOR,BEGIN[,END[,AHEAD]]: whole numbers; BEGIN is where
 * CLOCK_MONOTONIC stood, in ns, when all clocks were still right; from END on,
 * on the same clock, they run at their usual pace. AHEAD: ns by which the wall
 * clock was ahead at BEGIN, as after a boot in a time that runs faster. Clocks
 * of CPU time stay as they are.
 */
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NS 1000000000LL

typedef int clock_fn(clockid_t, struct timespec *);
typedef int epoll_fn(int, struct epoll_event *, int, int);
typedef int poll_fn(struct pollfd *, nfds_t, int);
typedef int sleep_fn(const struct timespec *, struct timespec *);
typedef int timer_fn(int, int, const struct itimerspec *, struct itimerspec *);

static int64_t factor = 1, begin_ns, end_ns, ahead_ns;
static clock_fn *real_clock;
static epoll_fn *real_epoll;
static poll_fn *real_poll;
static sleep_fn *real_sleep;
static timer_fn *real_timer;

__attribute__((constructor)) static void begin(void)
{
	const char *text = getenv("FAST_CLOCK");
	char *rest = NULL;

	*(void **)&real_clock = dlsym(RTLD_NEXT, "clock_gettime");
	*(void **)&real_epoll = dlsym(RTLD_NEXT, "epoll_wait");
	*(void **)&real_poll = dlsym(RTLD_NEXT, "poll");
	*(void **)&real_sleep = dlsym(RTLD_NEXT, "nanosleep");
	*(void **)&real_timer = dlsym(RTLD_NEXT, "timerfd_settime");
	if (text)
		factor = strtoll(text, &rest, 10);
	if (factor < 1)
		factor = 1;
	begin_ns = rest && *rest == ',' ? strtoll(rest + 1, &rest, 10) : 0;
	end_ns = rest && *rest == ',' ? strtoll(rest + 1, &rest, 10) :
					INT64_MAX / factor;
	ahead_ns = rest && *rest == ',' ? strtoll(rest + 1, NULL, 10) : 0;
}

static int64_t ns_of(const struct timespec *t)
{
	return t->tv_sec * NS + t->tv_nsec;
}

static struct timespec time_of(int64_t ns)
{
	return (struct timespec){ ns / NS, ns % NS };
}

static int64_t real_mono_ns(void)
{
	struct timespec t;

	(void)real_clock(CLOCK_MONOTONIC, &t);
	return ns_of(&t);
}

/* Of real time from now on, at most. */
static int64_t fast_left_ns(void)
{
	int64_t now = real_mono_ns();

	return now < end_ns ? end_ns - now : 0;
}

int clock_gettime(clockid_t id, struct timespec *ret)
{
	int rc = real_clock(id, ret);
	int64_t now;

	if (rc < 0 || id == CLOCK_PROCESS_CPUTIME_ID ||
	    id == CLOCK_THREAD_CPUTIME_ID)
		return rc;
	now = real_mono_ns();
	*ret = time_of(ns_of(ret) + (factor - 1) *
		       ((now < end_ns ? now : end_ns) - begin_ns) +
		       (id == CLOCK_REALTIME ? ahead_ns : 0));
	return 0;
}

int gettimeofday(struct timeval *restrict ret, void *restrict zone)
{
	struct timespec t;

	(void)zone;
	(void)clock_gettime(CLOCK_REALTIME, &t);
	*ret = (struct timeval){ t.tv_sec, t.tv_nsec / 1000 };
	return 0;
}

/* A wait in real time. */
static int64_t sooner_ns(int64_t ns)
{
	int64_t left = fast_left_ns();

	return ns / factor <= left ? ns / factor : ns - (factor - 1) * left;
}

/* Never early, as the kernel promises. */
static int sooner_ms(int ms)
{
	int64_t ns = ms <= 0 ? 0 : sooner_ns(ms * (NS / 1000));

	return ms <= 0 ? ms : (int)((ns + NS / 1000 - 1) / (NS / 1000));
}

int epoll_wait(int fd, struct epoll_event *event, int most, int ms)
{
	return real_epoll(fd, event, most, sooner_ms(ms));
}

int poll(struct pollfd *fd, nfds_t count, int ms)
{
	return real_poll(fd, count, sooner_ms(ms));
}

/* What is left over is told only to who asks, and nobody here does. */
int nanosleep(const struct timespec *want, struct timespec *left)
{
	struct timespec t = time_of(sooner_ns(ns_of(want)));

	return real_sleep(&t, left);
}

int usleep(useconds_t us)
{
	struct timespec t = time_of(us * 1000LL);

	return nanosleep(&t, NULL);
}

/* Of a time of CLOCK_MONOTONIC as it is told here. */
static int64_t real_of_ns(int64_t ns)
{
	int64_t fast = factor * (end_ns - begin_ns);

	return ns - begin_ns <= fast ? begin_ns + (ns - begin_ns) / factor :
				       end_ns + ns - begin_ns - fast;
}

/* Nobody here has one that goes off again and again. */
int timerfd_settime(int fd, int flags, const struct itimerspec *want,
		    struct itimerspec *was)
{
	int64_t ns = ns_of(&want->it_value);
	struct itimerspec t = { .it_value = time_of(
		ns == 0 ? 0 : flags & TFD_TIMER_ABSTIME ? real_of_ns(ns) :
							  sooner_ns(ns)) };

	return real_timer(fd, flags, &t, was);
}

static int64_t clock_ns(clockid_t id)
{
	struct timespec t;

	(void)clock_gettime(id, &t);
	return ns_of(&t);
}

/* By either clock: the one that is near the time. */
int pthread_cond_timedwait(pthread_cond_t *restrict cond,
			   pthread_mutex_t *restrict mutex,
			   const struct timespec *restrict until)
{
	int64_t by_mono = ns_of(until) - clock_ns(CLOCK_MONOTONIC);
	int64_t by_wall = ns_of(until) - clock_ns(CLOCK_REALTIME);
	int64_t left_ns = llabs(by_mono) < llabs(by_wall) ? by_mono : by_wall;
	struct timespec t = time_of(real_mono_ns() +
				    (left_ns > 0 ? sooner_ns(left_ns) : 0));

	return pthread_cond_clockwait(cond, mutex, CLOCK_MONOTONIC, &t);
}
