/* How a connection leaves this machine: by which VRF, from which address, with
 * which DSCP. Needs no capability on Linux 5.7 and later, and looks the device
 * up by name each time, so that a VRF may go and come back.
 *
 * nanomsg opens its sockets itself and accepts only an address, which it passes
 * to bind(2): egress_local() makes one for the bind(2) of egress.c, which
 * replaces the real one in the whole program. It never fails, for nanomsg 1.1.5
 * would then end the process; such a socket cannot connect.
 */
#pragma once

#include <net/if.h>
#include <netinet/in.h>
#include "petrel/diag.h"

struct egress {
	char vrf[IFNAMSIZ];		/* or an interface; empty: any */
	char source[INET6_ADDRSTRLEN];	/* empty: as the route says */
	unsigned dscp;
};

/* Long enough for what egress_local() writes. */
#define EGRESS_LOCAL_SIZE (INET6_ADDRSTRLEN + 3)

/* Sets up a socket before it connects; does nothing to one that is not TCP.
 * Returns a negative errno with d: which of the three it is, and why.
 */
int egress_apply(const struct egress *e, int fd, struct diag *d);

/* The LOCAL; of nanomsg's tcp://LOCAL;HOST:PORT; empty: nothing is requested. e
 * must live as long as nanomsg's socket.
 */
void egress_local(const struct egress *e, char ret[static EGRESS_LOCAL_SIZE]);

/* Its device's index; 0: there is none, or none is requested. */
unsigned egress_device(const struct egress *e);
