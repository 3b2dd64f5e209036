/* CPU of the linux driver's counters, and of a raw RTM_GETSTATS dump, for the
 * same 64 veth, in pairs that alternate.
 *
 * The raw dump asks and reads until the end, and looks at nothing but the
 * headers: no reader can do less. The driver is asked as the core does, its
 * values go to a host that adds them up. Makes its own network namespace;
 * needs the right to.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include "platform/driver.h"
#include "platform/linux/linux_source.h"
#include "tests/support/deaf_host.h"

#define PORTS 64
#define PAIRS 15
#define DUMPS 400		/* a half of a pair */
#define TARGET 2.0

struct sum {
	uint64_t samples, total;
	bool fresh;
};

static int64_t cpu_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* ---- the raw dump ---- */

struct raw {
	int fd;
	uint32_t seq;
	uint64_t buffer[4096];
};

static int raw_part(struct raw *r, unsigned *ret_rows)
{
	ssize_t left = recv(r->fd, r->buffer, sizeof(r->buffer), 0);
	struct nlmsghdr *h = (void *)r->buffer;

	if (left < 0)
		return -errno;
	for (; NLMSG_OK(h, left); h = NLMSG_NEXT(h, left)) {
		if (h->nlmsg_type == NLMSG_DONE)
			return 1;
		if (h->nlmsg_type == NLMSG_ERROR)
			return -EIO;
		(*ret_rows)++;
	}
	return 0;
}

static int raw_dump(struct raw *r, unsigned *ret_rows)
{
	struct {
		struct nlmsghdr h;
		struct if_stats_msg m;
	} q = { { sizeof(q), RTM_GETSTATS, NLM_F_REQUEST | NLM_F_DUMP,
		  ++r->seq, 0 },
		{ .filter_mask = IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64) } };
	int rc = send(r->fd, &q, sizeof(q), 0) < 0 ? -errno : 0;

	*ret_rows = 0;
	while (rc == 0)
		rc = raw_part(r, ret_rows);
	return rc < 0 ? rc : 0;
}

/* ---- the driver ---- */

static void on_sample(void *context, enum quantity quantity, unsigned index,
		      int64_t value, enum sample_quality quality)
{
	struct sum *sum = context;

	(void)quantity;
	(void)index;
	(void)quality;
	sum->samples++;
	sum->total += (uint64_t)value;
}

static void on_source(void *context, unsigned source, enum source_state state,
		      int64_t interval_ns, const char *reason)
{
	struct sum *sum = context;

	(void)interval_ns;
	(void)reason;
	if (source == LINUX_COUNTERS)
		sum->fresh = state == SOURCE_FRESH;
}

static int driver_once(void *instance, int epoll_fd, struct sum *sum)
{
	const struct platform_source *s = linux_driver.sources[LINUX_COUNTERS];
	struct epoll_event e;
	int rc;

	sum->fresh = false;
	rc = s->read(instance, clock_mono_now(), NULL);
	while (rc == -EINPROGRESS && !sum->fresh) {
		if (epoll_wait(epoll_fd, &e, 1, 1000) != 1)
			return -ETIMEDOUT;
		linux_driver.event(instance, clock_mono_now());
	}
	return sum->fresh ? 0 : rc;
}

static void *driver_open(const struct platform_host *host, int *ret_epoll_fd)
{
	const struct platform_env env = {
		.abi = PLATFORM_ABI, .size = sizeof(env), .host = host,
		.root_fd = open("/", O_PATH | O_CLOEXEC),
	};
	struct epoll_event e = { .events = EPOLLIN };
	uint32_t want;
	void *instance;

	if (linux_driver.open(&env, &instance, NULL) < 0 ||
	    linux_driver.inventory(instance, NULL) < 0)
		return NULL;
	*ret_epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_ctl(*ret_epoll_fd, EPOLL_CTL_ADD,
		      linux_driver.event_fd(instance, &want), &e) < 0)
		return NULL;
	return instance;
}

