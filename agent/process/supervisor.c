#include "agent/process/supervisor.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "agent/process/home.h"
#include "agent/process/remember.h"
#include "agent/process/rights.h"
#include "agent/process/service.h"
#include "agent/process/settings.h"
#include "petrel/log.h"

/* --- the children --------------------------------------------------------- */

/* The supervisor's children: forked, watched by their heartbeat, forked again
 * with a back-off after a death.
 *
 * A child without a heartbeat for CHILD_HANG_NS is killed; a reader that
 * survives even that (it waits for a bus) is abandoned, at most
 * CHILD_ABANDON_MAX of them, and another takes over.
 */

#define CHILD_HANG_NS (15 * NS_PER_S)
#define CHILD_END_NS (3 * NS_PER_S)	/* after the kill */
#define CHILD_ABANDON_MAX 2
#define CHILD_BACK_OFF_MAX_NS (5 * NS_PER_S)

struct children {
	struct process_env *env;
	sigset_t mask;			/* the children's signal mask */
	int abandoned;
	bool stopping;
	struct {
		pid_t pid;
		struct mono again;	/* when to fork, after a death */
		int64_t back_off_ns;
		bool killed;		/* for a hang; it should end soon */
	} child[ROLE_COUNT];
};

static int (*const runs[ROLE_COUNT])(struct process_env *) = {
	[ROLE_READER] = reader_run,
	[ROLE_CORE] = core_run,
	[ROLE_SENDER] = sender_run,
	[ROLE_EXPORTER] = exporter_run,
};

/* Only the exporter may be left out by the configuration. */
static bool is_wanted(const struct children *c, enum role role)
{
	return role != ROLE_EXPORTER ||
	       c->env->control->config.metrics_listen[0];
}

/* A terminal and a service manager send them to the children as well, but the
 * supervisor decides how children end.
 */
static void signals_leave(void)
{
	(void)signal(SIGTERM, SIG_IGN);
	(void)signal(SIGINT, SIG_IGN);
}

/* Only the reader keeps capabilities; a child that cannot drop the others ends.
 * A child that may hang in a device or a disk, and so survive a kill, must not
 * keep a later petreld out: it closes the lock, for it writes no record.
 */
static int child_run(struct process_env *env, enum role role)
{
	uint64_t keep = role == ROLE_READER ? env->rights->reader : 0;
	struct diag d = { "" };

	if (role != ROLE_CORE)
		(void)close(env->lock_fd);	/* only the core keeps it */
	if (rights_confine_child(keep, &d) < 0) {
		log_err(role_name(role), "%s", d.text);
		return EXIT_RIGHTS_KEPT;
	}
	(void)malloc_trim(0);	/* left by the parent, and by the steps above */
	return runs[role](env);
}

static void child_start(struct children *c, enum role role, struct mono now)
{
	struct control_process *p = &c->env->control->process[role];
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)prctl(PR_SET_NAME, role_name(role));
		signals_leave();
		(void)sigprocmask(SIG_SETMASK, &c->mask, NULL);
		if (getppid() != parent)
			_exit(EXIT_FAILURE);
		atomic_store(&p->heartbeat_ns, clock_mono_now().ns);
		_exit(child_run(c->env, role));
	}
	if (pid < 0) {
		log_err("supervisor", "process=%s fork: %s", role_name(role),
			strerror(errno));
		c->child[role].again.ns = now.ns + NS_PER_S;
		return;
	}
	c->child[role].pid = pid;
	c->child[role].killed = false;
	atomic_store(&p->heartbeat_ns, now.ns);
	atomic_store(&p->started_ns, now.ns);
	atomic_store(&p->pid, pid);
}

static void child_died(struct children *c, enum role role, int status,
		       struct mono now)
{
	struct control_process *p = &c->env->control->process[role];
	int64_t lived = now.ns - atomic_load(&p->started_ns);
	int64_t *wait = &c->child[role].back_off_ns;

