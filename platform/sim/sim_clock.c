#include "platform/sim/sim_clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include "agent/base/number.h"

/* Steps of ports in one call of an instance that must not wait; further calls
 * catch up on the rest.
 */
#define STEPS_AT_ONCE 1024u
#define WAKE_LEAST_NS (10 * NS_PER_MS)
#define NAME_KEPT 15		/* of a process's name, in the kernel */
#define FIELDS_TO_START 20	/* from the name's ")"; proc(5), field 22 */

int sim_stat_parse(const char *stat, const char *name, int64_t *ret_ticks)
{
	const char *open = strchr(stat, '('), *at = strrchr(stat, ')');
	size_t len = strnlen(name, NAME_KEPT);
	uint64_t ticks;

	if (!open || !at || at < open)
		return -EBADMSG;
	if ((size_t)(at - open - 1) != len || memcmp(open + 1, name, len) != 0)
		return -ENOENT;
	for (int i = 0; i < FIELDS_TO_START; i++) {
		at = strchr(at + 1, ' ');
		if (!at)
			return -EBADMSG;
	}
	if (number_parse_n(at + 1, strcspn(at + 1, " \n"), 0, INT64_MAX,
			   &ticks) < 0)
		return -EBADMSG;
	*ret_ticks = (int64_t)ticks;
	return 0;
}

struct mono sim_start(struct mono now)
{
	int64_t ticks, hz = sysconf(_SC_CLK_TCK), begin = now.ns;
	struct timespec boot;
	char stat[512] = "";
	FILE *in;

	(void)clock_gettime(CLOCK_BOOTTIME, &boot);	/* cannot fail */
	(void)snprintf(stat, sizeof(stat), "/proc/%d/stat", (int)getppid());
	in = fopen(stat, "re");
	if (in && fgets(stat, sizeof(stat), in) && hz > 0 &&
	    sim_stat_parse(stat, program_invocation_short_name, &ticks) == 0)
		/* The kernel counts from boot, including suspend. */
		begin = ticks * (NS_PER_S / hz) -
			(boot.tv_sec * NS_PER_S + boot.tv_nsec -
			 clock_mono_now().ns);
	if (in)
		(void)fclose(in);	/* only read */
	if (begin < 0 || begin > now.ns)
		begin = now.ns;
	return (struct mono){ begin / NS_PER_S * NS_PER_S };
}

static int64_t plant_time_ns(const struct sim *s, struct mono t)
{
	return (int64_t)((double)mono_diff_ns(t, s->start) * s->speed);
}

struct mono sim_real_time(const struct sim *s, int64_t plant_ns,
			  struct mono now)
{
	struct mono t = { s->start.ns +
			  (int64_t)((double)plant_ns / s->speed) };

	return t.ns < now.ns ? t : now;
}

void sim_told(struct sim *s)
{
	struct plant_port now;

	for (struct publish_port *to = s->port; to < s->port + s->port_count;
	     to++) {
		plant_port(s->plant, (size_t)(to - s->port), &now);
		to->up = now.oper_up;
		to->present = now.present;
		to->link_downs = now.link_down_count;
		memcpy(to->serial, now.serial, sizeof(now.serial));
	}
}

static bool is_behind(const struct sim *s, struct mono now)
{
	return plant_time_ns(s, now) - plant_now_ns(s->plant) >=
		plant_tick_ns(s->plant);
}

