/* Findings as events of SONiC's eventd (sonic-events-petrel), opt-in.
 *
 * It needs SONiC's own library, which is C++, has threads and may block: a
 * separate process loads it at run time, if it exists. The core writes a
 * finding to a pipe and never waits; what does not fit is dropped and counted.
 * The death of the publisher is noticed at the next finding or tick, and
 * another is forked.
 */
#pragma once

#include <sys/types.h>
#include "agent/process/control.h"
#include "petrel/finding.h"

#define PUBLISHER_LIBRARY "libswsscommon.so.0"
#define PUBLISHER_AGAIN_NS (5 * NS_PER_S)	/* after a death */

struct publisher {
	struct control *control;	/* borrowed */
	int fd;				/* write end for findings; -1: none */
	pid_t pid;			/* 0: none */
	struct mono again;		/* no fork before this */
};

/* Forks nothing until publisher_tend() finds it wanted. */
void publisher_init(struct publisher *h, struct control *control);
/* Ends the process, and waits for it. */
void publisher_fini(struct publisher *h);

/* Once a tick: forks or ends it, as configured. True when it starts: the open
 * findings are new to it, and must be sent now.
 */
bool publisher_tend(struct publisher *h, bool wanted, struct mono now);
/* A finding was raised, updated or cleared. */
void publisher_tell(struct publisher *h, const struct finding *f);
