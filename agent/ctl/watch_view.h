/* The picture of petrel watch: a title, the head, a page of the body below it,
 * and the keys. Asks nothing and takes no key: watch.c does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "agent/ctl/terminal.h"
#include "petrel/entity.h"

#define WATCH_FILTER_MAX 32

/* The pages, each with its key. */
struct watch_page {
	char key;
	const char *title;
	const char *verb;	/* NULL: pictures of the past */
	const char *other;	/* verb if the chosen one is not a port */
	const char *const *sorts;	/* the s key cycles through them */
	bool is_of_port;
	bool has_rows;		/* a heading, and a line a row */
	bool has_findings;	/* blocks, each with an empty line after */
};

/* The first one is that of the ports; one without a title ends the list. */
extern const struct watch_page watch_pages[];

/* The two questions, asked in turn. */
enum watch_half { HALF_HEAD, HALF_BODY, HALF_COUNT };

struct watch_view {
	struct terminal *terminal;
	struct pane pane[HALF_COUNT];	/* owned */
	bool is_down;			/* the agent is; shows its rings */
	const struct watch_page *page;
	unsigned sort;
	bool shows_help, is_typing;
	char port[ENTITY_NAME_MAX];	/* the chosen one */
	bool is_no_port;		/* it is a sensor with a finding, say */
	char filter[WATCH_FILTER_MAX];
	size_t top, chosen;		/* lines of the body */
	unsigned skip;			/* columns of it */
};

/* The column that the page is sorted by; "": in the answer's order. */
const char *watch_view_sort(const struct watch_view *v);
/* Keeps the chosen port: moves the chosen line to it. */
void watch_view_follow(struct watch_view *v);
/* Sets the port from the chosen line, or what else its finding is of; keeps the
 * old one while an answer is pending.
 */
void watch_view_choose(struct watch_view *v);
/* Draws all of it. */
void watch_view_draw(struct watch_view *v);
