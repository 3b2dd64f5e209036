/* The decoder's results for one module, in order: by lane, as a host takes
 * them, with each read group opened once.
 */
#pragma once

#include "petrel/platform.h"
#include "platform/module/module.h"

#define READINGS_MAX 2560u	/* 4 groups of VDM with all their thresholds */
#define READINGS_LANES_MAX 32u	/* four banks; data paths as well */
/* Added by readings_judge(): for the module, and three times per lane. */
#define READINGS_JUDGED_MAX (READING_OF_COUNT + 3 * READINGS_LANES_MAX)

struct module_value {
	uint16_t quantity;
	uint8_t lane, index, quality;
	int64_t value;
};

struct readings {
	unsigned count;
	struct module_value value[READINGS_MAX];
	char text[ATTRIBUTE_COUNT][ATTRIBUTE_TEXT_MAX];	/* "": none */
	uint16_t fault[READING_OF_COUNT][READINGS_LANES_MAX + 1];
	unsigned doubts;		/* implausible readings */
	char doubt[DIAG_MAX];		/* the first of them */
};

/* Empties it and returns the sink that fills it. Values beyond READINGS_MAX are
 * dropped.
 */
struct module_sink readings_begin(struct readings *r);

/* Adds the implausible readings of parts, as Q_MODULE_READING_FAULTS and
 * Q_LANE_READING_FAULTS: 0 if there are none. Call it after decoding.
 */
void readings_judge(struct readings *r, unsigned parts);

/* The entity of a lane; 0 is the module; a data path from MODULE_PATH on.
 * ENTITY_NONE: not reported.
 */
typedef uint32_t readings_entity_fn(void *context, unsigned lane);

/* The lanes that had a value in the last reading of a part, a bit each. */
struct readings_given {
	uint8_t lanes[(MODULE_PATH + READINGS_LANES_MAX) / 8 + 1];
};

/* Passes the values on as groups of a source. given: of the part, kept by the
 * caller, all 0 at first: a lane that had values before but has none now gets
 * an empty group.
 */
void readings_give(const struct readings *r, const struct platform_host *host,
		   unsigned source, readings_entity_fn *entity, void *context,
		   const struct read_group *age, struct readings_given *given);

/* Passes the texts on as attributes of the module. */
void readings_give_texts(const struct readings *r,
			 const struct platform_host *host, uint32_t module);
