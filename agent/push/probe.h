/* Why there is no connection, in the network's words: nanomsg tells nobody. A
 * connection of its own to the collector's address, which sends the greeting of
 * nanomsg and looks at what comes back; used for words only.
 *
 * Never waits: probe_words() goes a step further each time.
 */
#pragma once

#include <stdbool.h>
#include "petrel/clock.h"

struct egress;

struct probe {
	int fd;			/* -1: none under way */
	bool is_greeted;
	struct mono ends;	/* then it is given up */
	char words[96];		/* of the last one; empty: not known */
};

/* Nothing is under way, nothing is known. */
void probe_init(struct probe *p);
/* Gives up what is under way. */
void probe_fini(struct probe *p);

/* Begins anew. url and by as of transport_connect(), by borrowed for the call;
 * a host that is a name is not looked up, for that may wait.
 */
void probe_begin(struct probe *p, const char *url, const struct egress *by,
		 struct mono now);

/* What the last one found; NULL: nothing that explains it, or not yet. */
const char *probe_words(struct probe *p, struct mono now);
