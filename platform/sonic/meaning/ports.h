/* The state of links: APPL_DB's PORT_TABLE, with what STATE_DB knows of it and
 * the cause where a link is down.
 */
#pragma once

#include "platform/sonic/poll/reading.h"

extern const struct table_list ports_tables;

/* All rows are there. True: the causes are asked, and it comes here again. */
bool ports_end(struct poll *p);

/* The fields of a port's row of CONFIG_DB. Returns -ENOMEM. */
int ports_config_index(struct field_index *ret);
/* Such a row: its place, and all else till APPL_DB has it. */
void ports_config_row(struct namespace *s, struct object *o,
		      const struct row *row);
