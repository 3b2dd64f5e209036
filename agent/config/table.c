#include "agent/config/table.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "agent/base/ini.h"
#include "agent/base/names.h"
#include "agent/base/number.h"
#include "agent/base/option.h"

/* The position of a line. */
struct line_place {
	const char *file;
	unsigned line;
	enum config_origin origin;
};

/* Checks a value, and stores it in the target. */
static int key_set(const struct config_key *k, const char *value, void *target,
		   struct diag *d)
{
	void *at = (char *)target + k->offset;
	int rc = option_judge(&k->is, value, d);

	if (rc < 0)
		return rc;
	switch (k->as_text ? OPTION_TEXT : k->is.form) {
	case OPTION_BOOL:
		*(bool *)at = strcmp(value, "yes") == 0;
		break;
	case OPTION_DURATION:
		return number_parse_duration(value, at);
	case OPTION_NUMBER:
		return number_parse(value, 0, INT64_MAX, at);
	case OPTION_SIZE:
		return number_parse_size(value, INT64_MAX, at);
	case OPTION_WORD:
		*(uint32_t *)at = (uint32_t)option_word(&k->is, value);
		break;
	default:
		(void)strcpy(at, value);
	}
	return 0;
}

/* Sets it, and records where it was set. */
static int key_take(const struct config_table *t, const struct config_key *k,
		    const char *value, const struct line_place *at,
		    void *target, struct diag *d)
{
	const char *slash = strrchr(at->file, '/');
	int rc = ini_text_check(value, d);
	struct config_place *p;

	if (rc == 0)
		rc = key_set(k, value, target, d);
	if (rc < 0 || !t->has_places)
		return rc;
	p = (struct config_place *)((char *)target + t->places) +
	    (k - t->keys);
	p->origin = (uint8_t)at->origin;
	p->line = at->line > UINT16_MAX ? UINT16_MAX : (uint16_t)at->line;
	(void)snprintf(p->file, sizeof(p->file), "%s",
		       slash ? slash + 1 : at->file);
	return 0;
}

void table_defaults(const struct config_table *t, void *target)
{
	for (size_t i = 0; i < t->count; i++)
		(void)key_set(&t->keys[i], t->keys[i].is.value ?
			      t->keys[i].is.value : "", target, NULL);
}

/* The table's word that was probably meant. */
static const char *nearest_of(const struct config_table *t, const char *word,
			      bool sections)
{
	const char *names[CONFIG_KEYS_MAX];

	assert(t->count <= CONFIG_KEYS_MAX);
	for (size_t i = 0; i < t->count; i++)
		names[i] = sections ? t->keys[i].section :
				      t->keys[i].is.key;
	return nearest_name(word, names, t->count);
}

static const struct config_key *key_find(const struct config_table *t,
					 const char *section, const char *key)
{
	for (size_t i = 0; i < t->count; i++)
		if (strcmp(t->keys[i].section, section) == 0 &&
		    strcmp(t->keys[i].is.key, key) == 0)
			return &t->keys[i];
	return NULL;
}

static int key_unknown(const struct config_table *t, const char *section,
		       const char *key, struct diag *d)
{
	const char *near = nearest_of(t, key, false);
	const struct config_key *k = NULL;

	for (size_t i = 0; near && i < t->count; i++)
		if (strcmp(t->keys[i].is.key, near) == 0 &&
		    (!k || strcmp(t->keys[i].section, section) == 0))
			k = &t->keys[i];
	if (!k)
		return diag_set(d, -EINVAL, "unknown key '%s' in [%s]", key,
				section);
	return diag_set(d, -EINVAL,
			"unknown key '%s' in [%s]; the nearest is '%s' in [%s]",
			key, section, k->is.key, k->section);
}

static int section_check(const struct config_table *t, const char *section,
			 struct diag *d)
{
	const char *near;

