#include "agent/query/access.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/base/path.h"

#define PEER_GROUPS_MAX 64
#define UID_NOBODY 65534	/* the kernel's, for an unmapped uid */
#define GROUP_TEXT_MAX 4096	/* a longer line of the group is not found */

gid_t peer_group(void)
{
	char text[GROUP_TEXT_MAX];
	struct group g, *found = NULL;

	if (getgrnam_r(PETREL_GROUP, &g, text, sizeof(text), &found) != 0)
		return PEER_GROUP_NONE;
	return found ? found->gr_gid : PEER_GROUP_NONE;
}

static bool is_in_group(int fd, gid_t own, gid_t wanted)
{
	gid_t groups[PEER_GROUPS_MAX];
	socklen_t len = sizeof(groups);

	if (wanted == PEER_GROUP_NONE)
		return false;
	if (own == wanted)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len) < 0)
		return false;
	for (size_t i = 0; i < len / sizeof(groups[0]); i++)
		if (groups[i] == wanted)
			return true;
	return false;
}

/* Trusted whatever its groups are. */
static bool is_own(uid_t uid)
{
	return uid == 0 || (uid == geteuid() && uid != UID_NOBODY);
}

int peer_read(int fd, struct query_peer *ret)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return -errno;
	*ret = (struct query_peer){
		.pid = cred.pid, .uid = cred.uid,
		.in_group = !is_own(cred.uid) &&
			    is_in_group(fd, cred.gid, peer_group()) };
	return 0;
}

bool peer_is_trusted(const struct query_peer *p)
{
	return is_own(p->uid) || p->in_group;
}

/* --- the place ----------------------------------------------------------- */

#define BACKLOG 16
#define MODE_ALL 0666
#define MODE_GROUP 0660

static int socket_new(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	return fd;
}

/* Whether an agent listens there. A full backlog (EAGAIN) is an agent, too. */
static bool somebody_answers(const struct sockaddr_un *address)
{
	int fd = socket_new();
	bool answers;

	if (fd < 0)
		return false;
	answers = connect(fd, (const struct sockaddr *)address,
			  sizeof(*address)) == 0 || errno == EAGAIN;
	(void)close(fd);
	return answers;
}

/* A client needs write permission on the socket's file to connect. */
int place_share(int dir_fd, const char *name, bool read_all, struct diag *d)
{
	gid_t group = peer_group();

	/* Without that group on this machine only root may ask. */
	if (!read_all && group != PEER_GROUP_NONE &&
	    fchownat(dir_fd, name, (uid_t)-1, group, AT_SYMLINK_NOFOLLOW) < 0)
		return diag_set(d, -errno, "%s: cannot give it to group "
				PETREL_GROUP ": %s", name, strerror(errno));
	if (fchmodat(dir_fd, name, read_all ? MODE_ALL : MODE_GROUP, 0) < 0)
		return diag_set(d, -errno, "%s: cannot set its mode: %s", name,
				strerror(errno));
	return 0;
}

/* Nobody else can take the name meanwhile: one petreld holds the folder. */
static int place_bind(int dir_fd, const char *name, bool read_all, int fd,
		      struct diag *d)
{
	struct sockaddr_un address;

	if (path_address(dir_fd, name, &address) < 0)
		return diag_set(d, -ENAMETOOLONG, "%s: too long for a socket's "
				"name", name);
	if (somebody_answers(&address))
		return diag_set(d, -EADDRINUSE, "%s: another agent answers "
				"there; stop it first", name);
	if (unlinkat(dir_fd, name, 0) < 0 && errno != ENOENT)
		return diag_set(d, -errno, "%s: cannot remove the socket of an "
				"earlier agent: %s", name, strerror(errno));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return diag_set(d, -errno, "%s: cannot create the socket: %s",
				name, strerror(errno));
	if (listen(fd, BACKLOG) < 0)
		return diag_set(d, -errno, "%s: cannot listen: %s", name,
				strerror(errno));
	return place_share(dir_fd, name, read_all, d);
}

int place_take(int dir_fd, const char *name, bool read_all, struct place *ret,
	       struct diag *d)
{
	int fd = socket_new(), rc;
	struct stat st;

