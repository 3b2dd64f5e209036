/* The driver for any Linux switch: what the kernel itself reports.
 *
 * Core: rtnetlink, never waiting. Reader: ethtool netlink, and hwmon by
 * libsensors. Netlink is that of the process' network namespace; a root
 * directory other than "/" changes only the place of hwmon.
 *
 * Option, section [Linux]:
 *   interfaces  comma-joined patterns (fnmatch) of the interfaces that are
 *               ports; all of their kinds are taken. Unset:
 *               Ethernet*,swp*,eth*,en*, and of these only hardware, veth
 *               and netdevsim: no bridge, bond, VLAN, tunnel or container's.
 *
 * On SONiC the kernel's interfaces count only the CPU's traffic; the sonic
 * driver is the right one there, and its probe scores higher.
 */
#include "platform/driver.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/epoll.h>

#include "agent/base/path.h"
#include "platform/linux/chassis_label.h"
#include "platform/linux/counter_source.h"
#include "platform/linux/ethtool_source.h"
#include "platform/linux/link_follow.h"
#include "platform/linux/linux_source.h"
#include "platform/linux/sensor_source.h"

/* A driver that knows the switch better wins. */
#define PROBE_SCORE 1

struct linux_instance {
	const struct platform_host *host;	/* borrowed */
	bool blocking;			/* the reader's; else the core's */
	bool links_asked;		/* a read of links is under way */
	int root_fd;			/* the host's */
	int epoll_fd;			/* all sockets of the core */
	struct link_follow links;
	struct counter_source counters;	/* the core's */
	struct ethtool_source ethtool;	/* the reader's */
	struct sensor_source *sensors;	/* the reader's */
};

/* Front ports of SONiC, and of switchdev as named in its documentation. */
static bool is_front_name(const char *name)
{
	static const char *const words[] = { "Ethernet", "swp" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);

		if (strncmp(name, words[i], n) == 0 && name[n] >= '0' &&
		    name[n] <= '9')
			return true;
	}
	return false;
}

/* True if an interface belongs to a switch: the kernel gives it the id of one
 * (switchdev; otherwise the read fails), or it is named like a front port.
 */
static int interface_check(void *context, int net_fd, const char *name)
{
	const int *root_fd = context;
	char path[NAME_MAX + 64], id[64];

	(void)net_fd;
	(void)snprintf(path, sizeof(path), "sys/class/net/%s/phys_switch_id",
		       name);
	return is_front_name(name) ||
	       path_line(*root_fd, path, id, sizeof(id));
}

static int linux_probe(const struct platform_env *env, struct diag *d)
{
	int root_fd = env->root_fd;

	if (driver_option(&linux_driver, env, "interfaces") ||
	    path_each(root_fd, "sys/class/net", interface_check, &root_fd) > 0)
		return PROBE_SCORE;
	(void)diag_set(d, 0, "no interface in /sys/class/net is a switch port "
		       "([Platform] driver = linux watches them all)");
	return 0;
}

static void linux_close(void *instance)
{
	struct linux_instance *l = instance;

	sensor_source_free(l->sensors);
	ethtool_source_close(&l->ethtool);
	counter_source_close(&l->counters);
	link_follow_close(&l->links);
	if (l->epoll_fd >= 0)
		(void)close(l->epoll_fd);	/* no data to lose */
	free(l);
}

static int reader_open(struct linux_instance *l, const struct platform_env *env,
		       struct diag *d)
{
	int rc = ethtool_source_open(&l->ethtool, &l->links, l->host, d);

	if (rc < 0)
		return rc;
	return sensor_source_new(env->root_fd, l->host, &l->sensors, d);
}

static int linux_open(const struct platform_env *env, void **ret_instance,
		      struct diag *d)
{
	struct linux_instance *l;
	void *memory;
	int rc = driver_instance_new(&linux_driver, env, sizeof(*l), &memory,
				     d);

	if (rc < 0)
		return rc;
	l = memory;
	l->host = env->host;
	l->blocking = env->blocking;
	l->root_fd = env->root_fd;
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	rc = l->epoll_fd < 0 ? diag_set(d, -errno, "no epoll: %s",
					strerror(errno)) : 0;
	if (rc == 0)
		rc = link_follow_open(&l->links,
				      driver_option(&linux_driver, env,
						    "interfaces"), l->host,
				      l->blocking ? -1 : l->epoll_fd,
				      !l->blocking, d);
	if (rc == 0)
		rc = l->blocking ? reader_open(l, env, d) :
		     counter_source_open(&l->counters, l->links.ports,
					 l->host, l->epoll_fd, d);
	if (rc < 0) {
		linux_close(l);
		return rc;
	}
	*ret_instance = l;
	return 0;
}

/* The kernel answers a dump at once, so this does not wait even in the core; if
 * it ever does not, event() takes the rest.
 */
