/* The schedule: opens drivers, calls the read hooks of their sources at
 * absolute deadlines, waits on their descriptors, and retries failed sources
 * soon, then less often. Sources with the same period are spread over it, so
 * that no tick has many of them; the first tick has them all. One in the core
 * for sources that never block, one in the reader for sources that may. Knows
 * nothing of the meaning of values.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/base/loop.h"
#include "petrel/platform.h"

struct sampler;

/* Gives the host of a driver: the state's in the core, the relay's in the
 * reader. *ret_first: agent-wide number of the driver's first source.
 */
struct sampler_env {
	struct loop *loop;
	int root_fd;
	bool blocking;			/* the reader's */
	void *context;
	int (*host)(void *context, const struct platform_driver *driver,
		    unsigned *ret_first, struct platform_host *ret);
	const char *(*option)(void *context, const char *section,
			      const char *key);
	/* All reads of this tick have ended, or it is too late for them. */
	void (*tick)(void *context, struct mono due, struct mono now,
		     uint64_t skipped);
	int64_t interval_ns;
	/* How often a source is read from now on; may be NULL. */
	void (*period)(void *context, unsigned source, int64_t period_ns);
};

/* env is copied. Returns -ENOMEM, -ENOSPC (no timer left in the loop). */
int sampler_new(const struct sampler_env *env, struct sampler **ret);
/* Closes all drivers. NULL is allowed. */
void sampler_free(struct sampler *s);

/* Opens a driver. Returns its number or a negative errno with d. */
int sampler_driver_add(struct sampler *s, const struct platform_driver *driver,
		       struct diag *d);

/* Applies a changed interval and options; nothing is forgotten. */
void sampler_reload(struct sampler *s, int64_t interval_ns);

/* Reads sources that are slower than the interval 2^steps times less often
 * than they ask for; 0: as they ask (C15).
 */
void sampler_slow(struct sampler *s, unsigned steps);

struct finding;

/* Passes open findings to the drivers whose switch can show them. */
void sampler_findings(struct sampler *s, const struct finding *open,
		      size_t count, struct mono now);

/* The driver reported a source's state: a read with -EINPROGRESS has ended.
 * failed: it is absent or broken, and is asked again soon. source: agent-wide
 * number.
 */
void sampler_ended(struct sampler *s, unsigned source, bool failed);

/* Periods in which a source was still busy with the last read. */
uint64_t sampler_late(const struct sampler *s);
