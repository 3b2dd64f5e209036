#include "platform/sonic/hft/hft_settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "agent/base/number.h"
#include "agent/base/path.h"
#include "platform/sonic/meaning/tables.h"

#define FILE_OCTETS_MAX (1u << 20)

static int name_take(char to[static HFT_NAME_MAX], const char *text, size_t len,
		     struct diag *d)
{
	bool fits = len > 0 && len < HFT_NAME_MAX;

	for (size_t i = 0; i < len && fits; i++)
		fits = text[i] > ' ' && text[i] < 127;
	if (!fits)
		return diag_set(d, -EINVAL, "'%.*s' is not a name of generic "
				"netlink; expected 1 to %d characters",
				(int)(len > 40 ? 40 : len), text,
				HFT_NAME_MAX - 1);
	memcpy(to, text, len);
	to[len] = '\0';
	return 0;
}

/* The value of a key in a mapping; NULL if there is none. */
static yaml_node_t *member(yaml_document_t *doc, yaml_node_t *node,
			   const char *key)
{
	if (!node || node->type != YAML_MAPPING_NODE)
		return NULL;
	for (yaml_node_pair_t *p = node->data.mapping.pairs.start;
	     p < node->data.mapping.pairs.top; p++) {
		yaml_node_t *k = yaml_document_get_node(doc, p->key);

		if (k && k->type == YAML_SCALAR_NODE &&
		    strcmp((const char *)k->data.scalar.value, key) == 0)
			return yaml_document_get_node(doc, p->value);
	}
	return NULL;
}

static int names_take(yaml_document_t *doc, struct hft_settings *to,
		      struct diag *d)
{
	yaml_node_t *at = member(doc, yaml_document_get_root_node(doc),
				 "constants");
	struct {
		const char *key;
		char *name;
	} rows[] = {
		{ "genl_family", to->family },
		{ "genl_multicast_group", to->group },
	};
	int rc = 0;

	at = member(doc, at, "high_frequency_telemetry");
	for (size_t i = 0; i < 2 && rc == 0; i++) {
		const yaml_node_t *n = member(doc, at, rows[i].key);

		if (n && n->type == YAML_SCALAR_NODE)
			rc = name_take(rows[i].name,
				       (const char *)n->data.scalar.value,
				       n->data.scalar.length, d);
	}
	return rc;
}

int hft_constants_parse(const char *yaml, size_t len, struct hft_settings *to,
			struct diag *d)
{
	yaml_parser_t parser;
	yaml_document_t doc;
	int rc;

	if (!yaml_parser_initialize(&parser))
		return diag_set(d, -ENOMEM, "no memory to read YAML");
	yaml_parser_set_input_string(&parser, (const unsigned char *)yaml, len);
	if (yaml_parser_load(&parser, &doc)) {
		rc = names_take(&doc, to, d);
		yaml_document_delete(&doc);
	} else {
		rc = diag_set(d, -EINVAL, "line %zu: %s",
			      parser.problem_mark.line + 1,
			      parser.problem ? parser.problem : "not YAML");
	}
	yaml_parser_delete(&parser);
	return rc;
}

static int constants_read(int root_fd, struct hft_settings *to, struct diag *d)
{
	char *text;
	size_t len;
	int rc = path_read(root_fd, HFT_CONSTANTS_PATH, FILE_OCTETS_MAX, &text,
			   &len);

	if (rc == -ENOENT || rc == -ENOTDIR)
		return 0;
	if (rc < 0)
		return (void)path_diag(d, root_fd, HFT_CONSTANTS_PATH, rc),
		       -EINVAL;
	rc = hft_constants_parse(text, len, to, d);
	free(text);
	return rc < 0 ? diag_prefix(d, rc, "%s", HFT_CONSTANTS_PATH) : 0;
}

static int options_take(hft_option_fn *option, void *context,
			struct hft_settings *to, struct diag *d)
{
	const char *family = option(context, "hft_family");
	const char *group = option(context, "hft_group");
	const char *port = option(context, "hft_test_port");
	uint64_t number = 0;
	int rc = 0;