static int linux_inventory(void *instance, struct diag *d)
{
	struct linux_instance *l = instance;
	struct mono now = clock_mono_now();
	int rc;

	if (!l->blocking)
		chassis_label_tell(l->root_fd, l->host);
	if (l->blocking) {
		/* Their reads report why there are none. */
		(void)sensor_source_scan(l->sensors, now, NULL);
		rc = link_follow_update(&l->links, now);
	} else {
		rc = link_follow_list(&l->links, now);
	}
	if (rc == -EINPROGRESS)
		return diag_set(d, -ENODATA, "interfaces are being listed");
	if (rc < 0)
		return diag_set(d, -EIO, "interfaces cannot be listed: %s",
				strerror(-rc));
	return 0;
}

static int linux_event_fd(void *instance, uint32_t *ret_want)
{
	struct linux_instance *l = instance;

	*ret_want = EPOLLIN;
	return l->blocking ? -1 : l->epoll_fd;
}

static void links_end(struct linux_instance *l, int err)
{
	struct diag d;

	if (!l->links_asked && err == 0)
		return;
	l->links_asked = false;
	if (err == 0) {
		l->host->source(l->host->context, LINUX_LINKS, SOURCE_FRESH, 0,
				NULL);
		return;
	}
	diag_set(&d, err, "RTM_GETLINK: %s", strerror(-err));
	l->host->source(l->host->context, LINUX_LINKS, SOURCE_BROKEN, 0,
			d.text);
}

static void linux_event(void *instance, struct mono now)
{
	struct linux_instance *l = instance;
	int rc;

	if (l->blocking)
		return;
	rc = link_follow_take(&l->links, now);
	if (rc != -EINPROGRESS)
		links_end(l, rc);
	counter_source_take(&l->counters, now);
}

static struct mono linux_deadline(void *instance)
{
	struct linux_instance *l = instance;

	if (l->blocking)
		return (struct mono){ INT64_MAX };
	return mono_min(dump_deadline(&l->links.dump),
			dump_deadline(&l->counters.dump));
}

static int counters_read(void *instance, struct mono now, struct diag *d)
{
	struct linux_instance *l = instance;

	return counter_source_read(&l->counters, now, d);
}

static int links_read(void *instance, struct mono now, struct diag *d)
{
	struct linux_instance *l = instance;
	int rc = link_follow_ask(&l->links, now);

	if (rc < 0)
		return diag_set(d, -EIO, "RTM_GETLINK cannot be sent: %s",
				strerror(-rc));
	l->links_asked = true;
	return -EINPROGRESS;
}

static int fec_read(void *instance, struct mono now, struct diag *d)
{
	struct linux_instance *l = instance;

	(void)now;	/* each port is asked at its own time */
	return ethtool_source_read_fec(&l->ethtool, d);
}

static int ethtool_read(void *instance, struct mono now, struct diag *d)
{
	struct linux_instance *l = instance;

	(void)now;
	return ethtool_source_read_settings(&l->ethtool, d);
}

static int sensors_read(void *instance, struct mono now, struct diag *d)
{
	struct linux_instance *l = instance;

	return sensor_source_read(l->sensors, now, d);
}

/* These requests need no capability: the kernel requires CAP_NET_ADMIN only for
 * changes.
 */
static const struct platform_source *const
	linux_sources[LINUX_SOURCE_COUNT + 1] = {
	[LINUX_COUNTERS] = DRIVER_SOURCE("counters", 1000, counters_read,
		.help = "64-bit interface counters (RTM_GETSTATS)"),
	[LINUX_LINKS] = DRIVER_SOURCE("links", 10000, links_read,
		.help = "Interfaces, their state and its changes "
			"(RTM_GETLINK)"),
	[LINUX_FEC] = DRIVER_SOURCE("fec", 1000, fec_read, .blocks = true,
		.help = "FEC mode and counters (ethtool netlink)"),
	[LINUX_ETHTOOL] = DRIVER_SOURCE("ethtool", 1000, ethtool_read,
		.blocks = true,
		.help = "Speed, lanes, and why a link is down (ethtool "
			"netlink)"),
	[LINUX_SENSORS] = DRIVER_SOURCE("sensors", 10000, sensors_read,
		.blocks = true,
		.help = "Temperatures, fans, voltages, currents, powers "
			"(hwmon)"),
};

static const struct option_key linux_options[] = {
	{ "interfaces", .help = "Patterns of interface names, joined by "
	  "commas.", .at_start = true },
	{ NULL },
};

/* A plain Linux has no daemon that reads the modules. */
static const char *const linux_beside[] = { "module", NULL };

const struct platform_driver linux_driver = {
	.abi = PLATFORM_ABI,
	.size = sizeof(struct platform_driver),
	.name = "linux",
	.probe = linux_probe,
	.open = linux_open,
	.close = linux_close,
	.inventory = linux_inventory,
	.sources = linux_sources,
	.event_fd = linux_event_fd,
	.event = linux_event,
	.deadline = linux_deadline,
	.beside = linux_beside,
	.options = linux_options,
};
