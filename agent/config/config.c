#include "agent/config/config.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/base/path.h"
#include "agent/config/form.h"
#include "agent/config/table.h"
#include "petrel/clock.h"
#include "petrel/log.h"

#define MS NS_PER_MS
#define S  NS_PER_S
#define K  INT64_C(1024)
#define M  (1024 * K)

#define MANUAL_COLUMNS 72
#define AT(field) offsetof(struct config, field)

static const char *const read_words[] = {
	[READ_ALL] = "all",
	[READ_GROUP] = "group",
};

static const char *const traffic_words[] = {
	[TRAFFIC_EXACT] = "exact",
	[TRAFFIC_BOUNDED] = "bounded",
};

static const char *const level_words[] = {
	[LOG_PRIORITY_ERR] = "error",
	[LOG_PRIORITY_WARNING] = "warning",
	[LOG_PRIORITY_NOTICE] = "notice",
	[LOG_PRIORITY_INFO] = "info",
	[LOG_PRIORITY_DEBUG] = "debug",
};

static const char *const driver_words[] = {
	"sonic", "linux", "module", "sim"
};

static const char *const publish_words[] = { "state_db", "eventd" };

#define WORDS(a) .words = (a), .word_count = sizeof(a) / sizeof((a)[0])

static const struct config_key keys[] = {
	{ "Agent", "name", CONFIG_TEXT, AT(name), .value = "",
	  .help = "Name of this switch in records and findings. Empty: what "
		  "the platform calls it, else the host name." },
	{ "Agent", "run_dir", CONFIG_TEXT, AT(run_dir), .value = "/run/petrel",
	  .help = "Where rings and socket lie, below --root. Nobody else may "
		  "write there.",
	  .form = form_absolute,
	  .at_start = true },
	{ "Agent", "user", CONFIG_TEXT, AT(user), .value = "_petrel",
	  .help = "As whom petreld runs where root starts it. Where this is "
		  "_petrel and there is no such user, nobody.",
	  .at_start = true },
	{ "Agent", "interval", CONFIG_DURATION, AT(interval_ns), 100 * MS,
	  60 * S, "1s",
	  .help = "One tick: how often fast sources are read and a batch is "
		  "made." },
	{ "Agent", "cpu_budget", CONFIG_DURATION, AT(cpu_budget_ns), 1 * MS,
	  S, "200ms",
	  .help = "CPU time a second of all processes together, without what "
		  "answers take, which have a budget of their own. Where it is "
		  "passed, slow sources are read less often." },
	{ "Agent", "memory_budget", CONFIG_SIZE, AT(memory_budget_octets),
	  1 * M, 65536 * M, "128M",
	  .help = "Memory of all processes together, as petrel status shows "
		  "it. Where it is passed, the local history is kept shorter, "
		  "down to an eighth, and then slow sources are read less "
		  "often." },
	{ "Agent", "history", CONFIG_DURATION, AT(history_ns), 60 * S,
	  7200 * S, "15m", .help = "How far back the local history reaches." },
	{ "Agent", "traffic", CONFIG_WORD, AT(traffic), .value = "exact",
	  .help = "How records count the frames and octets that were carried. "
		  "bounded: off by at most 1/1024 of what they grew by, and "
		  "exact again each minute; records then take a third less "
		  "room. Errors, drops, marks and FEC are exact always.",
	  WORDS(traffic_words) },
	{ "Agent", "findings_ring", CONFIG_SIZE, AT(findings_ring_octets),
	  256 * K, 64 * M, "256K", .help = "Size of the ring of findings.",
	  .at_start = true },
	{ "Agent", "states_ring", CONFIG_SIZE, AT(states_ring_octets), 256 * K,
	  256 * M, "1M", .help = "Size of the ring of states.",
	  .at_start = true },
	{ "Agent", "samples_ring", CONFIG_SIZE, AT(samples_ring_octets),
	  256 * K, 1024 * M, "3M", .help = "Size of the ring of samples. 3M hold "
		  "two to three minutes of 20,000 values a second.",
	  .at_start = true },
	{ "Platform", "driver", CONFIG_TEXT, AT(driver), .value = "auto",
	  .help = "auto, or drivers joined by commas: sonic, linux, "
		  "module, sim. linux chosen by auto comes with module.",
	  .form = form_auto_or_list, WORDS(driver_words),
	  .at_start = true },
	{ "Sim", "scenario", CONFIG_TEXT, AT(sim_scenario), .value = "",
	  .help = "Scenario file of the simulated switch, see "
		  "petrel-scenario(5).",
	  .at_start = true, .file = CONFIG_FILE },
	{ "Sim", "speed", CONFIG_TEXT, AT(sim_speed), .value = "",
	  .help = "Simulated seconds in one real second.",
	  .form = form_factor, .max = 10000,
	  .at_start = true },
	{ "Linux", "interfaces", CONFIG_TEXT, AT(linux_interfaces),
	  .value = "",
	  .help = "Patterns of interface names, joined by commas.",
	  .at_start = true },
	{ "Sonic", "redis", CONFIG_TEXT, AT(sonic_redis), .value = "",
	  .help = "Redis socket, below --root. Empty: what "
		  "database_config.json says.",
	  .at_start = true },
	{ "Sonic", "publish", CONFIG_TEXT, AT(sonic_publish), .value = "",
	  .help = "Where findings are written on the switch, joined by commas: "
		  "state_db (table PETREL_FINDING), eventd "
		  "(sonic-events-petrel). Empty: nowhere.",
	  .form = form_list, WORDS(publish_words) },
	{ "Sonic", "hft_family", CONFIG_TEXT, AT(sonic_hft_family),
	  .value = "",
	  .help = "Generic netlink family of high-frequency telemetry. Empty: "
		  "what /etc/sonic/constants.yml says, else sonic_stel.",
	  .at_start = true },
	{ "Sonic", "hft_group", CONFIG_TEXT, AT(sonic_hft_group), .value = "",
	  .help = "Its multicast group. Empty: the same, else ipfix.",
	  .at_start = true },
	{ "Sonic", "hft_ids", CONFIG_TEXT, AT(sonic_hft_ids), .value = "",
	  .help = "File of lines NAME,NUMBER, below --root: the statistics' "
		  "numbers in this image's SAI. Empty: those of SAI in "
		  "2026.",
	  .at_start = true, .file = CONFIG_FILE_BELOW_ROOT },
	{ "Sonic", "hft_test_port", CONFIG_TEXT, AT(sonic_hft_test_port),
	  .value = "",
	  .help = "For tests: telemetry comes from this port of "
		  "NETLINK_USERSOCK, from whoever sends there.",
	  .form = form_number, .max = INT32_MAX,
	  .at_start = true },
	{ "Module", "map", CONFIG_TEXT, AT(module_map), .value = "",
	  .help = "File that says how each cage is reached and which ports "
		  "sit on it, below --root; lines CAGE KIND WHERE [PORT ...]. "
		  "Empty: what sx_core, S3IP, optoe or ethtool offer.",
	  .at_start = true, .file = CONFIG_FILE_BELOW_ROOT },
	{ "Module", "owner", CONFIG_TEXT, AT(module_owner), .value = "no",
	  .help = "yes: Petrel alone has the modules, and may select pages "
		  "and read flags that reading clears. Refused while SONiC's "
		  "xcvrd runs. no: nothing is changed.",
	  .form = form_bool,
	  .at_start = true },
	{ "Module", "budget", CONFIG_TEXT, AT(module_budget),
	  .value = "500ms",
	  .help = "How long a round of reading modules may keep the buses "
		  "busy; the rest waits for the next.",
	  .form = form_duration, .min = 10 * MS, .max = 60 * S,
	  .at_start = true },
	{ "Query", "socket", CONFIG_TEXT, AT(socket), .value = "petrel.sock",
	  .help = "Name of the local socket in run_dir.",
	  .form = form_name,
	  .at_start = true },
	{ "Query", "read", CONFIG_WORD, AT(read), .value = "all",
	  .help = "Who may ask, and read the rings: all, or only root and the "
		  "group petrel.",
	  WORDS(read_words) },
	{ "Push", "collector", CONFIG_TEXT, AT(collector), .value = "",
	  .help = "Where records go, as tcp://host:port. Empty: nowhere; the "
		  "rings keep the newest.",
	  .form = form_url },
	{ "Push", "insecure", CONFIG_BOOL, AT(insecure), .value = "no",
	  .help = "yes: records travel in the clear. Must be written while "
		  "sealing is not there." },
	{ "Push", "window", CONFIG_SIZE, AT(window_octets), 64 * K, 16 * M,
	  "512K", .help = "Octets sent and not yet acknowledged, at most." },
	{ "Push", "heartbeat", CONFIG_DURATION, AT(heartbeat_ns), 100 * MS,
	  60 * S, "2s", .help = "How often a silent collector is asked for a "
	  "sign. Three unanswered end the connection." },
	{ "Log", "level", CONFIG_WORD, AT(log_level), .value = "info",
	  .help = "Lowest priority that is logged.", WORDS(level_words) },
};

