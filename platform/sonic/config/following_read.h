/* Reads the followed rows.
 *
 *   IDLE --due--> LISTING --keys--> ROWS --all there--> IDLE
 *     `---heard of a key------------^
 *
 * CONFIG_DB's keys are listed as a whole, STATE_DB's by table; if there are too
 * many, changes are seen only by the events of the keys.
 */
#pragma once

#include "platform/sonic/switchdb/namespace.h"

/* Call once, with the namespace. epoll_fd watches the connections. */
void following_init(struct namespace *s, int epoll_fd);
/* Ends the watches and releases all rows. */
void following_fini(struct following *t);
/* The read hook of SONIC_CHANGES; as poll_read(). */
int following_poll(struct namespace *s, struct mono now, struct diag *d);
/* Reads the heard keys, when due. */
void following_check(struct namespace *s, struct mono now);
/* True once after a module came or went, unless TRANSCEIVER_INFO is read. */
bool following_modules_due(struct namespace *s, struct mono now);
/* The next time for the functions above. */
struct mono following_deadline(const struct namespace *s);
