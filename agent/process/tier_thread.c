#include "agent/process/tier_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/folder.h"
#include "agent/base/path.h"
#include "agent/history/tier_file.h"
#include "agent/history/tiers.h"
#include "agent/process/control.h"
#include "agent/process/home.h"
#include "petrel/log.h"

#define PATH HOME_STATE_DIR "/" TIER_FOLDER
#define EVERY_S 60
#define FOLDER_MODE 0755
#define STOP_WAIT_S 1

struct tier_thread {
	struct process_env *env;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool is_over;		/* under the lock */
	/* The thread's own. */
	int fault;		/* errno that was told; 0: none */
	int dir_fd;
	struct tiers *tiers;
	struct control_identity identity;
};

/* Once for each reason. */
static void fault_tell(struct tier_thread *t, int rc)
{
	char why[PATH_REASON_MAX];

	if (rc < 0 && t->fault != -rc && rc == -EDQUOT) {
		log_warn("history", "/" PATH " holds all that it may: no rows "
			 "are kept until the oldest file is a day old");
	} else if (rc < 0 && t->fault != -rc) {
		path_reason(t->env->root_fd, PATH, rc, why);
		log_warn("history", "no rows are kept in /" PATH ": %s", why);
	}
	if (rc == 0 && t->fault)
		log_notice("history", "rows are kept in /" PATH " again");
	t->fault = -rc;
}

static int folder_open(const struct tier_thread *t)
{
	int fd, rc, state = path_open(t->env->root_fd, HOME_STATE_DIR,
				      O_RDONLY | O_DIRECTORY);

	if (state < 0)
		return state;
	rc = folder_check(state, HOME_STATE_DIR, NULL);
	if (rc == 0 && mkdirat(state, TIER_FOLDER, FOLDER_MODE) < 0 &&
	    errno != EEXIST)
		rc = -errno;
	fd = rc < 0 ? rc : openat(state, TIER_FOLDER, O_RDONLY | O_DIRECTORY |
				  O_NOFOLLOW | O_CLOEXEC);
	if (rc == 0 && fd < 0)
		fd = -errno;
	(void)close(state);	/* only looked at */
	return fd;
}

/* Who may read the rings may read the files. */
static int tiers_begin(struct tier_thread *t)
{
	struct config config;

	t->dir_fd = folder_open(t);
	if (t->dir_fd < 0)
		return t->dir_fd;
	(void)control_config(t->env->control, &config);
	(void)control_identity_get(t->env->control, &t->identity);
	return tiers_new(&(struct tiers_env){
		.disk = &disk_durable, .dir_fd = t->dir_fd,
		.mode = config.read == READ_ALL ? 0644 : 0640,
		.rings = t->env->rings, .switch_id = t->identity.id,
		.switch_name = t->identity.name,
		.version = PETREL_VERSION }, &t->tiers);
}

static void tiers_end(struct tier_thread *t)
{
	tiers_free(t->tiers);
	t->tiers = NULL;
	if (t->dir_fd >= 0)
		(void)close(t->dir_fd);	/* nothing of it is unwritten */
	t->dir_fd = -1;
}

static void turn(struct tier_thread *t)
{
	struct clock_reading now;
	int rc = t->tiers ? 0 : tiers_begin(t);

	clock_read(&now);
	if (rc == 0)
		rc = tiers_run(t->tiers, &now);
	if (!t->tiers)
		tiers_end(t);
	if (rc == -ENOENT && !t->fault)
		rc = 0;		/* no folder that lasts: there are no tiers */
	fault_tell(t, rc);
}

/* A moment behind the minute, when its last batch is in the ring. */
static void minute_wait(struct tier_thread *t)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += EVERY_S - until.tv_sec % EVERY_S + 2;
	while (!t->is_over &&
	       pthread_cond_timedwait(&t->wake, &t->lock, &until) == 0)
		;
}

static void *thread_run(void *context)
{
	struct tier_thread *t = context;

	(void)pthread_mutex_lock(&t->lock);
	while (!t->is_over) {
		(void)pthread_mutex_unlock(&t->lock);
		turn(t);
		(void)pthread_mutex_lock(&t->lock);
		minute_wait(t);
	}
	(void)pthread_mutex_unlock(&t->lock);
	tiers_end(t);
	return NULL;
}

int tier_thread_start(struct process_env *env, struct tier_thread **ret)
{
	struct tier_thread *t = calloc(1, sizeof(*t));
	sigset_t all, before;
	int err;

	if (!t)
		return -ENOMEM;
	*t = (struct tier_thread){ .env = env, .dir_fd = -1,
				   .lock = PTHREAD_MUTEX_INITIALIZER,
				   .wake = PTHREAD_COND_INITIALIZER };
	(void)sigfillset(&all);		/* signals are the loop's */
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&t->thread, NULL, thread_run, t);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err) {
		free(t);
		return -err;
	}
	*ret = t;
	return 0;
}

void tier_thread_stop(struct tier_thread *t)
{
	struct timespec until;

	if (!t)
		return;
	(void)pthread_mutex_lock(&t->lock);
	t->is_over = true;
	(void)pthread_cond_signal(&t->wake);
	(void)pthread_mutex_unlock(&t->lock);
	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += STOP_WAIT_S;
	if (pthread_timedjoin_np(t->thread, NULL, &until) == 0)
		free(t);
}
