/* Reports the program's state to the service manager: sd_notify(3) in a few
 * lines, without its library. Does nothing if NOTIFY_SOCKET is not set.
 */
#pragma once

#include <stdint.h>

struct notify {
	int fd;			/* -1: no service manager */
	int64_t watchdog_ns;	/* watchdog interval; 0: none */
};

/* Removes NOTIFY_SOCKET and WATCHDOG_USEC from the environment, so that no
 * child notifies on the program's behalf.
 */
void notify_init(struct notify *n);
/* Closes its socket. */
void notify_fini(struct notify *n);

/* Sends lines of KEY=value, as sd_notify(3) defines them. Never blocks; what
 * cannot be sent is lost.
 */
void notify_send(const struct notify *n, const char *lines);
