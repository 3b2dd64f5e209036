/* What is plugged into plant G's switch, and how good it is. */
#pragma once

#include "petrel/link.h"
#include "tests/judge/g_kinds.h"

struct world;

struct g_media {
	const char *name;
	unsigned lanes;
	unsigned gbps;
	unsigned traits;
	double tx_dbm, rx_dbm, bias_ma;
	struct g_range ber;
	double rise_k, load_k;
	unsigned weight;
	enum fec_mode fec;
};

/* Ports, cages, zones, jobs. */
void g_media_fill(struct world *w);
