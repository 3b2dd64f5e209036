#include "agent/config/config.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/base/metric.h"
#include "agent/base/option.h"
#include "agent/base/path.h"
#include "agent/config/table.h"
#include "petrel/clock.h"
#include "petrel/log.h"
#include "petrel/platform.h"

#define MS NS_PER_MS
#define S NS_PER_S
#define K INT64_C(1024)
#define M (1024 * K)
#define TIERS_HELD_MIN (24 * M)	/* room for files of a useful size */

#define AT(field) offsetof(struct config, field)
#define AT_OPTION(n) (offsetof(struct config, option) + (n) * CONFIG_TEXT_MAX)

static const char *const read_words[] = {
	[READ_ALL] = "all",
	[READ_GROUP] = "group",
};

static const char *const traffic_words[] = {
	[TRAFFIC_EXACT] = "exact",
	[TRAFFIC_BOUNDED] = "bounded",
};

static const char *const level_words[] = {
	[LOG_PRIORITY_ERR] = "error",	  [LOG_PRIORITY_WARNING] = "warning",
	[LOG_PRIORITY_NOTICE] = "notice", [LOG_PRIORITY_INFO] = "info",
	[LOG_PRIORITY_DEBUG] = "debug",
};

#define WORDS(a) .words = (a), .word_count = sizeof(a) / sizeof((a)[0])

