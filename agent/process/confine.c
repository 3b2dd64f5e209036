#include "agent/process/confine.h"

#include <errno.h>
#include <grp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cap-ng.h>
#include <seccomp.h>

#include "agent/process/rights.h"

#define CAP_MAX 63u

/* --- giving up ------------------------------------------------------------ */

/* Needs CAP_SETPCAP; without it the set is what the unit or container says. */
static void bounding_empty(void)
{
	for (unsigned long cap = 0; cap <= CAP_MAX; cap++)
		if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1)
			(void)prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
}

/* permitted and effective: of what this process has. Ambient and inheritable
 * capabilities go in any case.
 */
static int caps_set(uint64_t permitted, uint64_t effective)
{
	capng_clear(CAPNG_SELECT_BOTH);
	for (unsigned cap = 0; cap <= CAP_MAX; cap++) {
		if (permitted >> cap & 1)
			(void)capng_update(CAPNG_ADD, CAPNG_PERMITTED, cap);
		if (effective >> cap & 1)
			(void)capng_update(CAPNG_ADD, CAPNG_EFFECTIVE, cap);
	}
	if (capng_apply(CAPNG_SELECT_CAPS) < 0)
		return -EPERM;
	return 0;
}

static uint64_t caps_permitted(void)
{
	uint64_t caps = 0;

	if (capng_get_caps_process() < 0)
		return 0;
	for (unsigned cap = 0; cap <= CAP_MAX; cap++)
		if (capng_have_capability(CAPNG_PERMITTED, cap))
			caps |= (UINT64_C(1) << cap);
	return caps;
}

/* Calls that no process of Petrel's makes, and who takes one over would. */
static const int forbidden[] = {
	SCMP_SYS(execve), SCMP_SYS(execveat),
	SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root),
	SCMP_SYS(chroot), SCMP_SYS(move_mount), SCMP_SYS(open_tree),
	SCMP_SYS(fsopen), SCMP_SYS(fsmount), SCMP_SYS(fspick),
	SCMP_SYS(fsconfig), SCMP_SYS(mount_setattr), SCMP_SYS(unshare),
	SCMP_SYS(swapon), SCMP_SYS(swapoff), SCMP_SYS(reboot),
	SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
	SCMP_SYS(kcmp), SCMP_SYS(userfaultfd), SCMP_SYS(perf_event_open),
	SCMP_SYS(bpf), SCMP_SYS(io_uring_setup),
	SCMP_SYS(init_module), SCMP_SYS(finit_module),
	SCMP_SYS(delete_module), SCMP_SYS(kexec_load),
	SCMP_SYS(kexec_file_load),
	SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(keyctl),
	SCMP_SYS(open_by_handle_at), SCMP_SYS(quotactl), SCMP_SYS(acct),
	SCMP_SYS(settimeofday), SCMP_SYS(clock_settime),
	SCMP_SYS(sethostname), SCMP_SYS(setdomainname),
	SCMP_SYS(setuid), SCMP_SYS(setreuid), SCMP_SYS(setresuid),
	SCMP_SYS(setgid), SCMP_SYS(setregid), SCMP_SYS(setresgid),
	SCMP_SYS(setgroups),
	SCMP_SYS(ptrace),	/* the last one: see SUPERVISOR_CALLS */
};

/* The supervisor ends by returning from main(), and a build that looks for
 * leaks then traces itself.
 */
#define CHILD_CALLS (sizeof(forbidden) / sizeof(forbidden[0]))
#define SUPERVISOR_CALLS (CHILD_CALLS - 1)

static int filter_load(size_t calls, struct diag *d)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int rc = filter ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < calls; i++) {
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM),
				      forbidden[i], 0);
		if (rc == -EDOM)
			rc = 0;		/* not on this machine */
	}
	if (rc == 0)
		rc = seccomp_load(filter);
	seccomp_release(filter);
	return rc < 0 ? diag_set(d, rc, "the filter of system calls: %s",
				 strerror(-rc)) : 0;
}

static int privileges_end(struct diag *d)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return diag_set(d, -errno, "no_new_privs: %s", strerror(errno));
	return 0;
}

static int caps_keep(uint64_t keep, bool in_effect, struct diag *d)
{
	keep &= caps_permitted();
	if (caps_set(keep, in_effect ? keep : 0) < 0 ||
	    caps_permitted() != keep)
		return diag_set(d, -EPERM, "capabilities cannot be dropped");
	return 0;
}

static int user_become(const struct rights *r, struct diag *d)
{
	if (setgroups(r->group_count, r->group) < 0 ||
	    prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 ||
	    setresgid(r->gid, r->gid, r->gid) < 0 ||
	    setresuid(r->uid, r->uid, r->uid) < 0)
		return diag_set(d, -errno, "cannot become user %s: %s",
				r->user, strerror(errno));
	return 0;
}

int confine_supervisor(const struct rights *r, struct diag *d)
{
	int rc;

	bounding_empty();
	rc = r->was_root ? user_become(r, d) : 0;
	if (rc == 0)
		rc = privileges_end(d);
	if (rc == 0)
		rc = caps_keep(r->reader, false, d);
	if (rc == 0 && r->was_root && setuid(0) == 0)
		rc = diag_set(d, -EPERM, "it can still become root");
	return rc < 0 ? rc : filter_load(SUPERVISOR_CALLS, d);
}

int confine_child(uint64_t keep, struct diag *d)
{
	int rc = privileges_end(d);

	if (rc == 0)
		rc = caps_keep(keep, true, d);
	return rc < 0 ? rc : filter_load(CHILD_CALLS, d);
}

int confine_more(uint64_t keep, struct diag *d)
{
	return caps_keep(keep, true, d);
}
