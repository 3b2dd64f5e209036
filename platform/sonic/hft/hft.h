/* High-frequency telemetry: the chip's own stream of counters, from netlink to
 * samples. One source of the sonic driver.
 *
 *   netlink -> ipfix -> templates -> (each record: watchers) -> a tick's values
 *                          ^
 *   STATE_DB -> sessions --+   data without a template wait, bounded
 *
 * If the kernel has no such family, or no session is enabled, the source is
 * unsupported, with the reason: nothing is wrong, and the database is not even
 * asked. Losses and rejections are counted, and make the source limited for a
 * minute, with the counts; drops by the kernel are an event, too.
 *
 * A switch of several ASICs has one of these for each, with the sessions of
 * its databases. Its data arrive on a socket in its network namespace, if that
 * may be entered and has the family, or else on the socket of the first
 * namespace, which offers data that it has no template for.
 */
#pragma once

#include <stdbool.h>
#include "platform/sonic/hft/hft_ipfix.h"
#include "platform/sonic/hft/hft_settings.h"
#include "platform/sonic/switchdb/namespace.h"

struct hft;

/* The result of offering data to the others. */
enum hft_offer { HFT_OFFER_UNKNOWN, HFT_OFFER_TAKEN, HFT_OFFER_AMBIGUOUS };

/* What a stream needs; all is kept by reference. */
struct hft_env {
	struct namespace *namespace;	/* for objects and STATE_DB */
	/* Watches its sockets, with NULL as their pointer. */
	int epoll_fd;
	hft_option_fn *option;
	void *option_context;
	const struct hft *first;	/* namespace's; NULL: this is it */
	/* Offers data without a template to others; NULL: there are none. */
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

/* Opens the socket. It does not fail because of wrong settings, a wrong numbers
 * file or the socket: the source reports these. Returns -ENOMEM with d.
 */
int hft_new(const struct hft_env *env, struct hft **ret, struct diag *d);
/* NULL is allowed. */
void hft_free(struct hft *h);

/* The read hook: passes on what arrived since the last call, and reports the
 * state of the source itself.
 */
void hft_read(struct hft *h, struct mono now);

/* True if it has a template for them. */
bool hft_knows(const struct hft *h, const struct ipfix_set *set);
/* Takes data, which may be from another's socket; false: its template is not
 * known (yet).
 */
bool hft_give(struct hft *h, const struct ipfix_set *s,
	      const struct hft_now *came);
/* Adds its counts. */
void hft_totals_add(struct hft *h, struct hft_totals *to);

/* The database may have answered; readable: its socket, too. */
void hft_event(struct hft *h, struct mono now, bool readable);
