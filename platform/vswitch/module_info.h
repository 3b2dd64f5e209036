/* What a module is: TRANSCEIVER_INFO and TRANSCEIVER_FIRMWARE_INFO. */
#pragma once

struct out;
struct box_port;

/* Both rows of a port, of the module that is in its cage now. */
void module_info_row(struct out *o, const struct box_port *p);
