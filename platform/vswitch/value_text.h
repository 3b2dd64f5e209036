/* Values in SONiC's form: how orchagent, xcvrd and their Lua and Python write a
 * number into Redis. Independently derived from the schema: it shares nothing
 * with the driver that decodes them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/base/number.h"

#define TEXT_VALUE_MAX NUMBER_REPR_MAX

/* A counter of syncd: an unsigned decimal. Returns its length. */
size_t text_u64(uint64_t value, char ret[TEXT_VALUE_MAX]);

/* A Lua number that a script passes to HSET: "%.17g". */
void text_lua(double value, char ret[TEXT_VALUE_MAX]);

/* Python's str(float("{:.Nf}".format(value))): "3.3", "-inf", "nan". */
void text_rounded(double value, unsigned decimals, char ret[TEXT_VALUE_MAX]);

/* value as rounded by float("{:.Nf}".format(value)), N up to 9. */
double text_round(double value, unsigned decimals);

/* xcvrd's mw_to_dbm(): -inf for no light, nan for less than none. */
double text_mw_dbm(double mw);

/* Python's str(bool). */
const char *text_bool(bool value);

/* The form of times in a table. */
enum text_date {
	DATE_C,		/* "Fri Nov 20 10:01:02 2026", xcvrd, portsorch; UTC */
	DATE_ISO,	/* "2026-11-20 10:01:02", PORT_OPERR_TABLE; UTC */
	DATE_LOCAL,	/* "20261120 10:01:02", thermalctld and the like */
};
void text_date(int64_t unix_s, enum text_date form, char ret[TEXT_VALUE_MAX]);
