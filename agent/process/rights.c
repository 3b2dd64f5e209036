#include "agent/process/rights.h"

#include <cap-ng.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "agent/base/path.h"
#include "agent/config/config.h"
#include "agent/process/drivers.h"
#include "petrel/log.h"
#include "platform/registry.h"

#define CAP_BIT(cap) (UINT64_C(1) << (cap))
#define ACCOUNT_TEXT_MAX 4096	/* a line of passwd or group */
#define GROUP_PETREL "petrel"
#define USER_DEFAULT "_petrel"
#define USER_NONE "nobody"

/* --- who may open what ---------------------------------------------------- */

static bool is_member(const struct rights *r, gid_t gid)
{
	for (size_t i = 0; i < r->group_count; i++)
		if (r->group[i] == gid)
			return true;
	return r->gid == gid;
}

static void group_add(struct rights *r, gid_t gid)
{
	if (gid != 0 && !is_member(r, gid) &&
	    r->group_count < RIGHTS_GROUPS_MAX)
		r->group[r->group_count++] = gid;
}

enum file_access { ACCESS_YES, ACCESS_BY_GROUP, ACCESS_NO };

/* want: R_OK, W_OK, X_OK. ACCESS_BY_GROUP: the file's group has access, but
 * this user is not in it.
 */
static enum file_access access_to(const struct rights *r, const struct stat *st,
				  int want)
{
	mode_t mode = st->st_mode;
	bool by_group = ((int)mode >> 3 & want) == want && st->st_gid != 0;

	if (st->st_uid == r->uid)
		return ((int)mode >> 6 & want) == want ? ACCESS_YES :
							 ACCESS_NO;
	if (is_member(r, st->st_gid))
		return ((int)mode >> 3 & want) == want ? ACCESS_YES :
							 ACCESS_NO;
	if (((int)mode & want) == want)
		return ACCESS_YES;
	return by_group ? ACCESS_BY_GROUP : ACCESS_NO;
}

/* Result of one walk over all needs. */
struct survey {
	struct rights *r;	/* receives groups and capabilities */
	int root_fd;
	struct diag *d;		/* the first one added; may be NULL */
	bool grew;
};

static void survey_tell(struct survey *s, const char *path)
{
	char why[PATH_REASON_MAX];

	if (!s->grew && s->d) {
		path_reason(s->root_fd, path, -EACCES, why);
		(void)diag_set(s->d, -EACCES, "%s: %s", path, why);
	}
	s->grew = true;
}

/* One file, or a folder on the path to it. */
static enum file_access survey_part(struct survey *s, const char *path,
				    int want, const struct stat *st)
{
	enum file_access access = access_to(s->r, st, want);

	if (access != ACCESS_BY_GROUP)
		return access;
	survey_tell(s, path);
	group_add(s->r, st->st_gid);
	return access_to(s->r, st, want);
}

/* Each folder on the path, then the file itself. What does not exist, or cannot
 * be examined, needs nothing.
 */
static void survey_path(void *context, const char *path, int want, bool blocks)
{
	struct survey *s = context;
	enum file_access access = ACCESS_YES;
	char part[512];
	struct stat st;

	for (const char *at = strchr(path + 1, '/'); at && access != ACCESS_NO;
	     at = strchr(at + 1, '/')) {
		if ((size_t)(at - path) >= sizeof(part))
			return;
		(void)snprintf(part, sizeof(part), "%.*s", (int)(at - path),
			       path);
		if (!path_stat(s->root_fd, part, &st))
			return;
		access = survey_part(s, part, X_OK, &st);
	}
	if (access != ACCESS_NO && path_stat(s->root_fd, path, &st))
		access = survey_part(s, path, want, &st);
	if (access == ACCESS_NO && blocks && want == R_OK) {
		survey_tell(s, path);
		s->r->reader |= CAP_BIT(CAP_DAC_READ_SEARCH);
	}
}

static void survey_driver(struct survey *s, const struct config *c,
			  const struct platform_driver *driver)
{
	struct driver_options options = { c, driver->name };
	struct platform_env env = {
		.abi = PLATFORM_ABI, .size = sizeof(env),
		.root_fd = s->root_fd, .option_context = &options,
		.option = drivers_option };

	if (driver->needs)
		driver->needs(&env, s, survey_path);
}

