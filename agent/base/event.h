/* An event, and the text of one that tells a change (platform.h): item, from,
 * to.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "petrel/clock.h"

#define CHANGE_TEXT_MAX 192	/* with its NUL */

/* One thing that happened; all texts are borrowed. */
struct event {
	uint32_t entity;
	unsigned what;			/* enum platform_event */
	int64_t value;
	struct mono when;
	const char *text;		/* NULL: "" */
	const char *subject;		/* a port's name; NULL: the switch */
};

struct event_change {
	char item[CHANGE_TEXT_MAX];
	char from[CHANGE_TEXT_MAX], to[CHANGE_TEXT_MAX];
};

/* Writes the three as one text, each made clean. What does not fit is cut at
 * the end of the longest. NULL counts as "".
 */
void change_text(char ret[CHANGE_TEXT_MAX], const char *item, const char *from,
		 const char *to);

/* Takes such a text apart; what another build wrote in another form is all
 * item.
 */
void change_parse(const char *text, struct event_change *ret);

/* An event's text made clean, as clean_text(); what: enum platform_event. That
 * of a change keeps its three parts.
 */
void event_text_clean(char *to, size_t cap, unsigned what, const char *text);
