/* One template, compiled: the object and value of each part of a record; and
 * the data of its records since they were last passed on.
 *
 * A chip sends a record every 10 ms or faster; the agent records one batch per
 * tick. So of a tick's records a counter keeps its last value, a peak and a
 * gauge (an occupancy) its largest, and the read group's window is the time
 * that they cover. Watchers that need each record (the sketch of queue delays;
 * detectors of microbursts) are called for each, with all its values in last[].
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "platform/sonic/hft/hft_settings.h"
#include "platform/sonic/hft/hft_ipfix.h"
#include "platform/sonic/meaning/delay.h"
#include "platform/sonic/switchdb/topology.h"

/* A value of the database, which may hold any octet. */
struct hft_octets {
	char *data;
	size_t len, cap;
};

/* The object of a label, from a session's row. */
struct hft_label {
	uint16_t label;
	char name[OBJECT_NAME_MAX];	/* Ethernet0, Ethernet0|3, a pool */
};

struct hft_labels {
	struct hft_label *list;		/* sorted by label */
	size_t count;
};

/* Maps labels to objects, sorted by label. The caller frees the list. Returns
 * -ENOMEM, or -EINVAL with d if names and ids do not match.
 */
int hft_labels_parse(const struct hft_octets *names,
		     const struct hft_octets *ids, struct hft_labels *ret,
		     struct diag *d);

/* Values of a queue from which its delay is computed: hft_emit.c. */
enum hft_delay_place {
	HFT_PLACE_DELAY,
	HFT_PLACE_OCCUPANCY,
	HFT_PLACE_WATERMARK,
	HFT_PLACE_SENT,
	HFT_DELAY_PLACES,
};

/* An object in the records of a template. */
struct hft_object {
	struct hft_label label;
	enum object_kind kind;
	uint32_t handle;		/* ENTITY_NONE: unknown (yet) */
	struct port *port;		/* NULL for a pool, or unknown */
	struct delay *delay;		/* of a queue; NULL none */
	unsigned first, count;		/* its values */
	int place[HFT_DELAY_PLACES];	/* of its delay inputs; -1 none */
};

/* A value of a record; those of one object and part are adjacent. */
struct hft_value {
	const struct field *field;
	uint16_t offset;		/* in the record */
	uint8_t length;			/* octets, 1 to 8 */
	bool keeps_largest;		/* else the last */
};

enum hft_template_state {
	HFT_CURRENT,	/* as its session's row has it */
	HFT_OLD,	/* replaced in its session; until the new has data */
	HFT_HELD,	/* its id has a new meaning */
	HFT_RETIRED,	/* its id has no meaning any more */
};

struct hft_template {
	/* Definition. */
	uint32_t domain;
	uint16_t id;
	unsigned session;
	unsigned field_count;
	struct ipfix_field *fields;	/* as sent */

	/* Compiled form. */
	unsigned record_len;
	struct hft_time_place time;
	unsigned object_count, value_count, largest_count;
	struct hft_object *objects;
	struct hft_value *values;
	uint16_t *largest;		/* of those with keeps_largest */
	bool wide;			/* every value has 8 octets */
	unsigned unknown_numbers;	/* fields without a quantity */
	unsigned unknown_labels;	/* fields without an object */

	/* Data. */
	struct hft_clock clock;
	uint64_t records;		/* since the last clear */
	struct mono first_taken, taken;	/* of these records */
	struct mono told;		/* taken, when last passed on */
	uint64_t *last;			/* as sent; all ones: absent */
	uint64_t *peak;			/* the largest plus 1; 0: none */

	/* State: hft_templates.c. */
	enum hft_template_state state;
	bool has_data;
	bool is_named;			/* by the row being processed */
	struct mono since;		/* of the state */
	struct hft_template *next;	/* takes the id after HFT_HELD */
};

/* Gets each record; called after last[] and taken are set. */
struct hft_watcher {
	void *context;
	void (*record)(void *context, const struct hft_template *t);
};

/* Compiles a template. Returns -ENOMEM, or -EINVAL with d: no field, a field of
 * an invalid length, a record longer than a set.
 */
int hft_template_new(const struct ipfix_template *from,
		     const struct hft_labels *labels,
		     const struct hft_ids *ids, struct hft_template **ret,
		     struct diag *d);
/* Also frees the template that comes next. NULL is allowed. */
void hft_template_free(struct hft_template *t);

/* True if they have the same fields of the same objects. */
bool hft_template_is_same(const struct hft_template *a,
			  const struct hft_template *b);

/* Finds the objects in the topology. Returns the number of missing ones. */
unsigned hft_template_resolve(struct hft_template *t,
			      const struct topology *topology);

/* Takes a data set's records. Returns their number; -EBADMSG if the set is not
 * a multiple of the record, and the rest is not padding: none is taken.
 */
int hft_template_take(struct hft_template *t, const struct ipfix_set *s,
		      const struct hft_now *now, const struct hft_watcher *w);

/* The value at an index in the newest record; false if absent. */
bool hft_template_last(const struct hft_template *t, unsigned place,
		       int64_t *ret);
/* The value that stands for all records since hft_template_clear(). */
bool hft_template_value(const struct hft_template *t, unsigned place,
			int64_t *ret);
/* Call after the data were passed on. */
void hft_template_clear(struct hft_template *t);
