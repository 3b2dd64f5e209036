/* SONiC: counters, queues, links and modules from its Redis databases.
 *
 * All sources are in the core: nothing here waits. Replies arrive at the
 * instance's event descriptor.
 */
#include "platform/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "agent/base/path.h"
#include "platform/sonic/publish.h"
#include "platform/sonic/switchdb/database.h"
#include "platform/sonic/hft/hft_settings.h"
#include "platform/sonic/namespaces.h"

#define PROBE_SCORE 100
#define EVENTS_MAX 64

struct sonic {
	int epoll_fd;
	struct namespaces namespaces;
	struct publish publish;
	/* From the configuration; may change at a reload. */
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

	if (driver_option(&sonic_driver, env, "redis"))
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
	struct sonic *s;
	void *memory;
	int rc = driver_instance_new(&sonic_driver, env, sizeof(*s), &memory,
				     d);

	if (rc < 0)
		return rc;
	s = memory;
	s->option_context = env->option_context;
	s->option = env->option;
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	publish_init(&s->publish, env->host, SONIC_PUBLISH, env->root_fd,
		     s->epoll_fd, driver_option(&sonic_driver, env, "redis"));
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
					"ports appear with the first read");
	return 0;	/* a read reports its own faults */
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
	channel_check(&s->publish.channel, now);
	namespaces_stream(&s->namespaces, now, stream);
}

static struct mono sonic_deadline(void *instance)
{
	const struct sonic *s = instance;

	return mono_min(namespaces_deadline(&s->namespaces),
			channel_deadline(&s->publish.channel));
}

static void sonic_findings(void *instance, const struct finding *open,
			   size_t count, struct mono now)
{
	struct sonic *s = instance;
	const char *publish = s->option(s->option_context, "publish");

	publish_show(&s->publish, publish && strstr(publish, "state_db"), open,
		     count, now);
}

/* --- files and sockets ---------------------------------------------------- */

struct needs {
	void *context;
	void (*path)(void *context, const char *path, int want, bool blocks);
};

static void tell(const struct needs *n, const char *path, int want)
{
	if (path && path[0])
		n->path(n->context, path, want, false);
}

/* Those in one instance's file; if it does not exist yet, the usual socket. */
static void databases_tell(const struct needs *n, int root_fd,
			   const char *config, const char *usual)
{
	struct databases d;

	tell(n, config, R_OK);
	if (databases_read(root_fd, config, &d, NULL) < 0) {
		tell(n, usual, W_OK);
		return;
	}
	for (unsigned i = 0; i < DATABASE_COUNT; i++) {
		if (!d.of[i].known)
			continue;
		tell(n, d.of[i].socket, W_OK);
		tell(n, d.of[i].password, R_OK);
	}
}

/* The sockets of the databases with their passwords, and files (C21). */
static void sonic_needs(const struct platform_env *env, void *context,
			void (*path)(void *context, const char *path, int want,
				     bool blocks))
{
	const struct needs n = { context, path };
	const char *socket = driver_option(&sonic_driver, env, "redis");
	struct database_global found = { .count = 0 };

	tell(&n, HFT_CONSTANTS_PATH, R_OK);
	tell(&n, driver_option(&sonic_driver, env, "hft_ids"), R_OK);
	if (socket) {
		tell(&n, socket, W_OK);
		return;
	}
	databases_tell(&n, env->root_fd, DATABASE_CONFIG_PATH,
		       DATABASE_SOCKET_DEFAULT);
	tell(&n, DATABASE_GLOBAL_PATH, R_OK);
	if (database_global_read(env->root_fd, &found, NULL) < 0)
		return;
	for (size_t i = 0; i < found.count; i++)
		databases_tell(&n, env->root_fd, found.of[i].config, NULL);
}

/* --- sources -------------------------------------------------------------- */

/* The host's hook has no argument for a number: each source has its own. */
#define READ(name, number)						\
	static int read_##name(void *instance, struct mono now,		\
			       struct diag *d)				\
	{								\
		struct sonic *s = instance;				\
									\
		return namespaces_read(&s->namespaces, number, now, d);	\
	}
READ(counters, SONIC_COUNTERS)
READ(queues, SONIC_QUEUES)
READ(watermarks, SONIC_WATERMARKS)
READ(ports, SONIC_PORTS)
READ(transceivers, SONIC_TRANSCEIVERS)
READ(dom, SONIC_DOM)
READ(thresholds, SONIC_THRESHOLDS)
READ(flags, SONIC_FLAGS)
READ(status, SONIC_STATUS)
READ(pfcwd, SONIC_PFCWD)
READ(causes, SONIC_CAUSES)
READ(rates, SONIC_RATES)
READ(phy, SONIC_PHY)
READ(gearbox, SONIC_GEARBOX)
READ(heat, SONIC_HEAT)
READ(vdm, SONIC_VDM)
READ(flag_changes, SONIC_FLAG_CHANGES)
READ(pm, SONIC_PM)
READ(sensors, SONIC_SENSORS)
READ(neighbors, SONIC_NEIGHBORS)
READ(kept_watermarks, SONIC_KEPT)
READ(settings, SONIC_SETTINGS)
READ(hft, SONIC_HFT)
READ(chassis, SONIC_CHASSIS)
READ(fabric, SONIC_FABRIC)
READ(changes, SONIC_CHANGES)

