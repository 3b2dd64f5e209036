/* Queues, priority groups and buffer pools: SAI's statistics, PFC watchdog,
 * watermarks.
 */
#pragma once

#include "platform/sonic/meaning/table.h"

extern const struct table_list queues_tables;
