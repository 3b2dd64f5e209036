/* So many agents at one collector: each connected, heard every 2 s, and
 * acknowledged every 30 s. How long an acknowledgement takes, with its
 * fdatasync, and what the collector needs for it; and how long the others wait
 * while half of them fall silent at once.
 *
 * Light agents: SP over TCP by hand, one epoll for all. BENCH_AGENTS says how
 * many (10000), BENCH_SECONDS how long it is measured (30).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/number.h"
#include "petrel/clock.h"
#include "petrel/wire.h"

#define PERIOD_NS (30 * NS_PER_S)
#define HEARTBEAT_NS (2 * NS_PER_S)
#define SILENT_S 10		/* three heartbeats, and some */
#define CONNECTS_PER_S 1000
#define PAYLOAD 944u		/* with header and envelope 1000 octets */
#define SP_HEADER 12u		/* length, and the request's number */
#define IN_MAX 256u
#define EVENTS 256
#define DESCRIPTORS_MORE 64u	/* the collector's own, and ours */

enum agent_state { AGENT_NEW, AGENT_GREETS, AGENT_SAYS_HELLO, AGENT_OPEN };

struct light_agent {
	int fd;
	enum agent_state state;
	bool owes;			/* an acknowledgement is to come */
	uint64_t session, sequence;
	struct mono due, sent, ping_due;
	uint32_t have;
	uint8_t in[IN_MAX];
};

struct fleet {
	uint16_t port;
	int epoll_fd;
	uint32_t count, connected, open, failed;
	uint32_t speaking;		/* the first ones of them */
	struct light_agent *agent;
	bool measures;
	uint32_t *latency_us;
	size_t taken, cap;
};

static __attribute__((noreturn)) void die(const char *what)
{
	(void)fprintf(stderr, "bench_agents: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);
	uint64_t value;

	if (!text || number_parse(text, 1, 1000000, &value) < 0)
		return otherwise;
	return value;
}

static struct sockaddr_in address_of(uint16_t port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static uint16_t port_find(void)
{
	struct sockaddr_in a = address_of(0);
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, len) < 0 ||
	    getsockname(fd, (struct sockaddr *)&a, &len) < 0)
		die("no port");
	(void)close(fd);
	return ntohs(a.sin_port);
}

static pid_t collector_start(const char *dir, uint16_t port)
{
	const char *build = getenv("PETREL_BUILD");
	char path[256], conf[128];
	pid_t pid;
	FILE *f;

	(void)snprintf(conf, sizeof(conf), "%s/conf", dir);
	f = fopen(conf, "we");
	if (!f)
		die(conf);
	(void)fprintf(f, "[Collector]\nlisten = tcp://127.0.0.1:%u\n"
		      "spool = %s/spool\ndatabase = %s/db\ninsecure = yes\n"
		      "[HTTP]\nlisten =\n[Log]\nlevel = error\n", port, dir,
		      dir);
	(void)fclose(f);
	pid = fork();
	if (pid != 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)snprintf(path, sizeof(path), "%s/petrel-collector",
		       build ? build : "build");
	(void)execl(path, path, "--config", conf, (char *)NULL);
	_exit(EXIT_FAILURE);
}

/* --- what an agent says --------------------------------------------------- */

static void agent_fail(struct fleet *f, struct light_agent *a)
{
	(void)close(a->fd);
	a->fd = -1;
	f->failed++;
}

/* Frames are small beside a socket's room: one that is not taken whole is a
 * failure.
 */
static void message_send(struct fleet *f, struct light_agent *a,
			 enum frame_kind kind, const struct writer *body,
			 uint8_t *message)
{
	struct writer w = writer_of(message, SP_HEADER + ENVELOPE_LEN);
	size_t len = SP_HEADER + ENVELOPE_LEN + body->pos;

	writer_be64(&w, len - 8);
	writer_be32(&w, 0x80000001u);
	envelope_write(&w, &(struct envelope){
				.version = WIRE_VERSION, .kind = (uint8_t)kind,
				.session = a->session,
				.length = (uint32_t)body->pos }, body->data);
	if (send(a->fd, message, len, MSG_NOSIGNAL) != (ssize_t)len)
		agent_fail(f, a);
}

