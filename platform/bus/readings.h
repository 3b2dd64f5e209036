/* What a decoder said of one module, put in order: by lane, as a host takes
 * it, each read group opened once.
 */
#pragma once

#include "petrel/platform.h"
#include "platform/module/module.h"

#define READINGS_MAX 2560u	/* 4 groups of VDM with all their thresholds */
#define READINGS_LANES_MAX 32u	/* four banks; data paths as well */
/* What readings_judge() adds: of the module, and thrice of each lane. */
#define READINGS_JUDGED_MAX (READING_OF_COUNT + 3 * READINGS_LANES_MAX)

struct module_value {
	uint16_t quantity;
	uint8_t lane, index, quality;
	int64_t value;
};

struct readings {
	unsigned count;
	struct module_value value[READINGS_MAX];
	char text[ATTRIBUTE_COUNT][ATTRIBUTE_TEXT_MAX];	/* "" not told */
	uint16_t fault[READING_OF_COUNT][READINGS_LANES_MAX + 1];
	unsigned doubts;		/* what cannot be so */
	char doubt[DIAG_MAX];		/* the first of them */
};

/* Empties it and gives the sink that fills it. Beyond READINGS_MAX values are
 * left out.
 */
struct module_sink readings_begin(struct readings *r);

/* Adds what was found of parts that cannot be so, as Q_MODULE_READING_FAULTS
 * and Q_LANE_READING_FAULTS: 0 where all can be. Comes after the decoding.
 */
void readings_judge(struct readings *r, unsigned parts);

/* The entity of a lane; 0 is the module; from MODULE_PATH on a data path.
 * ENTITY_NONE: not to be told.
 */
typedef uint32_t readings_entity_fn(void *context, unsigned lane);

/* The lanes of which a part said something at its last reading, a bit each. */
struct readings_given {
	uint8_t lanes[(MODULE_PATH + READINGS_LANES_MAX) / 8 + 1];
};

/* Hands the values over as groups of a source. given: of the part, kept by the
 * caller, all 0 at first: what said something before and nothing now is given
 * empty.
 */
void readings_give(const struct readings *r, const struct platform_host *host,
		   unsigned source, readings_entity_fn *entity, void *context,
		   const struct read_group *age, struct readings_given *given);

/* Hands the texts over as attributes of the module. */
void readings_give_texts(const struct readings *r,
			 const struct platform_host *host, uint32_t module);
