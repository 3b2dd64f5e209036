/* The media that a simulated port may have, one row each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct media {
	const char *name;
	const char *part;
	bool optical;
	bool monitored;		/* a module that tells temperature and supply */
	bool wavelengths;	/* lanes are colours on one fibre */
	bool cooled;		/* laser held at its own temperature */
	bool coherent;		/* one lane of light for all of the port's */
	double tx_dbm;		/* what a laser sends */
	double path_db;		/* what is lost on the way, in the mean */
	double bias_ma;
	double dark_dbm;	/* loss of signal below */
	double ber_low_log10, ber_high_log10;	/* of a healthy lane */
};

/* The row of a name, or NULL. */
const struct media *media_find(const char *name);
/* All rows. */
const struct media *media_table(size_t *ret_count);
