/* A short history: the last readings of a few numbers a port, one a tick, in a
 * ring, as wide as there are ports. When it is full the oldest go. Each number
 * is rounded to a step of its kind: 1 thousandth of a decade, 100 ppm, 2
 * thousandths of a dBm, 10 m°C.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "petrel/clock.h"

struct series;

enum series_kind { SERIES_BER_LOG10_MILLI, SERIES_IN_PPM, SERIES_OUT_PPM,
		   SERIES_RX_MIN_MDBM, SERIES_TEMP_MC, SERIES_KIND_COUNT };

#define SERIES_ABSENT INT32_MIN

/* At most ports x kinds x depth values of two octets. Returns -ENOMEM. */
int series_new(size_t ports, size_t depth, struct series **ret);
/* NULL is allowed. */
void series_free(struct series *s);

/* Changes the number of rows; the newest stay. Returns -ENOMEM, and changes
 * nothing.
 */
int series_resize(struct series *s, size_t depth);

/* Opens the row of a tick; what is not set in it is absent. */
void series_tick(struct series *s, struct mono now);
/* Sets a number in the open row; a port beyond the last is ignored. */
void series_set(struct series *s, size_t port, enum series_kind kind,
		int32_t value);

/* Up to n newest values of a port, oldest first; returns how many.
 * ret_first: time of the first.
 */
size_t series_get(const struct series *s, size_t port, enum series_kind kind,
		  int32_t *ret, size_t n, struct mono *ret_first);
/* Rows that it can hold. */
size_t series_depth(const struct series *s);
/* Memory held. */
size_t series_octets(const struct series *s);
