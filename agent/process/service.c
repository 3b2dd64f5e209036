#include "agent/process/service.h"

#include <stdio.h>
#include <string.h>

#define NS_PER_US INT64_C(1000)
#define SIGNS_PER_WATCHDOG 4

void service_init(struct service *s, const struct control *control,
		  struct mono now)
{
	*s = (struct service){ .control = control, .good = now,
			       .sign_due = now };
	notify_init(&s->notify);
}

void service_fini(struct service *s)
{
	notify_send(&s->notify, "STOPPING=1\nSTATUS=stopping");
	notify_fini(&s->notify);
}

static bool core_serves(const struct control *c)
{
	int32_t pid = atomic_load(&c->process[ROLE_CORE].pid);

	return pid > 0 && atomic_load(&c->serving) == pid;
}

static bool is_beating(const struct control *c, enum role role,
		       struct mono now)
{
	const struct control_process *p = &c->process[role];

	return atomic_load(&p->pid) > 0 &&
	       now.ns - atomic_load(&p->heartbeat_ns) < SERVICE_LIFELESS_NS;
}

/* Names the first process that does not run, or says that all do. */
static void status_tell(struct service *s)
{
	const struct control *c = s->control;
	char text[sizeof(s->status)] = "";
	char line[sizeof(s->status) + 16];

	for (int r = ROLE_READER; r < ROLE_COUNT && !text[0]; r++)
		if (atomic_load(&c->process[r].pid) == 0 &&
		    !atomic_load(&c->process[r].is_off))
			(void)snprintf(text, sizeof(text), "%s is not running; "
				       "it is restarted soon", role_name(r));
	if (!text[0])
		(void)snprintf(text, sizeof(text), "%s",
			       core_serves(c) ? "watching and answering" :
						"the core starts");
	if (strcmp(text, s->status) == 0)
		return;
	(void)snprintf(s->status, sizeof(s->status), "%s", text);
	(void)snprintf(line, sizeof(line), "STATUS=%s", text);
	notify_send(&s->notify, line);
}

void service_tend(struct service *s, struct mono now)
{
	const struct control *c = s->control;

	if (core_serves(c) && is_beating(c, ROLE_CORE, now) &&
	    is_beating(c, ROLE_SENDER, now))
		s->good = now;
	if (!s->ready && core_serves(c)) {
		s->ready = true;
		notify_send(&s->notify, "READY=1");
	}
	status_tell(s);
	if (s->notify.watchdog_ns == 0 || now.ns < s->sign_due.ns ||
	    mono_diff_ns(now, s->good) > SERVICE_LIFELESS_NS)
		return;
	s->sign_due.ns = now.ns + s->notify.watchdog_ns / SIGNS_PER_WATCHDOG;
	notify_send(&s->notify, "WATCHDOG=1");
}

void service_reloading(const struct service *s, struct mono now)
{
	char line[64];

	(void)snprintf(line, sizeof(line), "RELOADING=1\nMONOTONIC_USEC=%lld",
		       (long long)(now.ns / NS_PER_US));
	notify_send(&s->notify, line);
}

void service_reloaded(const struct service *s, const char *told)
{
	char line[DIAG_MAX + 32];

	(void)snprintf(line, sizeof(line), "READY=1\nSTATUS=%s", told);
	notify_send(&s->notify, line);
}
