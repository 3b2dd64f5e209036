/* Links between the chips of a chassis, and what the chips drop. */
#include "platform/sonic/meaning/fields.h"

#include "platform/sonic/meaning/tables.h"
#include "platform/sonic/meaning/words.h"

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
	FIELD_AS_TEXT("REMOTE_MOD", FABRIC_TEXT_SWITCH),
	FIELD_AS_TEXT("REMOTE_PORT", FABRIC_TEXT_PORT),
};

static const struct field switch_drops[] = {
	{ "SAI_SWITCH_STAT_PACKET_INTEGRITY_DROP", Q_SWITCH_INTEGRITY_DROPS, 0,
	  0, FIELD_COUNTER, 1 },
};

const struct fields fields_fabric_counters = FIELDS(fabric_counters);
const struct fields fields_fabric_state = FIELDS(fabric_state);
const struct fields fields_switch_drops = FIELDS(switch_drops);
