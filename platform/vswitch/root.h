/* The files of a switch, below a folder that stands for its /: where its
 * databases are, which image runs, what hardware it is, why it was started.
 * That is in STATE_DB, too, and of one boot, which a reload of the
 * configuration is not.
 */
#pragma once

#include <stddef.h>
#include "petrel/diag.h"

struct box;
struct cadences;

#define ROOT_PATH_MAX 512

/* Where redis-server of a namespace listens: asic below 0 is the host's. */
void root_socket(const char *root, int asic, char ret[ROOT_PATH_MAX]);

/* Opens the root for the box, and makes folders and files. One that is there
 * already stays as it is: somebody else's, or that of a run before. c: what
 * xcvrd is asked for. Returns a negative errno with its path.
 */
int root_open(const char *root, struct box *b, const struct cadences *c,
	      struct diag *d);

/* Puts a file in place of what is there, below an open root: whole or not at
 * all, so that who reads it meanwhile has the one before. Makes the folders on
 * the way. Returns a negative errno.
 */
int root_replace(int root_fd, const char *path, const void *data, size_t len);

/* The switch boots now: its file is written, where it has a root. A failure is
 * told in the log.
 */
void root_reboot(struct box *b);
/* REBOOT_CAUSE of that boot. */
void root_reboot_row(struct box *b);
