#include "platform/vswitch/pace.h"

#include "petrel/log.h"

#define COUNT_LEAST 10		/* a single delay is not reported */
#define LASTS_NS (10 * NS_PER_S)
#define SLACK_PERCENT 20

void pace_init(struct pace *p, const char *what, int64_t period_ns)
{
	*p = (struct pace){ .what = what, .period_ns = period_ns };
}

void pace_pause(struct pace *p)
{
	p->since.ns = 0;
	p->count = 0;
}

enum pace_news pace_note(struct pace *p, struct mono now)
{
	int64_t gone = mono_diff_ns(now, p->since);
	bool behind;

	if (p->since.ns == 0) {
		p->since = now;
		return PACE_NONE;
	}
	p->count++;
	if (p->count < COUNT_LEAST || gone < LASTS_NS)
		return PACE_NONE;
	p->mean_ns = gone / p->count;
	p->since = now;
	p->count = 0;
	behind = p->mean_ns * 100 > p->period_ns * (100 + SLACK_PERCENT);
	if (behind == p->behind)
		return PACE_NONE;
	p->behind = behind;
	return behind ? PACE_BEHIND : PACE_CAUGHT_UP;
}

static double seconds(int64_t ns)
{
	return (double)ns / (double)NS_PER_S;
}

/* Otherwise a slow player might be taken for a slow switch. */
void pace_tell(struct pace *p, struct mono now)
{
	enum pace_news news = pace_note(p, now);

	if (news == PACE_BEHIND)
		log_warn("vswitch", "%s are written every %.3g s, not every "
			 "%.3g s as asked: this machine cannot keep up",
			 p->what, seconds(p->mean_ns), seconds(p->period_ns));
	else if (news == PACE_CAUGHT_UP)
		log_notice("vswitch", "%s are written as often as asked again",
			   p->what);
}