	atomic_store(&p->pid, 0);
	c->child[role].pid = 0;
	if (!is_wanted(c, role)) {	/* ended on purpose */
		c->child[role].again.ns = 0;
		atomic_store(&p->memory_octets, 0);
		return;
	}
	atomic_store(&p->last_status, status);
	atomic_fetch_add(&p->restarts, 1);
	*wait = lived > 10 * NS_PER_S || *wait == 0 ? 50 * NS_PER_MS :
						      2 * *wait;
	if (*wait > CHILD_BACK_OFF_MAX_NS)
		*wait = CHILD_BACK_OFF_MAX_NS;
	c->child[role].again.ns = now.ns + *wait;
	if (!c->stopping)
		log_warn("supervisor",
			 "process=%s died %s=%d lived_ms=%lld again_ms=%lld",
			 role_name(role),
			 WIFSIGNALED(status) ? "signal" : "exit",
			 WIFSIGNALED(status) ? WTERMSIG(status) :
					       WEXITSTATUS(status),
			 (long long)(lived / NS_PER_MS),
			 (long long)(*wait / NS_PER_MS));
}

/* After a SIGCHLD: notes which children died. */
static void children_reap(struct children *c, struct mono now)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		bool known = false;

		for (int r = ROLE_READER; r < ROLE_COUNT; r++) {
			if (c->child[r].pid != pid)
				continue;
			child_died(c, r, status, now);
			known = true;
		}
		if (!known)
			c->abandoned--;
	}
}

/* No heartbeat: kills it; abandons a reader that survives the kill. */
static void child_watch(struct children *c, enum role role, struct mono now)
{
	struct control_process *p = &c->env->control->process[role];
	int64_t silent = now.ns - atomic_load(&p->heartbeat_ns);

	if (silent < CHILD_HANG_NS)
		return;
	if (!c->child[role].killed) {
		log_err("supervisor", "process=%s hangs silent_s=%lld: killed",
			role_name(role), (long long)(silent / NS_PER_S));
		(void)kill(c->child[role].pid, SIGKILL);
		c->child[role].killed = true;
	} else if (role == ROLE_READER && silent > CHILD_HANG_NS +
		   5 * NS_PER_S && c->abandoned < CHILD_ABANDON_MAX) {
		log_err("supervisor", "process=reader pid=%d abandoned",
			(int)c->child[role].pid);
		c->abandoned++;
		child_died(c, role, 0, now);
	}
}

/* Starts those due, kills those that hang, ends those not wanted any more. */
static void children_tend(struct children *c, struct mono now)
{
	for (int r = ROLE_READER; r < ROLE_COUNT; r++) {
		bool wanted = is_wanted(c, r);

		atomic_store(&c->env->control->process[r].is_off, !wanted);
		if (!wanted && c->child[r].pid > 0)
			(void)kill(c->child[r].pid, SIGKILL);
		else if (!wanted)
			continue;
		else if (c->child[r].pid > 0)
			child_watch(c, r, now);
		else if (c->child[r].again.ns <= now.ns)
			child_start(c, r, now);
	}
	control_beat(&c->env->control->process[ROLE_SUPERVISOR], now);
}

/* True while a child waits to be started again. */
static bool children_wait(const struct children *c)
{
	for (int r = ROLE_READER; r < ROLE_COUNT; r++)
		if (c->child[r].pid == 0 && is_wanted(c, r))
			return true;
	return false;
}

/* Ends them all and waits for that, for so many looks; one that a device or a
 * disk blocks is abandoned.
 */
static void children_stop(struct children *c)
{
	static const struct timespec pause = { .tv_nsec = 5 * NS_PER_MS };
	int64_t left_ns = CHILD_END_NS;

	for (int r = ROLE_READER; r < ROLE_COUNT; r++)
		if (c->child[r].pid > 0)
			(void)kill(c->child[r].pid, SIGKILL);
	for (int r = ROLE_READER; r < ROLE_COUNT; r++) {
		pid_t pid = c->child[r].pid;
		bool is_there;

		for (; (is_there = pid > 0 &&
			waitpid(pid, NULL, WNOHANG) == 0) && left_ns > 0;
		     left_ns -= pause.tv_nsec)
			(void)nanosleep(&pause, NULL);
		if (is_there)
			log_err("supervisor", "process=%s pid=%d abandoned",
				role_name(r), (int)pid);
	}
}

#define RIGHTS_CHECK_NS (3 * NS_PER_S)

struct supervisor {
	struct process_env *env;
	const char *config_path;
	bool config_optional;
	struct children children;
	struct service service;
	struct settings *settings;	/* borrowed; NULL: no CONFIG_DB */
	struct mono rights_due;
	int status;			/* the program's exit status */
};

static void waiting_tell(void *context, const char *section, const char *key,
			 const char *from, const char *to)
{
	(void)context;
	log_warn("supervisor", "[%s] %s = %s takes effect when petreld "
		 "restarts: %s is in force", section, key, to, from);
}

