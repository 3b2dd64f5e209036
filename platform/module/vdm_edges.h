/* The four thresholds of an observable, eight octets in the format of its type:
 * of VDM, and of the parameters of a QSFP that it comes from.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/sample.h"
#include "platform/module/field.h"
#include "platform/module/module.h"

#define VDM_SET_LEN 8u

struct vdm_type;

/* All zero at first. */
struct vdm_edges {
	const uint8_t *octets;
	const struct vdm_type *type;
	unsigned good;			/* bit n: edge n is one */
	int64_t value[EDGES_COUNT];
	enum sample_quality quality[EDGES_COUNT];
};

/* Reads those at offset. Lanes share them: the same as the last ones are not
 * judged again, and what is wrong with them is told once. False: not read.
 */
bool vdm_edges_read(struct vdm_edges *e, const struct view *v, unsigned place,
		    unsigned offset, const struct vdm_type *t,
		    const struct module_sink *sink);

/* Tells those that can be so. is_guessed: nobody read whether there are any. */
void vdm_edges_tell(const struct vdm_edges *e, unsigned lane, bool is_guessed,
		    const struct module_sink *sink);
