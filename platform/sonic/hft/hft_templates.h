/* The templates of all sessions, by (observation domain, id), and their states.
 *
 *            row names others              first data of the new
 *   CURRENT ------------------> OLD ------------------------------> RETIRED
 *      |  ^                                                            |
 *      |  | hold over                      row gone, stream off        |
 *      |  |                    CURRENT, OLD, HELD --------------------->|
 *      v  |                                                            v
 *     HELD: the id means something else now              forgotten after a time
 *
 * A schema that changes under its id is not used at once: old data that wait in
 * the socket look like new ones, and would be taken for values of other
 * objects. All data of that id are dropped and counted until the new schema has
 * been there for HFT_HOLD_NS; by then no old data wait. The same applies to an
 * id that is used again soon after it was retired.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "platform/sonic/hft/hft_ipfix.h"
#include "platform/sonic/hft/hft_template.h"

#define HFT_TEMPLATES_MAX 4096u
#define HFT_HOLD_NS (10 * NS_PER_S)
#define HFT_FORGET_NS (60 * NS_PER_S)	/* retired longer ago: unknown */

struct hft_templates {
	struct hft_template **list;	/* sorted by (domain, id) */
	size_t count, cap;
	const struct hft_ids *ids;	/* borrowed */
	uint64_t changes;		/* grows when one begins or ends */
	uint64_t refused;		/* malformed, or too many */
	uint64_t held;			/* ids whose meaning changed */
};

/* A session's row. len 0: it streams nothing (any more). */
struct hft_config {
	unsigned session;
	const uint8_t *ipfix;		/* messages with template sets */
	size_t len;
	const struct hft_labels *labels;
};

/* ids is kept by reference. */
void hft_templates_init(struct hft_templates *all, const struct hft_ids *ids);
/* Releases everything. */
void hft_templates_fini(struct hft_templates *all);

/* Takes over a session's row. Faulty templates are rejected and counted; d,
 * which may be NULL, gets the first fault.
 */
void hft_templates_configure(struct hft_templates *all,
			     const struct hft_config *config, struct mono now,
			     struct diag *d);

/* NULL if no row names it. */
struct hft_template *hft_templates_find(const struct hft_templates *all,
					uint32_t domain, uint16_t id);

/* Data of a template arrived: the old ones of its session retire. */
void hft_templates_used(struct hft_templates *all, struct hft_template *t,
			struct mono now);

/* Ends holds that are over, and forgets templates retired long ago. */
void hft_templates_tick(struct hft_templates *all, struct mono now);

/* Data sets that arrive before their template: the stream is faster than the
 * database. Bounded; sets for which there is no room, or no template in time,
 * are dropped and counted.
 */

#define HFT_BACKLOG_OCTETS (256u << 10)
#define HFT_BACKLOG_NS (5 * NS_PER_S)

struct hft_backlog {
	uint8_t *octets;	/* NULL before the first */
	size_t len;
};

/* Releases it. */
void hft_backlog_fini(struct hft_backlog *b);

/* Copies a set. False: no room. */
bool hft_backlog_add(struct hft_backlog *b, const struct ipfix_set *s,
		     const struct hft_now *now);

/* Passes all sets on, oldest first, each with its time of arrival; those that
 * take() rejects stay until they are too old. Returns the number dropped for
 * that.
 */
unsigned hft_backlog_play(struct hft_backlog *b, struct mono now,
			  bool (*take)(void *context,
				       const struct ipfix_set *s,
				       const struct hft_now *came),
			  void *context);
