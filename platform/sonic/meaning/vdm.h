/* Versatile diagnostics: TRANSCEIVER_VDM_REAL_VALUE has these names; so have
 * the tables of its thresholds, flags, their changes and the times of those,
 * four of each (one an edge). The quantity here is the flag's; enum facet leads
 * to the others. Types from 100 on, which some vendors have, SONiC leaves out.
 */
#pragma once

#include "platform/sonic/meaning/table.h"

extern const struct table_list vdm_tables;
