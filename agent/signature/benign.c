#include "agent/signature/benign.h"

#include <stdio.h>
#include <string.h>

#include "agent/signature/kept.h"

#define APART_NS (600 * NS_PER_S)	/* seen again later: a new entry */

static const struct kept_field benign_fields[] = {
	KEEP_TO(struct benign, id, BENIGN_COUNT - 1),
	KEEP_TO(struct benign, symptom, SYMPTOM_COUNT - 1),
	KEEP_TEXT(struct benign, subject),
	KEEP(struct benign, since),
	KEEP(struct benign, until),
	KEEP(struct benign, size),
};

static const struct kept benign_kept =
	KEPT_TABLE(struct benign, "benign", benign_fields);

static const struct kept_field benigns_fields[] = {
	KEEP_PARTS(struct benigns, list, benign_kept),
	KEEP_TO(struct benigns, count, BENIGN_MAX),
};

const struct kept benigns_kept =
	KEPT_TABLE(struct benigns, "benigns", benigns_fields);

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
