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

/* "Fri Nov 20 10:01:02 2026", of tables that xcvrd and portsorch write; UTC. */
void text_time(int64_t unix_s, char ret[TEXT_VALUE_MAX]);

/* "2026-11-20 10:01:02", of PORT_OPERR_TABLE; UTC. */
void text_time_iso(int64_t unix_s, char ret[TEXT_VALUE_MAX]);

/* "20261120 10:01:02", of thermalctld and its like; local time. */
void text_time_local(int64_t unix_s, char ret[TEXT_VALUE_MAX]);
