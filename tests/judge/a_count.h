/* The counters of a port, as an ASIC of 64 bits holds them. */
#pragma once

#include "tests/judge/a_port.h"
#include "tests/judge/a_stress.h"
#include "tests/judge/world.h"

struct a_count {
	uint64_t corrected, lost, symbols, bits, bin[WORLD_BINS];
	uint64_t link_downs;
	uint64_t in_octets, in_frames, in_errors, in_discards;
	uint64_t out_octets, out_frames, out_discards, ecn_marked;
	uint64_t pfc_rx[WORLD_PRIORITIES], pfc_tx[WORLD_PRIORITIES];
	uint64_t queue_peak[WORLD_QUEUES];	/* since the reading before */
};

/* What happened to a link since the reading before. */
struct a_ran {
	double dt_s, ber, load;
	bool is_up;
};

/* Begins as a switch that has run for a while. */
void a_count_init(struct a_count *n, struct draw *d);
/* All from 0 again, but the falls of the link. */
void a_count_clear(struct a_count *n);
/* FEC and octets so that they wrap within minutes. */
void a_count_near_wrap(struct a_count *n, const struct a_port *p);
void a_count_step(struct a_count *n, const struct a_port *p,
		  const struct a_stress *s, const struct a_ran *ran,
		  struct draw *d);
/* Into a reading, as wide as the port's counters are. */
void a_count_tell(const struct a_count *n, const struct a_port *p,
		  struct world_reading *ret);