	to->ids_path = option(context, "hft_ids");
	if (family)
		rc = name_take(to->family, family, strlen(family), d);
	if (group && rc == 0)
		rc = name_take(to->group, group, strlen(group), d);
	if (port && number_parse(port, 0, INT32_MAX, &number) < 0)
		return diag_set(d, -EINVAL, "hft_test_port '%s' is not a "
				"netlink port; expected 0 to %d", port,
				INT32_MAX);
	to->test_port = (uint32_t)number;
	return rc;
}

int hft_settings_read(int root_fd, hft_option_fn *option, void *context,
		      struct hft_settings *ret, struct diag *d)
{
	struct hft_settings s = { "sonic_stel", "ipfix", NULL, 0 };
	int file_rc = constants_read(root_fd, &s, d);
	int rc = options_take(option, context, &s, d);

	*ret = s;
	return rc < 0 ? rc : file_rc;
}

/* --- SAI's numbers -------------------------------------------------------- */

#define OBJECTS (OBJECT_POOL + 1)	/* kinds that can be streamed */
#define NUMBERS_MAX 1024u	/* of one object */
#define NAME_MAX_LEN 127u

struct number {
	uint32_t number;
	const struct field *field;
};

struct hft_ids {
	struct id_numbers {
		struct number list[NUMBERS_MAX];	/* in order */
		size_t count;
		bool replaced;		/* by the file */
	} of[OBJECTS];
};

/* SAI's object types, its statistics' prefix. Source: saitypes.h. */
static const struct {
	uint32_t type;
	const char *prefix;
} objects[OBJECTS] = {
	[OBJECT_PORT] = { 1, "SAI_PORT_STAT_" },
	[OBJECT_QUEUE] = { 21, "SAI_QUEUE_STAT_" },
	[OBJECT_GROUP] = { 26, "SAI_INGRESS_PRIORITY_GROUP_STAT_" },
	[OBJECT_POOL] = { 24, "SAI_BUFFER_POOL_STAT_" },
};

static const struct {
	uint8_t object;
	uint16_t number;
	const char *name;
} built_in[] = {
#define HFT_STAT(object, number, name) { OBJECT_##object, number, name },
#include "platform/sonic/hft/hft_ids.def"
#undef HFT_STAT
};

bool hft_object_kind(uint32_t type, enum object_kind *ret)
{
	for (unsigned i = 0; i < OBJECTS; i++)
		if (objects[i].type == type) {
			*ret = (enum object_kind)i;
			return true;
		}
	return false;
}

/* The field of that name, in any of the tables. */
static const struct field *field_named(enum object_kind object,
				       const char *name, size_t len)
{
	const char *prefix = objects[object].prefix;
	size_t skip = strlen(prefix);

	for (unsigned n = 0; n < tables_count(); n++) {
		const struct table *t = table_get(n);

		if (t->object != object || t->key != KEY_OID ||
		    t->database != DATABASE_COUNTERS)
			continue;
		for (unsigned i = 0; i < t->fields.count; i++) {
			const struct field *f = &t->fields.list[i];

			if (f->form == FIELD_COUNTER &&
			    strlen(f->name) == skip + len &&
			    memcmp(f->name, prefix, skip) == 0 &&
			    memcmp(f->name + skip, name, len) == 0)
				return f;
		}
	}
	return NULL;
}

