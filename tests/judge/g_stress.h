/* What the things that befall a port do to it within a span of time. */
#pragma once

#include "tests/judge/g_kinds.h"

struct world;
struct g_event;

struct g_span {
	double from_s, to_s;	/* without its begin, with its end */
};

struct g_stress {
	/* At the span's end. */
	double lane[G_LANE_CHANNELS][WORLD_LANES_MAX];
	double port[G_CHANNELS - G_LANE_CHANNELS];
	unsigned hold;
	bool is_ruined;			/* by a fault */
	enum down_reason reason;
	unsigned modules;		/* plugged in before this one */
	/* Within it. */
	unsigned falls;			/* that are over, too */
	double down_s, over_s;		/* how long; when the last was over */
	double lost;			/* codewords, in bursts */
	unsigned bursts;
	double lost_rate;		/* a second, in the mean */
};

/* Adds an event. temp_c: of the module without any of them. */
void g_stress_add(const struct world *w, const struct g_event *e,
		  unsigned port, struct g_span at, double temp_c,
		  struct g_stress *s);

/* Sum over what strikes a zone, of one of the port's channels. */
double g_stress_zone(const struct world *w, unsigned zone,
		     enum g_channel channel, double t_s);