static const struct config_table table = {
	keys, sizeof(keys) / sizeof(keys[0]), true,
	offsetof(struct config, place)
};

#undef AT
#define AT(field) offsetof(struct collector_config, field)

static const struct config_key collector_keys[] = {
	{ "Collector", "listen", CONFIG_TEXT, AT(listen),
	  .value = "tcp://*:4717", .help = "Where agents connect.",
	  .form = form_url },
	{ "Collector", "spool", CONFIG_TEXT, AT(spool),
	  .value = "/var/lib/petrel-collector/spool",
	  .help = "Folder of the durable spool." },
	{ "Collector", "database", CONFIG_TEXT, AT(database),
	  .value = "/var/lib/petrel-collector/petrel.db",
	  .help = "SQLite file of findings and inventory." },
	{ "Collector", "insecure", CONFIG_BOOL, AT(insecure), .value = "no",
	  .help = "yes: takes records in the clear, from anyone." },
	{ "Collector", "spool_size", CONFIG_SIZE, AT(spool_octets), 16 * M,
	  K * K * M, "1024M", .help = "Size of the spool, at most." },
	{ "Log", "level", CONFIG_WORD, AT(log_level), .value = "info",
	  .help = "Lowest priority that is logged.", WORDS(level_words) },
};

static const struct config_table collector_table = {
	collector_keys, sizeof(collector_keys) / sizeof(collector_keys[0]),
	false, 0
};

