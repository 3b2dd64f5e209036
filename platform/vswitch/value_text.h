/* How SONiC writes values: what orchagent, xcvrd and their Lua and Python make
 * of a number on its way into Redis. Read out of the schema by itself: the
 * driver that decodes them shares nothing with it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/base/number.h"

#define TEXT_VALUE_MAX NUMBER_REPR_MAX

/* A counter of syncd's: an unsigned decimal. Returns its length. */
size_t text_u64(uint64_t value, char ret[TEXT_VALUE_MAX]);

/* A Lua number that a script hands to HSET: "%.17g". */
void text_lua(double value, char ret[TEXT_VALUE_MAX]);

/* Python's str(float("{:.Nf}".format(value))): "3.3", "-inf", "nan". */
void text_rounded(double value, unsigned decimals, char ret[TEXT_VALUE_MAX]);

/* value as float("{:.Nf}".format(value)) leaves it, N up to 9. */
double text_round(double value, unsigned decimals);

/* xcvrd's mw_to_dbm(): -inf for no light, nan for less than none. */
double text_mw_dbm(double mw);

/* Python's str(bool). */
const char *text_bool(bool value);

/* How a table writes a time. */
enum text_date {
	DATE_C,		/* "Fri Nov 20 10:01:02 2026", xcvrd, portsorch; UTC */
	DATE_ISO,	/* "2026-11-20 10:01:02", PORT_OPERR_TABLE; UTC */
	DATE_LOCAL,	/* "20261120 10:01:02", thermalctld and its like */
};
void text_date(int64_t unix_s, enum text_date form, char ret[TEXT_VALUE_MAX]);
