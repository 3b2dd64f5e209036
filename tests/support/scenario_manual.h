/* The tables of petrel-scenario(5), made from the rows that the parser uses. */
#pragma once

#include <stddef.h>

/* Writes the mdoc list items of all tables, each table after a line
 * '.\" table NAME'. Returns the length; ret is cut at cap.
 */
size_t scenario_manual(char *ret, size_t cap);
