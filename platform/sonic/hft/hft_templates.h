/* The templates of all sessions, by (observation domain, id), and their life.
 *
 *            row names others              first data of the new
 *   CURRENT ------------------> OLD ------------------------------> RETIRED
 *      |  ^                                                            |
 *      |  | hold over                      row gone, stream off        |
 *      |  |                    CURRENT, OLD, HELD --------------------->|
 *      v  |                                                            v
 *     HELD: the id means something else now              forgotten after a time
 *
 * A schema that changes under its id is refused: data that still wait in the
 * socket cannot be told from new ones, and values of one thing would be handed
 * over as another's. All data of that id are dropped and counted until the new
 * schema has stood for HFT_HOLD_NS; by then what waited is gone. The same holds
 * for an id that is used again so soon after it was retired.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "platform/sonic/hft/hft_ipfix.h"
#include "platform/sonic/hft/hft_template.h"

#define HFT_TEMPLATES_MAX 4096u
#define HFT_HOLD_NS (10 * NS_PER_S)
#define HFT_FORGET_NS (60 * NS_PER_S)	/* retired: then just unknown */

struct hft_templates {
	struct hft_template **list;	/* in order of (domain, id) */
	size_t count, cap;
	const struct hft_ids *ids;	/* borrowed */
	uint64_t changes;		/* grows when any began or ended */
	uint64_t refused;		/* malformed, or one too many */
	uint64_t held;			/* ids whose meaning changed */
};

/* What a session's row says. len 0: it streams nothing (any more). */
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

/* Takes over a session's row. What is wrong in it is refused and counted; d,
 * may be NULL: the first thing that was.
 */
void hft_templates_configure(struct hft_templates *all,
			     const struct hft_config *config, struct mono now,
			     struct diag *d);

/* NULL: nobody named it. */
struct hft_template *hft_templates_find(const struct hft_templates *all,
					uint32_t domain, uint16_t id);

/* Data of a template came: the old ones of its session retire. */
void hft_templates_used(struct hft_templates *all, struct hft_template *t,
			struct mono now);

/* Ends holds that are over and forgets what was retired long ago. */
void hft_templates_tick(struct hft_templates *all, struct mono now);

/* Data sets that came before their template: the stream and the database are
 * two ways, and the stream is the faster. Bounded; what finds no room, or no
 * template in time, is dropped, and whoever asks is told how many.
 */

#define HFT_BACKLOG_OCTETS (256u << 10)
#define HFT_BACKLOG_NS (5 * NS_PER_S)

struct hft_backlog {
	uint8_t *octets;	/* NULL until the first */
	size_t len;
};

/* Releases it. */
void hft_backlog_fini(struct hft_backlog *b);

/* Copies a set. False: no room. */
bool hft_backlog_add(struct hft_backlog *b, const struct ipfix_set *s,
		     const struct hft_now *now);

/* Hands all over, oldest first, each with the time at which it came; those
 * that take() denies stay until they are too old. Returns how many of them
 * were dropped for that.
 */
unsigned hft_backlog_play(struct hft_backlog *b, struct mono now,
			  bool (*take)(void *context,
				       const struct ipfix_set *s,
				       const struct hft_now *came),
			  void *context);
