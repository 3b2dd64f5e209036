/* Modules: TRANSCEIVER_INFO makes the entity; its readings are those of
 * module_values.h.
 *
 * xcvrd writes the information for every sub-port of a cage, the readings for
 * the first only: the first row of a cage in a poll counts, the others repeat
 * it. Another vendor, part or serial number is another module.
 */
#pragma once

#include "platform/sonic/poll/reading.h"

extern const struct table_list modules_tables;

/* All modules are told: those that were not are gone. False: there are no late
 * tables.
 */
bool modules_end(struct poll *p);
