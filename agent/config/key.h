/* C14: one key of the configuration. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"

#define CONFIG_TEXT_MAX 192

enum config_kind {
	CONFIG_TEXT,		/* char[CONFIG_TEXT_MAX] */
	CONFIG_BOOL,		/* bool: yes no */
	CONFIG_DURATION,	/* int64_t ns: 500ms 10s 15m 2h 1d */
	CONFIG_SIZE,		/* uint64_t octets: 64K 12M */
	CONFIG_WORD,		/* uint32_t: one of words */
};

enum config_file {
	CONFIG_NO_FILE,
	CONFIG_FILE,		/* as the process sees it */
	CONFIG_FILE_BELOW_ROOT,
};

struct config_key;

/* Judges a value by the row's min, max and words. Returns -EINVAL with d: the
 * key, the value, what would be right.
 */
typedef int config_form(const struct config_key *k, const char *value,
			struct diag *d);

struct config_key {
	const char *section, *key;
	enum config_kind kind;
	size_t offset;
	int64_t min, max;	/* of times (ns), sizes (octets), numbers */
	const char *value;	/* what is built in, as it would be written */
	const char *help;
	const char *const *words;	/* CONFIG_WORD: NULL where no word */
	size_t word_count;
	config_form *form;	/* of CONFIG_TEXT; NULL: any. No text may
				 * stand where none is built in */
	bool at_start;		/* a change waits until petreld starts anew */
	enum config_file file;	/* what the text names */
};
