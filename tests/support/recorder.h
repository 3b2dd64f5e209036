/* A host that prints what a driver says: one JSON object a line. */
#pragma once

#include <stdio.h>
#include "petrel/platform.h"

#define RECORDER_ENTITIES_MAX 32768

struct recorder {
	FILE *out;
	const struct platform_driver *driver;
	struct mono now;		/* set before each call of the driver */
	unsigned source;		/* of the open group */
	uint32_t entity;		/* of the open group */
	uint32_t entities;
	struct recorded {
		struct entity_key key;
		int gone;
	} entity_of[RECORDER_ENTITIES_MAX];	/* by handle - 1 */
	/* Sources whose read() returned -EINPROGRESS and has not ended. */
	int waiting[PLATFORM_SOURCES_MAX];
	uint64_t samples;
	int quiet;			/* count samples, print none */
	int faults;			/* breaches of the contract seen */
};

/* Fills *ret with functions that print to r->out; r stays the caller's. */
void recorder_host(struct recorder *r, struct platform_host *ret);

/* Lower-case words, for the driver's tests. */
const char *recorder_state_name(enum source_state state);
