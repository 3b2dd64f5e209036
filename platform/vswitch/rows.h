/* The writers of a switch's rows, like SONiC's own services: each of these
 * files simulates one of them, named at its top.
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

/* All rows, followed by CONFIG_DB_INITIALIZED. */
void config_db_write(struct box *b);
/* Removes the rows of a port. */
void config_db_forget(const struct box_port *p);
/* Never write to the databases of a switch that carries real traffic: returns
 * -EEXIST for one of another platform, or another negative errno.
 */
int config_db_check(struct out *o, struct diag *d);
/* Traffic is shifted away from the switch, or back. */
void config_db_tsa(struct box *b, bool away);

/* Everything for all ports, and the keys that say ports are ready. */
void links_all(struct box *b);
/* Changes since then. */
void links_changes(struct box *b);
/* Signal, alignment and SNR of the lanes (10 s). */
void links_phy(struct box *b);
/* The neighbours that CONFIG_DB expects. */
void links_neighbors(struct box *b);
/* Removes a port's rows. */
void links_forget(struct box *b, const struct box_port *p);
/* A port's lanes on the chip: "5,6,7,8". */
#define LINKS_LANES_MAX 64
void links_lanes(const struct box_port *p, char ret[LINKS_LANES_MAX]);

/* TEMPERATURE_INFO, FAN_INFO, PSU_INFO, VOLTAGE_INFO, CURRENT_INFO,
 * ASIC_TEMPERATURE_INFO.
 */
void pmon_play(struct box *b);
/* Values known from the start. */
void pmon_start(struct box *b);

/* Writes the settings of the scripts. */
void rates_settings(struct box *b);
/* One round of the rate script, interval_ns after the last one. */
void rates_ports(struct box *b, int64_t interval_ns);
/* One round of the frame-loss script (every 120 s). */
void rates_losses(struct box *b);

#define WATCHDOG_DETECTION_MS 200
#define WATCHDOG_RESTORATION_MS 200
/* Its settings: CONFIG_DB. */
void watchdog_settings(struct box *b);
/* Its rows, if they changed. */
void watchdog_play(struct box *b);
/* Starts over after a restart of orchagent. */
void watchdog_restart(struct box *b);

/* Looks at every cage: reports modules that came or went at once. */
void xcvrd_presence(struct box *b);
/* One cage in xcvrd's loop; p: any port, does nothing unless it is the first of
 * its cage. A module is read here, so everything that shows its memory belongs
 * here.
 */
void xcvrd_read(struct box *b, size_t port);
/* The part of its round over all modules that is due; slice_ns: until the next
 * call. Returns true when a round ends.
 */
bool xcvrd_round(struct box *b, int64_t slice_ns);
/* xcvrd's short form for thermal control: only temperatures. */
void xcvrd_heat(struct box *b);
/* Between two readings: updates the module's own minima and maxima. */
void xcvrd_watch(struct box *b);
/* As after a start of xcvrd: posts everything again. */
void xcvrd_forget(struct box *b);
/* Removes the rows of a port. */
void xcvrd_delete(const struct box_port *p);