/* The standing rights of a driver's sources that block. */
static uint64_t driver_rights(const struct platform_driver *driver)
{
	uint64_t rights = 0;

	for (size_t i = 0; driver->sources[i]; i++)
		if (driver->sources[i]->blocks)
			rights |= driver->sources[i]->rights;
	return rights;
}

/* For all drivers that may be opened, or those whose bit is in opened. */
static void survey_all(struct survey *s, const struct config *c,
		       const struct registry *drivers, unsigned opened)
{
	const struct platform_driver *const *all = registry_drivers(drivers);

	for (unsigned n = 0; all[n]; n++) {
		if (!drivers_may_open(c, all[n]->name) || !(opened >> n & 1))
			continue;
		s->r->reader |= driver_rights(all[n]);
		survey_driver(s, c, all[n]);
	}
}

/* --- which user ----------------------------------------------------------- */

static void user_take(struct rights *r, const struct passwd *p)
{
	gid_t groups[RIGHTS_GROUPS_MAX];
	int n = RIGHTS_GROUPS_MAX;

	r->uid = p->pw_uid;
	r->gid = p->pw_gid;
	(void)snprintf(r->user, sizeof(r->user), "%.32s", p->pw_name);
	if (getgrouplist(p->pw_name, p->pw_gid, groups, &n) < 0)
		n = RIGHTS_GROUPS_MAX;	/* list is full */
	for (int i = 0; i < n; i++)
		group_add(r, groups[i]);
}

/* The configured user; if that is the built-in one and does not exist here (a
 * checkout), nobody.
 */
static int user_find(const struct config *c, struct rights *r, struct diag *d)
{
	char text[ACCOUNT_TEXT_MAX];
	struct passwd account, *p = NULL;
	struct group group, *g = NULL;

	(void)getpwnam_r(c->user, &account, text, sizeof(text), &p);
	if (!p && strcmp(c->user, USER_DEFAULT) != 0)
		return diag_set(d, -ENOENT, "[Agent] user = %s: no such user",
				c->user);
	if (!p) {
		(void)getpwnam_r(USER_NONE, &account, text, sizeof(text), &p);
		log_notice("petreld", "user=" USER_NONE ": there is no user %s",
			   c->user);
	}
	if (!p)
		return diag_set(d, -ENOENT, "[Agent] user = %s: no such user, "
				"and no " USER_NONE, c->user);
	if (p->pw_uid == 0)
		return diag_set(d, -EINVAL, "[Agent] user = %s: petreld does "
				"not run as root", c->user);
	user_take(r, p);
	(void)getgrnam_r(GROUP_PETREL, &group, text, sizeof(text), &g);
	if (g)
		group_add(r, g->gr_gid);
	return 0;
}

/* This process' own user and groups. */
static void self_find(struct rights *r)
{
	gid_t groups[RIGHTS_GROUPS_MAX];
	int n = getgroups(RIGHTS_GROUPS_MAX, groups);

	r->uid = geteuid();
	r->gid = getegid();
	for (int i = 0; i < n; i++)
		group_add(r, groups[i]);
}

int rights_find(const struct config *c, const struct registry *drivers,
		int root_fd, struct rights *ret, struct diag *d)
{
	struct rights r = { .was_root = geteuid() == 0 };
	struct rights wanted;
	struct survey s = { .r = &wanted, .root_fd = root_fd };
	int rc = 0;

	if (r.was_root)
		rc = user_find(c, &r, d);
	else
		self_find(&r);
	if (rc < 0)
		return rc;
	wanted = r;
	survey_all(&s, c, drivers, ~0u);
	if (r.was_root)
		r = wanted;
	r.reader = wanted.reader;
	*ret = r;
	return 0;
}

/* Whether this user would be in the group if it were started now. */
static bool could_have(const struct rights *r, const struct rights *wanted)
{
	struct rights fresh = { .uid = r->uid, .gid = r->gid };
	struct passwd account, *p = NULL;
	char text[ACCOUNT_TEXT_MAX];

	if (r->was_root)
		return true;
	(void)getpwuid_r(r->uid, &account, text, sizeof(text), &p);
	if (p)
		user_take(&fresh, p);
	for (size_t i = r->group_count; i < wanted->group_count; i++)
		if (is_member(&fresh, wanted->group[i]))
			return true;
	return false;
}

