#include "platform/sim/media.h"

#include <string.h>

/* Launch and loss after the medians of the IEEE 802.3 clauses 124 (DR), 151
 * (FR, LR), 167 (SR) budgets, and of OIF-400ZR, where amplifiers make good for
 * the line; error ratios as links in the field start out.
 */
static const struct media rows[] = {
	/* name part optical monitored colours cooled coherent
	 *	tx path bias dark ber
	 */
	{ "DR1", "SIM-100G-DR1", true, true, false, false, false,
	  1.2, 1.4, 68, -14, -9.6, -6.9 },
	{ "DR4", "SIM-400G-DR4", true, true, false, false, false,
	  1.4, 1.5, 66, -14, -9.4, -6.8 },
	{ "DR8", "SIM-800G-DR8", true, true, false, false, false,
	  1.6, 1.6, 70, -14, -9.2, -6.8 },
	{ "FR1", "SIM-100G-FR1", true, true, false, false, false,
	  1.4, 2.0, 60, -14, -9.4, -6.8 },
	{ "FR4", "SIM-400G-FR4", true, true, true, false, false,
	  2.0, 2.2, 62, -15, -9.2, -6.8 },
	{ "LR4", "SIM-400G-LR4", true, true, true, true, false,
	  3.0, 4.0, 72, -17, -9.0, -6.8 },
	{ "LR8", "SIM-400G-LR8", true, true, true, true, false,
	  3.4, 4.4, 74, -17, -9.0, -6.7 },
	{ "SR4", "SIM-100G-SR4", true, true, false, false, false,
	  0.4, 0.9, 7.2, -13, -9.8, -7.2 },
	{ "SR8", "SIM-400G-SR8", true, true, false, false, false,
	  0.5, 0.9, 7.4, -13, -9.4, -7.0 },
	{ "ZR", "SIM-400G-ZR", true, true, false, true, true,
	  -10.0, 2.0, 60, -24, -3.1, -2.6 },
	{ "AOC", "SIM-AOC", true, true, false, false, false,
	  0.2, 0.7, 7.0, -13, -9.8, -7.4 },
	{ "AEC", "SIM-AEC", false, true, false, false, false,
	  0, 0, 0, 0, -10.5, -8.0 },
	{ "DAC", "SIM-DAC", false, false, false, false, false,
	  0, 0, 0, 0, -10.0, -7.5 },
	{ "CR4", "SIM-CR4", false, false, false, false, false,
	  0, 0, 0, 0, -10.0, -7.5 },
	{ "CR8", "SIM-CR8", false, false, false, false, false,
	  0, 0, 0, 0, -10.0, -7.5 },
};

const struct media *media_table(size_t *ret_count)
{
	*ret_count = sizeof(rows) / sizeof(rows[0]);
	return rows;
}

const struct media *media_find(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}
