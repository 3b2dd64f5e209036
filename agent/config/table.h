/* The parser for C14: text files of [Section] and key = value lines, read into
 * a plain struct by a table with one row per key.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "petrel/option.h"

#define CONFIG_FILE_MAX (1u << 20)
#define CONFIG_KEYS_MAX 96u
#define CONFIG_TEXT_MAX OPTION_TEXT_MAX

/* A key, and where its value is stored in the target: by its type bool, int64_t
 * ns, uint64_t octets or number, uint32_t index of the word; else text.
 */
struct config_key {
	const char *section;
	size_t offset;
	struct option_key is;
	bool as_text;			/* whatever its form */
};

/* The origin of a value; a later origin overrides (C14). */
enum config_origin { ORIGIN_BUILT_IN, ORIGIN_CONFIG_DB, ORIGIN_FILE,
		     ORIGIN_DROP_IN, ORIGIN_COUNT };

#define CONFIG_FILE_NAME_MAX 44
#define CONFIG_ORIGIN_MAX (CONFIG_FILE_NAME_MAX + 24)

struct config_place {
	uint16_t line;			/* 0: not from a file */
	uint8_t origin;			/* enum config_origin */
	char file[CONFIG_FILE_NAME_MAX];	/* name without folder */
};

struct config_table {
	const struct config_key *keys;
	size_t count;
	bool skips_others;	/* unknown sections are allowed */
	bool has_places;
	size_t places;	/* offset of struct config_place[count] in the target */
};

/* One value from CONFIG_DB, by the table's names. */
struct config_setting {
	char section[16];
	char key[32];
	char value[CONFIG_TEXT_MAX];
};

struct config_settings {
	unsigned count;
	struct config_setting setting[CONFIG_KEYS_MAX];
};

/* Fills target with the built-in values. */
void table_defaults(const struct config_table *t, void *target);

/* Reads len octets of text on top of target. file is for messages. On failure
 * target is partly changed: pass a copy. Returns -EINVAL with d: file, line,
 * what is wrong and the nearest key.
 */
int table_parse(const struct config_table *t, const char *text, size_t len,
		const char *file, enum config_origin origin, void *target,
		struct diag *d);

/* Applies CONFIG_DB's settings; section names ignore case. Returns -EINVAL with
 * d: the row, what is wrong and the nearest key.
 */
int table_settings(const struct config_table *t,
		   const struct config_settings *settings, void *target,
		   struct diag *d);

/* A key's value as it would be written; durations and sizes in the smallest
 * unit that divides them.
 */
void table_value(const struct config_key *k, const void *target,
		 char ret[CONFIG_TEXT_MAX]);

/* Octets of its value in the target. */
size_t table_value_size(const struct config_key *k);

/* The origin of a value, in words. */
void table_origin_text(const struct config_place *p,
		       char ret[static CONFIG_ORIGIN_MAX]);
/* The same for a key of the table, with the target's own record of it. */
void table_origin(const struct config_table *t, const void *target,
		  const char *section, const char *key,
		  char ret[static CONFIG_ORIGIN_MAX]);

/* path, then *.conf in the folder drop_ins beside it, in order of their names.
 * Returns -ENOENT (unless optional), -EACCES, -EFBIG, -EINVAL.
 */
int table_load(const struct config_table *t, const char *path,
	       const char *drop_ins, int optional, void *target,
	       struct diag *d);