	for (size_t i = 0; i < t->count; i++)
		if (strcmp(t->keys[i].section, section) == 0)
			return 0;
	near = nearest_of(t, section, true);
	return diag_set(d, -EINVAL, "unknown section [%s]%s%s%s", section,
			near ? "; the nearest is [" : "", near ? near : "",
			near ? "]" : "");
}

/* A file being read: the present section, and the line of each key. */
struct file_state {
	const struct config_table *table;
	void *target;
	struct line_place at;
	bool is_skipped;		/* a section of others */
	unsigned line[CONFIG_KEYS_MAX];	/* 0: not yet */
};

static int heading_take(void *context, const char *section, struct diag *d)
{
	struct file_state *f = context;
	int rc = section_check(f->table, section, d);

	f->is_skipped = rc < 0 && f->table->skips_others;
	return f->is_skipped ? 0 : rc;
}

/* A key set twice in one file is an error; a later file may override. */
static int value_take(void *context, const char *section, const char *key,
		      const char *value, unsigned number, struct diag *d)
{
	struct file_state *f = context;
	const struct config_key *k = key_find(f->table, section, key);
	unsigned *line;

	if (f->is_skipped)
		return 0;
	if (!k)
		return key_unknown(f->table, section, key, d);
	line = &f->line[k - f->table->keys];
	if (*line)
		return diag_set(d, -EINVAL, "%s in [%s] is given twice, first "
				"in line %u; expected it once", key,
				section, *line);
	*line = f->at.line = number;
	return key_take(f->table, k, value, &f->at, f->target, d);
}

int table_parse(const struct config_table *t, const char *text, size_t len,
		const char *file, enum config_origin origin, void *target,
		struct diag *d)
{
	struct file_state f = { .table = t, .target = target,
				.at = { .file = file, .origin = origin } };
	const struct ini_taker to = { &f, heading_take, value_take };

	return ini_read(text, len, file, &to, d);
}

/* The table's own spelling of a section; NULL: no such section. */
static const char *section_of(const struct config_table *t, const char *name)
{
	for (size_t i = 0; i < t->count; i++)
		if (strcasecmp(t->keys[i].section, name) == 0)
			return t->keys[i].section;
	return NULL;
}

int table_settings(const struct config_table *t,
		   const struct config_settings *settings, void *target,
		   struct diag *d)
{
	static const struct line_place at = { "", 0, ORIGIN_CONFIG_DB };
	bool given[CONFIG_KEYS_MAX] = { false };
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < settings->count; i++) {
		const struct config_setting *s = &settings->setting[i];
		const char *section = section_of(t, s->section);
		const struct config_key *k =
			section ? key_find(t, section, s->key) : NULL;

		if (!k)
			rc = key_unknown(t, s->section, s->key, d);
		else if (given[k - t->keys])	/* PETREL|Agent, PETREL|agent */
			rc = diag_set(d, -EINVAL, "%s is given twice", s->key);
		else
			rc = key_take(t, k, s->value, &at, target, d);
		if (k)
			given[k - t->keys] = true;
		if (rc < 0)
			rc = diag_prefix(d, rc, "CONFIG_DB [%s]", s->section);
	}
	return rc;
}

static int file_load(const struct config_table *t, const char *path,
		     enum config_origin origin, void *target, struct diag *d)
{
	FILE *f = fopen(path, "re");
	struct stat st;
	char *text = NULL;
	size_t n;
	int rc;

	if (!f)
		return diag_set(d, -errno, "%s: %s", path, strerror(errno));
	if (fstat(fileno(f), &st) < 0 || !S_ISREG(st.st_mode)) {
		rc = diag_set(d, -EINVAL, "%s: not a regular file", path);
	} else if (st.st_size > CONFIG_FILE_MAX) {
		rc = diag_set(d, -EFBIG, "%s: larger than %u octets", path,
			      CONFIG_FILE_MAX);
	} else {
		text = malloc((size_t)st.st_size + 1);
		n = text ? fread(text, 1, (size_t)st.st_size, f) : 0;
		rc = text ? table_parse(t, text, n, path, origin, target, d) :
			    -ENOMEM;
	}
	free(text);
	(void)fclose(f);
	return rc;
}

