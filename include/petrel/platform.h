/* C7: where numbers come from. A driver knows samples, but not records.
 *
 * The host (core or reader process) gives a driver a set of functions to call;
 * the driver gives the host a table. Values go one by one through a function
 * call and all structs begin with abi and size, so no layout or array length
 * is part of the ABI. The core opens a driver for the sources that never
 * block; the reader opens it again for those that may block.
 *
 * Order of calls for one entity: entity() once, attribute() as known, then for
 * each read group() and the sample()s that belong to it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "petrel/diag.h"
#include "petrel/entity.h"
#include "petrel/option.h"
#include "petrel/quantity.h"
#include "petrel/sample.h"

#define PLATFORM_ABI 2u
#define PLATFORM_SOURCES_MAX 32		/* of one driver */
#define PLATFORM_DRIVERS_MAX 8
#define SOURCE_NAME_MAX 32
#define SOURCE_REASON_MAX 160

/* Events besides values. The numbers are on the wire. */
enum platform_event {
	EVENT_LINK_UP = 1,
	EVENT_LINK_DOWN,
	EVENT_MODULE_INSERTED,
	EVENT_MODULE_REMOVED,
	EVENT_COUNTERS_CLEARED,		/* a source restarted from 0 */
	EVENT_SOURCE_RESTARTED,		/* new object ids, maps read anew */
	EVENT_OVERRUN,			/* value: how many the source lost */
	EVENT_CONFIG_RELOADED,		/* Petrel's own configuration */
	EVENT_PROCESS_DIED,		/* Petrel's own; text: which, why */

	/* What changed: text is "item\tfrom\tto"; from and to may be empty;
	 * event.h writes and reads it.
	 */
	EVENT_FIRST_CHANGE,
	EVENT_FIRMWARE_CHANGED = EVENT_FIRST_CHANGE,	/* of a module */
	EVENT_PORT_CHANGED,		/* in use; item: speed, fec, mtu … */
	EVENT_SETTING_CHANGED,		/* CONFIG_DB; item: TABLE|key field */
	EVENT_SETTINGS_RELOADED,	/* of the switch, all of them */
	EVENT_SERVICE_RESTARTED,	/* item: syncd, bgp, xcvrd … */
	EVENT_REBOOTED,			/* to: the cause, as the switch says */
	EVENT_BGP_CHANGED,		/* item: the neighbour; its state */
	EVENT_TSA_CHANGED,		/* traffic shifted away, or back */
	EVENT_NEIGHBOR_CHANGED,		/* LLDP; item: peer */
	EVENT_PETREL_CHANGED,		/* item: version or a key of ours */
	EVENT_CARD_CHANGED,		/* of a chassis; item: the card */
	PLATFORM_EVENT_COUNT,
};

/* Lower-case name, the word in JSON; NULL when there is none. */
const char *platform_event_name(enum platform_event what);

enum source_state {
	SOURCE_IDLE,		/* not read yet */
	SOURCE_FRESH,		/* answered its last read */
	SOURCE_WAITING,		/* asked, no answer yet */
	SOURCE_ABSENT,		/* not now: retried with back-off */
	SOURCE_BROKEN,		/* gave a wrong answer */
	SOURCE_UNSUPPORTED,	/* never here: not retried */
	SOURCE_QUARANTINED,	/* its bus hung a reader */
	SOURCE_LIMITED,		/* answers in part; reason: what is missing */
	SOURCE_STATE_COUNT,
};

/* What a host offers. context is the first argument of each call. */
struct platform_host {
	uint32_t abi;
	uint32_t size;
	void *context;

	/* Makes an entity known; the same key gives the same handle. The key's
	 * parent is a handle of this host, or ENTITY_NONE for the switch.
	 * There is one switch: its name may change, an empty one is ignored.
	 * Returns 0, -EINVAL (bad key), -ENOSPC (no room; reported once).
	 */
	int (*entity)(void *context, const struct entity_key *key,
		      uint32_t *ret_handle);

	/* Text about an entity; NULL or "" removes it. Repeats cost nothing. */
	void (*attribute)(void *context, uint32_t handle, enum attribute which,
			  const char *text);

	/* The entity and its children are gone. The handle becomes invalid. */
	void (*gone)(void *context, uint32_t handle);

	/* Opens a read group: samples that follow belong to it. source is the
	 * index in the driver's sources. A group with the same time as the
	 * part's last one continues that reading: it may add values, and those
	 * that were given stay (C4).
	 */
	void (*group)(void *context, unsigned source, uint32_t handle,
		      const struct read_group *age);

