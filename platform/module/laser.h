/* Frequencies of tunable lasers: the grids of CMIS pages 04h and 12h, and the
 * one of SFF-8690.
 */
#pragma once

#include <stdint.h>
#include "platform/module/register_tables.h"

#define LASER_GRIDS 10	/* codes of 12h:128, as of CMIS 5.4 */

/* The spacing of a grid by its code, below LASER_GRIDS. */
int64_t laser_grid_mhz(unsigned grid);
/* The frequency of a channel of it. */
int64_t laser_channel_mhz(unsigned grid, int64_t channel);

/* The lowest or highest frequency, in GHz, of the grids that a CMIS laser has:
 * by the field's octet. -ENODATA: none was told.
 */
int laser_grids_end(const struct view *v, const struct register_field *f,
		    int64_t *ret);
/* The same of an SFP's. */
int laser_sfp_end(const struct view *v, const struct register_field *f,
		  int64_t *ret);
/* The frequency of an SFP's channel in MHz; -ENODATA. */
int laser_sfp_channel(const struct view *v, const struct register_field *f,
		      int64_t channel, int64_t *ret);
