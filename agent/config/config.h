/* C14: keys and values of petreld, from one table (config.c), read and checked
 * as a whole. Plain data, so that it can be handed on by copying.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/config/table.h"
#include "petrel/diag.h"
#include "petrel/quantity.h"

#define CONFIG_PATH_DEFAULT "/etc/petrel/petrel.conf"
#define CONFIG_OPTIONS_MAX 32		/* of all drivers */
#define CONFIG_SECTION_MAX 16
#define CONFIG_COLLECTORS_MAX 3u
#define CONFIG_DSCP_MAX 63

enum config_read { READ_ALL, READ_GROUP };
enum config_traffic { TRAFFIC_EXACT, TRAFFIC_BOUNDED };

struct config_keys;
struct platform_driver;

struct config {
	/* The keys it was read by, borrowed; NULL: only petreld's own. */
	const struct config_keys *keys;
	/* [Agent] */
	char name[CONFIG_TEXT_MAX];	/* empty: the host's */
	char run_dir[CONFIG_TEXT_MAX];	/* below --root */
	char user[CONFIG_TEXT_MAX];	/* run as, if root starts it */
	int64_t interval_ns;
	int64_t cpu_budget_ns;	/* per second, all processes (C15) */
	uint64_t memory_budget_octets;	/* the same */
	int64_t history_ns;
	uint32_t traffic;		/* enum config_traffic */
	int64_t record_ns[CLASS_COUNT];	/* the last is 0: no key */
	uint64_t findings_ring_octets, states_ring_octets, samples_ring_octets;
	/* [Platform] */
	char driver[CONFIG_TEXT_MAX];	/* auto, or names with commas */
	/* The drivers' own, as text: see config_option(). */
	char option[CONFIG_OPTIONS_MAX][CONFIG_TEXT_MAX];
	/* [Query] */
	char socket[CONFIG_TEXT_MAX];	/* empty: petrel.sock in run_dir */
	uint32_t read;			/* enum config_read */
	/* [History] */
	bool tiers;
	char tiers_folder[CONFIG_TEXT_MAX];	/* empty: the usual one */
	uint64_t tiers_octets, tiers_day_octets;
	/* [Push] */
	/* Those that are set come first; empty: none. */
	char collector[CONFIG_COLLECTORS_MAX][CONFIG_TEXT_MAX];
	bool mirror;
	bool insecure;
	/* The first empty: in the clear; another empty: the first one's. */
	char collector_key[CONFIG_COLLECTORS_MAX][CONFIG_TEXT_MAX];
	char key_file[CONFIG_TEXT_MAX], token_file[CONFIG_TEXT_MAX];
	uint64_t spool_octets, spool_day_octets;
	/* Of each; empty but for the first: the first one's. */
	char vrf[CONFIG_COLLECTORS_MAX][CONFIG_TEXT_MAX];
	char source[CONFIG_COLLECTORS_MAX][CONFIG_TEXT_MAX];
	uint64_t dscp;
	uint64_t window_octets;
	uint64_t rate_octets;
	int64_t heartbeat_ns;
	/* [Metrics] */
	char metrics_listen[CONFIG_TEXT_MAX];	/* empty: nowhere */
	char metrics_vrf[CONFIG_TEXT_MAX];
	uint32_t metrics_profile;	/* enum metric_profile */
	char metrics_cert[CONFIG_TEXT_MAX], metrics_key[CONFIG_TEXT_MAX];
	char metrics_token[CONFIG_TEXT_MAX];
	bool metrics_anybody;
	/* [Log] */
	uint32_t log_level;		/* enum log_priority */
	/* Where each key's value was set, in the table's order. */
	struct config_place place[CONFIG_KEYS_MAX];
};

/* [Collector] of petrel-collector's file. */
struct collector_config {
	char listen[CONFIG_TEXT_MAX];
	char spool[CONFIG_TEXT_MAX];
	char database[CONFIG_TEXT_MAX];
	bool insecure;
	char key_file[CONFIG_TEXT_MAX];
	char authorized[CONFIG_TEXT_MAX];
	char enrolment[CONFIG_TEXT_MAX];
	uint64_t spool_octets;
	int64_t give_up_ns;
	int64_t silent_ns;
	char http_listen[CONFIG_TEXT_MAX], http_vrf[CONFIG_TEXT_MAX];
	char http_cert[CONFIG_TEXT_MAX], http_key[CONFIG_TEXT_MAX];
	char http_token[CONFIG_TEXT_MAX];
	int64_t keep_ns;		/* in the database */
	uint64_t database_octets;
	bool rollups;			/* and how long each kind is kept */
	int64_t rollup_minutes_ns, rollup_quarters_ns;
	uint64_t rollup_octets;
	struct collector_remote {	/* [RemoteWrite] */
		char url[CONFIG_TEXT_MAX];	/* empty: none */
		char token_file[CONFIG_TEXT_MAX], ca_file[CONFIG_TEXT_MAX];
		char refused_file[CONFIG_TEXT_MAX];
		int64_t timeout_ns, replay_ns;
		uint64_t max_series;
	} remote;
	struct collector_alerts {	/* [Alertmanager] */
		char url[CONFIG_TEXT_MAX];	/* empty: none */
		char token_file[CONFIG_TEXT_MAX], ca_file[CONFIG_TEXT_MAX];
		int64_t timeout_ns;
		uint64_t new_per_hour;
	} alerts;
	struct collector_webhook {	/* [Webhook] */
		char url[CONFIG_TEXT_MAX];	/* empty: none */
		char token_file[CONFIG_TEXT_MAX], ca_file[CONFIG_TEXT_MAX];
		int64_t timeout_ns, max_age_ns;
	} webhook;
	struct collector_ndjson {	/* [Ndjson] */
		char file[CONFIG_TEXT_MAX];	/* empty: none */
		uint64_t file_octets;
		char kinds[CONFIG_TEXT_MAX];	/* names with commas */
		char switch_name[CONFIG_TEXT_MAX], port[CONFIG_TEXT_MAX];
		char quantity[CONFIG_TEXT_MAX];
	} ndjson;
	uint32_t log_level;
	/* Where each key's value was set, in the table's order. */
	struct config_place place[CONFIG_KEYS_MAX];
};