	/* One value of the open group. Not called for absent values: a value
	 * that a group does not give is absent, see sample.h.
	 */
	void (*sample)(void *context, enum quantity quantity, unsigned index,
		       int64_t value, enum sample_quality quality);

	void (*event)(void *context, uint32_t handle, enum platform_event what,
		      int64_t value, struct mono when, const char *text);

	/* The state of a source. interval_ns: how often the source itself has
	 * something new; 0 if unknown. reason: a sentence, NULL if all is well.
	 * SOURCE_FRESH also ends a read() that returned -EINPROGRESS.
	 */
	void (*source)(void *context, unsigned source, enum source_state state,
		       int64_t interval_ns, const char *reason);
};

/* What a driver may use, given at open. */
struct platform_env {
	uint32_t abi;
	uint32_t size;
	int root_fd;		/* the switch's "/"; never close it */
	bool blocking;		/* opened by the reader, for its sources */
	void *option_context;
	/* A key of the driver's own section, as written; NULL if unset. It has
	 * the form that the driver's options require. Valid while the instance
	 * is open.
	 */
	const char *(*option)(void *context, const char *key);
	const struct platform_host *host;
};

struct platform_source {
	uint32_t abi;
	uint32_t size;
	const char *name;	/* counters, dom, …: shown as driver.name */
	const char *help;
	uint32_t period_ms;	/* asked for by default; 0: only events */
	bool blocks;		/* read by the reader process */
	uint64_t rights;	/* 1 << CAP_…, of the reader; 0 none */

	/* Reads once; called when due, and never before the last call ended.
	 * Must not wait unless blocks. Returns 0: all delivered; 1: the same,
	 * and the state that the driver passed to source() stays; -EINPROGRESS:
	 * asked, the answer comes through event(); -EOPNOTSUPP: never here;
	 * -ENODATA: not now; -EIO: broken. Fills d for the last three.
	 */
	int (*read)(void *instance, struct mono now, struct diag *d);
};

struct finding;

struct platform_driver {
	uint32_t abi;
	uint32_t size;
	const char *name;	/* sonic, linux, … */

	/* Is this switch ours? Returns a score from 1, or 0 for no. No waiting.
	 * env->host is NULL. d says why not; may be NULL.
	 */
	int (*probe)(const struct platform_env *env, struct diag *d);

	/* Returns 0, or a negative errno with d. open does not fail for a
	 * source that is absent now.
	 */
	int (*open)(const struct platform_env *env, void **ret_instance,
		    struct diag *d);
	void (*close)(void *instance);

	/* Reports the entities that exist now to the host; once after open.
	 * Later ones are reported by a read or an event. -ENODATA: not known
	 * yet.
	 */
	int (*inventory)(void *instance, struct diag *d);

	/* NULL-terminated; index is the number of the source. */
	const struct platform_source *const *sources;

	/* Descriptor to poll, or -1; may change after each call of event() or
	 * read(). want: EPOLLIN, EPOLLOUT. NULL: none.
	 */
	int (*event_fd)(void *instance, uint32_t *ret_want);

	/* The descriptor is ready. Never waits. */
	void (*event)(void *instance, struct mono now);

	/* An absolute time at which event() is called anyway (a back-off, a
	 * reply overdue); INT64_MAX none. NULL: never.
	 */
	struct mono (*deadline)(void *instance);

	/* Names of drivers to open as well if [Platform] driver is auto; ends
	 * with NULL. NULL: none.
	 */
	const char *const *beside;

	/* All open findings, for a switch whose own tables show them. Called
	 * in the core after each tick and each change; the driver compares
	 * them with what it wrote before. Never waits, and keeps no pointer.
	 * NULL: the switch has no place for them.
	 */
	void (*findings)(void *instance, const struct finding *open,
			 size_t count, struct mono now);

	/* Names each file and socket below the root that the driver will open:
	 * want, R_OK and W_OK as in unistd.h; blocks: in the reader. Called
	 * without an instance, from time to time, so that a process that drops
	 * its rights keeps the groups that these need; env->host is NULL. A
	 * file need not exist. No waiting. NULL: anybody may open all that the
	 * driver opens.
	 */
	void (*needs)(const struct platform_env *env, void *context,
		      void (*path)(void *context, const char *path, int want,
				   bool blocks));

	/* The keys of its section of the configuration; the section is named
	 * after the driver, with a capital. The last has no key. option() gives
	 * their texts. NULL: none.
	 */
	const struct option_key *options;
};
