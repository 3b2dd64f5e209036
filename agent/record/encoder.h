/* Internals of the encoder, only for encoder.c, batch.c and dictionary.c;
 * encode.h is the interface. */
#pragma once

#include "agent/record/choice.h"
#include "agent/record/columns.h"
#include "agent/record/encode.h"
#include "agent/record/lists.h"
#include "agent/record/pace.h"
#include "agent/record/pack.h"

/* Reserved in a part for its Part and its number. */
#define PART_TAIL_MAX 32u
/* Octets that one Column, its list and its group take at most. */
#define COLUMN_OCTETS_MAX (41u * COLUMN_ROWS_MAX + 256u)

/* A group that is already in the part. */
struct group_key {
	uint32_t list;
	uint8_t source;
};

struct batch {
	bool is_reference;
	struct mono now;
	uint32_t tick, dictionary;
	const struct group_column *groups;
	size_t group_count;
	struct writer w;		/* the open part */
	uint32_t parts;			/* begun */
	uint32_t rows, changed;
	uint32_t in_part_count;
	uint32_t still_count;
};

/* Columns of the part with consecutive numbers that do not change. */
struct still {
	uint32_t first, count;
};

struct encoder {
	struct encoder_limits limits;
	struct record_sink sink;
	bool reference_wanted;
	bool traffic_is_bounded;
	uint32_t since_reference;	/* batches, the reference among them */
	struct encoder_count count;
	struct columns columns;
	struct lists lists;
	struct pace pace;
	struct batch batch;
	uint8_t *octets;		/* parts, RECORD_PAYLOAD_MAX each */
	size_t *part_len;
	uint32_t part_max;
	struct group_key *in_part;	/* limits: columns and their pieces */
	uint32_t in_part_max;
	struct still *still;		/* as many; both behind part_len */
	/* Of one piece of a column, gathered. */
	uint32_t *entity;
	int64_t *value;
	int64_t *rounded;		/* of a column: limits.slots */
	struct known_series *series;
	uint8_t *quality;
	uint8_t *packed;
	struct choice *choice;
};

/* Hands a finished payload to the sink. */
int encoder_put(struct encoder *e, enum stream stream, enum record_kind kind,
		uint16_t flags, const struct writer *w);
/* The sequence that the next record of the stream gets; 0 unknown. */
uint64_t encoder_sequence(const struct encoder *e, enum stream stream);
