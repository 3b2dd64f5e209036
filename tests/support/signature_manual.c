#include "tests/support/signature_manual.h"

#include <stdbool.h>
#include <string.h>

#include "agent/signature/detector.h"
#include "agent/signature/engine.h"
#include "agent/signature/hypothesis.h"
#include "agent/signature/words.h"

#define LINE_MOST 76u

/* On lines that mandoc does not call too long. */
static void text_print(FILE *out, const char *head, const char *text,
		       const char *end)
{
	char line[640];
	const char *at = line;

	(void)snprintf(line, sizeof(line), "%s%s%s", head, text, end);
	while (strlen(at) > LINE_MOST) {
		const char *cut = memrchr(at, ' ', LINE_MOST);

		if (!cut)
			break;
		(void)fprintf(out, "%.*s\n", (int)(cut - at), at);
		at = cut + 1;
	}
	(void)fprintf(out, "%s\n", at);
}

static void over_print(FILE *out, const struct signature_words *w)
{
	char names[256] = "";

	for (unsigned i = 0; i < WORDS_OVER_MAX && w->over[i]; i++) {
		strcat(names, i ? ", " : "");
		strcat(names, signature_name(w->over[i]));
	}
	if (!names[0])
		return;
	(void)fputs(".It before\n", out);
	text_print(out, "", names, ":");
	text_print(out, "", w->over_why, ".");
}

static void alike_print(FILE *out, enum signature other,
			const char *separates, bool *is_first)
{
	if (*is_first)
		(void)fputs(".It like\n", out);
	*is_first = false;
	(void)fprintf(out, "%s, told apart by\n", signature_name(other));
	text_print(out, "", separates, ".");
}

/* Its own row's, and those that name it. */
static void alikes_print(FILE *out, const struct signature_words *w)
{
	bool is_first = true;

	for (unsigned i = 1; i < SIGNATURE_COUNT; i++) {
		const struct signature_words *o =
			signature_words((enum signature)i);

		for (unsigned k = 0; k < WORDS_ALIKE_MAX; k++) {
			if (w->alike[k].other == i)
				alike_print(out, w->alike[k].other,
					    w->alike[k].separates, &is_first);
			if (o->alike[k].other == w->signature)
				alike_print(out, o->signature,
					    o->alike[k].separates, &is_first);
		}
	}
}

/* What is said of it that this version does not do. */
static void yet_print(FILE *out, enum signature signature)
{
	const struct hypothesis *h = hypothesis_find(signature);
	const struct detector *const *table;
	size_t count = detectors(&table), i = 0;

	while (i < count && table[i]->signature != signature)
		i++;
	if (signature == SIGNATURE_SWITCH_SILENT)
		text_print(out, ".It yet\n", "the collector's, and no "
			   "finding of the switch", ".");
	else if (!h && i == count && !engine_is_wide(signature))
		text_print(out, ".It yet\n", "this version does not look for "
			   "it", ".");
}

void signature_manual(FILE *out)
{
	for (unsigned i = 1; i < SIGNATURE_COUNT; i++) {
		const struct signature_words *w =
			signature_words((enum signature)i);

		(void)fprintf(out, ".Ss %s\n", signature_name(w->signature));
		text_print(out, "", w->means, "");
		(void)fprintf(out, ".Bl -tag -width before -compact\n"
			      ".It of\na %s\n", about_name(w->about));
		(void)fputs(".It seen\n", out);
		text_print(out, "", w->shows, ".");
		(void)fputs(".It needs\n", out);
		text_print(out, "", w->needs, ";");
		text_print(out, "", w->without, ".");
		over_print(out, w);
		alikes_print(out, w);
		yet_print(out, w->signature);
		(void)fputs(".El\n", out);
	}
}

void cause_manual(FILE *out)
{
	const enum action *actions;

	for (unsigned i = 1; i < CAUSE_COUNT; i++) {
		size_t n = cause_actions((enum cause_id)i, &actions);

		(void)fprintf(out, ".It %s\n",
			      cause_name((enum cause_id)i));
		for (size_t k = 0; k < n; k++)
			(void)fprintf(out, "%s%s", k ? ", " : "",
				      action_name(actions[k]));
		(void)fputs("\n", out);
	}
}

void benign_manual(FILE *out)
{
	for (unsigned i = 1; i < BENIGN_COUNT; i++)
		(void)fprintf(out, ".It %s\n%s.\n",
			      benign_name((enum benign_id)i),
			      benign_words((enum benign_id)i));
}
