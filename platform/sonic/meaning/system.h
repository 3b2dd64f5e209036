/* What the switch is and how it is set up: DEVICE_METADATA, its label, buffer
 * pools, lossless priorities, gearboxes.
 */
#pragma once

#include "platform/sonic/meaning/table.h"

extern const struct table_list system_tables;
