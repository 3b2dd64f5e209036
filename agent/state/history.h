/* Recent events, in the core's memory, for petrel events and petrel changes.
 * The oldest go first, for lack of places or of room for words; it is counted
 * how many went.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "agent/base/event.h"
#include "petrel/entity.h"

#define HISTORY_EVENTS_MAX 2048
#define HISTORY_WORDS_EACH 64u		/* octets for texts, in the mean */

struct history;

struct history_event {
	struct mono when;
	unsigned what;			/* enum platform_event */
	int64_t value;
	const char *subject;		/* a port's name; "": the switch */
	const char *text;
};

/* Takes memory for max events, and HISTORY_WORDS_EACH for the texts of each.
 * Returns -ENOMEM.
 */
int history_new(size_t max, struct history **ret);
/* NULL is allowed. */
void history_free(struct history *h);

/* Keeps a copy; its texts are cut to fit. */
void history_add(struct history *h, const struct event *e);

/* Numbers of the oldest kept event and of the next one; from 1. */
uint64_t history_first(const struct history *h);
uint64_t history_next(const struct history *h);
/* Borrowed until the next event is added; NULL when it is not kept. */
const struct history_event *history_get(const struct history *h,
					uint64_t number);

/* All kept events by time, oldest first, as a slow source tells events late.
 * Numbers are relative to history_first(). Returns how many there are.
 */
size_t history_by_time(const struct history *h,
		       uint16_t ret[static HISTORY_EVENTS_MAX]);

/* The newest of a kind; NULL when there is none. */
const struct history_event *history_newest(const struct history *h,
					   unsigned what);
