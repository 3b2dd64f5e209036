/* Hearing of keys that were written: they are read soon. */
#pragma once

#include "platform/sonic/switchdb/namespace.h"

/* Once, with the namespace. epoll_fd: where the watches go. */
void settings_hear_init(struct namespace *s, int epoll_fd);
/* Ends the watches and releases all rows. */
void settings_hear_fini(struct namespace *s);
/* Listens where the databases are now. A connection that was lost may have
 * missed something.
 */
void settings_hear(struct namespace *s, struct mono now);
