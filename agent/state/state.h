/* The present state: all entities, and the newest value of each quantity.
 *
 * Takes input from drivers through struct platform_host, one host per driver,
 * and gives columns to the record, readings of ports to the detectors, and
 * answers to queries. Memory grows only when something new appears, up to the
 * limits; what does not fit is refused and counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/signature/port.h"
#include "agent/state/inventory.h"
#include "petrel/platform.h"
#include "petrel/sample.h"

#define STATE_SOURCES_MAX 64
#define STATE_NUMBERS_MAX 255	/* of sources and their parts, on the wire */

struct state;
struct slots;

struct state_limits {
	uint32_t entities, slots;	/* slots: (entity, quantity, index) */
	uint32_t first_entity;		/* the lowest id of this run */
	uint32_t dictionary_version;	/* the first */
};

/* A source of values, agent-wide. */
struct state_source {
	char name[2 * SOURCE_NAME_MAX];	/* driver.source */
	bool own;			/* Petrel's own, not of a platform */
	enum source_state state;
	int64_t interval_ns;		/* of the source itself; 0 unknown */
	int64_t period_ns;		/* how often we ask */
	struct mono last_fresh;		/* ns 0: never */
	struct mono last_taken;		/* newest read group */
	uint64_t values;
	char reason[SOURCE_REASON_MAX];
};

/* The newest reading of one quantity of one entity. */
struct state_value {
	int64_t value;
	enum sample_quality quality;
	struct read_group age;
	bool is_new;			/* taken in during this tick */
};

/* How much a counter grew over its source's own interval. */
struct state_rate {
	double per_s;
	int64_t interval_ns;
	struct mono taken;		/* its end */
	enum sample_quality quality;	/* of the reading at its end */
};

/* Is called for what happens between ticks. */
struct state_observer {
	void *context;
	void (*event)(void *context, uint32_t entity, enum platform_event what,
		      int64_t value, struct mono when, const char *text);
	/* A pending read ended, or the source's state changed. */
	void (*source)(void *context, unsigned source, enum source_state was);
};

/* Returns -ENOMEM. observer is copied; its functions may be NULL. */
int state_new(const struct state_limits *limits,
	      const struct state_observer *observer, struct state **ret);
/* NULL is allowed. */
void state_free(struct state *s);

/* Registers a driver; its sources get agent-wide numbers from *ret_first on.
 * *ret_host is what the driver calls. Returns -ENOSPC.
 */
int state_driver_add(struct state *s, const struct platform_driver *driver,
		     unsigned *ret_first, struct platform_host *ret_host);

/* Values and entities refused because they did not fit or were not valid. */
uint64_t state_refused(const struct state *s);

/* How many of them did not fit, and the limits that they need. */
uint64_t state_left_out(const struct state *s, struct state_limits *ret);

/* Begins the next tick: values taken in from now on belong to it. */
void state_tick(struct state *s, struct mono now);
/* Number of the open tick; the first is 1. */
uint32_t state_tick_number(const struct state *s);
/* Values taken in since the start. */
uint64_t state_values_total(const struct state *s);

/* The version of the dictionary (C2): grows with each change. */
uint32_t state_dictionary_version(const struct state *s);
/* The id that the next entity would get. */
uint32_t state_next_entity(const struct state *s);
/* All places of the table: skip those with id 0. */
size_t state_entities(const struct state *s,
		      const struct inventory_entity **ret);
/* NULL when there is none of that id. */
const struct inventory_entity *state_entity(const struct state *s, uint32_t id);
/* The id of the switch itself. */
uint32_t state_switch(const struct state *s);
/* What the platform calls this switch; empty when it does not say. */
const char *state_switch_name(const struct state *s);
/* All sources, by their agent-wide numbers. Borrowed. */
size_t state_sources(const struct state *s, const struct state_source **ret);
/* Each column and read group has a number: that of its source for the first
 * part. Further parts have numbers from STATE_SOURCES_MAX on: returns how many,
 * and gives the source of each. Borrowed.
 */
size_t state_parts(const struct state *s, const uint8_t **ret_source);
/* The source of such a number. */
unsigned state_source_of(const struct state *s, uint8_t number);
/* How often it has something new at most: the longer of how often it is asked
 * and its own interval; 0 if neither is known.
 */
int64_t state_pace_ns(const struct state_source *s);
/* How old its newest reading may be: three of its periods and a little;
 * INT64_MAX if it has no period.
 */
int64_t state_overdue_ns(const struct state_source *s);
/* The same for a quantity of the source: longer for what is read seldom;
 * INT64_MAX for what is only sent on change.
 */
int64_t state_stale_after_ns(const struct state_source *s,
			     const struct quantity_info *q);
/* How often we ask this source. */
void state_source_period(struct state *s, unsigned source, int64_t period_ns);

/* Changes when rows of columns move: differences need a new reference. */
uint32_t state_layout(const struct state *s);

/* For the record. Borrowed until the next sample. */
size_t state_columns(const struct state *s, const struct sample_column **ret);
/* The read groups of each source, the same way. */
size_t state_groups(const struct state *s, const struct group_column **ret);

/* Newest value; false when its group was never read or no longer holds it, or
 * the entity is gone. A value older than three periods of its source is stale,
 * unless it is only sent on change (CLASS_STATIC).
 */
bool state_value(const struct state *s, uint32_t entity, enum quantity q,
		 unsigned index, struct state_value *ret);

/* The same as one source reads it: that of the column, one of state_columns().
 */
bool state_value_from(const struct state *s, uint32_t entity,
		      const struct sample_column *column,
		      struct state_value *ret);

/* Is a time with this uncertainty usable? Not when that is more than two
 * intervals of its source: the source stalled (C4).
 */
bool state_time_is_known(const struct state *s, unsigned source,
			 int64_t uncertainty_ns);

/* A counter's increase between its last two readings; wraps and resets are not
 * increases. False when there are not two in a row, or when the time of one is
 * not known.
 */
bool state_rate(const struct state *s, uint32_t entity, enum quantity q,
		unsigned index, struct state_rate *ret);

/* The slots beneath, for reading.c. */
const struct slots *state_slots(const struct state *s);

/* Ports in order of their names (Ethernet8 before Ethernet16). */
size_t state_port_count(const struct state *s);
/* The id of port n in that order; ENTITY_NONE after the last. */
uint32_t state_port(const struct state *s, size_t n);
/* By name or alias; ENTITY_NONE when there is none. */
uint32_t state_port_find(const struct state *s, const char *name);
/* The module of a port, ENTITY_NONE without one. */
uint32_t state_port_module(const struct state *s, uint32_t port);
/* The name of an entity for people: for a port its name, for a module or a lane
 * the name of the first port on it, else "cage 3", written to room; "" for the
 * switch.
 */
const char *state_subject(const struct state *s, uint32_t entity,
			  char room[static ENTITY_NAME_MAX]);
#define STATE_SERIES_NAME_MAX (2 * ENTITY_NAME_MAX)

/* The name of an entity in a capsule's series: its own, else the port's with
 * kind and number, as Ethernet8/queue3; "" if there is no such entity.
 */
const char *state_series_name(const struct state *s, uint32_t entity,
			      char room[static STATE_SERIES_NAME_MAX]);
/* Lane n (from 0) of a port: the module's lane first_lane + n. */
uint32_t state_port_lane(const struct state *s, uint32_t port, unsigned n);
/* The child with that kind and number, ENTITY_NONE when there is none. */
uint32_t state_child(const struct state *s, uint32_t parent,
		     enum entity_kind kind, uint32_t number);
