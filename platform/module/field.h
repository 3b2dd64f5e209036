/* The interpreter of the register tables: raw octets to a value in the unit of
 * its quantity, or to the reason why they are none.
 */
#pragma once

#include "platform/module/tables.h"

/* Where one element of a field stands. */
struct field_place {
	unsigned octet, shift;	/* shift: of a field narrower than an octet */
	unsigned octets;
};

/* Of an index from 0 and a lane of the bank from 0. */
struct field_place field_place(const struct field *f, unsigned lane,
			       unsigned index);

/* The octet that tells the grid of a channel at octet, on the same page;
 * -ENOENT when the field is no channel.
 */
int field_grid_octet(const struct field *f, unsigned octet);

/* Hands over all of a field that the image has. */
void field_decode(const struct field *f, const struct view *v,
		  const struct module_sink *sink);

/* Why a field gives no value. */
enum field_presence {
	FIELD_PRESENT,
	FIELD_UNSUPPORTED,	/* the module says that it does not have it */
	FIELD_UNREAD,		/* it may have it; the octets are not here */
};

/* Of the field's first element. */
enum field_presence field_presence(const struct field *f,
				   const struct view *v);