static int number_order(const void *a, const void *b)
{
	const struct number *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static void numbers_sort(struct hft_ids *ids)
{
	for (unsigned i = 0; i < OBJECTS; i++)
		qsort(ids->of[i].list, ids->of[i].count,
		      sizeof(ids->of[i].list[0]), number_order);
}

/* A number without a quantity is left out. */
static bool number_add(struct hft_ids *ids, enum object_kind object,
		       uint32_t number, const char *name, size_t len)
{
	struct id_numbers *of = &ids->of[object];
	const struct field *f = field_named(object, name, len);

	if (!f)
		return true;
	if (of->count == NUMBERS_MAX)
		return false;
	of->list[of->count++] = (struct number){ number, f };
	return true;
}

/* The object whose prefix a name has; its length goes to *ret_skip. */
static bool object_of(const char *name, size_t len, enum object_kind *ret,
		      size_t *ret_skip)
{
	for (unsigned i = 0; i < OBJECTS; i++) {
		size_t n = strlen(objects[i].prefix);

		if (len <= n || memcmp(name, objects[i].prefix, n) != 0)
			continue;
		*ret = (enum object_kind)i;
		*ret_skip = n;
		return true;
	}
	return false;
}

/* One line: a name, a number, other columns. */
static int line_take(struct hft_ids *ids, const char *line, size_t len,
		     unsigned number, struct diag *d)
{
	const char *comma = memchr(line, ',', len);
	size_t name_len = comma ? (size_t)(comma - line) : len, skip;
	const char *digits = line + name_len + 1;
	size_t digits_len = comma ? len - name_len - 1 : 0;
	const char *end = comma ? memchr(digits, ',', digits_len) : NULL;
	enum object_kind object;
	uint64_t value;

	if (end)
		digits_len = (size_t)(end - digits);
	if (!comma || name_len > NAME_MAX_LEN ||
	    !object_of(line, name_len, &object, &skip) ||
	    number_parse_n(digits, digits_len, 0, UINT32_MAX, &value) < 0)
		return diag_set(d, -EINVAL, "line %u: '%.*s' is not a "
				"statistic and a number; expected SAI_QUEUE_STAT_BYTES,1 "
				"and the like", number,
				(int)(len > 60 ? 60 : len), line);
	if (!ids->of[object].replaced) {
		ids->of[object].replaced = true;
		ids->of[object].count = 0;
	}
	if (!number_add(ids, object, (uint32_t)value, line + skip,
			name_len - skip))
		return diag_set(d, -EINVAL, "line %u: more than %u statistics "
				"of one object", number, NUMBERS_MAX);
	return 0;
}

static bool line_is_empty(const char *line, size_t len)
{
	return len == 0 || line[0] == '#' ||
	       (len >= 5 && memcmp(line, "name,", 5) == 0);
}

int hft_ids_parse(struct hft_ids *ids, const char *text, size_t len,
		  struct diag *d)
{
	const char *end = text + len;
	unsigned number = 0;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t n = stop ? (size_t)(stop - text) : (size_t)(end - text);
		size_t whole = n;
		int rc;

		number++;
		if (n > 0 && text[n - 1] == '\r')
			n--;
		rc = line_is_empty(text, n) ? 0 :
		     line_take(ids, text, n, number, d);
		if (rc < 0)
			return rc;
		text += whole + 1;
	}
	numbers_sort(ids);
	return 0;
}

static int file_take(struct hft_ids *ids, int root_fd, const char *path,
		     struct diag *d)
{
	char *text;
	size_t len;
	int rc = path_read(root_fd, path, FILE_OCTETS_MAX, &text, &len);

	if (rc < 0)
		return path_diag(d, root_fd, path, rc);
	rc = hft_ids_parse(ids, text, len, d);
	free(text);
	return rc < 0 ? diag_prefix(d, rc, "%s", path) : 0;
}

int hft_ids_new(int root_fd, const char *path, struct hft_ids **ret,
		struct diag *d)
{
	struct hft_ids *ids = calloc(1, sizeof(*ids));
	int rc;

	if (!ids)
		return diag_set(d, -ENOMEM, "no memory for SAI's numbers");
	for (size_t i = 0; i < sizeof(built_in) / sizeof(built_in[0]); i++)
		(void)number_add(ids, (enum object_kind)built_in[i].object,
				 built_in[i].number, built_in[i].name,
				 strlen(built_in[i].name));
	numbers_sort(ids);
	rc = path ? file_take(ids, root_fd, path, d) : 0;
	if (rc < 0) {
		hft_ids_free(ids);
		return rc;
	}
	*ret = ids;
	return 0;
}

void hft_ids_free(struct hft_ids *ids)
{
	free(ids);
}

const struct field *hft_ids_find(const struct hft_ids *ids,
				 enum object_kind object, uint32_t number)
{
	const struct number key = { .number = number };
	const struct number *n = bsearch(&key, ids->of[object].list,
					 ids->of[object].count, sizeof(key),
					 number_order);

	return n ? n->field : NULL;
}
