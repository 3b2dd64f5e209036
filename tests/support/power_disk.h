/* A disk in memory that loses its power before an operation of the test's
 * choice, is full, fails, or may not be written. After the cut a file that was
 * not synced may have any part of what was written since, and a name any of the
 * files that it has had since its folder was synced.
 *
 * One folder, whose descriptor is POWER_DISK_FOLDER.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include "agent/spool/disk.h"

#define POWER_DISK_FOLDER 3
#define POWER_DISK_FILES 8
#define POWER_DISK_NAMES 4
#define POWER_DISK_OCTETS 256
#define POWER_DISK_NEVER UINT_MAX

struct power_file {
	unsigned char octets[POWER_DISK_OCTETS];
	size_t len, synced;
};

struct power_name {
	char name[DISK_NAME_MAX + 8];
	/* Numbers of files, -1 for none; the last one is there now. */
	int had[POWER_DISK_FILES];
	size_t had_count;
};

struct power_disk {
	struct disk disk;	/* to be used; its context is this */
	unsigned done;		/* operations */
	unsigned cut_at, fail_at;	/* before which, or which one */
	int fault;		/* a negative errno, of fail_at and later ones
				 * of its kind, if is_for_good */
	bool is_for_good;
	size_t room;		/* octets that fit into it from now on */
	size_t chunk;		/* octets that one write takes */
	struct power_file file[POWER_DISK_FILES];
	size_t file_count;
	struct power_name name[POWER_DISK_NAMES];
	size_t name_count;
};

/* Empty, with power, without faults. */
void power_disk_init(struct power_disk *p);

/* What may be found under this name after a cut now: variant counts from 0 on
 * until it gives false. *ret_len: its octets, SIZE_MAX where there is no file.
 */
bool power_disk_found(const struct power_disk *p, const char *name,
		      unsigned variant, unsigned char *ret, size_t *ret_len);

/* The power comes again: each name has the file it had at first or at last, and
 * what was not synced is gone.
 */
void power_disk_on(struct power_disk *p, bool at_last);
