#include "platform/sonic/sonic.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "agent/base/path.h"
#include "platform/sonic/needs.h"
#include "platform/sonic/publish.h"
#include "platform/sonic/namespaces.h"

#define PROBE_SCORE 100
#define EVENTS_MAX 64

struct sonic {
	int epoll_fd;
	struct namespaces namespaces;
	struct publish publish;
	/* The configuration's word; may change at a reload. */
	void *option_context;
	const char *(*option)(void *context, const char *key);
};

static int sonic_probe(const struct platform_env *env, struct diag *d)
{
	static const char *const signs[] = {
		DATABASE_CONFIG_PATH,
		DATABASE_SOCKET_DEFAULT,
		"/etc/sonic/sonic_version.yml",
	};

	int refused = 0;

	if (env->option(env->option_context, "redis"))
		return PROBE_SCORE;
	(void)diag_set(d, 0, "no %s and no %s: this is not SONiC", signs[0],
		       signs[2]);
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		int fd = path_open(env->root_fd, signs[i], O_PATH);

		if (fd >= 0) {
			close(fd);
			return PROBE_SCORE;
		}
		if (fd != -ENOENT && fd != -ENOTDIR && refused == 0)
			refused = path_diag(d, env->root_fd, signs[i], fd);
	}
	return 0;
}

static void sonic_close(void *instance)
{
	struct sonic *s = instance;

	if (!s)
		return;
	namespaces_fini(&s->namespaces);
	publish_fini(&s->publish);
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
	free(s);
}

static int sonic_open(const struct platform_env *env, void **ret_instance,
		      struct diag *d)
{
	struct sonic *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return diag_set(d, -ENOMEM, "no memory for the sonic driver");
	s->option_context = env->option_context;
	s->option = env->option;
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	publish_init(&s->publish, env->host, SONIC_PUBLISH, env->root_fd,
		     s->epoll_fd, env->option(env->option_context, "redis"));
	if (s->epoll_fd < 0)
		rc = diag_set(d, -errno, "epoll_create1 for Redis failed");
	else
		rc = namespaces_init(&s->namespaces, env, s->epoll_fd, d);
	if (rc < 0)
		sonic_close(s);
	else
		*ret_instance = s;
	return rc;
}

static int sonic_inventory(void *instance, struct diag *d)
{
	const struct sonic *s = instance;

	for (size_t i = 0; i < s->namespaces.count; i++)
		if (!s->namespaces.of[i]->maps.known)
			return diag_set(d, -ENODATA, "Redis was not read yet; "
					"the first read brings the ports");
	return 0;	/* what a read finds it tells by itself */
}

static int sonic_read(void *instance, enum sonic_source source, struct mono now,
		      struct diag *d)
{
	struct sonic *s = instance;

	return namespaces_read(&s->namespaces, source, now, d);
}

static int sonic_event_fd(void *instance, uint32_t *ret_want)
{
	const struct sonic *s = instance;

	*ret_want = EPOLLIN;
	return s->epoll_fd;
}

static void sonic_event(void *instance, struct mono now)
{
	struct sonic *s = instance;
	struct epoll_event events[EVENTS_MAX];
	int n = epoll_wait(s->epoll_fd, events, EVENTS_MAX, 0);
	bool stream = false;

	for (int i = 0; i < n; i++)
		if (events[i].data.ptr)
			channel_event(events[i].data.ptr, events[i].events,
				      now);
		else
			stream = true;
	namespaces_check(&s->namespaces, now);
	publish_check(&s->publish, now);
	namespaces_stream(&s->namespaces, now, stream);
}

static struct mono sonic_deadline(void *instance)
{
	const struct sonic *s = instance;

	struct mono a = namespaces_deadline(&s->namespaces);
	struct mono b = publish_deadline(&s->publish);

	return a.ns < b.ns ? a : b;
}

static void sonic_findings(void *instance, const struct finding *open,
			   size_t count, struct mono now)
{
	struct sonic *s = instance;
	const char *publish = s->option(s->option_context, "publish");

	publish_show(&s->publish, publish && strstr(publish, "state_db"), open,
		     count, now);
}

#define SOURCE(lower, number, period, text)				\
	static int lower##_read(void *instance, struct mono now,	\
				struct diag *d)				\
	{								\
		return sonic_read(instance, number, now, d);		\
	}								\
	static const struct platform_source lower##_source = {		\
		.abi = PLATFORM_ABI,					\
		.size = sizeof(struct platform_source),			\
		.name = #lower,						\
		.help = text,						\
		.period_ms = period,					\
		.read = lower##_read,					\
	}

SOURCE(counters, SONIC_COUNTERS, 1000,
       "COUNTERS_DB: ports' frames, octets, errors, FEC, PFC");
SOURCE(queues, SONIC_QUEUES, 10000,
       "COUNTERS_DB: queues' counters; drops of ports and priority groups");
/* Asked so often, read when syncd has something new: every 60 s by default. */
SOURCE(watermarks, SONIC_WATERMARKS, 10000,
       "COUNTERS_DB: peaks of queues, priority groups, pools; read only");
SOURCE(ports, SONIC_PORTS, 1000,
       "APPL_DB PORT_TABLE: state, speed, FEC, flaps, cause of a link down");
SOURCE(transceivers, SONIC_TRANSCEIVERS, 10000,
       "STATE_DB TRANSCEIVER_INFO: which module is in which cage");
SOURCE(dom, SONIC_DOM, 10000,
       "STATE_DB TRANSCEIVER_DOM_SENSOR: temperature, voltage, light, bias");