static const struct config_key keys[] = {
	{ "Agent", AT(name),
	  { "name", OPTION_TEXT,
	    .help = "Name of this switch in records and findings. Empty: what "
		    "the platform calls it, else the host name." } },
	{ "Agent", AT(run_dir),
	  { "run_dir", OPTION_PATH, .value = "/run/petrel",
	    .help = "Folder of the rings and the socket, below --root. Nobody "
		    "else may write there.",
	    .at_start = true } },
	{ "Agent", AT(user),
	  { "user", OPTION_TEXT, .value = "_petrel",
	    .help = "The user that petreld runs as when root starts it. If "
		    "there is no user _petrel: nobody.",
	    .at_start = true } },
	{ "Agent", AT(interval_ns),
	  { "interval", OPTION_DURATION, 100 * MS, 60 * S, "1s",
	    .help = "One tick: how often fast sources are read and a batch is "
		    "made." } },
	{ "Agent", AT(cpu_budget_ns),
	  { "cpu_budget", OPTION_DURATION, 1 * MS, S, "200ms",
	    .help = "CPU time a second of all processes together; answers to "
		    "commands have a budget of their own. When it is exceeded, "
		    "slow sources are read less often." } },
	{ "Agent", AT(memory_budget_octets),
	  { "memory_budget", OPTION_SIZE, 1 * M, 65536 * M, "128M",
	    .help = "Memory of all processes together, as petrel status shows "
		    "it. When it is exceeded, the local history is kept shorter, "
		    "down to an eighth, and then slow sources are read less "
		    "often. MemoryMax of the unit, 192M, must be higher." } },
	{ "Agent", AT(history_ns),
	  { "history", OPTION_DURATION, 60 * S, 7200 * S, "15m",
	    .help = "How far back the local history reaches." } },
	{ "Agent", AT(traffic),
	  { "traffic", OPTION_WORD, .value = "bounded",
	    .help = "How records count frames and octets of traffic. bounded: "
		    "short by at most 1/1024 of their growth, never too high, "
		    "and exact again each minute; buffer occupancy is rounded "
		    "to 64 octets, less than a cell. Records then take two "
		    "fifths less room. Errors, drops, marks and FEC are always "
		    "exact.",
	    WORDS(traffic_words) } },
	{ "Agent", AT(record_ns[CLASS_FAST]),
	  { "record_fast", OPTION_DURATION, 0, 3600 * S, "0s",
	    .help = "Interval at which fast quantities (mostly counters) are "
		    "recorded; 0s: every reading. Readings in between are "
		    "neither in petrel history nor at the collector; findings "
		    "use all readings. Changed flags, readings that are not "
		    "good and peaks are always recorded, and every 60th batch "
		    "has all readings." } },
	{ "Agent", AT(record_ns[CLASS_MEDIUM]),
	  { "record_medium", OPTION_DURATION, 0, 3600 * S, "0s",
	    .help = "The same for quantities that change within about ten "
		    "seconds." } },
	{ "Agent", AT(record_ns[CLASS_SLOW]),
	  { "record_slow", OPTION_DURATION, 0, 3600 * S, "0s",
	    .help = "The same for quantities that change within minutes, such "
		    "as temperatures and light." } },
	{ "Agent", AT(findings_ring_octets),
	  { "findings_ring", OPTION_SIZE, 256 * K, 64 * M, "1M",
	    .help = "Size of the ring of findings: it holds the latest "
		    "findings and their capsules.", .at_start = true } },
	{ "Agent", AT(states_ring_octets),
	  { "states_ring", OPTION_SIZE, 256 * K, 256 * M, "1M",
	    .help = "Size of the ring of states.", .at_start = true } },
	{ "Agent", AT(samples_ring_octets),
	  { "samples_ring", OPTION_SIZE, 256 * K, 1024 * M, "7680K",
	    .help = "Size of the ring of samples: sets how far back petrel "
		    "history shows each reading, and how long an outage may "
		    "last without a loss. 7680K holds 15 minutes of 18,000 "
		    "values a second; exact traffic needs 15M.",
	    .at_start = true } },
	{ "Platform", AT(driver),
	  { "driver", OPTION_AUTO_OR_LIST, .value = "auto",
	    .help = "auto, or drivers joined by commas: sonic, linux, module, "
		    "sim. If auto chooses linux, it adds module.",
	    .at_start = true } },
	{ "Query", AT(socket),
	  { "socket", OPTION_NAME, .value = "petrel.sock",
	    .help = "Name of the local socket in run_dir.",
	    .at_start = true } },
	{ "Query", AT(read),
	  { "read", OPTION_WORD, .value = "all",
	    .help = "Who may query the agent and read the rings: all, or only "
		    "root and the group petrel.",
	    WORDS(read_words) } },
	{ "History", AT(tiers),
	  { "tiers", OPTION_BOOL, .value = "yes",
	    .help = "yes: mean, minimum and maximum of the quantities that "
		    "show the state of links, modules and queues are kept in "
		    "files, by the minute for 24 hours and by 15 minutes for "
		    "30 days. no: nothing is written." } },
	{ "History", AT(tiers_folder),
	  { "folder", OPTION_PATH,
	    .help = "Folder of these files, below --root: one that outlives a "
		    "reboot, in a folder that exists and that petreld may "
		    "write. Empty: /var/lib/petrel/history, unless that is in "
		    "memory." } },
	{ "History", AT(tiers_octets),
	  { "size", OPTION_SIZE, TIERS_HELD_MIN, 64 * K * M, "96M",
	    .help = "Maximum size of all these files; then the oldest are "
		    "removed." } },
	{ "History", AT(tiers_day_octets),
	  { "per_day", OPTION_SIZE, 2 * M, 64 * K * M, "32M",
	    .help = "Maximum octets written there in a day (UTC); then nothing "
		    "more until the next." } },
	{ "Push", AT(collector[0]),
	  { "collector", OPTION_URL,
	    .help = "Where records go, as tcp://host:port. Empty: nowhere; the "
		    "rings keep the newest records." } },
	{ "Push", AT(collector[1]),
	  { "collector_2", OPTION_URL,
	    .help = "A second collector, used if the first does not answer; "
		    "with mirror, in addition to it." } },
	{ "Push", AT(collector[2]),
	  { "collector_3", OPTION_URL, .help = "A third collector." } },
	{ "Push", AT(mirror),
	  { "mirror", OPTION_BOOL, .value = "no",
	    .help = "yes: each collector gets all records. no: one of them "
		    "does; the next one takes over if it does not answer." } },
	{ "Push", AT(insecure),
	  { "insecure", OPTION_BOOL, .value = "no",
	    .help = "yes: records are sent in the clear. Required if there is "
		    "no collector_key." } },
	{ "Push", AT(collector_key[0]),
	  { "collector_key", OPTION_TEXT,
	    .help = "Public key of the collector, as petrel-collector --key "
		    "prints it. Records sent there are sealed." } },
	{ "Push", AT(collector_key[1]),
	  { "collector_key_2", OPTION_TEXT,
	    .help = "The same for the second collector. Empty: as for the "
		    "first." } },
	{ "Push", AT(collector_key[2]),
	  { "collector_key_3", OPTION_TEXT,
	    .help = "The same for the third collector. Empty: as for the "
		    "first." } },
	{ "Push", AT(key_file),
	  { "key_file", OPTION_FILE_BELOW_ROOT,
	    .help = "This switch's own secret key, below --root, in a file of "
		    "mode 0600. Empty: the credential switch.key, else "
		    "switch.key in /etc/petrel or /var/lib/petrel, where one "
		    "is made if there is none." } },
	{ "Push", AT(token_file),
	  { "token_file", OPTION_FILE_BELOW_ROOT,
	    .help = "The token with which this switch enrols at the collector, "
		    "below --root, in a file of mode 0600. Empty: the "
		    "credential enrol.token, else enrol.token in /etc/petrel "
		    "or /var/lib/petrel, if it exists." } },
	{ "Push", AT(spool_octets),
	  { "spool", OPTION_SIZE, 0, 4 * K * M, "144M",
	    .help = "Maximum size of the spool in /var/lib/petrel, used while "
		    "no collector answers. 0: no spool; the rings keep the "
		    "newest records." } },
	{ "Push", AT(spool_day_octets),
	  { "spool_per_day", OPTION_SIZE, 1 * M, K * K * M, "88M",
	    .help = "Maximum octets written there in a day; part of it is "
		    "reserved for findings and states." } },
	{ "Push", AT(vrf[0]),
	  { "vrf", OPTION_DEVICE,
	    .help = "VRF or interface through which the collectors are "
		    "reached, such as mgmt; it may come and go. A collector's "
		    "name is resolved outside the VRF: give its address. "
		    "default: none, as if empty." } },
	{ "Push", AT(vrf[1]),
	  { "vrf_2", OPTION_DEVICE,
	    .help = "The same for the second collector. Empty: as for the "
		    "first." } },
	{ "Push", AT(vrf[2]),
	  { "vrf_3", OPTION_DEVICE,
	    .help = "The same for the third collector. Empty: as for the "
		    "first." } },
	{ "Push", AT(source[0]),
	  { "source", OPTION_ADDRESS,
	    .help = "Source address of connections to the collector. Empty: "
		    "chosen by the route." } },
	{ "Push", AT(source[1]),
	  { "source_2", OPTION_ADDRESS,
	    .help = "The same for the second collector. Empty: as for the "
		    "first, if its family fits." } },
	{ "Push", AT(source[2]),
	  { "source_3", OPTION_ADDRESS,
	    .help = "The same for the third collector. Empty: as for the "
		    "first, if its family fits." } },
	{ "Push", AT(dscp),
	  { "dscp", OPTION_NUMBER, 0, CONFIG_DSCP_MAX, "0",
	    .help = "DSCP of packets to collectors, 0 to 63." } },
	{ "Push", AT(window_octets),
	  { "window", OPTION_SIZE, 64 * K, 16 * M, "512K",
	    .help = "Maximum octets sent and not yet acknowledged." } },
	{ "Push", AT(rate_octets),
	  { "rate", OPTION_SIZE, 0, K * M, "0",
	    .help = "Maximum octets of records sent to a collector in a "
		    "second; findings go first. 0: no limit." } },
	{ "Push", AT(heartbeat_ns),
	  { "heartbeat", OPTION_DURATION, 100 * MS, 60 * S, "2s",
	    .help = "How often a silent collector is asked whether it is "
		    "alive. After three unanswered requests the connection "
		    "ends." } },
	{ "Metrics", AT(metrics_listen),
	  { "listen", OPTION_TEXT,
	    .help = "Address and port where Prometheus scrapes this switch, "
		    "such as 127.0.0.1:9717 or [::]:9717. Empty: none. "
		    "Addresses other than loopback need token_file, or anybody "
		    "= yes." } },
	{ "Metrics", AT(metrics_vrf),
	  { "vrf", OPTION_DEVICE,
	    .help = "The VRF to listen in, such as mgmt. Empty, or default: "
		    "none." } },
	{ "Metrics", AT(metrics_profile),
	  { "profile", OPTION_WORD, .value = "links",
	    .help = "Which metrics are served: findings, links, queues or all; "
		    "see petrel-metrics(7).",
	    .words = metric_profiles, .word_count = PROFILE_COUNT } },
	{ "Metrics", AT(metrics_cert),
	  { "cert_file", OPTION_FILE_BELOW_ROOT,
	    .help = "Certificate of the server, PEM, below --root. With "
		    "key_file: TLS only." } },
	{ "Metrics", AT(metrics_key),
	  { "key_file", OPTION_FILE_BELOW_ROOT,
	    .help = "Its key, PEM, below --root." } },
	{ "Metrics", AT(metrics_token),
	  { "token_file", OPTION_FILE_BELOW_ROOT,
	    .help = "A file, below --root, whose first line is the token that "
		    "a request must send as Authorization: Bearer." } },
	{ "Metrics", AT(metrics_anybody),
	  { "anybody", OPTION_BOOL, .value = "no",
	    .help = "yes: anybody who can reach the address may read, without "
		    "a token." } },
	{ "Log", AT(log_level),
	  { "level", OPTION_WORD, .value = "info",
	    .help = "Lowest priority that is logged.", WORDS(level_words) } },
};

