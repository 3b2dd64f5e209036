#include "tests/support/json_manual.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "agent/ctl/offline.h"
#include "agent/query/message.h"
#include "agent/query/verbs.h"
#include "agent/record/json.h"
#include "tests/support/cell_object.h"

static const char *type_words(struct json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_int:
		return "integer";
	case json_type_double:
		return "number";
	case json_type_boolean:
		return "boolean";
	case json_type_array:
		return "array";
	case json_type_object:
		return "object";
	default:
		return "string";
	}
}

/* A row a key; the heading beside the first. How a key is made from a column,
 * and of which type, the code that makes it says.
 */
static void column_print(FILE *out, const struct answer_column *column)
{
	const struct cell one = { .value = 1, .text = "" };
	struct json_object *keys = cell_object(column->key, column->unit, &one);
	const char *heading = column->heading;

	json_object_object_foreach(keys, key, value) {
		(void)fprintf(out, ".It Va %s Ta %s Ta \\&%s\n", key,
			      type_words(value), heading);
		heading = "";
	}
	json_object_put(keys);
}

static void shape_print(FILE *out, const struct answer_shape *shape)
{
	(void)fprintf(out, ".Va %s :\n%s\n.Bl -column -offset indent "
		      "\"highest_pre_fec_ber_e18\" \"boolean\" \"heading\"\n",
		      shape->name, shape->single ? "an object" :
		      "an array of objects");
	for (const struct answer_column *c = shape->columns; c->key; c++)
		column_print(out, c);
	(void)fputs(".El\n", out);
}

static void verbs_print(FILE *out)
{
	for (const struct verb *v = verb_table; v->name; v++) {
		if (!v->tables[0])
			continue;
		(void)fprintf(out, ".Ss %s\n", v->name);
		for (size_t i = 0; i < VERB_TABLES_MAX && v->tables[i]; i++) {
			(void)fputs(i ? ".Pp\n" : "", out);
			shape_print(out, v->tables[i]);
		}
		if (v->has_findings)
			(void)fputs(".Pp\n.Va findings :\nan array of "
				    "objects; see\n.Sx FINDINGS .\n", out);
	}
}

/* Who answers each command, and who may ask. */
static void commands_print(FILE *out)
{
	(void)fputs(".Bl -column \"bugreport\" \"from the rings\" "
		    "\"root, group petrel\"\n"
		    ".It Sy Command Ta Sy Agent down Ta Sy Users\n", out);
	for (const struct verb *v = verb_table; v->name; v++)
		(void)fprintf(out, ".It %s Ta %s Ta %s\n", v->name,
			      !verb_is_asked(v) ? "runs" : v->offline ?
			      "from the rings" :
			      verb_takes(v, "--last") ?
			      "with Fl -last" : "no",
			      !verb_is_asked(v) ? "anybody" : v->changes ?
			      "root, group petrel" : "readers");
	(void)fputs(".El\n", out);
}

void json_manual_finding(FILE *out)
{
	static const struct finding sample = {
		.signature = SIGNATURE_FEC_TREND, .severity = SEVERITY_WARN,
		.cliff = { .foreseeable = true },
		.was = SIGNATURE_LINK_DOWN, .kind = SUBJECT_PORT,
		.cause_id = CAUSE_NO_LIGHT, .into = "bcdefghijklm",
	};
	struct json_object *keys = finding_json(&sample);

	json_object_object_foreach(keys, key, value)
		(void)fprintf(out, ".It Va %s Pq %s\n", key,
			      type_words(value));
	json_object_put(keys);
}

int json_manual(FILE *out, const char *part)
{
	if (strcmp(part, "verbs") == 0) {
		verbs_print(out);
	} else if (strcmp(part, "commands") == 0) {
		commands_print(out);
	} else if (strcmp(part, "down") == 0) {
		(void)fputs(".Pp\n", out);
		shape_print(out, &offline_down);
		(void)fputs(".Pp\n", out);
		shape_print(out, &offline_streams);
	} else {
		return -EINVAL;
	}
	return 0;
}
