/* Reading the rows that are followed.
 *
 *   IDLE --due--> LISTING --keys--> ROWS --all there--> IDLE
 *     `---heard of a key------------^
 *
 * CONFIG_DB's keys are listed whole, STATE_DB's by table; where there are too
 * many, changes are seen by the events of the keys alone.
 */
#pragma once

#include "platform/sonic/switchdb/namespace.h"

/* Once, with the namespace. epoll_fd: where the watches go. */
void following_init(struct namespace *s, int epoll_fd);
/* Ends the watches and releases all rows. */
void following_fini(struct following *t);
/* The read hook of SONIC_CHANGES; as poll_read(). */
int following_poll(struct namespace *s, struct mono now, struct diag *d);
/* Reads what was heard of, when it is time to. */
void following_check(struct namespace *s, struct mono now);
/* A module came or went, and TRANSCEIVER_INFO is not being read: true once. */
bool following_modules_due(struct namespace *s, struct mono now);
/* When these are wanted. */
struct mono following_deadline(const struct namespace *s);
