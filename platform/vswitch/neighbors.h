/* Who is at the other end, and what of that the switch shows: what LLDP hears,
 * what the configuration expects, and the BGP session over the link.
 */
#pragma once

struct box;
struct box_port;

/* What CONFIG_DB expects. */
void neighbors_settings(struct box *b);
/* What is heard over a link, as it is now. */
void neighbors_heard(struct box *b, const struct box_port *p);
/* Takes out all of it. */
void neighbors_forget(struct box *b, const struct box_port *p);
