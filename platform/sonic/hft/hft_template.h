/* One template, compiled: which octets of a record are which value of which
 * object; and what its records brought since they were last handed over.
 *
 * A chip sends a record every 10 ms or faster, the record of the agent has one
 * batch a tick. So of a tick's records a counter keeps its last value, a peak
 * and a gauge (an occupancy) its largest, and the read group's window is the
 * time that they cover. Whoever needs each record (the sketch of queue delays;
 * detectors of microbursts) is told of each, with all its values in last[].
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "petrel/sample.h"
#include "platform/sonic/hft/hft_settings.h"
#include "platform/sonic/hft/hft_ipfix.h"
#include "platform/sonic/meaning/delay.h"
#include "platform/sonic/switchdb/topology.h"

/* A value of the database, which may hold any octet. */
struct hft_octets {
	char *data;
	size_t len, cap;
};

/* Which object a label stands for: what a session's row says. */
struct hft_label {
	uint16_t label;
	char name[OBJECT_NAME_MAX];	/* Ethernet0, Ethernet0|3, a pool */
};

struct hft_labels {
	struct hft_label *list;		/* in order of the labels */
	size_t count;
};

/* Which label is which object, in order of labels. The list is the caller's
 * to free. Returns -ENOMEM, or -EINVAL with d where names and ids do not match.
 */
int hft_labels_parse(const struct hft_octets *names,
		     const struct hft_octets *ids, struct hft_labels *ret,
		     struct diag *d);

/* Values of a queue that its delay is worked out from: hft_emit.c. */
enum hft_delay_place {
	HFT_PLACE_DELAY,
	HFT_PLACE_OCCUPANCY,
	HFT_PLACE_WATERMARK,
	HFT_PLACE_SENT,
	HFT_DELAY_PLACES,
};

/* An object that records of a template speak of. */
struct hft_object {
	struct hft_label label;
	enum object_kind kind;
	uint32_t handle;		/* ENTITY_NONE: not known (yet) */
	struct port *port;		/* NULL of a pool, or not known */
	struct delay *delay;		/* of a queue; NULL none */
	unsigned first, count;		/* its values */
	int place[HFT_DELAY_PLACES];	/* of what a delay needs; -1 none */
};

/* A value of a record; those of one object and part stand together. */
struct hft_value {
	const struct field *field;
	uint16_t offset;		/* in the record */
	uint8_t length;			/* octets, 1 to 8 */
	bool keeps_largest;		/* else the last */
};

enum hft_template_state {
	HFT_CURRENT,	/* as its session's row has it */
	HFT_OLD,	/* the session has others; until their first data */
	HFT_HELD,	/* its id means something else now */
	HFT_RETIRED,	/* its id means nothing any more */
};

struct hft_template {
	/* What it is. */
	uint32_t domain;
	uint16_t id;
	unsigned session;
	unsigned field_count;
	struct ipfix_field *fields;	/* as they were sent */

	/* Its program. */
	unsigned record_len;
	struct hft_time_place time;
	unsigned object_count, value_count, largest_count;
	struct hft_object *objects;
	struct hft_value *values;
	uint16_t *largest;		/* places of those that keep_largest */
	bool wide;			/* every value has 8 octets */
	unsigned unknown_numbers;	/* fields that are no quantity */
	unsigned unknown_labels;	/* fields of nobody */

	/* What came. */
	struct hft_clock clock;
	uint64_t records;		/* since the last clear */
	struct mono first_taken, taken;	/* of these */
	struct mono told;		/* taken, when it was handed over */
	uint64_t *last;			/* as sent; all ones: absent */
	uint64_t *peak;			/* the largest plus 1; 0: none */

	/* Its life: hft_templates.c. */
	enum hft_template_state state;
	bool has_data;
	bool is_named;			/* by the row that is being taken */
	struct mono since;		/* of the state */
	struct hft_template *next;	/* what takes the id after HFT_HELD */
};

/* Who wants each record; called after last[] and taken are set. */
struct hft_watcher {
	void *context;
	void (*record)(void *context, const struct hft_template *t);
};

/* Compiles a template. Returns -ENOMEM, or -EINVAL with d: no field, a field
 * of a length that no value has, a record longer than a set.
 */
int hft_template_new(const struct ipfix_template *from,
		     const struct hft_labels *labels,
		     const struct hft_ids *ids, struct hft_template **ret,
		     struct diag *d);
/* Frees what comes next, too. NULL is allowed. */
void hft_template_free(struct hft_template *t);

/* The same fields of the same objects. */
bool hft_template_is_same(const struct hft_template *a,
			  const struct hft_template *b);

/* Finds the objects in the topology. Returns how many are not there. */
unsigned hft_template_resolve(struct hft_template *t,
			      const struct topology *topology);

/* Takes a data set's records. Returns how many; -EBADMSG: the set is no
 * multiple of the record, and what is left over is no padding: none is taken.
 */
int hft_template_take(struct hft_template *t, const struct ipfix_set *s,
		      const struct hft_now *now, const struct hft_watcher *w);

/* The value of a place in the newest record, false when absent. */
bool hft_template_last(const struct hft_template *t, unsigned place,
		       int64_t *ret);
/* The value to be told of all records since hft_template_clear(). */
bool hft_template_value(const struct hft_template *t, unsigned place,
			int64_t *ret);
/* What came was handed over. */
void hft_template_clear(struct hft_template *t);
