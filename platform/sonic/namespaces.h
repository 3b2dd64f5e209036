/* All sets of databases of a switch, and what the host is told of a source
 * that several of them have.
 *
 * Each set is read at its own pace: one that hangs or is down never holds up
 * another. A source is fresh when all sets are; when a part of them is not, it
 * is limited, and its reason names the first that is not.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "platform/sonic/hft/hft_settings.h"
#include "platform/sonic/switchdb/namespace.h"

#define NAMESPACES_MAX (1 + 16)	/* the host's, and one an ASIC */

/* What a set last said of a source. */
struct told {
	bool known;
	enum source_state state;
	int64_t interval_ns;
	char reason[SOURCE_REASON_MAX];
};

struct namespaces {
	const struct platform_host *host;
	int root_fd, epoll_fd;		/* borrowed */
	const char *socket;		/* the operator's word, or NULL */
	hft_option_fn *option;		/* the driver's options */
	void *option_context;
	struct namespace *of[NAMESPACES_MAX];	/* the host's is the first */
	size_t count;
	struct mono check;		/* when to look for namespaces again */
	char reason[SOURCE_REASON_MAX];	/* what is wrong with their file */
	struct told told[NAMESPACES_MAX][SONIC_SOURCE_COUNT];
	bool starting;			/* in a read hook: nobody is told */
	/* Since when the host waits for a source; ns 0: it does not. */
	struct mono asked[SONIC_SOURCE_COUNT];
};

/* The operator's word for a socket (option redis) leaves one set. Returns
 * -ENOMEM with d; namespaces_fini() all the same. *s is all zero, and must stay
 * where it is.
 */
int namespaces_init(struct namespaces *s, const struct platform_env *env,
		    int epoll_fd, struct diag *d);
/* Ends all connections and releases everything. */
void namespaces_fini(struct namespaces *s);

/* The read hook of a source. */
int namespaces_read(struct namespaces *s, enum sonic_source source,
		    struct mono now, struct diag *d);

/* Readiness was served: overdue replies, and who is not waited for any more. */
void namespaces_check(struct namespaces *s, struct mono now);
/* Their streams may have something; readable: so may a socket of one. */
void namespaces_stream(struct namespaces *s, struct mono now, bool readable);
/* When namespaces_check() is wanted. */
struct mono namespaces_deadline(const struct namespaces *s);
