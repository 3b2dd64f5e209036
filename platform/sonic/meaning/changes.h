/* What changed, as far as the tables show it that are read anyway: ports,
 * modules' firmware, and who was started anew.
 */
#pragma once

#include "platform/sonic/poll/reading.h"

/* Tells what is other than before: speed, MTU, FEC, lanes, admin state. */
void changes_port(struct poll *p, const struct object *o);
/* The version that runs in a module, "" for unknown. */
void changes_firmware(const struct namespace *s, struct cage *c,
		      const char *version, struct mono when);
/* A part of SONiC began anew; how: what shows it. */
void changes_service(const struct namespace *s, const char *name,
		     const char *how, struct mono when);
/* Why the switch was last started, as it wrote it down; once. */
void changes_reboot(const struct namespace *s);
