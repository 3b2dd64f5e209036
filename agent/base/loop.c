#include "agent/base/loop.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#define EVENTS_PER_WAKE 32

struct loop_fd {
	int fd;			/* -1: free */
	uint32_t events;
	bool last;		/* after the others and the timers */
	loop_fd_fn *fn;
	void *context;
};

struct loop_timer {
	struct mono due;	/* INT64_MAX: stopped */
	int64_t period_ns;
	loop_timer_fn *fn;
	void *context;
};

struct loop {
	int epoll_fd;
	bool stopped;
	struct mono now;
	unsigned max_fds, max_timers, timer_count;
	struct loop_fd *fds;
	struct loop_timer *timers;
};

int loop_new(unsigned max_fds, unsigned max_timers, struct loop **ret)
{
	struct loop *l = calloc(1, sizeof(*l));
	int err = -ENOMEM;

	if (!l)
		return -ENOMEM;
	l->epoll_fd = -1;
	l->fds = calloc(max_fds, sizeof(*l->fds));
	l->timers = calloc(max_timers, sizeof(*l->timers));
	if (!l->fds || !l->timers)
		goto fail;
	for (unsigned i = 0; i < max_fds; i++)
		l->fds[i].fd = -1;
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	err = -errno;
	if (l->epoll_fd < 0)
		goto fail;
	l->max_fds = max_fds;
	l->max_timers = max_timers;
	l->now = clock_mono_now();
	*ret = l;
	return 0;
fail:
	loop_free(l);
	return err;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	if (l->epoll_fd >= 0)
		(void)close(l->epoll_fd);
	free(l->fds);
	free(l->timers);
	free(l);
}

static struct loop_fd *slot_find(struct loop *l, int fd)
{
	for (unsigned i = 0; i < l->max_fds; i++)
		if (l->fds[i].fd == fd)
			return &l->fds[i];
	return NULL;
}

int loop_fd_set(struct loop *l, int fd, uint32_t events, loop_fd_fn *fn,
		void *context)
{
	struct loop_fd *slot = slot_find(l, fd);
	bool is_new = !slot;
	struct epoll_event e = { .events = events };

	if (is_new)
		slot = slot_find(l, -1);
	if (!slot)
		return -ENOSPC;
	e.data.ptr = slot;
	if ((is_new || slot->events != events) &&
	    epoll_ctl(l->epoll_fd, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd,
		      &e) < 0)
		return -errno;
	*slot = (struct loop_fd){ .fd = fd, .events = events, .fn = fn,
				  .context = context,
				  .last = !is_new && slot->last };
	return 0;
}

void loop_fd_last(struct loop *l, int fd)
{
	struct loop_fd *slot = slot_find(l, fd);

	assert(fd >= 0 && slot);
	slot->last = true;
}

void loop_fd_remove(struct loop *l, int fd)
{
	struct loop_fd *slot = fd < 0 ? NULL : slot_find(l, fd);

	if (!slot)
		return;
	(void)epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	slot->fd = -1;
}

int loop_timer_add(struct loop *l, struct mono due, int64_t period_ns,
		   loop_timer_fn *fn, void *context)
{
	if (l->timer_count == l->max_timers)
		return -ENOSPC;
	l->timers[l->timer_count] = (struct loop_timer){
		.due = due, .period_ns = period_ns, .fn = fn,
		.context = context };
	return (int)l->timer_count++;
}

void loop_timer_at(struct loop *l, int timer, struct mono due,
		   int64_t period_ns)
{
	assert(timer >= 0 && (unsigned)timer < l->timer_count);
	l->timers[timer].due = due;
	l->timers[timer].period_ns = period_ns;
}

void loop_timer_stop(struct loop *l, int timer)
{
	loop_timer_at(l, timer, (struct mono){ INT64_MAX }, 0);
}

struct mono loop_now(const struct loop *l)
{
	return l->now;
}

int64_t loop_next_due_ns(int64_t due_ns, int64_t period_ns, int64_t now_ns)
{
	if (now_ns < due_ns)
		return due_ns;
	return due_ns + ((now_ns - due_ns) / period_ns + 1) * period_ns;
}

static void timer_fire(struct loop *l, struct loop_timer *t)
{
	int64_t due = t->due.ns;
	uint64_t skipped = 0;

	if (t->period_ns > 0) {
		t->due.ns = loop_next_due_ns(due, t->period_ns, l->now.ns);
		skipped = (uint64_t)((t->due.ns - due) / t->period_ns - 1);
	} else {
		t->due.ns = INT64_MAX;
	}
	t->fn(t->context, l->now, skipped);
}

static int wait_ms(const struct loop *l, int64_t timeout_ns)
{
	int64_t due = INT64_MAX, left;

	for (unsigned i = 0; i < l->timer_count; i++)
		if (l->timers[i].due.ns < due)
			due = l->timers[i].due.ns;
	left = due == INT64_MAX ? INT64_MAX : due - clock_mono_now().ns;
	if (timeout_ns >= 0 && timeout_ns < left)
		left = timeout_ns;
	if (left == INT64_MAX)
		return -1;
	if (left <= 0)
		return 0;
	left = (left + NS_PER_MS - 1) / NS_PER_MS;	/* never early */
	return left > 60000 ? 60000 : (int)left;
}

static void fds_call(struct loop *l, const struct epoll_event *events, int n,
		     bool last)
{
	for (int i = 0; i < n; i++) {
		struct loop_fd *slot = events[i].data.ptr;

		/* not removed by an earlier handler */
		if (slot->fd >= 0 && slot->last == last)
			slot->fn(slot->context, events[i].events, l->now);
	}
}

int loop_once(struct loop *l, int64_t timeout_ns)
{
	struct epoll_event events[EVENTS_PER_WAKE];
	int n = epoll_wait(l->epoll_fd, events, EVENTS_PER_WAKE,
			   wait_ms(l, timeout_ns));

	if (n < 0 && errno != EINTR)
		return -errno;
	l->now = clock_mono_now();
	fds_call(l, events, n, false);
	for (unsigned i = 0; i < l->timer_count; i++)
		if (l->timers[i].due.ns <= l->now.ns)
			timer_fire(l, &l->timers[i]);
	fds_call(l, events, n, true);
	return 0;
}

int loop_run(struct loop *l)
{
	int err = 0;

	while (!l->stopped && err == 0)
		err = loop_once(l, -1);
	return err;
}

void loop_stop(struct loop *l)
{
	l->stopped = true;
}
