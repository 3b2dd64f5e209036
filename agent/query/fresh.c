#include "agent/query/fresh.h"

#include <string.h>

/* A read that is under way does not make a source stale by itself. */
static bool state_is_well(enum source_state state)
{
	return state == SOURCE_FRESH || state == SOURCE_WAITING;
}

bool source_is_fresh(const struct state_source *s, struct mono now)
{
	if (!state_is_well(s->state) || s->last_fresh.ns == 0)
		return false;
	return s->period_ns == 0 ||
	       mono_diff_ns(now, s->last_fresh) <= state_overdue_ns(s);
}

/* "... (for 7 s)": how much of a reason is the reason. */
static size_t reason_len(const char *reason)
{
	const char *since = strstr(reason, " (for ");

	return since ? (size_t)(since - reason) : strlen(reason);
}

bool source_reason_is_same(const struct state_source *a,
			   const struct state_source *b)
{
	size_t len = reason_len(a->reason);

	return len > 0 && len == reason_len(b->reason) &&
	       memcmp(a->reason, b->reason, len) == 0;
}

struct sources_count sources_count(const struct state *s, struct mono now)
{
	struct sources_count n = { .enabled = 0 };
	const struct state_source *source;
	size_t count = state_sources(s, &source);

	for (size_t i = 0; i < count; i++) {
		if (source[i].own)	/* its word on itself proves nothing */
			continue;
		n.delivered |= source[i].last_fresh.ns != 0;
		if (source[i].state == SOURCE_UNSUPPORTED)
			continue;
		n.enabled++;
		if (source_is_fresh(&source[i], now)) {
			n.fresh++;
			continue;
		}
		n.limited += source[i].state == SOURCE_LIMITED;
		if (!n.first_stale)
			n.first_stale = &source[i];
		n.same += source_reason_is_same(n.first_stale, &source[i]);
	}
	return n;
}

const char *source_words(const struct state_source *s, struct mono now)
{
	static const char *const words[SOURCE_STATE_COUNT] = {
		[SOURCE_IDLE] = "not asked yet",
		[SOURCE_FRESH] = "fresh",
		[SOURCE_WAITING] = "asked",
		[SOURCE_ABSENT] = "absent",
		[SOURCE_BROKEN] = "broken",
		[SOURCE_UNSUPPORTED] = "unsupported",
		[SOURCE_QUARANTINED] = "quarantined",
		[SOURCE_LIMITED] = "limited",
	};

	if (s->state == SOURCE_FRESH && !source_is_fresh(s, now))
		return "stale";
	return words[s->state];
}
