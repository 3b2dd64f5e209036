/* All tables that are read, what is peculiar to a source, and what the files of
 * the subjects say to one another and to who asks.
 */
#pragma once

#include "platform/sonic/poll/reading.h"

struct chassis;

/* How many tables there are, and the n-th. */
unsigned tables_count(void);
const struct table *table_get(unsigned number);

struct source_info {
	/* What it is without: many switches have nothing for it, and that is no
	 * fault. The sentence is told then; NULL: every switch has it.
	 */
	const char *nothing;
	/* What it lacks when it has no row, where that can be said better than
	 * by its table; NULL: it cannot.
	 */
	const char *absent;
	/* Asks for more than its tables; NULL: nothing. */
	void (*ask)(struct poll *p);
	/* All that was asked for is there. True: its late tables are asked for,
	 * and it comes here again. NULL: nothing is to be done.
	 */
	bool (*end)(struct poll *p);
};

const struct source_info *source_info(enum sonic_source source);

/* Of each subject; .ask and .end of their sources. */
extern const struct table_list modules_tables, module_values_tables,
	neighbors_tables, ports_tables, queues_tables, sensors_tables,
	system_tables;

void chassis_ask(struct poll *p);
bool chassis_end(struct poll *p);
bool modules_end(struct poll *p);
bool neighbors_end(struct poll *p);
bool ports_end(struct poll *p);
/* Releases what was read of a chassis. */
void chassis_fini(struct chassis *c);

/* The first row of a cage in a poll counts, the others repeat it. */
bool module_values_first(const struct poll *p, const struct run *r,
			 struct cage *c);
/* Hands all values of a row over as they are, being true now. */
void module_values_emit(const struct poll *p, const struct run *r,
			struct cage *c, const struct row *row);
/* The fields of a port's row of CONFIG_DB. Returns -ENOMEM. */
int ports_config_index(struct field_index *ret);
/* Such a row: its place, and all else till APPL_DB has it. */
void ports_config_row(struct namespace *s, struct object *o,
		      const struct row *row);
/* What CONFIG_DB says of the peers themselves. */
void neighbors_describe(const struct namespace *s);
/* Tells what follows from rows of CONFIG_DB, when they changed, or were all
 * read: limits of queues and groups, and what the peers are.
 */
void thresholds_give(struct namespace *s);
