#include "platform/driver_file.h"

#include <cap-ng.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/ini.h"
#include "agent/base/number.h"
#include "agent/base/option.h"
#include "petrel/clock.h"

#define OPTIONS_MAX 16u
#define WORDS_MAX 8u

enum member { HELP, PERIOD, RIGHTS, FORM, MIN, MAX, VALUE, WORDS, AT_START,
	      MEMBER_COUNT };

static const char *const form_words[OPTION_FORM_COUNT] = {
	[OPTION_TEXT] = "text",
	[OPTION_BOOL] = "bool",
	[OPTION_DURATION] = "duration",
	[OPTION_SIZE] = "size",
	[OPTION_NUMBER] = "number",
	[OPTION_FACTOR] = "factor",
	[OPTION_WORD] = "word",
	[OPTION_LIST] = "list",
	[OPTION_PATH] = "path",
	[OPTION_NAME] = "name",
	[OPTION_URL] = "url",
	[OPTION_HTTP_URL] = "http_url",
	[OPTION_FILE] = "file",
	[OPTION_FILE_BELOW_ROOT] = "file_below_root",
	[OPTION_DEVICE] = "device",
	[OPTION_ADDRESS] = "address",
};

/* The keys of a section; the first ones are for a source. */
static const struct option_key members[MEMBER_COUNT] = {
	[HELP] = { "help" },
	[PERIOD] = { "period", OPTION_DURATION, 100 * NS_PER_MS,
		     3600 * NS_PER_S, "10s" },
	[RIGHTS] = { "rights" },
	[FORM] = { "form", OPTION_WORD, .value = "text", .words = form_words,
		   .word_count = OPTION_FORM_COUNT },
	[MIN] = { "min" },
	[MAX] = { "max" },
	[VALUE] = { "value" },
	[WORDS] = { "words" },
	[AT_START] = { "at_start", OPTION_BOOL, .value = "yes" },
};

struct driver_lists {
	struct platform_source source[PLATFORM_SOURCES_MAX];
	const struct platform_source *sources[PLATFORM_SOURCES_MAX + 1];
	struct option_key option[OPTIONS_MAX + 1];
	const char *words[OPTIONS_MAX][WORDS_MAX];
	unsigned source_count, option_count;
	/* The section being read. */
	bool is_option;
	const char *name;		/* NULL: none yet */
	char *said[MEMBER_COUNT];
	size_t used;
	char text[];			/* what all of them point to */
};

/* The text is never longer than its line. */
static char *keep(struct driver_lists *l, const char *text)
{
	char *to = l->text + l->used;

	(void)strcpy(to, text);
	l->used += strlen(text) + 1;
	return to;
}

static const char *said(const struct driver_lists *l, enum member m)
{
	return l->said[m] ? l->said[m] : members[m].value;
}

static int rights_read(const char *text, uint64_t *ret, struct diag *d)
{
	char name[32];
	size_t n;

	for (const char *at = text; at && *at; at += n + strspn(at + n, ", ")) {
		int cap = -1;

		n = strcspn(at, ", ");
		if (n < sizeof(name)) {
			memcpy(name, at, n);
			name[n] = '\0';
			cap = capng_name_to_capability(name);
		}
		if (cap < 0)
			return diag_set(d, -EINVAL, "rights = %s: expected "
					"capabilities, such as "
					"net_admin", text);
		*ret |= UINT64_C(1) << cap;
	}
	return 0;
}

static int source_end(struct driver_lists *l, struct diag *d)
{
	struct platform_source *s = &l->source[l->source_count];
	int64_t ns = 0;

	*s = (struct platform_source){
		.abi = PLATFORM_ABI, .size = sizeof(*s), .name = l->name,
		.help = l->said[HELP] ? l->said[HELP] : "", .blocks = true };
	l->sources[l->source_count++] = s;
	(void)number_parse_duration(said(l, PERIOD), &ns);	/* valid */
	s->period_ms = (uint32_t)(ns / NS_PER_MS);
	return rights_read(l->said[RIGHTS], &s->rights, d);
}

/* A limit has the same form as the values. */
static int limit_read(const struct driver_lists *l, enum option_form form,
		      enum member m, int64_t *ret, struct diag *d)
{
	const char *text = l->said[m];
	uint64_t number = 0;
	int rc = 0;

	if (!text)
		return 0;
	if (form == OPTION_DURATION)
		return number_parse_duration(text, ret) == 0 ? 0 :
		       diag_set(d, -EINVAL, "%s = %s: expected a time",
				members[m].key, text);
	rc = form == OPTION_SIZE ?
	     number_parse_size(text, INT64_MAX, &number) :
	     number_parse(text, 0, INT64_MAX, &number);
	*ret = (int64_t)number;
	return rc == 0 ? 0 : diag_set(d, -EINVAL, "%s = %s: expected a %s",
				      members[m].key, text,
				      form_words[form]);
}

static void words_read(const char **words, char *text, struct option_key *o)
{
	char *rest = text;

	o->words = words;
	for (char *word; o->word_count < WORDS_MAX && rest &&
	     (word = strtok_r(NULL, ", ", &rest)) != NULL;)
		words[o->word_count++] = word;
}

