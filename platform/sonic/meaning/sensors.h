/* Sensors, fans and supplies of the switch: STATE_DB, written by pmon; and
 * those of a chassis' cards: CHASSIS_STATE_DB, written by each card.
 */
#pragma once

#include "platform/sonic/meaning/table.h"

extern const struct table_list sensors_tables;
