/* The reason for a failure, for people; the return value is for code.
 *
 * Owned by the caller, passed down, may be NULL. It holds one sentence that
 * names the thing, what was found, and what would be right.
 */
#pragma once

#define DIAG_MAX 320

struct diag {
	char text[DIAG_MAX];
};

/* Writes the sentence, cut at DIAG_MAX; errno stays what it was. */
void diag_write(struct diag *d, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Puts "prefix: " before the sentence, for the layer that knows the file's
 * name.
 */
void diag_write_before(struct diag *d, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Returns err: the value of diag_set(). */
static inline int diag_error(int err)
{
	return err;
}

/* The value of both is err, so that a failure is one statement:
 * return diag_set(d, -EINVAL, …). They are macros so that compilers and
 * checkers see the error value at the call.
 */
#define diag_set(d, err, ...) (diag_write(d, __VA_ARGS__), diag_error(err))
#define diag_prefix(d, err, ...) \
	(diag_write_before(d, __VA_ARGS__), diag_error(err))
