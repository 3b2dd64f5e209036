/* Everything decoded from a module's memory, kept so that it can be shown. */
#pragma once

#include <stddef.h>
#include "petrel/entity.h"
#include "platform/module/module.h"
#include "platform/module/view.h"

struct answer;

#define DECODED_WHERE_MAX 32
#define DECODED_WHAT_MAX 160

struct decoded_reading {
	const struct quantity_info *quantity;
	unsigned lane, index;
	int64_t value;
	enum sample_quality quality;
};

struct decoded_fault {
	char where[DECODED_WHERE_MAX], what[DECODED_WHAT_MAX];
	enum reading_fault kind;
	unsigned lane;		/* 0: of the module */
};

struct decoded {
	const char *file;		/* borrowed */
	struct diag note;		/* what the file lacks, or "" */
	struct module_image image;
	struct view view;
	char text[ATTRIBUTE_COUNT][ATTRIBUTE_TEXT_MAX];
	struct decoded_reading *values;	/* sorted: quantity, lane, index */
	size_t value_count, value_cap;
	struct decoded_fault *faults;
	size_t fault_count, fault_cap;
	bool is_out_of_memory;
	unsigned lanes;			/* the highest lane with data */
};

/* Decodes d->image. Returns 0, -ENOMEM, or an error of module_decode(). */
int decoded_fill(struct decoded *d, struct diag *diag);
/* Frees what decoded_fill() allocated. */
void decoded_fini(struct decoded *d);

/* The value, or NULL. */
const struct decoded_reading *decoded_find(const struct decoded *d,
					   enum quantity q, unsigned lane,
					   unsigned index);

/* Whether there are any values for that lane. */
bool decoded_has(const struct decoded *d, unsigned lane);
/* Whether its light and bias are measured. */
bool decoded_is_measured(const struct decoded *d, unsigned lane);
/* The name of a state, or NULL; Activated for DataPathActivated. */
const char *decoded_state_word(const struct decoded *d, enum quantity q,
			       unsigned lane);
/* The host lanes behind a media lane, bit n for lane n + 1: that lane itself
 * where the module does not tell.
 */
uint32_t decoded_hosts(const struct decoded *d, unsigned lane);
/* The state of the data path of a media lane, or NULL: the worst of those host
 * lanes.
 */
const char *decoded_path_word(const struct decoded *d, unsigned lane);
/* How a value is shown (enum cell_unit); CELL_INTEGER: unscaled. */
uint32_t decoded_cell_unit(const struct quantity_info *q);

/* The next quantity of these parts that has no value for that reason (enum
 * field_presence), from *at on; NULL: no more.
 */
const struct quantity_info *decoded_missing(const struct decoded *d,
					    unsigned parts, unsigned presence,
					    size_t *at);

/* The next sentence on what of a lane is not as its host set it, from *at on,
 * which is 0 at first; false: no more.
 */
bool decoded_noticed(const struct decoded *d, unsigned *at,
		     unsigned *ret_lane, char *ret, size_t cap);

/* Prints one file as a JSON object on a line, or as text for people. Returns 0,
 * -EIO, -ENOMEM.
 */
int decoded_print_json(const struct decoded *d);
/* The object of a file that could not be decoded. */
int decoded_print_json_error(const char *file, int code, const char *why);
/* As decoded_print_json(), but text for people. */
int decoded_print_text(const struct decoded *d);
/* Adds the tables of measured values to that text. */
void decoded_tables(const struct decoded *d, struct answer *a);
