/* Text to numbers: the only code that converts them, and strictly.
 *
 * The whole text must be the number: no blanks, no sign where none is allowed,
 * nothing after it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A decimal or 0x… unsigned number from min to max.
 * Returns -EINVAL (not a number), -ERANGE.
 */
int number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *ret);

/* The same for len octets without a NUL: a field of a reply. */
int number_parse_n(const char *text, size_t len, uint64_t min, uint64_t max,
		   uint64_t *ret);

/* A decimal with optional sign, fraction and exponent, scaled: "-3.25" with
 * scale 1000 gives -3250, rounded half away from zero. "5.4e-09" with scale
 * 10^18 gives 5400000000. The only conversion of a source's decimal text to an
 * integer; exact as long as the result fits. Returns -EINVAL (empty, "N/A",
 * "nan", "inf" and the like), -ERANGE.
 */
int number_parse_scaled(const char *text, size_t len, uint64_t scale,
			int64_t *ret);

/* Optical power in dBm as text, to pW: rounded to the nearest. "-inf" is no
 * light, 0 pW.
 * Returns -EINVAL, -ERANGE.
 */
int number_parse_dbm(const char *text, size_t len, int64_t *ret_pw);

/* A time with its unit: 500ms, 10s, 15m, 2h, 7d; in ns. */
int number_parse_duration(const char *text, int64_t *ret_ns);

/* A size: 4096, 64K, 12M; in octets, powers of 1024. */
int number_parse_size(const char *text, uint64_t max, uint64_t *ret);

/* The power in pW of thousandths of a dBm, rounded to the nearest. */
int64_t number_pw(int64_t mdbm);

/* dBm of a power; -INFINITY for 0 and less. */
double number_dbm(int64_t pw);

#define NUMBER_REPR_MAX 32

/* The shortest decimal that reads back as the same double, in the form of
 * Python's repr(): "0.1", "3.0", "5.4e-09", "inf", "nan".
 */
void number_repr(double value, char ret[NUMBER_REPR_MAX]);

/* raw * mul / div, rounded half away from zero; 0 stands for 1. */
int64_t number_scale(int64_t raw, int64_t mul, int64_t div);

/* Writes decimal digits, at least this many and at most 20, without a NUL;
 * returns the end. printf is too slow for a table of ten thousand numbers.
 */
char *number_digits(char *at, uint64_t n, unsigned least);