int config_parse(const char *text, size_t len, const char *file,
		 struct config *inout, struct diag *d)
{
	struct config c = *inout;
	int rc = table_parse(&table, text, len, file, ORIGIN_FILE, &c, d);

	if (rc == 0)
		*inout = c;
	return rc;
}

int config_check(const struct config *c, struct diag *d)
{
	if (c->collector[0] && !c->insecure)
		return diag_set(d, -EINVAL,
				"[Push] collector is set, and sealing is not "
				"in this version: write insecure = yes to send "
				"in the clear, or take collector out");
	return 0;
}

int config_load(const char *path, bool optional, struct config *ret,
		struct diag *d)
{
	return config_load_over(NULL, path, optional, ret, d);
}

int config_load_over(const struct config_settings *settings, const char *path,
		     bool optional, struct config *ret, struct diag *d)
{
	struct config c;
	int rc;

	memset(&c, 0, sizeof(c));
	table_defaults(&table, &c);
	rc = settings ? table_settings(&table, settings, &c, d) : 0;
	if (rc < 0)
		return rc;
	rc = table_load(&table, path, "conf.d", optional, &c, d);
	if (rc == 0) {
		rc = config_check(&c, d);
		if (rc < 0)
			(void)diag_prefix(d, rc, "%s", path);
	}
	if (rc == 0)
		*ret = c;
	return rc;
}

#define ORIGIN_TEXT_MAX sizeof(((struct config_entry *)0)->origin)

static void origin_text(const struct config_place *p,
			char ret[static ORIGIN_TEXT_MAX])
{
	if (p->origin == ORIGIN_BUILT_IN || p->origin == ORIGIN_CONFIG_DB)
		(void)strcpy(ret, p->origin == ORIGIN_BUILT_IN ? "built-in" :
								 "CONFIG_DB");
	else
		(void)snprintf(ret, ORIGIN_TEXT_MAX, "%s%s:%u",
			       p->origin == ORIGIN_DROP_IN ? "conf.d/" : "",
			       p->file, p->line);
}

static int file_check(int root_fd, enum config_file kind, const char *path)
{
	int fd = kind == CONFIG_FILE_BELOW_ROOT ?
		 path_open(root_fd, path, O_RDONLY | O_NONBLOCK) :
		 open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int rc = fd >= 0 ? 0 : kind == CONFIG_FILE ? -errno : fd;
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)))
		rc = -EISDIR;
	if (fd >= 0)
		(void)close(fd);
	return rc;
}

int config_files_check(const struct config *c, int root_fd, struct diag *d)
{
	for (size_t i = 0; i < table.count; i++) {
		const struct config_key *k = &table.keys[i];
		const char *path = (const char *)c + k->offset;
		char origin[ORIGIN_TEXT_MAX];
		int rc;

		if (k->file == CONFIG_NO_FILE || !path[0])
			continue;
		rc = file_check(root_fd, k->file, path);
		origin_text(&c->place[i], origin);
		if (rc < 0)
			return diag_set(d, rc, "%s: %s = %s: %s; expected a "
					"file that can be read", origin,
					k->key, path, strerror(-rc));
	}
	return 0;
}

