/* The readings of a simulated module, by the same way as those of a real one:
 * the plant writes its memory, the page plan asks for octets, the decoders read
 * them. Petrel owns these modules: latched flags are read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "petrel/platform.h"
#include "platform/sim/sim_publish.h"

struct dom;

/* Returns NULL if memory runs out. */
struct dom *dom_new(void);
/* NULL is allowed. */
void dom_free(struct dom *d);

/* What to report: values that change from reading to reading, and the rest. */
struct dom_parts {
	bool each, rest;
};

/* Reports the module's present values: the ports that share it, the first one
 * first.
 */
void dom_tell(struct dom *d, const struct platform_host *host,
	      const struct plant *plant, struct publish_port *port,
	      size_t first, size_t ports, struct dom_parts parts,
	      const struct read_group *age);
