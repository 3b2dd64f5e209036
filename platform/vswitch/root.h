/* The files of a switch, below a folder that stands for its /: addresses of
 * databases, image, hardware, cause of the start. The cause is in STATE_DB,
 * too, and belongs to one boot, which a reload of the configuration is not.
 */
#pragma once

#include <stddef.h>
#include "petrel/diag.h"

struct box;

#define ROOT_PATH_MAX 512

/* The socket of a namespace's redis-server: asic below 0 is the host. */
void root_socket(const char *root, int asic, char ret[ROOT_PATH_MAX]);

/* Opens the root for the box, and makes folders and files. An existing file
 * stays as it is: it is somebody else's, or from an earlier run. Returns a
 * negative errno with its path.
 */
int root_open(const char *root, struct box *b, struct diag *d);

/* Replaces a file below an open root, all or nothing, so that a reader
 * meanwhile sees the old one. Makes missing folders. Returns a negative errno.
 */
int root_replace(int root_fd, const char *path, const void *data, size_t len);

/* The switch boots now: writes its file, if it has a root. Logs a failure. */
void root_reboot(struct box *b);
/* REBOOT_CAUSE of that boot. */
void root_reboot_row(struct box *b);
