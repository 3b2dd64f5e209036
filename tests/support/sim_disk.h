/* A disk in memory, with one folder, whose descriptor is SIM_DISK_FOLDER: it
 * loses its power before an operation of the test's choice, is full, takes
 * octets in small portions, fails, or leaves out one sync.
 *
 * After a cut each name has, by itself, any of the files that it has had since
 * the folder was synced; a file has any length between what was synced and what
 * was written, and of each sector either what was written or what was synced,
 * or nulls where nothing was.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include "agent/spool/disk.h"

#define SIM_DISK_FOLDER 3
#define SIM_DISK_FILES 40
#define SIM_DISK_NAMES 48
#define SIM_DISK_HAD 12
#define SIM_DISK_OCTETS 8192
#define SIM_DISK_SECTOR 64
#define SIM_DISK_NEVER UINT_MAX

struct sim_file {
	bool is_used;
	unsigned opened;	/* descriptors */
	size_t len, synced_len;
	unsigned char octets[SIM_DISK_OCTETS], synced[SIM_DISK_OCTETS];
};

struct sim_name {
	char name[DISK_NAME_MAX + 8];
	/* Numbers of files, -1 for none; the last one is there now. */
	int had[SIM_DISK_HAD];
	size_t had_count;
};

struct sim_disk {
	struct disk disk;	/* to be used; its context is this */
	unsigned done;		/* operations that change something */
	/* Called before each of them, if it is not NULL. */
	void (*before)(void *before_context);
	void *before_context;
	unsigned cut_at, fail_at;	/* before which, or which one */
	int fault;		/* a negative errno, of fail_at and later ones,
				 * if is_for_good */
	bool is_for_good;
	/* So many; which one does nothing; whether that one had anything to
	 * do.
	 */
	unsigned syncs, skipped_sync;
	bool was_needed;
	size_t room;		/* octets that fit into it from now on */
	size_t chunk;		/* octets that one write takes */
	struct sim_file file[SIM_DISK_FILES];
	struct sim_name name[SIM_DISK_NAMES];
	size_t name_count;
};

/* Empty, with power, without faults. */
void sim_disk_init(struct sim_disk *p);

/* Variants of what may be found after a cut: the first few are all that was
 * written; what was synced alone; names without their content; content without
 * names; any other is drawn from its number.
 */
#define SIM_DISK_PLAIN_VARIANTS 6u

/* Puts what may be found after a cut of p's power now into *ret, a disk with
 * power. Returns a hash of its names and their content.
 */
uint64_t sim_disk_cut(const struct sim_disk *p, uint64_t variant,
		      struct sim_disk *ret);

/* What is under a name now; NULL: no file. */
const struct sim_file *sim_disk_file(const struct sim_disk *p,
				     const char *name);
