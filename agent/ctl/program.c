#include "agent/ctl/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "petrel/clock.h"

#define PIECE 65536

/* A program that runs, and the end of the pipe that it prints into. */
struct child {
	pid_t pid;
	int fd;
};

/* Standard input is empty, standard output the pipe or the file. */
static int actions_set(posix_spawn_file_actions_t *actions, int out_fd,
		       bool errors_too)
{
	int rc = posix_spawn_file_actions_init(actions);

	if (rc)
		return -rc;
	rc = posix_spawn_file_actions_addopen(actions, STDIN_FILENO,
					      "/dev/null", O_RDONLY, 0);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(actions, out_fd,
						      STDOUT_FILENO);
	if (rc == 0 && errors_too)
		rc = posix_spawn_file_actions_adddup2(actions, out_fd,
						      STDERR_FILENO);
	return -rc;
}

static int spawn(const char *const argv[], int out_fd, bool errors_too,
		 pid_t *ret, struct diag *d)
{
	posix_spawn_file_actions_t actions;
	int rc = actions_set(&actions, out_fd, errors_too);

	if (rc < 0)
		return diag_set(d, rc, "%s: %s", argv[0], strerror(-rc));
	rc = -posix_spawnp(ret, argv[0], &actions, NULL,
			   (char *const *)(uintptr_t)argv, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	if (rc == -ENOENT)
		return diag_set(d, rc, "no program %s here", argv[0]);
	return rc < 0 ? diag_set(d, rc, "%s: %s", argv[0], strerror(-rc)) : 0;
}

/* Waits until the program ends; kills it at the deadline. */
static int child_end(pid_t pid, struct mono deadline, int *ret_status)
{
	static const struct timespec nap = { .tv_nsec = 2 * NS_PER_MS };
	bool late = false;
	int status;

	while (waitpid(pid, &status, late ? 0 : WNOHANG) != pid) {
		if (!late && clock_mono_now().ns >= deadline.ns) {
			late = true;
			(void)kill(pid, SIGKILL);
		}
		if (!late)
			(void)nanosleep(&nap, NULL);
	}
	*ret_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
					    WEXITSTATUS(status);
	return late ? -ETIMEDOUT : 0;
}

/* Room for one more piece. Returns -ENOMEM. */
static int room_make(struct program_output *out, size_t *size)
{
	char *text;

	if (*size - out->len >= PIECE)
		return 0;
	*size = 2 * *size + PIECE;
	text = realloc(out->text, *size);
	if (!text)
		return -ENOMEM;
	out->text = text;
	return 0;
}

/* Up to the end of what it prints, or the deadline. */
static int output_read(int fd, struct mono deadline,
		       struct program_output *out)
{
	size_t size = 0;
	ssize_t n = 1;

	while (n > 0) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left_ns = mono_diff_ns(deadline, clock_mono_now());

		if (left_ns <= 0 ||
		    poll(&p, 1, (int)(left_ns / NS_PER_MS + 1)) == 0)
			return -ETIMEDOUT;
		if (room_make(out, &size) < 0)
			return -ENOMEM;
		n = read(fd, out->text + out->len, PIECE);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n < 0)
			n = 1;
		else if (out->len + (size_t)n <= out->octets_max)
			out->len += (size_t)n;
		else
			out->cut = true;
	}
	return 0;
}

/* Reads all, then waits for the end. */
static int child_follow(const struct child *c, struct mono deadline,
			struct program_output *out)
{
	int rc = output_read(c->fd, deadline, out), ended;

	if (rc < 0)
		(void)kill(c->pid, SIGKILL);
	ended = child_end(c->pid, deadline, &out->status);
	return rc < 0 ? rc : ended;
}

static int run_into_text(const char *const argv[], struct mono deadline,
			 struct program_output *out, struct diag *d)
{
	struct child c;
	int fds[2], rc;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return diag_set(d, -errno, "no pipe: %s", strerror(errno));
	rc = spawn(argv, fds[1], true, &c.pid, d);
	(void)close(fds[1]);
	if (rc == 0) {
		c.fd = fds[0];
		rc = child_follow(&c, deadline, out);
		if (rc < 0)
			(void)diag_set(d, rc, "%s: %s", argv[0],
				       strerror(-rc));
	}
	(void)close(fds[0]);
	return rc;
}

int program_run(const char *const argv[], int64_t timeout_ns,
		struct program_output *out, struct diag *d)
{
	struct mono deadline = { clock_mono_now().ns + timeout_ns };
	pid_t pid;
	int rc;

	if (out->to_file) {
		rc = spawn(argv, out->into_fd, false, &pid, d);
		if (rc < 0)
			return rc;
		rc = child_end(pid, deadline, &out->status);
		return rc < 0 ? diag_set(d, rc, "%s: %s", argv[0],
					 strerror(-rc)) : 0;
	}
	rc = run_into_text(argv, deadline, out, d);
	if (rc < 0) {
		free(out->text);
		out->text = NULL;
	}
	return rc;
}
