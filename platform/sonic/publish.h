/* Findings in STATE_DB, for its readers: gNMI, other programs (opt-in).
 *
 * PETREL_FINDING|<id> has a finding's fields; PETREL_AGENT|findings lists the
 * ids with their severity, so that a later run finds the rows of an earlier one
 * without a search. These two tables are Petrel's; no other is ever written.
 * Open findings are compared with the rows written: after a change, a new
 * connection, and once a minute with the list itself.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "petrel/finding.h"
#include "petrel/platform.h"
#include "platform/sonic/redis/channel.h"
#include "platform/sonic/redis/resp.h"

#define PUBLISH_MAX 512			/* rows; more are reported as missing */
#define PUBLISH_VERIFY_NS (60 * NS_PER_S)

struct publish_row {
	char id[FINDING_ID_LEN + 1];
	int64_t when_ns;		/* of the finding written; 0 unknown */
	bool open;			/* while comparing */
};

struct publish {
	const struct platform_host *host;
	unsigned source;		/* its number, for the host */
	int root_fd;			/* borrowed */
	const char *socket;		/* the operator's setting, or NULL */
	struct channel channel;
	struct redis_query query;
	struct commands commands;
	bool wanted;			/* by the configuration */
	bool busy;			/* a query is under way */
	bool listed;			/* rows[] matches STATE_DB */
	uint64_t connects;		/* when it was listed */
	struct mono verify;		/* when to list again */
	struct publish_row row[PUBLISH_MAX];
	unsigned count;
	enum source_state told;
	char reason[SOURCE_REASON_MAX];	/* reported with it */
};

/* *p is all zero, and must stay where it is. */
void publish_init(struct publish *p, const struct platform_host *host,
		  unsigned source, int root_fd, int epoll_fd,
		  const char *socket);
/* Ends the connection; rows stay, for the next run to compare. */
void publish_fini(struct publish *p);

/* Updates STATE_DB to the open findings. wanted false: removes the rows of this
 * run, if any. Never waits.
 */
void publish_show(struct publish *p, bool wanted, const struct finding *open,
		  size_t count, struct mono now);
