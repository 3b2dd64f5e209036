#include "agent/config/table.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/base/clean.h"
#include "agent/base/nearest.h"
#include "agent/base/number.h"
#include "agent/config/form.h"

/* Where a line stands. */
struct place {
	const char *file;
	unsigned line;
	enum config_origin origin;
};

static int text_set(const struct config_key *k, const char *value,
		    char *target, struct diag *d)
{
	if (strlen(value) >= CONFIG_TEXT_MAX)
		return diag_set(d, -EINVAL, "%s is longer than %d octets",
				k->key, CONFIG_TEXT_MAX - 1);
	if (k->form && (value[0] || k->value[0]) && k->form(k, value, d) < 0)
		return -EINVAL;
	(void)strcpy(target, value);
	return 0;
}

static int bool_set(const struct config_key *k, const char *value,
		    bool *target, struct diag *d)
{
	if (form_bool(k, value, d) < 0)
		return -EINVAL;
	*target = strcmp(value, "yes") == 0;
	return 0;
}

static int duration_set(const struct config_key *k, const char *value,
			int64_t *target, struct diag *d)
{
	if (form_duration(k, value, d) < 0)
		return -EINVAL;
	return number_parse_duration(value, target);
}

static int size_set(const struct config_key *k, const char *value,
		    uint64_t *target, struct diag *d)
{
	if (form_size(k, value, d) < 0)
		return -EINVAL;
	return number_parse_size(value, INT64_MAX, target);
}

static int word_set(const struct config_key *k, const char *value,
		    uint32_t *target, struct diag *d)
{
	char all[128] = "";

	for (size_t i = 0; i < k->word_count; i++) {
		if (!k->words[i])
			continue;
		if (strcmp(k->words[i], value) == 0) {
			*target = (uint32_t)i;
			return 0;
		}
		(void)snprintf(all + strlen(all), sizeof(all) - strlen(all),
			       "%s%s", all[0] ? ", " : "", k->words[i]);
	}
	return diag_set(d, -EINVAL, "%s = %s: expected one of %s", k->key,
			value, all);
}

static int key_set(const struct config_key *k, const char *value, void *target,
		   struct diag *d)
{
	void *field = (char *)target + k->offset;

	switch (k->kind) {
	case CONFIG_TEXT:
		return text_set(k, value, field, d);
	case CONFIG_BOOL:
		return bool_set(k, value, field, d);
	case CONFIG_DURATION:
		return duration_set(k, value, field, d);
	case CONFIG_SIZE:
		return size_set(k, value, field, d);
	case CONFIG_WORD:
		return word_set(k, value, field, d);
	}
	return -EINVAL;
}

/* It is shown, sent, and written into databases. */
static int text_check(const char *text, struct diag *d)
{
	while (*text) {
		size_t len = *text == '\t' ? 1 : clean_len(text);

		if (len == 0)
			return diag_set(d, -EINVAL, "octet 0x%02x is no UTF-8, "
					"or a control character",
					(uint8_t)*text);
		text += len;
	}
	return 0;
}

/* Sets it, and notes where that was said. */
static int key_take(const struct config_table *t, const struct config_key *k,
		    const char *value, const struct place *at, void *target,
		    struct diag *d)
{
	const char *slash = strrchr(at->file, '/');
	int rc = text_check(value, d);
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
		(void)key_set(&t->keys[i], t->keys[i].value, target, NULL);
}

/* The word of a table that somebody probably meant. */
static const char *nearest_of(const struct config_table *t, const char *word,
			      bool sections)
{
	const char *names[CONFIG_KEYS_MAX];

	assert(t->count <= CONFIG_KEYS_MAX);
	for (size_t i = 0; i < t->count; i++)
		names[i] = sections ? t->keys[i].section : t->keys[i].key;
	return nearest_name(word, names, t->count);
}

static const struct config_key *key_find(const struct config_table *t,
					 const char *section, const char *key)
{
	for (size_t i = 0; i < t->count; i++)
		if (strcmp(t->keys[i].section, section) == 0 &&
		    strcmp(t->keys[i].key, key) == 0)
			return &t->keys[i];
	return NULL;
}

