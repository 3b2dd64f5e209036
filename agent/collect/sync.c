#include "agent/collect/sync.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum sync_state { SYNC_IDLE, SYNC_ASKED, SYNC_ENDED, SYNC_STOP };

struct sync {
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	enum sync_state state;
	int fd, dir_fd, event_fd;
	int result;
};

static int job_do(int fd, int dir_fd)
{
	int err = fdatasync(fd) < 0 ? -errno : 0;

	if (err == 0 && dir_fd >= 0 && fsync(dir_fd) < 0)
		err = -errno;
	return err;
}

static void *sync_thread(void *context)
{
	static const uint64_t one = 1;
	struct sync *s = context;

	(void)pthread_mutex_lock(&s->mutex);
	for (;;) {
		int result;

		while (s->state != SYNC_ASKED && s->state != SYNC_STOP)
			(void)pthread_cond_wait(&s->changed, &s->mutex);
		if (s->state == SYNC_STOP)
			break;
		(void)pthread_mutex_unlock(&s->mutex);
		result = job_do(s->fd, s->dir_fd);
		(void)pthread_mutex_lock(&s->mutex);
		s->result = result;
		if (s->state == SYNC_ASKED)
			s->state = SYNC_ENDED;
		/* an eventfd of one count cannot be full */
		(void)!write(s->event_fd, &one, sizeof(one));
	}
	(void)pthread_mutex_unlock(&s->mutex);
	return NULL;
}

int sync_new(int event_fd, struct sync **ret)
{
	struct sync *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->event_fd = event_fd;
	(void)pthread_mutex_init(&s->mutex, NULL);
	(void)pthread_cond_init(&s->changed, NULL);
	err = pthread_create(&s->thread, NULL, sync_thread, s);
	if (err > 0) {
		free(s);
		return -err;
	}
	*ret = s;
	return 0;
}

void sync_free(struct sync *s)
{
	if (!s)
		return;
	(void)pthread_mutex_lock(&s->mutex);
	s->state = SYNC_STOP;
	(void)pthread_cond_signal(&s->changed);
	(void)pthread_mutex_unlock(&s->mutex);
	(void)pthread_join(s->thread, NULL);
	(void)pthread_cond_destroy(&s->changed);
	(void)pthread_mutex_destroy(&s->mutex);
	free(s);
}

void sync_ask(struct sync *s, int fd, int dir_fd)
{
	(void)pthread_mutex_lock(&s->mutex);
	assert(s->state == SYNC_IDLE);
	s->fd = fd;
	s->dir_fd = dir_fd;
	s->state = SYNC_ASKED;
	(void)pthread_cond_signal(&s->changed);
	(void)pthread_mutex_unlock(&s->mutex);
}

bool sync_is_busy(struct sync *s)
{
	bool busy;

	(void)pthread_mutex_lock(&s->mutex);
	busy = s->state != SYNC_IDLE;
	(void)pthread_mutex_unlock(&s->mutex);
	return busy;
}

int sync_take(struct sync *s)
{
	int result = -EAGAIN;

	(void)pthread_mutex_lock(&s->mutex);
	if (s->state == SYNC_ENDED) {
		result = s->result;
		s->state = SYNC_IDLE;
	}
	(void)pthread_mutex_unlock(&s->mutex);
	return result;
}
