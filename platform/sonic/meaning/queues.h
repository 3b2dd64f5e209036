/* Queues, priority groups and buffer pools: SAI's statistics, PFC watchdog,
 * watermarks; and what only high-frequency telemetry brings, which finds its
 * fields here: SONiC's polls do not write it to the database.
 */
#pragma once

#include "platform/sonic/meaning/table.h"

extern const struct table_list queues_tables;