/* petreld's own keys and those that drivers declare, which are borrowed; the
 * list ends with NULL. Returns -ENOMEM, -ENOSPC (more than the limit).
 */
int config_keys_new(const struct platform_driver *const *drivers,
		    struct config_keys **ret, struct diag *d);
/* NULL is allowed. */
void config_keys_free(struct config_keys *k);
/* All of them; if NULL petreld's own. */
const struct config_table *config_keys_table(const struct config_keys *k);

/* Reads CONFIG_DB's settings, if settings is not NULL, then path and conf.d/
 * *.conf beside it, on top of the built-in values. A missing path is an error
 * unless optional. k NULL: for a caller that needs only petreld's own keys, and
 * does not check the drivers' sections. On failure *ret is untouched and d
 * names file, line and the nearest key. Returns -ENOENT, -EINVAL (a line),
 * -EACCES, -EFBIG.
 */
int config_load(const struct config_keys *k,
		const struct config_settings *settings, const char *path,
		bool optional, struct config *ret, struct diag *d);
/* Whether every file that a key names exists; d names the missing one, and
 * where the key was set. Returns -ENOENT.
 */
int config_files_check(const struct config *c, int root_fd, struct diag *d);

/* The run folder of an invalid configuration: the value read before the fault,
 * else the built-in one.
 */
void config_guess_run_dir(const char *path, char ret[static CONFIG_TEXT_MAX]);

/* config_load() for petrel-collector, whose folder is collector.d. */
int collector_config_load(const char *path, bool optional,
			  struct collector_config *ret, struct diag *d);
/* config_files_check() for petrel-collector. */
int collector_files_check(const struct collector_config *c, struct diag *d);

/* Puts before a message where a key was set, and its section, as
 * "petrel.conf:7: [Metrics]: ". Returns err.
 */
int config_fault(const struct config *c, const char *section, const char *key,
		 int err, struct diag *d);
/* The same for petrel-collector. */
int collector_fault(const struct collector_config *c, const char *section,
		    const char *key, int err, struct diag *d);

/* The same for text in memory, for tests and fuzzing; file is for messages. */
int config_parse(const char *text, size_t len, const char *file,
		 struct config *inout, struct diag *d);

/* Rules between keys: a collector needs its key or insecure = yes, and not
 * both; a source has its collector's address family.
 */
int config_together(const struct config_table *t, const struct config *c,
		    struct diag *d);

/* config_files_check() for a table's target. */
int config_named_files(const struct config_table *t, const void *target,
		       int root_fd, struct diag *d);

/* The VRF of the collector of a number, from 0; empty: none. */
const char *config_vrf(const struct config *c, unsigned collector);
/* Its source address; empty: as the route says. */
const char *config_source(const struct config *c, unsigned collector);

/* A driver's option, as text; NULL if empty. */
const char *config_option(const struct config *c, const char *driver,
			  const char *key);

/* A key with its value and the value's origin, in words: "built-in",
 * "CONFIG_DB", "petrel.conf:7", "conf.d/10-site.conf:3".
 */
struct config_entry {
	const char *section, *key;
	char value[CONFIG_TEXT_MAX];
	bool at_start;	/* a change needs a restart of petreld */
	bool waits;	/* such a change is waiting */
	char waiting[CONFIG_TEXT_MAX];	/* the wanted value */
	char origin[CONFIG_ORIGIN_MAX];
};

/* The index-th key of the table, as in force and as wanted; false after the
 * last.
 */
bool config_entry(const struct config *c, const struct config *wanted,
		  size_t index, struct config_entry *ret);
/* Resets the keys that are read only at the start to their values then. */
void config_started(const struct config *start, struct config *inout);

#define CONFIG_SECTIONS_MAX 16

/* The sections, in the order of the keys; NULL after the last. */
void config_sections(const struct config_keys *k,
		     const char *ret[static CONFIG_SECTIONS_MAX + 1]);

/* A key whose values differ; texts are borrowed for the call. */
typedef void config_differs_fn(void *context, const char *section,
			       const char *key, const char *from,
			       const char *to);

/* Reports each key in which two configurations differ. */
void config_differences(const struct config *was, const struct config *is,
			config_differs_fn *tell, void *context);
