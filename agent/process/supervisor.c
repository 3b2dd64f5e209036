#include "agent/process/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent/process/children.h"
#include "agent/process/home.h"
#include "agent/process/remember.h"
#include "agent/process/rights.h"
#include "agent/process/service.h"
#include "agent/process/settings.h"
#include "petrel/log.h"

#define RIGHTS_CHECK_NS (3 * NS_PER_S)

struct supervisor {
	struct process_env *env;
	const char *config_path;
	bool config_optional;
	struct children children;
	struct service service;
	struct settings *settings;	/* borrowed; NULL: no CONFIG_DB */
	struct mono rights_due;
	int status;			/* of the program, when it ends */
	uint32_t identity_kept;		/* its generation; even */
};

/* What the core found out, which may write to no disk. */
static void identity_keep(struct supervisor *s)
{
	const struct control *c = s->env->control;
	struct control_identity is;

	if (atomic_load(&c->identity.generation) == s->identity_kept ||
	    !control_identity_get(c, &is) || !is.id[0])
		return;
	s->identity_kept = is.generation;
	home_remember(s->env->root_fd, s->env->run_dir_fd, &is);
}

static void waiting_tell(void *context, const char *section, const char *key,
			 const char *from, const char *to)
{
	(void)context;
	log_warn("supervisor", "[%s] %s = %s waits until petreld is started "
		 "again: %s is in force", section, key, to, from);
}

/* Files and CONFIG_DB anew. */
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
		log_err("supervisor", "configuration kept: %s", d.text);
	}
	control_refused_set(c, d.text);
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

/* Something came that a petreld started now could open: whoever started this
 * one starts it again.
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
	log_notice("supervisor", "ends, to be started again with another "
		   "group: %s", d.text);
	s->status = EXIT_RIGHTS_CHANGED;
	s->children.stopping = true;
}

/* The children end without a word: their socket goes with them. */
static void socket_remove(const struct process_env *env)
{
	(void)unlinkat(env->run_dir_fd, env->control->config.socket, 0);
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
		identity_keep(&s);
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
	socket_remove(env);
	(void)close(fds[0].fd);
	return s.status;
}