/* The drivers' keys go before the first of these. */
#define BEFORE_DRIVERS "Query"

/* The agent's keys without drivers. */
static const struct config_table own_table = {
	keys, sizeof(keys) / sizeof(keys[0]), true, true,
	offsetof(struct config, place)
};

struct config_keys {
	struct config_table table;
	struct config_key key[CONFIG_KEYS_MAX];
	char section[PLATFORM_DRIVERS_MAX][CONFIG_SECTION_MAX];
	const char *name[PLATFORM_DRIVERS_MAX];	/* of the drivers */
	size_t names, options;
};

#undef AT
#define AT(field) offsetof(struct collector_config, field)

/* Keys of each HTTP engine. */
#define ENGINE_KEYS(section, field, what) \
	{ section, AT(field.url), { "url", OPTION_HTTP_URL, .help = what } }, \
	{ section, AT(field.token_file), { "token_file", OPTION_PATH, \
	  .is_read = true, .help = "A file with the bearer token." } }, \
	{ section, AT(field.ca_file), { "ca_file", OPTION_PATH, \
	  .is_read = true, .help = "CA certificates for the engine's " \
		  "certificate. Empty: the system's." } }, \
	{ section, AT(field.timeout_ns), { "timeout", OPTION_DURATION, \
	  100 * MS, 60 * S, "10s", .help = "Maximum duration of a request." } }

