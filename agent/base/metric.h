/* What Prometheus calls a quantity: name, unit, type and scale, derived from
 * its row of quantity.def, and the labels that identify entities. The exporter
 * on the switch, petrel metrics and the collector's remote write all take names
 * from here.
 *
 * Units are base units (seconds, bytes, celsius, watts, volts, amperes, meters,
 * hertz, decibels, ratio); counters end in _total; an enumeration is its
 * number, and the help lists the words.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/entity.h"
#include "petrel/quantity.h"

#define METRIC_PREFIX "petrel_"
#define METRIC_NAME_MAX 96
#define METRIC_LABEL_MAX 64
#define METRIC_VALUE_MAX 48

/* raw * factor * 10^exponent is the value in the base unit. */
struct metric_scale {
	uint8_t factor;
	int16_t exponent;
};

struct metric {
	char name[METRIC_NAME_MAX];	/* petrel_if_in_bytes_total */
	const char *unit;		/* bytes; "" if it has none */
	bool is_counter;
	bool is_unsigned;		/* a 64-bit pattern */
	struct metric_scale scale;
};

/* The metric's name and type of a quantity. */
void metric_of(const struct quantity_info *q, struct metric *ret);

/* The value as exact decimal text. Returns its length. */
size_t metric_text(struct metric_scale scale, int64_t raw, bool is_unsigned,
		   char ret[static METRIC_VALUE_MAX]);
/* The nearest double. */
double metric_value(const struct metric *m, int64_t raw);

/* The label of an index: process, stream, threshold, bin, else index. */
const char *metric_index_label(const struct quantity_info *q);
/* The label's value: the index's word, as high_alarm, else its number; "" for a
 * quantity without an index.
 */
void metric_index(const struct quantity_info *q, unsigned index,
		  char ret[static METRIC_LABEL_MAX]);

/* The label that names an entity of a kind: port, cage, lane, queue ...; NULL
 * for the switch, which is the scrape's target.
 */
const char *metric_label(enum entity_kind kind);

/* --- profiles: which quantities are shown --------------------------------- */

enum metric_profile {
	PROFILE_FINDINGS,	/* what is wrong, and Petrel's own health */
	PROFILE_LINKS,		/* and ports, modules, lanes, sensors */
	PROFILE_QUEUES,		/* findings; queues, buffers, PFC, and ports */
	PROFILE_ALL,		/* every quantity */
	PROFILE_COUNT,
};

/* Their names, in this order; NULL after the last. */
extern const char *const metric_profiles[PROFILE_COUNT + 1];

/* Does the profile show the quantity? */
bool metric_is_shown(enum metric_profile profile,
		     const struct quantity_info *q);
/* The maximum number of samples. */
unsigned metric_bound(enum metric_profile profile);
