#include "agent/process/remember.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/folder.h"
#include "agent/base/path.h"
#include "agent/process/home.h"
#include "agent/signature/memory.h"
#include "agent/spool/disk.h"
#include "petrel/log.h"

#define CORE_WAIT_NS (1 * NS_PER_S)
#define SENDER_WAIT_NS (5 * NS_PER_S)	/* flash may be slow */
#define LOOK_PAUSE_NS (5 * NS_PER_MS)

/* The state folder, if it exists and nobody else may write to it. */
static int state_open(int root_fd)
{
	int rc, fd = path_open(root_fd, HOME_STATE_DIR, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return fd;
	rc = folder_check(fd, HOME_STATE_DIR, NULL);
	if (rc == 0)
		return fd;
	(void)close(fd);	/* read-only */
	return rc;
}

/* Logs each reason once. */
static void fault_tell(const struct process_env *env,
		       struct control_copy *copy, int rc, const char *process,
		       const char *folder)
{
	int told = atomic_load(&copy->fault);
	char why[PATH_REASON_MAX];

	if (rc < 0 && told != -rc) {
		path_reason(env->root_fd, folder, rc, why);
		log_warn(process, "baselines are not saved in %s: %s", folder,
			 why);
	}
	if (rc == 0 && told)
		log_notice(process, "baselines are saved in %s again", folder);
	atomic_store(&copy->fault, -rc);
}

/* --- supervisor ----------------------------------------------------------- */

/* One of the two copies; false: none, and a warning if it was unreadable. */
static bool copy_read(int dir_fd, const char *folder, struct keep_copy *ret)
{
	struct diag d = { "" };
	int rc = keep_read(dir_fd, memory_check, ret, &d);

	if (rc < 0 && rc != -ENOENT)
		log_warn("supervisor", "baselines not restored: %s/%s", folder,
			 d.text);
	return rc == 0;
}

/* When it was written, by the clock of this boot. */
static int64_t written_ns(struct wall written, struct mono now,
			  struct wall wall)
{
	int64_t age_ns = wall.ns - written.ns;
	int64_t then_ns = age_ns > 0 ? now.ns - age_ns : now.ns;

	return then_ns ? then_ns : 1;
}

static void run_copy_from_state(struct process_env *env,
				const struct keep_copy *state)
{
	struct control_memory *m = &env->control->memory;
	int rc = disk_put(&disk_volatile, env->run_dir_fd, KEEP_NAME,
			  state->octets, state->len);

	if (rc < 0) {
		log_warn("supervisor", "baselines not restored: %s/" KEEP_NAME
			 ": %s", env->control->config.run_dir, strerror(-rc));
		return;
	}
	atomic_store(&m->run.written_ns, atomic_load(&m->state.written_ns));
	atomic_store(&m->octets, state->len);
}

void remember_begin(struct process_env *env)
{
	struct control_memory *m = &env->control->memory;
	struct keep_copy run = { .len = 0 }, state = { .len = 0 };
	struct mono now = clock_mono_now();
	struct wall wall = clock_wall_now();
	int fd = state_open(env->root_fd);

	if (copy_read(env->run_dir_fd, env->control->config.run_dir, &run))
		atomic_store(&m->run.written_ns,
			     written_ns(run.wall, now, wall));
	if (fd >= 0 && copy_read(fd, "/" HOME_STATE_DIR, &state))
		atomic_store(&m->state.written_ns,
			     written_ns(state.wall, now, wall));
	keep_pace_init(&m->pace, state.octets ?
		       now.ns - atomic_load(&m->state.written_ns) : -1, now);
	atomic_store(&m->octets, run.len);
	if (state.octets && (!run.octets || state.wall.ns > run.wall.ns))
		run_copy_from_state(env, &state);
	free(run.octets);
	free(state.octets);
	if (fd >= 0)
		(void)close(fd);	/* read-only */
}

static bool has_died(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) <
	       0 || info.si_pid != 0;
}

/* Counts looks, not time: if the machine has no time for this process, it has
 * none for the one that it waits for.
 */
static void ask(struct process_env *env, enum role role, int64_t wait_ns)
{
	static const struct timespec pause = { .tv_nsec = LOOK_PAUSE_NS };
	static const uint64_t one = 1;
	struct control_memory *m = &env->control->memory;
	pid_t pid = atomic_load(&env->control->process[role].pid);

	if (pid <= 0)
		return;
	atomic_store(&m->asked, role);
	(void)!write(env->config_event_fd[role], &one, sizeof(one));
	for (; wait_ns > 0 && atomic_load(&m->done) != role && !has_died(pid);
	     wait_ns -= LOOK_PAUSE_NS)
		(void)nanosleep(&pause, NULL);
}

void remember_end(struct process_env *env)
{
	ask(env, ROLE_CORE, CORE_WAIT_NS);
	ask(env, ROLE_SENDER, SENDER_WAIT_NS);
}

static bool is_asked(struct process_env *env, enum role role)
{
	return atomic_load(&env->control->memory.asked) == role;
}

/* --- core ----------------------------------------------------------------- */

