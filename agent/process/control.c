#include "agent/process/control.h"

#include <link.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/names.h"
#include "agent/base/number.h"

#define LOOKS_MAX 10000	/* some ms: longer than a writer is preempted */
#define RETURN_FIRST_NS (10 * NS_PER_S)	/* all names are known then */
#define RETURN_NS (60 * NS_PER_S)

/* The supervisor writes between an odd and an even number; if it dies, so do
 * the others.
 */
static uint32_t config_copy(const struct control *c, const struct config *from,
			    struct config *ret)
{
	uint32_t before, after;

	do {
		before = atomic_load(&c->config_generation);
		memcpy(ret, from, sizeof(*ret));
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load(&c->config_generation);
	} while (before != after || before & 1);
	return before;
}

uint32_t control_config(const struct control *c, struct config *ret)
{
	return config_copy(c, &c->config, ret);
}

void control_wanted(const struct control *c, struct config *ret)
{
	(void)config_copy(c, &c->wanted, ret);
}

void control_config_set(struct control *c, const struct config *wanted)
{
	struct config config = *wanted;

	config_started(&c->config, &config);
	atomic_fetch_add(&c->config_generation, 1);
	memcpy(&c->config, &config, sizeof(c->config));
	memcpy(&c->wanted, wanted, sizeof(c->wanted));
	atomic_fetch_add(&c->config_generation, 1);
}

/* Text guarded by a generation, which is odd during a write. A writer that died
 * in one left it odd: the next one continues from it.
 */
static uint32_t writing(_Atomic uint32_t *generation)
{
	uint32_t odd = (atomic_load(generation) + 1) | 1;

	atomic_store(generation, odd);
	return odd + 1;
}

/* Copies what a generation guards, whole; false: every try met a write in
 * progress, or its writer died half-way. No reader waits for that.
 */
static bool whole_copy(const _Atomic uint32_t *generation, const void *from,
		       void *ret, size_t len)
{
	for (unsigned i = 0; i < LOOKS_MAX; i++) {
		uint32_t before = atomic_load(generation);

		memcpy(ret, from, len);
		atomic_thread_fence(memory_order_acquire);
		if (!(before & 1) && atomic_load(generation) == before)
			return true;
	}
	return false;
}

void control_text_set(struct control_text *t, const char *text)
{
	uint32_t done;

	if (!(atomic_load(&t->generation) & 1) &&
	    strncmp(t->text, text, sizeof(t->text)) == 0)
		return;
	done = writing(&t->generation);
	(void)snprintf(t->text, sizeof(t->text), "%s", text);
	atomic_store(&t->generation, done);
}

bool control_text_get(const struct control_text *t, char ret[static DIAG_MAX])
{
	if (!whole_copy(&t->generation, t->text, ret, DIAG_MAX))
		ret[0] = '\0';
	return ret[0] != '\0';
}

void control_publisher_set(struct control_publisher *h,
			   enum publisher_state state, const char *reason)
{
	uint32_t done = writing(&h->generation);

	h->state = (int32_t)state;
	(void)snprintf(h->reason, sizeof(h->reason), "%s", reason);
	atomic_store(&h->generation, done);
}

bool control_exporter_fault(const struct control *c, char ret[static DIAG_MAX])
{
	return !atomic_load(&c->process[ROLE_EXPORTER].is_off) &&
	       control_text_get(&c->exporter.fault, ret);
}

bool control_publisher_fault(const struct control *c, char ret[static DIAG_MAX])
{
	struct control_publisher h;

	if (!whole_copy(&c->publisher.generation, &c->publisher, &h, sizeof(h)))
		return false;
	(void)snprintf(ret, DIAG_MAX, "%.*s", (int)sizeof(h.reason) - 1,
		       h.reason);
	return h.state == PUBLISHER_CANNOT || h.state == PUBLISHER_FAILS;
}

void control_tiers_set(struct control *c,
		       const struct control_tiers_kept *kept)
{
	uint32_t done = writing(&c->tiers.generation);

	memcpy(&c->tiers.kept, kept, sizeof(*kept));
	atomic_store(&c->tiers.generation, done);
}

bool control_tiers_get(const struct control *c,
		       struct control_tiers_kept *ret)
{
	struct control_tiers_kept copy;

	if (!whole_copy(&c->tiers.generation, &c->tiers.kept, &copy,
			sizeof(copy)))
		return false;
	memcpy(ret, &copy, sizeof(copy));
	return true;
}

void control_identity_set(struct control *c,
			  const struct control_identity *identity)
{
	struct control_identity *to = &c->identity;
	uint32_t done = writing(&to->generation);

	memcpy(to->id, identity->id, sizeof(to->id));
	memcpy(to->name, identity->name, sizeof(to->name));
	memcpy(to->serial, identity->serial, sizeof(to->serial));
	memcpy(to->mac, identity->mac, sizeof(to->mac));
	atomic_store(&to->generation, done);
}

bool control_identity_get(const struct control *c,
			  struct control_identity *ret)
{
	struct control_identity copy;

	if (!whole_copy(&c->identity.generation, &c->identity, &copy,
			sizeof(copy)))
		return false;
	memcpy(ret, &copy, sizeof(copy));
	return true;
}

/* Resident memory; -1 if /proc does not say. proc(5), statm. */
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

/* The read-only pages of a program or library: the file still has them. */
static int file_pages_return(struct dl_phdr_info *info, size_t size,
			     void *context)
{
	uintptr_t page = *(const uintptr_t *)context;

	(void)size;	/* the fields used are always there */
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + h->p_vaddr;
		uintptr_t from = at & ~(page - 1);

		if (h->p_type == PT_LOAD && !(h->p_flags & PF_W))
			(void)madvise((void *)from, at + h->p_memsz - from,
				      MADV_DONTNEED);
	}
	return 0;
}

/* Returns memory that was needed only once, such as at start. Free pages
 * between blocks in use are returned only on request; pages of files are read
 * again on access.
 */
static void pages_return(struct control_process *p, struct mono now)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	if (now.ns - p->returned_ns < RETURN_NS ||
	    now.ns - atomic_load(&p->started_ns) < RETURN_FIRST_NS)
		return;
	p->returned_ns = now.ns;
	(void)malloc_trim(0);
	(void)dl_iterate_phdr(file_pages_return, &page);
}

void control_beat(struct control_process *p, struct mono now)
{
	struct timespec cpu;

	pages_return(p, now);
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
		[ROLE_EXPORTER] = "exporter",
	};

	return names_get(names, ROLE_COUNT, role);
}
