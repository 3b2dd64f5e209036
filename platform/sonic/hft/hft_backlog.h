/* Data sets that came before their template: the stream and the database are
 * two ways, and the stream is the faster. Bounded; what finds no room, or no
 * template in time, is dropped, and whoever asks is told how many.
 */
#pragma once

#include <stdbool.h>
#include "platform/sonic/hft/hft_ipfix.h"
#include "platform/sonic/hft/hft_time.h"

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
