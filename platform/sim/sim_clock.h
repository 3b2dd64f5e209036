/* An instance of the sim driver, and how it follows the clock: moves the plant,
 * wakes its host, and reports links and modules that changed on the way.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "petrel/diag.h"
#include "petrel/plant.h"
#include "petrel/platform.h"
#include "platform/sim/sim_publish.h"

struct dom;

struct sim {
	const struct platform_host *host;
	bool blocking;
	struct plant *plant;
	struct mono start;
	int rest_left;			/* modules left in this reading */
	double speed;
	int timer_fd;			/* -1 in the reader */
	bool known;			/* inventory was reported */
	int64_t queues_read_ns;		/* the plant's time of it */
	size_t port_count;
	struct publish_port *port;
	struct dom *dom;
};

/* Time 0 of the scenario for an instance that is opened now: see sim.c. */
struct mono sim_start(struct mono now);

/* The start of a process in clock ticks since boot, from the text of its
 * /proc/PID/stat, if its name is name (as truncated by the kernel); -ENOENT if
 * it has another, -EBADMSG if the text is malformed.
 */
int sim_stat_parse(const char *stat, const char *name, int64_t *ret_ticks);

/* Follows the clock, as far as one call may. Returns -ENODATA if behind. */
int sim_follow(struct sim *s, struct mono now, struct diag *d);

/* Sets the timer for the next step; to now if there is more to catch up. */
void sim_wake(struct sim *s, struct mono now);

/* Takes the present state as reported, except modules and ports themselves. */
void sim_told(struct sim *s);

/* The real time of a state of the plant; never later than now. */
struct mono sim_real_time(const struct sim *s, int64_t plant_ns,
			  struct mono now);

/* Lanes of the whole module; the port may use only some of them. */
unsigned sim_module_lanes(const struct sim *s, size_t port);
/* Number of ports that share the module of this first one. */
size_t sim_module_ports(const struct sim *s, size_t port);
