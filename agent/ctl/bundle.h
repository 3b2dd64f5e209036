/* A folder of redacted texts that becomes one tarball. A manifest says what is
 * in it, how much was taken out, and what is not there and why.
 *
 * Nothing that was not redacted ever touches the disk. tar(1) makes the
 * archive: it is on every Debian, and no library has to be.
 */
#pragma once

#include <stddef.h>
#include "petrel/clock.h"
#include "petrel/diag.h"

#define BUNDLE_FILE_MAX (4u << 20)	/* of each: the rest is left out */

#define BUNDLE_PROGRAM_NS (10 * NS_PER_S)

struct bundle;
struct program_output;
struct redact;

/* name: of the folder in the archive. Made in $TMPDIR, else /tmp, for its
 * owner alone.
 */
int bundle_open(const char *name, struct redact *redact, struct bundle **ret,
		struct diag *d);
/* Removes the folder with all that is in it. b may be NULL. */
void bundle_free(struct bundle *b);

/* A text under that name, redacted. */
void bundle_text(struct bundle *b, const char *name, const char *text,
		 size_t len);
/* A file of this machine; not there: the manifest says so. */
void bundle_file(struct bundle *b, const char *name, const char *path);
/* What a program prints, within BUNDLE_PROGRAM_NS. ret: the same, its text to
 * be freed; or NULL.
 */
void bundle_program(struct bundle *b, const char *name,
		    const char *const argv[], struct program_output *ret);
/* For the manifest: what is not there, and why. */
__attribute__((format(printf, 3, 4)))
void bundle_left_out(struct bundle *b, const char *name, const char *format,
		     ...);

struct bundle_count {
	size_t files, left_out;
};

/* Writes the manifest and the archive. path: not over a file that is there. */
int bundle_write(struct bundle *b, const char *path,
		 struct bundle_count *ret_count, struct diag *d);