/* ---- the comparison ---- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2];
}

/* Both ends of each veth are ports. */
static bool ports_make(void)
{
	FILE *ip;

	if (unshare(CLONE_NEWNET) < 0)
		return false;
	ip = popen("ip -batch -", "w");
	if (!ip)
		return false;
	for (int i = 0; i < PORTS / 2; i++) {
		(void)fprintf(ip, "link add Ethernet%d type veth peer name "
			      "Ethernet%d\n", i, i + PORTS / 2);
		(void)fprintf(ip, "link set Ethernet%d up\n", i);
		(void)fprintf(ip, "link set Ethernet%d up\n", i + PORTS / 2);
	}
	return pclose(ip) == 0;
}

/* CPU of one dump of each kind, in us; 0 when one failed. */
static double raw_us(struct raw *r)
{
	int64_t before_ns = cpu_ns();
	unsigned rows = 0;

	for (int i = 0; i < DUMPS; i++)
		if (raw_dump(r, &rows) < 0 || rows < PORTS)
			return 0;
	return (double)(cpu_ns() - before_ns) / 1e3 / DUMPS;
}

static double driver_us(void *instance, int epoll_fd, struct sum *sum)
{
	int64_t before_ns = cpu_ns();
	uint64_t samples = sum->samples;

	for (int i = 0; i < DUMPS; i++)
		if (driver_once(instance, epoll_fd, sum) < 0)
			return 0;
	if (sum->samples - samples < (uint64_t)DUMPS * PORTS)
		return 0;
	return (double)(cpu_ns() - before_ns) / 1e3 / DUMPS;
}

static int compare(void *instance, int epoll_fd, struct sum *sum)
{
	struct raw raw = { .fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC,
					NETLINK_ROUTE) };
	double floor_us[PAIRS], ours_us[PAIRS], ratio[PAIRS];

	if (raw_us(&raw) <= 0 || driver_us(instance, epoll_fd, sum) <= 0)
		return -EIO;	/* and both are warm now */
	sum->samples = 0;
	for (int i = 0; i < PAIRS; i++) {
		floor_us[i] = raw_us(&raw);
		ours_us[i] = driver_us(instance, epoll_fd, sum);
		if (floor_us[i] <= 0 || ours_us[i] <= 0)
			return -EIO;
		ratio[i] = ours_us[i] / floor_us[i];
	}
	(void)close(raw.fd);
	(void)printf("netlink: %d ports, %llu values a dump, %d pairs of %d "
		     "dumps\n", PORTS,
		     (unsigned long long)(sum->samples / (PAIRS * DUMPS)),
		     PAIRS, DUMPS);
	(void)printf("netlink: raw RTM_GETSTATS %.1f us CPU (median)\n",
		     median(floor_us, PAIRS));
	(void)printf("netlink: linux.counters   %.1f us CPU (median)\n",
		     median(ours_us, PAIRS));
	(void)printf("netlink: ratio %.2f (median of pairs; reach <= %.1f)\n",
		     median(ratio, PAIRS), TARGET);
	return 0;
}

int main(void)
{
	struct sum sum = { 0 };
	struct platform_host host = deaf_host(&sum);
	int epoll_fd = -1, rc;
	void *instance;

	host.sample = on_sample;
	host.source = on_source;
	if (!ports_make()) {
		(void)puts("netlink: not measured: no right to make a network "
			   "namespace, or no ip(8)");
		return 0;
	}
	instance = driver_open(&host, &epoll_fd);
	if (!instance) {
		(void)puts("netlink: the driver cannot be opened");
		return 1;
	}
	rc = compare(instance, epoll_fd, &sum);
	if (rc < 0)
		(void)printf("netlink: a dump failed: %s\n", strerror(-rc));
	linux_driver.close(instance);
	return rc < 0;
}