static const struct config_key collector_keys[] = {
	{ "Collector", AT(listen),
	  { "listen", OPTION_URL, .value = "tcp://*:4717",
	    .help = "Where agents connect." } },
	{ "Collector", AT(spool),
	  { "spool", OPTION_TEXT, .value = "/var/lib/petrel-collector/spool",
	    .help = "Folder of the durable spool." } },
	{ "Collector", AT(database),
	  { "database", OPTION_TEXT,
	    .value = "/var/lib/petrel-collector/petrel.db",
	    .help = "SQLite file of findings and inventory." } },
	{ "Collector", AT(keep_ns),
	  { "keep", OPTION_DURATION, 3600 * S, INT64_C(3650) * 86400 * S,
	    "90d",
	    .help = "How long the database keeps events, changes of findings, "
		    "and findings that were cleared." } },
	{ "Collector", AT(database_octets),
	  { "database_size", OPTION_SIZE, 16 * M, K *K *M, "2048M",
	    .help = "Above this size they are kept for a shorter time." } },
	{ "Collector", AT(rollups),
	  { "rollups", OPTION_BOOL, .value = "yes",
	    .help = "yes: keep roll-ups of each series, by the minute and by "
		    "15 minutes, in a file beside the database." } },
	{ "Collector", AT(rollup_minutes_ns),
	  { "rollups_minutes", OPTION_DURATION, 3600 * S,
	    INT64_C(3650) * 86400 * S, "1d",
	    .help = "How long roll-ups by the minute are kept." } },
	{ "Collector", AT(rollup_quarters_ns),
	  { "rollups_quarters", OPTION_DURATION, 3600 * S,
	    INT64_C(3650) * 86400 * S, "90d",
	    .help = "How long roll-ups by 15 minutes are kept." } },
	{ "Collector", AT(rollup_octets),
	  { "rollups_size", OPTION_SIZE, 16 * M, K *K *M, "8192M",
	    .help = "Above this size both are kept for a shorter time, in "
		    "proportion." } },
	{ "Collector", AT(insecure),
	  { "insecure", OPTION_BOOL, .value = "no",
	    .help = "yes: also accept records in the clear, from switches that "
		    "have no key." } },
	{ "Collector", AT(key_file),
	  { "key_file", OPTION_PATH,
	    .help = "The collector's secret key; two during a change of "
		    "key." } },
	{ "Collector", AT(authorized),
	  { "authorized_switches", OPTION_PATH,
	    .value = "/var/lib/petrel-collector/authorized_switches",
	    .help = "Which switch has which key." } },
	{ "Collector", AT(enrolment),
	  { "enrolment", OPTION_PATH,
	    .value = "/var/lib/petrel-collector/enrolment",
	    .help = "Folder of issued tokens that were not yet used." } },
	{ "Collector", AT(spool_octets),
	  { "spool_size", OPTION_SIZE, 16 * M, K *K *M, "1024M",
	    .help = "Maximum size of the spool." } },
	{ "Collector", AT(give_up_ns),
	  { "give_up", OPTION_DURATION, 0, 365 * 86400 * S, "1d",
	    .help = "A sink that is down for longer no longer holds up a full "
		    "spool. 0: it does so forever, and agents keep what they "
		    "have." } },
	{ "Collector", AT(silent_ns),
	  { "silent_after", OPTION_DURATION, S, 86400 * S, "6s",
	    .help = "A switch that is not heard for this time is silent: use "
		    "three of its agent's heartbeats." } },
	{ "HTTP", AT(http_listen),
	  { "listen", OPTION_TEXT, .value = "127.0.0.1:9817",
	    .help = "Address and port for queries and metrics, such as "
		    "127.0.0.1:9817 or [2001:db8::1]:9817. Empty: none." } },
	{ "HTTP", AT(http_vrf),
	  { "vrf", OPTION_DEVICE,
	    .help = "The VRF to listen in. Empty, or default: none." } },
	{ "HTTP", AT(http_cert),
	  { "cert_file", OPTION_PATH,
	    .help = "TLS certificate chain, PEM." } },
	{ "HTTP", AT(http_key),
	  { "key_file", OPTION_PATH, .help = "Its key, PEM." } },
	{ "HTTP", AT(http_token),
	  { "token_file", OPTION_PATH,
	    .help = "File whose first line is the token that each client must "
		    "send as Authorization: Bearer. An address other than "
		    "loopback needs one." } },
	ENGINE_KEYS("RemoteWrite", remote,
		    "Where samples go by Prometheus' remote-write, version 1. "
		    "Empty: nowhere."),
	{ "RemoteWrite", AT(remote.replay_ns),
	  { "replay", OPTION_DURATION, 0, 3600 * S, "60s",
	    .help = "How far back samples are sent again after the engine "
		    "restarted. 0: never." } },
	{ "RemoteWrite", AT(remote.max_series),
	  { "max_series_per_switch", OPTION_NUMBER, 1, 2000000, "75000",
	    .help = "Maximum number of series for each switch; those behind "
		    "findings and margins go first, the rest is held back." } },
	{ "RemoteWrite", AT(remote.refused_file),
	  { "refused_file", OPTION_PATH,
	    .value = "/var/lib/petrel-collector/refused.ndjson",
	    .help = "File for samples that the engine refuses." } },
	ENGINE_KEYS("Alertmanager", alerts,
		    "Where findings go as alerts: http://host:9093. Empty: "
		    "nowhere."),
	{ "Alertmanager", AT(alerts.new_per_hour),
	  { "new_per_hour", OPTION_NUMBER, 1, 1000000, "500",
	    .help = "Maximum number of new alerts an hour; further ones wait, "
		    "and one alert says so." } },
	ENGINE_KEYS("Webhook", webhook,
		    "Where each change of a finding is posted. Empty: "
		    "nowhere."),
	{ "Webhook", AT(webhook.max_age_ns),
	  { "max_age", OPTION_DURATION, 10 * S, 365 * 86400 * S, "15m",
	    .help = "Changes that are older than this are not posted." } },
	{ "Ndjson", AT(ndjson.file),
	  { "file", OPTION_TEXT,
	    .help = "File for records as JSON lines; -: standard output. "
		    "Empty: none." } },
	{ "Ndjson", AT(ndjson.file_octets),
	  { "file_size", OPTION_SIZE, K, K *K *M, "64M",
	    .help = "A file of this size becomes FILE.1, and a new one "
		    "begins." } },
	{ "Ndjson", AT(ndjson.kinds),
	  { "kind", OPTION_TEXT, .value = "finding,event",
	    .help = "Kinds of records, joined by commas, or all." } },
	{ "Ndjson", AT(ndjson.switch_name),
	  { "switch", OPTION_TEXT, .help = "Only records of this switch." } },
	{ "Ndjson", AT(ndjson.port),
	  { "port", OPTION_TEXT, .help = "Only records of this port." } },
	{ "Ndjson", AT(ndjson.quantity),
	  { "quantity", OPTION_TEXT,
	    .help = "Only values of this quantity, in batches." } },
	{ "Log", AT(log_level),
	  { "level", OPTION_WORD, .value = "info",
	    .help = "Lowest priority that is logged.", WORDS(level_words) } },
};

