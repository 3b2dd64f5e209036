/* The place of the query socket in its folder. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>
#include "petrel/diag.h"

/* A listening socket: what it is called and which file it made. */
struct place {
	int fd;			/* -1: none */
	dev_t device;
	ino_t inode;
};

/* Listens as name in dir_fd. A socket that another agent answers on stays:
 * -EADDRINUSE; a dead one is replaced. Anybody may connect when read_all, else
 * root and group petrel.
 */
int place_take(int dir_fd, const char *name, bool read_all, struct place *ret,
	       struct diag *d);
/* The file's mode from now on: 0666 for everybody, else 0660 and group petrel.
 * Returns a negative errno with d.
 */
int place_share(int dir_fd, const char *name, bool read_all, struct diag *d);
/* Closes it, and removes the file if it is still the one that was made. */
void place_leave(struct place *p, int dir_fd, const char *name);
