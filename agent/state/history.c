#include "agent/state/history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct history {
	size_t max;
	uint64_t next;			/* number */
	struct history_event event[];	/* by number modulo max */
};

int history_new(size_t max, struct history **ret)
{
	struct history *h = NULL;

	if (max <= HISTORY_EVENTS_MAX)
		h = calloc(1, sizeof(*h) + max * sizeof(h->event[0]));
	if (!h)
		return -ENOMEM;
	h->max = max;
	h->next = 1;
	*ret = h;
	return 0;
}

void history_free(struct history *h)
{
	free(h);
}

void history_add(struct history *h, const struct event *e)
{
	struct history_event *to = &h->event[h->next++ % h->max];

	to->when = e->when;
	to->what = e->what;
	to->value = e->value;
	(void)snprintf(to->subject, sizeof(to->subject), "%s",
		       e->subject ? e->subject : "");
	(void)snprintf(to->text, sizeof(to->text), "%s",
		       e->text ? e->text : "");
}

uint64_t history_first(const struct history *h)
{
	return h->next > h->max ? h->next - h->max : 1;
}

uint64_t history_next(const struct history *h)
{
	return h->next;
}

const struct history_event *history_get(const struct history *h,
					uint64_t number)
{
	if (number < history_first(h) || number >= h->next)
		return NULL;
	return &h->event[number % h->max];
}

static int64_t when_ns(const struct history *h, size_t n)
{
	return h->event[(history_first(h) + n) % h->max].when.ns;
}

/* Few are out of order: each moves to its place. */
size_t history_by_time(const struct history *h,
		       uint16_t ret[static HISTORY_EVENTS_MAX])
{
	size_t count = (size_t)(h->next - history_first(h));

	for (size_t n = 0; n < count; n++) {
		size_t at = n;

		for (; at > 0 && when_ns(h, ret[at - 1]) > when_ns(h, n); at--)
			ret[at] = ret[at - 1];
		ret[at] = (uint16_t)n;
	}
	return count;
}

const struct history_event *history_newest(const struct history *h,
					   unsigned what)
{
	for (uint64_t n = h->next; n-- > history_first(h);)
		if (h->event[n % h->max].what == what)
			return &h->event[n % h->max];
	return NULL;
}