SOURCE(thresholds, SONIC_THRESHOLDS, 60000,
       "STATE_DB TRANSCEIVER_DOM_THRESHOLD: the modules' alarm limits");
SOURCE(flags, SONIC_FLAGS, 10000,
       "STATE_DB TRANSCEIVER_STATUS_FLAG, DOM_FLAG: what modules latched");
SOURCE(status, SONIC_STATUS, 10000,
       "STATE_DB TRANSCEIVER_STATUS: states of modules, lanes, data paths");

SOURCE(pfcwd, SONIC_PFCWD, 1000,
       "COUNTERS_DB: PFC watchdog's state and counts of queues");
SOURCE(causes, SONIC_CAUSES, 10000,
       "STATE_DB PORT_OPERR_TABLE: what took links down, and how often");
SOURCE(rates, SONIC_RATES, 10000,
       "COUNTERS_DB RATES: SONiC's own rates and BER, for comparison only");
SOURCE(phy, SONIC_PHY, 10000,
       "COUNTERS_DB PORT_PHY_ATTR: signal, lock and SNR of the chip's lanes");
SOURCE(gearbox, SONIC_GEARBOX, 10000,
       "GB_COUNTERS_DB: FEC of gearboxes, both sides");
SOURCE(heat, SONIC_HEAT, 10000,
       "STATE_DB TRANSCEIVER_DOM_TEMPERATURE: the modules' temperature, sooner");
SOURCE(vdm, SONIC_VDM, 10000,
       "STATE_DB TRANSCEIVER_VDM_REAL_VALUE: SNR, BER and more, with flags");
SOURCE(flag_changes, SONIC_FLAG_CHANGES, 60000,
       "STATE_DB TRANSCEIVER_*_CHANGE_COUNT: how often flags changed");
SOURCE(pm, SONIC_PM, 60000,
       "STATE_DB TRANSCEIVER_PM: coherent modules over an interval");
SOURCE(sensors, SONIC_SENSORS, 10000,
       "STATE_DB: temperatures, fans, supplies, voltages, currents, leaks");
SOURCE(neighbors, SONIC_NEIGHBORS, 10000,
       "LLDP and DEVICE_NEIGHBOR: the peers of ports");
/* A minute will do: they are maxima of what watermarks gives. */
SOURCE(kept_watermarks, SONIC_KEPT, 60000,
       "COUNTERS_DB *_WATERMARKS: peaks since cleared, since boot; read only");
SOURCE(settings, SONIC_SETTINGS, 60000,
       "CONFIG_DB: the switch, lossless priorities, sizes of pools");
SOURCE(hft, SONIC_HFT, 1000,
       "High-frequency telemetry (netlink): the chip's own stream");
SOURCE(chassis, SONIC_CHASSIS, 10000,
       "STATE_DB and CHASSIS_STATE_DB: cards of a chassis, their sensors");
SOURCE(fabric, SONIC_FABRIC, 10000,
       "COUNTERS_DB, STATE_DB FABRIC_PORT_TABLE: links between chips, drops");
SOURCE(changes, SONIC_CHANGES, 2000,
       "CONFIG_DB and STATE_DB: what was changed; TSA, warm reboot, BGP");

static const struct platform_source publish_source = {
	.abi = PLATFORM_ABI,
	.size = sizeof(struct platform_source),
	.name = "publish",
	.help = "STATE_DB PETREL_FINDING: written, where that is asked for",
};

static const struct platform_source *const sources[SONIC_SOURCE_COUNT + 1] = {
	[SONIC_COUNTERS] = &counters_source,
	[SONIC_QUEUES] = &queues_source,
	[SONIC_WATERMARKS] = &watermarks_source,
	[SONIC_PORTS] = &ports_source,
	[SONIC_TRANSCEIVERS] = &transceivers_source,
	[SONIC_DOM] = &dom_source,
	[SONIC_THRESHOLDS] = &thresholds_source,
	[SONIC_FLAGS] = &flags_source,
	[SONIC_STATUS] = &status_source,
	[SONIC_PFCWD] = &pfcwd_source,
	[SONIC_CAUSES] = &causes_source,
	[SONIC_RATES] = &rates_source,
	[SONIC_PHY] = &phy_source,
	[SONIC_GEARBOX] = &gearbox_source,
	[SONIC_HEAT] = &heat_source,
	[SONIC_VDM] = &vdm_source,
	[SONIC_FLAG_CHANGES] = &flag_changes_source,
	[SONIC_PM] = &pm_source,
	[SONIC_SENSORS] = &sensors_source,
	[SONIC_NEIGHBORS] = &neighbors_source,
	[SONIC_SETTINGS] = &settings_source,
	[SONIC_CHANGES] = &changes_source,
	[SONIC_PUBLISH] = &publish_source,
	[SONIC_HFT] = &hft_source,
	[SONIC_KEPT] = &kept_watermarks_source,
	[SONIC_CHASSIS] = &chassis_source,
	[SONIC_FABRIC] = &fabric_source,
};

const struct platform_driver sonic_driver = {
	.abi = PLATFORM_ABI,
	.size = sizeof(struct platform_driver),
	.name = "sonic",
	.probe = sonic_probe,
	.open = sonic_open,
	.close = sonic_close,
	.inventory = sonic_inventory,
	.sources = sources,
	.event_fd = sonic_event_fd,
	.event = sonic_event,
	.deadline = sonic_deadline,
	.findings = sonic_findings,
	.needs = needs_tell,
};
