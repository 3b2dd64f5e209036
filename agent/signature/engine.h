/* The detectors at work: takes readings of ports, gives changes of findings.
 *
 * Owns the state of each port (baseline, trend), the table of detectors, and
 * the life of findings: raise, update, hold, clear, and folding a symptom into
 * its cause. Memory is taken when a port is added; a reading allocates nothing
 * and takes no lock, no clock, no file. The core runs it, and petrel replay.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "agent/signature/context.h"
#include "agent/signature/port.h"
#include "agent/signature/sensor.h"
#include "petrel/clock.h"
#include "petrel/finding.h"

struct benign;
struct engine;

/* Called for each change of a finding; f is borrowed for the call. */
typedef void engine_emit_fn(void *context, const struct finding *f);

/* Events that a reading does not show. */
enum engine_event {
	ENGINE_RELOAD,			/* configuration changed */
	ENGINE_COUNTERS_CLEARED,
	ENGINE_MODULE_SWAPPED,		/* learn anew */
	ENGINE_MUTE,
	ENGINE_ANNOTATE,
	ENGINE_EVENT_COUNT,
};

#define ENGINE_ALL_PORTS UINT32_MAX

/* switch_name goes into the findings' ids, until engine_switch() gives another
 * word.
 */
int engine_new(size_t ports_max, const char *switch_name, engine_emit_fn *emit,
	       void *context, struct engine **ret);
/* Goes into the ids of findings that are raised from now on. */
void engine_switch(struct engine *e, const char *word);
/* NULL is allowed. */
void engine_free(struct engine *e);

/* Makes a port known; the same name gives the same number, with new facts.
 * Returns -ENOSPC, -ENOMEM.
 */
int engine_port(struct engine *e, const struct port_facts *facts,
		uint32_t *ret_port);
/* The port is gone: its findings are cleared. */
void engine_port_gone(struct engine *e, uint32_t port, struct mono now,
		      struct wall wall);

/* One reading. wall: the wall time of tick->t. */
void engine_reading(struct engine *e, uint32_t port,
		    const struct inputs *tick, struct wall wall);

/* Makes a sensor known; the same name gives the same number. Returns -ENOSPC,
 * -ENOMEM.
 */
int engine_sensor(struct engine *e, const struct sensor_facts *facts,
		  uint32_t *ret_sensor);
/* A new reading of it. */
void engine_sensor_reading(struct engine *e, uint32_t sensor,
			   const struct sensor_reading *r, struct mono now);

/* Is it about more than one port: a group, the air? */
bool engine_is_wide(enum signature signature);

/* After all readings of a tick: compares ports, and ends hold times. */
void engine_tick(struct engine *e, struct mono now, struct wall wall);

/* An event that a reading does not show; port: ENGINE_ALL_PORTS for the
 * switch.
 */
void engine_event(struct engine *e, uint32_t port, enum engine_event what,
		  struct mono now, struct wall wall);

/* context: bits of enum engine_context; 0: all is as usual. */
void engine_context(struct engine *e, unsigned context, struct mono now);

/* Something was changed; a finding that begins soon after names it. words:
 * what was changed, and how; copied.
 */
void engine_changed(struct engine *e, uint32_t port, const char *words,
		    struct mono now);

/* Findings that are not cleared. Borrowed until the next call. */
size_t engine_findings(const struct engine *e, const struct finding **ret);

/* What was seen and is no fault: at most BENIGN_MAX. Borrowed until the next
 * call.
 */
size_t engine_benign(const struct engine *e, const struct benign **ret);

/* The open finding of the group or the air that the port is part of, or NULL.
 * Borrowed until the next call.
 */
const struct finding *engine_part_of(const struct engine *e, uint32_t port);

/* A finding of an earlier run that nothing took up, because its port is not
 * there any more or another finding is open in its place: it ends.
 */
void engine_lost(struct engine *e, const struct finding *f, struct mono now,
		 struct wall wall);
/* Takes up a finding that an earlier core left (from the ring): it keeps its
 * id, and clears if its detector does not see it again. Call after the port
 * is known. Returns -ENOENT for an unknown subject, -EEXIST when another
 * finding is open in its place.
 */
int engine_restore(struct engine *e, const struct finding *f);

/* Values that the engine computes, for samples and the CLI. */
struct engine_view {
	bool has_ber, has_margin;
	int64_t pre_fec_ber_e18;
	bool ber_below_resolution;
	int64_t margin_milli_db;
	struct mono ber_taken;		/* the end of their window */
	int64_t ber_window_ns;
	unsigned flaps_24h;
	bool has_turned;		/* the link, while somebody watched */
	struct mono turned_at;		/* last up or down */
};

/* What is known now; unknown fields stay unset. */
void engine_view(const struct engine *e, uint32_t port,
		 struct engine_view *ret);

/* Can this signature see this port? *ret_why: what is missing, *ret_arm: what
 * would arm it; both static text or NULL.
 */
enum watch engine_watch(const struct engine *e, uint32_t port,
			enum signature signature, const char **ret_why,
			const char **ret_arm);
