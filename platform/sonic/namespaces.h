/* All sets of databases of a switch, and the combined state of a source that
 * several of them have.
 *
 * Each set is read at its own pace: one that hangs or is down never holds up
 * another. A source is fresh if all sets are; if some of them are not, it is
 * limited, and its reason names the first that is not.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "platform/sonic/hft/hft_settings.h"
#include "platform/sonic/switchdb/namespace.h"

#define NAMESPACES_MAX (1 + 16)	/* the host's, and one per ASIC */

/* The last report of a set on a source. */
struct told {
	bool known;
	enum source_state state;
	int64_t interval_ns;
	char reason[SOURCE_REASON_MAX];
};

struct namespaces {
	const struct platform_host *host;
	int root_fd, epoll_fd;		/* borrowed */
	const char *socket;		/* the operator's setting, or NULL */
	hft_option_fn *option;		/* the driver's options */
	void *option_context;
	struct namespace *of[NAMESPACES_MAX];	/* the host's is the first */
	size_t count;
	struct mono check;		/* when to look for namespaces again */
	char reason[SOURCE_REASON_MAX];	/* what is wrong with their list */
	struct told told[NAMESPACES_MAX][SONIC_SOURCE_COUNT];
	bool starting;			/* in a read hook: reports nothing */
	/* When the host began to wait for a source; ns 0: it does not. */
	struct mono asked[SONIC_SOURCE_COUNT];
};

/* If the operator sets a socket (option redis) there is only one set. Returns
 * -ENOMEM with d; call namespaces_fini() even then. *s is all zero, and must
 * stay where it is.
 */
int namespaces_init(struct namespaces *s, const struct platform_env *env,
		    int epoll_fd, struct diag *d);
/* Ends all connections and releases everything. */
void namespaces_fini(struct namespaces *s);

/* The read hook of a source. */
int namespaces_read(struct namespaces *s, enum sonic_source source,
		    struct mono now, struct diag *d);

/* Call after events: handles overdue replies, and sets that are too slow. */
void namespaces_check(struct namespaces *s, struct mono now);
/* Their streams may have data; readable: their sockets, too. */
void namespaces_stream(struct namespaces *s, struct mono now, bool readable);
/* The next time for namespaces_check(). */
struct mono namespaces_deadline(const struct namespaces *s);
