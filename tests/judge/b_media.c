/* Light levels and warnings are those of IEEE 802.3, clauses 124 (DR4), 151
 * (FR4, LR4-6), 167 (SR4), 138 (SR8), 95 (100GBASE-SR4), 88 (LR4), and of OIF
 * 400ZR; healthy links lie in the upper part of each. Chosen: floors of
 * bit errors, 1e-11 to near 1e-5 before correction, under 1e-8 on 25 Gb/s lanes
 * of two levels, 1e-3 to 6e-3 for 400ZR, whose limit is 1.25e-2; bias, 30 to
 * 95 mA for EML and silicon photonics, 5 to 9 mA for VCSEL; spread of errors by
 * decision feedback, more on copper.
 */
#include "tests/judge/b_media.h"

static const struct b_media_row rows[B_MEDIUM_COUNT] = {
[B_DR4] = { "DR4", 20, 1, 4, 400000, FEC_RS544, false, false,
	{ -11, -5.2 }, { -0.5, 2.5 }, { 0.6, 2.6 }, { 50, 95 },
	{ 0.3, 0.7 }, { 0.002, 0.03 }, 24, 1310, 0, 4, -5.9, 4, -2.9 },
[B_2DR4] = { "DR4", 7, 2, 4, 400000, FEC_RS544, false, false,
	{ -11, -5.2 }, { -0.5, 2.5 }, { 0.6, 2.6 }, { 50, 95 },
	{ 0.3, 0.7 }, { 0.002, 0.03 }, 29, 1310, 0, 4, -5.9, 4, -2.9 },
[B_2DR2] = { "DR4", 4, 2, 2, 200000, FEC_RS544, false, false,
	{ -11, -5.2 }, { -0.5, 2.5 }, { 0.6, 2.6 }, { 50, 95 },
	{ 0.3, 0.7 }, { 0.002, 0.03 }, 24, 1310, 0, 4, -5.9, 4, -2.9 },
[B_DR8] = { "DR8", 6, 1, 8, 800000, FEC_RS544, false, false,
	{ -11, -5.2 }, { -0.5, 2.5 }, { 0.6, 2.6 }, { 50, 95 },
	{ 0.3, 0.7 }, { 0.002, 0.03 }, 29, 1310, 0, 4, -5.9, 4, -2.9 },
[B_FR4] = { "FR4", 13, 1, 4, 400000, FEC_RS544, false, false,
	{ -11, -5.2 }, { 0.2, 3 }, { 0.8, 3.2 }, { 45, 90 },
	{ 0.35, 0.75 }, { 0.002, 0.03 }, 26, 1271, 20, 3.5, -7.3, 3.5, -3.2 },
[B_LR4] = { "LR4", 5, 1, 4, 400000, FEC_RS544, false, false,
	{ -10, -5 }, { 0.8, 3.5 }, { 2, 5 }, { 50, 95 },
	{ 0.4, 0.8 }, { 0.002, 0.03 }, 27, 1271, 20, 4.4, -9, 4.4, -2.7 },
[B_SR4] = { "SR4", 8, 1, 4, 400000, FEC_RS544, false, false,
	{ -10, -5.2 }, { -1, 2 }, { 0.4, 1.8 }, { 6, 9 },
	{ 0.4, 0.8 }, { 0.005, 0.05 }, 20, 850, 0, 4, -6.3, 4, -4.6 },
[B_SR8] = { "SR8", 6, 1, 8, 400000, FEC_RS544, false, false,
	{ -11, -5.5 }, { -2, 2 }, { 0.4, 1.8 }, { 5.5, 8.5 },
	{ 0.4, 0.8 }, { 0.002, 0.03 }, 22, 850, 0, 4, -8.4, 4, -6.5 },
[B_AOC] = { "AOC", 7, 1, 4, 400000, FEC_RS544, false, false,
	{ -11, -5.5 }, { -1.5, 1.5 }, { 0.3, 1.2 }, { 6, 9 },
	{ 0.4, 0.8 }, { 0.002, 0.03 }, 20, 850, 0, 4, -8.4, 4, -6.5 },
[B_DAC] = { "DAC", 9, 1, 4, 400000, FEC_RS544, false, false,
	{ -10, -5 }, { 0, 0 }, { 0, 0 }, { 0, 0 },
	{ 0.5, 0.9 }, { 0.02, 0.12 }, 5, 0, 0, 0, 0, 0, 0 },
[B_AEC] = { "AEC", 8, 1, 8, 800000, FEC_RS544, false, false,
	{ -11, -6.5 }, { 0, 0 }, { 0, 0 }, { 0, 0 },
	{ 0.5, 0.9 }, { 0.01, 0.08 }, 20, 0, 0, 0, 0, 0, 0 },
[B_ZR] = { "ZR", 3, 1, 1, 400000, FEC_NONE, true, false,
	{ -3, -2.25 }, { -10.5, -8 }, { 0, 4 }, { 150, 280 },
	{ 0.15, 0.45 }, { 0, 0.001 }, 33, 1550, 0, 0, -15, -6, -12 },
[B_SR4_100G] = { "SR4", 4, 1, 4, 100000, FEC_RS528, false, true,
	{ -13, -8 }, { -1.5, 1.5 }, { 0.4, 1.8 }, { 5.5, 8 },
	{ 0.6, 0.9 }, { 0.002, 0.02 }, 13, 850, 0, 2.4, -10.3, 2.4, -8.4 },
[B_LR4_100G] = { "LR4", 2, 1, 4, 100000, FEC_RS528, false, true,
	{ -13, -8 }, { 0, 3 }, { 1.5, 5 }, { 35, 60 },
	{ 0.6, 0.9 }, { 0.002, 0.02 }, 17, 1295.6, 4.5, 4.5, -10.6, 4.5,
	-4.3 },
[B_DAC_100G] = { "DAC", 2, 1, 4, 100000, FEC_RS528, false, true,
	{ -13, -8 }, { 0, 0 }, { 0, 0 }, { 0, 0 },
	{ 0.6, 0.9 }, { 0.02, 0.1 }, 3, 0, 0, 0, 0, 0, 0 },
};

const struct b_media_row *b_media_row(enum b_medium medium)
{
	return &rows[medium];
}

enum b_medium b_media_draw(struct b_draw *d)
{
	unsigned sum = 0, at;

	for (unsigned i = 0; i < B_MEDIUM_COUNT; i++)
		sum += rows[i].weight;
	at = b_draw_below(d, sum);
	for (unsigned i = 0; i < B_MEDIUM_COUNT; i++) {
		if (at < rows[i].weight)
			return (enum b_medium)i;
		at -= rows[i].weight;
	}
	return B_DR4;
}
