#include "agent/process/tier_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/folder.h"
#include "agent/base/path.h"
#include "agent/history/tiers.h"
#include "agent/process/control.h"
#include "agent/process/home.h"
#include "petrel/local.h"
#include "petrel/log.h"

#define FOLDER_USUAL "/" HOME_STATE_DIR "/" TIER_FOLDER
#define EVERY_S 60
#define FOLDER_MODE 0755
#define PLACE_MODE 0644
#define STOP_WAIT_S 1

struct tier_thread {
	struct process_env *env;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool is_over, is_changed;	/* under the lock */
	/* Only for the thread: */
	struct config config;	/* that the tiers were opened with */
	struct control_tiers_kept kept;	/* as last published */
	int dir_fd;
	struct tiers *tiers;
	struct control_identity identity;
};

/* --- status ------------------------------------------------------------- */

static void fault_words(const struct tier_thread *t, int rc,
			char ret[static sizeof(t->kept.fault)])
{
	char why[PATH_REASON_MAX];

	if (rc == -EDQUOT)
		(void)snprintf(ret, sizeof(t->kept.fault), "[History] per_day "
			       "or size is used up: nothing more is written "
			       "until midnight UTC");
	else if (rc == -ENOTSUP)
		(void)snprintf(ret, sizeof(t->kept.fault), "off: the folder is "
			       "in memory and does not survive a reboot; set "
			       "[History] folder");
	else if (rc == -ECANCELED)
		(void)snprintf(ret, sizeof(t->kept.fault), "off: [History] "
			       "tiers = no");
	else if (rc == -ENOENT)
		(void)snprintf(ret, sizeof(t->kept.fault), "off: no folder to "
			       "create it in");
	else {
		path_reason(t->env->root_fd, t->kept.folder + 1, rc, why);
		(void)snprintf(ret, sizeof(t->kept.fault), "%s", why);
	}
}

/* Logs each fault once, except a choice and a missing default folder. */
static void fault_log(const struct tier_thread *t, int rc, const char *before)
{
	const char *fault = t->kept.fault;

	if (strcmp(fault, before) == 0)
		return;
	if (!fault[0])
		log_notice("history", "history is written to %s again",
			   t->kept.folder);
	else if (rc != -ECANCELED && rc != -ENOTSUP &&
		 (rc != -ENOENT || t->config.tiers_folder[0]))
		log_warn("history", "history is not written to %s: %s",
			 t->kept.folder, fault);
}

/* Publishes the state for petrel status. rc: result of the last turn. */
static void told(struct tier_thread *t, int rc)
{
	struct control_tiers_kept *k = &t->kept;
	char before[sizeof(k->fault)];
	struct tiers_count c = { 0 };

	memcpy(before, k->fault, sizeof(before));
	k->fault[0] = '\0';
	if (t->tiers && tiers_count(t->tiers, &c) < 0 && rc == 0)
		rc = -EIO;
	if (rc < 0)
		fault_words(t, rc, k->fault);
	k->held_octets = c.held;
	k->written_octets = c.written;
	k->series = c.series;
	k->left_out = c.left_out;
	k->minutes_s = (int64_t)c.began_s[TIER_MINUTE];
	k->quarters_s = (int64_t)c.began_s[TIER_QUARTER];
	k->is_short = c.is_short;
	fault_log(t, rc, before);
	control_tiers_set(t->env->control, k);
}

/* --- the folder --------------------------------------------------------- */

/* In memory, and not configured to be there. */
static bool is_in_memory(const struct tier_thread *t, int fd)
{
	struct statfs s;

	return !t->config.tiers_folder[0] && fstatfs(fd, &s) == 0 &&
	       (s.f_type == TMPFS_MAGIC || s.f_type == RAMFS_MAGIC);
}

