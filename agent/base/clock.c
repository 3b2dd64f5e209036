#include "petrel/clock.h"

#include <sys/timex.h>
#include <time.h>

static int64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	(void)clock_gettime(id, &ts);	/* cannot fail for these two clocks */
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

struct mono clock_mono_now(void)
{
	return (struct mono){ clock_ns(CLOCK_MONOTONIC) };
}

struct wall clock_wall_now(void)
{
	return (struct wall){ clock_ns(CLOCK_REALTIME) };
}

void clock_read(struct clock_reading *ret)
{
	struct timex t = { 0 };
	int state = adjtimex(&t);

	ret->mono = clock_mono_now();
	ret->wall = clock_wall_now();
	ret->is_set = state >= 0 && state != TIME_ERROR;
	ret->error_ns = state < 0 ? -1 : (int64_t)t.maxerror * NS_PER_US;
}
