/* A capsule (C8): readings gathered from batches, to payloads of records and
 * back. At most CAPSULE_READINGS_MAX readings; more are left out, and the
 * capsule says so.
 */
#pragma once

#include "agent/record/array.h"
#include "agent/record/decode.h"
#include "agent/record/encode.h"

#define CAPSULE_READINGS_MAX (1u << 18)
#define CAPSULE_SERIES_MAX 16384u

struct capsule {
	char id[FINDING_ID_LEN + 1];	/* of the finding */
	struct mono from, to, when;
	unsigned missing;		/* enum capsule_missing */
	struct array readings, series;
	struct index_map by_key;
};

/* Empty; from, to and when are the caller's to set. */
void capsule_init(struct capsule *c, const char *id);
/* Releases what it holds. */
void capsule_fini(struct capsule *c);

/* Adds a reading, if it was taken between from and to. */
void capsule_add(struct capsule *c, const struct decoded_value *v);

/* A reading that it holds. */
struct capsule_value {
	uint32_t entity;
	uint16_t quantity, index;
	uint8_t quality;
	bool is_first;			/* of its series */
	struct mono taken;
	int64_t value;
};
typedef void capsule_value_fn(void *context, const struct capsule_value *v);
/* Gives each reading; after capsule_put(), which sorts them, by series. */
void capsule_each(const struct capsule *c, capsule_value_fn *fn,
		  void *context);

/* Gives it to the sink in as many parts as it takes. name(): of an entity.
 * Returns -ENOMEM, or the sink's error. Changes the order of the readings.
 */
int capsule_put(struct capsule *c, const struct record_sink *sink,
		const char *(*name)(void *context, uint32_t entity),
		void *context);

/* One reading of a series of a part. */
typedef void capsule_reading_fn(void *context, struct mono taken, int64_t value,
				enum sample_quality quality);
/* Gives each reading. Returns -EBADMSG: the rest cannot be read. */
int capsule_series_read(const Petrel__Capsule *part,
			const Petrel__CapsuleSeries *series,
			capsule_reading_fn *fn, void *context);

/* The range of a series; count 0: nothing was read. */
struct capsule_range {
	int64_t count, first, least, most, last;
};

/* As far as it can be read. Returns as capsule_series_read(). */
int capsule_series_range(const Petrel__Capsule *m,
			 const Petrel__CapsuleSeries *s,
			 struct capsule_range *ret);

#define CAPSULE_COURSE_COLUMNS 20u
#define CAPSULE_COURSE_HEIGHTS 8u

/* Its course as text: for each twentieth of the capsule's time the reading that
 * is farthest from the very first one, from '0', the least, to '7', the most;
 * ' ' where there was none. is_log: on a log scale. Returns as
 * capsule_series_read().
 */
int capsule_series_course(const Petrel__Capsule *m,
			  const Petrel__CapsuleSeries *s,
			  const struct capsule_range *range, bool is_log,
			  char ret[static CAPSULE_COURSE_COLUMNS + 1]);
