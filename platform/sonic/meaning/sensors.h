/* Sensors, fans and supplies of the switch: STATE_DB, written by pmon. The
 * cards of a chassis: what the platform says of them in STATE_DB, and the
 * sensors that each card writes into CHASSIS_STATE_DB under its slot.
 *
 *   rows of cards, keys of CHASSIS_STATE_DB --all there--> rows of sensors
 *
 * CHASSIS_STATE_DB has a server of its own, on the supervisor. A line card
 * knows its name but has no socket to it: what lies there is told by the
 * supervisor's agent, and the card's own sensors by this one, from STATE_DB.
 * Nothing else waits for that server.
 */
#pragma once

#include "platform/sonic/switchdb/namespace.h"

extern const struct table_list sensors_tables;

/* Asks which sensors the cards have; all else of the poll goes on beside. */
void chassis_ask(struct poll *p);
/* All of that is there. True: the sensors may be asked for now. */
bool chassis_end(struct poll *p);
/* Releases what was read. */
void chassis_fini(struct chassis *c);
