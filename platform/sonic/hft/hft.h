/* High-frequency telemetry: the chip's own stream of counters, from netlink to
 * samples. One source of the sonic driver.
 *
 *   netlink -> ipfix -> templates -> (each record: watchers) -> a tick's values
 *                          ^
 *   STATE_DB -> sessions --+   what has no template yet waits, bounded
 *
 * Where the kernel has no such family, or no session is enabled, the source is
 * unsupported, with the reason: nothing is wrong, and the database is not even
 * asked. Whatever is lost or refused is counted, and makes the source limited
 * for a minute, with the counts; what the kernel dropped is an event, too.
 *
 * A switch of several ASICs has one of these for each, with the sessions of
 * its databases. Its data come by a socket in its network namespace, where
 * that may be entered and has the family, or else by the one of the first
 * namespace, which offers what it has no template for.
 */
#pragma once

#include <stdbool.h>
#include "platform/sonic/hft/hft_ipfix.h"
#include "platform/sonic/hft/hft_settings.h"
#include "platform/sonic/switchdb/namespace.h"

struct hft;

/* What became of data that were offered to the others. */
enum hft_offer { HFT_OFFER_UNKNOWN, HFT_OFFER_TAKEN, HFT_OFFER_AMBIGUOUS };

/* What a stream is made with; all is kept by reference. */
struct hft_env {
	struct namespace *namespace;	/* whose objects and STATE_DB */
	/* Where its sockets are watched, with NULL as their pointer. */
	int epoll_fd;
	hft_option_fn *option;
	void *option_context;
	const struct hft *first;	/* namespace's; NULL: this is it */
	/* Data that it has no template for; NULL: there are no others. */
	enum hft_offer (*offer)(void *context, const struct ipfix_set *set,
				const struct hft_now *came);
	void *offer_context;
};

/* Indices of Q_SELF_HFT_LOST_SETS. */
enum hft_lost {
	HFT_LOST_UNKNOWN,
	HFT_LOST_RETIRED,
	HFT_LOST_CHANGED,
	HFT_LOST_AMBIGUOUS,
	HFT_LOST_COUNT,
};

struct hft_totals {
	unsigned streams;	/* that have, or had, a socket */
	uint64_t overruns, records, lost[HFT_LOST_COUNT];
};

/* Opens the socket. What is wrong with the settings, the numbers' file or the
 * socket is no failure: the source tells it. Returns -ENOMEM with d.
 */
int hft_new(const struct hft_env *env, struct hft **ret, struct diag *d);
/* NULL is allowed. */
void hft_free(struct hft *h);

/* The read hook: hands over what came since the last call, and tells the state
 * of the source itself. Always returns 1.
 */
int hft_read(struct hft *h, struct mono now, struct diag *d);

/* It has a template for them. */
bool hft_knows(const struct hft *h, const struct ipfix_set *set);
/* Takes data, which may have come by another's socket; false: its template is
 * not known (yet).
 */
bool hft_give(struct hft *h, const struct ipfix_set *s,
	      const struct hft_now *came);
/* Adds what it counted. */
void hft_totals_add(struct hft *h, struct hft_totals *to);

/* The database may have answered; readable: so may a socket of its own. */
void hft_event(struct hft *h, struct mono now, bool readable);
