/* Who writes the rows of a switch, as SONiC's own services do: each of these
 * files plays one of them, and tells at its head which.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Everything of all ports, and the keys that say ports are ready. */
void links_all(struct box *b);
/* What changed since. */
void links_changes(struct box *b);
/* Signal, alignment and SNR of the lanes (10 s). */
void links_phy(struct box *b);
/* The neighbours that CONFIG_DB expects. */
void links_neighbors(struct box *b);
/* Takes a port's rows out. */
void links_forget(struct box *b, const struct box_port *p);
/* A port's lanes on the chip: "5,6,7,8". */
#define LINKS_LANES_MAX 64
void links_lanes(const struct box_port *p, char ret[LINKS_LANES_MAX]);

/* TEMPERATURE_INFO, FAN_INFO, PSU_INFO, VOLTAGE_INFO, CURRENT_INFO,
 * ASIC_TEMPERATURE_INFO.
 */
void pmon_play(struct box *b);
/* What is known from the start. */
void pmon_start(struct box *b);

/* Writes the settings of the scripts. */
void rates_settings(struct box *b);
/* One round of the rate script, interval_ns after the one before. */
void rates_ports(struct box *b, int64_t interval_ns);
/* One round of the frame-loss script (every 120 s). */
void rates_losses(struct box *b);

#define WATCHDOG_DETECTION_MS 200
#define WATCHDOG_RESTORATION_MS 200
/* What it is set to: CONFIG_DB. */
void watchdog_settings(struct box *b);
/* Its rows, as far as they changed. */
void watchdog_play(struct box *b);
/* After a restart of orchagent it begins anew. */
void watchdog_restart(struct box *b);

/* Looks at every cage: modules that came or went are told of at once. */
void xcvrd_presence(struct box *b);
/* What xcvrd's loop reads of one cage; p: any port, does nothing where it is
 * not the first of its cage. This is where a module is looked at, so all that
 * shows its memory belongs here.
 */
void xcvrd_read(struct box *b, size_t port);
/* xcvrd's short cut for who cools the switch: temperatures alone. */
void xcvrd_heat(struct box *b);
/* Between two readings: what the module itself keeps minima and maxima of. */
void xcvrd_watch(struct box *b);
/* As after a start of xcvrd: all is posted anew. */
void xcvrd_forget(struct box *b);
/* Takes the rows of a port out. */
void xcvrd_delete(const struct box_port *p);