static const struct config_table collector_table = {
	collector_keys, sizeof(collector_keys) / sizeof(collector_keys[0]),
	false, true, offsetof(struct collector_config, place)
};

/* Their section is the driver's name with a capital. */
static int driver_add(struct config_keys *to,
		      const struct platform_driver *driver, struct diag *d)
{
	const struct option_key *o = driver->options;
	char *section;

	if (to->names == PLATFORM_DRIVERS_MAX)
		return diag_set(d, -ENOSPC, "driver %s: more than %d drivers",
				driver->name, PLATFORM_DRIVERS_MAX);
	section = to->section[to->names];
	(void)snprintf(section, CONFIG_SECTION_MAX, "%s", driver->name);
	section[0] = (char)toupper((unsigned char)section[0]);
	to->name[to->names++] = driver->name;
	for (; o && o->key; o++) {
		if (to->options == CONFIG_OPTIONS_MAX)
			return diag_set(d, -ENOSPC, "driver %s: more than %d "
					"options of all drivers", driver->name,
					CONFIG_OPTIONS_MAX);
		to->key[to->table.count++] = (struct config_key){
			section, AT_OPTION(to->options++), *o, true };
	}
	return 0;
}

int config_keys_new(const struct platform_driver *const *drivers,
		    struct config_keys **ret, struct diag *d)
{
	struct config_keys *to = calloc(1, sizeof(*to));
	int rc = 0;
	size_t i = 0;

