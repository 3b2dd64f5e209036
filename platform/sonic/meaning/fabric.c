/* VOQ and fabric switches: how the links between the chips are, and what a chip
 * drops. Their counters are read like all others, by counters.c.
 */
#include <string.h>

#include "agent/base/number.h"
#include "platform/sonic/switchdb/namespace.h"

#define FABRIC_PERIOD_NS (30 * NS_PER_S)	/* fabricportsorch's */

static uint32_t fabric_entity(void *context, unsigned part)
{
	const struct object *o = context;

	return part == 0 ? o->handle : ENTITY_NONE;
}

void fabric_state_row(struct poll *p, struct run *r, struct object *o,
		      const struct row *row)
{
	const struct platform_host *host = r->namespace->host;
	struct row_target to = {
		.host = host,
		.source = p->source,
		.entity = fabric_entity,
		.context = o,
		.quality = QUALITY_GOOD,
		.age = { .taken = { p->asked.ns - FABRIC_PERIOD_NS / 2 },
			 .uncertainty_ns = FABRIC_PERIOD_NS / 2,
			 .part = r->number },
	};

	host->attribute(host->context, o->handle, ATTRIBUTE_PEER_SWITCH,
			row->text[FABRIC_TEXT_SWITCH]);
	host->attribute(host->context, o->handle, ATTRIBUTE_PEER_PORT,
			row->text[FABRIC_TEXT_PORT]);
	(void)row_emit(row, &r->namespace->index[r->number], &to);
}

/* Of the switch, whose chips are told apart by the index. */
void fabric_drops_row(struct poll *p, struct run *r, struct object *o,
		      const struct row *row)
{
	static const struct entity_key self = { .kind = ENTITY_SWITCH };
	const struct platform_host *host = r->namespace->host;
	struct read_group age = { .part = r->number };
	uint64_t chip = 0;
	uint32_t handle;

	(void)o;
	if (row->values == 0 || age_of_flex(r, p, &age) ||
	    host->entity(host->context, &self, &handle) < 0)
		return;
	if (strncmp(r->namespace->name, "asic", 4) == 0 &&
	    number_parse(r->namespace->name + 4, 0, UINT8_MAX, &chip) < 0)
		return;
	host->group(host->context, p->source, handle, &age);
	host->sample(host->context, Q_SWITCH_INTEGRITY_DROPS, (unsigned)chip,
		     row->value[0], QUALITY_GOOD);
	r->age_known = true;
}
