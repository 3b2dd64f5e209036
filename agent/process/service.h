/* What the agent tells the service manager: ready once the core answers,
 * reloading, stopping, one line of status, and the watchdog sign while the
 * children work.
 */
#pragma once

#include "agent/base/notify.h"
#include "agent/process/control.h"

/* The sign is withheld when the core does not answer or the sender does not
 * beat for this long. A reader stuck on a bus does not count: a restart would
 * not free it.
 */
#define SERVICE_LIFELESS_NS (30 * NS_PER_S)

struct service {
	struct notify notify;
	const struct control *control;	/* borrowed */
	bool ready;			/* READY was sent */
	struct mono good, sign_due;	/* all was well at; next sign at */
	char status[64];		/* of the processes, sent last */
};

/* Reads the manager's environment variables. */
void service_init(struct service *s, const struct control *control,
		  struct mono now);
/* Reports that it ends. */
void service_fini(struct service *s);

/* Called about once a second: reports changes, and sends the sign. */
void service_tend(struct service *s, struct mono now);

/* Called before the configuration is read again. */
void service_reloading(const struct service *s, struct mono now);
/* Ends the reload; told: its result, the status until a process changes. */
void service_reloaded(const struct service *s, const char *told);
