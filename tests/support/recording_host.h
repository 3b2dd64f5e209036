/* A host (C7) that writes down what a driver says and checks it on the fly.
 *
 * Whatever breaks a promise of platform.h becomes a fault: a sentence that
 * names it. Nothing is asserted here; who uses it decides.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/platform.h"

#define RECORDING_FAULTS_MAX 16
#define RECORDING_FAULT_LEN 256

struct recording_host;

struct recording_limits {
	uint32_t entities;	/* -ENOSPC beyond; 0: no bound of its own */
	bool blocking;		/* which sources may speak */
	int64_t oldest_ns;	/* a group may be this much older than open */
};

struct recorded_entity {
	struct entity_key key;	/* parent: a handle */
	bool gone;
	char *attribute[ATTRIBUTE_COUNT];	/* NULL unknown; the host's */
};

/* One value as it was last told. */
struct recorded_value {
	uint32_t handle;
	unsigned source, index;
	enum quantity quantity;
	int64_t value;
	enum sample_quality quality;
	struct read_group age;
	uint64_t group;		/* number of its group, from 1 */
};

/* Returns -ENOMEM. */
int recording_host_new(const struct platform_driver *driver,
		       const struct recording_limits *limits,
		       struct recording_host **ret);
void recording_host_free(struct recording_host *r);

/* What the driver gets. */
const struct platform_host *recording_host_get(struct recording_host *r);

/* Entities by handle, from 1; NULL beyond the last. */
const struct recorded_entity *recording_host_entity(
	const struct recording_host *r, uint32_t handle);

/* The handle of a living entity, ENTITY_NONE when there is none. */
uint32_t recording_host_find(const struct recording_host *r,
			     enum entity_kind kind, const char *name);

/* All values that were ever told, the newest of each. */
size_t recording_host_values(const struct recording_host *r,
			     const struct recorded_value **ret);

/* How many entities were refused, events of a kind, samples in all. */
uint64_t recording_host_refused(const struct recording_host *r);
uint64_t recording_host_events(const struct recording_host *r,
			       enum platform_event what);
uint64_t recording_host_samples(const struct recording_host *r);

/* The last word on a source, and whether any was said since
 * recording_host_source_clear().
 */
bool recording_host_source(const struct recording_host *r, unsigned source,
			   enum source_state *ret);
void recording_host_source_clear(struct recording_host *r, unsigned source);

/* What was said with it; empty where nothing was. */
const char *recording_host_reason(const struct recording_host *r,
				  unsigned source);

/* How many promises were broken. */
uint64_t recording_host_faults(const struct recording_host *r);

/* The n-th of their texts, in which repeats stand once; NULL beyond. */
const char *recording_host_fault(const struct recording_host *r, size_t n);

/* For checks made outside. */
void recording_host_fault_add(struct recording_host *r, const char *format,
			      ...) __attribute__((format(printf, 2, 3)));
