/* What the engine keeps: for its own files alone. */
#pragma once

#include <stddef.h>
#include "agent/signature/ber.h"
#include "agent/signature/changes.h"
#include "agent/signature/detector.h"
#include "agent/signature/front.h"
#include "agent/signature/life.h"
#include "agent/signature/light.h"

#define DETECTORS_MAX 32

/* All that is kept of one port. */
struct engine_port {
	struct port_facts facts;
	bool gone;
	struct front front;
	struct ber ber;
	struct light light;
	struct life_slot *slots;	/* in state, behind the detectors' */
	max_align_t state[];	/* the detectors', one after another */
};

struct engine {
	size_t ports_max, count;
	struct engine_port **ports;
	const struct detector *const *table;
	size_t detectors;
	size_t offset[DETECTORS_MAX];	/* of each detector's state */
	size_t state_size;
	struct life life;
	struct changes changes;
	struct site site;
	bool fell;			/* a link, in this tick */
};