void sim_wake(struct sim *s, struct mono now)
{
	struct itimerspec when = { 0 };
	int64_t next = plant_now_ns(s->plant) + plant_tick_ns(s->plant);
	int64_t due = s->start.ns + (int64_t)((double)next / s->speed) + 1;

	if (s->timer_fd < 0)
		return;
	if (is_behind(s, now))
		due = now.ns;
	else if (due < now.ns + WAKE_LEAST_NS && s->speed > 1)
		due = now.ns + WAKE_LEAST_NS;
	when.it_value.tv_sec = due / NS_PER_S;
	when.it_value.tv_nsec = due % NS_PER_S;
	/* Cannot fail: the descriptor is a timer, the time in range. */
	(void)timerfd_settime(s->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

static void event(const struct sim *s, size_t port, enum platform_event what,
		  int64_t value, struct mono when, const char *text)
{
	uint32_t handle = s->port[port].handle;

	if (handle != ENTITY_NONE)
		s->host->event(s->host->context, handle, what, value, when,
			       text);
}

size_t sim_module_ports(const struct sim *s, size_t port)
{
	size_t end = port;

	while (end < s->port_count &&
	       s->port[end].facts.module == s->port[port].facts.module)
		end++;
	return end - port;
}

unsigned sim_module_lanes(const struct sim *s, size_t port)
{
	size_t ports = sim_module_ports(s, port);
	unsigned lanes = 0;

	for (size_t i = port; i < port + ports; i++)
		lanes += s->port[i].facts.lanes;
	return lanes;
}

static void module_told(struct sim *s, size_t port,
			const struct plant_port *p, struct mono when)
{
	struct publish_port *to = &s->port[port];
	bool swapped = strcmp(to->serial, p->serial) != 0;

	if (to->present && (!p->present || swapped)) {
		publish_module_gone(s->host, to);
		event(s, port, EVENT_MODULE_REMOVED, 1, when, to->serial);
	}
	memcpy(to->serial, p->serial, sizeof(to->serial));
	if (p->present && (!to->present || swapped)) {
		publish_module(s->host, to, sim_module_lanes(s, port));
		event(s, port, EVENT_MODULE_INSERTED, 1, when, to->serial);
	}
	to->present = p->present;
}

/* Reports a link's new state before the event, so that a receiver of the event
 * can look at it. A link that fell and rose within a step gives both events.
 */
static void link_told(struct sim *s, size_t port, const struct plant_port *p,
		      struct mono when)
{
	struct publish_port *t = &s->port[port];
	struct read_group age = { .taken = when };
	uint64_t drops = p->link_down_count - t->link_downs;
	bool fell = t->up && (!p->oper_up || drops > 0);

	/* The counters may have restarted. */
	if (p->link_down_count < t->link_downs)
		fell = t->up && !p->oper_up;
	if (fell || p->oper_up != t->up)
		publish_status(s->host, t, p, &age);
	if (fell)
		event(s, port, EVENT_LINK_DOWN,
		      drops > 0 && drops < INT32_MAX ? (int64_t)drops : 1,
		      when, NULL);
	if (p->oper_up && (fell || !t->up))
		event(s, port, EVENT_LINK_UP, 1, when, NULL);
	t->up = p->oper_up;
	t->link_downs = p->link_down_count;
}

static void changes_tell(struct sim *s, struct mono now)
{
	struct mono when = sim_real_time(s, plant_now_ns(s->plant), now);
	struct plant_port p;

	for (size_t i = 0; i < s->port_count; i++) {
		plant_port(s->plant, i, &p);
		for (unsigned q = 0; q < s->port[i].facts.queues; q++)
			if (p.queue[q].peak_octets > s->port[i].peak[q])
				s->port[i].peak[q] = p.queue[q].peak_octets;
		if (!s->known || s->blocking)
			continue;
		module_told(s, i, &p, when);
		link_told(s, i, &p, when);
	}
}

int sim_follow(struct sim *s, struct mono now, struct diag *d)
{
	int64_t aim = plant_time_ns(s, now), was = plant_now_ns(s->plant);
	int64_t steps = STEPS_AT_ONCE / (int64_t)s->port_count + 1;
	int64_t most = was + steps * plant_tick_ns(s->plant);

	if (!s->blocking && aim > most)
		aim = most;
	plant_advance(s->plant, aim);
	if (plant_now_ns(s->plant) != was)
		changes_tell(s, now);
	sim_wake(s, now);
	if (is_behind(s, now))
		return diag_set(d, -ENODATA, "the scenario is at %lld s and "
				"catching up with %lld s",
				(long long)(plant_now_ns(s->plant) / NS_PER_S),
				(long long)(plant_time_ns(s, now) / NS_PER_S));
	return 0;
}
