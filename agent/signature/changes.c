#include "agent/signature/changes.h"

#include <stdbool.h>
#include <stdio.h>

#include "agent/base/clean.h"

static const char *const words[CHANGE_COUNT] = {
	[CHANGE_RELOAD] = "configuration reloaded",
	[CHANGE_COUNTERS_CLEARED] = "counters cleared",
	[CHANGE_MODULE_SWAPPED] = "another module inserted",
	[CHANGE_MUTE] = "muted",
	[CHANGE_ANNOTATE] = "annotated",
	[CHANGE_LINK_FELL] = "link fell",
	[CHANGE_LINK_ROSE] = "link came up",
};

/* Makes room in the order of time: a slow source tells of changes late. */
static struct change_seen *place(struct changes *c, struct mono t)
{
	uint32_t first = c->next >= CHANGES_MAX ? c->next - CHANGES_MAX + 1 : 0;
	uint32_t i = c->next++;

	for (; i > first && c->at[(i - 1) % CHANGES_MAX].t.ns > t.ns; i--)
		c->at[i % CHANGES_MAX] = c->at[(i - 1) % CHANGES_MAX];
	return &c->at[i % CHANGES_MAX];
}

void changes_add(struct changes *c, uint32_t port, enum change what,
		 struct mono t)
{
	*place(c, t) = (struct change_seen){ .t = t, .port = port,
					     .what = what };
}

void changes_add_words(struct changes *c, uint32_t port, const char *text,
		       struct mono t)
{
	struct change_seen *to = place(c, t);

	*to = (struct change_seen){ .t = t, .port = port,
				    .what = CHANGE_OTHER };
	(void)snprintf(to->words, sizeof(to->words), "%s", text);
}

/* The link's fall that a finding begins with is its subject, not a change
 * before it.
 */
static bool is_before(const struct changes *c, unsigned n, uint32_t port,
		      struct mono onset)
{
	int64_t before_ns = mono_diff_ns(onset, c->at[n].t);
	enum change what = c->at[n].what;
	bool is_link = what == CHANGE_LINK_FELL || what == CHANGE_LINK_ROSE;

	return (c->at[n].port == port || c->at[n].port == CHANGES_EVERYWHERE) &&
	       before_ns >= (is_link ? NS_PER_S : 0) &&
	       before_ns <= CHANGES_BEFORE_NS;
}

static void change_write(const struct changes *c, unsigned n,
			 struct finding *f)
{
	enum change what = c->at[n].what;
	char *text = f->change[f->change_count++];

	(void)snprintf(text, sizeof(f->change[0]), "%s %lld s before",
		       what == CHANGE_OTHER ? c->at[n].words : words[what],
		       (long long)(mono_diff_ns(f->onset, c->at[n].t) /
				   NS_PER_S));
	clean_in_place(text);	/* it may be cut within a character */
}

void changes_before(const struct changes *c, uint32_t port, struct finding *f)
{
	uint32_t first = c->next > CHANGES_MAX ? c->next - CHANGES_MAX : 0;
	unsigned count = 0;

	f->change_count = 0;
	for (uint32_t i = first; i < c->next; i++)
		count += is_before(c, i % CHANGES_MAX, port, f->onset);
	for (uint32_t i = first; i < c->next; i++) {
		if (!is_before(c, i % CHANGES_MAX, port, f->onset))
			continue;
		if (count-- <= FINDING_CHANGES_MAX)
			change_write(c, i % CHANGES_MAX, f);
	}
}