void config_guess_run_dir(const char *path, char ret[static CONFIG_TEXT_MAX])
{
	struct config c;
	struct diag d;

	memset(&c, 0, sizeof(c));
	table_defaults(&table, &c);
	(void)table_load(&table, path, "conf.d", true, &c, &d);
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
	if (rc == 0 && !c.insecure)
		rc = diag_set(d, -EINVAL, "%s: sealing is not in this version: "
			      "write insecure = yes in [Collector] to take "
			      "records in the clear", path);
	if (rc == 0)
		*ret = c;
	return rc;
}

const char *config_option(const struct config *c, const char *section,
			  const char *key)
{
	for (size_t i = 0; i < table.count; i++) {
		const struct config_key *k = &table.keys[i];
		const char *text = (const char *)c + k->offset;

		if (k->kind == CONFIG_TEXT &&
		    strcasecmp(k->section, section) == 0 &&
		    strcmp(k->key, key) == 0)
			return text[0] ? text : NULL;
	}
	return NULL;
}

void config_sections(const char *ret[static CONFIG_SECTIONS_MAX + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < table.count; i++) {
		if (n > 0 && strcmp(ret[n - 1], keys[i].section) == 0)
			continue;
		assert(n < CONFIG_SECTIONS_MAX);
		ret[n++] = keys[i].section;
	}
	ret[n] = NULL;
}

/* Octets of a key's value. */
static size_t value_size(const struct config_key *k)
{
	static const size_t sizes[] = {
		[CONFIG_TEXT] = CONFIG_TEXT_MAX,
		[CONFIG_BOOL] = sizeof(bool),
		[CONFIG_DURATION] = sizeof(int64_t),
		[CONFIG_SIZE] = sizeof(uint64_t),
		[CONFIG_WORD] = sizeof(uint32_t),
	};

	return sizes[k->kind];
}

void config_started(const struct config *start, struct config *inout)
{
	for (size_t i = 0; i < table.count; i++) {
		const struct config_key *k = &table.keys[i];

		if (!k->at_start)
			continue;
		memcpy((char *)inout + k->offset,
		       (const char *)start + k->offset, value_size(k));
		inout->place[i] = start->place[i];
	}
}

bool config_entry(const struct config *c, const struct config *wanted,
		  size_t index, struct config_entry *ret)
{
	const struct config_key *k = keys + index;
	const struct config_place *p = c->place + index;

	if (index >= table.count)
		return false;
	ret->section = k->section;
	ret->key = k->key;
	ret->help = k->help;
	ret->at_start = k->at_start;
	table_value(k, c, ret->value);
	table_value(k, wanted, ret->waiting);
	ret->waits = strcmp(ret->value, ret->waiting) != 0;
	origin_text(p, ret->origin);
	return true;
}

void config_differences(const struct config *was, const struct config *is,
			config_differs_fn *tell, void *context)
{
	for (size_t i = 0; i < table.count; i++) {
		const struct config_key *k = &table.keys[i];
		char from[CONFIG_TEXT_MAX], to[CONFIG_TEXT_MAX];

		table_value(k, was, from);
		table_value(k, is, to);
		if (strcmp(from, to) != 0)
			tell(context, k->section, k->key, from, to);
	}
}

/* One sentence, on lines that fit a manual's source. */
static void words_print(FILE *out, const char *text, size_t len)
{
	const char *end = text + len;
	size_t column = 0;

	while (text < end) {
		size_t n = strcspn(text, " ");

		if (column > 0 && column + 1 + n > MANUAL_COLUMNS) {
			fputc('\n', out);
			column = 0;
		}
		if (n > (size_t)(end - text))
			n = (size_t)(end - text);
		fprintf(out, "%s%.*s", column ? " " : "", (int)n, text);
		column += n + (column > 0);
		text += n;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

/* Each sentence on a line of its own, as mdoc wants it. */
static void sentences_print(FILE *out, const char *text)
{
	const char *end;

	while ((end = strstr(text, ". ")) != NULL) {
		words_print(out, text, (size_t)(end + 1 - text));
		text = end + 2;
	}
	words_print(out, text, strlen(text));
}

void config_print_manual(FILE *out)
{
	const char *section = "";

	for (size_t i = 0; i < table.count; i++) {
		const struct config_key *k = &table.keys[i];

		if (strcmp(section, k->section) != 0)
			fprintf(out, "%s.Ss \\&[%s]\\&\n.Bl -tag -width Ds\n",
				section[0] ? ".El\n" : "", k->section);
		section = k->section;
		fprintf(out, ".It Ic %s\n", k->key);
		sentences_print(out, k->help);
		if (k->at_start)
			sentences_print(out, "A change takes effect when "
					"petreld is started again.");
		if (k->value[0])
			fprintf(out, "Default:\n.Ql %s .\n", k->value);
	}
	fprintf(out, ".El\n");
}
