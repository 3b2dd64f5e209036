#include "platform/sonic/meaning/fabric.h"

#include <string.h>

#include "agent/base/number.h"
#include "platform/sonic/meaning/counters.h"
#include "platform/sonic/meaning/words.h"
#include "platform/sonic/poll/age.h"
#include "platform/sonic/switchdb/namespace.h"

#define FABRIC_PERIOD_NS (30 * NS_PER_S)	/* fabricportsorch's */


#define PORT(name, quantity)						\
	{ "SAI_PORT_STAT_IF_" name, quantity, 0, 0, FIELD_COUNTER, 1 }
#define FLAG(name, quantity) { name, quantity, 0, 0, FIELD_BOOL, 1 }

/* As fabricportsorch has them polled. */
static const struct field fabric_counters[] = {
	PORT("IN_OCTETS", Q_FABRIC_IN_OCTETS),
	PORT("OUT_OCTETS", Q_FABRIC_OUT_OCTETS),
	PORT("IN_ERRORS", Q_FABRIC_IN_ERRORS),
	PORT("IN_FABRIC_DATA_UNITS", Q_FABRIC_IN_CELLS),
	PORT("OUT_FABRIC_DATA_UNITS", Q_FABRIC_OUT_CELLS),
	PORT("IN_FEC_CORRECTABLE_FRAMES", Q_FABRIC_CORRECTED_CODEWORDS),
	PORT("IN_FEC_NOT_CORRECTABLE_FRAMES",
	     Q_FABRIC_UNCORRECTABLE_CODEWORDS),
	PORT("IN_FEC_SYMBOL_ERRORS", Q_FABRIC_SYMBOL_ERRORS),
};

static const struct field fabric_state[] = {
	{ "STATUS", Q_FABRIC_OPER_STATUS, 0, 0, FIELD_WORD, WORDS_OPER },
	FLAG("ISOLATED", Q_FABRIC_ISOLATED),
	FLAG("AUTO_ISOLATED", Q_FABRIC_AUTO_ISOLATED),
	FLAG("CONFIG_ISOLATED", Q_FABRIC_CONFIG_ISOLATED),
	{ "PORT_DOWN_COUNT", Q_FABRIC_DOWN_COUNT, 0, 0, FIELD_COUNTER, 1 },
	FIELD_ATTRIBUTE("REMOTE_MOD", 0, ATTRIBUTE_PEER_SWITCH),
	FIELD_ATTRIBUTE("REMOTE_PORT", 1, ATTRIBUTE_PEER_PORT),
};

static const struct field switch_drops[] = {
	{ "SAI_SWITCH_STAT_PACKET_INTEGRITY_DROP", Q_SWITCH_INTEGRITY_DROPS, 0,
	  0, FIELD_COUNTER, 1 },
};

/* A link between chips: whether it is up or isolated, and who is behind it. */
static void state_row(struct poll *p, struct run *r, struct object *o,
		      const struct row *row)
{
	const struct read_group age = {
		.taken = { p->asked.ns - FABRIC_PERIOD_NS / 2 },
		.uncertainty_ns = FABRIC_PERIOD_NS / 2 };

	row_attributes(row, &r->index, r->namespace->host, o->handle, true);
	counters_row_aged(p, r, o, row, &age);
}

/* Of the switch, whose chips are told apart by the index. */
static void drops_row(struct poll *p, struct run *r, struct object *o,
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

static const struct table tables[] = {
	{ SYNCD("COUNTERS", SONIC_FABRIC, OBJECT_FABRIC_PORT, FLEX_FABRIC),
	  FIELDS(fabric_counters), .take = counters_row },
	{ ROW("FABRIC_PORT_TABLE", SONIC_FABRIC, DATABASE_STATE,
	      OBJECT_FABRIC_PORT),
	  FIELDS(fabric_state), .optional = true, .take = state_row },
	{ SYNCD("COUNTERS", SONIC_FABRIC, OBJECT_CHIP, FLEX_SWITCH),
	  FIELDS(switch_drops), .optional = true, .take = drops_row },
};

const struct table_list fabric_tables = TABLE_LIST(tables);