	if (!to)
		return diag_set(d, -ENOMEM, "no memory for the keys");
	to->table = own_table;
	to->table.keys = to->key;
	to->table.skips_others = false;
	to->table.count = 0;
	for (; strcmp(keys[i].section, BEFORE_DRIVERS) != 0; i++)
		to->key[to->table.count++] = keys[i];
	while (rc == 0 && *drivers)
		rc = driver_add(to, *drivers++, d);
	to->key[i - 1].is.words = to->name;	/* [Platform] driver */
	to->key[i - 1].is.word_count = to->names;
	for (; i < own_table.count; i++)
		to->key[to->table.count++] = keys[i];
	if (rc < 0)
		config_keys_free(to);
	else
		*ret = to;
	return rc;
}

void config_keys_free(struct config_keys *k)
{
	free(k);
}

const struct config_table *config_keys_table(const struct config_keys *k)
{
	return k ? &k->table : &own_table;
}

static const struct config_table *table_of(const struct config *c)
{
	return config_keys_table(c->keys);
}

static struct config built_in(const struct config_keys *k)
{
	struct config c;

	memset(&c, 0, sizeof(c));
	c.keys = k;
	table_defaults(table_of(&c), &c);
	return c;
}

int config_parse(const char *text, size_t len, const char *file,
		 struct config *inout, struct diag *d)
{
	struct config c = *inout;
	int rc = table_parse(table_of(&c), text, len, file, ORIGIN_FILE, &c,
			     d);

	if (rc == 0)
		*inout = c;
	return rc;
}