static int key_unknown(const struct config_table *t, const char *section,
		       const char *key, struct diag *d)
{
	const char *near = nearest_of(t, key, false);
	const struct config_key *k = NULL;

	for (size_t i = 0; near && i < t->count; i++)
		if (strcmp(t->keys[i].key, near) == 0)
			k = &t->keys[i];
	if (!k)
		return diag_set(d, -EINVAL, "unknown key '%s' in [%s]", key,
				section);
	return diag_set(d, -EINVAL,
			"unknown key '%s' in [%s]; the nearest is '%s' in [%s]",
			key, section, k->key, k->section);
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

static char *trimmed(char *text)
{
	size_t n;

	text += strspn(text, " \t");
	for (n = strlen(text); n > 0 && strchr(" \t\r", text[n - 1]); n--)
		text[n - 1] = '\0';
	return text;
}

/* One file under way: the section that holds, and where each key stood. */
struct reading {
	struct place at;
	char section[CONFIG_LINE_MAX];
	unsigned line[CONFIG_KEYS_MAX];	/* 0: not yet */
};

static int heading_parse(const struct config_table *t, char *text,
			 struct reading *r, struct diag *d)
{
	size_t n = strlen(text);

	if (n < 3 || text[n - 1] != ']')
		return diag_set(d, -EINVAL, "'%s': expected [Section]", text);
	text[n - 1] = '\0';
	(void)strcpy(r->section, text + 1);
	return section_check(t, r->section, d);
}

/* Of two values in one file nobody meant the first; a later file may differ. */
static int key_first(const struct config_table *t, const struct config_key *k,
		     struct reading *r, struct diag *d)
{
	unsigned *line = &r->line[k - t->keys];

	if (*line)
		return diag_set(d, -EINVAL, "%s in [%s] is given twice, first "
				"in line %u; expected one of them", k->key,
				k->section, *line);
	*line = r->at.line;
	return 0;
}

/* One line, cut out and NUL-ended. */
static int line_parse(const struct config_table *t, char *line,
		      struct reading *r, void *target, struct diag *d)
{
	const struct config_key *k;
	char *text = trimmed(line), *equals, *key;

	if (!text[0] || text[0] == '#' || text[0] == ';')
		return 0;
	if (text_check(text, d) < 0)
		return -EINVAL;
	if (text[0] == '[')
		return heading_parse(t, text, r, d);
	equals = strchr(text, '=');
	if (!equals)
		return diag_set(d, -EINVAL,
				"'%s': expected key = value", text);
	if (!r->section[0])
		return diag_set(d, -EINVAL,
				"'%s' stands before any [Section]", text);
	*equals = '\0';
	key = trimmed(text);
	k = key_find(t, r->section, key);
	if (!k)
		return key_unknown(t, r->section, key, d);
	if (key_first(t, k, r, d) < 0)
		return -EINVAL;
	return key_take(t, k, trimmed(equals + 1), &r->at, target, d);
}

int table_parse(const struct config_table *t, const char *text, size_t len,
		const char *file, enum config_origin origin, void *target,
		struct diag *d)
{
	struct reading r = { .at = { .file = file, .origin = origin } };
	char line[CONFIG_LINE_MAX];
	size_t pos = 0;

	while (pos < len) {
		const char *end = memchr(text + pos, '\n', len - pos);
		size_t n = end ? (size_t)(end - text) - pos : len - pos;
		int rc;

		r.at.line++;
		if (n >= sizeof(line) || memchr(text + pos, '\0', n))
			return diag_set(d, -EINVAL, "%s:%u: %s", r.at.file,
					r.at.line, n >= sizeof(line) ?
					"line too long" : "a NUL octet");
		memcpy(line, text + pos, n);
		line[n] = '\0';
		rc = line_parse(t, line, &r, target, d);
		if (rc < 0)
			return diag_prefix(d, rc, "%s:%u", r.at.file,
					   r.at.line);
		pos += n + 1;
	}
	return 0;
}

/* The table's own spelling of a section; NULL: it has none of that name. */
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
	static const struct place at = { "", 0, ORIGIN_CONFIG_DB };
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
	uint32_t word;

	switch (k->kind) {
	case CONFIG_TEXT:
		(void)snprintf(ret, CONFIG_TEXT_MAX, "%s", (const char *)at);
		break;
	case CONFIG_BOOL:
		(void)snprintf(ret, CONFIG_TEXT_MAX, "%s",
			       *(const bool *)at ? "yes" : "no");
		break;
	case CONFIG_DURATION:
		form_time_text(*(const int64_t *)at, ret);
		break;
	case CONFIG_SIZE:
		form_size_text(*(const uint64_t *)at, ret);
		break;
	case CONFIG_WORD:
		word = *(const uint32_t *)at;
		(void)snprintf(ret, CONFIG_TEXT_MAX, "%s",
			       word < k->word_count && k->words[word] ?
			       k->words[word] : "?");
		break;
	}
}

int table_load(const struct config_table *t, const char *path,
	       const char *drop_ins, int optional, void *target,
	       struct diag *d)
{
	int rc = file_load(t, path, ORIGIN_FILE, target, d);

	if (rc == -ENOENT && optional)
		rc = 0;
	return rc < 0 ? rc : drop_ins_load(t, path, drop_ins, target, d);
}
