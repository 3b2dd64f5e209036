#include "platform/sim/start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "agent/base/number.h"

#define NAME_KEPT 15		/* of a process's name, by the kernel */
#define FIELDS_TO_START 20	/* from the name's ")"; proc(5), field 22 */

int start_parse(const char *stat, const char *name, int64_t *ret_ticks)
{
	const char *open = strchr(stat, '('), *at = strrchr(stat, ')');
	size_t len = strnlen(name, NAME_KEPT);
	uint64_t ticks;

	if (!open || !at || at < open)
		return -EBADMSG;
	if ((size_t)(at - open - 1) != len || memcmp(open + 1, name, len) != 0)
		return -ENOENT;
	for (int i = 0; i < FIELDS_TO_START; i++) {
		at = strchr(at + 1, ' ');
		if (!at)
			return -EBADMSG;
	}
	if (number_parse_n(at + 1, strcspn(at + 1, " \n"), 0, INT64_MAX,
			   &ticks) < 0)
		return -EBADMSG;
	*ret_ticks = (int64_t)ticks;
	return 0;
}

static int parent_read(char *ret, size_t cap)
{
	char path[32];
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)getppid());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, ret, cap - 1);
	(void)close(fd);	/* it was only read */
	if (n < 0)
		return -EIO;
	ret[n] = '\0';
	return 0;
}

static int64_t clock_ns(clockid_t id)
{
	struct timespec t;

	(void)clock_gettime(id, &t);	/* cannot fail for these clocks */
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

struct mono start_find(struct mono now)
{
	int64_t ticks, hz = sysconf(_SC_CLK_TCK), begin = now.ns;
	char stat[512];

	if (parent_read(stat, sizeof(stat)) == 0 && hz > 0 &&
	    start_parse(stat, program_invocation_short_name, &ticks) == 0)
		/* The kernel counts from boot, sleep included. */
		begin = ticks * (NS_PER_S / hz) -
			(clock_ns(CLOCK_BOOTTIME) - clock_ns(CLOCK_MONOTONIC));
	if (begin < 0 || begin > now.ns)
		begin = now.ns;
	return (struct mono){ begin / NS_PER_S * NS_PER_S };
}
