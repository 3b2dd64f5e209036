#include "agent/process/children.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/process/confine.h"
#include "agent/process/rights.h"
#include "petrel/log.h"

static int (*const runs[ROLE_COUNT])(struct process_env *) = {
	[ROLE_READER] = reader_run,
	[ROLE_CORE] = core_run,
	[ROLE_SENDER] = sender_run,
};

/* A terminal and a service manager send them to the children as well: how they
 * end is the supervisor's to say.
 */
static void signals_leave(void)
{
	(void)signal(SIGTERM, SIG_IGN);
	(void)signal(SIGINT, SIG_IGN);
}

/* The reader alone keeps capabilities; who cannot give up the others ends. */
static int child_run(struct process_env *env, enum role role)
{
	uint64_t keep = role == ROLE_READER ? env->rights->reader : 0;
	struct diag d = { "" };

	if (confine_child(keep, &d) < 0) {
		log_err(role_name(role), "%s", d.text);
		return EXIT_RIGHTS_KEPT;
	}
	(void)malloc_trim(0);	/* of the parent's, and of what that took */
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
	atomic_store(&p->last_status, status);
	atomic_fetch_add(&p->restarts, 1);
	*wait = lived > 10 * NS_PER_S || *wait == 0 ? 50 * NS_PER_MS :
						      2 * *wait;
	if (*wait > CHILD_BACK_OFF_MAX_NS)
		*wait = CHILD_BACK_OFF_MAX_NS;
	c->child[role].pid = 0;
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

void children_reap(struct children *c, struct mono now)
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

/* No heartbeat: kill it; a reader that outlives the kill is left behind. */
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
		log_err("supervisor", "process=reader pid=%d left behind",
			(int)c->child[role].pid);
		c->abandoned++;
		child_died(c, role, 0, now);
	}
}

void children_tend(struct children *c, struct mono now)
{
	for (int r = ROLE_READER; r < ROLE_COUNT; r++) {
		if (c->child[r].pid > 0)
			child_watch(c, r, now);
		else if (c->child[r].again.ns <= now.ns)
			child_start(c, r, now);
	}
	control_beat(&c->env->control->process[ROLE_SUPERVISOR], now);
}

bool children_wait(const struct children *c)
{
	for (int r = ROLE_READER; r < ROLE_COUNT; r++)
		if (c->child[r].pid == 0)
			return true;
	return false;
}

void children_stop(struct children *c)
{
	for (int r = ROLE_READER; r < ROLE_COUNT; r++)
		if (c->child[r].pid > 0)
			(void)kill(c->child[r].pid, SIGKILL);
	for (int r = ROLE_READER; r < ROLE_COUNT; r++)
		if (c->child[r].pid > 0)
			(void)waitpid(c->child[r].pid, NULL, 0);
}
