/* What was said of the ports in one case, in order: by the engine, whose
 * findings are kept word by word, and by the peers, whose alarms are kept as
 * findings without a name.
 *
 * All times are the world's, taken when the word was said: no clock of the
 * switch comes into it. Memory is kept from case to case.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/finding.h"
#include "tests/judge/rows.h"
#include "tests/judge/world.h"

#define TOLD_NONE UINT32_MAX
/* An alarm of a peer ends when it was quiet for so long. */
#define TOLD_QUIET_NS (600 * INT64_C(1000000000))

struct told_word {
	int64_t t_ns;
	uint32_t next;			/* of the same finding; TOLD_NONE */
	enum signature signature;	/* 0: no name */
	enum finding_state state;
	enum severity severity;
	enum fault_end end;
	enum action action;
	float confidence;
	struct cliff cliff;
	char cause[ROW_CAUSE_MAX];
};

/* From raised to cleared; raised again it is another. */
struct told_finding {
	unsigned teller;
	/* A bit each: its first subject's, and what it listed as of a port. */
	uint64_t ports;
	char id[FINDING_ID_LEN + 1];
	uint32_t first, last;		/* words */
	bool is_open;
};

struct told {
	struct told_finding *finding;
	struct told_word *word;
	size_t findings, findings_cap, words, words_cap;
	uint32_t open[512];		/* the engine's, some may be closed */
	unsigned opens;
	const struct world_port *port;	/* borrowed for the case */
	unsigned ports;
	const struct world_sensor *sensor;	/* as of now, borrowed */
	size_t sensors;
	int64_t now_ns;
	struct {
		uint32_t finding;	/* TOLD_NONE: silent */
		int64_t last_ns;	/* of its alarm */
	} alarm[TELLERS_MAX][WORLD_PORTS_MAX];
};

/* Empty; told_fini() releases its memory. */
void told_init(struct told *t);
void told_fini(struct told *t);

/* A new case: nothing was said. ports are borrowed until the next. */
void told_start(struct told *t, const struct world_port *ports, unsigned count);

/* A word of a finding, now. */
void told_say(struct told *t, const struct finding *f);

/* What a peer's rule holds of a port now; 0: nothing. */
void told_alarm(struct told *t, unsigned teller, unsigned port,
		enum severity severity);

/* The next word of a finding; its first after NULL; NULL after its last. */
const struct told_word *told_next(const struct told *t,
				  const struct told_finding *f,
				  const struct told_word *w);

/* Ports that a finding's subject means: a port, or all of a cage, a group or a
 * zone, or of a sensor's zone, or of the switch.
 */
uint64_t told_ports(const struct told *t, const char *subject);
