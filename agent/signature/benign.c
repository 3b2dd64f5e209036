#include "agent/signature/benign.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART_NS (600 * NS_PER_S)	/* seen again later: a new entry */

int benigns_init(struct benigns *b)
{
	b->list = calloc(BENIGN_MAX, sizeof(*b->list));
	return b->list ? 0 : -ENOMEM;
}

void benigns_fini(struct benigns *b)
{
	free(b->list);
}

static bool is_same(const struct benign *a, const char *subject,
		    const struct benign *seen)
{
	return a->id == seen->id && a->symptom == seen->symptom &&
	       mono_diff_ns(seen->until, a->until) < APART_NS &&
	       strcmp(a->subject, subject) == 0;
}

/* Heat goes first: it has an entry a port, and may be on all of them. */
static bool goes_first(const struct benign *a, const struct benign *b)
{
	bool a_heat = a->id == BENIGN_LOAD_HEAT;

	return a_heat == (b->id == BENIGN_LOAD_HEAT) ?
	       a->until.ns < b->until.ns : a_heat;
}

static void add(struct benigns *b, const char *subject,
		const struct benign *seen)
{
	struct benign *to = &b->list[0];

	for (size_t i = 1; i < b->count; i++)
		if (goes_first(&b->list[i], to))
			to = &b->list[i];
	if (b->count < BENIGN_MAX)
		to = &b->list[b->count++];
	*to = *seen;
	(void)snprintf(to->subject, sizeof(to->subject), "%s", subject);
}

void benign_note(struct benigns *b, const char *subject,
		 const struct benign *seen)
{
	struct benign *to = b->list;

	while (to < b->list + b->count && !is_same(to, subject, seen))
		to++;
	if (to == b->list + b->count) {
		add(b, subject, seen);
		return;
	}
	to->until = seen->until;
	if (seen->size > to->size)
		to->size = seen->size;
}
