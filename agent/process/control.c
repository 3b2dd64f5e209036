#include "agent/process/control.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/names.h"
#include "agent/base/number.h"

uint32_t control_config(const struct control *c, struct config *ret)
{
	uint32_t before, after;

	do {	/* the supervisor writes between an odd and an even number */
		before = atomic_load(&c->config_generation);
		memcpy(ret, &c->config, sizeof(*ret));
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load(&c->config_generation);
	} while (before != after || before & 1);
	return before;
}

void control_config_set(struct control *c, const struct config *config)
{
	atomic_fetch_add(&c->config_generation, 1);
	memcpy(&c->config, config, sizeof(c->config));
	atomic_fetch_add(&c->config_generation, 1);
}

void control_refused_set(struct control *c, const char *why)
{
	atomic_fetch_add(&c->refused_generation, 1);
	(void)snprintf(c->refused, sizeof(c->refused), "%s", why);
	atomic_fetch_add(&c->refused_generation, 1);
}

bool control_refused(const struct control *c, char ret[static DIAG_MAX])
{
	uint32_t before, after;

	do {
		before = atomic_load(&c->refused_generation);
		(void)snprintf(ret, DIAG_MAX, "%.*s", DIAG_MAX - 1, c->refused);
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load(&c->refused_generation);
	} while (before != after || before & 1);
	return ret[0] != '\0';
}

/* The sender stores the generation behind the text. */
void control_push_reason(const struct control *c, char *ret, size_t cap)
{
	const struct control_push *p = &c->push;
	uint32_t before;

	do {
		before = p->reason_generation;
		(void)snprintf(ret, cap, "%.*s", (int)sizeof(p->reason) - 1,
			       p->reason);
	} while (before != p->reason_generation);
}

bool control_herald_fault(const struct control *c, char ret[static DIAG_MAX])
{
	const struct control_herald *h = &c->herald;
	uint32_t before, after;
	int32_t state;

	do {
		before = atomic_load(&h->generation);
		state = h->state;
		(void)snprintf(ret, DIAG_MAX, "%.*s",
			       (int)sizeof(h->reason) - 1, h->reason);
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load(&h->generation);
	} while (before != after || before & 1);
	return state == HERALD_CANNOT || state == HERALD_FAILS;
}

/* Resident memory; -1 where /proc does not tell. proc(5), statm. */
static int64_t resident_octets(void)
{
	char text[128];
	char *field = text;
	uint64_t pages;
	FILE *f = fopen("/proc/self/statm", "re");
	size_t n;

	if (!f)
		return -1;
	n = fread(text, 1, sizeof(text) - 1, f);
	(void)fclose(f);
	text[n] = '\0';
	(void)strsep(&field, " ");
	if (!field ||
	    number_parse_n(field, strcspn(field, " "), 0, UINT32_MAX, &pages))
		return -1;
	return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

void control_beat(struct control_process *p, struct mono now)
{
	struct timespec cpu;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	atomic_store(&p->cpu_ns, cpu.tv_sec * NS_PER_S + cpu.tv_nsec);
	atomic_store(&p->memory_octets, resident_octets());
	atomic_store(&p->heartbeat_ns, now.ns);
}

const char *role_name(enum role role)
{
	static const char *const names[ROLE_COUNT] = {
		[ROLE_SUPERVISOR] = "supervisor",
		[ROLE_READER] = "reader",
		[ROLE_CORE] = "core",
		[ROLE_SENDER] = "sender",
	};

	return names_get(names, ROLE_COUNT, role);
}
