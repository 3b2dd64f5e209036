/* Tells the service manager how the program is: sd_notify(3), in the few lines
 * that it takes, without its library. Where nobody asked to be told
 * (NOTIFY_SOCKET is not set), nothing happens.
 */
#pragma once

#include <stdint.h>

struct notify {
	int fd;			/* -1: nobody to tell */
	int64_t watchdog_ns;	/* how often it wants a sign; 0 never */
};

/* Takes NOTIFY_SOCKET and WATCHDOG_USEC out of the environment, so that no
 * child speaks for the program.
 */
void notify_init(struct notify *n);
/* Closes its socket. */
void notify_fini(struct notify *n);

/* Sends lines of KEY=value, as sd_notify(3) has them. Never waits; what cannot
 * be sent is lost.
 */
void notify_send(const struct notify *n, const char *lines);
