#include "tests/support/scenario_manual.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "platform/sim/fault_table.h"
#include "platform/sim/optics.h"
#include "platform/sim/scenario.h"

#define LINE_MOST 76u

struct out {
	char *text;
	size_t cap, len;
};

static void put(struct out *o, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put(struct out *o, const char *format, ...)
{
	size_t left = o->len < o->cap ? o->cap - o->len : 0;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(left ? o->text + o->len : NULL, left, format, args);
	va_end(args);
	o->len += n > 0 ? (size_t)n : 0;
}

/* A line of text, broken at blanks where it would be too long for mdoc. */
static void put_line(struct out *o, const char *text, const char *end)
{
	char line[512], *at = line;

	(void)snprintf(line, sizeof(line), "%s%s", text, end);
	while (strlen(at) > LINE_MOST) {
		char *cut = at + LINE_MOST;

		while (cut > at && *cut != ' ')
			cut--;
		if (cut == at)
			break;
		*cut = '\0';
		put(o, "%s\n", at);
		at = cut + 1;
	}
	put(o, "%s\n", at);
}

static void put_statement(struct out *o, enum scenario_statement statement,
			  const char *name)
{
	const struct scenario_key_info *k;

	put(o, ".\\\" table %s\n", name);
	for (size_t i = 0; (k = scenario_key(statement, i)); i++)
		put(o, ".It Cm %s Ns = Ns Ar %s\n%s\n", k->name, k->written,
		    k->help);
}

static void put_faults(struct out *o)
{
	const struct plant_fault_info *rows;
	size_t count;

	rows = plant_faults(&count);
	put(o, ".\\\" table faults\n");
	for (size_t i = 0; i < count; i++) {
		put(o, ".It Cm %s%s%s\n", rows[i].name,
		    rows[i].keys[0] ? " " : "", rows[i].keys);
		put_line(o, rows[i].help, ".");
		if (rows[i].benign)
			put(o, "Benign.\n");
	}
}

static void put_keys(struct out *o)
{
	put(o, ".\\\" table keys\n");
	for (int i = 0; i < FAULT_KEY_COUNT; i++) {
		const struct fault_key_info *k =
			fault_key_info((enum fault_key)i);

		put(o, ".It Cm %s\n%s: %s\n", k->name,
		    value_unit_help(k->unit), k->help);
	}
}

static void put_media(struct out *o)
{
	const struct media *rows;
	size_t count;

	rows = media_table(&count);
	put(o, ".\\\" table media\n");
	for (size_t i = 0; i < count; i++)
		put(o, ".It Cm %s\n%s\n", rows[i].name,
		    rows[i].coherent ?
		    "coherent, one lane of light for all of the port's" :
		    rows[i].optical ? rows[i].wavelengths ?
		    "optical, lanes are colours of one fibre" :
		    "optical, a fibre for each lane" :
		    rows[i].monitored ? "active copper" : "passive copper");
}

size_t scenario_manual(char *ret, size_t cap)
{
	struct out o = { ret, cap, 0 };

	put_statement(&o, SCENARIO_SWITCH, "switch");
	put_statement(&o, SCENARIO_PORT, "port");
	put_faults(&o);
	put_keys(&o);
	put_media(&o);
	return o.len;
}
