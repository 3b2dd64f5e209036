#include "platform/sonic/hft/hft_templates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/array.h"

/* One row being processed. */
struct takeover {
	struct hft_templates *all;
	const struct hft_config *config;
	struct mono now;
	struct diag *d;
	bool any;		/* a template was taken */
};

void hft_templates_init(struct hft_templates *all, const struct hft_ids *ids)
{
	memset(all, 0, sizeof(*all));
	all->ids = ids;
}

void hft_templates_fini(struct hft_templates *all)
{
	for (size_t i = 0; i < all->count; i++)
		hft_template_free(all->list[i]);
	free(all->list);
	memset(all, 0, sizeof(*all));
}

/* ---- the list ---- */

/* The first index that is not before (domain, id). */
static size_t place_of(const struct hft_templates *all, uint32_t domain,
		       uint16_t id)
{
	uint64_t key = (uint64_t)domain << 16 | id;
	size_t low = 0, high = all->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct hft_template *t = all->list[middle];

		if (((uint64_t)t->domain << 16 | t->id) < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct hft_template *hft_templates_find(const struct hft_templates *all,
					uint32_t domain, uint16_t id)
{
	size_t at = place_of(all, domain, id);

	if (at == all->count || all->list[at]->domain != domain ||
	    all->list[at]->id != id)
		return NULL;
	return all->list[at];
}

static int template_insert(struct hft_templates *all, struct hft_template *t)
{
	size_t at = place_of(all, t->domain, t->id);
	struct hft_template **list;

	if (all->count == HFT_TEMPLATES_MAX)
		return -ENOSPC;
	list = array_room(all->list, &all->cap, all->count + 1,
			  sizeof(struct hft_template *));
	if (!list)
		return -ENOMEM;
	all->list = list;
	memmove(&all->list[at + 1], &all->list[at],
		(all->count - at) * sizeof(struct hft_template *));
	all->list[at] = t;
	all->count++;
	return 0;
}

/* ---- states ---- */

static void state_set(struct hft_templates *all, struct hft_template *t,
		      enum hft_template_state state, struct mono now)
{
	if (t->state == state)
		return;
	t->state = state;
	t->since = now;
	all->changes++;
}

/* The id has a new meaning, but not yet in force: fresh becomes t->next. */
static void template_hold(struct hft_templates *all, struct hft_template *t,
			  struct hft_template *fresh, struct mono now)
{
	if (t->next && hft_template_is_same(t->next, fresh)) {
		hft_template_free(fresh);
		state_set(all, t, HFT_HELD, now);
		return;
	}
	hft_template_free(t->next);
	t->next = fresh;
	t->state = HFT_HELD;
	t->since = now;
	all->changes++;
	all->held++;
}

/* A template that the row names. Takes ownership of fresh. */
static int template_take(struct takeover *k, struct hft_template *fresh)
{
	struct hft_templates *all = k->all;
	struct hft_template *t = hft_templates_find(all, fresh->domain,
						    fresh->id);

	fresh->session = k->config->session;
	fresh->since = k->now;
	fresh->is_named = true;
	if (!t) {
		all->changes++;
		return template_insert(all, fresh);
	}
	t->session = fresh->session;	/* the last to name it */
	t->is_named = true;
	if (t->state != HFT_HELD && hft_template_is_same(t, fresh)) {
		hft_template_free(fresh);
		t->has_data &= t->state == HFT_CURRENT;
		state_set(all, t, HFT_CURRENT, k->now);
	} else {
		template_hold(all, t, fresh, k->now);
	}
	return 0;
}

/* Keeps the first sentence. */
static void fault_note(const struct takeover *k, const char *what)
{
	if (k->d && !k->d->text[0])
		diag_write(k->d, "%s", what);
}

static void on_template(void *context, const struct ipfix_template *from)
{
	struct takeover *k = context;
	struct hft_template *fresh = NULL;
	struct diag why = { "" };
	int rc = hft_template_new(from, k->config->labels, k->all->ids, &fresh,
				  &why);

	if (rc == 0) {
		rc = template_take(k, fresh);
		if (rc < 0) {
			hft_template_free(fresh);
			diag_write(&why, "template %u: no room for more than "
				   "%u", from->id, HFT_TEMPLATES_MAX);
		}
	}
	if (rc < 0) {
		k->all->refused++;
		fault_note(k, why.text);
	}
	k->any |= rc == 0;
}

/* The session's templates that its row does not name (any more). */
static void others_leave(struct takeover *k)
{
	for (size_t i = 0; i < k->all->count; i++) {
		struct hft_template *t = k->all->list[i];

		if (t->session != k->config->session || t->is_named)
			continue;
		if (k->any && t->state == HFT_CURRENT)
			state_set(k->all, t, HFT_OLD, k->now);
		else if (!k->any)
			state_set(k->all, t, HFT_RETIRED, k->now);
	}
}

void hft_templates_configure(struct hft_templates *all,
			     const struct hft_config *config, struct mono now,
			     struct diag *d)
{
	struct takeover k = { all, config, now, d, false };
	const struct ipfix_taker taker = { .context = &k,
					   .template = on_template };
	struct ipfix_counts counts = { 0 };

	for (size_t i = 0; i < all->count; i++)
		all->list[i]->is_named = false;
	ipfix_walk(config->ipfix, config->len, &taker, &counts);
	others_leave(&k);
	if (counts.bad_messages + counts.bad_sets == 0)
		return;
	all->refused += counts.bad_messages + counts.bad_sets;
	fault_note(&k, "session_config is cut short or has a wrong length");
}

void hft_templates_used(struct hft_templates *all, struct hft_template *t,
			struct mono now)
{
	if (t->has_data || t->state != HFT_CURRENT)
		return;
	t->has_data = true;
	for (size_t i = 0; i < all->count; i++)
		if (all->list[i]->session == t->session &&
		    all->list[i]->state == HFT_OLD)
			state_set(all, all->list[i], HFT_RETIRED, now);
}

/* The template's successor at this time, or itself; NULL: forget it. */
static struct hft_template *template_age(struct hft_templates *all,
					 struct hft_template *t,
					 struct mono now)
{
	int64_t age_ns = mono_diff_ns(now, t->since);
	struct hft_template *next = t->next;

	if (t->state == HFT_HELD && age_ns >= HFT_HOLD_NS) {
		t->next = NULL;
		next->session = t->session;
	} else if (t->state == HFT_RETIRED && age_ns >= HFT_FORGET_NS) {
		next = NULL;
	} else {
		if (t->state == HFT_OLD && age_ns >= HFT_FORGET_NS)
			state_set(all, t, HFT_RETIRED, now);
		return t;
	}
	hft_template_free(t);
	all->changes++;
	return next;
}

void hft_templates_tick(struct hft_templates *all, struct mono now)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++) {
		struct hft_template *t = template_age(all, all->list[i], now);

		if (t)
			all->list[kept++] = t;
	}
	all->count = kept;
}

/* --- sets that wait for their template ------------------------------------ */

/* Precedes each set's octets. */
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
