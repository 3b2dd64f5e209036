/* What a detector is shown: the values of a port that came with one look, from
 * the table inputs.def. Units as in quantity.def.
 *
 * Each value has the time when it was taken. A counter or a peak is shown once,
 * in the reading that it came with. A value that was not read is absent.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "petrel/entity.h"
#include "petrel/link.h"
#include "petrel/module.h"
#include "petrel/quantity.h"

#define PORT_FEC_BINS 17
#define PORT_PRIORITIES 8
#define PORT_QUEUES 16

enum input {
#define INPUT(name, count, ...)						\
	INPUT_##name, INPUT_##name##_LAST = INPUT_##name + (count) - 1,
#define INPUT_ALSO(...)
#include "agent/signature/inputs.def"
#undef INPUT
#undef INPUT_ALSO
	INPUT_COUNT,
};

/* Whose quantity an input is. */
enum input_owner { OWNER_PORT, OWNER_MODULE, OWNER_LANE, OWNER_PRIORITY,
		   OWNER_QUEUE };

/* How a trace writes it. */
enum input_form {
	FORM_COUNT,	/* as it is; a counter is a 64-bit pattern */
	FORM_OPER,	/* 1: up */
	FORM_REASON,	/* a word */
	FORM_MILLI,	/* decimal of thousandths */
	FORM_MICRO,	/* decimal of millionths */
	FORM_DBM,	/* of pW */
	FORM_RATIO,	/* decimal of units of 1e-18 */
	INPUT_FORM_COUNT,
};

/* A run of inputs, or what stands in for one. */
struct input_row {
	uint16_t first, count;	/* of enum input */
	uint16_t quantity, index;	/* 0: only in traces */
	uint8_t owner, form, shift;
	const char *key;	/* NULL: it stands in */
};

/* All rows; of those with a key, in the order in which traces are written. */
const struct input_row *input_rows(size_t *ret_count);

struct inputs {
	struct mono t;			/* when the newest counter was taken */
	struct mono dom_t;		/* when temperature, lanes were taken */
	bool counters_new, dom_new;	/* dom_new: not seen before (C4) */
	bool dom_failed;		/* it was read at dom_t, and gave none
					 * of its monitors */
	/* Counters came whose time is not known (a source that stalled): they
	 * are left out, and no interval may span them.
	 */
	bool time_unknown;
	uint64_t valid[(INPUT_COUNT + 63) / 64];
	char serial[24];		/* of the module; empty unknown */
	int64_t value[INPUT_COUNT];
	int64_t taken_ns[INPUT_COUNT];	/* 0: at t */
	int64_t peak_window_ns;		/* of the queues' peaks; 0 unknown */
};

static inline bool inputs_has(const struct inputs *k, unsigned i)
{
	return k->valid[i / 64] >> (i % 64) & 1;
}

static inline void inputs_set(struct inputs *k, unsigned i, int64_t value)
{
	k->valid[i / 64] |= UINT64_C(1) << (i % 64);
	k->value[i] = value;
}

static inline void inputs_clear(struct inputs *k, unsigned i)
{
	k->valid[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

/* Why the link is down; DOWN_UNKNOWN also when it has no such number. */
static inline enum down_reason inputs_down_reason(const struct inputs *k)
{
	int64_t reason = inputs_has(k, INPUT_DOWN_REASON) ?
			 k->value[INPUT_DOWN_REASON] : DOWN_UNKNOWN;

	return reason < 0 || reason >= DOWN_REASON_COUNT ?
	       DOWN_UNKNOWN : (enum down_reason)reason;
}

/* When it was taken. */
static inline struct mono inputs_taken(const struct inputs *k, unsigned i)
{
	struct mono own = { k->taken_ns[i] };

	return own.ns ? own : k->t;
}

/* Are all of so many inputs from first on there? At most 64. */
static inline bool inputs_has_all(const struct inputs *k, unsigned first,
				  unsigned count)
{
	uint64_t bits = k->valid[first / 64] >> (first % 64);
	uint64_t all = ~UINT64_C(0) >> (64 - count);

	if (first % 64 + count > 64)
		bits |= k->valid[first / 64 + 1] << (64 - first % 64);
	return (bits & all) == all;
}

/* The lanes that have it, bit 0 for lane 1; first: the input of lane 1. */
static inline uint8_t inputs_lanes(const struct inputs *k, unsigned first)
{
	uint64_t bits = k->valid[first / 64] >> (first % 64);

	if (first % 64 > 64 - PORT_LANES_MAX)
		bits |= k->valid[first / 64 + 1] << (64 - first % 64);
	return (uint8_t)bits;
}
