/* The link to one collector: a connection, the push that drives it, and the
 * probe that explains why there is none. Logs when it comes up and goes down.
 */
#pragma once

#include "agent/base/loop.h"
#include "agent/config/config.h"
#include "agent/push/egress.h"
#include "agent/push/probe.h"
#include "agent/push/push.h"

struct initiator;
struct transport;

struct uplink {
	struct loop *loop;
	int timer;
	struct transport *transport;	/* NULL: it is closed */
	struct push *push;
	struct initiator *sealed;	/* NULL: in the clear */
	struct probe probe;
	char url[CONFIG_TEXT_MAX];
	struct egress egress;
	unsigned device;		/* its index when connected */
	bool is_cut;			/* that device is gone */
	bool was_connected;
	char told[sizeof(((struct push_status *)0)->reason)];
	uint8_t *frame;			/* WIRE_FRAME_MAX octets of scratch */
	void (*moved)(void *context, struct mono now);
	void *context;
};

/* Closed at first. Adds its timer; frame is borrowed and may be shared with
 * others of the same loop. moved is called after each step. Returns -ENOSPC.
 */
int uplink_init(struct uplink *u, struct loop *loop, uint8_t *frame,
		void (*moved)(void *context, struct mono now), void *context);

/* env says what to send, and whose it is; its functions are set here, and what
 * it seals with is taken over in any case. by is copied. Returns a negative
 * errno with d: then it is closed.
 */
int uplink_open(struct uplink *u, const char *url, const struct egress *by,
		const struct push_env *env, struct diag *d);
/* Allowed for a closed one as well. */
void uplink_close(struct uplink *u);

/* False: it is closed. */
bool uplink_is_open(const struct uplink *u);
/* Sends what is waiting. */
void uplink_run(struct uplink *u, struct mono now);
/* Once a second: if the connection's device is gone or was replaced, the next
 * frame drops the connection, for otherwise only silence would show it.
 */
void uplink_tend(struct uplink *u);

/* Its status; all 0 while it is closed. */
void uplink_status(const struct uplink *u, struct push_status *ret);
