/* High-frequency telemetry: the chip's own stream of counters, from netlink to
 * samples. One source of the sonic driver.
 *
 *   netlink -> ipfix -> templates -> (each record: watchers) -> a tick's values
 *                          ^
 *   STATE_DB -> sessions --+   what has no template yet waits, bounded
 *
 * Where the kernel has no such family, or no session is enabled, the source is
 * unsupported, with the reason: nothing is wrong, and the database is not even
 * asked. Whatever is lost or refused is counted, and makes the source limited
 * for a minute, with the counts; what the kernel dropped is an event, too.
 */
#pragma once

#include <stdbool.h>
#include "platform/sonic/hft_settings.h"
#include "platform/sonic/space.h"

struct hft;

/* Opens the socket. What is wrong with the settings, the numbers' file or the
 * socket is no failure: the source tells it. Returns -ENOMEM with d.
 *
 * space: whose objects and STATE_DB; must outlive it
 * epoll_fd: where its sockets are watched, with NULL as their pointer
 */
int hft_new(struct space *space, int epoll_fd, hft_option_fn *option,
	    void *option_context, struct hft **ret, struct diag *d);
/* NULL is allowed. */
void hft_free(struct hft *h);

/* The read hook: hands over what came since the last call, and tells the state
 * of the source itself. Always returns 1.
 */
int hft_read(struct hft *h, struct mono now, struct diag *d);

/* The database may have answered; readable: so may a socket of its own. */
void hft_event(struct hft *h, struct mono now, bool readable);
