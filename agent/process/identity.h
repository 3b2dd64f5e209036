/* Who this switch is (C9): a stable id, and a name.
 *
 * The id is taken once: the chassis' serial number; else the base MAC; else
 * the machine-id; else, where there is nothing at all, the name. It stays for
 * the run, whatever is learnt later. One that was taken before and was kept on
 * disk is taken again, unless the serial number and the MAC that it came with
 * are others now: the disk has moved to another chassis, or was copied.
 *
 * The name is the configured one, else what the platform says, else the
 * host's; it may change at any time.
 */
#pragma once

#include <stdbool.h>
#include "agent/process/control.h"

/* A MAC is known: how long a serial number may still come. */
#define IDENTITY_MAC_NS (3 * NS_PER_S)
/* Nothing is known: after this the machine-id is taken. Below what the sender
 * waits with its greeting.
 */
#define IDENTITY_WAIT_NS (50 * NS_PER_S)

/* What is said of the switch at one moment; "" or NULL: nothing. */
struct identity_told {
	const char *configured;		/* [Agent] name */
	const char *platform;		/* the name that the platform gives */
	const char *host;
	const char *serial, *mac;	/* as the platform writes them */
	const char *machine_id;
};

struct identity {
	struct control_identity is;	/* what is in force */
	struct control_identity kept;	/* by an earlier run; id empty: none */
	char platform[SWITCH_NAME_MAX];	/* the name that it gave last */
	bool platform_spoke;		/* in this process' life */
	struct mono began, mac_since;
};

/* is: what an earlier core of this run found out; kept: what disk holds. */
void identity_init(struct identity *i, const struct control_identity *is,
		   const struct control_identity *kept, struct mono now);

/* Takes in what is said now. Returns true when id or name are others. */
bool identity_take(struct identity *i, const struct identity_told *told,
		   struct mono now);