#define SOURCE(name, period_ms, text)	\
	DRIVER_SOURCE(#name, period_ms, read_##name, .help = (text))

static const struct platform_source *const sources[SONIC_SOURCE_COUNT + 1] = {
	[SONIC_COUNTERS] = SOURCE(counters, 1000,
		"COUNTERS_DB: ports' frames, octets, errors, FEC, PFC"),
	[SONIC_QUEUES] = SOURCE(queues, 10000,
		"COUNTERS_DB: queues' counters; drops of ports and priority groups"),
	/* Read more often than syncd's default interval of 60 s. */
	[SONIC_WATERMARKS] = SOURCE(watermarks, 10000,
		"COUNTERS_DB: peaks of queues, priority groups, pools; read only"),
	[SONIC_PORTS] = SOURCE(ports, 1000,
		"APPL_DB PORT_TABLE: state, speed, FEC, flaps, cause of a link down"),
	[SONIC_TRANSCEIVERS] = SOURCE(transceivers, 10000,
		"STATE_DB TRANSCEIVER_INFO: which module is in which cage"),
	[SONIC_DOM] = SOURCE(dom, 10000,
		"STATE_DB TRANSCEIVER_DOM_SENSOR: temperature, voltage, light, bias"),
	[SONIC_THRESHOLDS] = SOURCE(thresholds, 60000,
		"STATE_DB TRANSCEIVER_DOM_THRESHOLD: the modules' alarm limits"),
	[SONIC_FLAGS] = SOURCE(flags, 10000,
		"STATE_DB TRANSCEIVER_STATUS_FLAG, DOM_FLAG: what modules latched"),
	[SONIC_STATUS] = SOURCE(status, 10000,
		"STATE_DB TRANSCEIVER_STATUS: states of modules, lanes, data paths"),
	[SONIC_PFCWD] = SOURCE(pfcwd, 1000,
		"COUNTERS_DB: PFC watchdog's state and counts of queues"),
	[SONIC_CAUSES] = SOURCE(causes, 10000,
		"STATE_DB PORT_OPERR_TABLE: what took links down, and how often"),
	[SONIC_RATES] = SOURCE(rates, 10000,
		"COUNTERS_DB RATES: SONiC's own rates and BER, for comparison only"),
	[SONIC_PHY] = SOURCE(phy, 10000,
		"COUNTERS_DB PORT_PHY_ATTR: signal, lock and SNR of the chip's lanes"),
	[SONIC_GEARBOX] = SOURCE(gearbox, 10000,
		"GB_COUNTERS_DB: FEC of gearboxes, both sides"),
	[SONIC_HEAT] = SOURCE(heat, 10000,
		"STATE_DB TRANSCEIVER_DOM_TEMPERATURE: temperature of modules, "
		"read more often"),
	[SONIC_VDM] = SOURCE(vdm, 10000,
		"STATE_DB TRANSCEIVER_VDM_REAL_VALUE: SNR, BER and more, with flags"),
	[SONIC_FLAG_CHANGES] = SOURCE(flag_changes, 60000,
		"STATE_DB TRANSCEIVER_*_CHANGE_COUNT: how often flags changed"),
	[SONIC_PM] = SOURCE(pm, 60000,
		"STATE_DB TRANSCEIVER_PM: coherent modules over an interval"),
	[SONIC_SENSORS] = SOURCE(sensors, 10000,
		"STATE_DB: temperatures, fans, supplies, voltages, currents, leaks"),
	[SONIC_NEIGHBORS] = SOURCE(neighbors, 10000,
		"LLDP and DEVICE_NEIGHBOR: the peers of ports"),
	/* A minute is enough: they are maxima of those in watermarks. */
	[SONIC_KEPT] = SOURCE(kept_watermarks, 60000,
		"COUNTERS_DB *_WATERMARKS: peaks since cleared, since boot; read only"),
	[SONIC_SETTINGS] = SOURCE(settings, 60000,
		"CONFIG_DB: the switch, lossless priorities, sizes of pools"),
	[SONIC_HFT] = SOURCE(hft, 1000,
		"High-frequency telemetry (netlink): streamed by the chip"),
	[SONIC_CHASSIS] = SOURCE(chassis, 10000,
		"STATE_DB and CHASSIS_STATE_DB: cards of a chassis, their sensors"),
	[SONIC_FABRIC] = SOURCE(fabric, 10000,
		"COUNTERS_DB, STATE_DB FABRIC_PORT_TABLE: links between chips, drops"),
	[SONIC_CHANGES] = SOURCE(changes, 2000,
		"CONFIG_DB and STATE_DB: what was changed; TSA, warm reboot, BGP"),
	[SONIC_PUBLISH] = DRIVER_SOURCE("publish", 0, NULL,
		.help = "STATE_DB PETREL_FINDING: written, if [Sonic] publish "
			"says so"),
};

static const char *const publish_words[] = { "state_db", "eventd" };

static const struct option_key options[] = {
	{ "redis", .help = "Redis socket, below --root. Empty: what "
	  "database_config.json says.", .at_start = true },
	{ "publish", OPTION_LIST, .words = publish_words, .word_count = 2,
	  .help = "Where findings are written on the switch, joined by commas: "
		  "state_db (table PETREL_FINDING), eventd "
		  "(sonic-events-petrel). Empty: nowhere." },
	{ "hft_family", .help = "Generic netlink family of high-frequency "
	  "telemetry. Empty: what /etc/sonic/constants.yml says, else "
	  "sonic_stel.", .at_start = true },
	{ "hft_group", .help = "Its multicast group. Empty: what constants.yml "
	  "says, else ipfix.", .at_start = true },
	{ "hft_ids", OPTION_FILE_BELOW_ROOT,
	  .help = "File of lines NAME,NUMBER, below --root: the numbers of "
		  "statistics in this image's SAI. Empty: those of SAI in "
		  "2026.", .at_start = true },
	{ "hft_test_port", OPTION_NUMBER, .max = INT32_MAX,
	  .help = "For tests: accept telemetry from any sender, on this port "
		  "of NETLINK_USERSOCK.",
	  .at_start = true },
	{ NULL },
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
	.needs = sonic_needs,
	.options = options,
};
