/* Ports' counters: SAI's statistics, SONiC's rates, the chip's lanes,
 * gearboxes.
 */
#pragma once

#include "platform/sonic/meaning/table.h"

extern const struct table_list port_counters_tables;
