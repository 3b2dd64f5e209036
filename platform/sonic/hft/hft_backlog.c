#include "platform/sonic/hft/hft_backlog.h"

#include <stdlib.h>
#include <string.h>

/* Stands before each set's octets. */
struct entry {
	struct hft_now came;
	uint32_t domain, len;
	uint16_t id;
};

void hft_backlog_fini(struct hft_backlog *b)
{
	free(b->octets);
	*b = (struct hft_backlog){ 0 };
}

bool hft_backlog_add(struct hft_backlog *b, const struct ipfix_set *s,
		     const struct hft_now *now)
{
	struct entry e = { .came = *now, .domain = s->domain, .id = s->id,
			   .len = (uint32_t)s->len };

	if (!b->octets)
		b->octets = malloc(HFT_BACKLOG_OCTETS);
	if (!b->octets || b->len + sizeof(e) + s->len > HFT_BACKLOG_OCTETS)
		return false;
	memcpy(b->octets + b->len, &e, sizeof(e));
	memcpy(b->octets + b->len + sizeof(e), s->data, s->len);
	b->len += sizeof(e) + s->len;
	return true;
}

unsigned hft_backlog_play(struct hft_backlog *b, struct mono now,
			  bool (*take)(void *context,
				       const struct ipfix_set *s,
				       const struct hft_now *came),
			  void *context)
{
	size_t at = 0, kept = 0, whole;
	unsigned dropped = 0;

	for (; at < b->len; at += whole) {
		struct ipfix_set s;
		struct entry e;

		memcpy(&e, b->octets + at, sizeof(e));
		whole = sizeof(e) + e.len;
		s = (struct ipfix_set){ .domain = e.domain, .id = e.id,
					.data = b->octets + at + sizeof(e),
					.len = e.len };
		if (take(context, &s, &e.came))
			continue;
		if (mono_diff_ns(now, e.came.mono) >= HFT_BACKLOG_NS) {
			dropped++;
			continue;
		}
		memmove(b->octets + kept, b->octets + at, whole);
		kept += whole;
	}
	b->len = kept;
	return dropped;
}