static void hello_say(struct fleet *f, struct light_agent *a)
{
	uint8_t message[512];
	uint32_t number = (uint32_t)(a - f->agent);
	struct writer body = writer_of(message + SP_HEADER + ENVELOPE_LEN,
				       sizeof(message) - SP_HEADER -
				       ENVELOPE_LEN);
	struct hello h = { .run = 1 + number };

	(void)snprintf(h.switch_name, sizeof(h.switch_name), "leaf%u", number);
	(void)snprintf(h.switch_id, sizeof(h.switch_id), "SN%u", number);
	hello_write(&body, WIRE_VERSION, &h);
	message_send(f, a, FRAME_HELLO, &body, message);
	a->state = AGENT_SAYS_HELLO;
}

static void data_say(struct fleet *f, struct light_agent *a, struct mono now)
{
	static const uint8_t payload[PAYLOAD];
	uint8_t message[SP_HEADER + ENVELOPE_LEN + RECORD_HEADER_LEN + PAYLOAD];
	struct writer body = writer_of(message + SP_HEADER + ENVELOPE_LEN,
				       RECORD_HEADER_LEN + PAYLOAD);
	struct record_header h = { .length = PAYLOAD, .stream = STREAM_STATES,
				   .kind = RECORD_CAPSULE };

	h.sequence = h.last = ++a->sequence;
	record_write(&body, &h, payload);
	a->sent = now;
	a->due = mono_after(now, PERIOD_NS);
	a->owes = true;
	message_send(f, a, FRAME_DATA, &body, message);
}

static void ping_say(struct fleet *f, struct light_agent *a, struct mono now)
{
	uint8_t message[SP_HEADER + ENVELOPE_LEN + 8];
	struct writer body = writer_of(message + SP_HEADER + ENVELOPE_LEN, 8);

	writer_be64(&body, (uint64_t)now.ns);
	a->ping_due = mono_after(now, HEARTBEAT_NS);
	message_send(f, a, FRAME_PING, &body, message);
}

static void answer_take(struct fleet *f, struct light_agent *a,
			struct cursor frame, struct mono now)
{
	struct positions held;
	struct envelope e;

	if (envelope_read(&frame, &e) == 0 && e.kind == FRAME_PONG)
		return;
	if ((e.kind != FRAME_WELCOME && e.kind != FRAME_ACK) ||
	    positions_read(&frame, &held) < 0) {
		agent_fail(f, a);
	} else if (e.kind == FRAME_WELCOME) {
		a->session = e.session;
		a->state = AGENT_OPEN;
		a->ping_due = mono_after(now, HEARTBEAT_NS);
		f->open++;
	} else if (a->owes && held.last[STREAM_STATES] == a->sequence) {
		a->owes = false;
		if (f->measures && f->taken < f->cap)
			f->latency_us[f->taken++] = (uint32_t)
				(mono_diff_ns(now, a->sent) / 1000);
	}
}

/* Whole messages of what came. */
static void input_take(struct fleet *f, struct light_agent *a, struct mono now)
{
	uint32_t at = 0;

	if (a->state == AGENT_GREETS && a->have >= 8) {
		at = 8;
		hello_say(f, a);
	}
	while (a->fd >= 0 && a->have - at >= SP_HEADER) {
		struct cursor c = cursor_of(a->in + at, a->have - at);
		uint64_t len = cursor_be64(&c);

		if (len > IN_MAX - 8) {
			agent_fail(f, a);
			return;
		}
		if (a->have - at < 8 + len)
			break;
		answer_take(f, a, cursor_of(a->in + at + SP_HEADER, len - 4),
			    now);
		at += 8 + (uint32_t)len;
	}
	memmove(a->in, a->in + at, a->have - at);
	a->have -= at;
}