/* Creates the last folder of the path; its parent must exist. */
static int folder_open(const struct tier_thread *t)
{
	const char *name = strrchr(t->kept.folder, '/') + 1;
	char above[CONFIG_TEXT_MAX];
	int fd, rc, above_fd;

	(void)snprintf(above, sizeof(above), "%.*s",
		       (int)(name - t->kept.folder), t->kept.folder);
	above_fd = path_open(t->env->root_fd, above[1] ? above + 1 : ".",
			     O_RDONLY | O_DIRECTORY);
	if (above_fd < 0)
		return above_fd;
	rc = is_in_memory(t, above_fd) ? -ENOTSUP :
	     folder_check(above_fd, above, NULL);
	if (rc == 0)
		rc = disk_folder(&disk_durable, above_fd, name, FOLDER_MODE);
	fd = rc < 0 ? rc : openat(above_fd, name, O_RDONLY | O_DIRECTORY |
				  O_NOFOLLOW | O_CLOEXEC);
	if (rc == 0 && fd < 0)
		fd = -errno;
	(void)close(above_fd);	/* read-only */
	return fd;
}

/* Publishes the path for petrel, which reads the files itself. */
static void place_tell(const struct tier_thread *t)
{
	char link[32], path[PATH_MAX];
	int fd = folder_file(t->env->run_dir_fd, LOCAL_TIERS, PLACE_MODE);
	ssize_t n;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", t->dir_fd);
	n = readlink(link, path, sizeof(path));
	if (fd < 0)
		return;		/* petrel then looks in the default place */
	if (n > 0 && ftruncate(fd, 0) == 0)
		(void)dprintf(fd, "%.*s\n", (int)n, path);
	(void)close(fd);
}

/* --- the thread --------------------------------------------------------- */

/* Whoever may read the rings may read the files. */
static int tiers_begin(struct tier_thread *t, const struct clock_reading *now)
{
	const struct config *c = &t->config;

	(void)control_config(t->env->control, &t->config);
	(void)snprintf(t->kept.folder, sizeof(t->kept.folder), "%s",
		       c->tiers_folder[0] ? c->tiers_folder : FOLDER_USUAL);
	t->dir_fd = c->tiers ? folder_open(t) : -ECANCELED;
	if (t->dir_fd < 0)
		return t->dir_fd;
	place_tell(t);
	(void)control_identity_get(t->env->control, &t->identity);
	return tiers_new(&(struct tiers_env){
		.disk = &disk_durable, .dir_fd = t->dir_fd,
		.mode = c->read == READ_ALL ? 0644 : 0640,
		.held_octets = c->tiers_octets,
		.day_octets = c->tiers_day_octets,
		.rings = t->env->rings, .switch_id = t->identity.id,
		.switch_name = t->identity.name,
		.version = PETREL_VERSION }, now, &t->tiers);
}

static void tiers_end(struct tier_thread *t)
{
	tiers_free(t->tiers);
	t->tiers = NULL;
	if (t->dir_fd >= 0)
		(void)close(t->dir_fd);	/* all of it is written */
	t->dir_fd = -1;
}

/* The configuration has changed since the tiers were opened. */
static bool is_outdated(const struct tier_thread *t)
{
	struct config c;

	(void)control_config(t->env->control, &c);
	return c.tiers != t->config.tiers ||
	       c.tiers_octets != t->config.tiers_octets ||
	       c.tiers_day_octets != t->config.tiers_day_octets ||
	       c.read != t->config.read ||
	       strcmp(c.tiers_folder, t->config.tiers_folder) != 0;
}

static void turn(struct tier_thread *t)
{
	struct clock_reading now;
	int rc = 0;

	clock_read(&now);
	if (t->tiers && is_outdated(t))
		tiers_end(t);
	if (!t->tiers)
		rc = tiers_begin(t, &now);
	if (rc == 0)
		rc = tiers_run(t->tiers, &now);
	told(t, rc);
	if (!t->tiers)
		tiers_end(t);
}

/* Waits until just after the minute, when its last batch is in the ring. */
static void minute_wait(struct tier_thread *t)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += EVERY_S - until.tv_sec % EVERY_S + 2;
	while (!t->is_over && !t->is_changed &&
	       pthread_cond_timedwait(&t->wake, &t->lock, &until) == 0)
		;
	t->is_changed = false;
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
	(void)sigfillset(&all);		/* the loop's thread handles signals */
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

void tier_thread_changed(struct tier_thread *t)
{
	if (!t)
		return;
	(void)pthread_mutex_lock(&t->lock);
	t->is_changed = true;
	(void)pthread_cond_signal(&t->wake);
	(void)pthread_mutex_unlock(&t->lock);
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
