/* What the engine keeps: for its own files alone. */
#pragma once

#include <stddef.h>
#include <string.h>
#include "agent/signature/benign.h"
#include "agent/signature/ber.h"
#include "agent/signature/changes.h"
#include "agent/signature/detector.h"
#include "agent/signature/front.h"
#include "agent/signature/heat.h"
#include "agent/signature/life.h"
#include "agent/signature/lane_usual.h"
#include "agent/signature/load.h"
#include "agent/signature/light.h"
#include "agent/signature/recalled.h"

#define DETECTORS_MAX 32
#define BENIGN_DECADES 0.3f	/* of errors; less is no symptom */

/* What more than one port shares, and what is wrong with it (wide.h). */
struct wide {
	char name[ENTITY_NAME_MAX];	/* of the group, of the zone */
	struct life_slot slot;
	struct mono onset;		/* on the first port */
	struct mono last;		/* on the last one */
	int64_t blind_ns;		/* links fell, and were not read before
					 * for so long */
	uint32_t first;			/* that port */
	unsigned hit, watched;		/* ports */
	enum severity severity;
	bool speaking, of_falls;	/* links fell, no errors */
	bool tight;			/* they began at once */
	bool of_limits;			/* modules are above their own */
	float most;			/* decades, or kelvin */
	float own_k;			/* a module that is warmer than that has
					 * a fault of its own */
	float begun;			/* the most when it began; decades */
	float most_told;		/* the most since its finding … */
	unsigned hit_told;		/* … and the most ports … */
	float inlet_told;		/* … and kelvin of the air's sensor */
	bool whole;			/* the switch's, while all ports are in
					 * zones: it holds them all */
	float rest_k;			/* of the other modules, of late */
	struct mono rested;		/* when that was computed; ns 0 */
	struct mono fell;		/* most links of the group last did, at
					 * one moment … */
	unsigned falls;			/* … so often, within the hour */
	struct mono dark;		/* links fell, and no light came; ns 0:
					 * never */
	uint16_t looks;			/* in a row in which it was seen */
	size_t sensor;			/* place plus 1; 0: none shows it */
	struct mono warmed;		/* when the first of them warmed */
	struct mono power;		/* of a zone, bad since; ns 0: it is not
					 * bad, or hurts no port */
	unsigned unpowered;		/* ports that it hurts */
};

/* All that is kept of one port; first what each reading looks at. */
struct engine_port {
	struct wide *part_of;		/* what hits it; or NULL */
	uint32_t awake;		/* detectors that the next reading asks in any
				 * case: bits (ask.h) */
	uint8_t errors;		/* enum severity: the worst reported now */
	bool gone;
	bool restarted;		/* counted in the engine's restarts */
	struct front front;
	struct ber ber;
	struct cadence cadence;
	struct light light;
	struct lane_usual lanes;
	struct load traffic;
	float siblings_log_ber;	/* as of struct port_view */
	struct heat heat;
	struct wide *air, *group;	/* NULL: none is known */
	struct life_slot *slots;	/* in state, behind the detectors' */
	struct port_facts facts;
	max_align_t state[];	/* the detectors', one after another */
};

/* A list of them, each in its own memory. */
struct wides {
	struct wide **at;
	size_t count;
};

/* Ports whose counters restarted, one soon after the other: a source gives
 * them in passes, and whoever clears them may fall between two.
 */
struct restarts {
	unsigned ports;
	uint32_t port;			/* one of them */
	struct mono since, until;
};

struct engine {
	size_t ports_max, count;
	struct engine_port **ports;
	const struct detector *const *table;
	size_t detectors;
	size_t errors, flaps, bursts;	/* places of fec_trend's, flap_burst's,
					 * fec_uncorrectable's */
	size_t offset[DETECTORS_MAX];	/* of each detector's state */
	size_t state_size;
	uint32_t asked_by[WAKE_COUNT];	/* by news: detectors, bits */
	struct life life;
	struct changes changes;
	struct site site;
	bool fell;			/* a link did, in this tick … */
	bool turned;			/* … or rose, or one that fell just now
					 * showed its light */
	struct restarts restarts;
	struct benigns benigns;
	struct wides groups, airs;
	struct sensor **sensors;
	size_t sensor_count;
	struct mono looked;		/* last look at what ports share */
	float *values;			/* room for one a port, and one more */
	float *heat_k;			/* of each port's module above usual, at
					 * the last look; NAN (in values) … */
	size_t heats;			/* … how many are not NAN … */
	float heat_middle_k;		/* … and their median; NAN */
	struct recall *recall;		/* memory to take up; NULL: none */
	struct recalled recalled;	/* what became of it */
};

/* What detector n keeps of a port. */
static inline void *state_of(const struct engine *e, struct engine_port *p,
			     size_t n)
{
	return (char *)p->state + e->offset[n];
}

/* Detector n knows nothing of the port. */
static inline void detector_start(const struct engine *e,
				  struct engine_port *p, size_t n)
{
	const struct detector *d = e->table[n];

	memset(state_of(e, p, n), 0, d->state_size);
	if (d->start)
		d->start(state_of(e, p, n), &p->facts);
}

static inline struct life_subject subject_of(const struct engine_port *p,
					     uint32_t port)
{
	return (struct life_subject){ .port = port, .is_port = true,
				      .slots = p->slots };
}
