#include "platform/sonic/poll/note.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/clean.h"
#include "platform/sonic/switchdb/namespace.h"

#define BARRED_MERGES (10 * OBJECT_KIND_COUNT)	/* ten readings of names */

void note_first(struct poll *p, const char *format, ...)
{
	va_list args;

	if (p->reason[0])
		return;
	va_start(args, format);
	(void)vsnprintf(p->reason, sizeof(p->reason), format, args);
	va_end(args);
}

void note_add(struct poll *p, const char *text)
{
	size_t len = strlen(p->reason);

	if (len + strlen(text) + 3 > sizeof(p->reason))
		return;
	(void)snprintf(p->reason + len, sizeof(p->reason) - len, "%s%s",
		       len ? "; " : "", text);
}

void note_dropped(struct poll *p, const struct object *o, const char *why)
{
	p->dropped++;
	note_first(p, "%s: %s", o->name[0] ? o->name : "the switch", why);
}

void note_oversize(struct poll *p, struct run *r, struct object *o)
{
	char name[OBJECT_NAME_MAX];

	o->barred = r->table;
	o->barred_until = r->namespace->topology.merges + BARRED_MERGES;
	clean_octets(name, sizeof(name), o->name, strlen(o->name));
	p->barred_until = o->barred_until;
	(void)snprintf(p->barred, sizeof(p->barred), "%s of %s is larger than "
		       "any row can be: it is left out for some minutes",
		       o->barred->name, name);
}

void note_names(struct poll *p, bool by_ids)
{
	const struct maps *m = &p->namespace->maps;

	if (p->namespace->topology.merges < p->barred_until)
		note_add(p, p->barred);
	if (!by_ids)
		return;
	if (m->refused)
		note_add(p, m->reason);
	if (m->implausible[0])
		note_add(p, m->implausible);
}

void note_lost(struct poll *p)
{
	char text[SOURCE_REASON_MAX], name[OBJECT_NAME_MAX];

	if (p->lost == 0 || p->rows == 0)
		return;
	clean_octets(name, sizeof(name), p->lost_first, strlen(p->lost_first));
	(void)snprintf(text, sizeof(text), "ids without a row in COUNTERS_DB: "
		       "%u, that of %s first", p->lost, name);
	note_add(p, text);
}
