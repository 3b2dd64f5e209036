/* The kernel's end of a netlink socket, for tests: the socket under test is
 * replaced by one end of a pair, and the test answers at the other.
 */
#pragma once

#include "tests/support/netlink_bytes.h"

/* Puts one end of a new pair in the place of fd; returns the other. */
int fake_kernel_take(int fd);

/* Sends the datagram, and empties it for the next. */
void fake_kernel_send(int fd, struct netlink_bytes *b);

/* Takes a request; its sequence number, or 0 when there was none. */
uint32_t fake_kernel_request(int fd, uint16_t *ret_type);
