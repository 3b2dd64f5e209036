/* Made-up columns and read groups that change from tick to tick, records that
 * an encoder made of them, and a repeatable source of random numbers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/record/decode.h"
#include "agent/record/encode.h"

/* splitmix64. */
struct dice { uint64_t state; };

uint64_t dice_next(struct dice *d);
/* 0 to n-1. */
uint32_t dice_below(struct dice *d, uint32_t n);
/* True in percent of all cases. */
bool dice_percent(struct dice *d, uint32_t percent);

/* PETREL_SEED, or the clock; printed as "# seed N". */
uint64_t test_seed(void);

#define SAMPLES_SOURCES 4u

struct samples_shape {
	uint32_t columns, entities;	/* each column has up to all entities */
	uint32_t fresh_percent;		/* columns read in a tick */
	uint32_t partly_percent;	/* of those, only some rows */
	uint32_t change_percent;	/* values that differ from before */
	uint32_t odd_quality_percent;
	bool window_varies;
};

struct samples {
	struct samples_shape shape;
	struct dice dice;
	uint32_t tick;
	struct mono now;
	struct sample_column *column;
	struct group_column group[SAMPLES_SOURCES];
};

void samples_init(struct samples *s, const struct samples_shape *shape,
		  uint64_t seed);
void samples_fini(struct samples *s);
/* The next tick: new values, ages and qualities. */
void samples_tick(struct samples *s);
/* One more row at the end of a column, or its last one taken away. */
void samples_grow(struct samples *s, uint32_t column);
void samples_shrink(struct samples *s, uint32_t column);
/* As a driver tells it. */
struct read_group samples_age(const struct group_age *age);
/* What a decoder must give for this tick, in order. Returns how many. */
size_t samples_expected(const struct samples *s, struct decoded_value *ret,
			size_t cap);

/* Records in the order in which an encoder made them. */
#define STORE_RECORDS_MAX 4096u

struct stored_record {
	enum stream stream;
	enum record_kind kind;
	uint16_t flags;
	size_t len;
	uint8_t *payload;
};

struct record_store {
	uint32_t count;
	uint64_t next[STREAM_COUNT];
	int fail_after;		/* puts until one fails; -1 never */
	struct stored_record record[STORE_RECORDS_MAX];
};

void record_store_init(struct record_store *s);
void record_store_clear(struct record_store *s);
struct record_sink record_store_sink(struct record_store *s);
