/* All tables that are read, and what is peculiar to a source. */
#pragma once

#include "platform/sonic/meaning/table.h"

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
