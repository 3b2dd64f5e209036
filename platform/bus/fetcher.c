#include "platform/bus/fetcher.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "petrel/clock.h"

#define PROCESS_NAME "petrel-fetch"
#define OPEN_MAX 512u		/* buses to keep open */

struct fetcher {
	int fd;
	pid_t pid;
};

/* A bus that the process keeps open, by its place. */
struct open_bus {
	struct bus_place place;
	struct bus bus;
};

struct worker {
	struct bus_env env;
	unsigned count;
	struct open_bus *kept[OPEN_MAX];
};

/* NULL with d and *ret_err if it cannot be opened. */
static struct bus *bus_get(struct worker *w, const struct bus_place *place,
			   int *ret_err, struct diag *d)
{
	struct open_bus *k;

	for (unsigned i = 0; i < w->count; i++)
		if (w->kept[i]->place.kind == place->kind &&
		    strcmp(w->kept[i]->place.where, place->where) == 0)
			return &w->kept[i]->bus;
	k = w->count < OPEN_MAX ? calloc(1, sizeof(*k)) : NULL;
	if (!k) {
		*ret_err = diag_set(d, -ENOMEM, "no room for another bus");
		return NULL;
	}
	k->place = *place;
	*ret_err = bus_open(&w->env, &k->place, &k->bus, d);
	if (*ret_err < 0) {
		free(k);
		return NULL;
	}
	w->kept[w->count++] = k;
	return &k->bus;
}

static void question_answer(struct worker *w, const struct fetch_question *q,
			    struct fetch_answer *ret)
{
	struct diag d = { "" };
	struct mono begin = clock_mono_now();
	struct bus *b = bus_get(w, &q->place, &ret->status, &d);

	if (b)
		b->identifier = q->identifier;
	while (b && ret->status == 0 && ret->done < q->count) {
		ret->status = bus_read(b, &q->read[ret->done],
				       ret->octets[ret->done], &d);
		ret->done += ret->status == 0;
	}
	ret->cage = q->cage;
	ret->bus_ns = mono_diff_ns(clock_mono_now(), begin);
	memcpy(ret->reason, d.text, sizeof(ret->reason));
}

/* Ends when the reader has gone. */
static _Noreturn void worker_run(int fd, const struct bus_env *env)
{
	struct worker w = { .env = *env };
	struct fetch_question q;

	while (recv(fd, &q, sizeof(q), 0) == (ssize_t)sizeof(q)) {
		struct fetch_answer a = { 0 };

		question_answer(&w, &q, &a);
		if (send(fd, &a, sizeof(a), MSG_NOSIGNAL) !=
		    (ssize_t)sizeof(a))
			break;
	}
	_exit(EXIT_SUCCESS);	/* closes all that is open */
}

static _Noreturn void worker_begin(const int fd[2], pid_t parent,
				   const struct bus_env *env)
{
	sigset_t none;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)prctl(PR_SET_NAME, PROCESS_NAME);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	(void)close(fd[0]);
	worker_run(fd[1], env);
}

int fetcher_new(const struct bus_env *env, struct fetcher **ret)
{
	struct fetcher *f = calloc(1, sizeof(*f));
	pid_t parent = getpid();
	int fd[2], rc;

	if (!f)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0) {
		rc = -errno;
		free(f);
		return rc;
	}
	f->pid = fork();
	if (f->pid == 0)
		worker_begin(fd, parent, env);
	rc = f->pid < 0 ? -errno : 0;
	(void)close(fd[1]);
	f->fd = fd[0];
	if (rc < 0) {
		(void)close(fd[0]);
		free(f);
		return rc;
	}
	*ret = f;
	return 0;
}

int fetcher_free(struct fetcher *f)
{
	pid_t left = 0;

	if (!f)
		return 0;
	(void)close(f->fd);
	(void)kill(f->pid, SIGKILL);
	if (waitpid(f->pid, NULL, WNOHANG) == 0)
		left = f->pid;
	free(f);
	return left;
}

int fetcher_fd(const struct fetcher *f)
{
	return f->fd;
}

int fetcher_ask(struct fetcher *f, const struct fetch_question *q)
{
	ssize_t n = send(f->fd, q, sizeof(*q), MSG_NOSIGNAL | MSG_DONTWAIT);

	return n == (ssize_t)sizeof(*q) ? 0 : -EPIPE;
}

int fetcher_take(struct fetcher *f, struct fetch_answer *ret)
{
	ssize_t n = recv(f->fd, ret, sizeof(*ret), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return -EAGAIN;
	return n == (ssize_t)sizeof(*ret) ? 0 : -EPIPE;
}