static void event_take(struct fleet *f, struct light_agent *a, uint32_t events)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = a };
	ssize_t n;

	if (a->state == AGENT_NEW && (events & EPOLLOUT)) {
		a->state = AGENT_GREETS;
		if (send(a->fd, "\0SP\0\0\x30\0\0", 8, MSG_NOSIGNAL) != 8 ||
		    epoll_ctl(f->epoll_fd, EPOLL_CTL_MOD, a->fd, &e) < 0)
			agent_fail(f, a);
		return;
	}
	n = recv(a->fd, a->in + a->have, IN_MAX - a->have, MSG_DONTWAIT);
	if (n <= 0) {
		if (n == 0 || errno != EAGAIN)
			agent_fail(f, a);
		return;
	}
	a->have += (uint32_t)n;
	input_take(f, a, clock_mono_now());
}

static void agent_connect(struct fleet *f, struct light_agent *a)
{
	struct sockaddr_in to = address_of(f->port);
	struct epoll_event e = { .events = EPOLLOUT, .data.ptr = a };
	int one = 1;

	a->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (a->fd < 0)
		die("socket");
	(void)setsockopt(a->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if ((connect(a->fd, (struct sockaddr *)&to, sizeof(to)) < 0 &&
	     errno != EINPROGRESS) ||
	    epoll_ctl(f->epoll_fd, EPOLL_CTL_ADD, a->fd, &e) < 0)
		agent_fail(f, a);
}

/* --- all of them ---------------------------------------------------------- */

static void wait_and_take(struct fleet *f, int ms)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(f->epoll_fd, events, EVENTS, ms);

	for (int i = 0; i < n; i++) {
		struct light_agent *a = events[i].data.ptr;

		if (a->fd >= 0)
			event_take(f, a, events[i].events);
	}
}

/* The due ones speak, in the order of their numbers, which is that of time. */
static void due_speak(struct fleet *f, uint32_t *inout_next)
{
	struct mono now = clock_mono_now();

	for (uint32_t i = 0; i < f->speaking; i++) {
		struct light_agent *a = &f->agent[*inout_next];

		if (a->state == AGENT_OPEN && a->fd >= 0 && !a->owes) {
			if (a->due.ns > now.ns)
				return;
			data_say(f, a, now);
		}
		*inout_next = (*inout_next + 1) % f->speaking;
	}
}

static void due_ping(struct fleet *f, uint32_t *inout_next)
{
	struct mono now = clock_mono_now();

	for (uint32_t i = 0; i < f->speaking; i++) {
		struct light_agent *a = &f->agent[*inout_next % f->speaking];

		if (a->state == AGENT_OPEN && a->fd >= 0) {
			if (a->ping_due.ns > now.ns)
				return;
			ping_say(f, a, now);
		}
		*inout_next = (*inout_next + 1) % f->speaking;
	}
}

/* Returns how long until all had their WELCOME, in seconds. */
static double all_connect(struct fleet *f)
{
	struct mono began = clock_mono_now();
	int64_t passed = 0;
	uint32_t next = 0;

	while (f->open + f->failed < f->count && passed < 120 * NS_PER_S) {
		passed = mono_diff_ns(clock_mono_now(), began);
		while (f->connected < f->count && f->connected <
		       (uint64_t)passed * CONNECTS_PER_S / NS_PER_S)
			agent_connect(f, &f->agent[f->connected++]);
		due_ping(f, &next);
		wait_and_take(f, 1);
	}
	return (double)passed / NS_PER_S;
}

static void all_speak(struct fleet *f, int64_t seconds)
{
	struct mono began = clock_mono_now();
	uint32_t next = 0, ping_next = 0;

	for (uint32_t i = 0; i < f->speaking; i++) {
		f->agent[i].due = mono_after(began, (int64_t)i * PERIOD_NS /
					     f->speaking);
		f->agent[i].ping_due = mono_after(began, (int64_t)i *
						  HEARTBEAT_NS / f->speaking);
	}
	f->taken = 0;
	f->measures = true;
	while (mono_diff_ns(clock_mono_now(), began) < seconds * NS_PER_S) {
		due_speak(f, &next);
		due_ping(f, &ping_next);
		wait_and_take(f, 1);
	}
}

