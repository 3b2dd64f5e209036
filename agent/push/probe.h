/* Why there is no connection, as the network reports it: nanomsg does not say.
 * Makes its own connection to the collector's address, sends the greeting of
 * nanomsg and looks at the answer; only for messages.
 *
 * Never blocks: probe_words() does one more step each time.
 */
#pragma once

#include <stdbool.h>
#include "petrel/clock.h"

struct egress;

struct probe {
	int fd;			/* -1: no probe is running */
	bool is_greeted;
	struct mono ends;	/* then it is given up */
	char words[96];		/* of the last one; empty: unknown */
};

/* Sets it up: no probe running, nothing known. */
void probe_init(struct probe *p);
/* Cancels a running probe. */
void probe_fini(struct probe *p);

/* Starts a new one. url and by as of transport_connect(), by borrowed for the
 * call; a host name is not looked up, for that may block.
 */
void probe_begin(struct probe *p, const char *url, const struct egress *by,
		 struct mono now);

/* The result of the last one; NULL: nothing that explains it, or not yet. */
const char *probe_words(struct probe *p, struct mono now);
