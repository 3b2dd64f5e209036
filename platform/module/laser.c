#include "platform/module/laser.h"

#include <errno.h>
#include <stdbool.h>

#include "agent/base/number.h"

#define CHANNEL_0_MHZ INT64_C(193100000)	/* origin of all grids */

/* By the code of a grid. Channels of 75, 150 and 300 GHz count in fractions of
 * their spacing, those of the last two from another origin (FBOSS has the same
 * for 150).
 */
static const struct {
	int32_t mhz, parts, from, spacing_mhz;
} grids[LASER_GRIDS] = {
	{ 3125, 1, 0, 3125 }, { 6250, 1, 0, 6250 }, { 12500, 1, 0, 12500 },
	{ 25000, 1, 0, 25000 }, { 50000, 1, 0, 50000 },
	{ 100000, 1, 0, 100000 }, { 100000, 3, 0, 33333 },
	{ 75000, 3, 0, 75000 }, { 150000, 6, 3, 150000 },
	{ 300000, 24, -9, 300000 },
};

int64_t laser_grid_mhz(unsigned grid)
{
	return grids[grid].spacing_mhz;
}

int64_t laser_channel_mhz(unsigned grid, int64_t channel)
{
	return CHANNEL_0_MHZ +
	       number_scale(channel + grids[grid].from, grids[grid].mhz,
			    grids[grid].parts);
}

/* 04h:128 and 129: is a grid supported? The second octet counts down. */
static bool has_grid(const uint8_t *octets, unsigned grid)
{
	return octets[grid / 8] >> (grid < 8 ? grid : 14 - grid) & 1;
}

/* A grid whose channels were not set does not count. */
int laser_grids_end(const struct view *v, const struct register_field *f,
		    int64_t *ret)
{
	const uint8_t *has = view_octets(v, f->place, 128, 2), *ends;
	int64_t best = 0, mhz;

	for (unsigned i = 0; has && i < LASER_GRIDS; i++) {
		if (!has_grid(has, i))
			continue;
		ends = view_octets(v, f->place, GRID_LOWEST + 4 * i, 4);
		if (!ends)
			return -ENODATA;
		if ((int16_t)view_be16(ends) >= (int16_t)view_be16(ends + 2))
			continue;
		mhz = laser_channel_mhz(i, (int16_t)view_be16(
			ends + f->byte - GRID_LOWEST));
		if (!best || (mhz < best) == (f->byte == GRID_LOWEST))
			best = mhz;
	}
	*ret = number_scale(best, 1, 1000);
	return best ? 0 : -ENODATA;
}

static int64_t tenths_of_ghz(const uint8_t *octets)
{
	return (int64_t)view_be16(octets) * 10000 + view_be16(octets + 2);
}

int laser_sfp_end(const struct view *v, const struct register_field *f,
		  int64_t *ret)
{
	const uint8_t *ends = view_octets(v, f->place, SFP_FIRST,
					  SFP_GRID_LEN);
	int64_t first = ends ? tenths_of_ghz(ends) : 0;
	int64_t last = ends ? tenths_of_ghz(ends + SFP_LAST - SFP_FIRST) : 0;

	if (!first || !last)
		return -ENODATA;
	*ret = number_scale((first < last) == (f->byte == SFP_FIRST) ? first :
								       last,
			    1, 10);
	return 0;
}

int laser_sfp_channel(const struct view *v, const struct register_field *f,
		      int64_t channel, int64_t *ret)
{
	const uint8_t *grid = view_octets(v, f->place, SFP_FIRST,
					  SFP_GRID_LEN);
	int64_t first = grid ? tenths_of_ghz(grid) : 0;
	int64_t spacing = grid ? (int16_t)view_be16(grid + 8) : 0;

	if (!first || !spacing)
		return -ENODATA;
	*ret = (first + (channel - 1) * spacing) * 100;
	return 0;
}
