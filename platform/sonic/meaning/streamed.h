/* What only high-frequency telemetry brings, which finds its fields here: the
 * polls of SONiC's do not write it to the database, so it is not asked for.
 */
#pragma once

#include "platform/sonic/meaning/table.h"

extern const struct table_list streamed_tables;
