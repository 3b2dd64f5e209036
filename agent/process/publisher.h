/* Findings as events of SONiC's eventd (sonic-events-petrel), opt-in.
 *
 * That takes SONiC's own library, which is C++, has threads and may wait: it is
 * loaded at run time, where it is, by a process of its own. The core hands a
 * finding over through a pipe and never waits; what does not fit in it is
 * dropped and counted. The death of the publisher is noticed at the next
 * finding or tick, and another is forked.
 */
#pragma once

#include <sys/types.h>
#include "agent/process/control.h"
#include "petrel/finding.h"

#define PUBLISHER_LIBRARY "libswsscommon.so.0"
#define PUBLISHER_AGAIN_NS (5 * NS_PER_S)	/* after a death */

struct publisher {
	struct control *control;	/* borrowed */
	int fd;				/* where findings go in; -1: none */
	pid_t pid;			/* 0: none */
	struct mono again;		/* no fork before this */
};

/* Nothing is forked before publisher_tend() says that it is wanted. */
void publisher_init(struct publisher *h, struct control *control);
/* Ends the process, and waits for it. */
void publisher_fini(struct publisher *h);

/* Once a tick: forks it, or ends it, as the configuration wants. True when it
 * begins: what is open was told to nobody, and is to be told now.
 */
bool publisher_tend(struct publisher *h, bool wanted, struct mono now);
/* A finding was raised, updated or cleared. */
void publisher_tell(struct publisher *h, const struct finding *f);
