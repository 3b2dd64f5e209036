/* Readings of a plant, as the engine takes them. This file alone of the judge
 * knows the engine.
 *
 * It does what a driver does: converts units, and the switch's clock, which
 * may step, to a monotonic one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/finding.h"
#include "tests/judge/world.h"

/* What is kept from all who judge: bits. */
enum feed_without {
	WITHOUT_HISTOGRAM = 1,
	WITHOUT_TEMPERATURE = 2,
	WITHOUT_LIGHT = 4,		/* power and bias, each lane */
};

struct feed;

/* Called for each word of a finding; borrowed for the call. */
typedef void feed_said_fn(void *context, const struct finding *f);

/* A new engine that knows these ports. Returns -ENOMEM. */
int feed_open(const struct world_port *ports, unsigned count,
	      enum world_pace pace, feed_said_fn *said, void *context,
	      struct feed **ret);
/* NULL is allowed. */
void feed_close(struct feed *f);

struct feed_break {
	int64_t now_ns, gap_ns;		/* for which nobody looks */
	bool reboot;			/* the monotonic clock begins anew */
	const struct finding *open;	/* said, and not cleared */
	size_t count;
	const struct world_sensor *sensor;
	size_t sensors;
};

/* The engine ends, and another one goes on with its memory and what is open.
 * Returns -ENOMEM.
 */
int feed_restart(struct feed *f, const struct feed_break *b);

/* Takes out of a reading what is to be left out. */
void feed_leave_out(struct world_reading *r, unsigned without);

/* The switch's sensors; read as often as modules are, so most calls do
 * nothing. Before feed_tick().
 */
void feed_sensors(struct feed *f, int64_t now_ns, const struct world_sensor *s,
		  size_t count);

/* One tick: has: a bit for each port that has a reading. */
void feed_tick(struct feed *f, int64_t now_ns, const struct world_reading *r,
	       uint64_t has, const struct world_event *event, size_t events);

/* Share of frames lost that a finding foretells, log10; NAN: it does not. */
double feed_frame_loss(const struct finding *f);
