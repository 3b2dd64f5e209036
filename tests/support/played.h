/* A simulated switch that plays a scenario through state and journal
 * into rings, as fast as it can: each tick is a second, or as told.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/base/ring.h"
#include "agent/process/journal.h"
#include "agent/state/state.h"

struct played {
	struct state *state;
	struct platform_host host;
	void *sim;
	struct ring_set rings;
	struct journal *journal;
	struct clock_reading began;
	struct mono now;	/* of the next tick */
	unsigned ticks;
};

/* A switch's root with its run folder, and the tiers' in its state folder. */
struct played_root {
	char path[64];
	char run_dir[96];
	int run_fd, tiers_fd;
};

void played_root_make(struct played_root *r);
void played_root_remove(struct played_root *r);
/* The rings go, as at a reboot. */
void played_root_reboot(const struct played_root *r);

#define PLAYED_BUSY "tests/data/scenarios/busy.scenario"
/* 512 ports of 64 cages of eight lanes. */
#define PLAYED_WIDE "tests/bench/wide.scenario"

/* Rings in dir_fd, that of samples of ring_octets. Ends the program on a
 * fault.
 */
void played_make(struct played *p, const char *scenario, int dir_fd,
		 size_t ring_octets, bool bounded);
/* The rings' files stay. */
void played_free(struct played *p);
/* One tick, ms behind the one before. */
void played_tick(struct played *p, int64_t ms);
/* Both clocks as they are there. */
struct clock_reading played_clock(const struct played *p);
/* The n-th entity of a kind, from 1. */
uint32_t played_entity(const struct played *p, enum entity_kind kind,
		       size_t n);
