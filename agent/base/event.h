/* An event, and the text of one that reports a change (platform.h): item, from,
 * to.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "petrel/clock.h"

#define CHANGE_TEXT_MAX 192	/* with its NUL */

/* One event; all texts are borrowed. */
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

/* Writes the three as one text, each cleaned. If they do not fit, the longest
 * is cut at its end. NULL counts as "".
 */
void change_text(char ret[CHANGE_TEXT_MAX], const char *item, const char *from,
		 const char *to);

/* Splits such a text; a text that another build wrote in another form is all
 * item.
 */
void change_parse(const char *text, struct event_change *ret);

/* Cleans an event's text, as clean_text(); what: enum platform_event. The text
 * of a change keeps its three parts.
 */
void event_text_clean(char *to, size_t cap, unsigned what, const char *text);
