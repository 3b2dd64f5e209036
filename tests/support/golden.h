/* Octets that must never change: tests/data/wire.golden, a name and hex digits
 * a line. Run from the top of the tree.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The octets of a name; fails the test when it is not there. */
size_t golden_read(const char *name, uint8_t *ret, size_t cap);
/* Fails the test, showing the line, unless these are the octets. */
void golden_assert(const char *name, const void *octets, size_t len);
