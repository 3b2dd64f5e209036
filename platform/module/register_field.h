/* The interpreter of the register tables: raw octets to a value in the unit of
 * its quantity, or to the reason why they are none.
 */
#pragma once

#include "platform/module/register_tables.h"

/* Where one element of a field stands. */
struct field_place {
	unsigned octet, shift;	/* shift: of a field narrower than an octet */
	unsigned octets;
};

/* Of an index from 0 and a lane of the bank from 0. */
struct field_place field_place(const struct register_field *f, unsigned lane,
			       unsigned index);

/* The octet that tells the grid of a channel at octet, on the same page;
 * -ENOENT when the field is no channel.
 */
int field_grid_octet(const struct register_field *f, unsigned octet);

/* Hands over all of a field that the image has. */
void field_decode(const struct register_field *f, const struct view *v,
		  const struct module_sink *sink);

/* Of high alarm, low alarm, high warning, low warning. */
#define EDGES_COUNT 4u
#define EDGES_ALARMS 3u		/* bits: the two */

/* Which of the edges can be so: highs above lows, warnings within alarms; a
 * pair of zeroes was not set. have and what is returned have bit n for edge n.
 *
 * ret_why: what is wrong, as a sentence; NULL: nothing
 */
unsigned edges_judge(const int64_t edge[static EDGES_COUNT], unsigned have,
		     const char **ret_why);

/* Why a field gives no value. */
enum field_presence {
	FIELD_PRESENT,
	FIELD_UNSUPPORTED,	/* the module says that it does not have it */
	FIELD_UNREAD,		/* it may have it; the octets are not here */
	FIELD_UNTOLD,		/* they are; what tells whether it has it is
				 * not */
	FIELD_DOUBTED,		/* they are, and cannot be so */
};

/* Of the field's first element. */
enum field_presence field_presence(const struct register_field *f,
				   const struct view *v);
