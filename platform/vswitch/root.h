/* The files of a switch, below a folder that stands for its /: where its
 * databases are, which image runs, what hardware it is, why it was started.
 */
#pragma once

#include <stddef.h>
#include "petrel/diag.h"

struct box;

#define ROOT_PATH_MAX 512

/* Where redis-server of a namespace listens: asic below 0 is the host's. */
void root_socket(const char *root, int asic, char ret[ROOT_PATH_MAX]);

/* Makes folders and files. One that is there already stays as it is: somebody
 * else's, or that of a run before. Returns a negative errno with its path.
 */
int root_write(const char *root, const struct box *b, struct diag *d);