static int is_conf(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return e->d_name[0] != '.' && n > 5 &&
	       strcmp(e->d_name + n - 5, ".conf") == 0;
}

static int drop_ins_load(const struct config_table *t, const char *path,
			 const char *folder, void *target, struct diag *d)
{
	const char *slash = strrchr(path, '/');
	int dir_len = slash ? (int)(slash - path) + 1 : 0;
	struct dirent **entries = NULL;
	char name[512];
	int n, rc = 0;

	(void)snprintf(name, sizeof(name), "%.*s%s", dir_len, path, folder);
	n = scandir(name, &entries, is_conf, alphasort);
	for (int i = 0; i < n; i++) {
		(void)snprintf(name, sizeof(name), "%.*s%s/%s", dir_len, path,
			       folder, entries[i]->d_name);
		if (rc == 0)
			rc = file_load(t, name, ORIGIN_DROP_IN, target, d);
		free(entries[i]);
	}
	free(entries);
	return rc;
}

void table_value(const struct config_key *k, const void *target,
		 char ret[CONFIG_TEXT_MAX])
{
	const void *at = (const char *)target + k->offset;

	switch (k->as_text ? OPTION_TEXT : k->is.form) {
	case OPTION_BOOL:
		(void)strcpy(ret, *(const bool *)at ? "yes" : "no");
		break;
	case OPTION_DURATION:
		option_time_text(*(const int64_t *)at, ret);
		break;
	case OPTION_NUMBER:
		(void)snprintf(ret, CONFIG_TEXT_MAX, "%" PRIu64,
			       *(const uint64_t *)at);
		break;
	case OPTION_SIZE:
		option_size_text((int64_t)*(const uint64_t *)at, ret);
		break;
	case OPTION_WORD:
		(void)snprintf(ret, CONFIG_TEXT_MAX, "%s",
			       k->is.words[*(const uint32_t *)at]);
		break;
	default:
		(void)strcpy(ret, at);
	}
}

void table_origin_text(const struct config_place *p,
		       char ret[static CONFIG_ORIGIN_MAX])
{
	if (p->origin == ORIGIN_BUILT_IN || p->origin == ORIGIN_CONFIG_DB)
		(void)strcpy(ret, p->origin == ORIGIN_BUILT_IN ? "built-in"
							       : "CONFIG_DB");
	else
		(void)snprintf(ret, CONFIG_ORIGIN_MAX, "%s%s:%u",
			       p->origin == ORIGIN_DROP_IN ? "conf.d/" : "",
			       p->file, p->line);
}

void table_origin(const struct config_table *t, const void *target,
		  const char *section, const char *key,
		  char ret[static CONFIG_ORIGIN_MAX])
{
	const struct config_key *k = key_find(t, section, key);

	assert(k);
	table_origin_text((const struct config_place *)
			  ((const char *)target + t->places) + (k - t->keys),
			  ret);
}

size_t table_value_size(const struct config_key *k)
{
	switch (k->as_text ? OPTION_TEXT : k->is.form) {
	case OPTION_BOOL:
		return sizeof(bool);
	case OPTION_DURATION:
	case OPTION_SIZE:
	case OPTION_NUMBER:
		return sizeof(uint64_t);
	case OPTION_WORD:
		return sizeof(uint32_t);
	default:
		return CONFIG_TEXT_MAX;
	}
}

int table_load(const struct config_table *t, const char *path,
	       const char *drop_ins, int optional, void *target,
	       struct diag *d)
{
	int rc = file_load(t, path, ORIGIN_FILE, target, d);

	if (rc == -ENOENT && optional) {
		d->text[0] = '\0';	/* nothing is wrong */
		rc = 0;
	}
	return rc < 0 ? rc : drop_ins_load(t, path, drop_ins, target, d);
}
