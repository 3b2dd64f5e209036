/* The interpreter of the register tables: turns raw octets into a value in the
 * unit of its quantity, or into the reason why there is none.
 */
#pragma once

#include "platform/module/register_tables.h"

/* The position of one element of a field. */
struct field_place {
	unsigned octet, shift;	/* shift: of a field narrower than an octet */
	unsigned octets;
};

/* For an index from 0 and a lane of the bank from 0. */
struct field_place field_place(const struct register_field *f, unsigned lane,
			       unsigned index);

/* The octet with the grid of the channel at octet, on the same page; -ENOENT if
 * the field is not a channel.
 */
int field_grid_octet(const struct register_field *f, unsigned octet);

/* Passes on all elements of a field that the image has. */
void field_decode(const struct register_field *f, const struct view *v,
		  const struct module_sink *sink);

/* High alarm, low alarm, high warning, low warning. */
#define EDGES_COUNT 4u
#define EDGES_ALARMS 3u		/* bits: the two */

/* Which of the edges are plausible: highs above lows, warnings within alarms; a
 * pair of zeros was not set. have and the result have bit n for edge n.
 *
 * ret_why: what is wrong, as a sentence; NULL: nothing
 */
unsigned edges_judge(const int64_t edge[static EDGES_COUNT], unsigned have,
		     const char **ret_why);

/* Why a field gives no value. */
enum field_presence {
	FIELD_PRESENT,
	FIELD_UNSUPPORTED,	/* the module says that it does not have it */
	FIELD_UNREAD,		/* it may have it; the octets were not read */
	FIELD_UNTOLD,		/* octets read, but not those that say whether
				 * it has it */
	FIELD_DOUBTED,		/* octets read, but implausible */
};

/* Of the field's first element. */
enum field_presence field_presence(const struct register_field *f,
				   const struct view *v);