static int option_end(struct driver_lists *l, struct diag *d)
{
	unsigned n = l->option_count;
	struct option_key *o = &l->option[n];
	int rc;

	*o = (struct option_key){
		.key = l->name, .help = l->said[HELP] ? l->said[HELP] : "",
		.form = (enum option_form)option_word(&members[FORM],
						      said(l, FORM)),
		.max = INT64_MAX, .value = l->said[VALUE],
		.at_start = strcmp(said(l, AT_START), "yes") == 0 };
	l->option_count++;
	if (o->form == OPTION_FACTOR)
		o->max = INT32_MAX;
	rc = limit_read(l, o->form, MIN, &o->min, d);
	if (rc == 0)
		rc = limit_read(l, o->form, MAX, &o->max, d);
	words_read(l->words[n], l->said[WORDS], o);
	if (rc == 0 && o->value)
		rc = option_judge(o, o->value, d);
	return rc;
}

/* Ends the section being read. */
static int section_end(struct driver_lists *l, struct diag *d)
{
	int rc = 0;

	if (l->name)
		rc = l->is_option ? option_end(l, d) : source_end(l, d);
	if (rc < 0)
		(void)diag_prefix(d, rc, "[%s %s]",
				  l->is_option ? "Option" : "Source", l->name);
	memset(l->said, 0, sizeof(l->said));
	l->name = NULL;
	return rc;
}

/* Is it a valid name for a driver or a key? */
static bool is_name(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return n > 0 && n < SOURCE_NAME_MAX && !text[n];
}

static int heading_take(void *context, const char *section, struct diag *d)
{
	struct driver_lists *l = context;
	bool is_source = strncmp(section, "Source ", 7) == 0;
	int rc = section_end(l, d);

	if (rc < 0)
		return rc;
	l->is_option = strncmp(section, "Option ", 7) == 0;
	if ((!is_source && !l->is_option) || !is_name(section + 7))
		return diag_set(d, -EINVAL, "[%s]: expected [Source NAME] or "
				"[Option NAME]", section);
	if (l->is_option ? l->option_count == OPTIONS_MAX :
			   l->source_count == PLATFORM_SOURCES_MAX)
		return diag_set(d, -EINVAL, "[%s]: too many of them", section);
	l->name = keep(l, section + 7);
	return 0;
}

static int value_take(void *context, const char *section, const char *key,
		      const char *value, unsigned line, struct diag *d)
{
	struct driver_lists *l = context;

	(void)line;	/* ini_read() reports it */
	for (unsigned m = 0; m < MEMBER_COUNT; m++) {
		bool is_theirs = m == HELP || l->is_option == (m > RIGHTS);

		if (!is_theirs || strcmp(members[m].key, key) != 0)
			continue;
		if (l->said[m])
			return diag_set(d, -EINVAL, "%s is given twice", key);
		l->said[m] = keep(l, value);
		return option_judge(&members[m], value, d);
	}
	return diag_set(d, -EINVAL, "unknown key '%s' in [%s]", key, section);
}

/* Does nothing: for use until the code is loaded, and always in the core. */
static int nothing_open(const struct platform_env *env, void **ret_instance,
			struct diag *d)
{
	(void)env;
	(void)d;
	*ret_instance = NULL;
	return 0;
}

static void nothing_close(void *instance)
{
	(void)instance;
}

int driver_file_new(const char *file, size_t name_len, const char *text,
		    size_t len, struct driver_file **ret, struct diag *d)
{
	struct driver_file *f = calloc(1, sizeof(*f));
	struct driver_lists *l = NULL;
	struct ini_taker to = { NULL, heading_take, value_take };
	char *name;
	int rc = 0;

	if (f)
		l = f->lists = calloc(1, sizeof(*l) + name_len + 1 + len + 1);
	if (!l) {
		rc = diag_set(d, -ENOMEM, "no memory for %s", file);
		goto fail;
	}
	to.context = l;
	name = l->text;
	memcpy(name, file, name_len);
	l->used = name_len + 1;
	f->driver = (struct platform_driver){
		.abi = PLATFORM_ABI, .size = sizeof(f->driver), .name = name,
		.open = nothing_open, .close = nothing_close,
		.sources = l->sources, .options = l->option };
	if (!is_name(name))
		rc = diag_set(d, -EINVAL, "%s: expected a name of small "
			      "letters, digits and _", file);
	if (rc == 0)
		rc = ini_read(text, len, file, &to, d);
	if (rc == 0)
		rc = section_end(l, d) < 0 ? diag_prefix(d, -EINVAL, "%s", file)
					   : 0;
	if (rc == 0 && l->source_count == 0)
		rc = diag_set(d, -EINVAL, "%s: no [Source NAME]", file);
	if (rc < 0)
		goto fail;
	*ret = f;
	return 0;
fail:
	driver_file_free(f);
	return rc;
}

void driver_file_free(struct driver_file *f)
{
	if (f)
		free(f->lists);
	free(f);
}
