#include "agent/process/publisher.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>


#define EVENT_SOURCE "sonic-events-petrel"
#define EVENT_TAG "finding"
#define PARAMS_MAX 12
#define PIPE_OCTETS (64 * (int)sizeof(struct finding))

_Static_assert(sizeof(struct finding) <= PIPE_BUF,
	       "a finding goes into the pipe whole or not at all");

/* SONiC's C interface to events; sonic-swss-common, common/events_wrap.h. */
struct param_wrap {
	const char *name, *val;
};

struct publish_data {
	const char *tag;
	struct param_wrap *params;
	int params_cnt;
};

struct events {
	void *library, *handle;
	void *(*init)(const char *source);
	int (*publish)(void *handle, const struct publish_data *data);
};

/* --- the process: one finding at a time ----------------------------------- */

static int events_open(struct events *e, struct diag *d)
{
	e->library = dlopen(PUBLISHER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!e->library)
		return diag_set(d, -ENOENT, "%s", dlerror());
	*(void **)&e->init = dlsym(e->library, "events_init_publisher_wrap");
	*(void **)&e->publish = dlsym(e->library, "event_publish_wrap");
	if (!e->init || !e->publish)
		return diag_set(d, -EOPNOTSUPP, PUBLISHER_LIBRARY
				" has no events: this SONiC is too old");
	e->handle = e->init(EVENT_SOURCE);
	return e->handle ? 0 : diag_set(d, -EIO, "eventd accepts no publisher");
}

static int event_publish(const struct events *e, const struct finding *f)
{
	char confidence[16];
	struct param_wrap params[PARAMS_MAX] = {
		{ "id", f->id }, { "subject", f->subject },
		{ "signature", signature_name(f->signature) },
		{ "severity", severity_name(f->severity) },
		{ "state", finding_state_name(f->state) },
		{ "end", fault_end_name(f->end) },
		{ "action", action_name(f->action) },
		{ "drain", drain_name(f->drain) },
		{ "confidence", confidence }, { "cause", f->cause },
		{ "cause_id", cause_name(f->cause_id) },
		{ f->into[0] ? "into" : NULL, f->into },
	};
	struct publish_data data = { EVENT_TAG, params, 0 };

	(void)snprintf(confidence, sizeof(confidence), "%.2f",
		       (double)f->confidence);
	while (data.params_cnt < PARAMS_MAX && params[data.params_cnt].name) {
		if (!params[data.params_cnt].val)
			params[data.params_cnt].val = "unknown";
		data.params_cnt++;
	}
	return e->publish(e->handle, &data);
}

static int publisher_main(struct control_publisher *c, int fd)
{
	struct events e = { .library = NULL };
	struct finding f;
	struct diag d = { "" };
	char text[64];

	if (events_open(&e, &d) < 0) {
		control_publisher_set(c, PUBLISHER_CANNOT, d.text);
		return EXIT_FAILURE;
	}
	control_publisher_set(c, PUBLISHER_READY, "");
	while (read(fd, &f, sizeof(f)) == (ssize_t)sizeof(f)) {
		int rc = event_publish(&e, &f);

		(void)snprintf(text, sizeof(text),
			       "eventd refused an event: error %d", rc);
		control_publisher_set(
			c, rc == 0 ? PUBLISHER_READY : PUBLISHER_FAILS,
			rc == 0 ? "" : text);
		if (rc == 0)
			atomic_fetch_add(&c->published, 1);
	}
	return EXIT_SUCCESS;	/* the core has closed its end */
}

/* --- the core's side ------------------------------------------------------ */

static void publisher_fork(struct publisher *h, struct mono now)
{
	int ends[2];
	pid_t parent = getpid();

	h->again.ns = now.ns + PUBLISHER_AGAIN_NS;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	h->pid = fork();
	if (h->pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)prctl(PR_SET_NAME, "publisher");
		(void)close(ends[1]);
		if (getppid() != parent)
			_exit(EXIT_FAILURE);
		_exit(publisher_main(&h->control->publisher, ends[0]));
	}
	(void)close(ends[0]);
	if (h->pid < 0) {
		(void)close(ends[1]);
		h->pid = 0;
		return;
	}
	h->fd = ends[1];
	(void)fcntl(h->fd, F_SETFL, O_NONBLOCK);
	(void)fcntl(h->fd, F_SETPIPE_SZ, PIPE_OCTETS);	/* larger, if allowed */
}

static void publisher_end(struct publisher *h)
{
	if (h->fd >= 0)
		(void)close(h->fd);
	h->fd = -1;
	if (h->pid > 0) {
		(void)kill(h->pid, SIGKILL);
		(void)waitpid(h->pid, NULL, 0);
	}
	h->pid = 0;
}

void publisher_init(struct publisher *h, struct control *control)
{
	*h = (struct publisher){ .control = control, .fd = -1 };
	control_publisher_set(&control->publisher, PUBLISHER_OFF, "");
}

void publisher_fini(struct publisher *h)
{
	publisher_end(h);
}

bool publisher_tend(struct publisher *h, bool wanted, struct mono now)
{
	if (h->pid > 0 && waitpid(h->pid, NULL, WNOHANG) == h->pid) {
		h->pid = 0;
		publisher_end(h);
	}
	if (!wanted && (h->pid > 0 ||
			h->control->publisher.state != PUBLISHER_OFF)) {
		publisher_end(h);
		control_publisher_set(&h->control->publisher, PUBLISHER_OFF,
				      "");
	}
	if (!wanted || h->pid > 0 || now.ns < h->again.ns)
		return false;
	publisher_fork(h, now);
	return h->fd >= 0;
}

void publisher_tell(struct publisher *h, const struct finding *f)
{
	void (*before)(int);

	if (h->fd < 0)
		return;
	before = signal(SIGPIPE, SIG_IGN);	/* it may just have died */
	if (write(h->fd, f, sizeof(*f)) != (ssize_t)sizeof(*f))
		atomic_fetch_add(&h->control->publisher.dropped, 1);
	(void)signal(SIGPIPE, before);
}