	rc = fd < 0 ? diag_set(d, fd, "no socket: %s", strerror(-fd)) :
		      place_bind(dir_fd, name, read_all, fd, d);
	if (rc == 0 && fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		rc = diag_set(d, -errno, "%s: %s", name, strerror(errno));
	if (rc < 0) {
		if (fd >= 0)
			(void)close(fd);
		return rc;
	}
	*ret = (struct place){ .fd = fd, .device = st.st_dev,
			       .inode = st.st_ino };
	return 0;
}

void place_leave(struct place *p, int dir_fd, const char *name)
{
	struct stat st;

	if (p->fd < 0)
		return;
	(void)close(p->fd);
	p->fd = -1;
	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_dev == p->device && st.st_ino == p->inode)
		(void)unlinkat(dir_fd, name, 0);
}

/* --- turns --------------------------------------------------------------- */

static void purse_fill(struct purse *p, int64_t share, int64_t burst_ns,
		       struct mono now)
{
	int64_t gone_ns = mono_diff_ns(now, p->filled);

	if (gone_ns < share)
		return;		/* less than 1 ns more */
	p->filled = now;
	p->ns = gone_ns / share < burst_ns - p->ns ? p->ns + gone_ns / share
						   : burst_ns;
}

/* The time until the purse has something in it again. */
static int64_t purse_wait_ns(const struct purse *p, int64_t share)
{
	return p->ns > 0 ? 0 : (1 - p->ns) * share;
}

static const struct turns_uid *uid_find(const struct turns *t, uid_t uid)
{
	for (unsigned i = 0; i < TURNS_UIDS_MAX; i++)
		if (t->uid[i].used && t->uid[i].uid == uid)
			return &t->uid[i];
	return NULL;
}

/* The uid's entry; if there is none, replaces that of the uid served longest
 * ago, with a full purse.
 */
static struct turns_uid *uid_take(struct turns *t, uid_t uid, struct mono now)
{
	struct turns_uid *oldest = &t->uid[0];

	for (unsigned i = 0; i < TURNS_UIDS_MAX; i++) {
		struct turns_uid *u = &t->uid[i];

		if (u->used && u->uid == uid)
			return u;
		if (oldest->used && (!u->used ||
				     u->served.ns < oldest->served.ns))
			oldest = u;
	}
	*oldest = (struct turns_uid){ .uid = uid, .used = true,
				      .served = { INT64_MIN },
				      .purse = { TURNS_UID_BURST_NS, now } };
	return oldest;
}

void turns_init(struct turns *t, struct mono now)
{
	memset(t, 0, sizeof(*t));
	t->trusted = (struct purse){ TURNS_TRUSTED_BURST_NS, now };
	t->others = (struct purse){ TURNS_OTHERS_BURST_NS, now };
}

int64_t turns_wait_ns(struct turns *t, const struct turns_asker *a,
		      struct mono now)
{
	struct turns_uid *u;
	int64_t all_ns, own_ns;

	if (a->trusted) {
		purse_fill(&t->trusted, TURNS_TRUSTED_SHARE,
			   TURNS_TRUSTED_BURST_NS, now);
		return purse_wait_ns(&t->trusted, TURNS_TRUSTED_SHARE);
	}
	u = uid_take(t, a->uid, now);
	purse_fill(&t->others, TURNS_OTHERS_SHARE, TURNS_OTHERS_BURST_NS, now);
	purse_fill(&u->purse, TURNS_UID_SHARE, TURNS_UID_BURST_NS, now);
	all_ns = purse_wait_ns(&t->others, TURNS_OTHERS_SHARE);
	own_ns = purse_wait_ns(&u->purse, TURNS_UID_SHARE);
	return own_ns > all_ns ? own_ns : all_ns;
}

static int64_t served_ns(const struct turns *t, uid_t uid)
{
	const struct turns_uid *u = uid_find(t, uid);

	return u ? u->served.ns : INT64_MIN;
}

bool turns_before(const struct turns *t, const struct turns_asker *a,
		  const struct turns_asker *b)
{
	int64_t left, right;

	if (a->trusted != b->trusted)
		return a->trusted;
	left = a->trusted ? 0 : served_ns(t, a->uid);
	right = b->trusted ? 0 : served_ns(t, b->uid);
	return left != right ? left < right : a->number < b->number;
}

void turns_pay(struct turns *t, const struct turns_asker *a, int64_t cost_ns,
	       struct mono now)
{
	struct turns_uid *u;

	if (a->trusted) {
		t->trusted.ns -= cost_ns;
		return;
	}
	u = uid_take(t, a->uid, now);
	u->served = now;
	u->purse.ns -= cost_ns;
	t->others.ns -= cost_ns;
}
