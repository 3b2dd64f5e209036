#include "agent/collect/alert_content.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <json-c/json.h>

#include "agent/collect/stored.h"
#include "agent/record/json.h"

void alert_time(int64_t wall_ns, char ret[static ALERT_TIME_MAX])
{
	time_t s = (time_t)(wall_ns / NS_PER_S);
	struct tm tm;
	size_t len;

	(void)gmtime_r(&s, &tm);
	len = strftime(ret, ALERT_TIME_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
	(void)snprintf(ret + len, ALERT_TIME_MAX - len, ".%03dZ",
		       (int)(wall_ns % NS_PER_S / NS_PER_MS));
}

/* --- labels and annotations ----------------------------------------------- */

/* PetrelFecTrend of fec_trend. */
static void name_of(enum signature signature, char ret[static 64])
{
	const char *from = signature_name(signature);
	bool is_first = true;

	ret += sprintf(ret, "Petrel");
	for (; *from; from++) {
		if (*from != '_')
			*ret++ = (char)(is_first ? *from - 'a' + 'A' : *from);
		is_first = *from == '_';
	}
	*ret = '\0';
}

/* The port's location, as far as the inventory has it. */
static void site_add(const struct alert_switch *of, struct json_object *labels,
		     const char *port)
{
	static const struct {
		const char *label, *attribute;
		bool is_of_port;
	} site[] = {
		{ "rack", "rack", false }, { "pod", "deployment", false },
		{ "rail", "group", true }, { "role", "role", true },
	};
	char text[ATTRIBUTE_TEXT_MAX];

	for (size_t i = 0; i < sizeof(site) / sizeof(site[0]); i++)
		if (!site[i].is_of_port || port)
			if (stored_attribute(of->stored, of->id,
					     site[i].is_of_port ? port : NULL,
					     site[i].attribute, text,
					     sizeof(text)) == 0)
				json_add_text_if(labels, site[i].label, text);
}

/* For an alert that continues, former, all but name and severity stay as they
 * were when it began, even if the inventory has changed.
 */
static struct json_object *labels_of(const struct alert_switch *of,
				     const struct finding *f,
				     struct json_object *former)
{
	struct json_object *o = NULL;
	const char *port = finding_port(f, NULL);
	char name[64];

	if (f->kind == SUBJECT_PORT || f->kind == 0)
		port = f->subject;
	if (!former || json_object_deep_copy(former, &o, NULL) < 0) {
		o = json_object_new_object();
		json_add_text_if(o, "switch", of->name);
		json_add_text_if(o, port == f->subject ? "port" : "subject",
			 f->subject);
		json_add_text_if(o, "finding_id", f->id);
		site_add(of, o, port);
	}
	name_of(f->signature, name);
	json_add_text_if(o, "alertname", name);
	json_add_text_if(o, "severity", severity_name(f->severity));
	return o;
}

static struct json_object *annotations_of(const struct finding *f)
{
	struct json_object *o = json_object_new_object();
	char text[512];
	size_t len = 0;

	json_add_text_if(o, "summary", f->cause);
	json_add_text_if(o, "action", action_name(f->action));
	json_add_text_if(o, "action_words", action_words(f, f->action));
	json_add_text_if(o, "drain", drain_name(f->drain));
	json_add_text_if(o, "end", fault_end_name(f->end));
	(void)snprintf(text, sizeof(text), "%.2f", (double)f->confidence);
	json_add_text_if(o, "confidence", text);
	for (const char *port = NULL; (port = finding_port(f, port)) &&
	     len + strlen(port) + 2 < sizeof(text);)
		len += (size_t)sprintf(text + len, "%s%s", len ? "," : "",
				       port);
	json_add_text_if(o, "ports", len ? text : NULL);
	text[len = 0] = '\0';
	for (unsigned i = 0; i < f->evidence_count && len + 80 < sizeof(text);
	     i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%s%s=%.4g", len ? " " : "",
					f->evidence[i].name,
					f->evidence[i].value);
	json_add_text_if(o, "evidence", text);
	return o;
}

struct json_object *alert_content(const struct alert_switch *of,
				  const struct finding *f,
				  struct json_object *former)
{
	struct json_object *o = json_object_new_object();
	char text[ALERT_TIME_MAX];

	alert_time(f->onset_wall.ns, text);
	(void)json_object_object_add(o, "labels", labels_of(of, f, former ?
		json_object_object_get(former, "labels") : NULL));
	(void)json_object_object_add(o, "annotations", annotations_of(f));
	json_add_text_if(o, "startsAt", text);
	return o;
}

struct json_object *alert_renamed(struct json_object *content,
				  const struct alert_switch *of,
				  const char *name)
{
	struct json_object *o = NULL;
	struct json_object *labels = json_object_object_get(content, "labels");
	const char *said = alert_member(labels, "switch");
	size_t len = strlen(name);

	if (strcmp(said, name) == 0 ||
	    (strncmp(said, name, len) == 0 && said[len] == '/' &&
	     strcmp(said + len + 1, of->id) == 0) ||
	    json_object_deep_copy(content, &o, NULL) < 0)
		return NULL;
	labels = json_object_object_get(o, "labels");
	if (strcmp(alert_member(labels, "subject"), said) == 0)
		json_add_text_if(labels, "subject", name);
	json_add_text_if(labels, "switch", of->name);
	return o;
}

const char *alert_member(struct json_object *o, const char *key)
{
	const char *text = json_object_get_string(
				json_object_object_get(o, key));

	return text ? text : "";
}

const char *alert_labels(struct json_object *content)
{
	return json_object_to_json_string_ext(
		json_object_object_get(content, "labels"),
		JSON_C_TO_STRING_PLAIN);
}