bool rights_are_stale(const struct rights *r, const struct config *c,
		      const struct registry *drivers, int root_fd,
		      struct diag *d)
{
	struct rights wanted = *r;
	struct survey s = { .r = &wanted, .root_fd = root_fd, .d = d };

	survey_all(&s, c, drivers, ~0u);
	if (!s.grew || (wanted.group_count == r->group_count &&
			wanted.reader == r->reader))
		return false;
	return could_have(r, &wanted);
}

uint64_t rights_of_drivers(const struct config *c,
			   const struct registry *drivers, int root_fd,
			   unsigned opened)
{
	struct rights r = { .reader = 0 };
	struct survey s = { .r = &r, .root_fd = root_fd };

	self_find(&r);
	survey_all(&s, c, drivers, opened);
	return r.reader;
}

/* --- ownership ------------------------------------------------------------ */

/* Only a regular file of root's, not one that somebody linked here. */
static int file_hand_over(const struct rights *r, int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
			O_CLOEXEC);
	struct stat st;
	int rc = 0;

	if (fd < 0)
		return errno == ENOENT || errno == ELOOP || errno == ENXIO ?
		       0 : -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
	    st.st_uid == 0 && fchown(fd, r->uid, r->gid) < 0)
		rc = -errno;
	(void)close(fd);	/* only its owner was set */
	return rc;
}

static int all_hand_over(const struct rights *r, DIR *dir)
{
	const struct dirent *e;
	int rc = 0;

	while (rc == 0 && (e = readdir(dir)) != NULL)
		if (e->d_name[0] != '.')
			rc = file_hand_over(r, dirfd(dir), e->d_name);
	return rc;
}

int rights_hand_over(const struct rights *r, int dir_fd, const char *name,
		     struct diag *d)
{
	bool others = false, is_his = false;
	struct stat st;
	DIR *dir;
	int fd, rc = 0;

	if (!r->was_root)
		return 0;
	fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		rc = -errno;
		if (fd >= 0)
			(void)close(fd);
		return diag_set(d, rc, "%s: %s", name, strerror(-rc));
	}
	if (fstat(fd, &st) < 0)
		rc = -errno;
	else
		others = st.st_uid != 0 && st.st_uid != r->uid;
	/* no write if nothing changes: a disk may hang */
	if (rc == 0)
		is_his = st.st_uid == r->uid && st.st_gid == r->gid;
	if (rc == 0 && !others && !is_his && fchown(fd, r->uid, r->gid) < 0)
		rc = -errno;
	if (rc == 0 && !others)
		rc = all_hand_over(r, dir);
	(void)closedir(dir);
	if (others)
		return diag_set(d, -EPERM, "%s belongs to user %u; expected a "
				"folder of %s's", name, st.st_uid, r->user);
	return rc < 0 ? diag_set(d, rc, "%s cannot be given to %s: %s", name,
				 r->user, strerror(-rc)) : 0;
}

#define CAP_MAX 63u

/* --- dropping rights ------------------------------------------------------ */

/* Needs CAP_SETPCAP; without it the unit or container decides the set. */
static void bounding_empty(void)
{
	for (unsigned long cap = 0; cap <= CAP_MAX; cap++)
		if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1)
			(void)prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
}

/* permitted and effective: limited to what this process has. Ambient and
 * inheritable capabilities are dropped in any case.
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

/* Calls that no Petrel process makes, but an attacker in one would. */
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

/* The supervisor ends by returning from main(), and a build with a leak checker
 * then traces itself.
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

int rights_confine_supervisor(const struct rights *r, struct diag *d)
{
	int rc;

	bounding_empty();
	rc = r->was_root ? user_become(r, d) : 0;
	if (rc == 0)
		rc = privileges_end(d);
	if (rc == 0)
		rc = caps_keep(r->reader, false, d);
	if (rc == 0 && r->was_root && setuid(0) == 0)
		rc = diag_set(d, -EPERM, "the process can still become root");
	return rc < 0 ? rc : filter_load(SUPERVISOR_CALLS, d);
}

int rights_confine_child(uint64_t keep, struct diag *d)
{
	int rc = privileges_end(d);

	if (rc == 0)
		rc = caps_keep(keep, true, d);
	return rc < 0 ? rc : filter_load(CHILD_CALLS, d);
}

int rights_confine_more(uint64_t keep, struct diag *d)
{
	return caps_keep(keep, true, d);
}
