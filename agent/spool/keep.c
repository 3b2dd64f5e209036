#include "agent/spool/keep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/folder.h"
#include "agent/spool/disk.h"

#define DAY_NS (24 * 3600 * NS_PER_S)
#define EARNED_A_DAY (KEEP_DAY_OCTETS - KEEP_SAVED_OCTETS)

/* --- reading -------------------------------------------------------------- */

/* What is wrong with the file, in words; NULL: the disk failed. */
static const char *refusal(int rc)
{
	switch (rc) {
	case -ELOOP:
		return "it is a link; expected a file";
	case -EINVAL:
		return "it is empty or not a file";
	case -EPERM:
		return "it belongs to another user, or others may write it";
	case -EFBIG:
		return "it is too large";
	default:
		return NULL;
	}
}

void keep_refuse(int dir_fd)
{
	(void)disk_volatile.rename(NULL, dir_fd, KEEP_NAME, KEEP_REFUSED_NAME);
}

int keep_read(int dir_fd, keep_check_fn *check, struct keep_copy *ret,
	      struct diag *d)
{
	struct keep_copy copy;
	int rc = folder_read(dir_fd, KEEP_NAME, KEEP_OCTETS_MAX, &copy.octets,
			     &copy.len);
	const char *why = refusal(rc);

	if (rc == -ENOENT)
		return rc;
	if (rc < 0 && !why)
		return diag_set(d, rc, KEEP_NAME ": %s", strerror(-rc));
	if (rc == 0) {
		rc = check(copy.octets, copy.len, &copy.wall, &why);
		if (rc < 0)
			free(copy.octets);
	}
	if (rc < 0) {
		keep_refuse(dir_fd);
		return diag_set(d, rc, KEEP_NAME ": %s; now "
				KEEP_REFUSED_NAME, why);
	}
	*ret = copy;
	return 0;
}

/* --- how often it may be written to flash --------------------------------- */

static const int64_t pause_ns[] = {
	[KEEP_ROUTINE] = 3600 * NS_PER_S,
	[KEEP_PRESSING] = 60 * NS_PER_S,
	[KEEP_AT_THE_END] = 0,
};

static int64_t earned(int64_t ns)
{
	if (ns <= 0)
		return 0;
	if (ns >= DAY_NS)
		return EARNED_A_DAY;
	return ns / NS_PER_MS * EARNED_A_DAY / (DAY_NS / NS_PER_MS);
}

static int64_t lesser(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

void keep_pace_init(struct keep_pace *p, int64_t age_ns, struct mono now)
{
	*p = (struct keep_pace){ .octets = KEEP_SAVED_OCTETS, .counted = now };
	if (age_ns < 0)
		return;
	p->octets = earned(age_ns);
	p->has_last = true;
	p->last.ns = now.ns - age_ns;
}

/* Time too short to earn an octet goes on counting. */
static void count(struct keep_pace *p, struct mono now)
{
	int64_t more = earned(mono_diff_ns(now, p->counted));

	if (more <= 0)
		return;
	p->octets = lesser(p->octets + more, KEEP_SAVED_OCTETS);
	p->counted = now;
}

static int64_t cost(size_t len)
{
	size_t pages = (len + KEEP_PAGE_OCTETS - 1) / KEEP_PAGE_OCTETS;

	return (int64_t)(pages * KEEP_PAGE_OCTETS + KEEP_EXTRA_OCTETS);
}

bool keep_pace_take(struct keep_pace *p, size_t len, enum keep_reason reason,
		    struct mono now)
{
	int64_t wanted = cost(len);

	count(p, now);
	if (p->has_last && mono_diff_ns(now, p->last) < pause_ns[reason])
		return false;
	if (p->octets < (reason == KEEP_AT_THE_END ? wanted :
			 lesser(2 * wanted, KEEP_SAVED_OCTETS)))
		return false;
	p->octets -= wanted;
	p->has_last = true;
	p->last = now;
	return true;
}
