/* Sparklines of ports over the last 15 minutes, from the rings in the run
 * folder, for all ports in one pass: errors before FEC, the light of the
 * weakest lane, the module's temperature. Needs no agent, but the right to read
 * the rings.
 */
#pragma once

#include <stdbool.h>
#include "agent/ctl/plot.h"
#include "agent/ctl/screen.h"
#include "local.pb-c.h"

enum spark_kind { SPARK_ERRORS, SPARK_LIGHT, SPARK_TEMPERATURE,
		  SPARK_KIND_COUNT };

struct sparks;

/* Returns -ENOENT: no rings, or another negative errno. */
int sparks_read(const char *run_dir, struct sparks **ret);
/* NULL is allowed. */
void sparks_free(struct sparks *s);

/* The line of a port, by its name in a table; false: it has no reading. */
bool sparks_line(const struct sparks *s, const struct screen *screen,
		 const char *port, enum spark_kind kind,
		 char ret[static PLOT_SPARK_MAX]);

/* Adds a column of sparklines of each kind to ports; as table_print(). */
bool sparks_table_print(const struct sparks *s, const struct screen *screen,
			const Petrel__Table *ports, bool apart);
/* Prints a port's lines, with the least and the most of each, as a table;
 * false: it has no reading.
 */
bool sparks_port_print(const struct sparks *s, const struct screen *screen,
		       const char *port, bool apart);

/* Prints a capsule's table with its courses drawn; as table_print(). */
bool sparks_capsule_print(const struct screen *screen,
			  const Petrel__Table *capsule, bool apart);
