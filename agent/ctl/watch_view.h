/* What petrel watch shows: a title, the head, a page of the body below it, and
 * the keys. Asks nothing and takes no key: watch.c does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "agent/ctl/terminal.h"
#include "petrel/entity.h"

#define WATCH_FILTER_MAX 32

/* What can be looked at; a key each. */
struct watch_page {
	char key;
	const char *title;
	const char *verb;	/* NULL: pictures of the past */
	const char *other;	/* verb, where the chosen one is no port */
	const char *const *sorts;	/* the s key goes through them */
	bool is_of_port;
	bool has_rows;		/* a heading, and a line a row */
	bool has_findings;	/* of several lines each, an empty one behind */
};

/* The first one is that of the ports; one without a title ends them. */
extern const struct watch_page watch_pages[];

/* What is asked for, in turn. */
enum watch_half { HALF_HEAD, HALF_BODY, HALF_COUNT };

struct watch_view {
	struct terminal *terminal;
	struct pane pane[HALF_COUNT];	/* its own */
	bool is_down;			/* the agent; and the panes are of it */
	const struct watch_page *page;
	unsigned sort;
	bool shows_help, is_typing;
	char port[ENTITY_NAME_MAX];	/* the chosen one */
	bool is_no_port;		/* but a sensor, say, with a finding */
	char filter[WATCH_FILTER_MAX];
	size_t top, chosen;		/* lines of the body */
	unsigned skip;			/* columns of it */
};

/* The column that the page is sorted by; "": as the answer comes. */
const char *watch_view_sort(const struct watch_view *v);
/* The port that the chosen line was of stays the chosen one. */
void watch_view_follow(struct watch_view *v);
/* The port of the chosen line, or what else its finding is of; the one before
 * while an answer is to come.
 */
void watch_view_choose(struct watch_view *v);
/* Draws all of it. */
void watch_view_draw(struct watch_view *v);