void remember_recall(struct remember *r, struct mono now, struct wall wall)
{
	const char *folder = r->env->control->config.run_dir;
	struct keep_copy copy;
	struct diag d = { "" };
	struct recalled recalled;
	const char *why = "no memory";
	int64_t age_ns;
	int rc = keep_read(r->env->run_dir_fd, memory_check, &copy, &d);

	if (rc < 0) {
		if (rc != -ENOENT)
			log_warn("core", "baselines not restored: %s/%s",
				 folder, d.text);
		return;
	}
	rc = engine_recall(r->engine, copy.octets, copy.len, now, wall, &why);
	age_ns = wall.ns > copy.wall.ns ? wall.ns - copy.wall.ns : 0;
	free(copy.octets);
	if (rc < 0) {
		keep_refuse(r->env->run_dir_fd);
		log_warn("core", "baselines not restored: %s/" KEEP_NAME
			 ": %s; now " KEEP_REFUSED_NAME, folder, why);
		return;
	}
	r->recalled = true;
	engine_recalled(r->engine, &recalled);
	log_notice("core", "baselines of %zu ports restored, written %lld s "
		   "ago", recalled.ports, (long long)(age_ns / NS_PER_S));
}

void remember_changed(struct remember *r, bool began_or_ended)
{
	r->changed = true;
	r->pressing |= began_or_ended;
}

static int octets_write(struct remember *r, struct mono now, struct wall wall)
{
	size_t size = memory_size(r->engine);
	void *octets = size > KEEP_OCTETS_MAX ? NULL : malloc(size);
	ssize_t len;
	int rc;

	if (!octets)
		return size > KEEP_OCTETS_MAX ? -EFBIG : -ENOMEM;
	len = memory_write(r->engine, now, wall, octets, size);
	rc = len < 0 ? (int)len : disk_put(&disk_volatile, r->env->run_dir_fd,
					   KEEP_NAME, octets, (size_t)len);
	free(octets);
	if (rc == 0)
		atomic_store(&r->env->control->memory.octets, (uint64_t)len);
	return rc;
}

static void run_copy_write(struct remember *r, struct mono now,
			   struct wall wall)
{
	struct control_memory *m = &r->env->control->memory;
	int rc = octets_write(r, now, wall);

	r->tried = now;
	r->was_tried = true;
	fault_tell(r->env, &m->run, rc, "core",
		   r->env->control->config.run_dir);
	if (rc < 0)
		return;
	if (r->pressing)
		atomic_fetch_add(&m->pressing, 1);
	atomic_store(&m->run.written_ns, now.ns);
	r->changed = r->pressing = false;
}

/* Ports appear one by one: some of what was taken up may wait for its port. */
static bool may_write(const struct remember *r, struct mono now)
{
	struct recalled recalled;

	if (!r->has_ports || !r->recalled)
		return r->has_ports;
	engine_recalled(r->engine, &recalled);
	return recalled.waiting == 0 &&
	       mono_diff_ns(now, r->ports_since) >= REMEMBER_SETTLED_NS;
}

static bool is_due(const struct remember *r, struct mono now)
{
	if (!may_write(r, now))
		return false;
	if (!r->was_tried)
		return r->changed || mono_diff_ns(now, r->ports_since) >=
		       REMEMBER_SETTLED_NS;
	return mono_diff_ns(now, r->tried) >=
	       (r->changed ? REMEMBER_CHANGED_NS : REMEMBER_EVERY_NS);
}

void remember_tend(struct remember *r, bool has_ports, struct mono now,
		   struct wall wall)
{
	if (has_ports && !r->has_ports) {
		r->has_ports = true;
		r->ports_since = now;
	}
	if (is_due(r, now))
		run_copy_write(r, now, wall);
}

bool remember_last(struct remember *r, struct mono now, struct wall wall)
{
	if (!is_asked(r->env, ROLE_CORE))
		return false;
	if (may_write(r, now))
		run_copy_write(r, now, wall);
	atomic_store(&r->env->control->memory.done, ROLE_CORE);
	return true;
}

/* --- sender --------------------------------------------------------------- */

/* A file that the core wrote and renamed is whole. */
static int state_copy_write(struct process_env *env, int state_fd)
{
	size_t len;
	void *octets;
	int rc = folder_read(env->run_dir_fd, KEEP_NAME, KEEP_OCTETS_MAX,
			     &octets, &len);

	if (rc < 0)
		return rc;
	rc = disk_put(&disk_durable, state_fd, KEEP_NAME, octets, len);
	free(octets);
	return rc;
}

static void state_copy_tend(struct process_env *env, enum keep_reason reason,
			    struct mono now)
{
	struct control_memory *m = &env->control->memory;
	int64_t written = atomic_load(&m->run.written_ns);
	uint32_t pressing = atomic_load(&m->pressing);
	int fd, rc;

	if (!written || written == atomic_load(&m->state.written_ns))
		return;
	if (reason == KEEP_ROUTINE && pressing != m->pressing_copied)
		reason = KEEP_PRESSING;
	rc = fd = state_open(env->root_fd);
	if (fd >= 0) {
		bool may = keep_pace_take(&m->pace, atomic_load(&m->octets),
					  reason, now);

		rc = may ? state_copy_write(env, fd) : 0;
		(void)close(fd);	/* the file in it is synced */
		if (!may)
			return;
	}
	fault_tell(env, &m->state, rc, "sender", "/" HOME_STATE_DIR);
	if (rc < 0)
		return;
	atomic_store(&m->state.written_ns, written);
	m->pressing_copied = pressing;
}

void remember_copy(struct process_env *env, struct mono now)
{
	state_copy_tend(env, KEEP_ROUTINE, now);
}

bool remember_copy_last(struct process_env *env, struct mono now)
{
	if (!is_asked(env, ROLE_SENDER))
		return false;
	state_copy_tend(env, KEEP_AT_THE_END, now);
	atomic_store(&env->control->memory.done, ROLE_SENDER);
	return true;
}
