/* What is amiss with the names and ids that the databases give. Each is read as
 * far as it makes sense; what does not is told with the sources that read by
 * these names, as nobody would find the reason elsewhere.
 */
#include <stdio.h>
#include <string.h>

#include "agent/base/clean.h"
#include "platform/sonic/switchdb/namespace.h"

#define SHOWN_MAX 24	/* of a foreign text */
#define BARRED_MERGES (10 * OBJECT_KIND_COUNT)	/* ten readings of names */

void amiss_oid(struct maps *m, const char *map, const char *text, size_t len)
{
	char shown[SHOWN_MAX], name[OBJECT_NAME_MAX];

	if (m->amiss[0])
		return;
	clean_octets(shown, sizeof(shown), text, len);
	clean_octets(name, sizeof(name), m->name, m->name_len);
	(void)snprintf(m->amiss, sizeof(m->amiss), "%s: %s has '%s', no object "
		       "id", map, name, shown);
}

void amiss_twins(struct maps *m, struct name_list *l)
{
	const char *one, *other;
	char a[OBJECT_NAME_MAX], b[OBJECT_NAME_MAX];

	if (m->amiss[0] || !name_list_twins(l, &one, &other))
		return;
	clean_octets(a, sizeof(a), one, strlen(one));
	clean_octets(b, sizeof(b), other, strlen(other));
	(void)snprintf(m->amiss, sizeof(m->amiss), "%s and %s have one object "
		       "id: whose the counters are is not known", a, b);
}

void amiss_names(struct maps *m, const char *of, const struct name_list *l)
{
	if (!m->amiss[0] && l->bad > 0)
		(void)snprintf(m->amiss, sizeof(m->amiss), "%u names of %s are "
			       "left out: longer than %d octets, or too many",
			       l->bad, of, OBJECT_NAME_MAX - 1);
}

void amiss_ports(struct maps *m, struct name_list *ports)
{
	if (ports->count <= PORTS_MAX)
		return;
	m->cut = true;
	(void)snprintf(m->amiss, sizeof(m->amiss), "%zu ports are named: all "
		       "but %d are left out", ports->count, PORTS_MAX);
	ports->count = PORTS_MAX;
}

void amiss_note(struct poll *p, bool by_ids)
{
	const struct maps *m = &p->namespace->maps;

	if (p->namespace->topology.merges < p->barred_until)
		poll_add(p, p->barred);
	if (!by_ids)
		return;
	if (m->refused)
		poll_add(p, m->reason);
	if (m->amiss[0])
		poll_add(p, m->amiss);
}

void amiss_row(struct poll *p, struct run *r, struct object *o)
{
	char name[OBJECT_NAME_MAX];

	o->barred = table_get(r->number);
	o->barred_until = r->namespace->topology.merges + BARRED_MERGES;
	clean_octets(name, sizeof(name), o->name, strlen(o->name));
	p->barred_until = o->barred_until;
	(void)snprintf(p->barred, sizeof(p->barred), "%s of %s is larger than "
		       "any row can be: it is left out for some minutes",
		       o->barred->name, name);
}

void amiss_note_lost(struct poll *p)
{
	char text[SOURCE_REASON_MAX], name[OBJECT_NAME_MAX];

	if (p->lost == 0 || p->rows == 0)
		return;
	clean_octets(name, sizeof(name), p->lost_first, strlen(p->lost_first));
	(void)snprintf(text, sizeof(text), "ids without a row in COUNTERS_DB: "
		       "%u, that of %s first", p->lost, name);
	poll_add(p, text);
}
