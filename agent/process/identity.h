/* Who this switch is (C9): a stable id, and a name.
 *
 * The id is chosen once: the chassis' serial number; else the base MAC; else
 * the machine-id; else the name. It does not change during the run, whatever is
 * learnt later. An id that was kept on disk is used again, unless the serial
 * number and the MAC recorded with it differ from the present ones: the disk
 * was moved to another chassis, or copied.
 *
 * The name is the configured one, else the platform's, else the host's; it may
 * change at any time.
 */
#pragma once

#include <stdbool.h>
#include "agent/process/control.h"

/* How long to wait for a serial number once a MAC is known. */
#define IDENTITY_MAC_NS (3 * NS_PER_S)
/* If nothing is known by then, the machine-id is used. Shorter than the time
 * that the sender delays its greeting.
 */
#define IDENTITY_WAIT_NS (50 * NS_PER_S)

/* What is reported of the switch at one moment; "" or NULL: nothing. */
struct identity_told {
	const char *configured;		/* [Agent] name */
	const char *platform;		/* the name that the platform gives */
	const char *host;
	const char *serial, *mac;	/* as the platform writes them */
	const char *machine_id;
};

struct identity {
	struct control_identity is;	/* in use now */
	struct control_identity kept;	/* by an earlier run; id empty: none */
	char platform[SWITCH_NAME_MAX];	/* the last name that it gave */
	bool platform_spoke;		/* since this process began */
	struct mono began, mac_since;
};

/* is: found out by an earlier core of this run; kept: from the disk. */
void identity_init(struct identity *i, const struct control_identity *is,
		   const struct control_identity *kept, struct mono now);

/* Takes in the present reports. Returns true when id or name changed. */
bool identity_take(struct identity *i, const struct identity_told *told,
		   struct mono now);
