/* The cage and the lanes of each port. */
#pragma once

#include "platform/sonic/switchdb/topology.h"

/* Texts of a port's row, in APPL_DB's PORT_TABLE and CONFIG_DB's PORT. */
enum port_text {
	PORT_TEXT_ALIAS,
	PORT_TEXT_DESCRIPTION,
	PORT_TEXT_ROLE,
	PORT_TEXT_INDEX,
	PORT_TEXT_SUBPORT,
	PORT_TEXT_LANES,
	PORT_TEXT_SPEED,
	PORT_TEXT_MTU,
	PORT_TEXT_FEC,
	PORT_TEXT_ADMIN,
	PORT_TEXT_OPER,
	PORT_TEXT_LAST_DOWN,
	PORT_TEXT_AUTONEG,
	PORT_TEXT_INTERFACE_TYPE,
	PORT_TEXT_CORE,
};

/* Can the text of PORT_TEXT_INDEX, _SUBPORT or _LANES be used? */
bool cages_place_means(unsigned slot, const char *text);

/* Takes the place of a port from its row in CONFIG_DB or APPL_DB. */
void cages_port_place(struct topology *t, struct object *port,
			 const char text[][ATTRIBUTE_TEXT_MAX],
			 bool from_config);

/* Reports what a port shares with others: its gearbox, else its core. */
void cages_port_group(const struct topology *t, const struct object *port);

/* Takes the lanes of a port's gearbox towards the module. */
void cages_port_line(struct topology *t, struct object *port,
		     const char *lanes);

/* How many electrical lanes of its module a port has; 0: unknown. */
unsigned cages_host_lanes(const struct port *p);

/* Reports the module and lanes of each port. */
void cages_lanes(struct topology *t);

/* The module left its cage, or was replaced: the old one is gone. */
void cages_module_gone(struct topology *t, struct cage *c);
