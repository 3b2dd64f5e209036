/* State that the processes of one agent share: a page of anonymous shared
 * memory, mapped before the forks, that outlives each process.
 *
 * Each word has one writer, named beside it. Text is read only after the
 * generation that was stored after it.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/base/label.h"
#include "agent/config/config.h"
#include "agent/spool/keep.h"
#include "agent/spool/spool.h"
#include "petrel/clock.h"
#include "petrel/wire.h"

enum role {
	ROLE_SUPERVISOR, ROLE_READER, ROLE_CORE, ROLE_SENDER,
	ROLE_EXPORTER,		/* only while [Metrics] listen is set */
	ROLE_COUNT
};

struct registry;
struct rights;

struct control_process {
	_Atomic int32_t pid;		/* supervisor; 0 not running */
	_Atomic int64_t started_ns;	/* supervisor; monotonic */
	int64_t returned_ns;		/* its own: pages returned at */
	_Atomic uint32_t restarts;	/* supervisor */
	_Atomic int32_t is_off;		/* supervisor: not wanted now */
	_Atomic int32_t last_status;	/* supervisor; of waitpid(2) */
	_Atomic int64_t heartbeat_ns;	/* the process itself */
	_Atomic int64_t cpu_ns;		/* the process itself */
	_Atomic int64_t memory_octets;	/* the process itself: resident */
};

/* A sentence of one process that others show, whole or not at all. */
struct control_text {
	_Atomic uint32_t generation;	/* odd: being written */
	char text[DIAG_MAX];
};

/* Of one collector. */
struct control_uplink {
	_Atomic int32_t connected;
	_Atomic int64_t last_ack_ns;	/* monotonic; 0 never */
	_Atomic int64_t error_ns;	/* when it last applied; 0: none yet */
	struct control_text error;	/* the last one; kept when it is over */
};

/* The sender's; the core shows it. */
struct control_push {
	/* By their numbers in the configuration. */
	struct control_uplink uplink[CONFIG_COLLECTORS_MAX];
	_Atomic int32_t connected;
	_Atomic int64_t last_ack_ns;	/* monotonic; 0 never */
	_Atomic uint64_t acked[STREAM_COUNT];
	_Atomic int64_t progress_ns;	/* positions moved, or nothing owed */
	_Atomic uint64_t sent_records, sent_octets, gap_records;
	_Atomic uint64_t renewals, damaged;	/* see push.h */
	struct control_text reason;	/* why nothing is sent */
	_Atomic int32_t sealed;		/* the present session is (C11) */
	struct control_text own_key;	/* this switch's public key, or empty */
};

#define DISK_HUNG_NS (3 * NS_PER_S)	/* busy this long: it does not answer */

/* The sender's spool; the core shows it. */
struct control_spool {
	_Atomic int32_t fault;		/* errno; 0: it works */
	_Atomic uint64_t held_octets, segments;
	_Atomic uint64_t dropped_records;
	_Atomic int32_t refusal;	/* errno of the last append */
	_Atomic int64_t busy_ns;	/* busy with the disk since; 0: idle */
	struct spool_budget budget;	/* the sender's own */
};

/* Who this switch is (C9): a stable id, and a name that may change. The core
 * finds and writes both; id is empty until it is known.
 */
struct control_identity {
	_Atomic uint32_t generation;	/* odd: being written */
	char id[SWITCH_NAME_MAX];
	char name[SWITCH_NAME_MAX];
	/* What the platform reported when the id was taken; empty: nothing. */
	char serial[SWITCH_NAME_MAX];
	char mac[LABEL_MAC_MAX];
};

enum publisher_state {
	PUBLISHER_OFF,
	PUBLISHER_READY,
	PUBLISHER_CANNOT,
	PUBLISHER_FAILS
};

/* The core's process that sends to eventd. */
struct control_publisher {
	_Atomic uint32_t generation;	/* odd: being written */
	int32_t state;			/* enum publisher_state */
	char reason[160];
	_Atomic uint64_t published, dropped;
};

/* The exporter's. */
struct control_exporter {
	struct control_text fault;	/* why it does not listen */
	_Atomic uint64_t requests, refused, overdue;	/* http_server.h */
	_Atomic uint32_t connections;
};

/* The state of the coarser tiers of the history. */
struct control_tiers_kept {
	char folder[CONFIG_TEXT_MAX];	/* empty: nothing is known yet */
	char fault[160];	/* why no rows are kept; empty: they are */
	uint64_t held_octets, written_octets;	/* in all; today */
	uint64_t series, left_out;
	int64_t minutes_s, quarters_s;	/* wall, of the oldest; 0: none */
	bool is_short;		/* the oldest was dropped for want of room */
};

/* The sender's; the core shows it. */
struct control_tiers {
	_Atomic uint32_t generation;	/* odd: being written */
	struct control_tiers_kept kept;
};