/* Reads files and CONFIG_DB again. */
static void reload(struct supervisor *s)
{
	static const uint64_t one = 1;
	struct control *c = s->env->control;
	uint32_t asked = atomic_load(&c->reload_asked);
	struct config config;
	struct diag d = { "" }, shared;
	int rc;

	service_reloading(&s->service, clock_mono_now());
	rc = settings_config(s->settings, c->config.keys, s->config_path,
			     s->config_optional, &config, &d);
	if (rc == 0) {
		control_config_set(c, &config);
		log_least_set(config.log_level);
		if (home_share(s->env->run_dir_fd, &config, &shared) < 0)
			log_warn("supervisor", "%s", shared.text);
		log_notice("supervisor", "configuration=%s reloaded",
			   s->config_path);
		config_differences(&c->config, &c->wanted, waiting_tell, NULL);
	} else {
		log_err("supervisor", "previous configuration kept: "
				      "%s", d.text);
	}
	control_text_set(&c->refused, d.text);
	service_reloaded(&s->service, rc == 0 ? "watching; configuration "
			 "reloaded" : d.text);
	c->reload_diag = d;
	atomic_store(&c->reload_result, rc);
	atomic_store(&c->reload_done, asked);
	for (int r = ROLE_READER; r < ROLE_COUNT; r++)
		(void)!write(s->env->config_event_fd[r], &one, sizeof(one));
}

static void signal_take(struct supervisor *s, int fd, struct mono now)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			children_reap(&s->children, now);
		else if (info.ssi_signo == SIGHUP)
			reload(s);
		else
			s->children.stopping = true;
	}
}

/* Something appeared that only a new petreld could open: exits, so that whoever
 * started it starts it again.
 */
static void rights_check(struct supervisor *s, struct mono now)
{
	const struct process_env *env = s->env;
	struct diag d = { "" };

	if (now.ns < s->rights_due.ns)
		return;
	s->rights_due.ns = now.ns + RIGHTS_CHECK_NS;
	if (!rights_are_stale(env->rights, &env->control->config, env->drivers,
			      env->root_fd, &d))
		return;
	log_notice("supervisor", "exits to be restarted with another group: "
		   "%s", d.text);
	s->status = EXIT_RIGHTS_CHANGED;
	s->children.stopping = true;
}

int supervisor_run(struct process_env *env, const char *config_path,
		   bool config_optional, struct settings *settings)
{
	struct supervisor s = { .env = env, .config_path = config_path,
				.config_optional = config_optional,
				.settings = settings,
				.children = { .env = env } };
	struct pollfd fds[3];
	uint64_t count;
	sigset_t mask;

	(void)sigemptyset(&mask);
	(void)sigaddset(&mask, SIGCHLD);
	(void)sigaddset(&mask, SIGTERM);
	(void)sigaddset(&mask, SIGINT);
	(void)sigaddset(&mask, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &mask, &s.children.mask);
	fds[0] = (struct pollfd){
		signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK), POLLIN, 0 };
	fds[1] = (struct pollfd){ env->reload_event_fd, POLLIN, 0 };
	fds[2] = (struct pollfd){ settings_fd(settings), POLLIN, 0 };
	atomic_store(&env->control->process[ROLE_SUPERVISOR].pid, getpid());
	atomic_store(&env->control->process[ROLE_SUPERVISOR].started_ns,
		     clock_mono_now().ns);
	service_init(&s.service, env->control, clock_mono_now());
	while (!s.children.stopping) {
		children_tend(&s.children, clock_mono_now());
		service_tend(&s.service, clock_mono_now());
		rights_check(&s, clock_mono_now());
		if (settings_tend(settings, clock_mono_now()))
			reload(&s);
		(void)poll(fds, 3, children_wait(&s.children) ||
			   !s.service.ready ? 10 : 1000);
		if (fds[0].revents)
			signal_take(&s, fds[0].fd, clock_mono_now());
		if (fds[1].revents &&
		    read(fds[1].fd, &count, sizeof(count)) > 0)
			reload(&s);
	}
	service_fini(&s.service);
	remember_end(env);
	children_stop(&s.children);
	/* The children are killed without cleanup: removes their socket. */
	(void)unlinkat(env->run_dir_fd, env->control->config.socket, 0);
	(void)close(fds[0].fd);
	return s.status;
}
