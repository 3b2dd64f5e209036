#include "agent/process/supervisor.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "petrel/log.h"

struct supervisor {
	struct process_env *env;
	const char *config_path;
	bool config_optional;
	bool stopping;
	int abandoned;
	sigset_t before;		/* the children's signal mask */
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
};

static void child_start(struct supervisor *s, enum role role, struct mono now)
{
	struct control_process *p = &s->env->control->process[role];
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)prctl(PR_SET_NAME, role_name(role));
		(void)sigprocmask(SIG_SETMASK, &s->before, NULL);
		if (getppid() != parent)
			_exit(EXIT_FAILURE);
		atomic_store(&p->heartbeat_ns, clock_mono_now().ns);
		_exit(runs[role](s->env));
	}
	if (pid < 0) {
		log_err("supervisor", "process=%s fork: %s", role_name(role),
			strerror(errno));
		s->child[role].again.ns = now.ns + NS_PER_S;
		return;
	}
	s->child[role].pid = pid;
	s->child[role].killed = false;
	atomic_store(&p->heartbeat_ns, now.ns);
	atomic_store(&p->started_ns, now.ns);
	atomic_store(&p->pid, pid);
}

static void child_died(struct supervisor *s, enum role role, int status,
		       struct mono now)
{
	struct control_process *p = &s->env->control->process[role];
	int64_t lived = now.ns - atomic_load(&p->started_ns);
	int64_t *wait = &s->child[role].back_off_ns;

	atomic_store(&p->pid, 0);
	atomic_store(&p->last_status, status);
	atomic_fetch_add(&p->restarts, 1);
	*wait = lived > 10 * NS_PER_S || *wait == 0 ? 50 * NS_PER_MS :
						      2 * *wait;
	if (*wait > SUPERVISOR_BACK_OFF_MAX_NS)
		*wait = SUPERVISOR_BACK_OFF_MAX_NS;
	s->child[role].pid = 0;
	s->child[role].again.ns = now.ns + *wait;
	if (!s->stopping)
		log_warn("supervisor",
			 "process=%s died %s=%d lived_ms=%lld again_ms=%lld",
			 role_name(role),
			 WIFSIGNALED(status) ? "signal" : "exit",
			 WIFSIGNALED(status) ? WTERMSIG(status) :
					       WEXITSTATUS(status),
			 (long long)(lived / NS_PER_MS),
			 (long long)(*wait / NS_PER_MS));
}

static void children_reap(struct supervisor *s, struct mono now)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		bool known = false;

		for (int r = ROLE_READER; r < ROLE_COUNT; r++) {
			if (s->child[r].pid != pid)
				continue;
			child_died(s, r, status, now);
			known = true;
		}
		if (!known)
			s->abandoned--;
	}
}

/* No heartbeat: kill it; a reader that outlives the kill is left behind. */
static void child_watch(struct supervisor *s, enum role role, struct mono now)
{
	struct control_process *p = &s->env->control->process[role];
	int64_t silent = now.ns - atomic_load(&p->heartbeat_ns);

	if (silent < SUPERVISOR_HANG_NS)
		return;
	if (!s->child[role].killed) {
		log_err("supervisor", "process=%s hangs silent_s=%lld: killed",
			role_name(role), (long long)(silent / NS_PER_S));
		(void)kill(s->child[role].pid, SIGKILL);
		s->child[role].killed = true;
	} else if (role == ROLE_READER && silent > SUPERVISOR_HANG_NS +
		   5 * NS_PER_S && s->abandoned < SUPERVISOR_ABANDON_MAX) {
		log_err("supervisor", "process=reader pid=%d left behind",
			(int)s->child[role].pid);
		s->abandoned++;
		child_died(s, role, 0, now);
	}
}

static void children_tend(struct supervisor *s, struct mono now)
{
	for (int r = ROLE_READER; r < ROLE_COUNT; r++) {
		if (s->child[r].pid > 0)
			child_watch(s, r, now);
		else if (s->child[r].again.ns <= now.ns)
			child_start(s, r, now);
	}
	control_beat(&s->env->control->process[ROLE_SUPERVISOR], now);
}

/* Short while somebody waits to be started again. */
static int pause_ms(const struct supervisor *s)
{
	for (int r = ROLE_READER; r < ROLE_COUNT; r++)
		if (s->child[r].pid == 0)
			return 10;
	return 1000;
}

static void reload(struct supervisor *s)
{
	static const uint64_t one = 1;
	struct control *c = s->env->control;
	uint32_t asked = atomic_load(&c->reload_asked);
	struct config config;
	struct diag d = { "" };
	int rc = config_load(s->config_path, s->config_optional, &config, &d);

	if (rc == 0) {
		atomic_fetch_add(&c->config_generation, 1);
		memcpy(&c->config, &config, sizeof(config));
		atomic_fetch_add(&c->config_generation, 1);
		log_notice("supervisor", "configuration=%s reloaded",
			   s->config_path);
	} else {
		log_err("supervisor", "configuration kept: %s", d.text);
	}
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
			children_reap(s, now);
		else if (info.ssi_signo == SIGHUP)
			reload(s);
		else
			s->stopping = true;
	}
}

static void children_stop(struct supervisor *s)
{
	for (int r = ROLE_READER; r < ROLE_COUNT; r++)
		if (s->child[r].pid > 0)
			(void)kill(s->child[r].pid, SIGKILL);
	for (int r = ROLE_READER; r < ROLE_COUNT; r++)
		if (s->child[r].pid > 0)
			(void)waitpid(s->child[r].pid, NULL, 0);
}

int supervisor_run(struct process_env *env, const char *config_path,
		   bool config_optional)
{
	struct supervisor s = { .env = env, .config_path = config_path,
				.config_optional = config_optional };
	struct pollfd fds[2];
	uint64_t count;
	sigset_t mask;

	(void)sigemptyset(&mask);
	(void)sigaddset(&mask, SIGCHLD);
	(void)sigaddset(&mask, SIGTERM);
	(void)sigaddset(&mask, SIGINT);
	(void)sigaddset(&mask, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &mask, &s.before);
	fds[0] = (struct pollfd){ signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK),
				  POLLIN, 0 };
	fds[1] = (struct pollfd){ env->reload_event_fd, POLLIN, 0 };
	atomic_store(&env->control->process[ROLE_SUPERVISOR].pid, getpid());
	atomic_store(&env->control->process[ROLE_SUPERVISOR].started_ns,
		     clock_mono_now().ns);
	while (!s.stopping) {
		children_tend(&s, clock_mono_now());
		(void)poll(fds, 2, pause_ms(&s));
		if (fds[0].revents)
			signal_take(&s, fds[0].fd, clock_mono_now());
		if (fds[1].revents &&
		    read(fds[1].fd, &count, sizeof(count)) > 0)
			reload(&s);
	}
	children_stop(&s);
	(void)close(fds[0].fd);
	return EXIT_SUCCESS;
}
