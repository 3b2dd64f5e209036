/* What a module tells of itself, and when: a poller goes from module to
 * module, and what it took stands until it comes again.
 */
#pragma once

#include "tests/judge/a_port.h"
#include "tests/judge/a_stress.h"
#include "tests/judge/world.h"

#define A_DOM_WAITING 10u

/* One reading of the monitors. */
struct a_monitors {
	int64_t taken_ns;		/* world's time; to be told later */
	int64_t shown_ns;		/* by the switch's clock; seconds */
	bool is_there;
	double temp_c, vcc_v, ber;
	double rx_dbm[WORLD_LANES_MAX], tx_dbm[WORLD_LANES_MAX];
	double bias_ma[WORLD_LANES_MAX];
	double lane_ber[WORLD_LANES_MAX], snr_db[WORLD_LANES_MAX];
	uint8_t rx_los, tx_fault;
};

struct a_dom {
	int64_t next_ns, period_ns, late_ns;
	double vcc_v;
	struct a_monitors shown, waiting[A_DOM_WAITING];
	unsigned first, count;		/* of those waiting */
};

/* A port's module at a time. */
struct a_module_state {
	const struct a_port *port;
	const struct a_stress *stress;
	const struct a_drift *drift;
	const double *z;		/* 1/Q^2 of each lane */
	double ber, temp_c, load;
	bool is_up;
	int64_t before_ns, now_ns;
};

/* period_ns: how long a pass over all modules takes. late_ns: how old what is
 * told is at least.
 */
void a_dom_init(struct a_dom *m, int64_t period_ns, int64_t late_ns,
		struct draw *d);
/* Nothing is known: another module, or none. */
void a_dom_forget(struct a_dom *m);
void a_dom_step(struct a_dom *m, const struct a_module_state *at,
		struct draw *d);
void a_dom_tell(const struct a_dom *m, const struct a_port *p,
		struct world_reading *ret);
