/* How a connection leaves this machine: by which VRF, from which address, with
 * which DSCP. Needs no capability on Linux 5.7 and later, and asks for the
 * device by its name each time, so that a VRF may go and come back.
 *
 * nanomsg opens its sockets itself and takes of all this only an address to
 * bind to, which it gives to bind(2): egress_local() makes one that bind(2), as
 * egress.c defines it for the whole program, understands. It is never refused,
 * for nanomsg 1.1.5 ends the process then; such a socket cannot connect.
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

/* Sets up a socket before it connects; one that is not of TCP stays as it is.
 * Returns a negative errno with d: which of the three it is, and why.
 */
int egress_apply(const struct egress *e, int fd, struct diag *d);

/* The LOCAL; of nanomsg's tcp://LOCAL;HOST:PORT; empty: nothing is asked for.
 * e must live as long as the socket of nanomsg.
 */
void egress_local(const struct egress *e, char ret[static EGRESS_LOCAL_SIZE]);

/* The number of its device; 0: there is none, or none is asked for. */
unsigned egress_device(const struct egress *e);
