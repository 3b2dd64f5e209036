/* What an operator has configured: CONFIG_DB but for ports and counter groups.
 */
#pragma once

struct box;
struct box_port;

#define SETTINGS_PLATFORM "x86_64-petrel_vswitch-r0"
#define SETTINGS_HWSKU "Petrel-vswitch"

/* All rows, and CONFIG_DB_INITIALIZED behind them. */
void settings_write(struct box *b);
/* Takes the rows of a port out. */
void settings_forget(struct box *b, const struct box_port *p);
