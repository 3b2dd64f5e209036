/* Keeps what the engine has learnt over a restart, an upgrade and a reboot: the
 * part of each process.
 *
 *	supervisor	at the start puts the newest whole copy into the run
 *			folder; at an orderly end asks both for one more
 *	core		takes it up before its first reading, and writes it to
 *			the run folder, which is in memory; touches no disk
 *	sender		copies it to the state folder, which is on flash
 */
#pragma once

#include <stdbool.h>
#include "agent/process/control.h"

struct engine;

/* The core's. */
#define REMEMBER_SETTLED_NS (60 * NS_PER_S)	/* from the first port on */
#define REMEMBER_EVERY_NS (60 * NS_PER_S)
#define REMEMBER_CHANGED_NS (10 * NS_PER_S)	/* after a finding changed */

struct remember {
	struct process_env *env;	/* borrowed, as is the engine */
	struct engine *engine;
	bool recalled;		/* until then the existing copy is better */
	bool has_ports, was_tried;
	struct mono ports_since, tried;
	bool changed;		/* a finding, since the last copy */
	bool pressing;		/* one began or ended */
};

/* The supervisor's, without root's rights, before it forks. */
void remember_begin(struct process_env *env);
/* The supervisor's, before it ends the others: waits for them some seconds at
 * most.
 */
void remember_end(struct process_env *env);

/* The core's: before its first reading. */
void remember_recall(struct remember *r, struct mono now, struct wall wall);
/* The core's: at each change of a finding. */
void remember_changed(struct remember *r, bool began_or_ended);
/* The core's, about once a second. */
void remember_tend(struct remember *r, bool has_ports, struct mono now,
		   struct wall wall);
/* The core's: one more copy if the supervisor asked; true: it has asked. */
bool remember_last(struct remember *r, struct mono now, struct wall wall);

/* The sender's, about once a second. */
void remember_copy(struct process_env *env, struct mono now);
/* The sender's, as remember_last(). */
bool remember_copy_last(struct process_env *env, struct mono now);
