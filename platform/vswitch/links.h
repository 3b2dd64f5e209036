/* Ports as APPL_DB and STATE_DB show them: PORT_TABLE, PORT_OPERR_TABLE, and
 * the chip's own look at its lanes, PORT_PHY_ATTR. And who is at the other end:
 * what LLDP hears, what CONFIG_DB expects, the BGP session over the link.
 */
#pragma once

struct box;
struct box_port;

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
