/* Who is at the other end of a link: what LLDP hears wins; what the
 * configuration expects fills in, and stays visible beside it.
 */
#pragma once

#include "platform/sonic/poll/reading.h"

extern const struct table_list neighbors_tables;

/* What CONFIG_DB says of the peers themselves. */
void neighbors_describe(const struct namespace *s);
/* All rows are there: LLDP wins. False: there are no late tables. */
bool neighbors_end(struct poll *p);
