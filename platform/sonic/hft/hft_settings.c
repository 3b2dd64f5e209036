#include "platform/sonic/hft/hft_settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "agent/base/number.h"
#include "agent/base/path.h"

#define FILE_OCTETS_MAX (1u << 20)

static int name_take(char to[static HFT_NAME_MAX], const char *text, size_t len,
		     struct diag *d)
{
	bool fits = len > 0 && len < HFT_NAME_MAX;

	for (size_t i = 0; i < len && fits; i++)
		fits = text[i] > ' ' && text[i] < 127;
	if (!fits)
		return diag_set(d, -EINVAL, "'%.*s' is no name of generic "
				"netlink; expected 1 to %d characters",
				(int)(len > 40 ? 40 : len), text,
				HFT_NAME_MAX - 1);
	memcpy(to, text, len);
	to[len] = '\0';
	return 0;
}

/* The value of a key in a mapping; NULL where there is none. */
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
			      parser.problem ? parser.problem : "no YAML");
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
		return diag_set(d, -EINVAL, "hft_test_port '%s' is no port of "
				"a netlink socket; expected 0 to %d", port,
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
