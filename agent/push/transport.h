/* The only code that knows nanomsg: frames to and from one collector, or many
 * agents, over raw REQ/REP. Nothing here guarantees delivery.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "petrel/wire.h"

struct egress;
struct transport;

/* Where a frame came from, to route an answer back. */
struct transport_peer {
	uint8_t header[64];
	size_t len;
};

/* url: tcp://host:port or ipc:///path. by: how it leaves this machine;
 * borrowed, for as long as the transport; NULL: the machine's default. Returns
 * -EINVAL with d.
 */
int transport_connect(const char *url, const struct egress *by,
		      struct transport **ret, struct diag *d);

/* The other end: takes any number of peers. */
int transport_bind(const char *url, struct transport **ret, struct diag *d);

/* Drops what was not sent yet. */
void transport_close(struct transport *t);

/* A descriptor that is readable when a frame may be there; it changes with
 * transport_renew().
 */
int transport_fd(const struct transport *t);

/* Never blocks. peer NULL for a connecting end. Returns 0, -EAGAIN, -EMSGSIZE,
 * -ECONNRESET (this peer is gone).
 */
int transport_send(struct transport *t, const struct transport_peer *peer,
		   const void *frame, size_t len);
/* Copies a frame; returns its length, -EAGAIN, -EMSGSIZE (dropped), -EIO. */
int transport_receive(struct transport *t, struct transport_peer *ret_peer,
		      void *ret, size_t cap);

/* Drops the connection and makes a new one, with a new socket: a silent peer is
 * never reported, and nanomsg keeps octets that it did not understand across
 * its own reconnects, so that it never understands the following ones.
 * transport_fd() must have left every loop before; on failure nothing changed.
 * Returns -EBUSY while the previous socket is not closed yet: nanomsg waits for
 * a name lookup, which may take any time.
 */
int transport_renew(struct transport *t);
