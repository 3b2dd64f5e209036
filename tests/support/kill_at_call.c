/* Kills a process around a system call that it makes: as it enters the call,
 * which then does nothing, or as it leaves it, when it has done all.
 *
 * usage: kill_at_call PID CALL NTH enter|leave MS
 *
 * CALL is one of the names below; what does not come NTH times within MS ms is
 * killed at the next call of any kind, and at the latest MS ms later wherever
 * it is. Prints the call; the exit status is 0 where it was around one.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/base/number.h"

#define SYSCALL_STOP (SIGTRAP | 0x80)
#define OPTIONS (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE)

static const struct call {
	const char *name;
	long number;
} calls[] = {
	{ "clone", SYS_clone }, { "close", SYS_close },
	{ "epoll_ctl", SYS_epoll_ctl }, { "epoll_wait", SYS_epoll_wait },
	{ "fdatasync", SYS_fdatasync }, { "fsync", SYS_fsync },
	{ "ftruncate", SYS_ftruncate }, { "futex", SYS_futex },
	{ "lseek", SYS_lseek }, { "mmap", SYS_mmap },
	{ "openat", SYS_openat }, { "poll", SYS_poll },
	{ "pread64", SYS_pread64 }, { "pwrite64", SYS_pwrite64 },
	{ "read", SYS_read }, { "recvfrom", SYS_recvfrom },
	{ "recvmsg", SYS_recvmsg }, { "renameat", SYS_renameat },
	{ "sendmsg", SYS_sendmsg }, { "sendto", SYS_sendto },
	{ "socket", SYS_socket }, { "unlink", SYS_unlink },
	{ "unlinkat", SYS_unlinkat }, { "wait4", SYS_wait4 },
	{ "write", SYS_write }, { "writev", SYS_writev },
};

struct hunt {
	pid_t pid;
	long wanted;		/* number of the call; -1: any */
	uint64_t left;		/* of it, until the one */
	bool is_left;		/* not as it enters */
	pid_t inside;		/* the thread that is in the one; 0: none */
	long call;		/* that it died around; -1: none */
};

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
	(void)number;
	alarms = alarms + 1;
}

static uint64_t number_of(const char *text)
{
	uint64_t value;

	if (number_parse(text, 0, INT32_MAX, &value) < 0)
		exit(EXIT_FAILURE);
	return value;
}

static long call_of(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(calls[i].name, name) == 0)
			return calls[i].number;
	(void)fprintf(stderr, "kill_at_call: no call is named '%s'\n", name);
	exit(EXIT_FAILURE);
}

static const char *name_of(long number)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].number == number)
			return calls[i].name;
	return "another call";
}

/* Every thread that it has now; those to come are told by the kernel. */
static int threads_seize(pid_t pid)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;
	int count = 0;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		pid_t tid = entry->d_name[0] == '.' ? 0 :
			    (pid_t)number_of(entry->d_name);

		if (tid == 0 || ptrace(PTRACE_SEIZE, tid, 0, OPTIONS) < 0)
			continue;
		(void)ptrace(PTRACE_INTERRUPT, tid, 0, 0);
		count++;
	}
	if (dir)
		(void)closedir(dir);
	return count;
}

/* True when a thread stands where the process is to die. */
static bool is_there(struct hunt *h, pid_t tid)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) <= 0)
		return false;
	if (info.op == PTRACE_SYSCALL_INFO_EXIT)
		return tid == h->inside;
	if (info.op != PTRACE_SYSCALL_INFO_ENTRY || h->inside ||
	    (h->wanted >= 0 && (long)info.entry.nr != h->wanted) ||
	    --h->left > 0)
		return false;
	h->call = (long)info.entry.nr;
	h->inside = tid;
	return !h->is_left;
}

/* Returns false when the process is to die now. */
static bool stop_handle(struct hunt *h, pid_t tid, int status)
{
	int number = WSTOPSIG(status);
	bool is_event = status >> 16 != 0;

	if (number == SYSCALL_STOP && is_there(h, tid))
		return false;
	if (is_event || number == SYSCALL_STOP)
		number = 0;
	(void)ptrace(PTRACE_SYSCALL, tid, 0, number);
	return true;
}

static void hunt(struct hunt *h)
{
	for (;;) {
		int status;
		pid_t tid = waitpid(-1, &status, __WALL);

		if (tid < 0 && errno != EINTR)
			return;		/* it died before */
		if (tid < 0 && alarms > 1) {
			h->call = -1;
			return;
		}
		if (tid < 0 && !h->inside) {
			h->wanted = -1;
			h->left = 1;
		}
		if (tid > 0 && WIFSTOPPED(status) &&
		    !stop_handle(h, tid, status))
			return;
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval time;
	struct hunt h = { .call = -1 };
	uint64_t ms;

	if (argc != 6)
		return EXIT_FAILURE;
	h.pid = (pid_t)number_of(argv[1]);
	h.wanted = call_of(argv[2]);
	h.left = number_of(argv[3]);
	h.is_left = strcmp(argv[4], "leave") == 0;
	ms = number_of(argv[5]);
	time.it_value = (struct timeval){ (time_t)(ms / 1000),
					  (suseconds_t)(ms % 1000) * 1000 };
	time.it_interval = time.it_value;
	(void)sigaction(SIGALRM, &action, NULL);
	if (threads_seize(h.pid) > 0) {
		(void)setitimer(ITIMER_REAL, &time, NULL);
		hunt(&h);
	}
	(void)kill(h.pid, SIGKILL);
	(void)puts(h.call < 0 ? "-" : name_of(h.call));
	return h.call < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
