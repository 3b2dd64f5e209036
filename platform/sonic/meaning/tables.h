/* All tables, the specifics of each source, and the interface of the files by
 * subject.
 */
#pragma once

#include "platform/sonic/poll/reading.h"

struct chassis;
struct topology;

/* The number of tables, and the n-th. */
unsigned tables_count(void);
const struct table *table_get(unsigned number);

struct source_info {
	/* The sentence for a source without data: many switches have none, and
	 * that is not a fault. NULL: every switch has it.
	 */
	const char *nothing;
	/* The sentence for a source without rows, if it can say more than the
	 * name of the table; NULL: it cannot.
	 */
	const char *absent;
	/* Why the switch, as it is, has no data of it; "": there is nothing to
	 * tell; NULL: it should have.
	 */
	const char *(*unneeded)(const struct topology *t);
	/* Asks for more than the tables; NULL: nothing. */
	void (*ask)(struct poll *p);
	/* Called when all replies have arrived. True: it reads its late tables,
	 * and is called again. NULL: nothing to do.
	 */
	bool (*end)(struct poll *p);
};

const struct source_info *source_info(enum sonic_source source);

/* One per subject; .ask and .end of their sources follow. */
extern const struct table_list modules_tables, module_values_tables,
	neighbors_tables, ports_tables, queues_tables, sensors_tables,
	system_tables;

void chassis_ask(struct poll *p);
bool chassis_end(struct poll *p);
bool modules_end(struct poll *p);
const char *modules_unneeded(const struct topology *t);
const char *monitors_unneeded(const struct topology *t);
bool neighbors_end(struct poll *p);
bool ports_end(struct poll *p);
/* Releases the data of a chassis. */
void chassis_fini(struct chassis *c);

/* The first row of a cage in a poll counts, the others repeat it. */
bool module_values_first(const struct poll *p, const struct run *r,
			 struct cage *c);
/* Passes on all values of a row, as valid now. */
void module_values_emit(const struct poll *p, const struct run *r,
			struct cage *c, const struct row *row);
/* The fields of a port's row of CONFIG_DB. Returns -ENOMEM. */
int ports_config_index(struct field_index *ret);
/* Takes such a row: its place, and the rest until APPL_DB has it. */
void ports_config_row(struct namespace *s, struct object *o, struct row *row);
/* The descriptions of peers in CONFIG_DB. */
void neighbors_describe(const struct namespace *s);
/* Reports what follows from rows of CONFIG_DB, when they changed or were all
 * read: limits of queues and groups, and descriptions of peers.
 */
void thresholds_give(struct namespace *s);
