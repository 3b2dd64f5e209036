/* VOQ and fabric switches: links between the chips, and what a chip drops. */
#pragma once

#include "platform/sonic/meaning/table.h"

extern const struct table_list fabric_tables;
