/* Two clocks that cannot be mixed, and how good the wall clock is (C5).
 *
 * Sample times are monotonic and belong to their run; the wall clock is for
 * records and for people only. Drivers turn their sources' clocks into
 * struct mono before they hand a sample over.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)

struct mono { int64_t ns; };	/* CLOCK_MONOTONIC; for intervals */
struct wall { int64_t ns; };	/* CLOCK_REALTIME; for records only */

/* Wall offset and its quality at one moment. */
struct clock_reading {
	struct mono mono;
	struct wall wall;	/* taken together with mono */
	int64_t error_ns;	/* ntp_gettime's maximum error; -1 unknown */
	bool is_set;		/* false: never synchronised since boot */
};

/* Nanoseconds from earlier to later; negative when they are swapped. If the
 * difference does not fit, as from an unset time (ns INT64_MIN), it is
 * INT64_MAX or INT64_MIN.
 */
static inline int64_t mono_diff_ns(struct mono later, struct mono earlier)
{
	int64_t ns;

	if (__builtin_sub_overflow(later.ns, earlier.ns, &ns))
		ns = later.ns < 0 ? INT64_MIN : INT64_MAX;
	return ns;
}

/* now plus ns; at most INT64_MAX, at least INT64_MIN. */
static inline struct mono mono_after(struct mono now, int64_t ns)
{
	struct mono then;

	if (__builtin_add_overflow(now.ns, ns, &then.ns))
		then.ns = ns < 0 ? INT64_MIN : INT64_MAX;
	return then;
}

/* The earlier one. */
static inline struct mono mono_min(struct mono a, struct mono b)
{
	return a.ns < b.ns ? a : b;
}

/* CLOCK_MONOTONIC now. */
struct mono clock_mono_now(void);

/* CLOCK_REALTIME now. */
struct wall clock_wall_now(void);

/* Both clocks, and the quality of the wall clock as the kernel reports it.
 * Source: adjtimex(2), as ntp_gettime(3).
 */
void clock_read(struct clock_reading *ret);
