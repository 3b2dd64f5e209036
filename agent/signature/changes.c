#include "agent/signature/changes.h"

#include <stdbool.h>
#include <stdio.h>

static const char *const words[CHANGE_COUNT] = {
	[CHANGE_RELOAD] = "configuration reloaded",
	[CHANGE_COUNTERS_CLEARED] = "counters cleared",
	[CHANGE_MODULE_SWAPPED] = "another module came",
	[CHANGE_MUTE] = "muted",
	[CHANGE_ANNOTATE] = "annotated",
	[CHANGE_LINK_FELL] = "link fell",
	[CHANGE_LINK_ROSE] = "link came up",
};

void changes_add(struct changes *c, uint32_t port, enum change what,
		 struct mono t)
{
	unsigned i = c->next++ % CHANGES_MAX;

	c->at[i].t = t;
	c->at[i].port = port;
	c->at[i].what = what;
}

void changes_before(const struct changes *c, uint32_t port, struct finding *f)
{
	uint32_t i = c->next > CHANGES_MAX ? c->next - CHANGES_MAX : 0;

	f->change_count = 0;
	for (; i < c->next && f->change_count < FINDING_CHANGES_MAX; i++) {
		unsigned n = i % CHANGES_MAX;
		int64_t before_ns = mono_diff_ns(f->onset, c->at[n].t);

		if ((c->at[n].port != port && c->at[n].port != UINT32_MAX) ||
		    before_ns < 0 || before_ns > CHANGES_BEFORE_NS)
			continue;
		(void)snprintf(f->change[f->change_count++],
			       sizeof(f->change[0]), "%s %lld s before",
			       words[c->at[n].what],
			       (long long)(before_ns / NS_PER_S));
	}
}
