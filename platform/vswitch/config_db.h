/* What an operator has configured: CONFIG_DB but for ports and counter groups.
 */
#pragma once

#include <stdbool.h>

struct box;
struct box_port;
struct diag;
struct out;

#define CONFIG_DB_PLATFORM "x86_64-petrel_vswitch-r0"
#define CONFIG_DB_HWSKU "Petrel-vswitch"

/* All rows, and CONFIG_DB_INITIALIZED behind them. */
void config_db_write(struct box *b);
/* Takes the rows of a port out. */
void config_db_forget(const struct box_port *p);

/* Never into the databases of a switch that forwards somebody's frames: returns
 * -EEXIST for one of another platform, or another negative errno.
 */
int config_db_check(struct out *o, struct diag *d);
/* Traffic is shifted away from the switch, or back. */
void config_db_tsa(struct box *b, bool away);