/* A copy of what the engine has learnt. */
struct control_copy {
	_Atomic int64_t written_ns;	/* monotonic, may be below 0; 0: none */
	_Atomic int32_t fault;		/* errno of the last try; 0: none */
};

/* Both copies, and which process is asked for a last one (remember.h). */
struct control_memory {
	/* Written by the supervisor at start; then by the core, the sender. */
	struct control_copy run, state;
	_Atomic uint64_t octets;	/* core: of the one in the run folder */
	_Atomic uint32_t pressing;	/* core: findings began or ended */
	uint32_t pressing_copied;	/* the sender's own */
	struct keep_pace pace;		/* the sender's own */
	_Atomic uint32_t asked, done;	/* supervisor; enum role, who did */
};

struct control {
	struct control_process process[ROLE_COUNT];
	struct control_push push;
	struct control_spool spool;
	struct control_tiers tiers;
	struct control_publisher publisher;
	struct control_exporter exporter;
	struct control_identity identity;
	struct control_memory memory;
	_Atomic uint64_t run;		/* supervisor */
	_Atomic int32_t serving;	/* core: its pid, once it answers */
	/* Reload: core asks (asked++), supervisor reads the files, stores
	 * configuration and result, then done = asked. Every process that uses
	 * the configuration watches config_generation.
	 */
	_Atomic uint32_t reload_asked;		/* core */
	_Atomic uint32_t reload_done;		/* supervisor */
	_Atomic int32_t reload_result;		/* supervisor */
	struct diag reload_diag;		/* supervisor */
	_Atomic uint32_t config_generation;	/* supervisor; odd: writing */
	struct config config;			/* supervisor; in force */
	struct config wanted;			/* the same, and what waits for
						 * petreld to start anew */
	/* Why files and CONFIG_DB are not in force; empty: they are. */
	struct control_text refused;		/* supervisor */
};

/* What a child inherits. */
struct process_env {
	struct control *control;
	struct relay_memory *relay;
	struct ring_set *rings;
	int relay_event_fd;	/* reader to core */
	int record_event_fd;	/* core to sender: something was appended */
	int reload_event_fd;	/* core to supervisor */
	/* supervisor to each: a new generation, the end of a reload, or a
	 * request at the end
	 */
	int config_event_fd[ROLE_COUNT];
	int root_fd;
	int run_dir_fd;
	int lock_fd;		/* of the run folder */
	const struct rights *rights;
	struct registry *drivers;	/* each process loads into its own */
	const char *host_name;	/* used if the platform has no name */
	const char *machine_id;	/* empty: none */
	const struct control_identity *kept;	/* id empty: none */
	const char *previous_version;	/* of this run folder; empty: none */
};

/* A whole copy of the configuration in force; returns its generation. */
uint32_t control_config(const struct control *c, struct config *ret);
/* The same for files and CONFIG_DB. */
void control_wanted(const struct control *c, struct config *ret);

/* The supervisor's: puts a configuration in force, except for keys that are
 * read only at the start.
 */
void control_config_set(struct control *c, const struct config *wanted);

/* Only for the process that the text belongs to. Recovers from a writer that
 * died half-way.
 */
void control_text_set(struct control_text *t, const char *text);
/* The text, whole; false if it is empty, or cannot be had now. */
bool control_text_get(const struct control_text *t, char ret[static DIAG_MAX]);

/* Why events do not reach eventd, though they should; false: they do, or need
 * not.
 */
bool control_publisher_fault(const struct control *c,
			     char ret[static DIAG_MAX]);

/* Called by the publisher, or by the core while there is none: its state. */
void control_publisher_set(struct control_publisher *h,
			   enum publisher_state state, const char *reason);

/* Why Prometheus cannot scrape, though it should; false: it can, or need not.
 */
bool control_exporter_fault(const struct control *c,
			    char ret[static DIAG_MAX]);

/* The sender's: the state of the tiers. */
void control_tiers_set(struct control *c,
		       const struct control_tiers_kept *kept);
/* A whole copy; false, and *ret untouched: none can be had now. */
bool control_tiers_get(const struct control *c,
		       struct control_tiers_kept *ret);

/* The core's: who the switch is. Recovers from a writer that died half-way;
 * never keeps a reader waiting.
 */
void control_identity_set(struct control *c,
			  const struct control_identity *identity);
/* A whole copy; false, and *ret untouched: none can be had now. */
bool control_identity_get(const struct control *c,
			  struct control_identity *ret);

/* Called by each process once a second: heartbeat, CPU time, memory. */
void control_beat(struct control_process *p, struct mono now);

/* Lower-case word; NULL if out of range. */
const char *role_name(enum role role);

/* Reads what may block or needs a right. Each returns its exit status. */
int reader_run(struct process_env *env);
/* Samples what never blocks, keeps the state, detects, answers, records. */
int core_run(struct process_env *env);
/* Sends from the rings to the collector. */
int sender_run(struct process_env *env);
/* Serves Prometheus. */
int exporter_run(struct process_env *env);