static int latency_compare(const void *a, const void *b)
{
	uint32_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

static long status_kib(pid_t pid, const char *key)
{
	char path[64], line[256];
	long kib = 0;
	FILE *in;

	(void)snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
	in = fopen(path, "re");
	while (in && fgets(line, sizeof(line), in)) {
		uint64_t value;
		size_t skip = strlen(key);

		if (strncmp(line, key, skip) != 0)
			continue;
		skip += strspn(line + skip, " ");
		if (number_parse_n(line + skip, strspn(line + skip,
				   "0123456789"), 0, INT32_MAX, &value) == 0)
			kib = (long)value;
	}
	if (in)
		(void)fclose(in);
	return kib;
}

static void latency_tell(struct fleet *f, const char *when)
{
	size_t n = f->taken;
	double ms[3] = { 0 };

	if (n > 0) {
		qsort(f->latency_us, n, sizeof(*f->latency_us),
		      latency_compare);
		ms[0] = f->latency_us[n / 2] / 1e3;
		ms[1] = f->latency_us[n * 99 / 100] / 1e3;
		ms[2] = f->latency_us[n - 1] / 1e3;
	}
	printf("agents: %zu frames acknowledged %s: median %.1f ms, p99 %.1f "
	       "ms (reach < 1000), max %.1f ms\n", n, when, ms[0], ms[1],
	       ms[2]);
}

/* Seconds of a processor that a process has used. */
static double cpu_s(pid_t pid)
{
	clockid_t clock;
	struct timespec t = { 0, 0 };

	if (clock_getcpuclockid(pid, &clock) == 0)
		(void)clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint32_t agents_wanted(void)
{
	uint64_t wanted = setting("BENCH_AGENTS", 10000);
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		die("getrlimit");
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);	/* the collector's as well */
	if (wanted > limit.rlim_cur - DESCRIPTORS_MORE)
		wanted = limit.rlim_cur - DESCRIPTORS_MORE;
	return (uint32_t)wanted;
}

int main(void)
{
	char dir[] = "/tmp/petrel-bench-XXXXXX", command[64];
	int64_t seconds = (int64_t)setting("BENCH_SECONDS", 30);
	struct fleet f = { .port = port_find(), .count = agents_wanted() };
	double connect_s, cpu;
	pid_t collector;
	long kib;

	f.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	f.agent = calloc(f.count, sizeof(*f.agent));
	f.cap = (size_t)f.count * (1 + (size_t)seconds / 30 + 1);
	f.latency_us = calloc(f.cap, sizeof(*f.latency_us));
	if (f.epoll_fd < 0 || !f.agent || !f.latency_us || !mkdtemp(dir))
		die("begin");
	collector = collector_start(dir, f.port);
	(void)usleep(500000);
	f.speaking = f.count;
	connect_s = all_connect(&f);
	cpu = cpu_s(collector);
	all_speak(&f, seconds);
	cpu = cpu_s(collector) - cpu;
	kib = status_kib(collector, "Pss:");
	printf("agents: %u connected in %.1f s, %u failed; collector %.0f %% "
	       "of a core, %.0f MiB\n", f.open, connect_s, f.failed,
	       100 * cpu / (double)seconds, (double)kib / 1024);
	latency_tell(&f, "one an agent in 30 s");
	f.speaking = f.count / 2;
	all_speak(&f, SILENT_S);
	latency_tell(&f, "while half of them fell silent");
	(void)kill(collector, SIGTERM);
	(void)waitpid(collector, NULL, 0);
	(void)snprintf(command, sizeof(command), "rm -r %s", dir);
	(void)!system(command);
	return f.open + f.failed < f.count || f.failed > 0 ? EXIT_FAILURE :
							     EXIT_SUCCESS;
}
