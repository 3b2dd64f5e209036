#include "agent/process/home.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/clean.h"
#include "agent/base/folder.h"
#include "agent/base/path.h"
#include "agent/base/ring.h"
#include "agent/query/access.h"
#include "agent/spool/disk.h"
#include "petrel/local.h"

#define VERSION_NAME "version"
#define IDENTITY_NAME "identity"
#define IDENTITY_OCTETS_MAX 512
#define LAST_WORDS_MODE 0644
#define RUN_DIR_MODE 0755
#define LOCK_MODE 0600		/* whoever may open it could hold it */
#define VERSION_MODE 0644
#define LOCK_TRIES 20		/* children of a killed supervisor end soon */
#define LOCK_PAUSE_NS 100000000

/* mkdir -p below root; returns a descriptor of the last folder. New folders are
 * 0755, whatever the umask.
 */
static int folder_make(int root_fd, const char *path)
{
	int at = dup(root_fd);

	while (at >= 0 && *path) {
		char part[CONFIG_TEXT_MAX];
		size_t n = strcspn(path, "/");
		bool is_made;
		int next;

		(void)snprintf(part, sizeof(part), "%.*s", (int)n, path);
		path += n + (path[n] == '/');
		if (n == 0)
			continue;
		is_made = mkdirat(at, part, RUN_DIR_MODE) == 0;
		next = openat(at, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (next < 0 || (is_made && fchmod(next, RUN_DIR_MODE) < 0)) {
			int err = errno;

			if (next >= 0)
				(void)close(next);
			(void)close(at);
			errno = err;
			return -1;
		}
		(void)close(at);
		at = next;
	}
	return at;
}

static int lock_take(int lock_fd)
{
	static const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };

	for (int i = 0; i < LOCK_TRIES; i++) {
		if (flock(lock_fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK)
			return -errno;
		(void)nanosleep(&pause, NULL);
	}
	return -EADDRINUSE;
}

/* The first word of a file below the root; "" where there is none. */
static void word_read(int root_fd, const char *path,
		      char ret[static SWITCH_NAME_MAX])
{
	(void)path_line(root_fd, path, ret, SWITCH_NAME_MAX);
	ret[strcspn(ret, " \t\r")] = '\0';
}

static void host_find(const char *root, struct home *p)
{
	if (strcmp(root, "/") != 0)
		word_read(p->root_fd, "etc/hostname", p->host_name);
	if (!p->host_name[0])
		(void)gethostname(p->host_name, sizeof(p->host_name) - 1);
	clean_in_place(p->host_name);
	word_read(p->root_fd, "etc/machine-id", p->machine_id);
}

/* One line of the file: a word, a blank, a text. */
static void identity_line(char *line, struct control_identity *ret)
{
	const struct {
		const char *word;
		char *to;
		size_t cap;
	} lines[] = {
		{ "id", ret->id, sizeof(ret->id) },
		{ "name", ret->name, sizeof(ret->name) },
		{ "serial", ret->serial, sizeof(ret->serial) },
		{ "mac", ret->mac, sizeof(ret->mac) },
	};
	char *text = strchr(line, ' ');

	if (!text)
		return;
	*text++ = '\0';
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (strcmp(line, lines[i].word) == 0)
			(void)snprintf(lines[i].to, lines[i].cap, "%s", text);
}

static void identity_read(int dir_fd, struct control_identity *ret)
{
	char text[IDENTITY_OCTETS_MAX + 1], *rest = text, *line;
	char id[SWITCH_NAME_MAX];
	int fd = openat(dir_fd, IDENTITY_NAME,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;

	memset(ret, 0, sizeof(*ret));
	text[n > 0 ? n : 0] = '\0';
	while ((line = strsep(&rest, "\n")) != NULL)
		identity_line(line, ret);
	label_serial(ret->id, id);
	if (!id[0])		/* damaged */
		memset(ret, 0, sizeof(*ret));
	if (fd >= 0)
		(void)close(fd);
}

/* Whole, or unchanged. */
static void identity_write(int dir_fd, const struct control_identity *identity)
{
	char text[IDENTITY_OCTETS_MAX];
	int n = snprintf(text, sizeof(text), "id %s\nname %s\nserial %s\n"
			 "mac %s\n", identity->id, identity->name,
			 identity->serial, identity->mac);

	/* on failure the next run finds out by itself */
	(void)disk_put(&disk_durable, dir_fd, IDENTITY_NAME, text, (size_t)n);
}

void home_remember(int root_fd, int run_dir_fd,
		   const struct control_identity *identity)
{
	int fd = path_open(root_fd, HOME_STATE_DIR, O_RDONLY | O_DIRECTORY);

	identity_write(run_dir_fd, identity);
	if (fd < 0)
		return;		/* the next run finds out by itself */
	identity_write(fd, identity);
	(void)close(fd);
}

/* Reads the kept identity; a file without an id counts as none. */
static void identity_recall(struct home *p)
{
	int fd = path_open(p->root_fd, HOME_STATE_DIR, O_RDONLY | O_DIRECTORY);

	identity_read(p->run_dir_fd, &p->is);
	if (fd < 0)
		return;
	identity_read(fd, &p->kept);
	(void)close(fd);
}

/* Reads which build ran here, and notes the present one. The run folder lasts
 * as long as the run.
 */
static void version_take(struct home *p)
{
	int fd = folder_file(p->run_dir_fd, VERSION_NAME, VERSION_MODE);
	ssize_t n = fd >= 0 ? read(fd, p->previous_version,
				   sizeof(p->previous_version) - 1) : -1;

	p->previous_version[n > 0 ? n : 0] = '\0';
	p->previous_version[strcspn(p->previous_version, "\r\n")] = '\0';
	if (fd < 0)
		return;		/* the next build will not learn of this one */
	if (strcmp(p->previous_version, PETREL_VERSION) != 0 &&
	    ftruncate(fd, 0) == 0)
		(void)!pwrite(fd, PETREL_VERSION "\n",
			      sizeof(PETREL_VERSION), 0);
	(void)close(fd);
}

/* Whether root must not touch it: it holds something, but not the lock of an
 * earlier petreld.
 */
static bool is_foreign(int dir_fd)
{
	int fd = geteuid() != 0 ? -1 :
		 openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	bool foreign = false;

	if (!dir && fd >= 0)
		(void)close(fd);	/* read-only */
	while (dir && (e = readdir(dir)) != NULL) {
		if (strcmp(e->d_name, HOME_LOCK_NAME) == 0) {
			foreign = false;
			break;
		}
		foreign |= strcmp(e->d_name, ".") != 0 &&
			   strcmp(e->d_name, "..") != 0;
	}
	if (dir)
		(void)closedir(dir);	/* read-only */
	return foreign;
}

static void last_words_write(int dir_fd, const char *why)
{
	int fd;

	(void)unlinkat(dir_fd, LOCAL_LAST_WORDS, 0);
	fd = folder_file(dir_fd, LOCAL_LAST_WORDS, LAST_WORDS_MODE);
	if (fd < 0)
		return;		/* no message then */
	(void)dprintf(fd, "%lld\n%s\n", (long long)clock_wall_now().ns, why);
	(void)close(fd);
}

void home_last_words(const char *root, const char *run_dir, const char *why)
{
	int root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int dir_fd = root_fd < 0 ? -1 : folder_make(root_fd, run_dir);
	int lock_fd = dir_fd < 0 || is_foreign(dir_fd) ||
		      folder_check(dir_fd, run_dir, NULL) < 0 ? -1 :
		      folder_file(dir_fd, HOME_LOCK_NAME, LOCK_MODE);

	if (lock_fd >= 0 && flock(lock_fd, LOCK_EX | LOCK_NB) == 0)
		last_words_write(dir_fd, why);
	if (lock_fd >= 0)
		(void)close(lock_fd);
	if (dir_fd >= 0)
		(void)close(dir_fd);
	if (root_fd >= 0)
		(void)close(root_fd);
}

/* Opens run folder and lock file. */
static int run_dir_open(const char *root, const struct config *c,
			struct home *p, struct diag *d)
{
	int rc;

	p->run_dir_fd = folder_make(p->root_fd, c->run_dir);
	if (p->run_dir_fd < 0)
		return diag_set(d, -errno, "[Agent] run_dir = %s (below %s): "
				"%s", c->run_dir, root, strerror(errno));
	rc = folder_check(p->run_dir_fd, c->run_dir, d);
	if (rc < 0)
		return diag_prefix(d, rc, "[Agent] run_dir");
	if (is_foreign(p->run_dir_fd))
		return diag_set(d, -ENOTEMPTY, "[Agent] run_dir = %s has files "
				"that are not Petrel's; expected a folder for "
				"Petrel alone", c->run_dir);
	p->lock_fd = folder_file(p->run_dir_fd, HOME_LOCK_NAME, LOCK_MODE);
	return p->lock_fd >= 0 ? 0 :
	       diag_set(d, p->lock_fd, "[Agent] run_dir = %s (below %s): %s: "
			"%s", c->run_dir, root, HOME_LOCK_NAME,
			strerror(-p->lock_fd));
}

int home_open(const char *root, const struct config *c, struct home *ret,
	       struct diag *d)
{
	struct home p = { .root_fd = -1, .run_dir_fd = -1, .lock_fd = -1 };
	int rc;

	p.root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p.root_fd < 0)
		return diag_set(d, -errno, "--root %s: %s", root,
				strerror(errno));
	rc = run_dir_open(root, c, &p, d);
	if (rc < 0) {
		home_close(&p);
		return rc;
	}
	rc = lock_take(p.lock_fd);
	if (rc < 0) {
		home_close(&p);
		return diag_set(d, rc, "another petreld holds %s/%s below %s; "
				"stop it first, or set another run_dir",
				c->run_dir, HOME_LOCK_NAME, root);
	}
	host_find(root, &p);
	identity_recall(&p);
	version_take(&p);
	(void)unlinkat(p.run_dir_fd, LOCAL_LAST_WORDS, 0);
	memcpy(ret, &p, sizeof(p));
	return 0;
}

void home_close(struct home *p)
{
	if (p->lock_fd >= 0)
		(void)close(p->lock_fd);
	if (p->run_dir_fd >= 0)
		(void)close(p->run_dir_fd);
	if (p->root_fd >= 0)
		(void)close(p->root_fd);
}

int home_share(int run_dir_fd, const struct config *c, struct diag *d)
{
	bool all = c->read == READ_ALL;
	gid_t group = all ? PEER_GROUP_NONE : peer_group();

	return ring_set_share(run_dir_fd, all, group, d);
}
