/* What the service manager hears of the agent: ready once the core answers,
 * reloading, stopping, one line of status, and a sign of life as long as there
 * is life in the children.
 */
#pragma once

#include "agent/base/notify.h"
#include "agent/process/control.h"

/* Without a core that serves and a sender that beats for this long, the sign
 * is withheld. A reader that a bus holds is no reason: to begin anew would not
 * free it.
 */
#define SERVICE_LIFELESS_NS (30 * NS_PER_S)

struct service {
	struct notify notify;
	const struct control *control;	/* borrowed */
	bool ready;			/* said so */
	struct mono good, sign_due;	/* lively at; next sign at */
	char status[64];		/* of the processes, told last */
};

/* Takes what the manager put into the environment. */
void service_init(struct service *s, const struct control *control,
		  struct mono now);
/* Says that it ends. */
void service_fini(struct service *s);

/* Called about once a second: tells what changed, and gives the sign. */
void service_tend(struct service *s, struct mono now);

/* Around the reading of the configuration. */
void service_reloading(const struct service *s, struct mono now);
/* Ends it; told: what came of it, and the status until a process changes. */
void service_reloaded(const struct service *s, const char *told);
