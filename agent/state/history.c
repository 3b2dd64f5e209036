#include "agent/state/history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct history {
	size_t max;
	uint64_t first, next;		/* numbers */
	char *words;			/* of all events, one after another */
	size_t room, at;		/* size of words; offset of the next */
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
	h->first = h->next = 1;
	h->room = max * HISTORY_WORDS_EACH;
	if (h->room < ENTITY_NAME_MAX + CHANGE_TEXT_MAX)
		h->room = ENTITY_NAME_MAX + CHANGE_TEXT_MAX;
	h->words = malloc(h->room);
	if (!h->words) {
		free(h);
		return -ENOMEM;
	}
	*ret = h;
	return 0;
}

void history_free(struct history *h)
{
	if (h)
		free(h->words);
	free(h);
}

/* Forgets the oldest events whose words are in this range. */
static void range_clear(struct history *h, size_t from, size_t to)
{
	while (h->first < h->next) {
		const struct history_event *e = &h->event[h->first % h->max];
		size_t at = (size_t)(e->subject - h->words);

		if (at < from || at >= to)
			return;
		h->first++;
	}
}

/* Room for so many octets, after the last; the oldest events there go. */
static char *words_take(struct history *h, size_t len)
{
	if (h->at + len > h->room) {
		range_clear(h, h->at, h->room);
		h->at = 0;
	}
	range_clear(h, h->at, h->at + len);
	h->at += len;
	return h->words + h->at - len;
}

static size_t length_of(const char *text, size_t cap)
{
	return text ? strnlen(text, cap - 1) : 0;
}

void history_add(struct history *h, const struct event *e)
{
	size_t subject = length_of(e->subject, ENTITY_NAME_MAX);
	size_t text = length_of(e->text, CHANGE_TEXT_MAX);
	char *words = words_take(h, subject + text + 2);

	(void)snprintf(words, subject + 1, "%s", subject ? e->subject : "");
	(void)snprintf(words + subject + 1, text + 1, "%s",
		       text ? e->text : "");
	if (h->next - h->first == h->max)
		h->first++;
	h->event[h->next++ % h->max] = (struct history_event){
		.when = e->when, .what = e->what, .value = e->value,
		.subject = words, .text = words + subject + 1 };
}

uint64_t history_first(const struct history *h)
{
	return h->first;
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

/* An insertion sort, as few are out of order. */
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
