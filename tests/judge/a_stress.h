/* What befalls a port in one stretch of time, of all that is under way. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/link.h"
#include "tests/judge/world.h"

struct a_stress {
	/* Light and lasers, by lane. */
	double loss_db[WORLD_LANES_MAX];	/* at our receiver */
	double noise[WORLD_LANES_MAX];		/* 1/Q^2 that is added */
	double tx_loss_db[WORLD_LANES_MAX];
	double bias_share[WORLD_LANES_MAX];	/* 0.2: a fifth more */
	double shake_db;		/* deviation of unsteady light */
	bool dark, tx_dark;
	/* All lanes. */
	double decades;
	double spike_decades, spike_s;	/* for so long of the stretch */
	double burst_hz, burst_tail;	/* in single codewords */
	double lost_frames_hz;		/* that no code has seen */
	/* Heat and supply; what the monitor alone makes of them. */
	double heat_k, temp_lie_k, droop_v;
	double load_shift;
	bool load_gone;
	/* The link. */
	unsigned falls;
	bool down, admin_down, absent, testing;
	enum down_reason reason;
	/* How it is told. */
	bool unread;			/* no reading at all */
	bool counters_stuck, counters_clear, near_wrap;
	bool dom_frozen;
	double dom_garbage, dom_missing;	/* shares of the readings */
	double dom_slow;		/* the pass takes so much longer */
	int64_t clock_shift_ns;
	uint64_t new_module;		/* 0, or the key of another one */
};

/* A stretch of time: after before_ns, to now_ns. */
struct a_stretch {
	int64_t before_ns, now_ns;
};