int config_load(const struct config_keys *k,
		const struct config_settings *settings, const char *path,
		bool optional, struct config *ret, struct diag *d)
{
	struct config c = built_in(k);
	int rc = settings ? table_settings(table_of(&c), settings, &c, d) : 0;

	if (rc < 0)
		return rc;
	rc = table_load(table_of(&c), path, "conf.d", optional, &c, d);
	if (rc == 0)
		rc = config_together(table_of(&c), &c, d);
	if (rc == 0)
		*ret = c;
	return rc;
}

int config_files_check(const struct config *c, int root_fd, struct diag *d)
{
	return config_named_files(table_of(c), c, root_fd, d);
}

int collector_files_check(const struct collector_config *c, struct diag *d)
{
	return config_named_files(&collector_table, c, -1, d);
}

static int fault(const struct config_table *t, const void *target,
		 const char *section, const char *key, int err, struct diag *d)
{
	char origin[CONFIG_ORIGIN_MAX], built_in_text[CONFIG_ORIGIN_MAX];

	table_origin_text(&(struct config_place){ .line = 0 }, built_in_text);
	table_origin(t, target, section, key, origin);
	if (strcmp(origin, built_in_text) == 0)
		return diag_prefix(d, err, "[%s]", section);
	return diag_prefix(d, err, "%s: [%s]", origin, section);
}

int config_fault(const struct config *c, const char *section, const char *key,
		 int err, struct diag *d)
{
	return fault(table_of(c), c, section, key, err, d);
}

int collector_fault(const struct collector_config *c, const char *section,
		    const char *key, int err, struct diag *d)
{
	return fault(&collector_table, c, section, key, err, d);
}

void config_guess_run_dir(const char *path, char ret[static CONFIG_TEXT_MAX])
{
	struct config c = built_in(NULL);
	struct diag d;

	(void)table_load(&own_table, path, "conf.d", true, &c, &d);
	memcpy(ret, c.run_dir, CONFIG_TEXT_MAX);
}

int collector_config_load(const char *path, bool optional,
			  struct collector_config *ret, struct diag *d)
{
	struct collector_config c;
	int rc;

	memset(&c, 0, sizeof(c));
	table_defaults(&collector_table, &c);
	rc = table_load(&collector_table, path, "collector.d", optional, &c, d);
	if (rc == 0)
		*ret = c;
	return rc;
}

const char *config_option(const struct config *c, const char *driver,
			  const char *key)
{
	const struct config_table *t = table_of(c);

	for (size_t i = 0; i < t->count; i++) {
		const struct config_key *k = &t->keys[i];
		const char *text = (const char *)c + k->offset;

		if (k->as_text && strcasecmp(k->section, driver) == 0 &&
		    strcmp(k->is.key, key) == 0)
			return text[0] ? text : NULL;
	}
	return NULL;
}

void config_sections(const struct config_keys *k,
		     const char *ret[static CONFIG_SECTIONS_MAX + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < k->table.count; i++) {
		if (n > 0 && strcmp(ret[n - 1], k->key[i].section) == 0)
			continue;
		assert(n < CONFIG_SECTIONS_MAX);
		ret[n++] = k->key[i].section;
	}
	ret[n] = NULL;
}

void config_started(const struct config *start, struct config *inout)
{
	const struct config_table *t = table_of(start);

	for (size_t i = 0; i < t->count; i++) {
		const struct config_key *k = &t->keys[i];

		if (!k->is.at_start)
			continue;
		memcpy((char *)inout + k->offset,
		       (const char *)start + k->offset, table_value_size(k));
		inout->place[i] = start->place[i];
	}
}

bool config_entry(const struct config *c, const struct config *wanted,
		  size_t index, struct config_entry *ret)
{
	const struct config_table *t = table_of(c);
	const struct config_key *k = t->keys + index;

	if (index >= t->count)
		return false;
	ret->section = k->section;
	ret->key = k->is.key;
	ret->at_start = k->is.at_start;
	table_value(k, c, ret->value);
	table_value(k, wanted, ret->waiting);
	ret->waits = strcmp(ret->value, ret->waiting) != 0;
	table_origin_text(&c->place[index], ret->origin);
	return true;
}

void config_differences(const struct config *was, const struct config *is,
			config_differs_fn *tell, void *context)
{
	struct config_entry e;

	for (size_t i = 0; config_entry(was, is, i, &e); i++)
		if (e.waits)
			tell(context, e.section, e.key, e.value, e.waiting);
}
